"""Operations on words against what they do to the bits one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tablebase.compute.bits import ones, trailing_zeros

WORDS = st.integers(0, 2**64 - 1)


@given(WORDS.filter(bool))
def test_trailing_zeros(word: int) -> None:
    """The number of the lowest bit."""
    assert trailing_zeros(np.uint64(word)) == min(bit for bit in range(64) if word >> bit & 1)


@given(WORDS)
def test_ones(word: int) -> None:
    """The number of bits that are set."""
    assert ones(np.uint64(word)) == word.bit_count()
