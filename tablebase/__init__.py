"""Endgame tablebases for any small board game described as data.

>>> import tablebase
>>> tables = tablebase.open("data")  # doctest: +SKIP
>>> tables.probe("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w").outcome  # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.compute.lazy import lazy
from tablebase.errors import (
    BatchError,
    CapacityError,
    ClusterError,
    CommandError,
    ConflictError,
    CorruptCatalogError,
    CorruptTableError,
    DeadlineError,
    ForfeitError,
    MissingExtraError,
    MissingTableError,
    NotationError,
    RulesError,
    StaleTableError,
    TablebaseError,
    TimeLimitError,
)

if TYPE_CHECKING:
    from tablebase import svg as svg
    from tablebase.api.tablebase import Tablebase

__version__ = "0.2.0.dev0"

__all__ = [
    "BatchError",
    "CapacityError",
    "ClusterError",
    "CommandError",
    "ConflictError",
    "CorruptCatalogError",
    "CorruptTableError",
    "DeadlineError",
    "ForfeitError",
    "MissingExtraError",
    "MissingTableError",
    "NotationError",
    "RulesError",
    "StaleTableError",
    "Tablebase",
    "TablebaseError",
    "TimeLimitError",
    "open",
]

__getattr__ = lazy(__name__, {"Tablebase": "tablebase.api.tablebase", "svg": "tablebase.svg"})


def open(folder: str | Path | None = None, catalog: str | None = None) -> Tablebase:  # noqa: A001 (read as `tablebase.open`)
    """Open a folder of tables for questions; see `tablebase.Tablebase`.

    Parameters
    ----------
    folder : str or Path, optional
        By default the one that the environment variable TABLEBASE_DATA names, or else ``data``.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default the one that the environment variable
        TABLEBASE_CATALOG names, or else a file in the folder.

    Raises
    ------
    TablebaseError
        If there is no such folder.
    """
    # Loaded here so that `import tablebase` stays quick.
    from tablebase.api.tablebase import Tablebase
    from tablebase.tables.folder import default_catalog, default_folder

    return Tablebase(default_folder() if folder is None else folder, default_catalog() if catalog is None else catalog)
