"""Words and rows of the bit-row engine against naive twins, and the engine on slices that lead it into corners."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import toys
from support.checks import at_least_one
from support.rowviews import GAME, View, all_slices, both_sides, view
from support.solved import Solved
from twins import naive
from twins import rows as naive_rows
from twins.rows import Address, Addresses

from tablebase.compute.bits import moved, trailing_zeros
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import stored_materials
from tablebase.slices.material import Material, parse_material
from tablebase.solvers.bitrow import arrays as rows
from tablebase.solvers.bitrow import words as bits
from tablebase.solvers.bitrow.arrays import MIRRORED, PLAIN, Shifts
from tablebase.solvers.registry import choose_solver, solve_material, solver_for

WORDS = st.integers(0, 2**64 - 1)


# Words


@given(WORDS.filter(bool))
def test_trailing_zeros(word: int) -> None:
    """The number of the lowest bit is that of the least square."""
    assert trailing_zeros(np.uint64(word)) == min(naive_rows.squares_of(word))


@given(WORDS, st.integers(-63, 63))
def test_moved(word: int, shift: int) -> None:
    """Every square moves alike, and falls off at either end."""
    assert int(moved(np.uint64(word), shift)) == naive_rows.word_of(naive_rows.moved(naive_rows.squares_of(word), shift))


@given(WORDS, st.permutations(range(64)), st.integers(1, 64), st.integers(0, 32))
def test_mirrored(word: int, order: list[int], count: int, pairs: int) -> None:
    """Any involution of any board maps a word square by square; bits that are no squares vanish."""
    squares = [square for square in order if square < count]
    image = list(range(count))
    for one, other in list(zip(squares[::2], squares[1::2], strict=False))[:pairs]:
        image[one], image[other] = other, one
    found = bits.mirrored(rows._mirror_bytes(tuple(image)), np.uint64(word))
    assert naive_rows.squares_of(int(found)) == {image[square] for square in naive_rows.squares_of(word) if square < count}


# Rows


@all_slices
def test_setting_up_a_row(solved: Solved, game: Game, name: str) -> None:
    """`set_up_row` and `collides` know the squares of all but the row piece, and whether two share one."""
    seen = view(solved, game, name)
    arrays = seen.arrays
    pieces = len(arrays.stride)
    squares = np.zeros(pieces + 1, dtype=np.int8)
    assert arrays.rows * arrays.length == seen.own.size
    for row in range(arrays.rows):
        expected = seen.squares(row)
        taken = bits.set_up_row(arrays.stride, arrays.square, arrays.bit, row, squares)
        assert squares[:pieces].tolist() == expected
        assert naive_rows.squares_of(int(taken)) == set(expected)
        for some in range(1, pieces + 1):
            assert bits.collides(squares, some) == (len(set(expected[:some])) < some)


@all_slices
def test_what_the_others_add_in_the_mirror(solved: Solved, game: Game, name: str) -> None:
    """`mirrored_rest` is the number of the row with the lead on its first square and the others mirrored."""
    seen = view(solved, game, name)
    arrays = seen.arrays
    image = game.mirror or range(len(game.board))
    first = seen.own.groups[0].unrank(int(seen.own.lead.rank[0]))[0]
    for row in range(arrays.rows):
        squares = seen.squares(row)
        index = seen.own.index([first, *(image[square] for square in squares[1:]), seen.own.groups[-1].squares[0]])
        rest = bits.mirrored_rest(arrays.stride, arrays.place, arrays.mirror, np.array(squares, dtype=np.int8))
        assert rest == index // arrays.length


@all_slices
def test_origins_that_nothing_blocks(solved: Solved, game: Game, name: str) -> None:
    """`free_origins` has the squares from which quiet steps of the row piece by a shift pass a number of first pieces."""
    seen = view(solved, game, name)
    arrays = seen.arrays
    steps = [step for step in game.kinds[seen.own.groups[-1].kind].steps if naive_rows.is_slide(step)]
    assert set(arrays.shift.tolist()) == {step.target - step.origin for step in steps}
    for row in range(arrays.rows):
        squares = seen.squares(row)
        for pieces in range(len(squares) + 1):
            free: dict[int, set[int]] = {shift: set() for shift in arrays.shift.tolist()}
            for number, shift in enumerate(arrays.shift.tolist()):
                word = bits.free_origins(arrays.origins, arrays.barred, number, np.array(squares, dtype=np.int8), pieces)
                free[shift] |= naive_rows.squares_of(int(word))
            passing = [step for step in steps if step.empty.isdisjoint(squares[:pieces])]
            assert free == {shift: {s.origin for s in passing if s.target - s.origin == shift} for shift in free}


def landings(seen: View, shifts: Shifts, n: int, row: int, square: int) -> Addresses:
    """Where a shift takes a position: as it stands, mirrored or both."""
    arrays = seen.arrays
    image = game_mirror(seen.game)
    others = enumerate(seen.squares(row)[1:], start=1)
    rest = sum(int(arrays.place[slot, image[other]]) * int(arrays.stride[slot]) for slot, other in others)
    found = set()
    if shifts.image[n] != MIRRORED:
        found.add((row + int(shifts.delta[n]), square))
    if shifts.image[n] != PLAIN:
        found.add((int(shifts.base[n]) + rest, image[square]))
    return found


def game_mirror(game: Game) -> tuple[int, ...]:
    """Image of each square, itself where there is no mirror."""
    return game.mirror or tuple(range(len(game.board)))


@all_slices
def test_steps_map_rows_to_rows(solved: Solved, game: Game, name: str) -> None:
    """Each quiet step of each piece beside the row takes each position of the row to where the layout has it."""
    seen = view(solved, game, name)
    own, shifts = seen.own, seen.arrays.forth
    squares = own.groups[-1].squares
    for row in range(seen.arrays.rows):
        others = seen.squares(row)
        for slot, origin in enumerate(others):
            steps = [
                step for step in game.kinds[own.groups[slot].kind].steps if step.origin == origin and naive_rows.is_slide(step)
            ]
            begin, end = shifts.begin[slot, origin : origin + 2].tolist()
            assert end - begin == len(steps)
            for n, step in zip(range(begin, end), steps, strict=True):
                assert naive_rows.squares_of(int(shifts.mask[n])) == {step.target, *step.empty}
                for square in set(squares) - {step.target, *step.empty}:
                    after = [*others[:slot], step.target, *others[slot + 1 :], square]
                    number, digit = divmod(own.index(after), len(squares))
                    assert landings(seen, shifts, n, row, square) == {(number, squares[digit])}


@both_sides
@all_slices
def test_unsteps_map_rows_to_rows(solved: Solved, game: Game, name: str, side: int) -> None:
    """From the images of a position, the un-steps of the pieces beside the row lead to all its parents, at all addresses."""
    seen = view(solved, game, name)
    shifts, row_kind = seen.arrays.back, seen.own.groups[-1].kind
    homes = naive_rows.addresses(game, seen.material, side)
    parents: dict[frozenset[Address], Addresses] = {some: set() for some in homes.values()}
    for address, before in seen.positions(1 - side).items():
        for move in naive.moves(game, before):
            if naive_rows.is_quiet(move) and move.kind != row_kind:
                parents[homes[naive.after(before, move)]].add(address)
    for home, expected in at_least_one(parents.items()):
        found: Addresses = set()
        for row, square in home:
            others = seen.squares(row)
            for slot, place in enumerate(others):
                if game.kinds[seen.own.groups[slot].kind].side != side:
                    for n in range(*shifts.begin[slot, place : place + 2].tolist()):
                        if not naive_rows.squares_of(int(shifts.mask[n])) & {*others, square}:
                            found |= landings(seen, shifts, n, row, square)
        assert found == expected


# Whole slices


def agree(solved: Solved, game: Game, material: Material) -> None:
    """Both engines give the same bytes in the same coding."""
    (codes, coding), (expected, its_coding) = (solved(game, engine).table(material) for engine in ("bitrow", "reference"))
    assert coding == its_coding
    assert [one.tobytes() for one in codes] == [one.tobytes() for one in expected]


@pytest.mark.parametrize(
    ("name", "lead", "row"),
    [
        pytest.param("RTvR", "R", "r", id="a tiger whom both lead and row may block"),
        pytest.param("RCvR", "R", "r", id="rats that take each other anywhere"),
        pytest.param("REvR", "R", "r", id="an elephant that a rat takes"),
        pytest.param("RCvW", "C", "R", id="a rat as row piece of the first side"),
        pytest.param("RLvT", "L", "R", id="jumpers of both sides whom the row blocks"),
        pytest.param("CWvR", "C", "r", id="a rat as row piece of the second side"),
        pytest.param("TLvR", "T", "r", id="jumpers of one side whom the row blocks"),
        pytest.param("CWvD", "C", "d", id="nothing that jumps or swims"),
        pytest.param("CTvW", "C", "w", id="a jumper in the middle"),
        pytest.param("TLvC", "T", "c", id="a jumper as lead"),
        pytest.param("CTvL", "C", "l", id="a jumper in the row"),
        pytest.param("TLvT", "T", "t", id="jumpers everywhere"),
    ],
)
def test_three_pieces_of_dou_shou_qi(solved: Solved, name: str, lead: str, row: str) -> None:
    """Byte for byte as the reference engine, whatever the lead and the row piece can do."""
    material = parse_material(GAME, name)
    own = layout_of(GAME, material)
    assert [GAME.kinds[group.kind].symbol for group in (own.groups[0], own.groups[-1])] == [lead, row]
    agree(solved, GAME, material)


@pytest.mark.parametrize(("width", "height"), [(3, 4), (4, 3), (5, 3)])
def test_row_pieces_that_others_block(solved: Solved, width: int, height: int) -> None:
    """Byte for byte as the reference engine where steps of the row piece need a square empty that others may stand on."""
    game = toys.skaters(width, height)
    for table in (*stored_materials(game, 2), *stored_materials(game, 3)):
        agree(solved, game, table)


def test_two_ways_to_a_square(solved: Solved) -> None:
    """Of two steps to one square the row piece has the other when one is blocked, as with the reference engine."""
    game = toys.corners(3, 3)
    material = parse_material(game, "AvC")
    for position, (outcome, distance) in naive.solve(game, material.kinds).items():
        assert solved(game).value(position) == (Outcome(outcome), distance)
    assert solver_for(game, material, "bitrow").name == "bitrow"
    agree(solved, game, material)


@pytest.mark.parametrize("name", ["AvC", "BvC"])
def test_the_largest_board_of_rows(solved: Solved, name: str) -> None:
    """64 squares fill the word: the same bytes as the reference engine, and the naive values."""
    game = toys.skaters(8, 8)
    material = parse_material(game, name)
    assert solver_for(game, material, "bitrow").name == "bitrow"
    agree(solved, game, material)
    for position, (outcome, distance) in naive.solve(game, material.kinds).items():
        assert solved(game, "bitrow").value(position) == (Outcome(outcome), distance), position


@pytest.mark.parametrize(
    ("game", "name", "reason"),
    [
        pytest.param(toys.hunt(), "HHvF", "it has like pieces, which have no rows", id="like pieces"),
        pytest.param(toys.twins(), "PKvPP", "it has like pieces, which have no rows", id="like pieces of one side"),
        pytest.param(toys.skaters(13, 5), "AvC", "its board has more than 64 squares, the bits of a word", id="65 squares"),
    ],
)
def test_slices_without_rows(solved: Solved, game: Game, name: str, reason: str) -> None:
    """Left to choose, the solver of groups solves them; asked for rows, one sentence says why not and what to do."""
    material = parse_material(game, name)
    solver, why = choose_solver(game, material)
    assert (solver.name, why) == ("groups", reason)
    assert solve_material(game, material, solved(game).load)[2] == "groups"
    with pytest.raises(TablebaseError) as caught:
        solve_material(game, material, solved(game).load, "bitrow")
    assert str(caught.value) == f"the engine bitrow cannot solve this table, for {reason}: use --engine groups"
    assert caught.value.exit_code == 2
