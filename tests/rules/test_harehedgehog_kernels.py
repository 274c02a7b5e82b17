"""Hare & Hedgehog: the plain rules, the compiled ones and the slow twin say the same; numbers of states and of paths."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from rules.test_harehedgehog import VARIANTS
from support.checks import at_least_one, thinned
from twins import harehedgehog as twin

from tablebase.errors import RulesError
from tablebase.functions.chance.paths import count_paths
from tablebase.game.kernels import DOUBT, OVER, STATE
from tablebase.game.stochastic import State
from tablebase.system.compute.jit import call_compiled
from tablebase.testing import check_rules
from tablebase_rules._harehedgehog import BOARD, cost
from tablebase_rules.harehedgehog import HareHedgehog, game

ALL_AT_ONCE = {option: value for variant in VARIANTS for option, value in variant.items() if option != "cards"}
PLAYERS = (2, 3, 6)


def name_of(options: dict[str, Any]) -> str:
    return ",".join(options) or "default"


def played(rules: HareHedgehog, seed: int, most: int) -> Iterator[State]:
    random, state = Random(seed), rules.start
    for _ in range(most):
        yield state
        if rules.to_move(state) == OVER:
            return
        state = random.choice([*rules.moves(state).values(), *(draw.state for draw in rules.draws(state))])


def ends(rules: HareHedgehog, state: State) -> Iterator[str]:
    for after in [*rules.moves(state).values(), *(draw.state for draw in rules.draws(state))]:
        if rules.begins_turn(after):
            yield rules.format(after)
        else:
            yield from ends(rules, after)


def twin_ends(node: Any) -> Iterator[str]:
    match node:
        case ("end", state):
            yield twin.write(state)
        case ("choose", _, children):
            for child in children.values():
                yield from twin_ends(child)
        case ("draw", outcomes):
            for _, _, child in outcomes:
                yield from twin_ends(child)


@pytest.mark.parametrize("options", thinned([ALL_AT_ONCE, *VARIANTS], 4), ids=name_of)
def test_turns_are_those_of_the_twin(options: dict[str, Any]) -> None:
    """Every path of a turn ends in the same state, in games of two, three and six."""
    for players in PLAYERS:
        rules = game(players=players, **options)
        states = [state for seed in range(3) for state in played(rules, seed, 100)]
        turns = [state for state in states if rules.begins_turn(state) and rules.to_move(state) >= 0]
        for state in Random(players).sample(at_least_one(turns), min(len(turns), 6)):
            text = rules.format(state)
            assert sorted(ends(rules, state)) == sorted(twin_ends(twin.turn(twin.read(text), options))), text


@pytest.mark.parametrize("options", thinned([ALL_AT_ONCE, *VARIANTS], 4), ids=name_of)
def test_all_rules_pass_their_checks(options: dict[str, Any]) -> None:
    """In games of two, three and six; the compiled rules list the rows of the plain ones, and name the same winner."""
    for players in PLAYERS:
        results = {result.name: result.failure for result in check_rules(game(players=players, **options), samples=80)}
        assert "kernels" in results
        assert not any(results.values()), results


TABLED = [options for options in VARIANTS if not {"deck", "rounds"} & options.keys()]


def test_unknown_carrots() -> None:
    """With more carrots than a merged cap of 20, the attacker does what 21 carrots allow, the defender anything."""
    rules = game()
    kernels, array = rules.kernels(), rules.region({"cap": "merged", "carrots": 20}).rules
    state = rules.parse("54:21:0,0:0:0 1")

    def expanded(state: State, attacker: int) -> tuple[int, list[tuple[int, State]]]:
        rows = np.zeros((kernels.widest, STATE + kernels.fields), np.int64)
        who, count = call_compiled(kernels.expand, array, np.array(state, np.int64), attacker, rows)
        return who, [(label, tuple(after)) for label, _, _, *after in rows[: max(count, 0)].tolist()]

    attacking, defending = ({label for label, _ in expanded(state, attacker)[1]} for attacker in (0, 1))
    # Square 54 does not pay the first. 50 and 56 are hedgehogs, 57 and 62 are for lettuces; home costs 55 and leaves 0 to 10.
    assert attacking == {1, 4, 5, 6, -4}
    assert defending == attacking | {7, 9, 10}
    # A hare that had 21 or more has this many left, or more.
    for attacker, least in ((0, {1: 20, 4: 11, 5: 6, 6: 0}), (1, {1: 20, 4: 11, 5: 6, 6: 0, 7: 0, 9: 0})):
        left = {label: after for label, after in expanded(state, attacker)[1] if label in least}
        for label, number in at_least_one(least.items()):
            who, rows = expanded(left[label], attacker)
            assert who == DOUBT
            assert [after[1] for _, after in rows] == list(range(number, 22)), label
    assert {after[1] for label, after in expanded(state, 0)[1] if label == -4} == {21}


def test_a_merged_cap_leaves_a_way_ahead() -> None:
    """From every square, wherever the other is, some step costs at most 21 carrots, or home alone is left, for six at most."""
    for lettuces in ("L", ""):
        for here in range(64):
            for other in range(64):
                open_squares = [s for s in range(here + 1, 64) if BOARD[s] not in ("I" + lettuces) and s != other]
                assert cost(min(open_squares) - here) <= 21 if open_squares else cost(64 - here) <= 6


@pytest.mark.parametrize("limits", [{}, {"cap": "strict", "carrots": 7}, {"lettuces": 2, "carrots": 20}], ids=str)
@pytest.mark.parametrize("options", thinned(TABLED, 3), ids=name_of)
def test_numbers(options: dict[str, Any], limits: dict[str, Any]) -> None:
    """A number's state has this number; ranges follow one another, and blocks divide them."""
    rules = game(**options)
    kernels, region = rules.kernels(), rules.region(limits)
    assert [layer.begin for layer in region.layers] == [0, *(layer.end for layer in region.layers[:-1])]
    assert all((layer.end - layer.begin) % region.block == 0 for layer in region.layers)
    state = np.zeros(kernels.fields, np.int64)
    for number in [0, region.size - 1, *np.random.default_rng(1).integers(0, region.size, 300)]:
        assert call_compiled(kernels.state_at, region.rules, number, state)
        assert call_compiled(kernels.index, region.rules, state) == (number, 0)
    assert not call_compiled(kernels.state_at, region.rules, region.size, state)
    assert not call_compiled(kernels.state_at, region.rules, -1, state)


