"""What only a catalog knows, saved from an old one, which may be damaged, for a new one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select
from sqlalchemy.orm import Session

from tablebase.catalog.database import Database
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


def salvage(database: Database) -> Salvage:
    """What an old catalog says; what is damaged is left out, and other versions are not read.

    Raises
    ------
    TablebaseError
        If the database was not made as a catalog, so that nothing may take its place.
    """
    nothing = Salvage({}, {})
    if not database.exists():
        return nothing
    try:
        with database.snapshot() as connection:
            version = version_of(connection)
            if version is None and not is_empty(connection) and not database.is_marked():
                raise database.unusable("it has no table of slices")
            if version != SCHEMA_VERSION or database.definitions_fault(connection) is not None:
                return nothing
            return _Salvager(connection, database.faults).all()
    except database.faults as fault:
        if not database.is_marked():
            raise database.error(fault) from fault
        return nothing


class _Salvager:
    """Reads what can be read of a catalog; where something cannot, the next may be elsewhere."""

    def __init__(self, connection: Connection, faults: tuple[type[Exception], ...]) -> None:
        self._connection, self._faults = connection, faults

    def all(self) -> Salvage:
        """All that is undamaged."""
        return Salvage(self._tables(), self._layers())

    @contextmanager
    def _attempt(self) -> Iterator[None]:
        """Pass over a fault in the block, after which some databases read nothing more of the same transaction."""
        with suppress(*self._faults, KeyError), self._connection.begin_nested():
            yield

    def _layers(self) -> dict[str, Values]:
        with self._attempt():
            return {file: row for file, (row, seal) in read_layers(self._connection).items() if digest(row) == seal}
        return {}

    def _tables(self) -> dict[str, Salvaged]:
        saved = {}
        for number, seal in self._connection.execute(select(TableRow.id, TableRow.seal)).all():
            with self._attempt():
                registration = read(self._connection, number)[number]
                if registration.seal == seal:
                    saved[registration["file"]] = Salvaged(registration, self._patterns(number))
        return saved

    def _patterns(self, table_id: int) -> dict[tuple[str, str], list[list[Values]]]:
        query = select(SliceRow.id, SliceRow.material, SliceRow.side, PatternSealRow.seal)
        query = query.join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
        query = query.join(PatternSealRow, PatternSealRow.slice_id == SliceRow.id).where(SolutionRow.table_id == table_id)
        saved = {}
        for number, material, side, seal in self._connection.execute(query).all():
            with self._attempt():
                rows = read_patterns(self._connection, number)[number]
                if digest(rows) == seal:
                    saved[material, side] = rows
        return saved


def enter_known(session: Session, game: Game, registration: Registration, known: Salvaged | None) -> None:
    """Enter a table; with the solver, the seconds and the patterns that another catalog knew of it, if it did."""
    if known is None:
        enter(session, game, registration)
    else:
        enter(session, game, registration.solved_like(known.registration))
        restore_patterns(session, game.name, known)


def restore_patterns(session: Session, game: str, salvaged: Salvaged) -> None:
    """Write a table's patterns into a catalog in which the table has just been entered."""
    for (material, side), tables in salvaged.patterns.items():
        query = select(SliceRow.id).where(SliceRow.game == game, SliceRow.material == material, SliceRow.side == side)
        slice_id = session.scalars(query).one()
        for table, rows in zip(PATTERNS, tables, strict=True):
            names = contents(table, "slice_id")
            if rows:
                session.execute(insert(table), [{**dict(zip(names, row, strict=True)), "slice_id": slice_id} for row in rows])
        seal_patterns(session, slice_id)
