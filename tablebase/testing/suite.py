"""A test suite for rules modules that any author can run.

`check_rules` runs all checks on a game and returns their results; `GameTests` is the same as a pytest class to inherit from. A
check tries many *cases*, most of them positions, and ends at the first error. Some positions are *scenes*, set up so that every
single step is tested and finding a slip in one corner of the board does not depend on luck; the others are random.

Errors that `Game` already rejects are not checked again. The checks of games by functions are in `tablebase.testing.functions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, islice, repeat
from random import Random
from typing import Any

from tablebase.errors import RulesError
from tablebase.game import Game
from tablebase.game.capabilities import part
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.game.rules import Rules
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import stored_materials
from tablebase.positions.material import Material, material_name, materials
from tablebase.testing.checks import Bench, Check, CheckResult, RulesTests, run
from tablebase.testing.contract import CONTRACT, playout
from tablebase.testing.piece_checks import (
    REBUILDS,
    aliases_error,
    children_error,
    digest_error,
    index_error,
    material_error,
    mirror_error,
    placement_error,
    spelling_error,
    steps_error,
    stored_error,
    swap_error,
)

TRIES = 1000  # placements drawn before a material counts as impossible to set up
SCENES = 10  # most scenes for each random position
PLIES = 100  # moves after which random play restarts


def check_rules(game: Rules[Any], *, pieces: int = 3, samples: int = 2000, seed: int = 0) -> list[CheckResult]:
    """Run all checks that apply to a game.

    Parameters
    ----------
    game : Game, FunctionGame or StochasticGame
        Game under test.
    pieces : int
        Maximum number of pieces in random positions.
    samples : int
        Number of random positions or states for each check; also limits the number of positions set up to test single moves.
    seed : int
        Seed for the random positions.

    Returns
    -------
    list of CheckResult
        The result of each check; a failed check does not raise an exception.

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> [result.failure for result in check_rules(load_game("doushouqi"), samples=10) if result.failure]
    []
    """
    bench = Bench(game, samples, seed, pieces)
    return [run(check, bench) for check in part(game, "checks") if check.applies(game)]


def random_position(game: Game, material: Material, rng: Random) -> Position:
    """Return a random position with the pieces of a material; all placements are equally likely, and so are both sides to move.

    Raises
    ------
    RulesError
        If no placement is found because too few squares are available.
    """
    counts = {kind: material.kinds.count(kind) for kind in material.kinds}
    if all(count <= len(game.kinds[kind].squares) for kind, count in counts.items()):
        for _ in range(TRIES):
            # On a clash all pieces are drawn again: redrawing only one of them would make some placements likelier.
            pieces = [(kind, square) for kind, count in counts.items() for square in rng.sample(game.kinds[kind].squares, count)]
            if _are_apart(pieces):
                return Position(tuple(sorted(pieces)), rng.randrange(2))
    raise RulesError(f"{game.name}: no placement found for {material_name(game, material)}")


# Where cases come from.

_Pieces = tuple[tuple[int, int], ...]


def _are_apart(pieces: Iterable[tuple[int, int]]) -> bool:
    squares = [square for _, square in pieces]
    return len(set(squares)) == len(squares)


def _counts(bench: Bench) -> range:
    return range(2, min(bench.pieces, bench.game.max_pieces) + 1)


def _stored(bench: Bench, _: Random) -> list[Material]:
    game = bench.game
    return [one for count in _counts(bench) for one in stored_materials(game, count) if layout_of(game, one).size]


def _random(bench: Bench, rng: Random) -> Iterator[Position]:
    pool = [material for count in _counts(bench) for material in materials(bench.game, count)]
    seen = 0
    while pool and seen < bench.samples:
        material = rng.choice(pool)
        try:
            yield random_position(bench.game, material, rng)
            seen += 1
        except RulesError:
            # Not an error: a slice may be empty, for example if it has more pieces than squares.
            pool.remove(material)


def _starts(game: Game) -> list[Position]:
    return [parse(game, game.start)] if spelling_error(game, game.start) is None else []


def _random_play(bench: Bench, rng: Random) -> Iterator[Position]:
    """Yield positions of random play, one half from the initial position and one half from random positions."""
    starts = chain.from_iterable(repeat(_starts(bench.game), bench.samples))
    for firsts in (starts, _random(bench, rng)):
        positions = chain.from_iterable(islice(playout(bench.game, rng, first), PLIES) for first in firsts)
        yield from islice((position for position in positions if not position.won), bench.samples)


def _scenes(game: Game, rng: Random) -> Iterator[_Pieces]:
    """Yield pieces that test a step, the moving piece first: alone on each square, with each victim, or with a blocker."""
    for number, kind in enumerate(game.kinds):
        yield from (((number, square),) for square in kind.squares)
        for step in kind.steps:
            yield from (((number, step.origin), (game.by_symbol[victim], step.target)) for victim in sorted(step.victims))
            for square in sorted(step.empty):
                blockers = [other for other, other_kind in enumerate(game.kinds) if square in other_kind.squares]
                yield from (((number, step.origin), (blocker, square)) for blocker in rng.sample(blockers, min(1, len(blockers))))


def _set_up(game: Game, scene: _Pieces, rng: Random) -> Position | None:
    """Return the pieces as a position, with a random piece for a side without pieces; None if the position is invalid."""
    occupied = {square for _, square in scene}
    missing = {0, 1} - {game.side_of(kind) for kind, _ in scene}
    candidates = [piece for side in missing for piece in _homes(game, side) if piece[1] not in occupied]
    pieces = (*scene, *rng.sample(candidates, min(1, len(candidates))))
    position = Position(tuple(sorted(pieces)), game.side_of(scene[0][0]))
    return position if _are_apart(pieces) and placement_error(game, position) is None else None


@cache
def _homes(game: Game, side: int) -> _Pieces:
    return tuple((number, square) for number, kind in enumerate(game.kinds) if kind.side == side for square in kind.squares)


def _staged(bench: Bench, rng: Random) -> Iterator[Position]:
    scenes = list(_scenes(bench.game, rng))
    # If only a few are used, they should be a fair sample.
    rng.shuffle(scenes)
    positions = (_set_up(bench.game, scene, rng) for scene in scenes[: SCENES * bench.samples])
    return chain((position for position in positions if position is not None), _random(bench, rng))


CHECKS = (
    *CONTRACT,
    Check("steps", "Each quiet step can be taken back in exactly one way, and vice versa.", _staged, steps_error),
    Check("mirror", "The mirror is an involution and maps moves to moves.", _staged, mirror_error, lambda game: bool(game.mirror)),
    Check("swap", "Colour swap is an involution and maps moves to moves.", _staged, swap_error, lambda game: bool(game.swap)),
    Check(
        "children",
        "Every move ends the game, or leads to a set of pieces that the rules allow.",
        lambda bench, rng: chain(_starts(bench.game), _random(bench, rng)),
        children_error,
    ),
    Check("index", "Converting positions to indices and back returns equal positions, singly and in arrays.", _stored, index_error),
    Check("aliases", "A position has the same moves as the equivalent position that tables store.", _random, aliases_error),
    Check("stored", "Random play only reaches positions that tables store.", _random_play, stored_error),
    Check("spelling", "The initial position is written in standard notation.", lambda bench, _: [bench.game.start], spelling_error),
    Check("materials", "Parsing a formatted position or material returns an equal object.", _random, material_error),
    Check("digest", "The digest is the same for a new copy of the game.", lambda *_: REBUILDS, digest_error),
)
"""All checks."""


class GameTests(RulesTests):
    """Tests for a game with pieces on squares; define the method `game` in a subclass. Each check is a test ``test_<name>``.

    Attributes
    ----------
    pieces, samples, seed : int
        Arguments of `check_rules`.

    Examples
    --------
    ::

        from tablebase_rules import hexapawn
        from tablebase.testing import GameTests


        class TestHexapawn(GameTests):
            def game(self):
                return hexapawn.game()
    """

    checks = CHECKS


__all__ = ["CHECKS", "CheckResult", "GameTests", "check_rules", "random_position"]
