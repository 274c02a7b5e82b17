"""The value algebra against a naive statement in pairs of outcome and distance."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import thinned
from twins import naive

from tablebase.game import Outcome
from tablebase.system.compute.jit import inline
from tablebase.tables import values
from tablebase.tables.values import DRAW, FULL, NARROW, STALEMATE, Coding, Value, is_loss, is_win, merit, next_code, recode

CODINGS = [Coding(stride, dtype) for stride in (1, 2) for dtype in ("uint8", "uint16")]


@cache
def pairs(coding: Coding) -> list[naive.Pair]:
    found: list[naive.Pair] = [("draw", None)]
    for distance in range(coding.reach + 1):
        outcomes = ("win", "loss") if coding.stride == 2 else ("win",) if distance % 2 else ("loss",)
        found += [(outcome, distance) for outcome in outcomes]
    return found


def code(coding: Coding, pair: naive.Pair) -> int:
    return coding.code(Value(Outcome(pair[0]), pair[1]))


def names(coding: Coding) -> str:
    return f"stride {coding.stride}, {coding.dtype}"


@pytest.mark.parametrize("coding", CODINGS, ids=names)
def test_values_and_codes_are_pairs(coding: Coding) -> None:
    all_pairs = pairs(coding)
    codes = [code(coding, pair) for pair in all_pairs]
    assert len({*codes, coding.void, STALEMATE}) == len(codes) + 2
    assert (DRAW in codes, coding.void) == (True, np.iinfo(coding.dtype).max)
    assert min(codes) >= 0
    assert max(codes) <= np.iinfo(coding.dtype).max
    assert [(coding.value(one).outcome.value, coding.value(one).distance) for one in codes] == all_pairs
    for one in range(coding.void):
        assert coding.code(coding.value(one)) == (DRAW if one == STALEMATE else one)
    assert coding.value(STALEMATE) == Value(Outcome.DRAW, None)


@pytest.mark.parametrize("coding", CODINGS, ids=names)
def test_wins_and_losses_are_told_apart(coding: Coding) -> None:
    """Exactly the codes of wins are wins, those of losses losses; draws and stalemates are neither."""
    for pair in pairs(coding):
        one = code(coding, pair)
        assert (is_win(one, coding.stride), is_loss(one, coding.stride)) == (pair[0] == "win", pair[0] == "loss")
        assert pair[1] is None or values.distance_of(one, coding.stride) == pair[1]
    assert not is_win(STALEMATE, coding.stride)
    assert not is_loss(STALEMATE, coding.stride)


@pytest.mark.parametrize("coding", CODINGS, ids=names)
def test_a_move_turns_the_outcome_and_takes_a_ply(coding: Coding) -> None:
    for pair in pairs(coding):
        after = naive.parent(pair)
        assert after is not None
        if after[1] is None or after[1] <= coding.reach:
            assert next_code(code(coding, pair), coding.stride) == code(coding, after)
        # Beyond the reach, the code must not look like one that the dtype holds.
        elif coding.stride == 1:
            assert next_code(code(coding, pair), coding.stride) >= coding.void
    assert next_code(STALEMATE, coding.stride) == DRAW


@pytest.mark.parametrize("stride", [1, 2])
def test_the_winner_hurries_and_the_loser_delays(stride: int) -> None:
    coding = Coding(stride, "uint8")
    coded = [(pair, code(coding, pair)) for pair in pairs(coding)]
    for (pair, one), (other_pair, other) in product(coded, repeat=2):
        assert (merit(one, stride) > merit(other, stride)) == naive.better(pair, other_pair)
    assert merit(STALEMATE, stride) == merit(DRAW, stride)


@given(st.sampled_from(pairs(FULL)), st.sampled_from(pairs(FULL)))
def test_a_value_knows_what_the_move_into_it_is_worth(pair: naive.Pair, other: naive.Pair) -> None:
    """`reversed` and `later` are what a move is worth to the mover; the merit of values has the naive order."""
    value, before = Value(Outcome(pair[0]), pair[1]), Value(Outcome(other[0]), other[1])
    assert (value.reversed.later.outcome.value, value.reversed.later.distance) == naive.parent(pair)
    assert (value.merit > before.merit) == naive.better(pair, other)


def test_one_byte_reaches_far_enough() -> None:
    assert NARROW.reach >= 250
    assert NARROW.wider.reach > 30_000
    assert FULL.reach > 30_000
    assert (NARROW.reach, Coding(2, "uint8").reach) == (252, 125)
    for coding in CODINGS:
        assert code(coding, ("loss", coding.reach)) < coding.void <= code(coding, ("loss", coding.reach + 1))
        assert coding.wider.stride == coding.stride
        assert coding.wider.void > coding.reach


@pytest.mark.parametrize(("source", "target"), thinned(product(CODINGS, repeat=2), 3), ids=names)
def test_recoding_keeps_values(source: Coding, target: Coding) -> None:
    held = set(pairs(target))
    shared = [pair for pair in pairs(source) if pair in held]
    codes = np.array([source.void, STALEMATE, *(code(source, pair) for pair in shared)], dtype=source.dtype)
    found = recode(codes, source, target)
    assert found.dtype == target.dtype
    assert found.tolist() == [target.void, STALEMATE, *(code(target, pair) for pair in shared)]


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("stride", [1, 2])
def test_kernels_compute_the_same(dtype: str, stride: int) -> None:
    kind = np.dtype(dtype).type
    compiled = {function: inline(function) for function in (next_code, merit, is_win, values.distance_of)}
    for one in [*range(0, 256, 5), 254, *range(256, np.iinfo(dtype).max, 9_973)]:
        for function, kernel in compiled.items():
            if function is not values.distance_of or one >= values.FIRST:
                assert kernel(kind(one), stride) == function(one, stride)
