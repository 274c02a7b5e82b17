"""A catalog that is not as it was written is refused by every command, and `reindex` cures it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.catalogs import change, database, everything, forge, opened, put_back, snapshot
from support.program import Answer
from support.tablebases import on_both, on_postgresql

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME, connect_for_reading
from tablebase.errors import CorruptCatalogError, TablebaseError
from tablebase.slices.material import parse_material
from tablebase.tables.format import table_path
from tablebase.tables.reader import Table
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Ask = Callable[..., Answer]

MINED = "SELECT material, side, count(*) AS n FROM positions WHERE outcome = 'win' GROUP BY ALL ORDER BY ALL"
COMMANDS = {
    "mine": ["mine", "doushouqi", MINED, "--format", "csv"],
    "stats": ["stats", "doushouqi", "--by", "material", "--format", "csv"],
    "probe": ["probe", "doushouqi", "7/7/7/7/3c3/7/7/R6/7 w", "--format", "csv"],
    "build": ["build", "doushouqi", "--pieces", "2"],
    "sql": ["sql", "SELECT * FROM slice_counts JOIN games ON games.name = game ORDER BY material, side", "--format", "csv"],
}

WRITE_VERSION_OFFSET = 18
"""Of the byte in the header of an SQLite file that says which programs may write it, see https://sqlite.org/fileformat2.html."""
RECURSIVE = "WITH RECURSIVE forever(x) AS (SELECT 1 UNION ALL SELECT x FROM forever)"
CHANGES = {
    "distances removed": ["DELETE FROM distances WHERE outcome = 'win'"],
    "a count changed": ["UPDATE solutions SET wins = wins + 1, losses = losses - 1 WHERE id = 3"],
    "a table removed": ["DELETE FROM tables WHERE material = 'CvW'"],
    "a slice removed": ["DELETE FROM slices WHERE material = 'DvP'"],
    "a slice stored elsewhere": ["UPDATE slices SET solution_id = 1 WHERE material = 'DvP'"],
    "an alias that is none": ["UPDATE slices SET is_alias = 3 WHERE is_alias = 1"],
    "seconds invented": ["UPDATE tables SET seconds = seconds + 1 WHERE material = 'CvW'"],
    "another title": ["UPDATE games SET title = 'Draughts'"],
    "a game without tables": ["INSERT INTO games VALUES ('go', 'Go', '', 'bw', 'S s')"],
    "no seals": ["DELETE FROM seals"],
    "an index": ["CREATE INDEX mine ON tables (engine)"],
    "no index": ["DROP INDEX ix_slices_game"],
    "a view without end": ["DROP VIEW slice_counts", f"CREATE VIEW slice_counts AS {RECURSIVE} SELECT * FROM forever"],
}
SQLITE_CHANGES = {
    "two sides exchanged": ["UPDATE solutions SET id = id + 1000 WHERE id = 1", "UPDATE solutions SET id = 1 WHERE id = 2"],
    "distances of nothing": ["INSERT INTO distances VALUES (1000, 'win', 1, 1)"],
    "a solution of nothing": [
        "INSERT INTO solutions SELECT 1000, 1000, side, 1, 0, 1, 0, 0, 0, 1, 1, NULL, NULL FROM solutions LIMIT 1"
    ],
    "bytes for a text": ["UPDATE tables SET material = CAST(material AS BLOB) WHERE material = 'CvW'"],
    "a table and all about it removed": ["PRAGMA foreign_keys = ON", "DELETE FROM tables WHERE material = 'CvW'"],
    "a trigger": ["CREATE TRIGGER greedy AFTER INSERT ON tables BEGIN DELETE FROM distances; END"],
    "a view": ["CREATE VIEW mine AS SELECT 1"],
    "a table": ["CREATE TABLE mine (a)"],
    "a table without end": ["DROP TABLE distances", f"CREATE VIEW distances AS {RECURSIVE} SELECT * FROM forever"],
}
"""What the other database does not allow, or allows beside the catalog, or writes in another way."""
POSTGRESQL_CHANGES = {
    "a trigger": [
        "CREATE FUNCTION greedy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM distances; RETURN NEW; END'",
        "CREATE TRIGGER greedy AFTER INSERT ON tables EXECUTE FUNCTION greedy()",
    ],
    "a rule": ["CREATE RULE deaf AS ON INSERT TO distances DO INSTEAD NOTHING"],
    "hidden rows": ["ALTER TABLE distances ENABLE ROW LEVEL SECURITY"],
    "a column": ["ALTER TABLE distances ADD COLUMN remark text"],
    "a wider column": ["ALTER TABLE distances ALTER COLUMN placements TYPE numeric"],
    "no key": ["ALTER TABLE distances DROP CONSTRAINT distances_pkey"],
    "another order": ["ALTER TABLE seals ALTER COLUMN seal TYPE varchar"],
    "a table without end": ["ALTER TABLE distances RENAME TO other", f"CREATE VIEW distances AS {RECURSIVE} SELECT * FROM forever"],
}


