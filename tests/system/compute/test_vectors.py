"""Operations on words against their bits one by one, on vectors against their plain twins, and arrays as pointers."""

from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import vectors as plain

from tablebase.system.compute.bits import ones, trailing_zeros
from tablebase.system.compute.jit import jit
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.vectors import (
    ELEMENTS,
    LINE,
    WORDS,
    chosen,
    fill,
    gather,
    halved,
    lanes_of,
    larger,
    least,
    load,
    rooms,
    rotated,
    rows,
    rows_kept,
    smaller,
    store,
    unit_of,
)

SEEDS = range(20)
BITS = st.integers(0, 2**64 - 1)
widths = pytest.mark.parametrize("dtype", ["uint8", "uint16"])


@given(BITS.filter(bool))
def test_trailing_zeros(word: int) -> None:
    assert trailing_zeros(np.uint64(word)) == min(bit for bit in range(64) if word >> bit & 1)


@given(BITS)
def test_ones(word: int) -> None:
    assert ones(np.uint64(word)) == word.bit_count()


@jit
def units(words: Any, word: int, mask: int, by: int, order: Any, index: int, out: Any) -> int:
    one, other = load(words, index), load(words, 0)
    results = (
        one,
        one & other,
        one | other,
        ~one,
        unit_of(word),
        rows_kept(one, mask),
        rotated(one, by),
        gather(words, index, order, 1),
    )
    for number in range(len(results)):
        store(out, number * WORDS, results[number])
    return rows(one)


@pytest.mark.parametrize("seed", SEEDS)
def test_units(seed: int) -> None:
    rng = Random(seed)
    words = [rng.getrandbits(64) if rng.random() < 0.6 else 0 for _ in range(40)]
    word, mask, by, index = rng.getrandbits(64), rng.randrange(256), rng.randrange(-63, 64), rng.randrange(16)
    order = [rng.randrange(16) for _ in range(9)]
    one, other = plain.unit(words, index), plain.unit(words, 0)
    expected = [
        one,
        [a & b for a, b in zip(one, other, strict=True)],
        [a | b for a, b in zip(one, other, strict=True)],
        [plain.MASK - a for a in one],
        [word] * WORDS,
        plain.rows_kept(one, mask),
        plain.rotated(one, by),
        plain.gather(words, index, order, 1),
    ]
    out = np.zeros(len(expected) * WORDS, dtype=np.uint64)
    found = units(np.array(words, dtype=np.uint64), np.uint64(word), mask, by, np.array(order), index, out)
    assert out.reshape(-1, WORDS).tolist() == expected
    assert found == plain.rows(one)


@jit
def lanes(codes: Any, value: int, word: int, index: int, out: Any, words: Any) -> int:
    one, other = load(codes, index), load(codes, 0)
    results = (
        one + other,
        one - other,
        ~one,
        one & other,
        halved(one),
        lanes_of(value, codes),
        chosen(word, one, other),
        larger(one, other),
        smaller(one, other),
    )
    for number in range(len(results)):
        store(out, number * ELEMENTS, results[number])
    words[0], words[1], words[2] = one == other, one != other, one > other
    return least(one)


@widths
@pytest.mark.parametrize("seed", SEEDS)
def test_lanes(dtype: str, seed: int) -> None:
    rng = Random(seed)
    void = int(np.iinfo(dtype).max)
    codes = [rng.choice((rng.randint(0, void), rng.randint(0, 3), void)) for _ in range(100)]
    value, word, index = rng.randint(-1, void), rng.getrandbits(64), rng.randrange(36)
    one, other = plain.lanes(codes, index), plain.lanes(codes, 0)
    pairs = list(zip(one, other, strict=True))
    expected = [
        [(a + b) % (void + 1) for a, b in pairs],
        [(a - b) % (void + 1) for a, b in pairs],
        [void - a for a in one],
        [a & b for a, b in pairs],
        [a // 2 for a in one],
        [value % (void + 1)] * ELEMENTS,
        plain.chosen(word, one, other),
        [max(pair) for pair in pairs],
        [min(pair) for pair in pairs],
    ]
    out, words = np.zeros(len(expected) * ELEMENTS, dtype=dtype), np.zeros(3, dtype=np.uint64)
    found = lanes(np.array(codes, dtype=dtype), value, np.uint64(word), index, out, words)
    assert out.reshape(-1, ELEMENTS).tolist() == expected
    assert words.tolist() == [
        plain.word_of(some) for some in ([a == b for a, b in pairs], [a != b for a, b in pairs], [a > b for a, b in pairs])
    ]
    assert found == min(one)


class Inner(NamedTuple):
    """Arrays in a tuple of tuples."""

    words: Any
    scale: int


class Outer(NamedTuple):
    """An array, and more of them inside."""

    codes: Any
    inner: Inner


@jit
def through_pointers(arrays: Outer, begin: int, word: int) -> int:
    arrays = bare(bare(arrays))
    fill(arrays.codes, begin, word, 7)
    arrays.inner.words[1] = arrays.inner.words[0] * np.uint64(arrays.inner.scale)
    return least(load(arrays.codes, -ELEMENTS))


@widths
def test_pointers(dtype: str) -> None:
    """Elements and vectors behind pointers are those of the arrays, in front of which there is room."""
    codes, words, before = rooms((100, dtype), (2, np.uint64), (64, dtype))
    assert all(array.ctypes.data % LINE == 0 for array in (codes, words, before))
    assert (len(codes), len(words), codes.dtype, words.dtype) == (100, 2, np.dtype(dtype), np.dtype(np.uint64))
    codes[:], words[:] = 9, 5
    through_pointers(Outer(codes, Inner(words, 3)), 20, np.uint64(0b101))
    assert codes.tolist() == [7 if i in (20, 22) else 9 for i in range(100)]
    assert words.tolist() == [5, 15]
