"""A test suite for rules modules that any author can run.

`check_rules` puts a game through all checks and says what it found; `GameTests` is the same as a
pytest class to inherit from. A check looks at many *cases*, most of them positions, and ends at
the first fault. Some positions are *scenes*, set up so that every single step comes to the test and
a slip in one corner of the board does not depend on luck; the others are random.

What a `Game` refuses when it is made is not looked for again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice, repeat
from random import Random
from typing import Any, NamedTuple
from unittest import SkipTest

import numpy as np

from tablebase.errors import NotationError, RulesError
from tablebase.game import Game, Step
from tablebase.indexing import Layout, layout
from tablebase.material import Material, material_name, material_of, materials, parse_material, route, tables
from tablebase.moves import Move, Position, legal_moves, mirrored, play, swapped
from tablebase.notation import check_pieces, parse, render, render_move

TRIES = 1000  # placements drawn before a material counts as one that cannot be set up
SCENES = 10  # scenes for each random position that is asked for, at most
PLIES = 100  # moves after which random play starts anew
BATCH = 64  # indices looked at in each table
LISTED = 5  # pieces up to which a material is looked up in the list of all, which grows fast


@dataclass(frozen=True)
class CheckResult:
    """What a check found.

    Parameters
    ----------
    name : str
        One word.
    shows : str
        What holds if there is no failure, as a sentence.
    cases : int
        How many positions (tables, …) were looked at.
    failure : str or None
        The first fault as a sentence that names where it was found; None if there is none.
    """

    name: str
    shows: str
    cases: int
    failure: str | None


def check_rules(game: Game, *, pieces: int = 3, samples: int = 2000, seed: int = 0) -> list[CheckResult]:
    """Run all checks that apply to a game; a check of a symmetry that it does not have is left out.

    Parameters
    ----------
    game : Game
    pieces : int
        Pieces in random positions, at most.
    samples : int
        Random positions for each check; with few of them not every step is looked at either.
    seed : int
        Equal seeds give equal positions.

    Returns
    -------
    list of CheckResult
        A fault of the rules is a result with a failure, never an exception.

    Examples
    --------
    >>> from tablebase.registry import load_game
    >>> [result.failure for result in check_rules(load_game("doushouqi"), samples=10) if result.failure]
    []
    """
    return [_run(check, _Bench(game, pieces, samples, seed)) for check in CHECKS if _applies(check, game)]


def random_position(game: Game, material: Material, rng: Random) -> Position:
    """A position of a material, all placements and both sides to move equally likely.

    Raises
    ------
    RulesError
        If no placement is found, because the pieces share too few squares.
    """
    counts = {kind: material.kinds.count(kind) for kind in material.kinds}
    if all(count <= len(game.kinds[kind].squares) for kind, count in counts.items()):
        for _ in range(TRIES):
            # On a clash all pieces are placed anew: moving only one of them would make some placements likelier.
            pieces = [(kind, square) for kind, count in counts.items() for square in rng.sample(game.kinds[kind].squares, count)]
            if _are_apart(pieces):
                return Position(tuple(sorted(pieces)), rng.randrange(2))
    raise RulesError(f"{game.name}: found no way to set up {material_name(game, material)}")


class GameTests:
    """Tests for a rules module: inherit and say which game it is; each check is a test ``test_<name>``.

    Attributes
    ----------
    pieces, samples, seed : int
        As for `check_rules`.

    Examples
    --------
    ::

        from rules import hexapawn
        from tablebase.testing import GameTests


        class TestHexapawn(GameTests):
            def game(self):
                return hexapawn.game()
    """

    pieces = 3
    samples = 2000
    seed = 0

    def game(self) -> Game:
        """The game under test."""
        raise NotImplementedError(f"{type(self).__name__} must define game() to say which game it tests")

    def run_check(self, name: str) -> None:
        """Run one check: fail with its sentence, skip where it does not apply."""
        game = self.game()
        check = next(check for check in CHECKS if check.name == name)
        if not _applies(check, game):
            # pytest takes this for its own kind of skip, and the package does without an import of pytest.
            raise SkipTest(f"{game.name} has no {name}")
        failure = _run(check, _Bench(game, self.pieces, self.samples, self.seed)).failure
        if failure is not None:
            raise AssertionError(failure)


# How a check is run.


class _Bench(NamedTuple):
    """A game, and how closely to look at it."""

    game: Game
    pieces: int
    samples: int
    seed: int


class _Check(NamedTuple):
    """Cases to look at, and what is wrong with one of them, if anything."""

    name: str
    shows: str
    cases: Callable[[_Bench, Random], Iterable[Any]]
    fault: Callable[[Game, Any], str | None]
    symmetry: str = ""


def _applies(check: _Check, game: Game) -> bool:
    """Whether the game has the symmetry that the check is about, if it is about one."""
    return not check.symmetry or getattr(game, check.symmetry) is not None


def _run(check: _Check, bench: _Bench) -> CheckResult:
    """Look at the cases of a check up to the first fault."""
    # Random numbers of its own let a check find alone what it finds among the others.
    rng = Random(f"{check.name} {bench.seed}")
    seen, case, failure = 0, None, None
    try:
        for case in check.cases(bench, rng):
            seen += 1
            failure = check.fault(bench.game, case)
            if failure is not None:
                break
        else:
            # What was never looked at must not pass.
            failure = None if seen else f"nothing to look at: {bench.game.name} has no positions of 2 to {bench.pieces} pieces"
    except Exception as error:
        # Rules go wrong in ways nobody foresees; their author needs the case, not a traceback through this file.
        failure = f"{type(error).__name__}: {error}, looking at {_describe(bench.game, case)}"
    return CheckResult(check.name, check.shows, seen, failure)


def _describe(game: Game, case: object) -> str:
    """A case in words, as well as the game allows."""
    try:
        return render(game, case) if isinstance(case, Position) else str(case or game.name)
    except Exception:
        return repr(case)


# Where cases come from.

_Pieces = tuple[tuple[int, int], ...]
_PositionMap = Callable[[Game, Position], Position]


def _are_apart(pieces: Iterable[tuple[int, int]]) -> bool:
    squares = [square for _, square in pieces]
    return len(set(squares)) == len(squares)


def _counts(bench: _Bench) -> range:
    return range(2, min(bench.pieces, bench.game.max_pieces) + 1)


def _tables(bench: _Bench, _: Random) -> list[Material]:
    found = [table for count in _counts(bench) for table in tables(bench.game, count)]
    return [table for table in found if layout(bench.game, table).size]


def _random(bench: _Bench, rng: Random) -> Iterator[Position]:
    """Random positions, as many as asked for."""
    pool = [material for count in _counts(bench) for material in materials(bench.game, count)]
    seen = 0
    while pool and seen < bench.samples:
        material = rng.choice(pool)
        try:
            yield random_position(bench.game, material, rng)
            seen += 1
        except RulesError:
            # No fault: a slice may well be empty, as one of more pieces than squares is.
            pool.remove(material)


def _starts(game: Game) -> list[Position]:
    """The start, if it is a position; if not, that is another check's affair."""
    return [parse(game, game.start)] if _start_fault(game, game.start) is None else []


