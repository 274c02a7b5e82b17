"""Ranks for games by compiled functions: helpers that number positions without gaps, or nearly so.

All functions here are plain Python, and are compiled with the functions that call them. Tables are parts of
`CompiledGame.rules`; a function is told where they begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

HALF = 12
"""Points of half a set, whose ranks are in a table."""
SET = (1 << 2 * HALF) - 1
POINTS, CHOOSE, LOW, HIGH, IMAGE, ORBITS, ORBIT, STORED, SET_OF, KINDS, BYTES, SUBSETS, SUBSET, HEADER = range(14)
"""Numbers at the beginning of the tables of `men`: how many points there are, and where each table begins."""


# Bits


def bits(word: int) -> int:
    """Return the number of set bits of an integer."""
    return int(word).bit_count()


def lowest(word: int) -> int:
    """Return the index of the lowest set bit of a nonzero integer."""
    return (int(word) & -int(word)).bit_length() - 1


def field(word: int, number: int, width: int) -> int:
    """Return one field of an integer that is packed from `width`-bit fields."""
    return word >> number * width & ((1 << width) - 1)


# Identical men of two kinds on points


def symmetries(*generators: Sequence[int]) -> list[Sequence[int]]:
    """Return all symmetries of a board that `generators` generate, as permutations of points, with the identity first.

    For a board without symmetries, ``symmetries(range(points))`` returns only the identity.
    """
    images: list[Sequence[int]] = [range(len(generators[0]))]
    for image in images:
        for generator in generators:
            then = [generator[point] for point in image]
            if then not in map(list, images):
                images.append(then)
    return images


def men(points: int, images: Sequence[Sequence[int]], most: int, first: Sequence[int] = ()) -> Any:
    """Return lookup tables for ranking positions with two kinds of identical men, to be included in `CompiledGame.rules`.

    The functions `men_size`, `men_rank` and `men_unrank` use the lookup tables; their argument `at` is the index in the rules
    where the lookup tables begin. Equivalent positions have the same rank, the rank of their least image under all symmetries.

    Parameters
    ----------
    points : int
        Number of points, at most 24.
    images : sequence of sequence of int
        At most 32 symmetries of the board, from the function `symmetries`.
    most : int
        Maximum number of men of each kind.
    first : sequence of int
        Numbers to put at the start of the returned array, before the lookup tables.
    """
    import numpy as np

    choose = np.array([[comb(n, k) for k in range(points + 2)] for n in range(points + 2)])
    byte, half = np.arange(256), np.arange(1 << HALF)
    low, high = np.zeros(1 << HALF, np.int64), np.zeros((HALF + 1, 1 << HALF), np.int64)
    for place in range(HALF):
        # The number of the bit among those that are set; the rank of a set is a sum of binomial coefficients.
        own, nth = half >> place & 1, np.bitwise_count(half & ((2 << place) - 1))
        low += own * np.array([comb(place, k) for k in range(HALF + 1)])[nth]
        for before in range(HALF + 1):
            high[before] += own * np.array([comb(place + HALF, k + before) for k in range(HALF + 1)])[nth]
    moved = np.zeros((len(images), 3, 256), np.int64)
    for number, image in enumerate(images):
        for point, target in enumerate(image):
            moved[number, point // 8] |= (byte >> point % 8 & 1) << target
    words = np.arange(1 << points, dtype=np.int32)
    sizes = np.bitwise_count(words)
    subsets = [words[sizes == size].astype(np.int64) for size in range(most + 1)]
    orbits, stored = [], []
    for some in subsets:
        least, best = some.copy(), np.zeros(len(some), np.int64)
        for number in range(1, len(images)):
            image_of = _moved(moved[number], some)
            less = image_of < least
            least[less], best[less] = image_of[less], number
        own = np.unique(least)
        stays = sum((_moved(moved[number], own) == own).astype(np.int64) << number for number in range(len(images)))
        orbits.append(np.searchsorted(own, least) << 5 | best)
        stored.append(own | stays << 2 * HALF)
    squeezed, spread = np.zeros((256, 256), np.int64), np.zeros((256, 256), np.int64)
    for place in range(8):
        free, before = byte[:, None] >> place & 1, np.bitwise_count(byte & ((1 << place) - 1)).astype(np.int64)[:, None]
        squeezed += free * (byte >> place & 1) << before
        spread += free * (byte >> before & 1) << place
    tables = [
        choose,
        low,
        high,
        moved,
        np.cumsum([0, *map(len, orbits[:-1])]),
        np.concatenate(orbits),
        np.cumsum([0, *map(len, stored[:-1])]),
        np.concatenate(stored),
        np.array([*map(len, stored)]),
        squeezed | spread << 8,
        np.cumsum([0, *map(len, subsets[:-1])]),
        np.concatenate(subsets),
    ]
    flat = [table.ravel().astype(np.int64) for table in tables]
    begins = HEADER + np.cumsum([0, *map(len, flat[:-1])])
    return np.concatenate([np.array([*first, points]), begins, *flat])


def _moved(image: Any, some: Any) -> Any:
    """Return where sets of points go by a symmetry, given as tables of bytes."""
    return image[0][some & 255] | image[1][some >> 8 & 255] | image[2][some >> 16]


def choices(rules: Any, at: int, n: int, k: int) -> int:
    """Return how many sets of k of n points there are."""
    return rules[at + rules[at + CHOOSE] + n * (rules[at + POINTS] + 2) + k]  # type: ignore[no-any-return]


def image(rules: Any, at: int, number: int, some: int) -> int:
    """Return where a set of points goes by a symmetry."""
    base = at + rules[at + IMAGE] + 768 * number
    return rules[base + (some & 255)] | rules[base + 256 + (some >> 8 & 255)] | rules[base + 512 + (some >> 16)]  # type: ignore[no-any-return]


def subset_rank(rules: Any, at: int, some: int) -> int:
    """Return the rank of a set of points among all sets of its size."""
    low = some & ((1 << HALF) - 1)
    return rules[at + rules[at + LOW] + low] + rules[at + rules[at + HIGH] + (bits(low) << HALF) + (some >> HALF)]  # type: ignore[no-any-return]


def rank_beside(rules: Any, at: int, first: int, second: int) -> int:
    """Return the rank of a set of points among all sets of its size on the points that `first` leaves free."""
    base, one, two = at + rules[at + BYTES], ~first & 255, ~first >> 8 & 255
    word = rules[base + (one << 8 | second & 255)] & 255
    word |= (rules[base + (two << 8 | second >> 8 & 255)] & 255) << bits(one)
    word |= (rules[base + ((~first >> 16 & 255) << 8 | second >> 16)] & 255) << bits(one) + bits(two)
    return subset_rank(rules, at, word)


def men_size(rules: Any, at: int, first: int, second: int) -> int:
    """Return the number of ranks, including invalid ranks, for positions with `first` and `second` men of the two kinds."""
    return rules[at + rules[at + KINDS] + first] * choices(rules, at, rules[at + POINTS] - first, second)  # type: ignore[no-any-return]


def men_rank(rules: Any, at: int, first: int, second: int) -> int:
    """Return the rank of a position, given one bitboard for each kind of men."""
    count = bits(first)
    entry = rules[at + rules[at + ORBIT] + rules[at + rules[at + ORBITS] + count] + subset_rank(rules, at, first)]
    stored = rules[at + rules[at + SET_OF] + rules[at + rules[at + STORED] + count] + (entry >> 5)]
    least, stays = stored & SET, stored >> 2 * HALF
    second = image(rules, at, entry & 31, second)
    best = rank_beside(rules, at, least, second)
    stays &= stays - 1
    while stays:
        best = min(best, rank_beside(rules, at, least, image(rules, at, lowest(stays), second)))
        stays &= stays - 1
    return (entry >> 5) * choices(rules, at, rules[at + POINTS] - count, bits(second)) + best  # type: ignore[no-any-return]


def men_unrank(rules: Any, at: int, first: int, second: int, rank: int) -> tuple[int, int]:
    """Return the bitboards with the given rank and numbers of men; for an invalid rank, return bitboards with another rank."""
    each = choices(rules, at, rules[at + POINTS] - first, second)
    orbit = rank // each
    own = rules[at + rules[at + SET_OF] + rules[at + rules[at + STORED] + first] + orbit] & SET
    word = rules[at + rules[at + SUBSET] + rules[at + rules[at + SUBSETS] + second] + rank - orbit * each]
    base, one, two = at + rules[at + BYTES], ~own & 255, ~own >> 8 & 255
    other = rules[base + (one << 8 | word & ((1 << bits(one)) - 1))] >> 8
    word >>= bits(one)
    other |= rules[base + (two << 8 | word & ((1 << bits(two)) - 1))] >> 8 << 8
    other |= rules[base + ((~own >> 16 & 255) << 8 | word >> bits(two))] >> 8 << 16
    return own, other


# Stones in pits


def pits(most_pits: int, most_stones: int) -> list[int]:
    """Return the table of binomial coefficients for `pits_rank` and `pits_unrank`."""
    width = most_pits + 1
    return [width, *(comb(n, k) for n in range(most_stones + width) for k in range(width))]


def pits_size(rules: Any, at: int, count: int, stones: int) -> int:
    """Return the number of ways to distribute at most `stones` stones over `count` pits."""
    return rules[at + 1 + (stones + count) * rules[at] + count]  # type: ignore[no-any-return]


def pits_rank(rules: Any, at: int, word: int, width: int, count: int, first: int = 0, stones: int = 0) -> tuple[int, int]:
    """Return the rank and the number of stones of a distribution over pits; ranks increase with the number of stones.

    If the number of stones is constant, leave out one pit, because its content follows from the others. If one integer cannot
    hold all pits, distribute the pits over several integers and add their ranks. The integer `word` contains the stones of
    `count` pits in fields of `width` bits; `first` and `stones` are the numbers of pits and stones in the earlier integers.
    """
    rank = 0
    for pit in range(count):
        stones += field(word, pit, width)
        rank += rules[at + 1 + (stones + first + pit) * rules[at] + first + pit + 1]
    return rank, stones


def pits_unrank(rules: Any, at: int, rank: int, width: int, count: int, first: int, most: int) -> tuple[int, int, int]:
    """Return the integer with the stones for a rank, and the rank and number of stones that remain for the `first` earlier pits.

    Decode the last integer first, with the maximum number of stones as `most`; pass the results to the next call.
    """
    word, stones = 0, _stones_in(rules, at, rank, first + count, most)
    for pit in range(first + count - 1, first - 1, -1):
        rank -= rules[at + 1 + (stones + pit) * rules[at] + pit + 1]
        before = _stones_in(rules, at, rank, pit, stones)
        word |= stones - before << (pit - first) * width
        stones = before
    return word, rank, stones


def _stones_in(rules: Any, at: int, rank: int, count: int, most: int) -> int:
    """Return the number of stones in the first pits: the largest one that this rank allows."""
    while most > 0 and rules[at + 1 + (most + count - 1) * rules[at] + count] > rank:
        most -= 1
    return most


__all__ = [
    "bits",
    "field",
    "lowest",
    "men",
    "men_rank",
    "men_size",
    "men_unrank",
    "pits",
    "pits_rank",
    "pits_size",
    "pits_unrank",
    "symmetries",
]
