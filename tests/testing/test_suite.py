"""The conformance suite passes good rules, and each check finds the fault that it is there for."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from support import toys
from support.checks import thinned
from support.pigs import failures, only_failure

from tablebase.errors import NotationError
from tablebase.game import Game, Kind, Side, Step
from tablebase.game.moves import Position, legal_moves, mirrored, play
from tablebase.positions import material
from tablebase.positions.indexing import Layout
from tablebase.positions.location import Location, locate
from tablebase.positions.material import Material, parse_material
from tablebase.testing import FUNCTION_CHECKS, STATE_CHECKS, FunctionGameTests, StochasticGameTests, piece_checks
from tablebase.testing import suite as testing
from tablebase.testing.checks import Check
from tablebase.testing.contract import CONTRACT
from tablebase.testing.suite import CHECKS, GameTests, check_rules, random_position
from tablebase_rules import doushouqi

POND, HUNT, PACERS = toys.pond(), toys.hunt(), toys.pacers()
"""Rats walk, others jump, and a side wins in the other den, with both symmetries; like hounds never go back, with none."""
NO_SYMMETRY = [check.name for check in CHECKS if check.name not in ("mirror", "swap")]


class Forgetful(Game):
    """A game whose digest depends on where in memory it is."""

    @property
    def digest(self) -> str:
        """Something else for each object."""
        return str(id(self))


class TestHunt(GameTests):
    """A game without symmetries and with steps of no return passes, two tests skipped."""

    samples = 500

    def game(self) -> Game:
        """Hounds against a fox and a cub."""
        return HUNT


def recast(game: Game, cls: type[Game]) -> Game:
    """The same rules as a subclass of `Game`."""
    return cls(**{field.name: getattr(game, field.name) for field in fields(game)})


def with_steps(game: Game, change: Callable[[Kind, Step], list[Step]]) -> Game:
    """The game with each step replaced by these."""
    kinds = [replace(kind, steps=tuple(new for step in kind.steps for new in change(kind, step))) for kind in game.kinds]
    return replace(game, kinds=tuple(kinds))


@pytest.mark.parametrize("game", [doushouqi.game(), POND, HUNT], ids=lambda game: game.name)
def test_good_rules_pass(game: Game) -> None:
    """They have no failures, and each check has looked at something."""
    results = check_rules(game, samples=150)
    assert [result.failure for result in results if result.failure] == []
    assert all(result.cases > 0 and result.shows.endswith(".") for result in results)


def test_checks_of_missing_symmetries_are_left_out() -> None:
    """A game without mirror and colour swap has no results for them, rather than passed ones."""
    assert [result.name for result in check_rules(HUNT, samples=10)] == NO_SYMMETRY
    assert [result.name for result in check_rules(POND, samples=10)] == [check.name for check in CHECKS]


UPSIDE_DOWN = tuple(POND.board.numbers[f, 3 - r] for f, r in POND.board.cells)
ERRORS: dict[str, tuple[Callable[[], Game], str, str]] = {
    "a step listed twice": (
        lambda: with_steps(POND, lambda kind, step: [step, step][: 1 + (kind.name == "R")]),
        "steps",
        "can be taken back in 2 ways from",
    ),
    "goals change places in the mirror": (lambda: replace(POND, mirror=UPSIDE_DOWN), "mirror", "is legal, but"),
    "goals stay with the other colour": (lambda: replace(POND, swap=tuple(range(12))), "swap", "is legal, but"),
    "a start with more pieces than any slice": (
        lambda: replace(POND, max_pieces=5),
        "children",
        "RTLvRTL, which is not a slice of the game (max_pieces is 5)",
    ),
    "a start that is no position": (
        lambda: replace(POND, start="l1t/1r1/1R1/T1X w"),
        "spelling",
        "'l1t/1r1/1R1/T1X w' is not a position: 'X'",
    ),
    "a start in an odd spelling": (
        lambda: replace(POND, start="l1t/1r1/1R1/T1L W"),
        "spelling",
        "the start 'l1t/1r1/1R1/T1L W' must be written 'l1t/1r1/1R1/T1L w'",
    ),
    "a side whose letter is a blank": (
        lambda: replace(POND, sides=(Side("w", "White"), Side(" ", "Black"))),
        "materials",
        "' is not a position: write the ranks from top to bottom, with digits for empty squares, and the side to move",
    ),
    "a symbol that is two letters in upper case": (
        lambda: replace(PACERS, kinds=(PACERS.kinds[0], replace(PACERS.kinds[1], symbol="ß")), start="ß1/A1 w"),
        "materials",
        "vSS', which is read as Black has no piece 'S'",
    ),
    "a digest that changes": (
        lambda: recast(POND, Forgetful),
        "digest",
        "built again from a pickle, pond has digest",
    ),
}


@pytest.mark.parametrize(("make", "check", "said"), thinned(ERRORS.values(), 2), ids=ERRORS)
def test_a_error_of_the_rules_is_found(make: Callable[[], Game], check: str, said: str) -> None:
    """Its check says what is wrong; where a text cannot be read, the checks of every game say so, too."""
    found = failures(make())
    assert said in found.pop(check)
    assert found.keys() <= ({one.name for one in CONTRACT} if check in ("spelling", "materials") else set())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _, step: [replace(step, empty=frozenset())], "can be taken back in 0 ways from"),
        (lambda _, step: [] if step.empty else [step], "but is not legal in"),
    ],
    ids=["a move without a way back", "a way back without a move"],
)
def test_moves_that_differ_from_their_ways_back(change: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`steps` finds both; rules alone cannot cause that, so jumpers jump over pieces, or not at all."""
    other = with_steps(POND, change)
    monkeypatch.setattr(piece_checks, "legal_moves", lambda _, position: legal_moves(other, position))
    failure = only_failure(POND, "steps")
    assert said in failure
    assert failure.split()[0] in "TLtl"


