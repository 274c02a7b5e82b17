"""Position <-> index: Python, NumPy and kernels against each other and against a plain list of placements."""

from functools import cache
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import toys
from support.checks import at_least_one, thinned
from support.naive_codes import placements_of, small_materials
from twins import naive

from tablebase.game import Game, load_game
from tablebase.game.moves import Position, mirrored
from tablebase.game.notation import parse
from tablebase.positions.index_arrays import IndexArrays, index_arrays
from tablebase.positions.index_kernels import index_of
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.material import Material, material_of, materials, parse_material
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
TOYS, TIERED = (toys.pond(), toys.hunt(), toys.twins(), toys.sisters()), toys.with_tiers()
games = pytest.mark.parametrize("game", thinned([*TOYS, *TIERED], 4), ids=lambda game: game.name)
LARGE = [parse_material(GAME, name) for name in ("RvR", "RCvW", "EvRE", "TLvCE", "RWvRE", "CDvRTL", "RWPLvRCDE")]


@cache
def compiled(game: Game, material: Material) -> IndexArrays:
    """The layout as kernels read it."""
    return index_arrays(game, [layout_of(game, material)])


def small(game: Game) -> list[Material]:
    """Materials of few pieces."""
    return [*small_materials(game), *(materials(game, 4) if game in TOYS else ())]


def slot_squares(home: Layout, position: Position) -> list[int]:
    """The square of each slot; identical pieces in the order of the position."""
    return [position.pieces[piece][1] for piece in home.slots]


@games
def test_indices_number_a_plain_list_of_placements(game: Game) -> None:
    """Index i stands for the i-th placement of the naive list, or for none where that has pieces sharing a square."""
    for material in at_least_one(small(game)):
        home = layout_of(game, material)
        listed = naive.listing(game, material.kinds, material.advance)
        assert home.size == len(listed)
        for index, placement in enumerate(listed):
            for side in (0, 1):
                expected = None if placement is None else Position(tuple(sorted(placement)), side)
                assert home.position(index, side) == expected


@games
def test_every_placement_has_an_index(game: Game) -> None:
    """A placement's index is its place in the naive list or, if it is not there, that of its mirror image."""
    for material in at_least_one(small(game)):
        home = layout_of(game, material)
        listing = naive.listing(game, material.kinds, material.advance)
        places = {placement: index for index, placement in enumerate(listing) if placement}
        for pieces in placements_of(game, material):
            position = Position(pieces, 0)
            listed = frozenset(pieces)
            if listed not in places:
                listed = frozenset(mirrored(game, position).pieces)
            assert home.index(slot_squares(home, position)) == places[listed]


@games
def test_numpy_and_kernels_agree_with_python(game: Game) -> None:
    """Every index of every toy material, in both directions, many at a time; kernels with identical pieces in either order."""
    for material in at_least_one(small(game)):
        home = layout_of(game, material)
        indices = np.arange(home.size)
        squares, legal = home.squares_many(indices)
        singly = [home.squares(index) for index in range(home.size)]
        assert [row if ok else None for row, ok in zip(squares.tolist(), legal, strict=True)] == singly
        assert np.array_equal(home.index_many(squares[legal]), indices[legal])
        for index, row in zip(indices[legal][::7].tolist(), squares[legal][::7].tolist(), strict=True):
            turned = [square for group in home.groups for square in reversed(row[group.slots.start : group.slots.stop])]
            for some in (row, turned):
                assert home.index(some) == index
                assert home.index_many(np.array([some], dtype=np.int8)).tolist() == [index]
                assert index_of(compiled(game, material), 0, np.array(some, dtype=np.int8)) == index


