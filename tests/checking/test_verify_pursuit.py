"""The check of pursuits against that of any table: both accept what is right, and both find any code that is not."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one, thinned
from support.naive_codes import noisy
from support.solved import Solved
from twins import naive

from tablebase.checking import general, pursuit
from tablebase.checking.table import verify_codes
from tablebase.errors import CorruptTableError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import read, render
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material, parse_material, parse_materials
from tablebase.system.compute import threads
from tablebase.tables.summary import Summary
from tablebase.tables.values import DRAW, NARROW_ANY, STALEMATE, Codes, Value

HERDS = [(toys.herd(sort), name) for sort in ("reach", "white", "black") for name in ("DvW", "DDvW")]
FOXES = [(load_game(f"foxhounds-{size}"), name) for size, name in (("2x2", "FvH"), ("4x4", "FvHH"), ("6x6", "FvHHH"))]
RABBITS = [(load_game(f"hasenspiel-6x4-pawns=2{early}"), "RvPP") for early in ("", "-early=none", "-early=article")]
OTHERS = [(load_game("foxhounds-12x12"), "FvH"), (toys.marathon(10, 2, escape=True), "DDvW")]
PURSUITS = [*HERDS, *FOXES, *RABBITS, *OTHERS]

Check = Callable[..., dict[int, Summary]]
both_programs = pytest.mark.parametrize("check", [general.verify_codes, pursuit.verify_codes], ids=["general", "pursuit"])


def pursuits(pairs: list[tuple[Game, str]]) -> Callable[..., Any]:
    """Tests for a third of these games and names, and before a release for all."""
    return pytest.mark.parametrize(("game", "name"), thinned(pairs, 3), ids=[f"{game.name}-{name}" for game, name in pairs])


def right_codes(solved: Solved, game: Game, material: Material) -> dict[int, Codes]:
    """A copy of what the reference engine finds, by side to move."""
    return {side: codes.copy() for side, codes in enumerate(solved(game).table(material)[0])}


def error_of(check: Check, *arguments: object) -> str | None:
    try:
        check(*arguments)
    except CorruptTableError as error:
        return str(error)
    return None


@cache
def walked(game: Game, name: str) -> list[tuple[Material, int, Position]]:
    """Tier, index and position of everything that a material has."""
    found = []
    for material in parse_materials(game, name):
        home = layout_of(game, material)
        for index in range(home.size):
            for side in (0, 1):
                position = home.position(index, side)
                if position is not None:
                    found.append((material, index, position))
    return found


def wrong_codes(code: int) -> list[int]:
    """Codes that look like this one: one or two plies off, won for lost, drawn, stuck; and the largest that there is."""
    value = NARROW_ANY.value(code)
    assert value.distance is not None
    near = [value.distance + by for by in (-2, -1, 0, 1, 2) if 0 <= value.distance + by <= NARROW_ANY.reach]
    pairs = [Value(outcome, distance) for outcome in (Outcome.WIN, Outcome.LOSS) for distance in near]
    found = [DRAW, STALEMATE, *map(NARROW_ANY.code, pairs), NARROW_ANY.void - 1]
    return [one for one in found if one != code]


class Sort(NamedTuple):
    """What a position is an example of."""

    side: int
    escaped: bool
    stuck: bool
    won: bool


@cache
def by_sort(game: Game, name: str) -> dict[Sort, list[tuple[Material, int, Position]]]:
    """A few positions of every sort that there is."""
    random, found = Random(f"{game.name} {name}"), dict[Sort, list[tuple[Material, int, Position]]]()
    values = naive.solve(game, parse_materials(game, name)[0].kinds)
    for one in walked(game, name):
        position = one[2]
        stuck = not naive.moves(game, position)
        sort = Sort(position.side, naive.escaped(game, position), stuck, values[position][0] == "win")
        found.setdefault(sort, []).append(one)
    return {sort: random.sample(some, min(len(some), 2)) for sort, some in sorted(found.items())}


def test_the_examples_are_of_every_sort() -> None:
    """Together the games have escaped and stuck positions, won and lost ones, with either side to move."""
    sorts = {sort for game, name in [*HERDS, *FOXES[:2], *RABBITS] for sort in by_sort(game, name)}
    # Who is stuck has lost; who has escaped has won unless stuck; the sides of runners and pursuers differ by game.
    expected = {Sort(side, False, True, False) for side in (0, 1)}
    expected |= {Sort(side, True, False, won) for side in (0, 1) for won in (False, True)}
    expected |= {Sort(side, False, False, won) for side in (0, 1) for won in (False, True)}
    assert expected <= sorts
    assert not {sort for sort in sorts if sort.stuck and sort.won}


@pursuits(PURSUITS)
def test_both_programs_accept_what_is_right(solved: Solved, game: Game, name: str) -> None:
    """Every tier, with the same statistics, which are those of a plain count."""
    places = dict[tuple[Material, int], list[int]]()
    for material, index, position in walked(game, name):
        places.setdefault((material, position.side), []).append(index)
    for material in at_least_one(parse_materials(game, name)):
        codes = right_codes(solved, game, material)
        assert pursuit.applies(game, material, NARROW_ANY)
        found = pursuit.verify_codes(game, material, codes, NARROW_ANY, solved(game).load)
        assert found == general.verify_codes(game, material, codes, NARROW_ANY, solved(game).load)
        assert sorted(found) == [0, 1]
        for side, summary in found.items():
            here = places[material, side]
            assert summary.placements == len(here)
            counted = Counter(codes[side][here].tolist())
            assert dict(counted) == {code: count for code, count in enumerate(summary.histogram) if count}
            assert {code: first for code, first in enumerate(summary.first) if first >= 0} == {
                code: next(index for index in here if codes[side][index] == code) for code in counted
            }


@pursuits([*HERDS[1::2], *FOXES[:2], *RABBITS[:1]])
def test_any_wrong_code_is_found(solved: Solved, game: Game, name: str) -> None:
    """Both programs refuse any other code of a position, with one sentence that names it or a position that leads to it."""
    for material, index, position in at_least_one(chain(*by_sort(game, name).values())):
        codes = right_codes(solved, game, material)
        for wrong in wrong_codes(int(codes[position.side][index])):
            changed = codes | {position.side: codes[position.side].copy()}
            changed[position.side][index] = wrong
            given = (game, material, changed, NARROW_ANY, solved(game).load)
            sentence = error_of(pursuit.verify_codes, *given)
            assert sentence == error_of(general.verify_codes, *given)
            assert sentence is not None, (render(game, position), wrong)
            found = re.fullmatch(r"(\S+ \S) is stored as a .*, which contradicts its moves and the values after them", sentence)
            assert found is not None
            named = read(game, found[1])
            assert named == position or position in [naive.after(named, move) for move in naive.moves(game, named)]


@both_programs
def test_the_wrong_position_is_named(solved: Solved, check: Check) -> None:
    """The sentence shows it, and what its code says."""
    game = FOXES[1][0]
    material = parse_material(game, "FvHH@2")
    # No position leads to one with the fox to move but from the tier before, so no other contradicts its moves.
    _, index, position = next(one for one in walked(game, "FvHH@2") if one[2].side == 0 and not naive.moves(game, one[2]))
    said = {Value(Outcome.WIN, 7): "win in 7", Value(Outcome.LOSS, 2): "loss in 2"}
    for wrong, words in [*((NARROW_ANY.code(value), words) for value, words in said.items()), (DRAW, "draw")]:
        codes = right_codes(solved, game, material)
        codes[0][index] = wrong
        error = error_of(check, game, material, codes, NARROW_ANY, solved(game).load)
        assert error is not None
        assert error.startswith(f"{render(game, position)} is stored as a {words}, which")


@both_programs
@pursuits([HERDS[1], HERDS[5], FOXES[2]])
def test_void_may_hold_anything(solved: Solved, game: Game, name: str, check: Check) -> None:
    """Indices that are no positions are not looked at nor counted, in the table itself and in the next tier."""
    load = noisy(solved(game).load)
    for material in at_least_one(parse_materials(game, name)):
        expected = check(game, material, right_codes(solved, game, material), NARROW_ANY, solved(game).load)
        codes = {side: load(material, side)[0] for side in (0, 1)}
        assert check(game, material, codes, NARROW_ANY, load) == expected


@pursuits([HERDS[1], FOXES[2], RABBITS[0]])
def test_threads_and_blocks_change_nothing(solved: Solved, game: Game, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of a few rows, spread over three threads, statistics and the position that is named are the same."""
    for material in at_least_one(parse_materials(game, name)):
        codes = right_codes(solved, game, material)
        win = NARROW_ANY.code(Value(Outcome.WIN, 3))
        # Wrong only in the second half, so that the first fault is not in the first block.
        wrong = {
            side: np.where(np.arange(len(some)) < len(some) // 2, some, win).astype(some.dtype) for side, some in codes.items()
        }
        given = [(game, material, some, NARROW_ANY, solved(game).load) for some in (codes, wrong)]
        expected, error = pursuit.verify_codes(*given[0]), error_of(pursuit.verify_codes, *given[1])
        with monkeypatch.context() as patch, threads.use(3):
            patch.setattr(pursuit, "ROWS_AT_ONCE", 2)
            assert pursuit.verify_codes(*given[0]) == expected
            assert error_of(pursuit.verify_codes, *given[1]) == error
        assert error is not None


def test_pursuits_are_checked_as_such(solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fast program is taken for pursuits in one byte with both outcomes, and the general one for all else."""
    asked = list[str]()
    for program in (general, pursuit):
        honest = program.verify_codes
        monkeypatch.setattr(
            program, "verify_codes", lambda *given, honest=honest, name=program.__name__: asked.append(name) or honest(*given)
        )
    herds = [(toys.herd("reach"), "DDvW@3"), (toys.herd("open"), "DDvW@3"), (toys.ladder("b"), "CvW@1")]
    marathon = toys.marathon(64, 1, escape=True)
    for material in parse_materials(marathon, "DvW")[::-1]:
        solved(marathon).table(material)
    for game, name in [*herds, (marathon, "DvW@1"), (marathon, "DvW@0")]:
        codes, coding = solved(game).table(parse_material(game, name))
        verify_codes(game, parse_material(game, name), dict(enumerate(codes)), coding, solved(game).load)
    assert asked == [f"tablebase.checking.{name}" for name in ("pursuit", "general", "general", "pursuit", "general")]
