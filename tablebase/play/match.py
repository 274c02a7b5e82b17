"""A game against the tables: the moves they choose, whose turn it is, and when and why the game is over.

Nothing here does input or output: `tablebase.cli.play` does that.
"""

from __future__ import annotations

from enum import StrEnum
from random import Random
from typing import NamedTuple

from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position, decided, has_escaped, legal_moves, play, wins_at_once
from tablebase.game.notation import render_move
from tablebase.play.fallible import choose
from tablebase.probe.answers import Probe, RatedMove
from tablebase.probe.prober import Prober

REPETITIONS = 3
"""Occurrences of a position that make the game a draw."""


class EndReason(StrEnum):
    """Why a game is over."""

    GOAL = "goal"
    LAST_PIECE = "last piece"
    NO_MOVE = "no move"
    ESCAPED = "escaped"
    REPEATED = "repeated"


class Ending(NamedTuple):
    """The end of a game.

    Parameters
    ----------
    winner : int or None
        The side that has won; None for a draw.
    why : EndReason
    """

    winner: int | None
    why: EndReason


def side_number(game: Game, letter: str) -> int:
    """The side with this letter, 0 or 1; `TablebaseError` if there is no such side."""
    letters = [side.letter for side in game.sides]
    if letter not in letters:
        raise TablebaseError(f"the side to play must be {' or '.join(map(repr, letters))}, not {letter!r}")
    return letters.index(letter)


class Match:
    """A game played from a position, whose moves can be taken back.

    Parameters
    ----------
    game : Game
    prober : Prober
        The source of the tables' moves; it must stay open as long as the match lasts.
    start : Position
    """

    def __init__(self, game: Game, prober: Prober, start: Position) -> None:
        self.game = game
        self.prober = prober
        self.positions = [start]
        self.moves: list[Move] = []

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

    def undo(self, side: int) -> bool:
        """Take back the last move of a side and all moves after it; returns False if it has not moved."""
        turns = [ply for ply, position in enumerate(self.positions[:-1]) if position.side == side]
        if not turns:
            return False
        del self.positions[turns[-1] + 1 :], self.moves[turns[-1] :]
        return True

    def probe(self) -> Probe:
        """The value of the current position and of all its moves; errors are those of `Prober.probe`."""
        return self.prober.probe(self.game, self.position, strict=True)

    def reply(self, fuzz: float, random: Random) -> RatedMove:
        """Make a move drawn by `choose`, and return it."""
        chosen = choose(self.probe(), fuzz, random)
        self.play(chosen.legal_move)
        return chosen

    def ending(self) -> Ending | None:
        """How the game has ended; None while it continues."""
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
