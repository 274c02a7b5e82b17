"""A test suite for rules as functions that any author can run.

`tablebase.testing.check_rules` runs all checks on a game; `StochasticGameTests` is the same as a pytest class to inherit
from. Most cases are states of random play, in which all outcomes of chance are taken equally often, so that rare ones are
seen, too. A check ends at the first fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

from tablebase.errors import RulesError
from tablebase.game.stochastic import State, StochasticGame
from tablebase.testing.checks import Check, CheckResult, RulesTests, run, with_tests
from tablebase.testing.contract import CONTRACT, positions
from tablebase.testing.functions import DIGEST, PICTURES, PLAY, WORDS, Bench
from tablebase.testing.playouts import following

COMPILED = "tablebase.testing.kernel_faults"
"""Imported only where a game has kernels, since it loads Numba."""


def check_states(game: Any, *, samples: int = 2000, seed: int = 0) -> list[CheckResult]:
    """Run all checks that apply to a game; see `tablebase.testing.check_rules`."""
    return [run(check, Bench(game, samples, seed)) for check in STATE_CHECKS if check.applies(game)]


def _states_and_numbers(bench: Bench, rng: Random) -> Iterator[State | int]:
    """States of random play, and numbers of a table: all of them if they are few."""
    size = bench.game.region({}).size
    yield from positions(bench, rng)
    yield from range(size) if size <= bench.samples else (rng.randrange(size) for _ in range(bench.samples))


# What is checked.


def _compiled(name: str) -> Callable[[Any, Any], Any]:
    """A function of the module about kernels, which is loaded only if it is called."""

    def call(first: Any, second: Any) -> Any:
        return getattr(import_module(COMPILED), name)(first, second)

    return call


def _has_kernels(game: StochasticGame) -> bool:
    return game.kernels() is not None


def _has_evaluation(game: StochasticGame) -> bool:
    return _has_kernels(game) and game.evaluation({}) is not None


def _has_region(game: StochasticGame) -> bool:
    """Whether tables of the game have numbers of its own; a variant with kernels need not have tables."""
    if not _has_kernels(game):
        return False
    try:
        game.region({})
    except RulesError:
        return False
    return True


# Faults that plain functions show.


def _shape_fault(game: StochasticGame, state: Any) -> str | None:
    """Why something is no state."""
    if not isinstance(state, tuple) or any(type(number) is not int for number in state):
        return f"{state!r} is not a tuple of whole numbers"
    if len(state) != len(game.start):
        return f"{state!r} has {len(state)} numbers, but the start has {len(game.start)}"
    return None


def state_fault(game: StochasticGame, state: State) -> str | None:
    """Something that follows a state and is none, or a move's code that is not a number."""
    for after in (state, *following(game, state)):
        if (fault := _shape_fault(game, after)) is not None:
            return f"after {game.format(state)}: {fault}"
    wrong = next((code for code in game.moves(state) if type(code) is not int), None)
    return None if wrong is None else f"{game.format(state)} has a move with the code {wrong!r}, which is not a whole number"


STATE_CHECKS = (
    *CONTRACT,
    Check("states", "What follows a state is a state, of as many whole numbers as the start.", positions, state_fault),
    PLAY,
    DIGEST,
    WORDS,
    PICTURES,
    Check("kernels", "The compiled functions do what the plain ones do.", positions, _compiled("kernels_fault"), _has_kernels),
    Check("index", "States and numbers lead to each other.", _states_and_numbers, _compiled("index_fault"), _has_region),
    Check("layers", "No move leads to a later layer.", _compiled("paths"), _compiled("layers_fault"), _has_region),
    Check("evaluation", "States have values for each player.", positions, _compiled("evaluation_fault"), _has_evaluation),
)
"""All checks of a `StochasticGame`."""


@with_tests
class StochasticGameTests(RulesTests):
    """Tests for a rules module: inherit and define `game`; each check is a test ``test_<name>``.

    Attributes
    ----------
    samples, seed : int
        As for `tablebase.testing.check_rules`.

    Examples
    --------
    ::

        from tablebase_rules import pig
        from tablebase.testing import StochasticGameTests


        class TestPig(StochasticGameTests):
            def game(self):
                return pig.game()
    """

    checks = STATE_CHECKS
    samples = 2000
    seed = 0

    def game(self) -> StochasticGame:
        """The game under test."""
        return super().game()  # type: ignore[no-any-return]

    def bench(self) -> Bench:
        """The game, and how closely to check it."""
        return Bench(self.game(), self.samples, self.seed)
