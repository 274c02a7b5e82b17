"""The conformance suite's checks of compiled functions find their faults.

The functions are made to lie where they are called, which needs no compiling.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from support.checks import thinned
from support.pigs import PLAIN, Small, failures, only_failure

from tablebase.errors import RulesError
from tablebase.game.kernels import BEGINS, CHANCE, LABEL, OVER, STATE, WEIGHT, Layer, Region
from tablebase.game.stochastic import StochasticGame
from tablebase.testing import check_rules, kernel_checks
from tablebase_rules import harehedgehog


def lying(monkeypatch: pytest.MonkeyPatch, name: str, lie: Callable[..., Any]) -> None:
    """Let the results of the compiled functions of a kind be changed; `lie` is given them and the arguments."""
    honest = kernel_checks.call_compiled

    def call(*arguments: Any) -> Any:
        found, kind = honest(*arguments), {3: "index", 4: "state_at"}.get(len(arguments))
        kind = kind or ("expand" if isinstance(arguments[3], int) else "evaluate")
        return lie(found, *arguments) if kind == name else found

    monkeypatch.setattr(kernel_checks, "call_compiled", call)


def rows_are(count: int) -> Callable[..., tuple[int, int]]:
    """As many rows as this while the game goes on."""
    return lambda result, *_: result if result[0] == OVER else (result[0], count)


def other_rows(column: int, value: Callable[[Any], Any], mover: Callable[[int], bool]) -> Callable[..., tuple[int, int]]:
    """A column of the first row is another one."""

    def lie(result: tuple[int, int], _: Any, __: Any, ___: Any, ____: Any, rows: Any) -> tuple[int, int]:
        if mover(result[0]):
            rows[0, column] = value(rows[0, column])
        return result

    return lie


def beyond(result: tuple[int, int], *arguments: Any) -> tuple[int, int]:
    """A row behind the last one is filled."""
    arguments[-1].base[-1] = 0
    return result


def changing(result: tuple[int, int], *arguments: Any) -> tuple[int, int]:
    """The state is changed."""
    arguments[2][0] += 1
    return result


LIES: Mapping[str, tuple[Callable[..., Any], str]] = {
    "another player": (lambda found, *_: (1 - found[0] if found[0] >= 0 else found[0], found[1]), "to move, the plain ones"),
    "another winner": (
        lambda found, *_: (found[0], 1 - found[1] if found[0] == OVER else found[1]),
        "as the winner, the plain ones",
    ),
    "another code": (other_rows(LABEL, lambda code: code + 7, lambda who: who >= 0), "the compiled functions list (7 "),
    "another face": (other_rows(LABEL, lambda face: face + 1, lambda who: who == CHANCE), "the compiled functions list (2 1/3 "),
    "a face without a label": (other_rows(LABEL, lambda _: 3, lambda who: who == CHANCE), "has no label"),
    "another weight": (other_rows(WEIGHT, lambda _: 2, lambda who: who == CHANCE), "list (1 1/2 "),
    "a weight of 0": (other_rows(WEIGHT, lambda _: 0, lambda who: who == CHANCE), "a weight is not above 0"),
    "another beginning": (other_rows(BEGINS, lambda begins: 1 - begins, lambda who: who >= 0), "the plain ones list (0 1 "),
    "another state": (other_rows(STATE, lambda score: score + 1, lambda who: who == CHANCE), "the plain ones list (1 1/3 1 "),
    "too many rows": (rows_are(4), "found 4 rows, but expected 1 to 3"),
    "no rows": (rows_are(0), "found 0 rows, but expected 1 to 3"),
    "rows behind the last one": (beyond, "more than 3 rows are filled in"),
    "a state that is changed": (changing, "the state itself is changed"),
}


@pytest.mark.parametrize(("lie", "said"), thinned(LIES.values(), 2), ids=LIES)
def test_a_error_of_expand_is_found(lie: Callable[..., Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kernels` says how the compiled function differs from the plain ones."""
    lying(monkeypatch, "expand", lie)
    assert said in failures(Small(2))["kernels"]


def test_a_state_with_other_numbers_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """`kernels` compares how many numbers there are."""
    kernels = Small(2).kernels()
    assert kernels is not None
    monkeypatch.setattr(Small, "kernels", lambda _: replace(kernels, fields=6))
    assert "the compiled functions have 6 numbers in a state, the plain ones 5" in failures(Small(2))["kernels"]


