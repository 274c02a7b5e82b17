"""Solve the tiers of a game by compiled functions, one group after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tablebase.compute import threads
from tablebase.compute.messages import reach
from tablebase.errors import CapacityError, RulesError
from tablebase.game.compiled import CompiledGame
from tablebase.game.guards import contradiction
from tablebase.game.native import derived, has_overflowed, native, room
from tablebase.states.tier_kernels import CONTRADICTION, SOUND, Ints, draw_open, locate, look_back, look_forward
from tablebase.states.tiers import Group
from tablebase.tables.values import FULL, NARROW_ANY, Codes, Coding, distance_of, recode

BLOCK = 1 << 16
"""Ranks between two looks at the clock."""


@dataclass
class Shelf:
    """The codes of some tiers in memory, one tier after the other."""

    begins: dict[int, slice]
    places: Ints  # for kernels: begin and number of ranks of each tier
    codes: Codes
    coding: Coding
    rules: Ints  # of the game, with the lists of these tiers if it has no ranks

    def of(self, tier: int) -> Codes:
        """Return the codes of a tier."""
        return self.codes[self.begins[tier]]


def new_shelf(sizes: Iterable[tuple[int, int]], coding: Coding, rules: Ints) -> Shelf:
    """Make room for tiers, given with the numbers of their ranks."""
    begins, at = {}, 0
    for tier, size in sizes:
        begins[tier] = slice(at, at + size)
        at += size
    places = np.zeros(2 * (1 + max(begins)), np.int64)
    for tier, place in begins.items():
        places[2 * tier : 2 * tier + 2] = place.start, place.stop - place.start
    return Shelf(begins, places, np.zeros(at, coding.dtype), coding, rules)


class GroupSolver:
    """Solves a group of tiers.

    Parameters
    ----------
    game : CompiledGame
    group : Group
    shelf : Shelf
        Of the group and all tiers that its moves lead to; the codes of the latter are known.
    tick : function
        Called now and then.
    """

    def __init__(self, game: CompiledGame, group: Group, shelf: Shelf, tick: Callable[[], object] = lambda: None) -> None:
        self._game, self._group, self.shelf, self._tick = game, group, shelf, tick
        self._functions, self._rules = native(game), shelf.rules
        self._locate = derived(game, locate)
        places = [shelf.begins[tier] for tier in group.tiers]
        self._range = min(place.start for place in places), max(place.stop for place in places)
        self._size = self._range[1] - self._range[0]

    def solve(self) -> None:
        """Fill in the codes of the group; raise `RulesError` if the functions contradict each other, or one is missing."""
        game = self._game
        if self._group.is_cyclic and game.functions.unmoves is None:
            names = ", ".join(map(game.tier_name, self._group.tiers))
            cure = "give its Functions the function unmoves, or divide its positions into other tiers"
            raise RulesError(f"in {game.name}, moves lead from tier {names} back to it: {cure}")
        left = np.zeros(self._size if self._group.is_cyclic else 0, np.uint8)
        done = 0
        for tier in self._group.tiers:
            self._forward(tier, left, done)
            done += self._size_of(tier)
        if self._group.is_cyclic:
            self._backward(left)
            draw_open(self._own, self.shelf.coding.void, left)

    @property
    def _own(self) -> Codes:
        return self.shelf.codes[slice(*self._range)]

    def _size_of(self, tier: int) -> int:
        return len(self.shelf.of(tier))

    def _room(self) -> tuple[Ints, Ints, Ints]:
        """Make room for a thread: for positions, for their places, and to find repeated ones."""
        out = room(self._game)
        slots = 1 << (2 * self._game.most_moves).bit_length()
        return out, np.zeros(len(out), np.int64), np.full(2 * slots, -1)

    def _forward(self, tier: int, left: NDArray[np.uint8], done: int) -> None:
        shelf, void = self.shelf, self.shelf.coding.void

        def work(begin: int, end: int) -> None:
            space = self._room()
            group, ranks, has_gaps = self._range, (begin, end), self._game.is_ranked
            found = look_forward(
                self._functions,
                self._locate,
                self._rules,
                shelf.places,
                tier,
                ranks,
                group,
                shelf.codes,
                void,
                left,
                space,
                has_gaps,
            )
            self._check(tier, *found, space[0])

        def report(end: int) -> None:
            self._tick()
            reach("solving", done + end, self._size)

        threads.spread(work, self._size_of(tier), BLOCK, BLOCK, report)

    def _backward(self, left: NDArray[np.uint8]) -> None:
        """Spread what is decided, one ply after the other."""
        space, plies = self._room(), 0
        last, decided = self._longest(), 1
        while decided or plies <= last:
            if plies == self.shelf.coding.reach:
                self.shelf.codes = recode(self.shelf.codes, self.shelf.coding, FULL)
                self.shelf.coding = FULL
            shelf, decided = self.shelf, 0
            for tier in self._group.tiers:
                self._tick()
                reach("solving", plies)
                own, void = self._range, shelf.coding.void
                fault, rank, count = look_back(
                    self._functions, self._locate, self._rules, shelf.places, tier, own, shelf.codes, void, left, plies, space
                )
                self._check(tier, fault, rank, space[0])
                decided += count
            plies += 1

    def _longest(self) -> int:
        """Return the longest distance among codes that moves out of the group give."""
        own, coding = self._own, self.shelf.coding
        return distance_of(int(own.max(initial=0, where=own != coding.void)), coding.stride)

    def _check(self, tier: int, fault: int, rank: int, out: Ints) -> None:
        if fault == SOUND and not has_overflowed(self._game, out):
            return
        position = self._functions.unrank(self._rules, tier, rank)
        raise fault_error(self._game, int(position), fault)


def fault_error(game: CompiledGame, position: int, fault: int) -> Exception:
    """Describe what is wrong with the functions of a game in a position."""
    if fault == SOUND:
        return RulesError(f"moves or unmoves of {game.name} fills in more positions than most_moves, {game.most_moves}: raise it")
    if fault == CONTRADICTION:
        what = "moves, rank, tier and after contradict each other, or there are more moves than most_moves"
        return contradiction(game, position, what)
    subject = f"{game.format(position)} in {game.name}"
    return CapacityError(
        subject, "such tables cannot be built", needed=255, allowed=254, unit="different moves in a group of tiers"
    )


def coding_for(longest: Sequence[int]) -> Coding:
    """Choose the coding of a group by the longest distances of the tiers that its moves lead to."""
    return FULL if max(longest, default=0) >= NARROW_ANY.reach else NARROW_ANY
