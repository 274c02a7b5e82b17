"""The positions of a game by compiled functions without ranks, listed tier by tier."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from tablebase.errors import CapacityError, RulesError
from tablebase.functions.exact.tiers import MOST_TIERS, Tiers, grouped
from tablebase.game.compiled import CompiledGame
from tablebase.game.guards import contradiction
from tablebase.game.native import WORDS, derived, has_overflowed, room, rules_of, step, stored, tier
from tablebase.system.compute.jit import call_compiled, jit
from tablebase.system.compute.threads import each

ROOM = 1 << 22
"""Positions after moves that are in memory before repeated ones are dropped, about."""
DIGIT = 11
"""Bits that positions are sorted by at a time."""
RECENT = 1 << 16
"""Positions that are remembered to drop repeated ones before they are sorted; they fit into a cache of the processor."""
SPREAD = 0x1E3779B97F4A7C15
"""An odd number that spreads positions over those remembered."""
EXPANDS = types.int64(*[WORDS] * 6)
"""Types of `expand`."""
Keys = NDArray[np.int64]


def list_tiers(game: CompiledGame, allowed: int, tick: Callable[[int], object] = lambda _: None) -> Tiers:
    """List the positions that the start leads to; `tick` is called now and then with how many have been found.

    Raises
    ------
    CapacityError
        If they need more than `allowed` bytes of memory.
    RulesError
        If a move leads to an earlier tier, or functions contradict each other.
    """
    rules_of(game)  # refuses a game of larger numbers before anything is listed
    chunk = max(1, ROOM // game.most_moves)
    start = game.place(game.start)
    waiting = {start[0]: [np.array([start[1]])]}
    done: dict[int, Keys] = {}
    after: dict[int, set[int]] = {}
    total = 0
    while waiting:
        tier = min(waiting)
        keys = fresh = sorted_keys(waiting.pop(tier))
        after[tier] = set()
        while len(fresh):
            again: list[Keys] = []
            for found in each(partial(_after, game), np.split(fresh, range(chunk, len(fresh), chunk))):
                for other, some in found.items():
                    if not tier <= other < MOST_TIERS:
                        said = f"number tiers from 0 to {MOST_TIERS - 1:,} so that no move leads to a smaller number"
                        raise RulesError(f"a move leads from tier {tier} of {game.name} to tier {other}: {said}")
                    after[tier].add(other)
                    (again if other == tier else waiting.setdefault(other, [])).append(some)
                pending = sum(map(len, chain(again, *waiting.values())))
                if 8 * (total + len(keys) + 2 * pending) > allowed:
                    raise CapacityError(
                        f"listing the positions of {game.name}", "choose a smaller variant, or a larger --memory", allowed=allowed
                    )
                tick(total + len(keys))
            if not again:
                break
            fresh = np.setdiff1d(sorted_keys(again), keys, assume_unique=True)
            keys = sorted_keys([keys, fresh])
        done[tier] = keys
        total += len(keys)
    return grouped(game, {tier: tuple(sorted(others)) for tier, others in after.items()}, done)


def _after(game: CompiledGame, keys: Keys) -> dict[int, Keys]:
    """List the positions after some by tier, sorted."""
    out, recent = room(game), np.full(RECENT, -1)
    found, tiers = np.empty((2, len(keys) * game.most_moves), np.int64)
    count = call_compiled(derived(game, expand, EXPANDS), rules_of(game), keys, out, found, tiers, recent)
    if count < 0 or has_overflowed(game, out):
        position = int(keys[-count - 1]) if count < 0 else int(keys[0])
        raise contradiction(game, position, "there are no moves, or more moves than most_moves")
    found, tiers = found[:count], tiers[:count]
    if count and tiers.min() == tiers.max():
        return {int(tiers[0]): sorted_keys([found])}
    return {int(tier): sorted_keys([found[tiers == tier]]) for tier in np.unique(tiers)}


def sorted_keys(parts: list[Keys]) -> Keys:
    """Sort positions, and drop repeated ones."""
    keys = np.concatenate(parts)
    return _sorted_once(keys, np.empty_like(keys)).copy() if len(keys) else keys


@jit
def _sorted_once(keys: Keys, spare: Keys) -> Keys:
    """Sort numbers by their digits, the lowest first, and drop repeated ones; the result is a part of one of the arrays."""
    least, most = keys[0], keys[0]
    for key in keys:
        least, most = min(least, key), max(most, key)
    ends = np.empty(1 << DIGIT, np.int64)
    shift, span = 0, most - least
    while span:
        ends[:] = 0
        for key in keys:
            ends[(key - least >> shift) & ((1 << DIGIT) - 1)] += 1
        at = 0
        for digit in range(1 << DIGIT):
            ends[digit], at = at, at + ends[digit]
        for key in keys:
            digit = (key - least >> shift) & ((1 << DIGIT) - 1)
            spare[ends[digit]] = key
            ends[digit] += 1
        keys, spare = spare, keys
        shift, span = shift + DIGIT, span >> DIGIT
    count = 1
    for key in keys:
        if key != keys[count - 1]:
            keys[count] = key
            count += 1
    return keys[:count]


def expand(rules: Any, keys: Any, out: Any, found: Any, tiers: Any, recent: Any) -> int:
    """Fill in the canonical positions after some, with their tiers; return how many, or -1 less the place of a wrong one.

    Those that are among the `recent` ones, by a hash of each, are left out. To be compiled with `derived`.
    """
    count, most = 0, len(out) // 2
    for place in range(len(keys)):
        moves = step(rules, keys[place], out)
        if moves == 0 or moves > most:
            return -1 - place
        for move in range(moves):
            position = stored(rules, out[move])
            bucket = (position * SPREAD >> 40) & (len(recent) - 1)
            if recent[bucket] == position:
                continue
            recent[bucket] = position
            found[count], tiers[count] = position, tier(rules, out[move])
            count += 1
    return count
