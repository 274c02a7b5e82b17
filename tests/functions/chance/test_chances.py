"""Chances within a number of turns: those of the slow twin, with fractions, and some by hand."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from rules.test_harehedgehog import VARIANTS
from support.checks import at_least_one, thinned
from support.pigs import Listed
from twins import harehedgehog as twin

from tablebase.errors import CapacityError, NotationError, RulesError
from tablebase.functions.chance import horizon as horizon_module
from tablebase.functions.chance.horizon import MOST_TURNS, horizon
from tablebase_rules import pig
from tablebase_rules.harehedgehog import HareHedgehog, game

CAPS: list[dict[str, Any]] = [
    {},
    {"cap": "strict", "carrots": 25},
    {"cap": "merged", "carrots": 20},
    {"cap": "generous", "carrots": 25},
]
UNCAPPED = {"deck", "rounds"}
"""Options without tables, so that there is no cap either."""
CASES = [(options, limits) for options in VARIANTS for limits in CAPS if not (limits and UNCAPPED & options.keys())]


def name_of(value: Any) -> str:
    """A variant or a cap as the name of a test."""
    return ",".join(f"{name}={one}" for name, one in value.items()) or "default"


def late(rules: HareHedgehog, most: int, random: Random, begin: int = 55) -> Iterator[str]:
    """States near the end of the game, with few carrots or about as many as a cap allows, and all that they may wait for."""
    while True:
        squares = random.sample(range(begin, 64), 2)
        carrots = [random.choice([random.randint(0, 12), random.randint(0, most), most]) for _ in squares]
        lettuces = random.choice([(0, 0), (0, 0), (0, 0), (1, 0), (0, 1), (1, 1)])
        waits = [random.choice(["", "", "", "m", "e", "p"]) for _ in squares]
        players = [f"{a}:{b}:{c}{d}" for a, b, c, d in zip(squares, carrots, lettuces, waits, strict=True)]
        words = [f"round:{rules.rounds - random.randint(1, 2)}"] if rules.rounds else []
        words += ["drawn:" + random.choice(["222111011", "100000000", "012100110"])] if rules.options["deck"] == "exhaust" else []
        text = " ".join([",".join(players), random.choice("12"), *words])
        try:
            rules.parse(text)
        except NotationError:
            continue
        yield text


def assert_twin(options: dict[str, Any], limits: dict[str, Any], text: str, turns: int) -> None:
    """W and U are those of the twin."""
    rules = game(**options)
    array = rules.region(limits).rules if limits else None
    capped = {"cap": limits["carrots"], limits["cap"]: True} if limits else {}
    found = horizon(rules, rules.parse(text), turns, array)
    assert found.lower == pytest.approx(float(twin.W(text, turns, **options, **capped)), rel=0, abs=1e-12), text
    assert found.upper == pytest.approx(float(twin.U(text, turns, **options, **capped)), rel=0, abs=1e-12), text


def sampled(options: dict[str, Any], limits: dict[str, Any], count: int, begin: int = 55) -> list[str]:
    """States of a case, the same ones each time."""
    random = Random(name_of(options) + name_of(limits))
    states = late(game(**options), limits.get("carrots", 20) + (limits.get("cap") == "merged"), random, begin)
    return [next(states) for _ in range(count)]


@pytest.mark.parametrize(("options", "limits"), thinned(CASES, 4), ids=name_of)
def test_chances_are_those_of_the_twin(options: dict[str, Any], limits: dict[str, Any]) -> None:
    """For every option and cap: a few states within one turn and two, and one of the last squares within three."""
    for place, text in at_least_one(enumerate(sampled(options, limits, 4, 58 if limits.get("cap") == "merged" else 55))):
        assert_twin(options, limits, text, 1 + place % 2)
    for text in at_least_one(sampled(options, limits, 1, 61)):
        assert_twin(options, limits, text, 3)


MANY = {None: (200, 58), "strict": (60, 58), "generous": (60, 58), "merged": (12, 60)}
"""By cap, under which the twin is slow: the number of states of a long run, and the square from which they are."""


@pytest.mark.parametrize("share", [pytest.param(60, marks=pytest.mark.full), pytest.param(1, marks=pytest.mark.release)])
@pytest.mark.parametrize(("options", "limits"), CASES, ids=name_of)
def test_many_chances_are_those_of_the_twin(options: dict[str, Any], limits: dict[str, Any], share: int) -> None:
    """The same of many states, or of a share of them, within up to four turns."""
    count, begin = MANY[limits.get("cap")]
    for place, text in at_least_one(enumerate(sampled(options, limits, max(1, count // share), begin))):
        assert_twin(options, limits, text, 1 + place % (3 if begin == 60 else 4))


def test_samples_are_no_matter_of_course() -> None:
    """Of the sampled states, many are neither won nor lost."""
    rules = game()
    bounds = [horizon(rules, rules.parse(text), 3) for text in sampled({}, {}, 60, 57)]
    assert sum(0 < bound.lower < 1 for bound in bounds) >= 6
    assert sum(0 < bound.upper < 1 for bound in bounds) >= 6


@pytest.mark.parametrize(
    ("text", "turns", "lower", "upper"),
    [
        # Home costs 21 carrots, and the other comes home in his turn: what helps is 61 or 63 and the card `again`.
        ("58:20:0,59:20:0 1", 1, 1 / 12, 1),
        ("58:20:0,59:20:0 1", 2, 1 / 12, 1 / 12),
        ("58:20:0,59:20:0 1", 4, 1 / 12, 1 / 12),
        # Nobody can ever move.
        ("4:0:0,3:2:0 1", 6, 0, 1),
        ("61:6:0,0:0:0 1", 1, 1, 1),
        # The one who misses his turn loses: home costs 15.
        ("63:1:0m,59:15:0 1", 1, 0, 1),
        ("63:1:0m,59:15:0 1", 2, 0, 0),
    ],
)
def test_chances_by_hand(text: str, turns: int, lower: float, upper: float) -> None:
    """Exact ones where no division is rounded; W never rounds up, nor U down."""
    rules = game()
    found = horizon(rules, rules.parse(text), turns)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), rel=0, abs=1e-15)
    assert found.lower <= lower
    assert found.upper >= upper


def test_piglet_within_a_turn_by_hand() -> None:
    """Two heads win: a quarter. The other has his turn if they do not; in the middle of a turn, one head is enough."""
    game = pig.game(die=2, target=2)
    chances = {1: (1 / 4, 1), 2: (1 / 4, 1 - 3 / 4 * 1 / 4)}
    for turns, expected in chances.items():
        found = horizon(game, game.start, turns)
        assert (found.lower, found.upper) == expected
    middle = horizon(game, game.parse("0,0 1 1"), 1)
    assert (middle.lower, middle.upper) == (1 / 2, 1)
    # The second player's chances are his own.
    second = horizon(game, game.parse("0,1 2 0"), 1)
    assert (second.lower, second.upper) == (1 / 2, 1)


def test_what_has_no_horizon() -> None:
    """Too many turns, a state in which nobody moves, and one that is not listed."""
    small = pig.game(die=2, target=2)
    with pytest.raises(CapacityError, match=f"at most {MOST_TURNS}"):
        horizon(small, small.start, MOST_TURNS + 1)
    plain = Listed(3, 4, 2)
    with pytest.raises(RulesError, match="3,3 1 1 cannot be reached in games of pig"):
        horizon(plain, plain.parse("3,3 1 1"), 1)
    for text in ("2,0 2 0", "0,0 1 0 roll"):
        with pytest.raises(RulesError, match=f"{text} has no player to move"):
            horizon(small, small.parse(text), 1)


def test_too_many_paths_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn of Pig to 100 has more paths than anyone can wait for; it is no fault of the number of turns alone."""
    monkeypatch.setattr(horizon_module, "MOST_STATES", 1000)
    large = pig.game()
    with pytest.raises(CapacityError, match=r"too many turns \(1\) for pig from 0,0 1 0: use fewer turns"):
        horizon(large, large.start, 1)
