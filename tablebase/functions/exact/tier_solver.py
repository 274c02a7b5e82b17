"""Solve the tiers of a game by compiled functions, one group after the other."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CapacityError, RulesError
from tablebase.functions.exact.tier_kernels import (
    CONTRADICTION,
    LISTED,
    RANKED,
    SOUND,
    VALID,
    Ints,
    Lister,
    draw_open,
    list_parents,
    look_back,
    look_back_in_lists,
    look_forward,
    new_room,
    stepper,
    tell,
    visit,
)
from tablebase.functions.exact.tiers import TierGroup
from tablebase.game.compiled import CompiledGame
from tablebase.game.guards import contradiction
from tablebase.game.key_lists import unrank
from tablebase.game.native import has_overflowed, rules_of
from tablebase.system.compute import threads
from tablebase.system.compute.messages import reach
from tablebase.tables.checkpoints import NO_CHECKPOINT, TableCheckpoint
from tablebase.tables.values import FULL, NARROW_ANY, Codes, Coding, distance_of, loss_code, recode, win_code

BLOCK = 1 << 18
"""Ranks that a thread solves at a time."""
ROUND = 16
"""Blocks between two looks at the clock."""
TOLD = 1 << 17
"""Predecessors that are found in a block before they are told."""
SAMPLE = 20_000
"""Ranks by which the time of a group is estimated."""
ACYCLIC, CYCLIC = 2.5, 3.5
"""Time for a rank in all, if locating the positions after it takes 1: solving and checking also read, compare and write values."""
FEW = 1 << 12
"""Up to so many are told by one thread."""


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


@dataclass
class GroupProgress:
    """Progress on a group, as a checkpoint notes it."""

    queue: list[tuple[int, int, int]]  # tiers and ranges of their ranks that are left in this pass
    plies: int = -1  # of the pass; -1 for the one forwards
    decided: int = 0  # positions found decided in so many plies
    is_wide: bool = False  # whether codes have two bytes


class GroupSolver:
    """Solves a group of tiers.

    Parameters
    ----------
    game : CompiledGame
    group : Group
    shelf : Shelf
        Of the group, first, and all tiers that its moves lead to; the codes of the latter are known.
    tick : function
        Called now and then; if it raises an error, a checkpoint is left.
    checkpoint : TableCheckpoint
        Of the group.
    allowed : int
        Bytes for lists of moves that take the place of `unmoves`.
    """

    def __init__(
        self,
        game: CompiledGame,
        group: TierGroup,
        shelf: Shelf,
        tick: Callable[[], object] = lambda: None,
        checkpoint: TableCheckpoint = NO_CHECKPOINT,
        allowed: int = sys.maxsize,
    ) -> None:
        self._game, self._group, self.shelf, self._tick = game, group, shelf, tick
        self._checkpoint, self._allowed, self._is_wide = checkpoint, allowed, shelf.coding is FULL
        self._steps = {name: stepper(game, name) for name in ("moves", "unmoves")}
        self._size = sum(len(shelf.of(tier)) for tier in group.tiers)
        self._range = 0, self._size
        self._left = np.zeros(self._size if group.is_cyclic else 0, np.uint8)
        self._lists: tuple[Ints, NDArray[np.int32]] | None = None
        self._most_told = TOLD + game.most_moves

    def solve(self) -> None:
        """Fill in the codes of the group; raise `RulesError` if the functions contradict each other."""
        at, saved = GroupProgress(self._all(), is_wide=self._is_wide), self._checkpoint.load()
        if saved is not None:
            at = GroupProgress(**saved.numbers)
            if at.is_wide and not self._is_wide:
                self._widen()
            saved.fill(self._arrays())
        if at.plies < 0:
            self._empty(at, self._forward)
        if not self._group.is_cyclic:
            return
        if self._game.functions.unmoves is None:
            self._list_parents(at)
        last = self._longest()
        while at.queue or at.plies < 0 or at.decided or at.plies < last:
            if not at.queue:
                at.plies, at.decided, at.queue = at.plies + 1, 0, self._all()
                if at.plies == self.shelf.coding.reach:
                    self._widen()
                    at.is_wide = True
            self._empty(at, self._backward)
        draw_open(self._own, self.shelf.coding.void, self._left)

    def _all(self) -> list[tuple[int, int, int]]:
        sizes = {tier: len(self.shelf.of(tier)) for tier in self._group.tiers}
        return [(tier, first, min(first + BLOCK, size)) for tier, size in sizes.items() for first in range(0, size, BLOCK)]

    def _empty(
        self, at: GroupProgress, work: Callable[[GroupProgress, list[tuple[int, int, int]]], list[tuple[int, int, int]]]
    ) -> None:
        """Do what is in the queue, some ranges at a time; `work` returns what is left of these."""
        while at.queue:
            some, at.queue = at.queue[:ROUND], at.queue[ROUND:]
            at.queue = work(at, some) + at.queue
            self._pause(at)

    def _pause(self, at: GroupProgress) -> None:
        """Save a checkpoint if it is due, or if the deadline has come."""
        is_late = True
        try:
            self._tick()
            is_late = False
        finally:
            if is_late or self._checkpoint.due():
                self._checkpoint.save(vars(at), self._arrays())

    def _arrays(self) -> list[NDArray[Any]]:
        return [array for array in (self._own, self._left) if len(array)]

    @property
    def _own(self) -> Codes:
        return self.shelf.codes[: self._size]

    def _widen(self) -> None:
        self.shelf.codes = recode(self.shelf.codes, self.shelf.coding, FULL)
        self.shelf.coding = FULL

    def _lister(self, moves: str, kind: int) -> Lister:
        return Lister(self._steps[moves], self.shelf.rules, self.shelf.places, kind if self._game.is_ranked else LISTED)

    def _forward(self, at: GroupProgress, some: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        del at
        shelf, lister = self.shelf, self._lister("moves", RANKED)

        def work(item: tuple[int, int, int]) -> None:
            (tier, begin, end), space = item, new_room(self._game)
            void, left = shelf.coding.void, self._left
            found = look_forward(lister, tier, (begin, end), self._range, shelf.codes, void, left, space)
            self._check(tier, *found, space[0].out)

        for _ in threads.each(work, some):
            pass
        tier, _, end = some[-1]
        reach("solving", shelf.begins[tier].start + end, self._size)
        return []

    def _backward(self, at: GroupProgress, some: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Find the predecessors of what is decided in so many plies, and then tell them."""
        shelf, group, lister = self.shelf, self._range, self._lister("unmoves", VALID)
        won, lost = win_code(at.plies, shelf.coding.stride), loss_code(at.plies, shelf.coding.stride)

        def look(item: tuple[int, int, int]) -> tuple[Ints, int, tuple[int, int, int]]:
            tier, begin, end = item
            first = shelf.begins[tier].start
            codes, left = shelf.codes[first + begin : first + end], self._left[first + begin : first + end]
            # Such a win is final, and so is a loss without moves left.
            ranks = begin + np.flatnonzero((codes == won) | (codes == lost) & (left == 0))
            if len(ranks) == 0:
                return ranks, 0, (tier, end, end)
            told = np.empty(self._most_told, np.int64)
            if self._lists is None:
                space = new_room(self._game)
                error, done, count = look_back(lister, tier, ranks, group, shelf.codes, space, told)
                self._check(tier, error, int(ranks[min(done, len(ranks) - 1)]), space[0].out)
            else:
                _, done, count = look_back_in_lists(*self._lists, first + ranks, group, shelf.codes, told)
            return told[:count], done, (tier, int(ranks[done]) if done < len(ranks) else end, end)

        found = list(threads.each(look, some))
        told = np.concatenate([one for one, _, _ in found])

        def pass_on(share: tuple[int, int]) -> int:
            return int(tell(told, share, group, shelf.codes, shelf.coding.void, self._left, at.plies))

        count = threads.team() if len(told) > FEW else 1
        for wrong in threads.each(pass_on, [(number, count) for number in range(count)]):
            if wrong >= 0:
                tier = next(tier for tier in self._group.tiers if wrong < shelf.begins[tier].stop)
                self._check(tier, CONTRADICTION, wrong - shelf.begins[tier].start, told[:0])
        reach("solving", at.plies)
        at.decided += sum(decided for _, decided, _ in found)
        return [item for _, _, item in found if item[1] < item[2]]

    def _list_parents(self, at: GroupProgress) -> None:
        """List the moves inside of the group by where they lead; `CapacityError` if the lists do not fit into memory."""
        shelf, space, lister = self.shelf, new_room(self._game), self._lister("moves", VALID)
        ends, parents = np.zeros(self._size + 1, np.int64), np.zeros(0, np.int32)
        for _ in range(2):
            for tier in self._group.tiers:
                self._pause(at)
                ranks = np.flatnonzero(shelf.of(tier) != shelf.coding.void)
                list_parents(lister, tier, ranks, self._range, space, ends, parents)
            if len(parents) == 0:
                ends = np.cumsum(ends)
                needed = ends.nbytes + 4 * int(ends[-1])
                if needed > self._allowed or self._size > np.iinfo(np.int32).max // 2:
                    names = ", ".join(map(self._game.tier_name, self._group.tiers))
                    hint = "define the function unmoves, which replaces lists of moves"
                    raise CapacityError(f"solving {names} of {self._game.name}", hint, needed=needed, allowed=self._allowed)
                self._most_told = TOLD + int(np.diff(ends, prepend=0).max())
                parents = np.zeros(max(1, int(ends[-1])), np.int32)
        self._lists = ends, parents

    def _longest(self) -> int:
        own, coding = self._own, self.shelf.coding
        return distance_of(int(own.max(initial=0, where=own != coding.void)), coding.stride)

    def _check(self, tier: int, error: int, rank: int, out: Ints) -> None:
        if error == SOUND and not (len(out) and has_overflowed(self._game, out)):
            return
        position = (self._game.functions.unrank or unrank)(self.shelf.rules, tier, rank)
        raise rules_error(self._game, int(position), error)


