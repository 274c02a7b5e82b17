"""The types that describe a game: outcomes, boards, sides, steps, kinds, escapes; and names that rules modules have.

Rules modules import all of them from `tablebase.game`, together with `Game`.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from tablebase.errors import NotationError, quoted

SQUARE_LIMIT = 127
"""Maximum number of squares of a board, because solvers store a square in one signed byte."""


class Outcome(StrEnum):
    """The result for the side to move under best play."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"

    @property
    def reversed(self) -> Outcome:
        """The result from the opponent's point of view."""
        return {Outcome.WIN: Outcome.LOSS, Outcome.LOSS: Outcome.WIN}.get(self, Outcome.DRAW)


@dataclass(frozen=True)
class Terrain:
    """A group of squares with the same appearance, such as a river.

    Parameters
    ----------
    name : str
        Name of the terrain, such as ``river``.
    symbol : str
        Character for an empty square of this terrain on a text board.
    squares : tuple of int
        Numbers of the squares with this terrain.
    texture : str, optional
        Texture of the squares in pictures, one of `tablebase.game.types.TEXTURES`.
    """

    name: str
    symbol: str
    squares: tuple[int, ...]
    texture: str | None = None


@dataclass(frozen=True)
class Board:
    """A rectangular board; its grid can contain cells that are not squares.

    Parameters
    ----------
    width, height : int
        Number of files, and number of ranks.
    cells : tuple of (int, int)
        File and rank of each square, both from 0.
    """

    width: int
    height: int
    cells: tuple[tuple[int, int], ...]

    @classmethod
    def full(cls, width: int, height: int) -> Board:
        """Return a board on which every cell is a square, numbered rank by rank (a1, b1, …, a2, b2, …)."""
        return cls(width, height, tuple((f, r) for r in range(height) for f in range(width)))

    @classmethod
    def checkered(cls, width: int, height: int, corner: bool) -> Board:
        """Return a board on which every second cell is a square, numbered rank by rank; a1 is a square if `corner` is true."""
        return cls(width, height, tuple((f, r) for r in range(height) for f in range(width) if (f + r) % 2 != corner))

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each square, such as ``a1``."""
        return tuple(f"{string.ascii_lowercase[f]}{r + 1}" for f, r in self.cells)

    @cached_property
    def numbers(self) -> Mapping[tuple[int, int], int]:
        """Dict from the file and rank of each square, as a tuple, to the number of the square."""
        return {cell: number for number, cell in enumerate(self.cells)}

    def square(self, name: str) -> int:
        """Return the number of a square, given its name, such as ``d9``."""
        try:
            return self.names.index(name)
        except ValueError:
            known = f"from {self.names[0]} to {self.names[-1]}"
            raise NotationError(f"unknown square {quoted(name)}: choose a square {known}") from None

    def squares(self, names: str) -> tuple[int, ...]:
        """Return the numbers of several squares, given their names separated by spaces."""
        return tuple(self.square(name) for name in names.split())

    def steps(self, directions: Sequence[tuple[int, int]]) -> tuple[Step, ...]:
        """Return the non-capturing steps from every square; each direction is an offset in files and ranks."""
        return tuple(
            Step(origin, self.numbers[file + right, rank + up])
            for origin, (file, rank) in enumerate(self.cells)
            for right, up in directions
            if (file + right, rank + up) in self.numbers
        )


@dataclass(frozen=True)
class Side:
    """A side of a game, with its letter in position texts and its name."""

    letter: str
    name: str


@dataclass(frozen=True)
class Step:
    """A way for a piece to move from one square to another.

    Parameters
    ----------
    origin, target : int
        Numbers of the squares where the step begins and ends.
    empty : frozenset of int
        Squares, other than the target, that must be empty, such as the squares in between.
    quiet : bool
        Whether the step may end on an empty square.
    victims : frozenset of str
        Symbols of the pieces that the step may capture on the target square.
    wins : bool
        Whether the step wins the game immediately; if so, the resulting position is not stored.
    """

    origin: int
    target: int
    empty: frozenset[int] = frozenset()
    quiet: bool = True
    victims: frozenset[str] = frozenset()
    wins: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of piece of one side, such as the white rooks.

    Parameters
    ----------
    symbol : str
        Letter of the piece in position texts, unique in the game; material names use the upper-case letter.
    name : str
        Name of the piece as shown to users, such as ``rat``.
    side : int
        Side that owns the piece, 0 or 1.
    squares : tuple of int
        Squares where the piece may stand before the end of the game, in ascending order.
    steps : tuple of Step
        All steps of the piece, from every square.
    limit : int
        Maximum number of pieces of this kind.
    tiered : bool
        Whether to split tables by the total progress of these pieces, to save memory; only if they never return to a square.
    shape : str, optional
        Shape of the piece in pictures, one of `tablebase.game.types.SHAPES`; by default, its letter.
    """

    symbol: str
    name: str
    side: int
    squares: tuple[int, ...]
    steps: tuple[Step, ...]
    limit: int = 1
    tiered: bool = False
    shape: str | None = None

    @cached_property
    def homes(self) -> frozenset[int]:
        """The attribute `squares` as a set."""
        return frozenset(self.squares)

    @cached_property
    def steps_from(self) -> Mapping[int, tuple[Step, ...]]:
        """Dict from each square to the steps that begin on the square; squares without steps are omitted."""
        grouped: dict[int, list[Step]] = {}
        for step in self.steps:
            grouped.setdefault(step.origin, []).append(step)
        return {origin: tuple(steps) for origin, steps in grouped.items()}

    @cached_property
    def levels(self) -> Mapping[int, int] | None:
        """Dict from each square to the largest number of steps that can lead to it; None if a piece can return to a square.

        Winning steps are not counted, because they end the game.
        """
        inside = [step for step in self.steps if not step.wins and step.origin in self.homes]
        origins = {square: [step.origin for step in inside if step.target == square] for square in self.squares}
        try:
            order = list(TopologicalSorter(origins).static_order())
        except CycleError:
            return None
        levels: dict[int, int] = {}
        for square in order:
            levels[square] = max((levels[origin] + 1 for origin in origins[square]), default=0)
        return levels