def _walk(game: Game, position: Position, rng: Random) -> Iterator[Position]:
    """Positions of random play until it is over."""
    for _ in range(PLIES):
        yield position
        moves = legal_moves(game, position)
        if not moves:
            return
        move = rng.choice(moves)
        position = play(position, move)
        if _is_over(game, move, position):
            return


def _random_play(bench: _Bench, rng: Random) -> Iterator[Position]:
    """Random play from the start, as often as fits into the samples, and from random positions."""
    starts = chain.from_iterable(repeat(_starts(bench.game), bench.samples))
    for firsts in (starts, _random(bench, rng)):
        walks = (position for first in firsts for position in _walk(bench.game, first, rng))
        yield from islice(walks, bench.samples)


def _scenes(game: Game, rng: Random) -> Iterator[_Pieces]:
    """Pieces that test a step, its own first: each kind anywhere, before each victim, behind each blocker."""
    for number, kind in enumerate(game.kinds):
        yield from (((number, square),) for square in kind.squares)
        for step in kind.steps:
            yield from (((number, step.origin), (game.by_symbol[victim], step.target)) for victim in sorted(step.victims))
            for square in sorted(step.empty):
                blockers = [other for other, their in enumerate(game.kinds) if square in their.squares]
                yield from (((number, step.origin), (blocker, square)) for blocker in rng.sample(blockers, min(1, len(blockers))))


