"""A game between two players: its moves, whose turn it is, and when and why it is over.

Nothing here chooses a move, and nothing does input or output: see `tablebase.play.players` and `tablebase.cli.play`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position, decided, has_escaped, legal_moves, play, wins_at_once
from tablebase.game.notation import render_move

REPETITIONS = 3
"""Occurrences of a position that make the game a draw."""


class EndReason(StrEnum):
    """Why a game is over."""

    GOAL = "goal"
    LAST_PIECE = "last piece"
    NO_MOVE = "no move"
    ESCAPED = "escaped"
    REPEATED = "repeated"
    RESIGNED = "resigned"


class Ending(NamedTuple):
    """The end of a game."""

    winner: int | None  # the side that has won; None for a draw
    why: EndReason


def side_number(game: Game, letter: str) -> int:
    """The side with this letter, 0 or 1; `TablebaseError` if there is no such side."""
    letters = [side.letter for side in game.sides]
    if letter not in letters:
        raise TablebaseError(f"the side to play must be {' or '.join(map(repr, letters))}, not {letter!r}")
    return letters.index(letter)


class Match:
    """A game played from a position, whose moves can be taken back."""

    def __init__(self, game: Game, start: Position) -> None:
        self.game = game
        self.positions = [start]
        self.moves: list[Move] = []
        self._resigned = False

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @property
    def side(self) -> int:
        """The side to move, 0 or 1."""
        return self.position.side

    @property
    def plies(self) -> int:
        """Number of moves made and not taken back."""
        return len(self.moves)

    def legal(self) -> dict[str, Move]:
        """The legal moves by their text, sorted; empty once the game is over."""
        if self.ending() is not None:
            return {}
        return dict(sorted((render_move(self.game, move), move) for move in legal_moves(self.game, self.position)))

    def play(self, move: Move) -> None:
        """Make a legal move."""
        self.positions.append(play(self.position, move))
        self.moves.append(move)

    def resign(self) -> None:
        """Give the game up for the side to move."""
        self._resigned = True

    def undo(self, side: int) -> bool:
        """Take back the last move of a side and all moves after it; returns False if it has not moved."""
        turns = [ply for ply, position in enumerate(self.positions[:-1]) if position.side == side]
        if not turns:
            return False
        del self.positions[turns[-1] + 1 :], self.moves[turns[-1] :]
        self._resigned = False
        return True

    def ending(self) -> Ending | None:
        """How the game has ended; None while it continues."""
        if self._resigned:
            return Ending(1 - self.side, EndReason.RESIGNED)
        if self.moves and wins_at_once(self.game, self.positions[-2], self.moves[-1]):
            return Ending(1 - self.side, EndReason.GOAL if self.moves[-1].wins else EndReason.LAST_PIECE)
        outcome = decided(self.game, self.position)
        if outcome is not None:
            return self._decided(outcome)
        if self.positions.count(self.position) >= REPETITIONS:
            return Ending(None, EndReason.REPEATED)
        return None

    def _decided(self, outcome: Outcome) -> Ending:
        """The ending of a position without legal moves."""
        winner = {Outcome.WIN: self.side, Outcome.LOSS: 1 - self.side}.get(outcome)
        # Having no legal move takes precedence in the rules, so an escape is the reason only if the runner has won.
        escaped = has_escaped(self.game, self.position) and winner == self._runner_side()
        return Ending(winner, EndReason.ESCAPED if escaped else EndReason.NO_MOVE)

    def _runner_side(self) -> int | None:
        escape = self.game.escape
        return None if escape is None else self.game.side_of(self.game.by_symbol[escape.runner])


def reason(match: Match, ending: Ending) -> str:
    """Why a match has ended, as a clause."""
    game, to_move = match.game, match.game.sides[match.side].name
    if ending.why is EndReason.GOAL:
        last = match.moves[-1]
        return f"the {game.kinds[last.kind].name} has reached {game.board.names[last.target]}"
    if ending.why is EndReason.ESCAPED and game.escape is not None:
        return f"the {game.kinds[game.by_symbol[game.escape.runner]].name} has escaped"
    return {
        EndReason.LAST_PIECE: f"{to_move} has no pieces left",
        EndReason.NO_MOVE: f"{to_move} has no legal move",
        EndReason.REPEATED: "the same position has occurred three times",
        EndReason.RESIGNED: f"{to_move} resigns",
    }[ending.why]
