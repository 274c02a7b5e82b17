"""Look after the folder of tables from Python: `tablebase.reindex` and `prune`."""

from __future__ import annotations

from pathlib import Path

from tablebase.building.prune import Prunable
from tablebase.building.prune import prune as remove
from tablebase.building.reindex import Rebuilt
from tablebase.building.reindex import reindex as rebuild
from tablebase.errors import TablebaseError
from tablebase.game.plain_arguments import as_path, as_text
from tablebase.tables.folder import default_catalog, default_folder


def reindex(data: str | Path | None = None, catalog: str | None = None) -> Rebuilt:
    """Rebuild the catalog from the table files.

    Parameters
    ----------
    data : str or Path, optional
        The folder of the tables.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.

    Returns
    -------
    Rebuilt
        How many tables of each game have been found, and what was left out.
    """
    folder = default_folder() if data is None else as_path("data", data)
    if not folder.is_dir():
        raise TablebaseError(f"there is no folder {folder}: name the tables' folder with --data")
    return rebuild(folder, default_catalog() if catalog is None else as_text("catalog", catalog))


def prune(data: str | Path | None = None, catalog: str | None = None, *, yes: bool = False) -> list[Prunable]:
    """Find tables of outdated rules, and stray files; remove them if `yes`.

    Parameters
    ----------
    data : str or Path, optional
        The folder of the tables.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    yes : bool
        Whether to remove them.

    Returns
    -------
    list of Prunable
        The files, with their bytes and the reason for each.

    Raises
    ------
    TablebaseError
        If there is no such folder.
    """
    found: list[Prunable] = []

    def agreed(items: list[Prunable]) -> bool:
        found.extend(items)
        return yes

    folder = default_folder() if data is None else as_path("data", data)
    remove(folder, default_catalog() if catalog is None else as_text("catalog", catalog), agreed)
    return found