def _set_up(game: Game, scene: _Pieces, rng: Random) -> Position | None:
    """A scene with a random piece for the side that has none, or None if that is no position."""
    taken = {square for _, square in scene}
    missing = {0, 1} - {game.side_of(kind) for kind, _ in scene}
    free = [piece for side in missing for piece in _homes(game, side) if piece[1] not in taken]
    pieces = (*scene, *rng.sample(free, min(1, len(free))))
    position = Position(tuple(sorted(pieces)), game.side_of(scene[0][0]))
    return position if _are_apart(pieces) and _complaint(game, position) is None else None


@cache
def _homes(game: Game, side: int) -> _Pieces:
    """Each kind of a side on each of its squares."""
    return tuple((number, square) for number, kind in enumerate(game.kinds) if kind.side == side for square in kind.squares)


def _from_start(bench: _Bench, rng: Random) -> Iterator[Position]:
    return chain(_starts(bench.game), _random(bench, rng))


def _staged(bench: _Bench, rng: Random) -> Iterator[Position]:
    scenes = list(_scenes(bench.game, rng))
    # A small number of them should be a fair choice.
    rng.shuffle(scenes)
    positions = (_set_up(bench.game, scene, rng) for scene in scenes[: SCENES * bench.samples])
    return chain((position for position in positions if position is not None), _random(bench, rng))


# What can be wrong with a case.


def _complaint(game: Game, position: Position) -> str | None:
    """Why the pieces make no position that goes on, if so."""
    try:
        check_pieces(game, position)
    except NotationError as error:
        return str(error)
    return None


def _is_over(game: Game, move: Move, after: Position) -> bool:
    """Whether the move that led here ended the game."""
    return move.wins or len({game.side_of(kind) for kind, _ in after.pieces}) < 2


@cache
def _steps_to(game: Game, kind: int, target: int) -> tuple[Step, ...]:
    """The steps of a kind that engines take back from a square."""
    return tuple(step for step in game.kinds[kind].steps if step.target == target and step.quiet and not step.wins)


def _moves_back(game: Game, position: Position) -> list[Move]:
    """Quiet moves that may have led here, found as engines do: nobody stands on the way of the step now."""
    occupied = {square for _, square in position.pieces}
    return [
        Move(kind, step.origin, square, None, False)
        for kind, square in position.pieces
        if game.side_of(kind) != position.side
        for step in _steps_to(game, kind, square)
        if step.origin not in occupied and step.empty.isdisjoint(occupied)
    ]


def _forth_fault(game: Game, position: Position) -> str | None:
    for move in legal_moves(game, position):
        after = play(position, move)
        if move.captured is None and not move.wins and (ways := _moves_back(game, after).count(move)) != 1:
            step = f"{game.kinds[move.kind].symbol} {render_move(game, move)} in {render(game, position)}"
            return f"{step} can be taken back in {ways} ways from {render(game, after)}, not in one"
    return None


def _back_fault(game: Game, position: Position) -> str | None:
    after = Position(position.pieces, 1 - position.side)  # in a scene it is the side to move that has something to show
    for move in _moves_back(game, after):
        stay = [piece for piece in after.pieces if piece != (move.kind, move.target)]
        before = Position(tuple(sorted([*stay, (move.kind, move.origin)])), position.side)
        if move not in legal_moves(game, before):
            step = f"{game.kinds[move.kind].symbol} {render_move(game, move)} can be taken back from {render(game, after)}"
            return f"{step} but is not legal in {render(game, before)}"
    return None


def _steps_fault(game: Game, position: Position) -> str | None:
    return _forth_fault(game, position) or _back_fault(game, position)