@dataclass(frozen=True)
class Escape:
    """Rule by which a piece wins if it stands on a square that enemy pieces can no longer reach.

    `Game.no_move` takes precedence if the side to move has no legal move.

    Parameters
    ----------
    runner : str
        Symbol of the piece that can escape.
    guarded : mapping of str to mapping of int to frozenset of int
        Squares that each enemy piece guards, by the symbol and then by the square of the enemy piece.
    room : bool
        Whether the piece must also be able to step to another unguarded square.
    to_move : frozenset of int
        Sides, as numbers; the rule applies only if one of these sides is to move.
    """

    runner: str
    guarded: Mapping[str, Mapping[int, frozenset[int]]]
    room: bool = False
    to_move: frozenset[int] = frozenset((0, 1))


SHAPES = ("cat", "dog", "elephant", "fox", "hound", "lion", "panther", "pawn", "rabbit", "rat", "tiger", "wolf")
"""Shapes of pieces; a piece without a shape shows its letter."""
TEXTURES = ("den", "trap", "water")
"""Textures of squares; any other terrain gets one that means nothing."""

CHANCE = -1
"""A card is drawn or a die is rolled."""
OVER = -2
"""The game is over."""


@dataclass(frozen=True)
class Duel:
    """Evaluation term that depends on the distance between two pieces.

    Parameters
    ----------
    hunter, quarry : str
        Symbols of the two pieces; a positive value favours the hunter's side.
    values : tuple of int
        Value for each number of steps from the hunter to the quarry, beginning with 0; the value for longer distances is 0.
    """

    hunter: str
    quarry: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Evaluation:
    """Evaluation of positions for a search, in hundredths of a piece; a side's score is the sum of its values.

    Parameters
    ----------
    squares : mapping of str to tuple of int
        Value of each piece on each square, by piece symbol.
    mobility : int
        Value of each legal move that a side has more than its opponent.
    duels : tuple of Duel
        Terms for the distances between pieces.
    race : tuple of int
        Value of a race that a side is sure to win, for each number of steps from the piece to its goal, beginning with 0; the
        value of longer races is 0. A piece wins a race if, ignoring obstacles, it reaches its goal before any enemy piece reaches
        the enemy's goal or a square next to the piece's goal.
    """

    squares: Mapping[str, tuple[int, ...]]
    mobility: int = 0
    duels: tuple[Duel, ...] = ()
    race: tuple[int, ...] = ()