def sampled_seconds(game: CompiledGame, group: TierGroup, sizes: Mapping[int, int]) -> float:
    """Estimate the CPU-seconds to solve, write and check a group of a game with ranks, by some ranks of its largest tier."""
    largest = max(group.tiers, key=sizes.__getitem__)
    ranks = np.random.default_rng(0).integers(0, sizes[largest], SAMPLE)
    places, space, best = np.zeros(2 * (1 + max(sizes)), np.int64), new_room(game)[0], math.inf
    for tier, size in sizes.items():
        places[2 * tier + 1] = size
    # The first time, kernels are loaded.
    for _ in range(3):
        begin = time.process_time()
        visit(Lister(stepper(game, "moves"), rules_of(game), places, RANKED), largest, ranks, space)
        best = min(best, time.process_time() - begin)
    each = best / SAMPLE * (CYCLIC if group.is_cyclic else ACYCLIC)
    return each * sum(sizes[tier] for tier in group.tiers)


def rules_error(game: CompiledGame, position: int, error: int) -> Exception:
    """Describe what is wrong with the functions of a game in a position."""
    if error == SOUND:
        return RulesError(f"moves() or unmoves() of {game.name} returns more than {game.most_moves} positions: increase most_moves")
    if error == CONTRADICTION:
        what = "moves, rank, tier and after contradict each other, or there are more moves than most_moves"
        return contradiction(game, position, what)
    subject = f"{game.format(position)} in {game.name}"
    return CapacityError(
        subject, "choose a variant with fewer moves", needed=255, allowed=254, unit="different moves in a group of tiers"
    )


def coding_for(longest: Sequence[int]) -> Coding:
    """Choose the coding of a group by the longest distances of the tiers that its moves lead to."""
    return FULL if max(longest, default=0) >= NARROW_ANY.reach else NARROW_ANY
