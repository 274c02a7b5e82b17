"""A test suite for rules as functions that any author can run.

`tablebase.testing.check_rules` runs all checks on a game; `StochasticGameTests` is the same as a pytest class to inherit
from. Most cases are states of random play, in which all outcomes of chance are taken equally often, so that rare ones are
seen, too. A check ends at the first fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from tablebase.errors import RulesError
from tablebase.game.stochastic import State, StochasticGame
from tablebase.testing.checks import Check, CheckResult, RulesTests, run, with_tests
from tablebase.testing.contract import CONTRACT, positions
from tablebase.testing.playouts import following, playout

LONGEST = 5000
"""A game of random play with more states is not expected to end."""
STATES_A_GAME = 100
"""One game is played to its end for this many states of other checks."""
KNOWN_DIGEST = "digest"
"""Where `StochasticGame.digest` keeps what it has computed."""
COMPILED = "tablebase.testing.kernel_faults"
"""Imported only where a game has kernels, since it loads Numba."""


def check_states(game: Any, *, samples: int = 2000, seed: int = 0) -> list[CheckResult]:
    """Run all checks that apply to a game; see `tablebase.testing.check_rules`."""
    return [run(check, _Bench(game, samples, seed)) for check in STATE_CHECKS if check.applies(game)]


class _Bench(NamedTuple):
    """A game, and how closely to check it."""

    game: StochasticGame
    samples: int
    seed: int

    def describe(self, case: Any) -> str:
        """A state as text, or whatever the case is."""
        return self.game.format(case) if isinstance(case, tuple) else str(case or self.game.name)

    def nothing(self) -> str:
        """Why there may be no case."""
        return f"nothing to check: {self.game.name} has no states"


class Playout(NamedTuple):
    """A game of random play."""

    ended: bool  # False if it was broken off
    states: int  # how many it had


# Where cases come from.


def _games(bench: _Bench, rng: Random) -> Iterator[Playout]:
    """Games of random play; each is broken off where no end is in sight."""
    for _ in range(1 + bench.samples // STATES_A_GAME):
        states = list(islice(playout(bench.game, rng), LONGEST))
        yield Playout(not following(bench.game, states[-1]), len(states))


def _ended(playouts: list[Playout]) -> str:
    """How many games came to their ends."""
    games, longest = len(playouts), max(playout.states for playout in playouts)
    endless = sum(not playout.ended for playout in playouts)
    if endless:
        return f"Random play may go on for ever: {endless} of {games} games had not ended after {LONGEST:,} states."
    return f"Random play ends: {games} games had {longest:,} states at most."


def _states_and_numbers(bench: _Bench, rng: Random) -> Iterator[State | int]:
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


def _no_fault(_: StochasticGame, __: Playout) -> None:
    """That random play goes on for ever is worth knowing, but no fault."""


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


def digest_fault(game: StochasticGame, how: str) -> str | None:
    """Options that are no options, or a digest that changes when the game is built again."""
    for name, value in game.options.items():
        if type(name) is not str or type(value) not in (int, str):
            return f"the option {name!r} is {value!r}, but options are words with whole numbers or words"
    again = deepcopy(game)
    vars(again).pop(KNOWN_DIGEST, None)
    return None if again.digest == game.digest else f"built again {how}, {game.name} has digest {again.digest}, not {game.digest}"


STATE_CHECKS = (
    *CONTRACT,
    Check("states", "What follows a state is a state, of as many whole numbers as the start.", positions, state_fault),
    Check("play", "Random play can be played.", _games, _no_fault, sums_up=_ended),
    Check("digest", "The digest is the same when the game is built again.", lambda *_: ["from a copy"], digest_fault),
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

    def bench(self) -> _Bench:
        """The game, and how closely to check it."""
        return _Bench(self.game(), self.samples, self.seed)