def closed_a3(_: Game, position: Position) -> None:
    if 6 in [square for _, square in position.pieces]:
        raise NotationError("nothing can stand on a3")


def without_mirror(layout: Layout, squares: list[int]) -> int:
    flips, layout._flips = layout._flips, [False] * len(layout._flips)
    number = INDEX(layout, squares)
    layout._flips = flips
    return number


def backwards(honest: Callable[..., Any]) -> Callable[..., Any]:
    return lambda layout, many: honest(layout, many[::-1].copy())


def crossed(game: Game, own: Material, side: int) -> Location:
    way = locate(game, own, side)
    return replace(way, pairing=way.pairing[::-1])


def endless(game: Game, rng: Random, position: Position) -> Iterator[Position]:
    """Play goes on in the den."""
    while moves := legal_moves(game, position):
        yield position
        position = play(position, rng.choice(moves))


INDEX = Layout.index
LIES: dict[str, tuple[Any, str, Callable[..., Any], str, str]] = {
    "an image off the squares": (piece_checks, "check_pieces", closed_a3, "mirror", " is not a position: nothing can stand on a3"),
    "an image of an image that is another position": (
        piece_checks,
        "mirrored",
        lambda game, position: mirrored(game, position)._replace(side=0),
        "mirror",
        ", but the image of that is ",
    ),
    "a capture into a material that is not listed": (
        piece_checks,
        "materials",
        lambda game, n: [one for one in material.materials(game, n) if one.kinds != (0, 3)],
        "children",
        "leads to RvR, which is not a slice",
    ),
    "an index of another position": (
        Layout,
        "index",
        lambda self, squares: INDEX(self, squares) // 2,
        "index",
        "but the index of this position is",
    ),
    "an index that forgets the mirror": (Layout, "index", without_mirror, "index", "is that of another position"),
    "other squares of many": (
        Layout,
        "squares_many",
        backwards(Layout.squares_many),
        "index",
        "other positions",
    ),
    "other indices of many": (
        Layout,
        "index_many",
        backwards(Layout.index_many),
        "index",
        "other indices",
    ),
    "an alias with pieces exchanged": (piece_checks, "locate", crossed, "aliases", "which has other moves"),
    "play that leaves the stored positions": (testing, "playout", endless, "stored", "cannot stand on b"),
}