Said = dict[str, tuple[int, str]]


def answers(folder: Path, ask: Ask) -> Said:
    """The exit code and the output of each command; where the catalog was refused, in a sentence whose cure is `reindex`."""
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
    """The commands that refused the catalog."""
    return {name for name, (code, _) in said.items() if code}


ALL_BUT_PROBE = set(COMMANDS) - {"probe"}


@on_both
@pytest.mark.parametrize("statements", CHANGES.values(), ids=CHANGES)
def test_a_catalog_changed_by_hand_is_refused(statements: list[str], copied: Path, ask: Ask) -> None:
    """Whatever was changed: by every command that needs the catalog, and `verify` says that a check has failed."""
    change(copied, *statements)
    assert refused(answers(copied, ask)) == ALL_BUT_PROBE
    assert ask("verify", "doushouqi", "--data", copied).code == 1


@pytest.mark.parametrize("statements", SQLITE_CHANGES.values(), ids=SQLITE_CHANGES)
def test_a_file_changed_by_hand_is_refused(statements: list[str], copied: Path, ask: Ask) -> None:
    """The same, where SQLite allows more than PostgreSQL."""
    test_a_catalog_changed_by_hand_is_refused(statements, copied, ask)


@on_postgresql
@pytest.mark.parametrize("statements", POSTGRESQL_CHANGES.values(), ids=POSTGRESQL_CHANGES)
def test_a_schema_changed_by_hand_is_refused(statements: list[str], copied: Path, ask: Ask) -> None:
    """The same, where there is more in PostgreSQL that can be changed; all of it is cured."""
    sound = snapshot(copied)
    test_a_catalog_changed_by_hand_is_refused(statements, copied, ask)
    if not any(" VIEW " in statement for statement in statements):
        assert ask("reindex", "--data", copied).code == 0
        assert snapshot(copied) == sound


@on_both
def test_reindex_cures_rows_changed_by_hand(copied: Path, ask: Ask) -> None:
    """It says the same as before the changes, however many there were."""
    _check_cured(copied, list(CHANGES.values()), ask)


@pytest.mark.parametrize("names", [list(SQLITE_CHANGES)[:5], ["a trigger", "a view"], ["a table", "a table without end"]])
def test_reindex_cures_a_file_changed_by_hand(names: list[str], copied: Path, ask: Ask) -> None:
    """The same, where SQLite allows more."""
    _check_cured(copied, [SQLITE_CHANGES[name] for name in names], ask)


def _check_cured(folder: Path, changes: list[list[str]], ask: Ask) -> None:
    """Check that `reindex` undoes changes."""
    sound = snapshot(folder)
    for statements in changes:
        change(folder, *statements)
    with pytest.raises(CorruptCatalogError):
        opened(folder)
    assert ask("reindex", "--data", folder).code == 0
    assert snapshot(folder) == sound


def test_an_index_that_leads_elsewhere_is_refused(copied: Path, ask: Ask) -> None:
    """All rows are as they were written, but a question that goes through the index would miss one."""
    path = copied / FILE_NAME
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'ix_slices_game'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = path.read_bytes()
    begin = data.index(b"doushouqi", (page - 1) * size, page * size)
    path.write_bytes(data[:begin] + b"doushouqj" + data[begin + 9 :])
    assert refused(answers(copied, ask)) == ALL_BUT_PROBE


@pytest.mark.parametrize("bit", range(1, 8))
def test_a_header_that_forbids_writing_is_refused(bit: int, copied: Path, ask: Ask) -> None:
    """All rows are there, but SQLite would take the file for one of a later version, which it may read and not write."""
    path = copied / FILE_NAME
    data = bytearray(path.read_bytes())
    data[WRITE_VERSION_OFFSET] ^= 1 << bit
    path.write_bytes(data)
    assert refused(answers(copied, ask)) == ALL_BUT_PROBE
    assert ask("reindex", "--data", copied).code == 0
    assert not refused(answers(copied, ask))


