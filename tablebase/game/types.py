"""The words of a game's description: outcomes, boards, sides, steps, kinds, escapes.

Rules modules find them all in `tablebase.game`, beside the `Game` that they make up.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from tablebase.errors import NotationError

SQUARE_LIMIT = 127
"""Squares a board may have: engines keep a square in one signed byte."""


class Outcome(StrEnum):
    """What a position is worth to the side to move under best play."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"

    @property
    def reversed(self) -> Outcome:
        """The same result as the other side sees it."""
        return {Outcome.WIN: Outcome.LOSS, Outcome.LOSS: Outcome.WIN}.get(self, Outcome.DRAW)


@dataclass(frozen=True)
class Board:
    """A grid of which all or some cells are squares.

    Parameters
    ----------
    width, height : int
        Files and ranks of the grid, which is also what position texts show.
    cells : tuple of (int, int)
        File and rank, from 0, of square 0, 1, 2, …
    """

    width: int
    height: int
    cells: tuple[tuple[int, int], ...]

    @classmethod
    def full(cls, width: int, height: int) -> Board:
        """A board on which every cell is a square, numbered a1, b1, … and a2, b2, … after them."""
        return cls(width, height, tuple((f, r) for r in range(height) for f in range(width)))

    @classmethod
    def checkered(cls, width: int, height: int, corner: bool) -> Board:
        """A board on which every other cell is a square, a1 among them if `corner`; numbered row by row."""
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
            raise NotationError(f"there is no square {name!r}: squares run from {self.names[0]} to {self.names[-1]}") from None

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
    """One of the two players: the letter that stands in position texts, and a name."""

    letter: str
    name: str


@dataclass(frozen=True)
class Step:
    """One way for a piece to go from a square to another.

    Parameters
    ----------
    origin, target : int
        Square numbers.
    empty : frozenset of int
        Squares between that must be empty.
    quiet : bool
        Whether the step may end on an empty square.
    victims : frozenset of str
        Symbols of the kinds it may capture on its target.
    wins : bool
        Whether arriving wins the game at once; the piece then stands outside every position that is stored.
    """

    origin: int
    target: int
    empty: frozenset[int] = frozenset()
    quiet: bool = True
    victims: frozenset[str] = frozenset()
    wins: bool = False


@dataclass(frozen=True)
class Kind:
    """What can stand on a square, and whose it is.

    Parameters
    ----------
    symbol : str
        The letter in position texts, unique in the game. Its upper case names the kind in materials.
    name : str
        For people.
    side : int
        0 or 1, the owner.
    squares : tuple of int
        Where the piece may stand in a position that is not over, ascending.
    steps : tuple of Step
        All its steps, from any square.
    limit : int
        How many of the kind a side may have.
    tiered : bool
        Whether slices are divided by how far the pieces of this kind have come, so that each is small and is
        solved before those that lead to it; only for kinds that never come back.
    """

    symbol: str
    name: str
    side: int
    squares: tuple[int, ...]
    steps: tuple[Step, ...]
    limit: int = 1
    tiered: bool = False

    @cached_property
    def homes(self) -> frozenset[int]:
        """The squares, to ask whether one is among them."""
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
        """How far each square lies on the way: the most steps that can lead to it; None if a piece can come back.

        A step that wins leads to no square of a position that goes on, and so does not count.
        """
        inside = [step for step in self.steps if not step.wins and step.origin in self.homes]
        ways = {square: [step.origin for step in inside if step.target == square] for square in self.squares}
        try:
            order = list(TopologicalSorter(ways).static_order())
        except CycleError:
            return None
        found: dict[int, int] = {}
        for square in order:
            found[square] = max((found[origin] + 1 for origin in ways[square]), default=0)
        return found


@dataclass(frozen=True)
class Escape:
    """A piece has won where no enemy can come any more: no need to play on.

    Parameters
    ----------
    runner : str
        Symbol of the kind that escapes.
    guarded : mapping of str to mapping of int to frozenset of int
        For each enemy kind, by its square: the squares that such a piece guards.
    room : bool
        Whether the runner also needs an unguarded square one step away.
    to_move : frozenset of int
        The sides to move for which it counts.

    Notes
    -----
    A side to move that has no move gets what `Game.no_move` says, escaped or not.
    """

    runner: str
    guarded: Mapping[str, Mapping[int, frozenset[int]]]
    room: bool = False
    to_move: frozenset[int] = frozenset((0, 1))
