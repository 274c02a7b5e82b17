"""Ranks of a game whose positions are listed: the place of a position among the sorted ones of its tier.

The lists stand behind the numbers of the rules, so that these functions take the place of an author's `rank` and `unrank`. The
last number says where they begin: with the largest tier, and then, for each tier, with the columns below. The directory of a
tier says how many keys begin with less than each value of their first bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.game.compiled import Functions

FIRST, COUNT, DIRECTORY, SLOTS, SHIFT, LEAST, COLUMNS = range(7)
Keys = NDArray[np.int64]


def tier(rules: Any, position: int) -> int:
    """Return the tier of a position; `specialized` replaces this by an author's function."""
    raise NotImplementedError


def canonical(_rules: Any, position: int) -> int:
    """Return the position itself; an author's function replaces this."""
    return position


def rank(rules: Any, position: int) -> int:
    """Return the place of a position in the list of its tier; -1 if it is not there."""
    head, number = rules[len(rules) - 1], tier(rules, position)
    if number < 0 or number > rules[head]:
        return -1
    row = head + 1 + COLUMNS * number
    key = canonical(rules, position)
    slot = key - rules[row + LEAST] >> rules[row + SHIFT]
    if slot < 0 or slot >= rules[row + SLOTS]:
        return -1
    first, directory = rules[row + FIRST], rules[row + DIRECTORY] + slot
    low, high = rules[directory], rules[directory + 1]
    while high - low > 1:
        middle = (low + high) >> 1
        if rules[first + middle] <= key:
            low = middle
        else:
            high = middle
    return low if low < high and rules[first + low] == key else -1


def unrank(rules: Any, tier: int, index: int) -> int:
    """Return the position at a place in the list of a tier."""
    return rules[rules[rules[len(rules) - 1] + 1 + COLUMNS * tier + FIRST] + index]  # type: ignore[no-any-return]


@cache
def specialized(functions: Functions) -> Functions:
    """Complete the functions of a game that has no ranks."""
    own = {**globals(), "tier": functions.tier, "canonical": functions.canonical or canonical}
    return replace(functions, rank=FunctionType(rank.__code__, own, "rank"), unrank=unrank)


def with_lists(rules: Any, keys: Mapping[int, Keys]) -> Keys:
    """Put lists of some tiers behind the numbers of the rules."""
    head, largest = len(rules), max(keys)
    rows = np.zeros((largest + 1, COLUMNS), np.int64)
    at, parts = head + 1 + rows.size, []
    for number, some in keys.items():
        span = int(some[-1] - some[0])
        # A directory has about a number for four keys.
        shift = max(0, span.bit_length() - max(1, len(some).bit_length()) + 2)
        slots = (span >> shift) + 1
        directory = np.cumsum(np.bincount((some - some[0] >> shift) + 1, minlength=slots + 1))
        rows[number] = at + slots + 1, len(some), at, slots, shift, some[0]
        at += slots + 1 + len(some)
        parts += [directory, some]
    return np.concatenate([np.asarray(rules, np.int64), [largest], rows.ravel(), *parts, [head]])
