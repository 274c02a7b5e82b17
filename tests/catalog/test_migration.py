"""Catalogs of earlier versions: refused by what only reads, brought up to date by what changes them."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect
from support.catalogs import change, database, everything, opened, rows, snapshot
from support.checks import at_least_one
from support.program import Answer, drafts
from support.tablebases import on_both, on_postgresql

from tablebase.build.tables import lock
from tablebase.catalog import migration
from tablebase.catalog.registration import contents, digest, values
from tablebase.catalog.schema import SCHEMA_VERSION, Base, GameRow, TableRow
from tablebase.catalog.sqlite import FILE_NAME

Ask = Callable[..., Answer]
FIRST = Path(__file__).parents[1] / "data" / "version-1"
SAID = f"catalog of {{}} brought from version 1 to {SCHEMA_VERSION}\n"
SOLVERS = "SELECT material, engine, seconds FROM tables ORDER BY material"
PATTERNS = {
    "gains": "SELECT game, material, side, features, number, gain, explains, decides, positions FROM pattern_gains ORDER BY id",
    "rules": "SELECT game, material, side, outcome, condition, positions, share FROM pattern_rules ORDER BY id",
    "trees": "SELECT game, material, side, depth, leaves, tree, expression FROM pattern_trees ORDER BY id",
}


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A tablebase of version 0.1.0."""
    folder = tmp_path / "first"
    shutil.copytree(FIRST, folder)
    return folder


