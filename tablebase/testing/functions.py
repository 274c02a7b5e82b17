"""Test suites for rules as functions, with chance and without, that any author can run.

`tablebase.testing.check_rules` runs all checks on a game; `FunctionGameTests` and `StochasticGameTests` are the same as pytest
classes to inherit from. Most cases are positions of random play, in which all outcomes of chance are taken equally often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from tablebase.errors import NotationError, RulesError
from tablebase.game.compiled import CompiledGame
from tablebase.game.functions import FunctionGame
from tablebase.game.rules import legal
from tablebase.game.stochastic import State, StochasticGame
from tablebase.game.symmetry import canonical_error, has_symmetries
from tablebase.testing.checks import Bench, Check, RulesTests
from tablebase.testing.compiled_checks import machine_error, positions_and_ranks, ranks_error, tiers_error, unmoves_error
from tablebase.testing.contract import CONTRACT, following, playout, positions

COMPILED = "tablebase.testing.kernel_checks"
"""Module that is only imported for games with kernels, because it loads Numba."""
LONGEST = 5000
"""Maximum number of positions of a random game; longer games are not expected to end."""
A_PICTURE = 10
"""Number of positions for each drawn picture, because drawing takes longer than all other checks."""
POSITIONS_A_GAME = 100
"""Number of positions of other checks for each game that is played to the end."""
KNOWN_DIGEST = "digest"
"""Name by which `FunctionGame.digest` keeps its result."""
NONSENSE = ("", "?", "nonsense of no game", "-1")
"""Texts that are not positions of any game."""


class Playout(NamedTuple):
    """A random game."""

    ended: bool  # False if it was broken off
    positions: int  # how many it had


# Where cases come from.


def _games(bench: Bench, rng: Random) -> Iterator[Playout]:
    for _ in range(1 + bench.samples // POSITIONS_A_GAME):
        played = list(islice(playout(bench.game, rng), LONGEST))
        yield Playout(not following(bench.game, played[-1]), len(played))


def _ended(playouts: list[Playout]) -> str:
    games, longest = len(playouts), max(playout.positions for playout in playouts)
    endless = sum(not playout.ended for playout in playouts)
    if endless:
        return f"Random play may never end: {endless} of {games} games had not ended after {LONGEST:,} states."
    return f"Random play ends: {games} games had {longest:,} states at most."


def _texts(bench: Bench, rng: Random) -> Iterator[str]:
    """Yield nonsense, and position texts with a repeated letter, a missing letter, or shuffled letters."""
    yield from NONSENSE
    for position in positions(bench, rng):
        letters = list(bench.game.format(position))
        place = rng.randrange(len(letters))
        change = rng.randrange(3)
        if change == 0:
            letters.insert(place, letters[place])
        elif change == 1:
            del letters[place]
        else:
            rng.shuffle(letters)
        yield "".join(letters)


def _states_and_numbers(bench: Bench, rng: Random) -> Iterator[State | int]:
    """Yield states of random play, and numbers of states in a table: all numbers of a small table, random ones otherwise."""
    size = bench.game.region({}).size
    yield from positions(bench, rng)
    yield from range(size) if size <= bench.samples else (rng.randrange(size) for _ in range(bench.samples))


# What is checked.


def digest_error(game: FunctionGame[Any], how: str) -> str | None:
    """Return the error of an option of the wrong type, or of a digest that changes if the game is built again."""
    for name, value in game.options.items():
        if type(name) is not str or type(value) not in (int, str):
            return f"the option {name!r} is {value!r}, but options are words with whole numbers or words"
    again = deepcopy(game)
    vars(again).pop(KNOWN_DIGEST, None)
    return None if again.digest == game.digest else f"built again {how}, {game.name} has digest {again.digest}, not {game.digest}"


def words_error(game: FunctionGame[Any], position: Any) -> str | None:
    """Return the error of a move or position without a description."""
    for move in legal(game, position):
        if not game.move_text(position, move).strip():
            return f"the move {move} in {game.format(position)} has an empty move_text"
    if not game.described(position).strip():
        return f"{game.format(position)} has an empty description"
    return None


def picture_error(game: FunctionGame[Any], position: Any) -> str | None:
    """Return the error of a picture that is not SVG."""
    game.drawn(position)
    picture = game.svg(position)
    if picture is not None and not picture.lstrip().startswith("<svg"):
        return f"the picture of {game.format(position)} by svg begins with {picture[:20]!r}, not with <svg"
    return None


def nonsense_error(game: FunctionGame[Any], text: str) -> str | None:
    """Return the error of invalid text that is accepted, or rejected with an exception other than `NotationError`."""
    try:
        found = game.parse(text)
    except NotationError:
        return None
    except RulesError as error:
        cause = error.__cause__ or error
        return f"parse({text!r}) raises {type(cause).__name__} ({cause}), but must raise NotationError"
    if text in NONSENSE:
        return f"parse({text!r}) is {found!r}, but must raise NotationError"
    try:
        again = game.parse(game.format(found))
    except NotationError as error:
        return f"parse({text!r}) is {found!r}, which is written {game.format(found)!r} and cannot be read again ({error})"
    written = f"written {game.format(found)!r} and read as {again!r}"
    return None if again == found else f"parse({text!r}) is {found!r}, which is {written}"


def state_error(game: StochasticGame, state: State) -> str | None:
    """Return the error of a next state that is not a valid state, or of a move code that is not a number."""
    for after in (state, *following(game, state)):
        if not isinstance(after, tuple) or any(type(number) is not int for number in after):
            return f"after {game.format(state)}: {after!r} is not a tuple of whole numbers"
        if len(after) != len(game.start):
            return f"after {game.format(state)}: {after!r} has {len(after)} numbers, but the start has {len(game.start)}"
    wrong = next((code for code in game.moves(state) if type(code) is not int), None)
    return None if wrong is None else f"{game.format(state)} has a move with the code {wrong!r}, which is not a whole number"


def _compiled(name: str) -> Callable[[Any, Any], Any]:
    return lambda first, second: getattr(import_module(COMPILED), name)(first, second)


def _has_kernels(game: StochasticGame) -> bool:
    return game.kernels() is not None


def _has_region(game: StochasticGame) -> bool:
    if not _has_kernels(game):
        return False
    try:
        game.region({})
    except RulesError:
        return False
    return True


def _is_compiled(game: FunctionGame[Any]) -> bool:
    return isinstance(game, CompiledGame)


# That random play never ends is worth knowing, but no error.
PLAY = Check("play", "Random games can be played.", _games, lambda *_: None, sums_up=_ended)
DIGEST = Check("digest", "The digest is the same for a new copy of the game.", lambda *_: ["from a copy"], digest_error)
WORDS = Check("words", "Moves and positions have descriptions.", positions, words_error)
PICTURES = Check(
    "pictures",
    "Positions can be drawn as SVG pictures.",
    lambda bench, rng: islice(positions(bench, rng), 0, None, A_PICTURE),
    picture_error,
)
FUNCTION_CHECKS = (
    *CONTRACT,
    PLAY,
    DIGEST,
    WORDS,
    PICTURES,
    Check("nonsense", "Invalid position texts are rejected with an error message.", _texts, nonsense_error),
    Check("canonical", "A position has the same moves as its canonical position.", positions, canonical_error, has_symmetries),
    Check("ranks", "A position has the same moves as the position of its rank.", positions_and_ranks, ranks_error, _is_compiled),
    Check("tiers", "Moves only lead to tiers that the method 'after' returns.", positions_and_ranks, tiers_error, _is_compiled),
    Check(
        "unmoves",
        "The function 'unmoves' returns exactly the previous positions.",
        positions_and_ranks,
        unmoves_error,
        lambda game: _is_compiled(game) and game.functions.unmoves is not None,
    ),
    Check("machine", "Compiled and plain functions return equal results.", positions_and_ranks, machine_error, _is_compiled),
)
"""All checks of a `FunctionGame` without chance."""
STATE_CHECKS = (
    *CONTRACT,
    Check("states", "All states consist of the same number of integers.", positions, state_error),
    PLAY,
    DIGEST,
    WORDS,
    PICTURES,
    Check("kernels", "Compiled and plain functions return equal results.", positions, _compiled("kernels_error"), _has_kernels),
    Check("index", "States and numbers correspond one to one.", _states_and_numbers, _compiled("index_error"), _has_region),
    Check("layers", "No move leads to a later layer.", _compiled("paths"), _compiled("layers_error"), _has_region),
    Check(
        "evaluation",
        "The evaluation has a value for each player.",
        positions,
        _compiled("evaluation_error"),
        lambda game: _has_kernels(game) and game.evaluation({}) is not None,
    ),
)
"""All checks of a `StochasticGame`."""


class FunctionGameTests(RulesTests):
    """Tests for games defined by functions, without chance; define the method `game` in a subclass, as in `GameTests`."""

    checks = FUNCTION_CHECKS


class StochasticGameTests(RulesTests):
    """Tests for games with chance or more than two players; define `game` in a subclass, as in `tablebase.testing.GameTests`."""

    checks = STATE_CHECKS