@given(st.one_of(toys.positions(game, 6).map(lambda one, game=game: (game, one)) for game in (GAME, load_game("foxhounds"))))
def test_a_position_survives_its_index(pair: tuple[Game, Position]) -> None:
    """Python, NumPy and kernel give one index, and it gives the position back or its mirror image."""
    game, position = pair
    material = material_of(game, position)
    home = layout_of(game, material)
    squares = slot_squares(home, position)
    index = home.index(squares)
    assert 0 <= index < home.size
    assert home.index_many(np.array([squares], dtype=np.int8)).tolist() == [index]
    assert index_of(compiled(game, material), 0, np.array(squares, dtype=np.int8)) == index
    assert home.position(index, position.side) in (position, position if game.mirror is None else mirrored(game, position))


@given(st.data())
def test_an_index_survives_its_position(data: st.DataObject) -> None:
    """Random indices of slices of up to eight pieces: the squares are those of both twins and lead back."""
    material = data.draw(st.sampled_from(LARGE))
    home = layout_of(GAME, material)
    index = data.draw(st.integers(0, home.size - 1))
    squares = home.squares(index)
    many, legal = home.squares_many(np.array([index]))
    assert legal.tolist() == [squares is not None]
    if squares is not None:
        assert many.tolist() == [squares]
        assert home.index(squares) == index


@given(st.one_of(toys.positions(GAME, 6).map(lambda p: (GAME, p)), toys.positions(toys.twins()).map(lambda p: (toys.twins(), p))))
def test_mirror_images_share_an_index_unless_the_lead_is_fixed(pair: tuple[Game, Position]) -> None:
    """A lead group that is its own mirror image leaves the two images their own indices; the kernel gives both their own, too."""
    game, position = pair
    assert game.mirror is not None
    material = material_of(game, position)
    home = layout_of(game, material)
    reflected = mirrored(game, position)
    index, other = home.index(slot_squares(home, position)), home.index(slot_squares(home, reflected))
    lead = {square for kind, square in position.pieces if kind == home.groups[0].kind}
    fixed = lead == {game.mirror[square] for square in lead}
    assert (index == other) == (not fixed or position == reflected)
    arrays = compiled(game, material)
    both = [np.array(slot_squares(home, one), dtype=np.int8) for one in (position, reflected)]
    assert [index_of(arrays, 0, squares) for squares in both] == [index, other]
    weights = home.weights_many(np.array([index, other]))
    assert weights.tolist() == ([1, 1] if fixed else [2, 2])


@games
def test_weights_count_naive_placements(game: Game) -> None:
    """The same for toys against the naive list of all placements, and with no mirror every weight is one."""
    for material in at_least_one(small(game)):
        home = layout_of(game, material)
        indices = np.arange(home.size)
        weights = home.weights_many(indices)
        assert weights[home.squares_many(indices)[1]].sum() == len(placements_of(game, material))
        assert weights.sum() == home.cells_with_images
        assert game.mirror is not None or set(weights) == {1}


def test_the_row_piece_comes_last() -> None:
    """The single piece with the most squares, the last of several, is the last group; a row is its squares."""
    for name, row, length in [("RCvW", "R", 61), ("RCvRW", "r", 61), ("TLvCE", "e", 49)]:
        home = layout_of(GAME, parse_material(GAME, name))
        assert (GAME.kinds[home.groups[-1].kind].symbol, home.row_length) == (row, length)
    home = layout_of(toys.twins(), parse_material(toys.twins(), "PPKvPP"))
    assert [toys.twins().kinds[group.kind].symbol for group in home.groups] == ["P", "p", "K"]


def test_the_size_of_an_index_costs_no_memory() -> None:
    """Eight pawns against eight have 1.4 billion placements of the lead, of which half and the symmetric ones are numbered."""
    game = load_game("hexapawn-8x8")
    home = Layout(game, material_of(game, parse(game, game.start)))
    # Each side's pawns stand on 7 ranks; a symmetric placement is a choice of 4 of the 28 squares of a half.
    assert home.size == (comb(56, 8) + comb(28, 4)) // 2 * comb(56, 8)
