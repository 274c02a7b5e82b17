"""The catalog: published counts, records, its version, figures that agree with the files, and nothing but reading."""

import errno
import os
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from support.builds import register
from support.catalogs import change, database, forge, opened, rows
from support.checks import at_least_one
from support.program import Ask, assert_one_sentence, assert_refused, drafts
from support.tablebases import on_both

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.schema import SCHEMA_VERSION
from tablebase.catalog.sqlite import FILE_NAME, SqliteDatabase
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import CapacityError
from tablebase.game import load_game
from tablebase.game.notation import parse
from tablebase.positions.location import locate, slices
from tablebase.positions.material import material_name, material_of, parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()

SUMS = ["slices", "distinct", "placements", "stalemates", "positions", "wins", "losses", "draws"]
COLUMNS = ["pieces", *SUMS, "longest_win", "longest_loss", "of_slices"]
PUBLISHED = [
    dict(zip(COLUMNS, counts, strict=True))
    for counts in (
        (2, 64, 17, 160_068, 0, 160_068, 82_852, 64_501, 12_715, 33, 34, 64),
        (3, 448, 84, 54_355_896, 1_212, 54_354_684, 30_297_857, 23_369_820, 687_007, 67, 66, 448),
    )
]


def dump(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        settings = [str(connection.execute(f"PRAGMA {name}").fetchall()) for name in ("user_version", "journal_mode")]
        return [*settings, *connection.iterdump()]


def test_counts_are_the_published_ones(three_pieces: Path, ask: Ask) -> None:
    slices = rows(three_pieces, "SELECT placements, stalemates, positions FROM slice_counts")
    assert all(row["positions"] == row["placements"] - row["stalemates"] for row in at_least_one(slices))
    assert ask("stats", "doushouqi", "--data", three_pieces, "--format", "json").json == PUBLISHED


@pytest.mark.parametrize(
    ("material", "wins", "losses", "draws", "longest"),
    [("RCvW", 98_517, 36_199, 4_052, 39), ("TvWD", 59_028, 45_804, 5_712, 37), ("CEvL", 88_655, 21_139, 750, 67)],
)
def test_counts_of_single_slices(
    material: str, wins: int, losses: int, draws: int, longest: int, three_pieces: Path, ask: Ask
) -> None:
    """Slices that other programs counted have their numbers here, whether they are stored or aliases."""
    lines = ask("stats", "doushouqi", "--data", three_pieces, "--by", "material", "--format", "json").json
    (line,) = (line for line in lines if line["material"] == material)
    assert (line["side"], line["wins"], line["losses"], line["draws"], line["longest_win"]) == ("w", wins, losses, draws, longest)


HINTS = {
    "DELETE FROM tables": "not authorized (only SELECT is allowed)",
    "SELECT * FROM positions": "no such table: positions (query positions with 'tablebase mine')",
    "SELECT * FROM placements": "no such table: placements",
}


@pytest.mark.parametrize(
    "statement",
    [
        *HINTS,
        "INSERT INTO games VALUES ('a', 'b', 'c') RETURNING name",
        "UPDATE solutions SET wins = 0",
        "WITH a AS (SELECT 1) DELETE FROM tables",
        "REPLACE INTO games VALUES ('doushouqi', 'b', 'c')",
        "DROP TABLE tables",
        "CREATE TABLE mine (a)",
        "CREATE TEMP TABLE mine AS SELECT 1",
        "ALTER TABLE tables RENAME TO mine",
        "ATTACH DATABASE 'other.sqlite' AS other",
        "VACUUM INTO 'other.sqlite'",
        "PRAGMA user_version = 7",
        "PRAGMA writable_schema = 1",
        "BEGIN",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE tables",
        "SELECT load_extension('mine')",
        "SELECT nothing FROM nowhere",
        "",
    ],
)
def test_sql_only_reads(statement: str, copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied)
    before = dump(copied), drafts(copied)
    answer = ask("sql", statement, "--data", copied)
    assert_one_sentence(answer)
    assert answer.err.endswith(f": {HINTS[statement]}\n" if statement in HINTS else "\n")
    assert (dump(copied), drafts(copied)) == before


def test_sql_columns_of_one_name_keep_their_values(two_pieces: Path, ask: Ask) -> None:
    """Columns that are called alike, also like the names that are made for such, lose nothing."""
    words = ("sql", "SELECT 11 AS a, 22 AS a, 33 AS a_2, 44 AS a", "--data", two_pieces, "--format")
    assert list(ask(*words, "json").json[0].values()) == [11, 22, 33, 44]
    for style in ("table", "csv"):
        assert re.findall("[0-9]{2}", ask(*words, style).out) == ["11", "22", "33", "44"]


@pytest.mark.parametrize("name", ["a b%20c#d", "a?b&mode=rw", "ü'\""])
def test_any_folder_name_will_do(name: str, two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Spaces, per cent signs, question marks and quotes in a folder's name make no other database of it."""
    folder = Path(shutil.copytree(two_pieces, tmp_path / name))
    assert ask("sql", "SELECT COUNT(*) AS n FROM tables", "--data", folder, "--format", "json").json == [{"n": 10}]
    assert ask("stats", "doushouqi", "--data", folder, "--format", "json").json == PUBLISHED[:1]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_nobody_waits_for_a_reader(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table is entered while a statement is being read, which goes on to show the state in which it began."""
    monkeypatch.setattr("tablebase.catalog.database.PAUSE", 0.0)
    material = parse_material(GAME, "CvW")
    with (
        SqliteDatabase(copied).snapshot() as reader,
        closing(Table(table_path(copied, GAME, material), GAME, material)) as table,
    ):
        read = reader.exec_driver_sql("SELECT engine FROM tables")
        first = read.fetchone()
        with closing(Catalog(copied, create=True, patience=0)) as catalog:
            register(catalog, GAME, table, "somebody")
        assert ("somebody",) not in [first, *read.fetchall()]
    assert {"engine": "somebody"} in rows(copied, "SELECT engine FROM tables")


@on_both
def test_tables_of_other_rules_are_not_counted(copied: Path, ask: Ask) -> None:
    forge(copied, "UPDATE tables SET rules_digest = 'other' WHERE material = 'RvC'")
    lines = ask("stats", "doushouqi", "--by", "material", "--data", copied, "--format", "json").json
    home = parse_material(GAME, "RvC")
    kept = {material_name(GAME, one.material) for one in slices(GAME, 2) if one.location.material != home}
    assert {(line["material"], line["side"]) for line in lines} == {(name, "w") for name in kept}
    assert len(kept) < 64
    with closing(opened(copied)) as catalog:
        assert set(catalog.histograms(GAME)) == {(name, "w") for name in kept}


def test_stats_of_some_numbers_of_pieces(three_pieces: Path, piglet_tables: Path, ask: Ask) -> None:
    """`--pieces` chooses rows, with the same words as `build`; a number of pieces without tables is missing."""
    words = ("stats", "doushouqi", "--data", three_pieces, "--format", "json")
    every, slices = ask(*words).json, ask(*words, "--by", "material").json
    assert ask(*words, "--pieces", 3).json == [row for row in every if row["pieces"] == 3]
    assert ask(*words, "--pieces", "2-3").json == every
    assert ask(*words, "--pieces", 2, "--by", "material").json == [row for row in slices if len(row["material"]) == 3]
    assert_refused(ask(*words, "--pieces", 4), 2, "--pieces 4")
    assert_refused(ask(*words, "--pieces", 17), 2)
    assert_refused(ask("stats", "pig", "--pieces", 2, "--data", piglet_tables), 2, "--pieces")


def test_a_disk_that_fills_up_before_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite only says that it cannot open a file; an attempt to make one gives the reason."""
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    database = SqliteDatabase(tmp_path)
    assert not isinstance(database.error(error), CapacityError)
    monkeypatch.setattr(Path, "touch", Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    with pytest.raises(CapacityError, match="no space is left"):
        database.error(error)


RECORDS = (
    "SELECT material, side, longest_win, longest_win_position, longest_loss, longest_loss_position "
    "FROM slice_counts WHERE game = '{}'"
)


def check_records(tables: Tablebase, name: str, count: int) -> None:
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


def test_records_of_slices_and_their_aliases(more_tables: Tablebase, pawn_tables: Tablebase) -> None:
    """Some aliases swap colours; in Hexapawn the side to move is part of a slice that colour swap leaves alone."""
    check_records(more_tables, "doushouqi", 64 + 448)
    check_records(pawn_tables, "hexapawn", sum(len(slices(load_game("hexapawn"), pieces)) for pieces in range(2, 7)))


@pytest.mark.parametrize("name", ["foxhounds-4x4", "hasenspiel-4x8-pawns=1"])
def test_records_of_sides_that_are_not_alike(name: str, tmp_path: Path, ask: Ask) -> None:
    assert ask("build", name, "--data", tmp_path).code == 0
    with tablebase.open(tmp_path) as tables:
        found = {row["side"] for row in rows(tmp_path, RECORDS.format(name))}
        assert found == {side.letter for side in load_game(name).sides}
        check_records(tables, name, len(rows(tmp_path, RECORDS.format(name))))


@on_both
@pytest.mark.parametrize(("step", "when"), [(1, "a later"), (-1, "an earlier")])
def test_another_version_is_rebuilt(step: int, when: str, copied: Path, ask: Ask) -> None:
    """What reads says so in one sentence, what writes rebuilds it without touching a table, and says so in another."""
    counts = ask("stats", "doushouqi", "--data", copied, "--format", "csv").out
    files = {path: path.read_bytes() for path in copied.rglob("*.h5")}
    change(copied, f"UPDATE schema_version SET version = {SCHEMA_VERSION + step}")
    for command in (["stats", "doushouqi"], ["verify", "doushouqi"], ["sql", "SELECT 1"], ["mine", "doushouqi", "SELECT 1"]):
        answer = ask(*command, "--data", copied)
        assert (answer.code, answer.out, len(answer.errors)) == (2, "", 1)
        assert answer.err.startswith(f"error: {database(copied).place} was created by {when} version of tablebase: ")
        assert f"run 'tablebase reindex --data {copied}{database(copied).option}'" in answer.err
    built = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert built.code == 0
    assert built.err.splitlines()[0].startswith(f"{database(copied).place} was created by {when} version")
    assert "10 table files" in built.err.splitlines()[0]
    assert ask("stats", "doushouqi", "--data", copied, "--format", "csv").out == counts
    assert {path: path.read_bytes() for path in copied.rglob("*.h5")} == files


def test_pairings_are_those_of_locations(two_pieces: Path) -> None:
    for row in at_least_one(rows(two_pieces, "SELECT material, side, stored_as, pairing FROM slice_counts")):
        location = locate(GAME, parse_material(GAME, row["material"]), "wb".index(row["side"]))
        assert location.material == parse_material(GAME, row["stored_as"])
        assert [int(number) - 1 for number in row["pairing"].split()] == list(location.pairing)
