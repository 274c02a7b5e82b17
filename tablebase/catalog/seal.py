"""The catalog's seals, which show whether its rows are those that were written.

The rows about a table have a seal, in the table's own row, and so have the patterns of a slice. Over the seals of all
tables, and over those of all patterns, there is one more, which shows whether whole tables are missing. A seal protects
from accidents, not from forgery: it can be made anew by anyone who can change the rows.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, column, delete, func, insert, select
from sqlalchemy.orm import Session

from tablebase.catalog.layers import layers_fault
from tablebase.catalog.registration import Values, contents, digest, grouped, read, values
from tablebase.catalog.schema import (
    PATTERNS,
    SCHEMA_VERSION,
    DistanceRow,
    GameRow,
    LayerRow,
    PatternSealRow,
    SealRow,
    SliceRow,
    SolutionRow,
    TableRow,
)

CHANGED = "is not as it was written (rows have been added, changed or removed)"


def _totals(connection: Connection) -> dict[str, str]:
    """The seals over all seals that the rows have now."""
    games = values(connection, GameRow, contents(GameRow), ["name"])
    tables = values(connection, TableRow, ["seal"], ["id"])
    layers = values(connection, LayerRow, ["seal"], ["id"])
    patterns = values(connection, PatternSealRow, ["seal"], ["slice_id"])
    return {"tables": digest([SCHEMA_VERSION, games, tables, layers]), "patterns": digest(patterns)}


def total_fault(connection: Connection) -> str | None:
    """Why the seals of the tables and patterns are not all those that were written; None if they are."""
    stored: dict[Any, Any] = dict(values(connection, SealRow, ["name", "seal"], ["name"]))
    return None if stored == _totals(connection) else CHANGED


def renew_totals(connection: Connection) -> None:
    """Seal all seals, after a change of some of them."""
    connection.execute(delete(SealRow))
    connection.execute(insert(SealRow), [{"name": name, "seal": seal} for name, seal in _totals(connection).items()])


def tables_fault(connection: Connection) -> str | None:
    """Why the rows about games and tables are not those that were written; None if they are."""
    return rows_fault(connection) or layers_fault(connection) or total_fault(connection)


def rows_fault(connection: Connection) -> str | None:
    """Why the rows about one of the tables are not those that were written; None if they are."""
    registrations = read(connection)
    stored: dict[Any, Any] = dict(values(connection, TableRow, ["id", "seal"], ["id"]))
    for number, registration in registrations.items():
        if registration.seal != stored[number]:
            return f"is not as it was written (in the rows about {registration['file']})"
    sides = [side for registration in registrations.values() for side in registration.sides]
    found = [len(sides), sum(len(side.slices) for side in sides), sum(len(side.distances) for side in sides)]
    counted = [connection.scalar(select(func.count()).select_from(table)) for table in (SolutionRow, SliceRow, DistanceRow)]
    return None if found == counted else "is not as it was written (it has rows about no table)"


def patterns_fault(connection: Connection) -> str | None:
    """Why the patterns are not those that were written; None if they are."""
    stored: dict[Any, Any] = dict(values(connection, PatternSealRow, ["slice_id", "seal"], ["slice_id"]))
    found = {number: digest(rows) for number, rows in read_patterns(connection).items()}
    return None if found == stored else "is not as it was written (in the rows of patterns)"


def read_patterns(connection: Connection, slice_id: int | None = None) -> dict[int, list[list[Values]]]:
    """The patterns of all slices that have any, or of one: rows of each of `PATTERNS`, by the number of the slice."""
    found: defaultdict[int, list[list[Values]]] = defaultdict(lambda: [[] for _ in PATTERNS])
    for place, table in enumerate(PATTERNS):
        only = [] if slice_id is None else [column("slice_id") == slice_id]
        for number, rows in grouped(connection, table, ["slice_id", *contents(table, "slice_id")], ["id"], only).items():
            found[number][place] = rows
    return found


def seal_patterns(session: Session, slice_id: int) -> None:
    """Seal the patterns of a slice as they are now."""
    session.flush()
    connection = session.connection()
    connection.execute(delete(PatternSealRow).where(PatternSealRow.slice_id == slice_id))
    seals = [{"slice_id": number, "seal": digest(rows)} for number, rows in read_patterns(connection, slice_id).items()]
    if seals:
        connection.execute(insert(PatternSealRow), seals)
