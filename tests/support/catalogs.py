"""What catalogs say, and catalogs changed behind the program's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import update

from tablebase.catalog.catalog import Catalog
from tablebase.catalog.registration import read
from tablebase.catalog.schema import TableRow
from tablebase.catalog.seal import renew_totals
from tablebase.catalog.sqlite import FILE_NAME, connect_for_writing

EVERYTHING = """
SELECT slices.game, slices.material, slices.side, slices.pieces, slices.is_alias, tables.material AS home, tables.pieces,
       file, bytes, file_sha256, values_sha256, tables.rules_digest, cells, title, solutions.side AS home_side, placements,
       stalemates, wins, losses, draws, void, longest_win, longest_loss, longest_win_position, longest_loss_position
FROM slices JOIN solutions ON solutions.id = solution_id JOIN tables ON tables.id = table_id JOIN games ON games.name = tables.game
ORDER BY slices.pieces, slices.material, slices.side
"""
DISTANCES = """
SELECT tables.material, solutions.side, outcome, distance, distances.placements FROM distances
JOIN solutions ON solutions.id = solution_id JOIN tables ON tables.id = table_id ORDER BY 1, 2, 3, 4
"""


def rows(folder: Path, statement: str) -> list[dict[str, Any]]:
    """What a statement gives, by column."""
    with closing(Catalog(folder)) as catalog:
        columns, found = catalog.sql(statement)
    return [dict(zip(columns, row, strict=True)) for row in found]


def snapshot(folder: Path) -> list[list[dict[str, Any]]]:
    """All that the catalog says, but for engine and seconds, by names instead of row numbers."""
    return [rows(folder, EVERYTHING), rows(folder, DISTANCES)]


def change(folder: Path, *statements: str) -> None:
    """Change a catalog as any program can."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def forge(folder: Path, *statements: str) -> None:
    """Change a catalog and make its seals fit, as only a forger would, or a program with an error."""
    change(folder, *statements)
    with connect_for_writing(folder / FILE_NAME).begin() as connection:
        for number, registration in read(connection).items():
            connection.execute(update(TableRow).where(TableRow.id == number).values(seal=registration.seal))
        renew_totals(connection)