def old_rows(statement: str) -> list[tuple[Any, ...]]:
    """What a statement gave in version 0.1.0."""
    with closing(sqlite3.connect(f"{(FIRST / FILE_NAME).as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        return connection.execute(statement).fetchall()


def new_rows(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    """What it gives now."""
    return [tuple(row.values()) for row in rows(folder, statement)]


@pytest.mark.parametrize(
    "words",
    [
        ["stats", "hexapawn"],
        ["sql", "SELECT 1"],
        ["verify", "hexapawn"],
        ["mine", "hexapawn", "SELECT count(*) FROM positions"],
        ["estimate", "hexapawn", "--pieces", "3"],
    ],
    ids=lambda words: words[0],
)
def test_what_only_reads_says_what_to_run(words: list[str], first: Path, ask: Ask) -> None:
    """In one sentence, and changes nothing."""
    before = (first / FILE_NAME).read_bytes()
    answer = ask(*words, "--data", first)
    cure = f"run 'tablebase migrate --data {first}'"
    assert (answer.code, answer.out) == (2, "")
    assert answer.errors == [f"error: {first / FILE_NAME} was made by an earlier version of this program: {cure}"]
    assert (first / FILE_NAME).read_bytes() == before


def test_what_needs_no_catalog_does_its_work(first: Path, ask: Ask) -> None:
    """Probes answer as ever."""
    assert ask("probe", "hexapawn", "2p/3/PP1 w", "--data", first).code == 0


def test_a_migrated_catalog_is_that_of_a_reindex(first: Path, tmp_path: Path, ask: Ask) -> None:
    """All that it says of the tables, with pairings and letters that version 1 had not; and what only the old one knew is kept."""
    other = tmp_path / "other"
    shutil.copytree(first, other)
    (other / FILE_NAME).unlink()
    assert ask("reindex", "--data", other).code == 0
    answer = ask("migrate", "--data", first)
    assert (answer.code, answer.out, answer.err) == (0, "", SAID.format(first))
    assert snapshot(first) == snapshot(other)
    for statement in ("SELECT * FROM games", "SELECT material, side, pairing FROM slices ORDER BY 1, 2"):
        assert rows(first, statement) == rows(other, statement) != []
    for statement in (SOLVERS, *PATTERNS.values()):
        assert new_rows(first, statement) == at_least_one(old_rows(statement))
    assert ask("verify", "hexapawn", "--data", first).code == 0
    assert sorted(path.name for path in first.iterdir()) == [".lock", FILE_NAME, "hexapawn"]


def test_a_migrated_catalog_is_one_file(first: Path, ask: Ask) -> None:
    """Version 1 had a write-ahead log; now a reader needs no right to write, and there is no room for what was dropped."""
    assert ask("migrate", "--data", first).code == 0
    with closing(sqlite3.connect(first / FILE_NAME)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)


@pytest.mark.parametrize(
    "words",
    [
        ["build", "hexapawn", "--pieces", "3"],
        ["prune", "--yes"],
        ["patterns", "hexapawn", "--material", "PvPP", "--depth", "0"],
        ["batch", "{}/work.toml"],
    ],
    ids=lambda words: words[0],
)
def test_what_changes_a_catalog_migrates_it(words: list[str], first: Path, tmp_path: Path, ask: Ask) -> None:
    """It says so in one line, once."""
    (tmp_path / "work.toml").write_text('[[build]]\ngame = "hexapawn"\npieces = "3"\n')
    for line in (SAID.format(first), ""):
        answer = ask(*(word.format(tmp_path) for word in words), "--data", first)
        assert answer.code == 0
        assert line in answer.err
        assert answer.err.count("brought from version") == len(line.splitlines())
    assert new_rows(first, SOLVERS) == old_rows(SOLVERS)


def test_a_batch_that_starts_nothing_changes_nothing(first: Path, tmp_path: Path, ask: Ask) -> None:
    """With --dry-run, the catalog stays as it is."""
    (tmp_path / "work.toml").write_text('[[build]]\ngame = "hexapawn"\npieces = "3"\n')
    before = (first / FILE_NAME).read_bytes()
    assert ask("batch", tmp_path / "work.toml", "--dry-run", "--data", first).code == 2
    assert (first / FILE_NAME).read_bytes() == before


@on_both
def test_what_is_up_to_date_stays_as_it_is(copied: Path, ask: Ask) -> None:
    """`migrate` says that there is nothing to do."""
    before = everything(copied)
    answer = ask("migrate", "--data", copied)
    assert (answer.code, answer.err) == (0, f"nothing to do: the catalog of {copied} is up to date\n")
    assert everything(copied) == before


def test_tables_of_other_rules_are_left_out(first: Path, ask: Ask) -> None:
    """What follows from the rules cannot be said of tables that others have built, or of a game that is not installed."""
    with closing(sqlite3.connect(first / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE tables SET rules_digest = 'other' WHERE material = 'PPvP'")
        connection.execute("INSERT INTO games VALUES ('go', 'Go', 'digest')")
        tables = "INSERT INTO tables SELECT 3, 'go', material, pieces, 'go/2/PvP.h5', bytes, '', '', 'digest', cells, NULL, NULL"
        connection.execute(f"{tables} FROM tables WHERE id = 1")
    answer = ask("migrate", "--data", first)
    assert answer.err == SAID.format(first).replace("\n", "; tables left out, since their rules are not those installed: 2\n")
    assert new_rows(first, "SELECT material FROM tables") == [("PvP",)]
    assert new_rows(first, "SELECT name FROM games") == [("hexapawn",)]
    assert new_rows(first, "SELECT count(*) FROM pattern_gains") == [(0,)]
    assert {row["material"] for row in ask("stats", "hexapawn", "--by", "material", "--data", first, "--format", "csv").csv} == {
        "PvP"
    }


def test_what_is_no_catalog_of_its_version_is_refused(copied: Path, ask: Ask) -> None:
    """Columns that an earlier version cannot have had: one sentence, everything stays as it is, and `reindex` cures it."""
    change(copied, "DROP TABLE schema_version")
    before = (copied / FILE_NAME).read_bytes()
    for words in (["migrate"], ["build", "doushouqi", "--pieces", "2"]):
        answer = ask(*words, "--data", copied)
        cure = f"run 'tablebase reindex --data {copied}'"
        assert (answer.code, answer.errors) == (1, [f"error: {copied / FILE_NAME} is no catalog of version 1: {cure}"])
        assert (copied / FILE_NAME).read_bytes() == before
    assert ask("reindex", "--data", copied).code == 0
    assert ask("verify", "doushouqi", "--data", copied).code == 0


def make_third(folder: Path) -> None:
    """Make a catalog of version 3 of one of version 4, which has no layers."""
    with database(folder).changes() as connection:
        games = values(connection, GameRow, contents(GameRow), ["name"])
        tables = values(connection, TableRow, ["seal"], ["id"])
        connection.exec_driver_sql("DROP TABLE layers")
        connection.exec_driver_sql("UPDATE schema_version SET version = 3")
        connection.exec_driver_sql(f"UPDATE seals SET seal = '{digest([3, games, tables])}' WHERE name = 'tables'")


@on_both
def test_a_sealed_catalog_is_migrated_with_all_that_it_says(copied: Path, ask: Ask) -> None:
    """From version 3, whose seals hold: solvers, seconds and patterns, too; in PostgreSQL, too."""
    assert ask("patterns", "doushouqi", "--material", "RvC", "--data", copied).code == 0
    statements = (SOLVERS, *PATTERNS.values())
    before = snapshot(copied), [new_rows(copied, statement) for statement in statements]
    make_third(copied)
    assert ask("stats", "doushouqi", "--data", copied).code == 2
    assert ask("migrate", "--data", copied).err == SAID.replace("version 1", "version 3").format(copied)
    assert (snapshot(copied), [new_rows(copied, statement) for statement in statements]) == before
    assert ask("verify", "doushouqi", "--data", copied).code == 0


@on_both
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE solutions SET wins = wins + 1 WHERE id = (SELECT min(id) FROM solutions)",
        "DELETE FROM slices WHERE material = 'DvP'",
        "DELETE FROM tables WHERE material = 'CvW'",
        "UPDATE games SET title = 'Draughts'",
        "DELETE FROM seals",
        "UPDATE pattern_rules SET share = 1",
    ],
)
def test_a_sealed_catalog_that_was_changed_is_not_migrated(statement: str, copied: Path, ask: Ask) -> None:
    """Nothing gets a new seal whose old one does not hold."""
    assert ask("patterns", "doushouqi", "--material", "RvC", "--depth", "0", "--data", copied).code == 0
    make_third(copied)
    change(copied, statement)
    answer = ask("migrate", "--data", copied)
    assert answer.code == 1
    (error,) = answer.errors
    assert error.endswith(f": run 'tablebase reindex --data {copied}{database(copied).option}'")
    assert rows_of_version(copied) == [(3,)]


def rows_of_version(folder: Path) -> list[tuple[Any, ...]]:
    """What a catalog that cannot be opened says of its version."""
    with database(folder).snapshot() as connection:
        return [tuple(row) for row in connection.exec_driver_sql("SELECT version FROM schema_version")]


@pytest.mark.parametrize("number", [0, 1])
def test_a_migration_that_fails_changes_nothing(number: int, first: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far it has come."""
    entered, insert = [], migration.insert_table

    def fail(*arguments: Any) -> None:
        if len(entered) == number:
            raise OSError(errno.ENOSPC, "No space left on device")
        entered.append(arguments)
        insert(*arguments)

    monkeypatch.setattr(migration, "insert_table", fail)
    answer = ask("migrate", "--data", first)
    assert (answer.code, len(answer.errors)) == (3, 1)
    monkeypatch.undo()
    assert drafts(first) == []
    assert old_rows("SELECT * FROM distances") == [tuple(row) for row in _raw(first, "SELECT * FROM distances")]
    assert ask("migrate", "--data", first).code == 0
    assert new_rows(first, SOLVERS) == old_rows(SOLVERS)


def _raw(folder: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return connection.execute(statement).fetchall()


def test_migrate_waits_for_no_build(first: Path, ask: Ask) -> None:
    """While a build has the folder, its catalog is left alone."""
    with lock(first):
        answer = ask("migrate", "--data", first)
    assert answer.code == 2
    assert "another build is running" in answer.err


def test_there_must_be_a_catalog(tmp_path: Path, ask: Ask) -> None:
    """`migrate` makes none."""
    for folder in (tmp_path, tmp_path / "nowhere"):
        answer = ask("migrate", "--data", folder)
        assert answer.code == 2
        assert "there is no tablebase in" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def differences(connection: Any) -> list[Any]:
    """What the tables of today have, and those that the revisions make have not; the view is made anew in any case."""
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    found: list[Any] = compare_metadata(context, Base.metadata)
    return found


def test_revisions_lead_to_the_tables_of_today() -> None:
    """From nothing, they make all tables with all columns, keys and indices, so that a new version cannot be forgotten."""
    with create_engine("sqlite://").begin() as connection:
        migration.upgrade(connection, 0)
        assert differences(connection) == []


@on_postgresql
def test_revisions_run_on_postgresql(tmp_path: Path, catalog_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They make the same there, and the rows of version 1 can be brought up to date."""
    monkeypatch.setenv("TABLEBASE_CATALOG", catalog_url)
    shutil.copytree(FIRST, tmp_path, dirs_exist_ok=True)
    with database(tmp_path).changes() as connection:
        migration.upgrade(connection, 0)
        assert differences(connection) == []
        for name in inspect(connection).get_table_names():
            connection.exec_driver_sql(f"DROP TABLE {name} CASCADE")
        monkeypatch.setattr(migration, "SCHEMA_VERSION", 1)
        migration.upgrade(connection, 0)
        for table in ("games", "tables", "solutions", "slices", "distances"):
            for row in old_rows(f"SELECT * FROM {table}"):
                connection.exec_driver_sql(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(row))})", row)
    monkeypatch.setattr(migration, "SCHEMA_VERSION", SCHEMA_VERSION)
    migrated = migration.migrate(database(tmp_path))
    assert migrated == (1, 0)
    with closing(opened(tmp_path)) as catalog:
        assert catalog.sql("SELECT material, side, pairing FROM slices ORDER BY 1")[1] == [
            ("PPvP", "w", "1 2 3"),
            ("PvP", "w", "1 2"),
            ("PvPP", "w", "2 3 1"),
        ]
    assert new_rows(tmp_path, SOLVERS) == old_rows(SOLVERS)
