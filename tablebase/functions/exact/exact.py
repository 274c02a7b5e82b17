"""Exact values by retrograde analysis: from the ends of the game backwards, one ply at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CapacityError
from tablebase.functions.exact.listed import DRAWN, OPEN, Listed
from tablebase.game.types import Outcome
from tablebase.game.values import Value
from tablebase.system.compute.messages import reach
from tablebase.tables.values import DRAW, FULL, NARROW_ANY, STALEMATE, Codes, Coding

Ints = NDArray[Any]


def solve(listed: Listed[Any]) -> tuple[Codes, Coding]:
    """The code of each position, for the player to move; where the game is over, for the first player.

    A draw in which the game is over has the code `STALEMATE`. Raise `CapacityError` if a distance has no code.
    """
    winners, distances = _analysed(listed)
    longest = int(distances.max(initial=0))
    coding = NARROW_ANY if longest <= NARROW_ANY.reach else FULL
    if longest > coding.reach:
        raise CapacityError("the longest win", "choose a smaller variant", needed=longest, allowed=coding.reach, unit="plies")
    won, lost = (
        np.array([coding.code(Value(outcome, plies)) for plies in range(longest + 1)], coding.dtype)
        for outcome in (Outcome.WIN, Outcome.LOSS)
    )
    viewers = np.maximum(listed.movers, 0)
    codes = np.where(winners == viewers, won[distances], lost[distances])
    codes[winners == DRAWN] = STALEMATE
    codes[winners == OPEN] = DRAW
    return codes, coding


def _analysed(listed: Listed[Any]) -> tuple[Ints, Ints]:
    """Return who wins in each position, and in how many plies; `OPEN` where nobody can force it."""
    movers, winners, left = listed.movers, listed.winners.copy(), listed.counts.copy()
    distances = np.zeros(len(winners), np.int32)
    begins, parents = _reversed(listed)
    now = np.flatnonzero(winners >= 0)
    plies = 0
    while len(now):
        plies += 1
        reach("solving", plies)
        before, won_by = _into(begins, parents, now), np.repeat(winners[now], begins[now + 1] - begins[now])
        undecided = winners[before] == OPEN
        before, won_by = before[undecided], won_by[undecided]
        wins = movers[before] == won_by
        won = np.unique(before[wins])
        losing, times = np.unique(before[~wins], return_counts=True)
        left[losing] -= times.astype(left.dtype)
        winners[won] = movers[won]
        # All moves lead to positions that the other player wins, so none of them is among those just won.
        lost = losing[left[losing] == 0]
        winners[lost] = 1 - movers[lost]
        now = np.concatenate([won, lost])
        distances[now] = plies
    return winners, distances


def _reversed(listed: Listed[Any]) -> tuple[Ints, Ints]:
    """Return where the positions before each one begin in an array, and this array."""
    size = len(listed.movers)
    begins = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(listed.after, minlength=size), out=begins[1:])
    origins = np.repeat(np.arange(size, dtype=np.int32), listed.counts)
    return begins, origins[np.argsort(listed.after, kind="stable")]


def _into(begins: Ints, parents: Ints, positions: Ints) -> Ints:
    first, counts = begins[positions], begins[positions + 1] - begins[positions]
    offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    before: Ints = parents[np.repeat(first, counts) + offsets]
    return before
