"""The checks of games by compiled functions: sound games pass, and each check finds a fault of its kind."""

import re
from dataclasses import replace
from typing import Any

import pytest
from support.compiled import Node, NumberGraph, rank, to_move, unmoves
from support.pigs import failures

from tablebase.errors import RulesError
from tablebase.game.compiled import LOST, CompiledGame
from tablebase.game.native import native
from tablebase.system.compute.kernel_cache import COMPILES
from tablebase.testing import check_rules

NODES = [Node(0, [1, 2]), Node(1, [0, 3]), Node(1, [3]), Node(0, result=LOST)]
TIERS = [0, 0, 0, 1]


def moved(rules: Any, position: int) -> int:
    return rank(rules, position) + 90


def same(rules: Any, position: int) -> int:
    """Ranks 0 and 1 are one."""
    number = rank(rules, position)
    return 0 if number == 1 else number


def fewer(rules: Any, position: int, out: Any) -> int:
    count = unmoves(rules, position, out)
    return count - 1 if count else 0


def more(rules: Any, position: int, out: Any) -> int:
    count = unmoves(rules, position, out)
    out[count] = position
    return count + 1


def large(rules: Any, position: int) -> int:
    """Whole numbers of Python have any size."""
    return 1 if (position + 2) << 62 < 0 else to_move(rules, position)


def changed(**functions: Any) -> NumberGraph:
    """A sound game with other functions."""
    game = NumberGraph(NODES, TIERS)
    game.functions = replace(NumberGraph.functions, **functions)
    return game


def test_a_sound_game_passes() -> None:
    results = check_rules(NumberGraph(NODES, TIERS), samples=100)
    assert not [result for result in results if result.failure]
    assert [result.name for result in results][-4:] == ["ranks", "tiers", "unmoves", "machine"]
    assert [result.name for result in check_rules(changed(unmoves=None), samples=10)][-3:] == ["ranks", "tiers", "machine"]


@pytest.mark.parametrize(
    ("change", "check", "said"),
    [
        ({"rank": moved}, "ranks", "the rank of 0 is 90, but tier 0 has 6 ranks"),
        ({"rank": same}, "ranks", "1 and 0 are equivalent, but have different moves"),
        ({"unmoves": fewer}, "unmoves", "lacks"),
        ({"unmoves": more}, "unmoves", "does not lead to it"),
        pytest.param(
            {"to_move": large}, "machine", "when compiled", marks=pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
        ),
    ],
)
def test_each_check_finds_a_error(change: dict[str, Any], check: str, said: str) -> None:
    assert said in failures(changed(**change), samples=100)[check]


def careful(_rules: Any, text: Any) -> int:
    """Leave longer texts to `parse`, by an index outside the text."""
    return text[0] - ord("0") if len(text) == 1 else text[len(text)]  # type: ignore[no-any-return]


def hasty(_rules: Any, text: Any) -> int:
    return text[0] - ord("0")  # type: ignore[no-any-return]


def test_texts_that_are_read_differently_are_found() -> None:
    def reading(function: Any) -> NumberGraph:
        return type("Reading", (NumberGraph,), {"read": staticmethod(function)})(NODES, TIERS)  # type: ignore[no-any-return]

    assert not failures(reading(careful), samples=100)
    said = failures(reading(hasty), samples=100)
    assert said.keys() == {"machine"}
    assert re.fullmatch(r"read of '(\d)\1' is \1, but parse has -1", said["machine"])


def test_undeclared_tiers_are_found() -> None:
    class Undeclared(NumberGraph):
        def after(self, tier: int) -> set[int]:
            return super().after(tier) - {1}

    assert "but after(0) lacks 1" in failures(Undeclared(NODES, TIERS), samples=100)["tiers"]


def test_parts_that_are_missing() -> None:
    """Each is named in a sentence."""

    class Bare(CompiledGame):
        name = title = "bare"
        start = 0

        def format(self, position: int) -> str:
            return str(position)

        def parse(self, text: str) -> int:
            return int(text)

    with pytest.raises(RulesError, match="Bare has no attribute 'functions'"):
        Bare().check_parts()
    Bare.functions = NumberGraph.functions
    with pytest.raises(RulesError, match="Bare has no attribute 'most_moves'"):
        Bare().check_parts()
    Bare.most_moves = 3
    with pytest.raises(RulesError, match="Bare defines 'rank', but not 'size' or 'after'"):
        Bare().check_parts()


@pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
def test_functions_that_numba_cannot_compile() -> None:
    """One sentence with its reason."""

    def texts(rules: Any, position: int) -> Any:
        return rules.unknown + position

    with pytest.raises(RulesError, match=r"to_move of numbers cannot be compiled \(.*\): use only whole numbers"):
        native(changed(to_move=texts))
