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
"""The most squares that a board may have: solvers store a square in one signed byte."""


class Outcome(StrEnum):
    """The result for the side to move under best play."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"

    @property
    def reversed(self) -> Outcome:
        """The same result for the other side."""
        return {Outcome.WIN: Outcome.LOSS, Outcome.LOSS: Outcome.WIN}.get(self, Outcome.DRAW)


@dataclass(frozen=True)
class Terrain:
    """Squares that look alike and unlike others, such as a river.

    Parameters
    ----------
    name : str
    symbol : str
        The character that stands for an empty one of them where a board is drawn with text.
    squares : tuple of int
    texture : str, optional
        What they look like in pictures: one of `tablebase.game.types.TEXTURES`.
    """

    name: str
    symbol: str
    squares: tuple[int, ...]
    texture: str | None = None


@dataclass(frozen=True)
class Board:
    """A grid; all or some of its cells are squares.

    Parameters
    ----------
    width, height : int
        Files and ranks of the grid; position texts show the whole grid.
    cells : tuple of (int, int)
        File and rank, from 0, of square 0, 1, 2, …
    """

    width: int
    height: int
    cells: tuple[tuple[int, int], ...]

    @classmethod
    def full(cls, width: int, height: int) -> Board:
        """A board on which every cell is a square, numbered rank by rank: a1, b1, …, a2, b2, …."""
        return cls(width, height, tuple((f, r) for r in range(height) for f in range(width)))

    @classmethod
    def checkered(cls, width: int, height: int, corner: bool) -> Board:
        """A board on which every other cell is a square, including a1 if `corner`; numbered rank by rank."""
        return cls(width, height, tuple((f, r) for r in range(height) for f in range(width) if (f + r) % 2 != corner))

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each square: file letter and rank from 1."""
        return tuple(f"{string.ascii_lowercase[f]}{r + 1}" for f, r in self.cells)

    @cached_property
    def numbers(self) -> Mapping[tuple[int, int], int]:
        """Square number of each (file, rank)."""
        return {cell: number for number, cell in enumerate(self.cells)}

    def square(self, name: str) -> int:
        """Square number of a name such as ``d9``."""
        try:
            return self.names.index(name)
        except ValueError:
            raise NotationError(
                f"unknown square {quoted(name)}: choose a square from {self.names[0]} to {self.names[-1]}"
            ) from None

    def squares(self, names: str) -> tuple[int, ...]:
        """Square numbers of several names separated by spaces."""
        return tuple(self.square(name) for name in names.split())

    def steps(self, directions: Sequence[tuple[int, int]]) -> tuple[Step, ...]:
        """Quiet steps from every square to the next in these directions (files, ranks)."""
        return tuple(
            Step(origin, self.numbers[file + right, rank + up])
            for origin, (file, rank) in enumerate(self.cells)
            for right, up in directions
            if (file + right, rank + up) in self.numbers
        )


@dataclass(frozen=True)
class Side:
    """One of the two players: its letter in position texts, and its name."""

    letter: str
    name: str


@dataclass(frozen=True)
class Step:
    """One way for a piece to move from one square to another.

    Parameters
    ----------
    origin, target : int
        Square numbers.
    empty : frozenset of int
        Other squares that must be empty, such as those in between.
    quiet : bool
        Whether the step may end on an empty square.
    victims : frozenset of str
        Symbols of the kinds it may capture on its target.
    wins : bool
        Whether reaching the target wins the game immediately; the position that results is not stored.
    """

    origin: int
    target: int
    empty: frozenset[int] = frozenset()
    quiet: bool = True
    victims: frozenset[str] = frozenset()
    wins: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of piece, owned by one side.

    Parameters
    ----------
    symbol : str
        The letter in position texts, unique in the game. Its upper case names the kind in materials.
    name : str
        The name for people.
    side : int
        0 or 1, the owner.
    squares : tuple of int
        Where the piece may stand while the game is not over, ascending.
    steps : tuple of Step
        All its steps, from any square.
    limit : int
        The most pieces of this kind that the side may have.
    tiered : bool
        Whether slices are divided into tiers by how far the pieces of this kind have advanced, so that each tier is
        small and is solved before those that lead to it; only for kinds whose pieces never return to a square.
    shape : str, optional
        What its pieces look like in pictures: one of `tablebase.game.types.SHAPES`; by default its letter. The rules do
        not depend on it.
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
        """The squares as a set."""
        return frozenset(self.squares)

    @cached_property
    def steps_from(self) -> Mapping[int, tuple[Step, ...]]:
        """Steps by origin; squares without a step are missing."""
        grouped: dict[int, list[Step]] = {}
        for step in self.steps:
            grouped.setdefault(step.origin, []).append(step)
        return {origin: tuple(steps) for origin, steps in grouped.items()}

    @cached_property
    def levels(self) -> Mapping[int, int] | None:
        """The level of each square, the most steps that can lead to it; None if a piece can return to a square.

        Steps that win end the game, so they do not count.
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
    """A rule by which a piece wins on a square that no enemy can reach any more.

    Parameters
    ----------
    runner : str
        Symbol of the kind that escapes.
    guarded : mapping of str to mapping of int to frozenset of int
        For each enemy kind, the squares that a piece of it guards from each of its squares.
    room : bool
        Whether the runner also needs an unguarded square one step away.
    to_move : frozenset of int
        The sides to move with which an escape counts.

    Notes
    -----
    `Game.no_move` takes precedence: it decides for a side to move without a legal move, escaped or not.
    """

    runner: str
    guarded: Mapping[str, Mapping[int, frozenset[int]]]
    room: bool = False
    to_move: frozenset[int] = frozenset((0, 1))


SHAPES = ("cat", "dog", "elephant", "fox", "hound", "lion", "panther", "pawn", "rabbit", "rat", "tiger", "wolf")
"""Shapes of pieces; those of any other kind show its letter."""
TEXTURES = ("den", "trap", "water")
"""Textures of squares; any other terrain gets one that means nothing."""


CHANCE = -1
"""A card is drawn or a die is rolled."""
OVER = -2
"""The game is over."""


@dataclass(frozen=True)
class Duel:
    """Value of one piece's nearness to another.

    Parameters
    ----------
    hunter, quarry : str
        Symbols of the kinds; the value counts for the hunter's side.
    values : tuple of int
        By the number of steps that the hunter needs to the quarry's square, from 0; beyond the last one, nothing.
    """

    hunter: str
    quarry: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Evaluation:
    """Values of a game's positions, in hundredths of a piece; a search adds them up for each side.

    Parameters
    ----------
    squares : mapping of str to tuple of int
        For each kind, by its symbol, the value of a piece on each square of the board.
    mobility : int
        The value of a legal move more than the other side has.
    duels : tuple of Duel
    race : tuple of int
        The value of a race that is won, by the steps that the winner's piece is away from its goal, from 0; beyond the last
        one, nothing. A side wins the race if a piece of it can reach its goal before any piece of the other side reaches
        its own goal or a square next to that goal, were nothing in their way.
    """

    squares: Mapping[str, tuple[int, ...]]
    mobility: int = 0
    duels: tuple[Duel, ...] = ()
    race: tuple[int, ...] = ()
