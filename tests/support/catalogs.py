"""What catalogs say, and catalogs changed behind the program's back; where TABLEBASE_CATALOG names a database, those there."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select, update

from tablebase.catalog import entries
from tablebase.catalog.catalog import Catalog, database_of
from tablebase.catalog.database import Database
from tablebase.catalog.schema import GAMES, METADATA, TABLES
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.tables.folder import default_catalog

EVERYTHING = """
SELECT slices.game, slices.material, slices.side, slices.pieces, slices.is_alias, tables.material AS home, tables.pieces,
       file, bytes, file_sha256, values_sha256, tables.rules_digest, cells, title, games.rules_digest AS rules, side_letters, kinds,
       solutions.side AS home_side, placements, stalemates, wins, losses, draws, void, longest_win, longest_loss,
       longest_win_position, longest_loss_position
FROM slices JOIN solutions ON solutions.id = solution_id JOIN tables ON tables.id = table_id JOIN games ON games.name = tables.game
ORDER BY slices.pieces, slices.material, slices.side
"""
DISTANCES = """
SELECT tables.material, solutions.side, outcome, distance, distances.placements FROM distances
JOIN solutions ON solutions.id = solution_id JOIN tables ON tables.id = table_id ORDER BY 1, 2, 3, 4
"""
SOLVERS = "SELECT material, engine, seconds FROM tables ORDER BY material"
PATTERNS = "SELECT material, side, features, gain, positions FROM pattern_gains ORDER BY material, side, id"


def opened(folder: Path, *, create: bool = False) -> Catalog:
    return Catalog(folder, create=create, catalog=default_catalog())


def database(folder: Path) -> Database:
    return database_of(folder, default_catalog())


def rows(folder: Path, statement: str) -> list[dict[str, Any]]:
    with closing(opened(folder)) as catalog:
        columns, found = catalog.sql(statement)
    return [dict(zip(columns, row, strict=True)) for row in found]


def snapshot(folder: Path) -> list[list[dict[str, Any]]]:
    """All that the catalog says, but for engine and seconds, by names instead of row numbers."""
    return [rows(folder, EVERYTHING), rows(folder, DISTANCES)]


def change(folder: Path, *statements: str) -> None:
    if default_catalog() is None:
        # Of which no foreign keys are demanded.
        with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
            for statement in statements:
                connection.execute(statement)
    else:
        with database(folder).changes() as transaction:
            for statement in statements:
                transaction.exec_driver_sql(statement)


def forge(folder: Path, *statements: str) -> None:
    """Change a catalog and make its seals fit, as only a forger would, or a program with an error."""
    change(folder, *statements)
    with database(folder).changes() as connection:
        for entry, _ in entries.stored_entries(connection)[0]:
            connection.execute(update(TABLES).where(TABLES.c.file == entry.file).values(seal=entry.seal))
        for row in entries.rows(connection, GAMES, "name"):
            del row["seal"]
            connection.execute(update(GAMES).where(GAMES.c.name == row["name"]).values(seal=entries.digest(row)))


def forget(folder: Path, *files: str) -> None:
    """Strike files from a catalog, and leave them where they are."""
    with opened(folder, create=True).writing() as connection:
        entries.strike(connection, files)


def everything(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    with database(folder).snapshot() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in METADATA.sorted_tables
        }


def put_back(folder: Path, sound: dict[str, list[tuple[Any, ...]]]) -> None:
    with database(folder).changes() as connection:
        for table in reversed(METADATA.sorted_tables):
            connection.execute(delete(table))
        for table in METADATA.sorted_tables:
            if found := sound[table.name]:
                connection.execute(insert(table), [dict(zip(table.c.keys(), row, strict=True)) for row in found])
            if found and "id" in table.c and connection.dialect.name == "postgresql":
                connection.execute(select(func.setval(f"{table.name}_id_seq", max(row[0] for row in found))))


def move(folder: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Move the catalog of a folder to PostgreSQL, row by row; commands and helpers look for it there from now on."""
    found = everything(folder)
    (folder / FILE_NAME).unlink()
    monkeypatch.setenv("TABLEBASE_CATALOG", url)
    opened(folder, create=True).create()
    put_back(folder, found)


def registered(folder: Path) -> dict[str, str | None]:
    return {row["material"]: row["engine"] for row in rows(folder, SOLVERS)}
