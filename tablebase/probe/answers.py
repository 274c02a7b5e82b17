"""What a probe gives: a position's value and its moves, best first."""

from __future__ import annotations

from dataclasses import dataclass

from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position
from tablebase.game.notation import render, render_move
from tablebase.values import Value


@dataclass(frozen=True)
class RatedMove:
    """A legal move and what it is worth to the side that makes it.

    Parameters
    ----------
    game : Game
    legal_move : Move
    child : Position
        The position it leads to.
    value : Value
        The mover's outcome, and the plies to it counted from before the move.
    """

    game: Game
    legal_move: Move
    child: Position
    value: Value

    @property
    def move(self) -> str:
        """Origin and target, ``a1a2``."""
        return render_move(self.game, self.legal_move)

    @property
    def position(self) -> str:
        """The position it leads to, as text."""
        return render(self.game, self.child)


@dataclass(frozen=True)
class Probe:
    """The answer for one position.

    Parameters
    ----------
    game : Game
    asked : Position
    value : Value
        Outcome and distance for the side to move.
    moves : tuple of RatedMove
        All legal moves, best first: wins by growing distance, draws, losses by falling distance; equal ones by
        the text of the move.
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
        """Letter of the side to move, whose outcome this is."""
        return self.game.sides[self.asked.side].letter

    @property
    def outcome(self) -> Outcome:
        """Win, loss or draw for the side to move."""
        return self.value.outcome

    @property
    def distance(self) -> int | None:
        """Plies to the result under best play, None for a draw."""
        return self.value.distance

    @property
    def best(self) -> str | None:
        """The first of the moves, None if there is none."""
        return self.moves[0].move if self.moves else None
