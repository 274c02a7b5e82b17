"""A test suite for rules as functions without chance that any author can run.

`tablebase.testing.check_rules` runs all checks on a game; `FunctionGameTests` is the same as a pytest class to inherit from.
Most cases are positions of random play. A check ends at the first fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from tablebase.errors import NotationError, RulesError
from tablebase.game.functions import FunctionGame
from tablebase.game.rules import legal
from tablebase.game.symmetry import canonical_fault, has_symmetries
from tablebase.testing.checks import Check, CheckResult, RulesTests, run, with_tests
from tablebase.testing.contract import CONTRACT, positions
from tablebase.testing.playouts import following, playout

LONGEST = 5000
"""A game of random play with more positions is not expected to end."""
A_PICTURE = 10
"""One of this many positions is drawn, which takes longer than all else."""
POSITIONS_A_GAME = 100
"""One game is played to its end for this many positions of other checks."""
KNOWN_DIGEST = "digest"
"""Where `FunctionGame.digest` keeps what it has computed."""
NONSENSE = ("", "?", "nonsense of no game", "-1")
"""Texts that are positions of no game."""


def check_functions(game: Any, *, samples: int = 2000, seed: int = 0) -> list[CheckResult]:
    """Run all checks that apply to a game; see `tablebase.testing.check_rules`."""
    return [run(check, Bench(game, samples, seed)) for check in FUNCTION_CHECKS if check.applies(game)]


class Bench(NamedTuple):
    """A game, and how closely to check it."""

    game: Any
    samples: int
    seed: int

    def describe(self, case: Any) -> str:
        """A position as text, or whatever the case is."""
        return str(case or self.game.name) if isinstance(case, str) else str(self.game.format(case))

    def nothing(self) -> str:
        """Why there may be no case."""
        return f"nothing to check: {self.game.name} has no states"


class Playout(NamedTuple):
    """A game of random play."""

    ended: bool  # False if it was broken off
    positions: int  # how many it had


# Where cases come from.


def _games(bench: Bench, rng: Random) -> Iterator[Playout]:
    """Games of random play; each is broken off where no end is in sight."""
    for _ in range(1 + bench.samples // POSITIONS_A_GAME):
        played = list(islice(playout(bench.game, rng), LONGEST))
        yield Playout(not following(bench.game, played[-1]), len(played))


def _ended(playouts: list[Playout]) -> str:
    """How many games came to their ends."""
    games, longest = len(playouts), max(playout.positions for playout in playouts)
    endless = sum(not playout.ended for playout in playouts)
    if endless:
        return f"Random play may go on for ever: {endless} of {games} games had not ended after {LONGEST:,} states."
    return f"Random play ends: {games} games had {longest:,} states at most."


def _texts(bench: Bench, rng: Random) -> Iterator[str]:
    """What is no position, and positions with a letter too many, too few, or in another place."""
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


def _to_draw(bench: Bench, rng: Random) -> Iterator[Any]:
    """A few positions of random play."""
    return islice(positions(bench, rng), 0, None, A_PICTURE)


# What is checked.


def _no_fault(_: Any, __: Playout) -> None:
    """That random play goes on for ever is worth knowing, but no fault."""


def digest_fault(game: FunctionGame[Any], how: str) -> str | None:
    """Options that are no options, or a digest that changes when the game is built again."""
    for name, value in game.options.items():
        if type(name) is not str or type(value) not in (int, str):
            return f"the option {name!r} is {value!r}, but options are words with whole numbers or words"
    again = deepcopy(game)
    vars(again).pop(KNOWN_DIGEST, None)
    return None if again.digest == game.digest else f"built again {how}, {game.name} has digest {again.digest}, not {game.digest}"


def words_fault(game: FunctionGame[Any], position: Any) -> str | None:
    """Moves or a position without words for people."""
    for move in legal(game, position):
        if not game.move_text(position, move).strip():
            return f"the move {move} in {game.format(position)} is called nothing by move_text"
    if not game.described(position).strip():
        return f"{game.format(position)} is described by nothing"
    return None


def picture_fault(game: FunctionGame[Any], position: Any) -> str | None:
    """A drawing that fails, or a picture that is none."""
    game.drawn(position)
    picture = game.svg(position)
    if picture is not None and not picture.lstrip().startswith("<svg"):
        return f"the picture of {game.format(position)} by svg begins with {picture[:20]!r}, not with <svg"
    return None


def nonsense_fault(game: FunctionGame[Any], text: str) -> str | None:
    """Text that is read though it means nothing, or refused by something else than a sentence."""
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
        return f"parse({text!r}) is {found!r}, which is written {game.format(found)!r} and not read again ({error})"
    written = f"written {game.format(found)!r} and read as {again!r}"
    return None if again == found else f"parse({text!r}) is {found!r}, which is {written}"


PLAY = Check("play", "Random play can be played.", _games, _no_fault, sums_up=_ended)
DIGEST = Check("digest", "The digest is the same when the game is built again.", lambda *_: ["from a copy"], digest_fault)
WORDS = Check("words", "Moves and positions have words for people.", positions, words_fault)
PICTURES = Check("pictures", "Positions can be drawn, and pictures are SVG.", _to_draw, picture_fault)
FUNCTION_CHECKS = (
    *CONTRACT,
    PLAY,
    DIGEST,
    WORDS,
    PICTURES,
    Check("nonsense", "Text that is no position is refused in a sentence.", _texts, nonsense_fault),
    Check("canonical", "A canonical position plays like all that it stands for.", positions, canonical_fault, has_symmetries),
)
"""All checks of a `FunctionGame` without chance."""


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

    def bench(self) -> Bench:
        """The game, and how closely to check it."""
        return Bench(self.game(), self.samples, self.seed)
