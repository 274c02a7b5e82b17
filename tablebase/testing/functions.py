"""A test suite for rules as functions without chance that any author can run.

`tablebase.testing.check_rules` runs all checks on a game; `FunctionGameTests` is the same as a pytest class to inherit from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tablebase.game.functions import FunctionGame
from tablebase.testing.checks import CheckResult, RulesTests, run, with_tests
from tablebase.testing.contract import CONTRACT

FUNCTION_CHECKS = CONTRACT
"""All checks of a `FunctionGame` without chance."""


def check_functions(game: Any, *, samples: int = 2000, seed: int = 0) -> list[CheckResult]:
    """Run all checks that apply to a game; see `tablebase.testing.check_rules`."""
    return [run(check, FunctionBench(game, samples, seed)) for check in FUNCTION_CHECKS if check.applies(game)]


class FunctionBench(NamedTuple):
    """A game, and how closely to check it."""

    game: FunctionGame[Any]
    samples: int
    seed: int

    def describe(self, case: Any) -> str:
        """A position as text."""
        return self.game.format(case)

    def nothing(self) -> str:
        """Why there may be no case."""
        return f"nothing to check: {self.game.name} has no positions"


@with_tests
class FunctionGameTests(RulesTests):
    """Tests for a rules module: inherit and define `game`; each check is a test ``test_<name>``.

    Attributes
    ----------
    samples, seed : int
        As for `tablebase.testing.check_rules`.

    Examples
    --------
    ::

        from tablebase_rules import noughts
        from tablebase.testing import FunctionGameTests


        class TestNoughts(FunctionGameTests):
            def game(self):
                return noughts.game()
    """

    checks = FUNCTION_CHECKS
    samples = 2000
    seed = 0

    def game(self) -> FunctionGame[Any]:
        """The game under test."""
        return super().game()  # type: ignore[no-any-return]

    def bench(self) -> FunctionBench:
        """The game, and how closely to check it."""
        return FunctionBench(self.game(), self.samples, self.seed)