def dump(folder: Path) -> list[str]:
    """All that is in a catalog, as SQL; the white space of definitions means nothing."""
    with connect_for_reading(folder / FILE_NAME) as connection:
        driver: Any = connection.connection.driver_connection
        return [" ".join(line.split()) if line.startswith("CREATE") else line for line in driver.iterdump()]


def flips(folder: Path, seed: int, count: int, thorough: int, ask: Ask) -> dict[str, int]:
    """Turn single bits of a catalog around, one at a time, and count what becomes of them; empty space is left out.

    A catalog that is refused must be refused by every command. One that is accepted must hold the same rows; `thorough`
    of them are also asked by all commands.
    """
    path = folder / FILE_NAME
    sound, sound_rows, before = path.read_bytes(), dump(folder), answers(folder, ask)
    assert not refused(before)
    used = [place for place, byte in enumerate(sound) if byte]
    random, outcomes = Random(seed), {"refused": 0, "harmless": 0}
    for _ in range(count):
        place, bit = random.choice(used), random.randrange(8)
        damaged = bytearray(sound)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            Catalog(folder).close()
        except TablebaseError:
            outcomes["refused"] += 1
            after = answers(folder, ask)
            assert refused(after) == ALL_BUT_PROBE, (place, bit)
            assert after["probe"] == before["probe"], (place, bit)
        else:
            outcomes["harmless"] += 1
            assert dump(folder) == sound_rows, (place, bit)
            if outcomes["harmless"] <= thorough:
                assert answers(folder, ask) == before, (place, bit)
    path.write_bytes(sound)
    return outcomes


def test_flipped_bits_are_refused_or_harmless(copied: Path, ask: Ask) -> None:
    """No single bit of the catalog's file changes an answer."""
    outcomes = flips(copied, 1, 15, 1, ask)
    assert outcomes["refused"] > 9


@pytest.mark.long
def test_a_thousand_flipped_bits(copied: Path, ask: Ask) -> None:
    """The same, at length, and with every command."""
    outcomes = flips(copied, 2, 1000, 1000, ask)
    assert outcomes["refused"] > 900


@on_both
def test_what_was_removed_during_a_build_is_not_sealed(copied: Path) -> None:
    """A program that has the catalog open does not make the seal fit what others have removed meanwhile."""
    material = parse_material(GAME, "RvC")
    with (
        closing(opened(copied, create=True)) as catalog,
        closing(Table(table_path(copied, GAME, material), GAME, material)) as table,
    ):
        change(copied, "DELETE FROM tables WHERE material = 'CvW'")
        with pytest.raises(CorruptCatalogError, match="rows have been added, changed or removed"):
            catalog.register(GAME, table)
    with pytest.raises(CorruptCatalogError):
        opened(copied)


@on_both
def test_patterns_have_seals_of_their_own(copied: Path, ask: Ask) -> None:
    """Whatever is changed in them is noticed by `sql`, which shows them."""
    assert ask("patterns", "doushouqi", "--material", "RvC", "--data", copied).code == 0
    assert ask(*COMMANDS["sql"], "--data", copied).code == 0
    sound = everything(copied)
    for statement in (
        "UPDATE pattern_rules SET share = 1",
        "UPDATE pattern_gains SET slice_id = 1 WHERE id = (SELECT min(id) FROM pattern_gains)",
        "DELETE FROM pattern_trees",
        "UPDATE pattern_seals SET seal = ''",
        "UPDATE pattern_gains SET features = 'even_1_2'",
    ):
        change(copied, statement)
        assert ask(*COMMANDS["sql"], "--data", copied).code == 1, statement
        put_back(copied, sound)


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


@on_both
@pytest.mark.parametrize("statement", FORGERIES.values(), ids=FORGERIES)
def test_verify_compares_the_catalog_with_the_files(statement: str, copied: Path, ask: Ask) -> None:
    """What differs from the header of a table is found even if the seals fit, and named with its file."""
    forge(copied, statement)
    answer = ask("verify", "doushouqi", "--material", "CvW", "--data", copied)
    assert answer.code == 1
    assert len(answer.errors) == 1
    assert str(table_path(copied, GAME, parse_material(GAME, "CvW"))) in answer.err
