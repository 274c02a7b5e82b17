"""The solver of groups: byte for byte as the reference solver, and the order of its scores."""

from typing import ClassVar

import pytest
from support import toys
from support.checks import at_least_one
from support.naive_codes import agree, same
from support.solved import Solved

from tablebase.compute import threads
from tablebase.game import Game, Outcome, load_game
from tablebase.slices.location import locate, stored_materials
from tablebase.slices.material import parse_material
from tablebase.solvers.groups import solve as groups
from tablebase.solvers.groups.row_scores import NOTHING, scores_of
from tablebase.solvers.registry import Solver, choose_solver, find_solver, solve_material
from tablebase.tables.values import NARROW, NARROW_ANY, STALEMATE, Coding, Value
from tablebase.testing import SolverTests

SOLVER = find_solver("groups")
assert SOLVER is not None


class TestGroups(SolverTests):
    """The suite for solvers."""

    solver: ClassVar[Solver] = SOLVER


def agree_on(game: Game, solved: Solved) -> None:
    """All tables of a game have the bytes that the reference solver gives them."""
    for pieces in range(2, game.max_pieces + 1):
        for material in at_least_one(stored_materials(game, pieces)):
            assert agree(solved(game), solved(game, "groups"), material), material


@pytest.mark.parametrize(
    "size",
    [
        *("3x3", "4x3", "3x4", "4x4"),
        *(pytest.param(size, marks=pytest.mark.full) for size in ("5x3", "3x5", "6x3")),
        *(pytest.param(size, marks=pytest.mark.release) for size in ("4x5", "5x4")),
    ],
)
def test_hexapawn(solved: Solved, size: str) -> None:
    """Every table of the nine boards that are known."""
    agree_on(load_game(f"hexapawn-{size}"), solved)


@pytest.mark.parametrize(
    "game",
    [toys.rooks(), toys.breakthrough(4, 4), pytest.param(toys.breakthrough(4, 5), marks=pytest.mark.release)],
    ids=["rooks", "breakthrough", "larger breakthrough"],
)
def test_like_pieces(solved: Solved, game: Game) -> None:
    """Every table of rooks that walkers block, in which stalemates are draws, and of Breakthrough with a row of pawns a side."""
    agree_on(game, solved)


@pytest.mark.parametrize(
    ("game", "name"),
    [
        pytest.param(toys.skaters(13, 5), "AvC", id="65 squares"),
        pytest.param(toys.skaters(16, 7), "AvC", id="112 squares"),
        pytest.param(toys.tiered(toys.hunt(), "H"), "HHvFC@3", id="tiers"),
    ],
)
def test_what_no_words_hold(solved: Solved, game: Game, name: str) -> None:
    """Boards of more than one word, and tiers: this solver is chosen, and finds the bytes of the reference solver."""
    material = locate(game, parse_material(game, name), 0).material
    assert choose_solver(game, material)[0].name == "groups"
    assert agree(solved(game), solved(game, "groups"), material)


def test_threads_find_the_same(solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row by row, with three threads."""
    monkeypatch.setattr(groups, "GRAIN", 1)
    game, material = toys.twins(), parse_material(toys.twins(), "PKvPK")
    codes, _ = solved(game).table(material)
    with threads.use(3):
        found, _, _ = solve_material(game, material, solved(game).load, "groups")
    assert same(found, codes)


# Scores


@pytest.mark.parametrize("coding", [NARROW, NARROW_ANY, NARROW.wider, NARROW_ANY.wider], ids=str)
def test_scores_are_ordered_and_come_back(coding: Coding) -> None:
    """Better moves have larger scores, and each code is found again from that of a move into its position."""
    scores = scores_of(toys.pond(), coding)
    last = min(coding.reach, 400)
    values = [Value(Outcome.LOSS, d) for d in range(last + 1) if coding.stride == 2 or d % 2 == 0]
    values += [Value(Outcome.WIN, d) for d in range(1, last + 1) if coding.stride == 2 or d % 2 == 1]
    by_parent = sorted([*values, Value(Outcome.DRAW, None)], key=lambda value: value.reversed.later.merit)
    found = [int(scores.of_code[coding.code(value)]) for value in by_parent]
    assert found == sorted(set(found))
    assert [int(scores.codes[score]) for score in found] == [coding.code(value) for value in by_parent]
    assert scores.codes[NOTHING] == coding.void
    assert scores.codes[scores.of_code[STALEMATE]] == STALEMATE
