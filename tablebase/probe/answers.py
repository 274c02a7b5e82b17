"""The result of a probe: a position's value and its moves, best first."""

from __future__ import annotations

from dataclasses import dataclass

from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position
from tablebase.game.notation import render, render_move
from tablebase.values import Value


@dataclass(frozen=True)
class RatedMove:
    """A legal move and its value for the side that makes it.

    Parameters
    ----------
    game : Game
    legal_move : Move
    child : Position
        The position after the move.
    value : Value or None
        The mover's outcome, and the plies to it, including this move; None if it is unknown.
    missing : str or None
        The material whose table would have the value, if that has not been built.
    """

    game: Game
    legal_move: Move
    child: Position
    value: Value | None
    missing: str | None = None

    @property
    def move(self) -> str:
        """The move as its origin and target, ``a1a2``."""
        return render_move(self.game, self.legal_move)

    @property
    def position(self) -> str:
        """The position after the move, as text."""
        return render(self.game, self.child)


@dataclass(frozen=True)
class Probe:
    """The result for one position.

    Parameters
    ----------
    game : Game
    asked : Position
        The probed position.
    value : Value
        Outcome and distance for the side to move.
    moves : tuple of RatedMove
        All legal moves, best first: wins by ascending distance, draws, losses by descending distance, then those of
        unknown value; moves of equal value by their text.
    """

    game: Game
    asked: Position
    value: Value
    moves: tuple[RatedMove, ...]

    @property
    def position(self) -> str:
        """The position as text."""
        return render(self.game, self.asked)

    @property
    def side(self) -> str:
        """Letter of the side to move, to which the outcome refers."""
        return self.game.sides[self.asked.side].letter

    @property
    def outcome(self) -> Outcome:
        """Win, loss or draw for the side to move."""
        return self.value.outcome

    @property
    def distance(self) -> int | None:
        """Plies to the result under best play; None for a draw."""
        return self.value.distance

    @property
    def best(self) -> str | None:
        """The first of the moves; None if there is no legal move, or a move of unknown value may be better."""
        return self.moves[0].move if self.moves and self.moves[0].value == self.value else None
