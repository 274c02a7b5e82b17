"""Fox & Hounds: each rule on a small position, features, and the published numbers that a naive walk can reach."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
import pytest
from support.games import placed
from twins.walk import FOX, HOUNDS, box_measures, foxbox

from tablebase.features import Positions
from tablebase.game import Outcome
from tablebase.game.moves import Position, decided, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.graph.reachable import reachable_from_all
from tablebase.positions.material import material_of
from tablebase_rules.foxhounds import game as foxhounds

GAME = foxhounds()


@pytest.mark.parametrize(("size", "fox"), [(2, "a2"), (4, "c4"), (6, "c6"), (8, "e8"), (10, "e10"), (12, "g12")])
def test_the_start(size: int, fox: str) -> None:
    """The fox stands in the middle of the last rank or right of it, the hounds on every square of the first, and the fox moves."""
    game = foxhounds((size, size))
    position = parse(game, game.start)
    places = {game.kinds[kind].symbol + game.board.names[square] for kind, square in position.pieces}
    assert places == {f"F{fox}", *(f"H{file}1" for file in "bdfhjl"[: size // 2])}
    assert position.side == FOX


@pytest.mark.parametrize(
    ("side", "pieces", "expected"),
    [
        pytest.param(FOX, "Fe4 Hb1 Hd1 Hf1 Hh1", "e4d3 e4f3 e4d5 e4f5", id="one step along any diagonal"),
        pytest.param(FOX, "Fa4 Hb1 Hd1 Hf1 Hh1", "a4b3 a4b5", id="two steps from the edge"),
        pytest.param(FOX, "Fh7 Hb1 Hd1 Hf1 Hh1", "h7g6 h7g8", id="two steps from the other edge"),
        pytest.param(FOX, "Fa8 Hb1 Hd1 Hf1 Hh1", "a8b7", id="one step from the corner"),
        pytest.param(FOX, "Fe4 Hd3 Hf5 Hf1 Hh1", "e4f3 e4d5", id="hounds are in the way and cannot be taken or jumped over"),
        pytest.param(FOX, "Fe4 Hd3 Hf3 Hd5 Hf5", "", id="nowhere to go"),
        pytest.param(HOUNDS, "Fe8 Hb1 Hd1 Hf1 Hh1", "b1a2 b1c2 d1c2 d1e2 f1e2 f1g2 h1g2", id="one step up the board"),
        pytest.param(HOUNDS, "Fe4 Hd3 Ha8 Hc8 He8", "d3c4", id="the fox is in the way and cannot be taken"),
        pytest.param(HOUNDS, "Fe8 Hb1 Ha2 Hc2 Hd1", "a2b3 c2b3 c2d3 d1e2", id="so are hounds"),
        pytest.param(HOUNDS, "Fe4 Hf3 Hf5 Hc8 He8", "f3g4 f5e6 f5g6", id="none from the last rank, none back"),
    ],
)
def test_moves(side: int, pieces: str, expected: str) -> None:
    """Where the fox and the hounds may go: each case is one line of the rules."""
    assert {render_move(GAME, move) for move in legal_moves(GAME, placed(GAME, pieces, side))} == set(expected.split())


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        pytest.param("2F1H3/1H1H4/4H3/8/8/8/8/8 f", Outcome.LOSS, id="the fox is blocked"),
        pytest.param("H3H1H1/8/8/8/6F1/7H/8/8 h", Outcome.LOSS, id="the hounds are stuck, though the fox has not escaped"),
        pytest.param("H3H1H1/8/8/5F2/8/7H/8/8 h", None, id="elsewhere they would not be"),
        pytest.param("8/8/8/1H3H2/8/1F1H1H2/8/8 f", Outcome.WIN, id="no hound ever comes to b3 or a2, the fox to move"),
        pytest.param("8/8/8/1H3H2/8/1F1H1H2/8/8 h", Outcome.LOSS, id="no hound ever comes to b3 or a2, the hounds to move"),
    ],
)
def test_examples_of_the_document(text: str, outcome: Outcome | None) -> None:
    """Whether it is over, and who has won; then nobody has a move."""
    position = parse(GAME, text)
    assert decided(GAME, position) is outcome
    assert (legal_moves(GAME, position) == []) is (outcome is not None)


@pytest.mark.parametrize("side", [FOX, HOUNDS])
@pytest.mark.parametrize(
    ("pieces", "escaped"),
    [
        pytest.param("Fb1 Ha2 Hd1 Hf1 Hh1", False, id="b1 is out of reach, its neighbours a2 and c2 are not"),
        pytest.param("Fb1 Hb5 Hd1 Hf1 Hh1", True, id="b1 and a2 are out of reach, c2 is not"),
        pytest.param("Fh1 Hb1 Hd1 Hf1 Hh3", False, id="the corner is out of reach, its only neighbour is not"),
        pytest.param("Fe4 Hb1 Hd5 Hf5 Hh5", False, id="the hound on b1 comes to e4 in three steps"),
        pytest.param("Fg4 Hb1 Hd5 Hf5 Hh5", True, id="the hound on b1 comes neither to g4 nor to f3"),
        pytest.param("Fg2 Hb5 Hd5 Hf5 Hh1", False, id="nobody but the fox itself keeps the hound from g2"),
    ],
)
def test_escapes(pieces: str, escaped: bool, side: int) -> None:
    """The fox needs a square that no hound could reach on an empty board, and another beside it."""
    assert (decided(GAME, placed(GAME, pieces, side)) is not None) is escaped


@pytest.mark.parametrize(
    ("text", "contained"),
    [
        pytest.param("4F3/8/8/8/8/8/8/1H1H1H1H f", True, id="the start"),
        pytest.param("8/3F4/8/8/4H1H1/1H1H4/8/8 f", True, id="the document's first"),
        pytest.param("4H3/1F6/4H3/1H1H4/8/8/8/8 f", True, id="the document's second"),
        pytest.param("H3H1F1/5H2/6H1/8/8/8/8/8 f", True, id="the document's third"),
        # By g4, f3 and e2 the fox comes to d1.
        pytest.param("8/3F4/8/8/4H3/1H1H4/8/5H2 f", False, id="the first with a hole in the line"),
        pytest.param("8/8/8/1H3H2/8/1F1H1H2/8/8 f", False, id="the fox has escaped"),
        pytest.param("8/8/8/8/8/8/H1H5/1F6 f", True, id="one square that no hound could reach"),
    ],
)
def test_foxboxes(text: str, contained: bool) -> None:
    assert foxbox(GAME, parse(GAME, text)) is contained


BOXES = ["foxbox", "b", "max_b", "max_b_plies"]


def placements(size: int, count: int) -> Iterator[Position]:
    game, random = foxhounds((size, size)), np.random.default_rng(size)
    kinds = material_of(game, game.initial).kinds
    for _ in range(count):
        fox, *hounds = random.choice(len(game.board), len(kinds), replace=False).tolist()
        yield Position(tuple(zip(kinds, [fox, *sorted(hounds)], strict=True)), int(random.integers(2)))


def measured(size: int, position: Position) -> dict[str, int | bool]:
    game = foxhounds((size, size))
    squares = np.array([[square for _, square in position.pieces]], dtype=np.int8)
    positions = Positions(game, material_of(game, position), position.side, squares)
    return {feature.name: feature.values(positions, ()).item() for feature in game.features}


@pytest.mark.parametrize(("size", "count"), [(4, 100), (6, 40)])
def test_the_features_are_those_of_the_twin(size: int, count: int) -> None:
    """Whether a placement is a FoxBox, B, and the largest B to come with the plies until then."""
    game, lost = foxhounds((size, size)), set()
    for position in placements(size, count):
        expected = box_measures(game, position)
        assert measured(size, position) == expected, position
        lost.add(expected["b"] == -1)
    assert lost == {False, True}


@pytest.mark.parametrize(
    ("size", "expected"), [(4, [0, 2, 4]), (6, [-1, -1, -1]), pytest.param(8, [0, 6, 6], marks=pytest.mark.full)]
)
def test_known_numbers_at_the_start(size: int, expected: list[int]) -> None:
    """B, max B and k at the start, those of 8×8 as in the article."""
    found = measured(size, foxhounds((size, size)).initial)
    assert [found[name] for name in BOXES[1:]] == expected


@pytest.mark.parametrize("size", [4, 6])
def test_a_graph_of_all_placements_has_each_once(size: int) -> None:
    """Each placement, with either side to move, is a node; nothing else begins there."""
    game = foxhounds((size, size))
    kinds = material_of(game, game.initial).kinds
    graph = reachable_from_all(game, kinds)
    going = [stage for stage in graph.stages if not stage.final]
    squares = len(game.board)
    ways = squares * comb(squares - 1, len(kinds) - 1)
    assert [sum(len(stage) for stage in going if stage.side == side) for side in (FOX, HOUNDS)] == [ways, ways]
    assert len({graph.position(stage.first + row) for stage in going for row in range(len(stage))}) == 2 * ways


def test_large_boards_have_no_such_features() -> None:
    """Boxes are looked for on up to 64 squares, and B on boards of which all positions can be looked at."""
    assert [feature.name for feature in foxhounds((8, 8)).features] == BOXES
    assert [feature.name for feature in foxhounds((10, 10)).features] == BOXES[:1]
    assert not foxhounds((12, 12)).features