def _symmetry_fault(game: Game, position: Position, map_position: _PositionMap, map_move: Callable[[Move], Move]) -> str | None:
    """How a position and its image under a symmetry differ."""
    image = map_position(game, position)
    if map_position(game, image) != position:
        again = render(game, map_position(game, image))
        return f"the image of {render(game, position)} is {render(game, image)}, but the image of that is {again}"
    if (complaint := _complaint(game, image)) is not None:
        return f"the image of {render(game, position)} is no position: {complaint}"
    there = legal_moves(game, image)
    wanted = {map_move(move): move for move in legal_moves(game, position)}
    for move_image, move in wanted.items():
        if move_image not in there:
            shown = f"{render_move(game, move)} in {render(game, position)}"
            return f"{shown} is legal, but its image {render_move(game, move_image)} in {render(game, image)} is not"
    for move in there:
        if move not in wanted:
            shown = f"{render_move(game, move)} in {render(game, image)}"
            return f"{shown} is legal, but the image of no legal move in {render(game, position)}"
    return None


def _mirror_fault(game: Game, position: Position) -> str | None:
    to = game.mirror or ()
    return _symmetry_fault(game, position, mirrored, lambda move: move._replace(origin=to[move.origin], target=to[move.target]))


def _twin_fault(game: Game, position: Position) -> str | None:
    for kind, _ in position.pieces:
        twin = game.kinds[kind].symbol.swapcase()
        if twin not in game.by_symbol or game.side_of(game.by_symbol[twin]) == game.side_of(kind):
            return f"{game.kinds[kind].symbol!r} in {render(game, position)} has no twin {twin!r} on the other side"
    return None


def _swap_fault(game: Game, position: Position) -> str | None:
    to = game.swap or ()

    def map_move(move: Move) -> Move:
        captured = None if move.captured is None else game.twins[move.captured]
        return Move(game.twins[move.kind], to[move.origin], to[move.target], captured, move.wins)

    return _twin_fault(game, position) or _symmetry_fault(game, position, swapped, map_move)


@cache
def _is_declared(game: Game, material: Material) -> bool:
    """Whether the game has such a slice."""
    count = material.pieces
    return count <= game.max_pieces and (count > LISTED or material in materials(game, count))


def _children_fault(game: Game, position: Position) -> str | None:
    for move in legal_moves(game, position):
        child = play(position, move)
        material = material_of(game, child)
        if not _is_over(game, move, child) and not _is_declared(game, material):
            where = f"{render_move(game, move)} in {render(game, position)} leads to {material_name(game, material)}"
            return f"{where}, which is no slice of the game (max_pieces is {game.max_pieces})"
    return None


def _number_fault(own: Layout, number: int) -> str | None:
    """What is wrong with a single index."""
    squares, position = own.squares(number), own.position(number, 0)
    if squares is None or position is None:
        return None
    if own.index(squares) != number:
        return f"index {number} is {render(own.game, position)}, but the index of that is {own.index(squares)}"
    image = position if own.game.mirror is None else mirrored(own.game, position)
    found = own.position(own.index([image.pieces[piece][1] for piece in own.slots]), 0)
    return None if found in (position, image) else f"the index of {render(own.game, image)} is that of another position"


def _batch_fault(own: Layout, numbers: list[int]) -> str | None:
    """What is wrong with many indices at once, one at a time being right."""
    squares, legal = own.squares_many(np.array(numbers, dtype=np.int64))
    alone = [own.squares(number) for number in numbers]
    if [row if good else None for row, good in zip(squares.tolist(), legal.tolist(), strict=True)] != alone:
        return f"{material_name(own.game, own.material)}: indices looked up together are other positions than one by one"
    if own.index_many(squares[legal]).tolist() != [own.index(one) for one in alone if one is not None]:
        return f"{material_name(own.game, own.material)}: positions numbered together get other indices than one by one"
    return None


