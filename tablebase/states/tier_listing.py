"""The positions of a game by compiled functions without ranks, listed tier by tier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import jit
from tablebase.errors import CapacityError, RulesError
from tablebase.game.compiled import CompiledGame
from tablebase.game.guards import contradiction
from tablebase.game.native import has_overflowed, native, room, rules_of
from tablebase.states.tiers import MOST_TIERS, Tiers, grouped

ROOM = 1 << 22
"""Positions after moves that are in memory before repeated ones are dropped, about."""
Keys = NDArray[np.int64]


@dataclass
class _Found:
    """Positions of a tier that have been found, sorted or not yet."""

    parts: list[Keys] = field(default_factory=list)
    after: set[int] = field(default_factory=set)


def list_tiers(game: CompiledGame, allowed: int, tick: Callable[[int], object] = lambda _: None) -> Tiers:
    """List the positions that the start leads to; `tick` is called now and then with how many have been found.

    Raises
    ------
    CapacityError
        If they need more than `allowed` bytes of memory.
    RulesError
        If a move leads to an earlier tier, or functions contradict each other.
    """
    functions, rules, out = native(game), rules_of(game), room(game)
    chunk = max(1, ROOM // game.most_moves)
    found, tiers = np.zeros(chunk * game.most_moves, np.int64), np.zeros(chunk * game.most_moves, np.int64)
    start = game.place(game.start)
    waiting = {start[0]: _Found([np.array([start[1]])])}
    done: dict[int, Keys] = {}
    after: dict[int, set[int]] = {}
    total = 0
    while waiting:
        tier = min(waiting)
        keys = fresh = sorted_keys(waiting.pop(tier).parts)
        after[tier] = set()
        while len(fresh):
            again: list[Keys] = []
            for begin in range(0, len(fresh), chunk):
                count = int(_expand(functions, rules, fresh[begin : begin + chunk], out, found, tiers))
                if count < 0 or has_overflowed(game, out):
                    position = int(fresh[begin - count - 1]) if count < 0 else int(fresh[begin])
                    raise contradiction(game, position, "there are no moves, or more moves than most_moves")
                present = tiers[:count]
                least, most = (int(present.min()), int(present.max())) if count else (0, -1)
                for other in [least] if least == most else np.unique(present).tolist():
                    if not tier <= other < MOST_TIERS:
                        said = f"number tiers from 0 to {MOST_TIERS - 1:,} so that no move leads to a smaller one"
                        raise RulesError(f"a move leads from tier {tier} of {game.name} to tier {other}: {said}")
                    after[tier].add(other)
                    some = sorted_keys([found[:count] if least == most else found[:count][present == other]])
                    (again if other == tier else waiting.setdefault(other, _Found()).parts).append(some)
                pending = sum(len(part) for one in waiting.values() for part in one.parts) + sum(map(len, again))
                if 8 * (total + len(keys) + 2 * pending) > allowed:
                    raise CapacityError(f"listing {game.name}", "choose a smaller variant", allowed=allowed)
                tick(total + len(keys))
            fresh = np.setdiff1d(sorted_keys(again), keys, assume_unique=True) if again else np.zeros(0, np.int64)
            keys = sorted_keys([keys, fresh])
        done[tier] = keys
        total += len(keys)
    return grouped(game, {tier: tuple(sorted(others)) for tier, others in after.items()}, done)


def sorted_keys(parts: list[Keys]) -> Keys:
    """Sort positions, and drop repeated ones."""
    keys = np.sort(parts[0] if len(parts) == 1 else np.concatenate(parts))
    return keys if len(keys) < 2 else keys[np.concatenate([[True], keys[1:] != keys[:-1]])]


@jit
def _expand(functions: Any, rules: Keys, keys: Keys, out: Keys, found: Keys, tiers: Keys) -> int:
    """Fill in the canonical positions after some, with their tiers; return how many, or -1 less the place of a wrong one."""
    count, most = 0, len(out) // 2
    for place in range(len(keys)):
        moves = functions.moves(rules, keys[place], out)
        if moves == 0 or moves > most:
            return -1 - place
        for move in range(moves):
            found[count] = functions.canonical(rules, out[move])
            tiers[count] = functions.tier(rules, out[move])
            count += 1
    return count