INDICES: Mapping[str, tuple[str, Callable[..., Any], str]] = {
    "numbers shifted": ("index", lambda found, *_: (found[0] + (found[0] >= 0), found[1]), "its number is"),
    "a number too large": ("index", lambda found, *_: (found[0] + 10**6, found[1]), "which do not exist"),
    "a negative number": ("index", lambda found, *_: (-2, found[1]), "which do not exist"),
    "a player that is none": ("index", lambda found, *_: (found[0], 2), "which do not exist"),
    "the other player": ("index", lambda found, *_: (found[0], abs(1 - found[1])), "is to move in"),
    "a state that is missing": ("state_at", lambda found, *arguments: found and arguments[2] != 0, "which has no state"),
}


@pytest.mark.parametrize(("name", "lie", "said"), INDICES.values(), ids=INDICES)
def test_a_error_of_the_numbers_is_found(name: str, lie: Callable[..., Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`index` finds numbers and states that do not lead to each other."""
    lying(monkeypatch, name, lie)
    assert said in failures(Small(2))["index"]


def split(layers: list[tuple[int, int]], block: int) -> Callable[..., Region]:
    """A way to divide the numbers of the small game, of which there are 112."""
    return lambda *_: Region("all", {}, small_rules(), tuple(Layer(f"{a} to {b}", a, b) for a, b in layers), block)


def small_rules() -> Any:
    """The array of the small game's rules."""
    kernels = Small(2).kernels()
    assert kernels is not None
    return kernels.rules


LAYERS: Mapping[str, tuple[list[tuple[int, int]], int, str]] = {
    "small totals first": ([(0, 16), (16, 112)], 16, "which is not in the same layer or an earlier one"),
    "a gap": ([(0, 16), (32, 112)], 16, "must begin at 16 and be blocks of 16"),
    "an empty layer": ([(0, 0), (0, 112)], 16, "must begin at 0 and be blocks of 16"),
    "a block that divides no layer": ([(0, 112)], 15, "must begin at 0 and be blocks of 15"),
    "numbers that are in no layer": ([(0, 16)], 16, "which is not in the same layer or an earlier one"),
}


@pytest.mark.parametrize(("layers", "block", "said"), LAYERS.values(), ids=LAYERS)
def test_a_error_of_the_layers_is_found(
    layers: list[tuple[int, int]], block: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`layers` finds ranges that do not fit together, and moves that lead the wrong way."""
    monkeypatch.setattr(Small, "region", split(layers, block))
    assert said in failures(Small(2))["layers"]


def test_an_endless_way_is_a_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """`layers` follows no state for ever."""
    lying(monkeypatch, "index", lambda *_: (-1, -1))
    assert "is followed by more than 1 states that have no number" in failures(Small(2))["layers"]


def test_a_variant_without_tables_has_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its compiled functions are checked, but there is no region whose numbers could be."""

    def refuse(*_: Any) -> Region:
        raise RulesError("there are no tables of this variant")

    monkeypatch.setattr(Small, "region", refuse)
    assert [result.name for result in check_rules(Small(2), samples=50)] == [*PLAIN, "kernels"]


VALUES: Mapping[str, tuple[Callable[..., Any], str]] = {
    "a value too many": (lambda values, _: values.base.__setitem__(-1, 0), "more than 2 values are filled in"),
    "a state that is changed": (lambda _, state: state.__setitem__(0, 5), "the state itself is changed"),
    "a value out of bounds": (lambda values, _: values.__setitem__(1, -1 << 40), "must lie between -2^40 and 2^40, but are"),
}


@pytest.mark.parametrize("name", VALUES)
def test_lies_about_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluation that fills in or changes what it must not, or a value that is too large."""
    lie, said = VALUES[name]

    def lies(result: int, *arguments: Any) -> int:
        lie(arguments[-1], arguments[-2])
        return result

    lying(monkeypatch, "evaluate", lies)
    assert said in only_failure(race(), "evaluation", samples=50)


@pytest.mark.parametrize(("finished", "said"), [(4, "4 is not a set of 2"), (-2, "-2 is not a set"), (3, "has finished, and is")])
def test_lies_about_who_has_finished(finished: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who is not there, or who is to move; -1 is allowed, since the rules may be asked instead."""
    lying(monkeypatch, "evaluate", lambda *_: finished)
    assert said in only_failure(race(), "evaluation", samples=50)
    lying(monkeypatch, "evaluate", lambda *_: -1)
    assert not failures(race(), samples=50)


def race() -> StochasticGame:
    """A game with an evaluation, and without tables, whose checks take longer."""
    return harehedgehog.game(rounds=9)
