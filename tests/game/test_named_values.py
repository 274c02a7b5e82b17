"""Values of a named player: exact ones, and bounds of the chance to win."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.game.types import Outcome
from tablebase.game.values import BOUNDED, DRAWN, EXACT, LOST, WON, AnyValue, Bounds, Value, fields_of

CHANCES = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted).map(lambda pair: Bounds(*pair))
EXACTLY = st.one_of(st.just(DRAWN), st.builds(Value, st.sampled_from([Outcome.WIN, Outcome.LOSS]), st.integers(0, 1000)))


@given(EXACTLY, EXACTLY)
def test_what_is_better_for_one_is_worse_for_the_other(one: Value, other: Value) -> None:
    assert (one.merit > other.merit) == (one.reversed.merit < other.reversed.merit)
    assert one.reversed.reversed == one
    assert (one.later.outcome, one.reversed.distance) == (one.outcome, one.distance)


@given(EXACTLY)
def test_a_ply_later(value: Value) -> None:
    """A win is worth less, a loss more, and a draw the same."""
    change = value.later.merit - value.merit
    assert change == {Outcome.WIN: -1, Outcome.LOSS: 1, Outcome.DRAW: 0}[value.outcome]


@given(CHANCES, CHANCES)
def test_what_can_be_forced_counts_first(one: Bounds, other: Bounds) -> None:
    if one.lower > other.lower:
        assert one.merit > other.merit
    elif one.lower == other.lower:
        assert (one.merit > other.merit) == (one.upper > other.upper)


@pytest.mark.parametrize(
    ("value", "outcome", "said"),
    [
        (WON, "win", "win in 0"),
        (LOST, "loss", "loss in 0"),
        (DRAWN, "draw", "draw"),
        (Bounds(1, 1), "win", "win"),
        (Bounds(0, 0), "loss", "loss"),
        (Bounds(0, 1), None, "a chance of at least 0 and at most 1"),
        (Bounds(0.25, 0.25), None, "a chance of 0.250000"),
        (Bounds(1e-9, 1 - 1e-9), None, "a chance of at least <0.000001 and at most >0.999999"),
    ],
)
def test_values_in_words(value: AnyValue, outcome: str | None, said: str) -> None:
    assert (value.outcome, value.fields["outcome"], value.said) == (outcome, outcome, said)


@given(st.one_of(CHANCES, EXACTLY))
def test_fields_are_those_that_rules_name(value: AnyValue) -> None:
    assert tuple(value.fields) == (BOUNDED if isinstance(value, Bounds) else EXACT)
    assert set(fields_of(None)) <= set(value.fields)
