"""Materials, captures between them, and slices that play alike."""

from collections import Counter

import pytest
from hypothesis import given
from support import toys
from support.checks import at_least_one, thinned
from support.naive_codes import placements_of, small_materials
from twins import naive

from tablebase.game import Board, Game, Kind, Outcome, Step
from tablebase.game.moves import Position, legal_moves
from tablebase.positions.conversions import conversions
from tablebase.positions.equivalence import representative
from tablebase.positions.location import is_self_paired, locate, sides_stored, slices, stored_materials
from tablebase.positions.material import material_name, material_of, materials, parse_material
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
GAMES = (GAME, toys.pond(), toys.hunt(), toys.twins(), toys.sisters())


def test_what_must_be_empty_for_a_capture_tells_kinds_apart() -> None:
    """A and B go from a1 to a2 by the same two ways, but each takes c by one of them only: round b1 or round b2.

    With D on b1, A cannot take c and B can, though all their steps and victims are alike.
    """
    board = Board.full(2, 2)
    a1, b1, a2, b2 = range(4)

    def runner(symbol: str, by: int) -> Kind:
        steps = (Step(a1, a2, frozenset({way}), victims=frozenset("c" if way == by else "")) for way in (b1, b2))
        return Kind(symbol, symbol, 0, (a1, a2), tuple(steps))

    kinds = (runner("A", b1), runner("B", b2), Kind("D", "D", 0, (b1,), ()), Kind("c", "c", 1, (a2,), ()))
    game = Game("ways", "Ways", board, toys.SIDES, kinds, "c1/A1 w", Outcome.DRAW, 4)
    values = [naive.value(game, Position(((kind, a1), (2, b1), (3, a2)), 0)) for kind in (0, 1)]
    assert values == [("draw", None), ("win", 1)]
    by_a, by_b = (parse_material(game, name) for name in ("ADvC", "BDvC"))
    assert representative(game, by_b) == by_b != by_a == representative(game, by_a)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_each_stored_array_has_one_distinct_slice(game: Game) -> None:
    """The homes of distinct slices are all sides of all tables, each once."""
    for pieces in (2, 3):
        homes = Counter((one.location.material, one.location.side) for one in slices(game, pieces) if one.distinct)
        assert homes == Counter((table, side) for table in stored_materials(game, pieces) for side in sides_stored(game, table))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_materials_are_all_there_are(game: Game) -> None:
    """Every choice of at least one piece a side within the limits, and no other, once."""
    limits = {number: kind.limit for number, kind in enumerate(game.kinds)}
    chosen: set[tuple[int, ...]] = {()}
    for pieces in (1, 2, 3, 4):
        chosen = {tuple(sorted((*some, kind))) for some in chosen for kind in limits if some.count(kind) < limits[kind]}
        both = {some for some in chosen if {game.side_of(kind) for kind in some} == {0, 1}}
        found = [material.kinds for material in materials(game, pieces)]
        assert len(found) == len(both)
        assert set(found) == both


@pytest.mark.parametrize("game", thinned([*GAMES[1:], *toys.with_tiers()], 2), ids=lambda game: game.name)
def test_captures_lead_where_naive_play_leads(game: Game) -> None:
    """From each slice, the captures and steps to other tiers that a naive search of all positions finds, and no others."""
    for material in small_materials(game):
        found = set()
        for position in (Position(pieces, side) for pieces in placements_of(game, material) for side in (0, 1)):
            for move in naive.moves(game, position):
                after = naive.after(position, move).pieces
                rest, advance = tuple(kind for kind, _ in after), naive.tier(game, after)
                ended = move.wins or len({game.side_of(kind) for kind in rest}) < 2
                if not ended and (rest, advance) != (material.kinds, material.advance):
                    found.add((move.captured, rest, advance, 1 - position.side))
        ways = conversions(game, material)
        told = {
            (None if way.victim is None else material.kinds[way.victim], way.child.kinds, way.child.advance, way.side)
            for way in ways
        }
        assert len(set(ways)) == len(ways)
        assert found <= told, material_name(game, material)
        # Pieces of two tiered kinds may bar each other's way out, which is told all the same.
        assert game.name == "twins-tiered" or told == found, material_name(game, material)


@pytest.mark.parametrize("pieces", [2, 3])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_routes_end_at_tables(game: Game, pieces: int) -> None:
    """A representative stands for itself, a table's own slices stay at home, swap happens only where rules allow it."""
    for material in at_least_one(materials(game, pieces)):
        assert representative(game, representative(game, material)) == representative(game, material)
        for side in (0, 1):
            way = locate(game, material, side)
            assert way.material in stored_materials(game, pieces)
            assert way.side in sides_stored(game, way.material)
            assert sorted(way.pairing) == list(range(pieces))
            assert game.swap is not None or not way.swapped
    for table in at_least_one(stored_materials(game, pieces)):
        for side in sides_stored(game, table):
            way = locate(game, table, side)
            assert (way.material, way.side, way.swapped) == (table, side, False)


def test_like_pieces_are_not_two_kinds_that_are_alike() -> None:
    """A and B stand for each other, but two A, of which there is one placement where A and B have two, do not for A and B."""
    game = toys.sisters()
    standing = {name: representative(game, parse_material(game, name)) for name in ("AvC", "BvC", "AAvC", "ABvC", "AABvC")}
    assert standing["AvC"] == standing["BvC"]
    assert standing["AAvC"] != standing["ABvC"]


def test_a_table_that_is_its_own_twin_stores_one_side() -> None:
    """Cat against cat is one slice, whichever side is to move; cat against wolf is two."""
    assert sides_stored(GAME, parse_material(GAME, "CvC")) == (0,)
    assert sides_stored(GAME, parse_material(GAME, "CvW")) == (0, 1)
    assert not is_self_paired(toys.hunt(), parse_material(toys.hunt(), "HvF"))


def image(game: Game, position: Position) -> tuple[Position, list[int]]:
    """The position that a route makes of a position, and the square map on the way."""
    way = locate(game, material_of(game, position), position.side)
    board = range(len(game.board)) if game.swap is None or not way.swapped else game.swap
    squares = [board[position.pieces[piece][1]] for piece in way.pairing]
    return Position(tuple(sorted(zip(way.material.kinds, squares, strict=True))), way.side), list(board)


@given(toys.positions(GAME, 5))
def test_a_routed_position_has_the_same_moves(position: Position) -> None:
    """Moves of a random position and of its image correspond in squares, captures and wins."""
    other, board = image(GAME, position)
    assert material_of(GAME, other) == locate(GAME, material_of(GAME, position), position.side).material
    moves = Counter((board[m.origin], board[m.target], m.captured is not None, m.wins) for m in legal_moves(GAME, position))
    assert moves == Counter((m.origin, m.target, m.captured is not None, m.wins) for m in legal_moves(GAME, other))
