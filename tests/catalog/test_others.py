"""What other programs keep in the catalog's database stays as it is, and keeps no command from its work."""

from pathlib import Path

import pytest
from support.catalogs import change, database, rows, snapshot
from support.program import Ask, assert_refused
from support.tablebases import on_both, on_postgresql

from tablebase.catalog.schema import SCHEMA_VERSION, index_names

OWN = [
    "CREATE TABLE notes (material TEXT, remark TEXT)",
    "INSERT INTO notes VALUES ('RvC', 'a draw after all')",
    "CREATE INDEX by_engine ON tables (engine)",
    "CREATE VIEW engines AS SELECT material, engine FROM tables",
]
ENDLESS = "CREATE VIEW endless AS WITH RECURSIVE f(x) AS (SELECT 1 UNION ALL SELECT x FROM f) SELECT * FROM f"
COMMANDS = [
    ["stats", "doushouqi"],
    ["sql", "SELECT remark FROM notes JOIN engines ON engines.material = notes.material"],
    ["mine", "doushouqi", "SELECT count(*) FROM positions"],
    ["verify", "doushouqi", "--material", "RvC"],
    ["build", "doushouqi", "--pieces", "2"],
    ["patterns", "doushouqi", "--material", "RvC", "--depth", "0"],
    ["prune", "--yes"],
    ["reindex"],
]


def check_own(folder: Path, *, index: bool = True) -> None:
    found = rows(folder, "SELECT remark, engine IS NULL AS unknown FROM notes JOIN engines ON engines.material = notes.material")
    assert [row["remark"] for row in found] == ["a draw after all"]
    with database(folder).snapshot() as connection:
        assert ("by_engine" in index_names(connection)) == index


@on_both
def test_an_index_a_view_and_a_table_of_others(copied: Path, ask: Ask) -> None:
    change(copied, *OWN, ENDLESS)
    for words in COMMANDS:
        answer = ask(*words, "--data", copied)
        assert answer.code == 0, (words, answer.err)
    assert ask("sql", "SELECT count(*) FROM endless", "--timeout", "0.3", "--data", copied).code == 3
    check_own(copied)


@on_both
@pytest.mark.parametrize("words", [["reindex"], ["build", "doushouqi", "--pieces", "2"]], ids=lambda words: words[0])
def test_a_rebuild_leaves_them_where_they_are(words: list[str], copied: Path, ask: Ask) -> None:
    sound = snapshot(copied)
    change(copied, *OWN, "UPDATE solutions SET wins = wins + 1, losses = losses - 1 WHERE id = 3")
    assert ask("stats", "doushouqi", "--data", copied).code == 2
    assert ask(*words, "--data", copied).code == 0
    assert snapshot(copied) == sound
    check_own(copied)


def test_new_tables_take_the_place_of_old_ones(copied: Path, ask: Ask) -> None:
    """In SQLite a view finds them; an index went with its table, which is said; foreign keys delete no rows of others."""
    keys = "CREATE TABLE mine (id REFERENCES tables ON DELETE CASCADE)"
    change(copied, *OWN, keys, "INSERT INTO mine VALUES (1)", f"UPDATE schema_version SET version = {SCHEMA_VERSION + 1}")
    answer = ask("build", "doushouqi", "--pieces", "2", "--data", copied)
    assert answer.code == 0
    assert "by_engine" in answer.err
    assert rows(copied, "SELECT id FROM mine") == [{"id": 1}]
    check_own(copied, index=False)


@pytest.mark.full
@on_postgresql
def test_a_view_that_needs_an_old_table(copied: Path, ask: Ask) -> None:
    """PostgreSQL lets no table go that a view reads: one sentence names the view, and everything stays as it is."""
    change(copied, *OWN, f"UPDATE schema_version SET version = {SCHEMA_VERSION + 1}")
    assert_refused(ask("reindex", "--data", copied), 2, "view engines depends on table tables")
    change(copied, "DROP VIEW engines")
    assert ask("reindex", "--data", copied).code == 0
    assert rows(copied, "SELECT remark FROM notes") == [{"remark": "a draw after all"}]


@on_both
def test_a_catalog_beside_tables_of_others(
    tmp_path: Path, catalog_url: str | None, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that holds something else may hold a catalog, too, unless one of our names is taken, which is said."""
    if catalog_url:
        monkeypatch.setenv("TABLEBASE_CATALOG", catalog_url)
    change(tmp_path, "CREATE TABLE contacts (name TEXT)", "INSERT INTO contacts VALUES ('Ada')")
    assert "no tablebase in" in ask("stats", "hexapawn", "--data", tmp_path).err
    change(tmp_path, "CREATE TABLE games (name TEXT)")
    answer = ask("build", "hexapawn", "--pieces", "2", "--data", tmp_path)
    assert answer.code == 2
    assert "'games'" in answer.err
    change(tmp_path, "DROP TABLE games")
    assert ask("build", "hexapawn", "--pieces", "2", "--data", tmp_path).code == 0
    assert rows(tmp_path, "SELECT name FROM contacts") == [{"name": "Ada"}]


@on_both
def test_a_trigger_on_our_tables(copied: Path, catalog_url: str | None, ask: Ask) -> None:
    """It would run when a table is entered: commands that write name it and refuse; others do their work."""
    if catalog_url:
        function = "CREATE FUNCTION greedy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM distances; RETURN NEW; END'"
        change(copied, function, "CREATE TRIGGER greedy AFTER INSERT ON tables EXECUTE FUNCTION greedy()")
    else:
        change(copied, "CREATE TRIGGER greedy AFTER INSERT ON tables BEGIN DELETE FROM distances; END")
    assert ask("stats", "doushouqi", "--data", copied).code == 0
    for words in (["reindex"], ["build", "doushouqi", "--material", "RCvW"]):
        assert_refused(ask(*words, "--data", copied), 2, "greedy")
    assert rows(copied, "SELECT count(*) AS n FROM tables") == [{"n": 10}]
