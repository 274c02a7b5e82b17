"""Base of the conformance suites for rules modules: checks, how they are run, and how they become tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple
from unittest import SkipTest

from tablebase.errors import RulesError
from tablebase.game.guards import advice
from tablebase.game.rules import Rules
from tablebase.system.compute.messages import brief


@brief
@dataclass(frozen=True)
class CheckResult:
    """The result of a check."""

    name: str  # one word
    shows: str  # what holds if there is no failure, as a sentence
    cases: int  # number of positions (materials, states, …) checked
    failure: str | None  # the first error, as a sentence that names where it was found; None if there is no error


class Bench(NamedTuple):
    """A game, and the extent of the checks; the fields are the parameters of `tablebase.testing.check_rules`."""

    game: Any
    samples: int
    seed: int
    pieces: int

    def nothing(self) -> str:
        """Explain why a check may have no test cases."""
        cases = f"positions of 2 to {self.pieces} pieces" if "materials" in self.game.can else "states"
        return f"nothing to check: {self.game.name} has no {cases}"


class Check(NamedTuple):
    """A check, with its test cases and a function that returns the error message for a case, or None if the case passes."""

    name: str
    shows: str
    cases: Callable[[Any, Random], Iterable[Any]]  # given the bench and the check's own random numbers
    error: Callable[[Any, Any], str | None]  # given the game and a case
    applies: Callable[[Any], bool] = lambda _: True  # whether a game has what the check is about
    # Given all cases: the sentence that takes the place of `shows` after a check without a failure.
    sums_up: Callable[[list[Any]], str] | None = None


def run(check: Check, bench: Bench) -> CheckResult:
    """Run a check on its cases up to the first error."""
    # Its own random numbers make a check find the same errors alone as among the others.
    rng = Random(f"{check.name} {bench.seed}")
    seen: list[Any] = []
    failure = None
    try:
        for case in check.cases(bench, rng):
            seen.append(case)
            failure = check.error(bench.game, case)
            if failure is not None:
                break
        else:
            # A check without cases must not pass.
            failure = None if seen else bench.nothing()
    except RulesError as error:
        failure = str(error).removesuffix(advice(bench.game))
    except Exception as error:
        # Rules can fail in unforeseen ways; their author needs the case, not a traceback through this file.
        failure = f"{type(error).__name__}: {error} (case: {_described(bench.game, seen[-1] if seen else None)})"
    shows = check.shows if failure is not None or check.sums_up is None else check.sums_up(seen)
    return CheckResult(check.name, shows, len(seen), failure)


def _described(game: Rules[Any], case: Any) -> str:
    if case is None or isinstance(case, str):
        return case or game.name
    try:
        return game.format(case)
    except Exception:
        return str(case)


class RulesTests:
    """Base class for the test suites of rules; each check is a test. See `tablebase.testing.GameTests`."""

    checks: tuple[Check, ...] = ()
    pieces = 3
    samples = 2000
    seed = 0

    def __init_subclass__(cls) -> None:
        # A test for each check, so that none can be missing.
        for check in vars(cls).get("checks", ()):
            setattr(cls, f"test_{check.name}", _as_test(check))

    def game(self) -> Any:
        """Return the game under test."""
        raise NotImplementedError(f"{type(self).__name__} must define game(): add a method that returns the game to test")

    def run_check(self, name: str) -> None:
        """Run the check with this name; fail with its error message, or skip the test if the check does not apply."""
        bench = Bench(self.game(), self.samples, self.seed, self.pieces)
        check = next(check for check in self.checks if check.name == name)
        if not check.applies(bench.game):
            # pytest treats this as its own skip, so the package need not import pytest.
            raise SkipTest(f"{bench.game.name} has no {name}")
        failure = run(check, bench).failure
        if failure is not None:
            raise AssertionError(failure)


def _as_test(check: Check) -> Callable[[RulesTests], None]:
    def test(self: RulesTests) -> None:
        self.run_check(check.name)

    test.__doc__ = check.shows
    return test
