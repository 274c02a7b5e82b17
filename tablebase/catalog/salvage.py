"""What only a catalog knows, saved from an old one, which may be damaged, for a new one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, insert, select
from sqlalchemy.orm import Session

from tablebase.catalog import sqlite
from tablebase.catalog.catalog import unusable
from tablebase.catalog.layers import read_layers
from tablebase.catalog.registration import Registration, Values, contents, digest, enter, read
from tablebase.catalog.schema import (
    PATTERNS,
    SCHEMA_VERSION,
    PatternSealRow,
    SliceRow,
    SolutionRow,
    TableRow,
    is_empty,
    version_of,
)
from tablebase.catalog.seal import read_patterns, seal_patterns
from tablebase.game import Game


@dataclass(frozen=True)
class Salvaged:
    """What was said of a table, with its seal unbroken.

    Parameters
    ----------
    registration : Registration
    patterns : dict
        The rows of each of `PATTERNS`, by material and side of the slice; only those whose own seal is unbroken.
    """

    registration: Registration
    patterns: dict[tuple[str, str], list[list[Values]]]


@dataclass(frozen=True)
class Salvage:
    """What was said of tables and layers, by file.

    Parameters
    ----------
    tables : dict of str to Salvaged
    layers : dict of str to tuple
        The columns `LAYER`; only those whose seal is unbroken.
    """

    tables: dict[str, Salvaged]
    layers: dict[str, Values]


def salvage(path: Path) -> Salvage:
    """What an old catalog says; what is damaged is left out, and other versions are not read.

    Raises
    ------
    TablebaseError
        If the file was not made as a catalog, so that nothing may take its place.
    """
    nothing = Salvage({}, {})
    if not path.exists():
        return nothing
    engine = sqlite.connect_for_reading(path)
    try:
        with engine.connect() as connection:
            version = version_of(connection)
            if version is None and not is_empty(connection) and not sqlite.is_marked(path):
                raise unusable(path, "it has no table of slices")
            return _salvage(connection) if version == SCHEMA_VERSION else nothing
    except sqlite.FAULTS as fault:
        if not sqlite.is_marked(path):
            raise unusable(path, sqlite.reason_of(fault)) from fault
        return nothing
    finally:
        engine.dispose()


def _salvage(connection: Connection) -> Salvage:
    if sqlite.definitions_fault(connection) is not None:
        return Salvage({}, {})
    return Salvage(_tables(connection), _layers(connection))


def _layers(connection: Connection) -> dict[str, Values]:
    with suppress(*sqlite.FAULTS):
        return {file: row for file, (row, seal) in read_layers(connection).items() if digest(row) == seal}
    return {}


def _tables(connection: Connection) -> dict[str, Salvaged]:
    saved = {}
    for number, seal in connection.execute(select(TableRow.id, TableRow.seal)).all():
        # Where the database cannot be read, the next table may be elsewhere.
        with suppress(*sqlite.FAULTS, KeyError):
            registration = read(connection, number)[number]
            if registration.seal == seal:
                saved[registration["file"]] = Salvaged(registration, _patterns(connection, number))
    return saved


def _patterns(connection: Connection, table_id: int) -> dict[tuple[str, str], list[list[Values]]]:
    query = select(SliceRow.id, SliceRow.material, SliceRow.side, PatternSealRow.seal)
    query = query.join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
    query = query.join(PatternSealRow, PatternSealRow.slice_id == SliceRow.id).where(SolutionRow.table_id == table_id)
    saved = {}
    for number, material, side, seal in connection.execute(query).all():
        with suppress(*sqlite.FAULTS, KeyError):
            rows = read_patterns(connection, number)[number]
            if digest(rows) == seal:
                saved[material, side] = rows
    return saved


def enter_known(session: Session, game: Game, registration: Registration, known: Salvaged | None) -> None:
    """Enter a table; with the solver, the seconds and the patterns that another catalog knew of it, if it did."""
    if known is None:
        enter(session, game, registration)
    else:
        enter(session, game, registration.solved_like(known.registration))
        _restore_patterns(session, game.name, known)


def _restore_patterns(session: Session, game: str, salvaged: Salvaged) -> None:
    """Write a table's patterns into a catalog in which the table has just been entered."""
    for (material, side), tables in salvaged.patterns.items():
        query = select(SliceRow.id).where(SliceRow.game == game, SliceRow.material == material, SliceRow.side == side)
        slice_id = session.scalars(query).one()
        for table, rows in zip(PATTERNS, tables, strict=True):
            names = contents(table, "slice_id")
            if rows:
                session.execute(insert(table), [{**dict(zip(names, row, strict=True)), "slice_id": slice_id} for row in rows])
        seal_patterns(session, slice_id)