@pytest.mark.parametrize(("owner", "name", "lie", "check", "said"), LIES.values(), ids=LIES)
def test_what_rules_alone_cannot_cause(
    owner: Any, name: str, lie: Callable[..., Any], check: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package's own functions are made to lie, and the check finds it; a `Game` refuses most of such rules."""
    monkeypatch.setattr(owner, name, lie)
    # What is known of a game is kept, and by its title this is another one.
    assert said in failures(replace(POND, title=f"{name} {check} {said}"))[check]


@pytest.mark.release
def test_one_wrong_step_in_a_corner_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A single capture that is missing on one square of the real game does not depend on random positions."""
    # The other checks, of as many positions, take long.
    monkeypatch.setattr(testing, "CHECKS", [check for check in CHECKS if check.name in ("steps", "mirror", "swap")])
    game = doushouqi.game()
    c9, c8 = game.board.squares("c9 c8")

    def blunt(kind: Kind, step: Step) -> list[Step]:
        wrong = (kind.symbol, step.origin, step.target) == ("e", c8, c9)
        return [replace(step, victims=step.victims - {"R"}) if wrong else step]

    scenes = sum(len(kind.squares) + sum(len(step.victims) + len(step.empty) for step in kind.steps) for kind in game.kinds)
    found = failures(with_steps(game, blunt), samples=-(-scenes // testing.SCENES))
    assert found.keys() == {"mirror", "swap"}
    assert "c8c9" in found["mirror"]
    assert "e8e9" in found["mirror"]


def test_rules_without_a_digest_never_raise() -> None:
    """Squares of a type that the digest cannot write make failures, not exceptions."""
    kinds = tuple(replace(kind, squares=tuple(np.array(kind.squares))) for kind in POND.kinds)
    found = failures(replace(POND, kinds=kinds), samples=10)
    assert found["digest"] == "TypeError: Object of type int64 is not JSON serializable (case: from a pickle)"


def test_nothing_to_look_at_is_a_failure() -> None:
    """A check that found no case does not pass."""
    found = {result.name: result.failure for result in check_rules(POND, pieces=1, samples=10)}
    assert found["materials"] == "nothing to check: pond has no positions of 2 to 1 pieces"


def test_a_test_class_skips_what_does_not_apply() -> None:
    """A test of a symmetry that the game does not have is skipped by name."""
    with pytest.raises(SkipTest, match="hunt has no swap"):
        TestHunt().run_check("swap")


@pytest.mark.parametrize(
    ("suite", "checks"), [(GameTests, CHECKS), (StochasticGameTests, STATE_CHECKS), (FunctionGameTests, FUNCTION_CHECKS)]
)
def test_each_check_is_a_test(suite: Any, checks: list[Check]) -> None:
    """A suite has one documented test for each check and no other, and says what is missing when it is told no game."""
    tests = {name: test.__doc__ for name, test in vars(suite).items() if name.startswith("test_")}
    assert tests == {f"test_{check.name}": check.shows for check in checks}
    with pytest.raises(NotImplementedError, match=f"{suite.__name__} must define game"):
        suite().run_check(checks[0].name)


def test_random_positions_are_uniform() -> None:
    """All placements of identical and different pieces that may clash come about equally often, both sides to move."""
    game, rng = toys.sisters(), Random(0)
    counts = Counter(random_position(game, parse_material(game, "AAvC"), rng) for _ in range(20_000))
    assert len(counts) == 2 * 6 * 5 * 4 // 2
    assert max(counts.values()) < 2 * min(counts.values())


def test_a_slice_without_room_is_no_error() -> None:
    """Rules may well have materials that cannot be set up; the others are looked at. Nothing moves, so the start is an end."""
    kinds = tuple(replace(kind, squares=(4, 7), steps=()) for kind in POND.kinds)
    assert list(failures(replace(POND, kinds=kinds, start="3/1r1/1R1/3 w"))) == ["start"]


def test_the_suite_needs_no_test_tools() -> None:
    """Importing the suite loads neither pytest nor hypothesis, nor a compiler."""
    code = "import sys, tablebase.testing; print({'pytest', 'hypothesis', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
