"""Positions of records: in the letters of their own slice, with its side to move, and worth what is recorded."""

from pathlib import Path

import pytest
from support.catalogs import rows
from support.checks import at_least_one
from support.program import Ask

import tablebase
from tablebase.commands.tablebase import Tablebase
from tablebase.game import load_game
from tablebase.game.notation import parse
from tablebase.slices.location import slices
from tablebase.slices.material import material_name, material_of

RECORDS = (
    "SELECT material, side, longest_win, longest_win_position, longest_loss, longest_loss_position "
    "FROM slice_counts WHERE game = '{}'"
)


def check_records(tables: Tablebase, name: str, count: int) -> None:
    """Each slice's records are positions of its own material with its own side to move, and have the recorded distances."""
    game, found = load_game(name), rows(tables.folder, RECORDS.format(name))
    assert len(found) == count
    for row in at_least_one(found):
        for outcome in ("win", "loss"):
            text, distance = row[f"longest_{outcome}_position"], row[f"longest_{outcome}"]
            assert (text is None) == (distance is None)
            if text is not None:
                position = parse(game, text)
                assert material_name(game, material_of(game, position)) == row["material"], text
                assert game.sides[position.side].letter == row["side"], text
                assert tables.probe_value(name, text) == (outcome, distance), text


def test_records_of_all_slices_of_two_and_three_pieces(more_tables: Tablebase) -> None:
    """Aliases, too, of which some swap colours."""
    check_records(more_tables, "doushouqi", 64 + 448)


def test_records_of_pawns(pawn_tables: Tablebase) -> None:
    """In Hexapawn the side to move is part of a slice that colour swap leaves alone."""
    game = load_game("hexapawn")
    check_records(pawn_tables, "hexapawn", sum(len(slices(game, pieces)) for pieces in range(2, 7)))


@pytest.mark.parametrize("name", ["foxhounds-4x4", "hasenspiel-4x8-pawns=1"])
def test_records_of_sides_that_are_not_alike(name: str, tmp_path: Path, ask: Ask) -> None:
    """Without colour swap each slice is listed with both sides to move."""
    assert ask("build", name, "--data", tmp_path).code == 0
    with tablebase.open(tmp_path) as tables:
        found = {row["side"] for row in rows(tmp_path, RECORDS.format(name))}
        assert found == {side.letter for side in load_game(name).sides}
        check_records(tables, name, len(rows(tmp_path, RECORDS.format(name))))
