"""Bring a catalog of an earlier version of the schema up to date."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, func, select
from sqlalchemy.orm import Session

from tablebase.catalog import migrations
from tablebase.catalog.database import Database, other_version
from tablebase.catalog.layers import insert_layer, read_layers
from tablebase.catalog.registration import Values, contents, digest, insert_table, read, values
from tablebase.catalog.salvage import Salvaged, restore_patterns
from tablebase.catalog.schema import SCHEMA_VERSION, GameRow, SealRow, SliceRow, SolutionRow, TableRow, version_of
from tablebase.catalog.seal import CHANGED, patterns_fault, read_patterns, renew_totals, rows_fault
from tablebase.errors import CorruptCatalogError

SEALED = 3
"""The first version with seals."""


class Migrated(NamedTuple):
    """What has been done.

    Parameters
    ----------
    version : int
        That of the schema before.
    left_out : int
        Tables that were built under other rules than those installed.
    """

    version: int
    left_out: int


def migrate(database: Database) -> Migrated | None:
    """Bring a catalog up to date, in one transaction; None if it is.

    Raises
    ------
    CorruptCatalogError
        If it is not as it was written, as far as its version can show that.
    TablebaseError
        If it is of a later version, or there is none.
    """
    with database.guard():
        if not database.exists():
            raise database.missing()
        with database.changes() as connection:
            version = version_of(connection)
            if version is None:
                raise database.unusable("it has no table of slices")
            if version > SCHEMA_VERSION:
                raise other_version(database, version)
            if version == SCHEMA_VERSION:
                return None
            migrated = Migrated(version, _migrate(connection, database, version))
        database.compact()
    return migrated


def _migrate(connection: Connection, database: Database, version: int) -> int:
    """Bring a catalog up to date; return the number of tables that were left out."""
    database.refuse(database.integrity_fault(connection) or _total_fault(connection, version))
    tables = _count(connection)
    try:
        upgrade(connection, version)
    except database.faults as fault:
        raise CorruptCatalogError(f"is no catalog of version {version}", database.place, database.cure) from fault
    if version >= SEALED:
        database.refuse(rows_fault(connection) or patterns_fault(connection))
    left = _count(connection)
    _write_anew(connection, database)
    return tables - left


def upgrade(connection: Connection, version: int) -> None:
    """Run the revisions that follow a version; those that follow 0 make all tables.

    The tables then have all columns, but not the definitions of a new catalog, and no seals that hold.
    """
    # Imported here because few need it, and it takes long to load.
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    directory = ScriptDirectory(str(Path(migrations.__file__).parent))
    revisions = list(directory.iterate_revisions(str(SCHEMA_VERSION), str(version) if version else "base"))
    with Operations.context(MigrationContext.configure(connection)):
        for revision in reversed(revisions):
            revision.module.upgrade()


def _total_fault(connection: Connection, version: int) -> str | None:
    """Why rows have been removed from a catalog of an earlier version, if it can show that; None if they are all there."""
    if version < SEALED:
        return None
    games = values(connection, GameRow, contents(GameRow), ["name"])
    tables = values(connection, TableRow, ["seal"], ["id"])
    stored = connection.scalar(select(SealRow.seal).where(SealRow.name == "tables"))
    return None if stored == digest([version, games, tables]) else CHANGED


def _count(connection: Connection) -> int:
    """Number of tables."""
    return connection.scalar(select(func.count()).select_from(TableRow.__table__)) or 0


def _write_anew(connection: Connection, database: Database) -> None:
    """Write all rows into a new schema, whose definitions are those of any other new one, and seal them."""
    games = values(connection, GameRow, contents(GameRow), ["name"])
    layers = [row for row, _ in read_layers(connection).values()]
    tables = [Salvaged(registration, _patterns(connection, number)) for number, registration in read(connection).items()]
    database.drop(connection)
    database.make(connection)
    with Session(connection) as session:
        session.add_all(GameRow(**dict(zip(contents(GameRow), game, strict=True))) for game in games)
        session.flush()
        for row in layers:
            insert_layer(session, row)
        for table in tables:
            insert_table(session, table.registration)
            restore_patterns(session, table.registration["game"], table)
        session.flush()
    renew_totals(connection)


def _patterns(connection: Connection, table_id: int) -> dict[tuple[str, str], list[list[Values]]]:
    """The patterns of a table's slices, by material and side."""
    query = select(SliceRow.id, SliceRow.material, SliceRow.side).join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
    named = {
        number: (material, side) for number, material, side in connection.execute(query.where(SolutionRow.table_id == table_id))
    }
    return {place: found[number] for number, place in named.items() if number in (found := read_patterns(connection, number))}
