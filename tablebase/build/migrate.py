"""Bring the catalog of a folder up to date."""

from __future__ import annotations

from pathlib import Path

from tablebase.build.tables import lock
from tablebase.catalog import migration
from tablebase.catalog.databases import database_of
from tablebase.catalog.migration import Migrated
from tablebase.tables.folder import check_folder, make_folder


def migrate(folder: Path, catalog: str | None = None) -> Migrated | None:
    """Bring the catalog of a folder up to date, if it is of an earlier version of this program; None if it is up to date.

    Parameters
    ----------
    folder : Path
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.

    Raises
    ------
    CorruptCatalogError
        If the catalog is not as it was written.
    TablebaseError
        If there is none, or it is of a later version, or a build is running in the folder.
    """
    check_folder(folder, built=True)
    make_folder(folder)
    with lock(folder):
        return migration.migrate(database_of(folder, catalog))