def test_how_many() -> None:
    """61 numbers of carrots each, and 4033 pairs of squares with nobody waiting."""
    region = game(cards="none").region({"carrots": 60, "cap": "strict"})
    assert region.size == 15_006_793 == 61**2 * 4033
    assert [layer.name for layer in game().region({"lettuces": 2}).layers] == ["0-0", "1-0", "1-1", "2-0", "2-1", "2-2"]


def test_number_of_a_forced_turn() -> None:
    """Who misses a turn or eats has the number of what follows, with the other player to move; chance has none."""
    rules = game()
    kernels, region = rules.kernels(), rules.region({"lettuces": 1, "cap": "strict"})

    def number(text: str) -> tuple[int, int]:
        return call_compiled(kernels.index, region.rules, np.array(rules.parse(text), np.int64))

    assert number("3:5:0m,10:9:0 1") == number("3:5:0,10:9:0 2")
    assert number("7:5:1e,10:9:0 1") == number("7:25:0,10:9:0 2")
    assert number("3:5:0m,6:9:0m 1") == number("3:5:0,6:9:0 1")
    assert number("10:9:0,3:5:0e 1") == number("10:9:0,3:5:0m 1")
    assert number("10:9:0,3:5:0 1") == (number("3:5:0,10:9:0 2")[0], 0)
    stored = ["3:5:0,10:9:0 1", "10:9:0,3:5:0 1", "10:9:0,3:5:0m 1", "3:5:0,10:9:0 1 again", "3:5:1,10:9:0 1", "3:5:0,10:9:1 1"]
    assert len({number(text) for text in stored}) == len(stored)
    for text in ("7:60:1e,10:9:0 1", "3:61:0,10:9:0 1", "3:5:2,10:9:0 1", "3:5:0,10:9:0 1 draw:1", "64:0:0#1,3:5:0 2"):
        assert number(text) == (-1, -1), text


@pytest.mark.parametrize(
    ("options", "limits", "said"),
    [
        ({}, {"squares": 3}, "no limit squares: choose among lettuces, carrots, cap"),
        ({}, {"lettuces": 4}, "lettuces limited to 0 to 3, not 4"),
        ({}, {"carrots": 19}, "carrots limited to 20 to 250 under a merged cap, not 19"),
        ({}, {"carrots": 251, "cap": "strict"}, "carrots limited to 1 to 250 under a strict cap, not 251"),
        ({}, {"cap": "soft"}, "no cap=soft: choose one of merged, strict"),
        ({"players": 3}, {}, "for two players, deck=replace and no limit of rounds"),
        ({"deck": "exhaust"}, {}, "for two players, deck=replace"),
        ({"rounds": 30}, {}, "no limit of rounds"),
    ],
)
def test_no_such_tables(options: dict[str, Any], limits: dict[str, Any], said: str) -> None:
    with pytest.raises(RulesError, match=said):
        game(**options).region(limits)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [176, 22_502, 412_492]),
        ({"players": 3}, [176, 22_502]),
        pytest.param({"players": 3}, [176, 22_502, 2_393_798], marks=pytest.mark.full),
        ({"cards": "none"}, [9, 72, 446, 2_718, 14_658]),
    ],
)
def test_published_counts_of_paths(options: dict[str, Any], expected: list[int]) -> None:
    """Two players, three, and two whose hare squares do nothing."""
    rules = game(**options)
    assert [count_paths(rules, rules.start, depth) for depth in range(1, len(expected) + 1)] == expected
