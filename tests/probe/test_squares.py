"""Arrays of squares are checked: only rows that single probes would take have a value."""

from typing import Any

import numpy as np
import pytest

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import NotationError, SquaresError
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces
from tablebase.probe.squares import row_fault, sound_rows
from tablebase.slices.material import Material, material_of, materials
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
GOOD = GAME.board.squares("a1 d5")


def takes(game: Game, material: Material, side: int, row: list[int]) -> bool:
    """Whether a single probe takes a row as a position of the material."""
    if min(row) < 0:
        return False
    position = Position(tuple(sorted(zip(material.kinds, row, strict=True))), side)
    try:
        check_pieces(game, position)
    except NotationError:
        return False
    return material_of(game, position) == material


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (GAME.board.squares("b4 g9"), "b4"),
        (GAME.board.squares("d9 g9"), "d9"),
        ([5, 5], "one square"),
        ([-1, 5], "-1"),
        ([63, 5], "63"),
        ([300, 5], "300"),
        ([2**40, 5], str(2**40)),
    ],
    ids=["water", "den of the other side", "one square", "-1", "past the board", "past int8", "past int32"],
)
def test_what_is_not_a_position_is_refused(row: list[int], reason: str, tables: Tablebase) -> None:
    """The first such row is named, with the reason and the number of such rows."""
    for before, count in ((0, 1), (3, 1), (3, 4)):
        squares = np.array([GOOD] * before + [row] * count + [GOOD])
        with pytest.raises(SquaresError) as caught:
            tables.probe_squares(GAME, "CvT", 0, squares)
        error = caught.value
        assert (error.row, error.count, error.rows) == (before, count, before + count + 1)
        assert reason in error.reason
        assert f"row {before} " in str(error)


@pytest.mark.parametrize(
    "squares",
    [[[5, 6, 7]], [[5]], [5, 6], [], 7, None, [[5, 6], [7]], [[0.5, 6.0]], [["a1", "b2"]], [[True, False]], [[[5, 6]]]],
    ids=str,
)
def test_other_shapes_and_types_are_refused(squares: Any, tables: Tablebase) -> None:
    with pytest.raises(NotationError) as caught:
        tables.probe_squares(GAME, "CvT", 0, squares)
    assert not isinstance(caught.value, SquaresError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64])
def test_whole_numbers_of_any_width(dtype: type, tables: Tablebase) -> None:
    """They have the values that the same squares have as int8 without a check; so have lists, and no rows at all."""
    squares = np.array([GOOD, GAME.board.squares("g3 a7")], dtype=np.int8)
    expected = tables.probe_squares(GAME, "CvT", 1, squares, check=False)
    for given in (squares.astype(dtype), squares.tolist()):
        found = tables.probe_squares(GAME, "CvT", 1, given)
        assert [array.tolist() for array in found] == [array.tolist() for array in expected]
    assert [len(array) for array in tables.probe_squares(GAME, "CvT", 1, squares[:0])] == [0, 0]


@pytest.mark.parametrize("name", ["doushouqi", "hexapawn", "foxhounds-4x4", "hasenspiel-6x6"])
def test_rows_are_refused_where_single_positions_are(name: str) -> None:
    """Random rows of several materials, among them squares off the board, of other tiers, and where pieces have no home."""
    game, random, seen = load_game(name), np.random.default_rng(38), set()
    for pieces in range(2, min(4, game.max_pieces) + 1):
        listed = materials(game, pieces)
        for number in random.choice(len(listed), size=min(6, len(listed)), replace=False).tolist():
            material = listed[number]
            homes = np.array(sorted(game.kinds[material.kinds[0]].homes))
            rows = random.integers(-1, len(game.board) + 1, size=(300, pieces))
            rows[::2, 0] = random.choice(homes, size=150)
            rows[::3] = rows[::3].clip(0, len(game.board) - 1)
            sound = sound_rows(game, material, rows)
            assert sound.tolist() == [takes(game, material, 0, row) for row in rows.tolist()]
            seen |= set(sound.tolist())
            assert all(row_fault(game, material, 0, row) for row in rows[~sound].tolist())
    assert seen == {True, False}
