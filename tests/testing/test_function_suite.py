"""The conformance suite for rules as functions without chance: sound games pass it, and each fault is named."""

# ruff: noqa: D102 (methods are those of `FunctionGame`)

from typing import Any

import pytest
from support.functions import Misere, Rows, circle
from support.pigs import failures, only_failure

from tablebase.errors import NotationError
from tablebase.game.functions import OVER, FunctionGame
from tablebase.game.rules import Ending
from tablebase.testing import FUNCTION_CHECKS, FunctionGameTests, check_rules
from tablebase_rules.noughts import Noughts


class TestRows(FunctionGameTests):
    """As an author would."""

    samples = 200

    def game(self) -> Rows:
        return Rows()


@pytest.mark.parametrize("game", [Rows(), Misere(7), circle()], ids=lambda game: game.name)
def test_sound_games_pass(game: FunctionGame[Any]) -> None:
    """And the check of symmetries is left out where there are none."""
    results = check_rules(game, samples=200)
    assert not [result for result in results if result.failure]
    names = [check.name for check in FUNCTION_CHECKS if check.name not in ("ranks", "tiers", "unmoves", "machine")]
    assert [result.name for result in results] == (names if game.name == "rows" else names[:-1])


class Errory(Rows):
    """Rules with a fault."""

    def __init__(self, error: str) -> None:
        super().__init__()
        self.error = error

    def canonical(self, position: str) -> str:
        if self.error == "turns":
            return position[::-1] if position != self.start else position
        if self.error == "swaps" and position.count("x") == position.count("o"):
            return super().canonical(position.translate(str.maketrans("xo", "ox")))
        if self.error == "moves":
            return "".join(sorted(position))
        return super().canonical(position)

    def result(self, position: str) -> Ending | None:
        if self.error == "result" and position[:3] == "xxx":
            return Ending.of_two(1, "row")
        return super().result(position)

    def parse(self, text: str) -> str:
        if self.error == "accepts" and len(text) != 9:
            return self.start
        if self.error == "raises" and len(text) != 9:
            raise ValueError("wrong")
        return super().parse(text)


@pytest.mark.parametrize(
    ("error", "check", "said"),
    [
        ("turns", "canonical", "the canonical position of"),
        ("swaps", "canonical", "canonical position"),
        ("moves", "canonical", "canonical position"),
        ("result", "canonical", "have different results"),
        ("accepts", "nonsense", "parse('') is '.../.../...', but must raise NotationError"),
        ("raises", "nonsense", "raises ValueError (wrong), but must raise NotationError"),
    ],
)
def test_errors_are_named(error: str, check: str, said: str) -> None:
    """In a sentence of the check that is about them, and of no other."""
    assert said in only_failure(Errory(error), check, samples=1000)


def test_what_is_read_must_be_written_again() -> None:
    """A text that is read as a position which cannot be read."""

    class Loose(Misere):
        def parse(self, text: str) -> tuple[int, int]:
            if text == "7/11":
                return 8, 10
            if text.endswith("/11"):
                raise NotationError("no")
            return super().parse(text)

    assert "parse('7/11')" in only_failure(Loose(7), "nonsense", samples=1000)


class Endless(Noughts):
    """Moves go on after the end."""

    def moves(self, position: str) -> dict[str, str]:
        return super().moves(position) or {"a1": position}


class Unfinished(Noughts):
    """A full board is no result, though nobody is to move."""

    def result(self, position: str) -> Ending | None:
        return super().result(position) if "." in position else None

    def to_move(self, position: str) -> int:
        return super().to_move(position) if "." in position else OVER

    def moves(self, position: str) -> dict[str, str]:
        return super().moves(position) if "." in position else {}


class Nameless(Noughts):
    """Its text leaves out the ranks."""

    def format(self, position: str) -> str:
        return position.replace("/", "")


class Failing(Noughts):
    """A function raises an error of its own."""

    def result(self, position: str) -> Ending | None:
        raise KeyError(position)


@pytest.mark.parametrize(
    ("broken", "check", "said"),
    [
        (Endless, "moves", "has moves, but no player is to move"),
        (Unfinished, "places", "has no result, but the game is over"),
        (Nameless, "notation", "is read as"),
        (Failing, "moves", "result(../../..) of noughts fails (KeyError: '../../..')"),
    ],
)
def test_a_error_is_a_sentence_with_a_position(broken: Any, check: str, said: str) -> None:
    assert said in failures(broken(2, 3, 3), samples=200)[check]
