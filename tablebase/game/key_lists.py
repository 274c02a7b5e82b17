"""The place of a position among the sorted ones of its tier: what takes the place of ranks in a game whose positions are listed.

The lists stand behind the numbers of the rules. The last number says where they begin: with the largest tier, and then, for each
tier, with the columns below.

Keys come in clusters, so the directory of a tier has two levels. The outer one divides the keys by their first bits; each of its
entries has the least key there, a shift, and where its part of the inner level begins. The inner level divides the keys of an
entry in the same way, and says how many keys of the tier precede each part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.system.compute.jit import inline, jit

FIRST, OUTER, BUCKETS, SHIFT, LEAST, INNER, PARTS, COLUMNS = range(8)
"""Of a tier: where its keys begin, its outer directory, the size of that, its shift and least key; the inner one, and its size."""
ENTRY = 3
"""Numbers of an entry of the outer directory."""
OUTER_BITS, INNER_BITS = 6, 2
"""Logarithm of the number of keys for each entry, and for each part."""
NO_SHIFT = 63
Keys = NDArray[np.int64]


def unrank(rules: Any, tier: int, index: int) -> int:
    """Return the position at a place in the list of a tier."""
    return rules[rules[rules[len(rules) - 1] + 1 + COLUMNS * tier + FIRST] + index]  # type: ignore[no-any-return]


@jit
def find_places(rules: Keys, tiers: Keys, keys: Keys, count: int, at: Keys, sizes: Keys) -> None:
    """Replace the first keys by their places in the lists of their tiers, -1 for a key that is not there.

    Each loop reads one level for all keys: memory is then asked for many of them at a time. `at` and `sizes` are room.
    """
    head = rules[len(rules) - 1]
    for number in range(count):
        tier = tiers[number]
        at[number] = sizes[number] = -1
        if 0 <= tier <= rules[head]:
            row = head + 1 + COLUMNS * tier
            bucket = keys[number] - rules[row + LEAST] >> rules[row + SHIFT]
            if 0 <= bucket < rules[row + BUCKETS]:
                at[number] = rules[row + OUTER] + ENTRY * bucket
    for number in range(count):
        entry = at[number]
        if entry >= 0:
            row = head + 1 + COLUMNS * tiers[number]
            part = keys[number] - rules[entry] >> rules[entry + 1]
            at[number] = rules[row + INNER] + part + rules[entry + 2]
            if part < 0 or part + rules[entry + 2] >= rules[row + PARTS]:
                at[number] = -1
    for number in range(count):
        if at[number] >= 0:
            begin, end = rules[at[number]], rules[at[number] + 1]
            at[number], sizes[number] = begin, end - begin
    for number in range(count):
        low, size, key = at[number], sizes[number], keys[number]
        keys[number] = -1
        if size > 0:
            first = rules[head + 1 + COLUMNS * tiers[number] + FIRST]
            while size > 1:
                # Without a branch, which the processor would guess wrong half of the time.
                half = size >> 1
                low += half * (rules[first + low + half] <= key)
                size -= half
            if rules[first + low] == key:
                keys[number] = low


def with_lists(rules: Any, keys: Mapping[int, Keys]) -> Keys:
    """Put lists of some tiers behind the numbers of the rules."""
    head, largest = len(rules), max(keys)
    rows = np.zeros((largest + 1, COLUMNS), np.int64)
    at, parts = head + 1 + rows.size, []
    for number, some in keys.items():
        span = int(some[-1] - some[0])
        shift = min(NO_SHIFT, max(0, span.bit_length() - len(some).bit_length() + OUTER_BITS))
        outer = np.zeros(((span >> shift) + 1, ENTRY), np.int64)
        inner = np.empty(len(some) // 2 + len(outer) + 2, np.int64)
        inner = inner[: _divide(some, shift, outer, inner)]
        inner_at = at + len(some) + outer.size
        rows[number] = at, at + len(some), len(outer), shift, some[0], inner_at, len(inner) - 1
        at = inner_at + len(inner)
        parts += [some, outer.ravel(), inner]
    return np.concatenate([np.asarray(rules, np.int64), [largest], rows.ravel(), *parts, [head]])


@jit
def _divide(keys: Keys, shift: int, outer: Keys, inner: Keys) -> int:
    """Fill in the directory of some keys; return the size of its inner level."""
    begin, at = 0, 0
    for bucket in range(len(outer)):
        end = begin
        while end < len(keys) and keys[end] - keys[0] >> shift == bucket:
            end += 1
        outer[bucket, 0], outer[bucket, 1], outer[bucket, 2] = 0, NO_SHIFT, -1
        if begin < end:
            span = keys[end - 1] - keys[begin]
            own = min(NO_SHIFT, max(0, bit_length(span) - bit_length(end - begin) + INNER_BITS))
            outer[bucket, 0], outer[bucket, 1], outer[bucket, 2] = keys[begin], own, at
            place = begin
            for part in range((span >> own) + 1):
                inner[at] = place
                at += 1
                while place < end and keys[place] - keys[begin] >> own == part:
                    place += 1
        begin = end
    # Empty entries lead to an empty part.
    inner[at : at + 2] = len(keys)
    for bucket in range(len(outer)):
        if outer[bucket, 2] < 0:
            outer[bucket, 2] = at
    return at + 2


@inline
def bit_length(number: int) -> int:
    """Return how many bits a number has without leading zeros."""
    bits = 0
    while number >> bits:
        bits += 1
    return bits
