"""A damaged catalog is refused by every command that reads it, and rebuilt by every command that writes."""

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from support.catalogs import change, database, forge, snapshot
from support.checks import thinned
from support.program import Ask, assert_refused, table_of
from support.tablebases import on_both, on_postgresql, once_on_postgresql

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import TablebaseError

MINED = "SELECT material, side, count(*) AS n FROM positions WHERE outcome = 'win' GROUP BY ALL ORDER BY ALL"
COMMANDS = {
    "mine": ["mine", "doushouqi", MINED, "--format", "csv"],
    "stats": ["stats", "doushouqi", "--by", "material", "--format", "csv"],
    "probe": ["probe", "doushouqi", "7/7/7/7/3c3/7/7/R6/7 w", "--format", "csv"],
    "estimate": ["estimate", "doushouqi", "--pieces", "2", "--format", "csv"],
    "sql": ["sql", "SELECT * FROM slice_counts JOIN games ON games.name = game ORDER BY material, side", "--format", "csv"],
}

RECURSIVE = "WITH RECURSIVE forever(x) AS (SELECT 1 UNION ALL SELECT x FROM forever)"
CHANGES = {
    "distances removed": ["DELETE FROM distances WHERE outcome = 'win'"],
    "a count changed": ["UPDATE solutions SET wins = wins + 1, losses = losses - 1 WHERE id = 3"],
    "a slice removed": ["DELETE FROM slices WHERE material = 'DvP'"],
    "a slice stored elsewhere": ["UPDATE slices SET solution_id = 1 WHERE material = 'DvP'"],
    "an alias that is none": ["UPDATE slices SET is_alias = 3 WHERE is_alias = 1"],
    "seconds invented": ["UPDATE tables SET seconds = seconds + 1 WHERE material = 'CvW'"],
    "a view removed": ["DROP VIEW slice_counts"],
    "a table removed": ["DROP TABLE pattern_trees"],
    "a title changed": ["UPDATE games SET title = title || 'x'"],
}
SQLITE_CHANGES = {
    "a game removed": ["DELETE FROM games"],
    "two sides exchanged": ["UPDATE solutions SET id = id + 1000 WHERE id = 1", "UPDATE solutions SET id = 1 WHERE id = 2"],
    "distances of nothing": ["INSERT INTO distances VALUES (1000, 'win', 1, 1)"],
    "a solution of nothing": [
        "INSERT INTO solutions SELECT 1000, 1000, side, 1, 0, 1, 0, 0, 0, 1, 1, NULL, NULL FROM solutions LIMIT 1"
    ],
    "bytes for a text": ["UPDATE tables SET material = CAST(material AS BLOB) WHERE material = 'CvW'"],
    "a row removed": ["DELETE FROM tables WHERE material = 'CvW'"],
    "a table without end": ["ALTER TABLE distances RENAME TO other", f"CREATE VIEW distances AS {RECURSIVE} SELECT * FROM forever"],
    "a column removed": ["DROP VIEW slice_counts", "ALTER TABLE pattern_rules DROP COLUMN share"],
}
"""What PostgreSQL does not allow, or writes in another way."""
HARMLESS = [
    "CREATE INDEX mine ON tables (engine)",
    "DROP INDEX ix_slices_game",
    "ALTER TABLE distances ADD COLUMN remark TEXT",
]


Said = dict[str, tuple[int, str]]


def answers(folder: Path, ask: Ask) -> Said:
    said = {}
    for name, words in COMMANDS.items():
        answer = ask(*words, "--data", folder)
        said[name] = answer.code, answer.out
        if answer.code:
            assert answer.out == ""
            (error,) = answer.errors
            assert error.startswith(f"error: {database(folder).place} "), error
            assert f"run 'tablebase reindex --data {folder}{database(folder).option}'" in error
    return said


def refused(said: Said) -> set[str]:
    return {name for name, (code, _) in said.items() if code}


ALL_READING = set(COMMANDS) - {"probe"}


@pytest.mark.parametrize(
    ("statements", "catalog_url"),
    [
        *thinned((pytest.param(one, "sqlite", id=name) for name, one in {**CHANGES, **SQLITE_CHANGES}.items()), 3),
        *(pytest.param(one, "postgresql", id=f"{name}-postgresql", marks=pytest.mark.full) for name, one in CHANGES.items()),
    ],
    indirect=["catalog_url"],
)
def test_a_damaged_catalog_is_refused_and_rebuilt(statements: list[str], copied: Path, ask: Ask) -> None:
    sound = snapshot(copied)
    change(copied, *statements)
    assert refused(answers(copied, ask)) == ALL_READING
    assert ask("verify", "doushouqi", "--data", copied).code == 2
    built = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert built.code == 0
    assert built.err.startswith(f"{database(copied).place} is damaged (")
    assert snapshot(copied) == sound


