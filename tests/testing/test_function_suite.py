"""The suite for rules as functions without chance: it passes good rules, and names the fault of broken ones."""

from typing import Any

import pytest
from typing_extensions import override

from tablebase.game.functions import OVER, Ending
from tablebase.testing import FunctionGameTests, check_rules
from tablebase.testing.contract import CONTRACT
from tablebase_rules import noughts
from tablebase_rules.noughts import Noughts


class TestNoughts(FunctionGameTests):
    """A small board passes."""

    samples = 200

    @override
    def game(self) -> Noughts:
        return noughts.game(2, 3, 3)


def test_the_suite_has_a_test_for_each_check() -> None:
    assert {name for name in dir(TestNoughts) if name.startswith("test_")} == {f"test_{check.name}" for check in CONTRACT}


class Endless(Noughts):
    """Moves go on after the end."""

    @override
    def moves(self, position: str) -> dict[str, str]:
        return super().moves(position) or {"a1": position}


class Unfinished(Noughts):
    """A full board is no result, though nobody is to move."""

    @override
    def result(self, position: str) -> Ending | None:
        return super().result(position) if "." in position else None

    @override
    def to_move(self, position: str) -> int:
        return super().to_move(position) if "." in position else OVER

    @override
    def moves(self, position: str) -> dict[str, str]:
        return super().moves(position) if "." in position else {}


class Nameless(Noughts):
    """Its text leaves out the ranks."""

    @override
    def format(self, position: str) -> str:
        return position.replace("/", "")


class Failing(Noughts):
    """A function raises an error of its own."""

    @override
    def result(self, position: str) -> Ending | None:
        raise KeyError(position)


@pytest.mark.parametrize(
    ("broken", "check", "said"),
    [
        (Endless, "moves", "has moves, but no player is to move"),
        (Unfinished, "places", "has no result, but the game is over"),
        (Nameless, "notation", "is read as"),
        (Failing, "moves", "KeyError: '../../..' (case: None)"),
    ],
)
def test_a_fault_is_a_sentence_with_a_position(broken: Any, check: str, said: str) -> None:
    failures = {result.name: result.failure for result in check_rules(broken(2, 3, 3), samples=200) if result.failure}
    assert said in failures[check]
