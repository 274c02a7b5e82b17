"""Rules as compiled functions of a whole number: games of millions and billions of positions.

A position is one whole number of at most 63 bits. An author writes a few functions that keep to the subset of Python that Numba
compiles: whole numbers, loops, and calls of other such functions. They stay plain Python for play and tests; only tables
compile them. Everything else that games have, such as moves as texts and results, follows from them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

from tablebase.errors import RulesError
from tablebase.game.companions import companion
from tablebase.game.functions import FunctionGame, valid_options
from tablebase.game.guards import contradiction
from tablebase.game.rules import OVER, Ending

# ruff: noqa: ARG002, D102 (other methods are those of `Rules`; the defaults use few of their arguments)

WON, LOST, DRAWN = -1, -2, -3
"""Returned by `Functions.moves` where the game is over: its result for the player whom `Functions.to_move` names."""
Function = Callable[..., Any]
ALL = "all"
"""Of the limit ``tiers``: all tiers; otherwise names, separated by commas."""
TIER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")


@dataclass(frozen=True)
class Functions:
    """The compiled functions of a game; they must be pure and must not raise exceptions.

    The first argument of each function is `CompiledGame.rules`.

    Parameters
    ----------
    to_move : function
        ``to_move(rules, position) -> player``. Returns the player to move, 0 or 1; if the game is over, the player to whom the
        result applies.
    moves : function
        ``moves(rules, position, out) -> count``. Writes the next positions to `out` and returns their number; if the game is over,
        returns `WON`, `LOST` or `DRAWN`.
    tier : function
        ``tier(rules, position) -> number``. Returns the number of a position's tier, from 0; each tier has a separate table.
    rank : function, optional
        ``rank(rules, position) -> index``. Returns the index of a position in its tier, from 0; equivalent positions have the same
        index. Without this function, tables list the reachable positions, and no move may lead to a tier with a smaller number.
    unrank : function, optional
        ``unrank(rules, tier, index) -> position``. Returns the position with the given index. If the index is invalid, returns a
        position that has a different index.
    canonical : function, optional
        ``canonical(rules, position) -> position``. In games without `rank`, returns the equivalent position that tables store;
        the two players may be exchanged.
    unmoves : function, optional
        ``unmoves(rules, position, out) -> count``. Writes the previous positions to `out` and returns their number. Previous
        positions in tiers that are not solved together with the tier of `position` may be omitted. Without this function, tiers
        in which moves can return to an earlier position need much more memory.
    """

    to_move: Function
    moves: Function
    tier: Function
    rank: Function | None = None
    unrank: Function | None = None
    unmoves: Function | None = None
    canonical: Function | None = None

    def __iter__(self) -> Iterator[Function]:
        return (function for function in vars(self).values() if function is not None)


class CompiledGame(FunctionGame[int]):
    """Base class for two-player games without chance that are defined by compiled functions.

    A subclass defines the attributes below, the attributes of `FunctionGame`, the methods `format` and `parse`, and preferably
    `move_word`. If `functions` includes `rank`, the subclass also defines the methods `size` and `after`. For an
    example, see ``tablebase_rules.mens_morris``.

    Attributes
    ----------
    start : int
        The initial position.
    functions : Functions
        Functions that define the rules.
    most_moves : int
        Maximum number of moves in a position; also the maximum number of positions that `Functions.unmoves` writes.
    rules : sequence of int, or ndarray of int64
        Constants for the functions, such as sizes, masks and lookup tables.
    """

    parts: ClassVar[Mapping[str, str]] = {
        **FunctionGame.parts,
        "tables": "tablebase.building.tier_kind:TierTables",
        "values": "tablebase.probe.from_tiers:TierSource",
    }
    limits = MappingProxyType({"tiers": ALL})
    functions: Functions
    most_moves: int
    rules: Any = ()

    @cached_property
    def numbers(self) -> Any:
        """The constants `rules` as Python integers instead of NumPy integers, for functions that are not compiled."""
        try:
            return memoryview(self.rules if hasattr(self.rules, "nbytes") else array("q", self.rules))
        except OverflowError:
            return self.rules

    def __getstate__(self) -> dict[str, Any]:
        # Views of memory cannot be copied.
        return {name: value for name, value in vars(self).items() if name != "numbers"}

    def size(self, tier: int) -> int:
        """Return the number of indices in a tier, including invalid indices."""
        raise NotImplementedError

    def after(self, tier: int) -> Iterable[int]:
        """Return all tiers to which moves from `tier` can lead; these may include `tier` itself."""
        raise NotImplementedError

    def tier_name(self, tier: int) -> str:
        """Return the name of a tier, consisting of letters, digits, dots, hyphens and underscores; by default, its number."""
        return str(tier)

    def move_word(self, position: int, child: int, number: int) -> str:
        """Return the text of a move as one word; by default, the number of the move in the position, from 1."""
        return str(number + 1)

    def ending(self, position: int, winner: int | None) -> Ending:
        """Return the ending of a game, which is a draw if `winner` is None; override this method to describe the reason."""
        return Ending.of_two(winner, "finished")

    def _listed(self, position: int) -> tuple[int, list[int]]:
        out = [0] * self.most_moves
        count = self.functions.moves(self.numbers, position, out)
        return count, out[: max(count, 0)]

    def to_move(self, position: int) -> int:
        return OVER if self._listed(position)[0] < 0 else self.functions.to_move(self.numbers, position)

    def moves(self, position: int) -> dict[str, int]:
        children = self._listed(position)[1]
        return {self.move_word(position, child, number): child for number, child in enumerate(children)}

    def result(self, position: int) -> Ending | None:
        count, _ = self._listed(position)
        if count >= 0:
            return None
        if count not in (WON, LOST, DRAWN):
            raise contradiction(self, position, f"moves returns {count}, which is neither a number of moves nor WON, LOST or DRAWN")
        player = self.functions.to_move(self.numbers, position)
        return self.ending(position, None if count == DRAWN else player if count == WON else 1 - player)

    @property
    def read(self) -> Function | None:
        """The compiled function ``read(rules, text) -> position`` from the module ``NAME_texts`` in the rules' folder, or None.

        This function takes an array of code points and is faster than `parse`; -1 means that `parse` must be used. The digest
        of the rules does not depend on this function.
        """
        return getattr(companion(type(self).__module__, "_texts", "texts"), "read", None)

    @property
    def is_ranked(self) -> bool:
        """True if `Functions.rank` numbers the positions, and False if tables list the reachable positions."""
        return self.functions.rank is not None

    def place(self, position: int) -> tuple[int, int]:
        """Return the tier and the rank of a position; in games without ranks, return the tier and the canonical position."""
        functions, rules = self.functions, self.numbers
        of_class = functions.rank or functions.canonical
        return functions.tier(rules, position), position if of_class is None else of_class(rules, position)

    def position_at(self, tier: int, rank: int) -> int | None:
        """Return the position with this rank, or None if the rank is invalid; in games without ranks, `rank` is the position."""
        unrank = self.functions.unrank
        position: int = rank if unrank is None else unrank(self.numbers, tier, rank)
        return position if self.place(position) == (tier, rank) else None

    def source_modules(self) -> set[str]:
        # The functions may be defined in other modules.
        return super().source_modules() | {function.__module__ for function in self.functions}

    def check_parts(self) -> None:
        super().check_parts()
        name = type(self).__name__
        if not isinstance(getattr(self, "functions", None), Functions):
            raise RulesError(f"the class {name} has no attribute 'functions': set 'functions' to a Functions object")
        if not isinstance(getattr(self, "most_moves", None), int):
            raise RulesError(f"the class {name} has no attribute 'most_moves': set 'most_moves' to the maximum number of moves")
        if self.is_ranked and (type(self).size is CompiledGame.size or type(self).after is CompiledGame.after):
            raise RulesError(f"the class {name} defines 'rank', but not 'size' or 'after': define the methods 'size' and 'after'")


__all__ = ["DRAWN", "LOST", "OVER", "WON", "CompiledGame", "Ending", "Functions", "valid_options"]
