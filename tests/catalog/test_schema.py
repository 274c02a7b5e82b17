"""The catalog's schema: its version, and statements that any database understands."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable
from support.catalogs import change, database
from support.checks import at_least_one
from support.program import Answer
from support.tablebases import on_both

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.schema import SCHEMA_VERSION, Base, counts_by_slice
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.slices.location import locate
from tablebase.slices.material import parse_material

Ask = Callable[..., Answer]


@on_both
def test_a_later_version_is_refused_and_made_anew(copied: Path, ask: Ask) -> None:
    """Every command that needs the catalog says so in one sentence, and `reindex` cures it without touching a table."""
    counts = ask("stats", "doushouqi", "--data", copied, "--format", "csv").out
    files = {path: path.read_bytes() for path in copied.rglob("*.h5")}
    change(copied, f"UPDATE schema_version SET version = {SCHEMA_VERSION + 1}")
    cure = f"install that, or run 'tablebase reindex --data {copied}{database(copied).option}'"
    for command in (["stats", "doushouqi"], ["build", "doushouqi", "--pieces", "2"], ["verify", "doushouqi"], ["migrate"]):
        answer = ask(*command, "--data", copied)
        assert (answer.code, answer.out) == (2, "")
        assert answer.errors == [f"error: {database(copied).place} was made by a later version of this program: {cure}"]
    assert ask("reindex", "--data", copied).code == 0
    assert ask("stats", "doushouqi", "--data", copied, "--format", "csv").out == counts
    assert {path: path.read_bytes() for path in copied.rglob("*.h5")} == files


def test_another_programs_database_is_left_alone(copied: Path, ask: Ask) -> None:
    """Not even `reindex` deletes tables that are not the catalog's."""
    (copied / FILE_NAME).unlink()
    change(copied, "CREATE TABLE contacts (name)", "INSERT INTO contacts VALUES ('Ada')")
    assert ask("reindex", "--data", copied).code == 2
    with pytest.raises(TablebaseError, match="cannot be used as a catalog"):
        Catalog(copied, create=True)
    with closing(sqlite3.connect(copied / FILE_NAME)) as connection:
        assert connection.execute("SELECT name FROM contacts").fetchall() == [("Ada",)]


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()], ids=["sqlite", "postgresql"])
def test_tables_and_view_can_be_said_in_other_databases(dialect: object) -> None:
    """The schema compiles for PostgreSQL, too, where truth values are numbers, so that statements may compare them with 0."""
    texts = [str(CreateTable(table).compile(dialect=dialect)) for table in at_least_one(Base.metadata.sorted_tables)]
    kind = "BOOLEAN" if isinstance(dialect, type(sqlite.dialect())) else "SMALLINT"
    assert any(f"is_alias {kind} NOT NULL" in text for text in texts)
    view = str(counts_by_slice().compile(dialect=dialect))
    assert "placements - solutions.stalemates AS positions" in view


def test_pairings_are_those_of_locations(two_pieces: Path) -> None:
    """Every slice says which of its pieces plays which, counted from 1."""
    game = load_game("doushouqi")
    with closing(Catalog(two_pieces)) as catalog:
        rows = catalog.sql("SELECT material, side, stored_as, pairing FROM slice_counts")[1]
    for material, side, stored, pairing in at_least_one(rows):
        location = locate(game, parse_material(game, material), "wb".index(side))
        assert location.material == parse_material(game, stored)
        assert [int(number) - 1 for number in pairing.split()] == list(location.pairing)