def _index_fault(game: Game, table: Material) -> str | None:
    own = layout(game, table)
    numbers = sorted({(own.size - 1) * i // (BATCH - 1) for i in range(BATCH)})
    faults = (_number_fault(own, number) for number in numbers)
    return next((fault for fault in faults if fault is not None), None) or _batch_fault(own, numbers)


def _effects(game: Game, position: Position) -> set[tuple[int, int, bool, bool]]:
    """The legal moves, whatever the pieces are called."""
    return {(move.origin, move.target, move.captured is None, move.wins) for move in legal_moves(game, position)}


def _aliases_fault(game: Game, position: Position) -> str | None:
    way = route(game, material_of(game, position), position.side)
    pieces = [position.pieces[piece] for piece in way.order]
    seen = position
    if way.swapped and game.swap is not None:
        # Whether the swap itself is right is another check's affair.
        pieces, seen = [(kind, game.swap[square]) for kind, square in pieces], swapped(game, position)
    home = Position(tuple(sorted(zip(way.table.kinds, (square for _, square in pieces), strict=True))), way.side)
    if home.side == seen.side and _effects(game, home) == _effects(game, seen):
        return None
    return f"{render(game, position)} is stored as {render(game, home)}, which has other moves"


def _play_fault(game: Game, position: Position) -> str | None:
    complaint = _complaint(game, position)
    return complaint and f"random play reached {render(game, position)}, but {complaint}"


def _reading(read: Callable[[Game, str], Any], game: Game, text: str) -> Any:
    """What a text is read as, or why it cannot be read."""
    try:
        return read(game, text)
    except NotationError as error:
        return str(error)


def _start_fault(game: Game, text: str) -> str | None:
    found = _reading(parse, game, text)
    if not isinstance(found, Position):
        return f"the start {text!r} is no position: {found}"
    return None if render(game, found) == text else f"the start {text!r} must be written {render(game, found)!r}"


def _notation_fault(game: Game, position: Position) -> str | None:
    text, own = render(game, position), material_of(game, position)
    if (found := _reading(parse, game, text)) != position:
        return f"{position} is written {text!r}, and reading that gives {found}"
    name = material_name(game, own)
    if (found := _reading(parse_material, game, name)) != own:
        return f"the material of {text} is written {name!r}, and reading that gives {found}"
    return None


REBUILDS: dict[str, Callable[[Game], Game]] = {
    "from a pickle": lambda game: replace(pickle.loads(pickle.dumps(game))),
    "with its steps in another order": lambda game: replace(
        game, kinds=tuple(replace(kind, steps=kind.steps[::-1]) for kind in game.kinds)
    ),
}
"""Ways to the same rules again."""


def _digest_fault(game: Game, how: str) -> str | None:
    again = REBUILDS[how](game).digest
    return None if again == game.digest else f"built again {how}, {game.name} has digest {again}, not {game.digest}"


CHECKS = (
    _Check("steps", "Each quiet step has exactly one step back, and the other way round.", _staged, _steps_fault),
    _Check("mirror", "The mirror is an involution and maps moves to moves.", _staged, _mirror_fault, "mirror"),
    _Check("swap", "Colour swap is an involution and maps moves to moves.", _staged, _swap_fault, "swap"),
    _Check("children", "Each child lies in a declared slice or is over.", _from_start, _children_fault),
    _Check("index", "Index and position are inverse, one by one and together.", _tables, _index_fault),
    _Check("aliases", "A position moves like the one that is stored for it.", _random, _aliases_fault),
    _Check("play", "Random play never leaves the positions that are stored.", _random_play, _play_fault),
    _Check("start", "The start is a position, written as positions are.", lambda bench, _: [bench.game.start], _start_fault),
    _Check("notation", "Positions and materials survive being written and read.", _random, _notation_fault),
    _Check("digest", "The digest is the same when the game is built again.", lambda *_: REBUILDS, _digest_fault),
)
"""All checks."""


def _as_test(check: _Check) -> Callable[[GameTests], None]:
    def test(self: GameTests) -> None:
        self.run_check(check.name)

    test.__doc__ = check.shows
    return test


# Tests come from the same list, so that none can be forgotten.
for _check in CHECKS:
    setattr(GameTests, f"test_{_check.name}", _as_test(_check))
