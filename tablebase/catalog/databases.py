"""Which database holds the catalog of a folder."""

from __future__ import annotations

from pathlib import Path

from tablebase.catalog.database import Database
from tablebase.catalog.schema import SCHEMA_VERSION, version_of
from tablebase.catalog.sqlite import SqliteDatabase
from tablebase.errors import check_extra


def database_of(folder: Path, catalog: str | None = None) -> Database:
    """The database with the catalog of a folder, whether there is one or not.

    Parameters
    ----------
    folder : Path
    catalog : str, optional
        URL of a PostgreSQL database; by default the catalog is a file in the folder.

    Raises
    ------
    MissingExtraError
        If what PostgreSQL needs is not installed.
    TablebaseError
        If it is no such URL.
    """
    if not catalog:
        return SqliteDatabase(folder)
    check_extra("catalogs in PostgreSQL", "postgres")
    # Imported here because few need it.
    from tablebase.catalog.postgresql import PostgresqlDatabase

    return PostgresqlDatabase(folder, catalog)


def has_catalog(folder: Path, catalog: str | None = None) -> bool:
    """Whether there is a catalog of a folder, or something in its place."""
    database = database_of(folder, catalog)
    with database.guard():
        return database.exists()


def is_outdated(folder: Path, catalog: str | None = None) -> bool:
    """Whether there is a catalog of a folder that an earlier version of this program has made."""
    database = database_of(folder, catalog)
    with database.guard():
        if not database.exists():
            return False
        with database.snapshot() as connection:
            return (version_of(connection) or SCHEMA_VERSION) < SCHEMA_VERSION