@on_both
def test_changes_that_do_no_harm(copied: Path, ask: Ask) -> None:
    """Nothing in our rows is another, so that nobody is kept from work."""
    before = answers(copied, ask)
    change(copied, *HARMLESS)
    assert answers(copied, ask) == before
    assert ask("patterns", "doushouqi", "--material", "RvC", "--depth", "0", "--data", copied).code == 0
    assert ask("reindex", "--data", copied).code == 0
    assert answers(copied, ask) == before


def test_a_view_of_ours_that_was_changed(copied: Path, ask: Ask) -> None:
    """In SQLite the question is asked of the view that this program makes, however long another one would take."""
    before = answers(copied, ask)
    change(copied, "DROP VIEW slice_counts", f"CREATE VIEW slice_counts AS {RECURSIVE} SELECT * FROM forever")
    assert answers(copied, ask) == before


@pytest.mark.full
@on_postgresql
def test_a_schema_that_was_changed_is_refused(copied: Path, ask: Ask) -> None:
    """The same, where PostgreSQL allows more; rows that are hidden from the role stay so."""
    test_a_damaged_catalog_is_refused_and_rebuilt(["ALTER TABLE pattern_rules DROP COLUMN share"], copied, ask)
    change(copied, *(f"ALTER TABLE distances {how} ROW LEVEL SECURITY" for how in ("ENABLE", "FORCE")))
    assert refused(answers(copied, ask)) == ALL_READING


def test_an_index_that_leads_elsewhere_is_refused(copied: Path, ask: Ask) -> None:
    """All rows are as they were written, but a question that goes through the index would miss one."""
    path = copied / FILE_NAME
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ix_slices_game'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = path.read_bytes()
    begin = data.index(b"doushouqi", (page - 1) * size, page * size)
    path.write_bytes(data[:begin] + b"doushouqj" + data[begin + 9 :])
    assert refused(answers(copied, ask)) == ALL_READING


@pytest.mark.parametrize(("count", "thorough", "least"), [(8, 1, 5), pytest.param(1000, 1000, 851, marks=pytest.mark.release)])
def test_flipped_bits_are_refused_or_harmless(count: int, thorough: int, least: int, copied: Path, ask: Ask) -> None:
    """No single bit of the catalog's file changes an answer; empty space is left out.

    A catalog that is refused must be refused by every command. One that is accepted must hold the same rows; `thorough`
    of them are also asked by all commands.
    """
    path = copied / FILE_NAME
    sound, sound_rows, before = path.read_bytes(), snapshot(copied), answers(copied, ask)
    assert not refused(before)
    used = [place for place, byte in enumerate(sound) if byte]
    random, outcomes = Random(count), {"refused": 0, "harmless": 0}
    for _ in range(count):
        place, bit = random.choice(used), random.randrange(8)
        damaged = bytearray(sound)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            Catalog(copied).close()
        except TablebaseError:
            outcomes["refused"] += 1
            after = answers(copied, ask)
            assert refused(after) == ALL_READING, (place, bit)
            assert after["probe"] == before["probe"], (place, bit)
        else:
            outcomes["harmless"] += 1
            assert snapshot(copied) == sound_rows, (place, bit)
            if outcomes["harmless"] <= thorough:
                assert answers(copied, ask) == before, (place, bit)
    assert outcomes["refused"] >= least


OF_CVW = "(SELECT min(id) FROM solutions WHERE table_id = (SELECT id FROM tables WHERE material = 'CvW'))"
FORGERIES = {
    "a histogram": f"UPDATE distances SET placements = placements + 1 WHERE solution_id = {OF_CVW}",
    "counts": f"UPDATE solutions SET draws = draws + 1 WHERE id = {OF_CVW}",
    "a longest position": f"UPDATE solutions SET longest_win_position = longest_loss_position WHERE id = {OF_CVW}",
    "a pairing": f"UPDATE slices SET pairing = '2 1' WHERE solution_id = {OF_CVW}",
    "an alias": f"DELETE FROM slices WHERE solution_id = {OF_CVW} AND is_alias = 1",
    "a name": f"UPDATE slices SET material = 'EvE' WHERE solution_id = {OF_CVW}",
    "a size": "UPDATE tables SET bytes = bytes + 1 WHERE material = 'CvW'",
    "a digest": "UPDATE tables SET values_sha256 = '' WHERE material = 'CvW'",
    "a file": "UPDATE tables SET file_sha256 = '' WHERE material = 'CvW'",
}


@once_on_postgresql("statement", FORGERIES)
def test_verify_compares_the_catalog_with_the_files(statement: str, copied: Path, ask: Ask) -> None:
    """What differs from the header of a table is found even if the seals fit, and named with its file."""
    forge(copied, statement)
    answer = ask("verify", "doushouqi", "--material", "CvW", "--data", copied)
    assert_refused(answer, 1, str(table_of(copied, "CvW")))
