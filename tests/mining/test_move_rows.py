"""Every row of `moves` against its slow twin, and statements over moves against DuckDB on the twin's rows."""

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.checks import before_release, thinned
from support.queries import MOVE_COLUMNS, mined, mined_table
from twins.mining import counted, moves_of

import tablebase
from tablebase.game import Game, load_game
from tablebase.mining import move_values, scan
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
PAWNS = load_game("hexapawn")
FOXES = load_game("foxhounds-4x4")
PAWN_MATERIALS = ["PvP", "PvPP", "PPvP", "PPPvP", "PPvPP", "PPPvPPP"]


def mined_moves(game: Game, folder: Path, condition: str) -> list[dict[str, Any]]:
    names, rows = mined_table(
        game, folder, f"SELECT * EXCLUDE (quiet, position, child), quiet, position, child FROM moves WHERE {condition}"
    )
    assert names == [*MOVE_COLUMNS, "quiet", "position", "child"]
    return [dict(zip(names, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("game", "folder", "materials", "side"),
    [
        *((JUNGLE, "two_pieces", name, 0) for name in ("CvR", "CvC")),
        *before_release(*((JUNGLE, "two_pieces", name, 0) for name in ("RvC", "LvE", "EvL", "TvL"))),
        *((PAWNS, "hexapawns", name, 0) for name in PAWN_MATERIALS),
        *((FOXES, "foxes", "FvH FvHH", side) for side in (0, 1)),
    ],
    ids=str,
)
def test_moves_are_those_of_the_twin(game: Game, folder: str, materials: str, side: int, request: pytest.FixtureRequest) -> None:
    """All legal moves of all placements, mirror images included, in all columns.

    Stored slices, aliases and exchanged colours, rats and jumpers; identical pieces, which share an index; tiers and steps to them.
    """
    place = request.getfixturevalue(folder)
    with tablebase.open(place) as opened:
        expected = [row for material in materials.split() for row in moves_of(opened, game, material, side)]
    # Tiers have names of their own; these are all of the game.
    named = "true" if game is FOXES else f"material = '{materials}'"
    found = mined_moves(game, place, f"{named} AND side = '{game.sides[side].letter}'")
    assert counted(found, expected[0]) == counted(expected, expected[0])


def test_stalemates_have_no_moves(shut_in: Path) -> None:
    stalemates = "FROM positions WHERE material = 'CvWD' AND stalemate"
    counts = "sum(winning_moves + drawing_moves + losing_moves), sum(best_moves), bool_and(quiet)"
    columns = f"count(*) > 0, count(best), count(only_move), {counts}"
    assert mined(JUNGLE, shut_in, f"SELECT {columns} {stalemates}") == [(True, 0, 0, 0, 0, True)]
    text = mined(JUNGLE, shut_in, f"SELECT position {stalemates} LIMIT 1")[0][0]
    assert mined(JUNGLE, shut_in, f"SELECT count(*) FROM moves WHERE position = '{text}'") == [(0,)]


def test_a_move_without_a_table_has_no_outcome(hexapawns: Path, tmp_path: Path) -> None:
    """Its value is null, and so are counts, the best and the only move, unless other moves settle them; probes agree."""
    incomplete = Path(shutil.copytree(hexapawns, tmp_path / "tables"))
    for name in ("PPvP", "PvPP"):
        table_path(incomplete, PAWNS, parse_material(PAWNS, name)).unlink(missing_ok=True)
    moves = mined(PAWNS, incomplete, "SELECT position, move, outcome, distance, is_best FROM moves WHERE material = 'PPvPP'")
    assert any(outcome is None for *_, outcome, _, _ in moves)
    columns = "position, best, winning_moves, drawing_moves, losing_moves, best_moves, only_move"
    rows = mined(PAWNS, incomplete, f"SELECT {columns} FROM positions WHERE material = 'PPvPP'")
    with tablebase.open(incomplete) as opened:
        probes = {text: opened.probe(PAWNS, text) for text, *_ in rows}
    expected = set()
    for text, probe in probes.items():
        for move in probe.moves:
            worth = (None, None) if move.value is None else (str(move.value.outcome), move.value.distance)
            expected.add((text, move.move, *worth, None if move.value is None else move.value == probe.value))
    assert set(moves) == expected
    assert len(moves) == len(expected)
    for text, best, *counts, only in rows:
        probe = probes[text]
        known = [move for move in probe.moves if move.value is not None]
        complete = len(known) == len(probe.moves)
        outcomes = [str(move.value.outcome) for move in known if move.value is not None]
        assert best == min((move.move for move in known if move.value == probe.value), default=None)
        as_good = sum(move.value == probe.value for move in known)
        assert counts == ([*(outcomes.count(each) for each in ("win", "draw", "loss")), as_good] if complete else [None] * 4)
        keeping = [move.move for move in known if move.value is not None and move.value.outcome == probe.value.outcome]
        assert only == (keeping[0] if complete and len(keeping) == 1 else None)


STATEMENTS = {
    "a value of the position": """
        SELECT move, count(*) FROM moves WHERE position_outcome = 'win' AND position_distance > 2 GROUP BY ALL""",
    "a value of the move": "SELECT move, count(*) FROM moves WHERE outcome = 'loss' AND distance <= 3 GROUP BY ALL",
    "both": "SELECT position, move FROM moves WHERE position_outcome = 'win' AND outcome = 'loss'",
    "either": "SELECT count(*), max(distance) FROM moves WHERE position_outcome = 'loss' OR outcome = 'win'",
    "qualified": "SELECT count(*), min(m.child) FROM moves m WHERE m.position_outcome = 'win' AND m.material = 'PPvPP'",
    "children": "SELECT m.move, p.outcome, count(*) FROM moves m JOIN positions p ON p.position = m.child GROUP BY ALL",
    "the only move": "SELECT only_move, count(*) FROM positions WHERE outcome = 'win' GROUP BY ALL",
    "the piece that makes it": "SELECT piece, material, count(*) FROM moves WHERE is_only GROUP BY ALL",
    "best moves": """
        SELECT p.best, count(*), min(m.move) FROM positions p JOIN moves m USING (position)
        WHERE m.is_best AND p.material = 'PPvPP' AND m.material = 'PPvPP' GROUP BY ALL""",
    "a column that is a feature elsewhere": """
        SELECT p.captures, m.captures, count(*) FROM positions p JOIN moves m ON m.position = p.position
        WHERE p.pieces = 4 AND m.pieces = 4 GROUP BY ALL""",
    "a look-up": "SELECT move, outcome, distance, child FROM moves WHERE position = '.p./P../3 w' OR position = '1p1/P2/3 w'",
    "a union": "SELECT outcome, count(*) FROM moves GROUP BY 1 UNION ALL SELECT outcome, count(*) FROM positions GROUP BY 1",
}


@pytest.mark.parametrize("statement", thinned(STATEMENTS.values(), 2), ids=STATEMENTS)
def test_statements_over_moves(statement: str, hexapawns: Path, pawns: duckdb.DuckDBPyConnection) -> None:
    expected = pawns.execute(statement).fetchall()
    assert expected
    assert sorted(map(str, mined(PAWNS, hexapawns, statement))) == sorted(map(str, expected))


def test_distinct_moves_are_those_of_distinct_positions(two_pieces: Path) -> None:
    for table in ("positions", "distinct_positions"):
        moves = table.replace("positions", "moves")
        each = f"SELECT material, sum(winning_moves + drawing_moves + losing_moves) FROM {table} GROUP BY ALL ORDER BY ALL"
        assert mined(JUNGLE, two_pieces, f"SELECT material, count(*) FROM {moves} GROUP BY ALL ORDER BY ALL") == mined(
            JUNGLE, two_pieces, each
        )


def test_blocks_and_memory_change_nothing(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many positions are taken at once, and however few codes are kept, the same moves come."""
    statement = """
        SELECT material, move, outcome, distance, is_best, is_only, count(*) FROM moves
        WHERE material IN ('RvR', 'TvR') GROUP BY ALL ORDER BY ALL"""
    expected = mined(JUNGLE, two_pieces, statement)
    for block in (7, 1000):
        monkeypatch.setattr(scan, "MOVES_BLOCK", block)
        monkeypatch.setattr(move_values, "KEPT_BYTES", block * 10)
        assert mined(JUNGLE, two_pieces, statement) == expected
