"""Endgame tablebases for any small board game described as data.

>>> import tablebase
>>> tables = tablebase.open("data")  # doctest: +SKIP
>>> tables.probe("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w").outcome  # doctest: +SKIP
"""

from __future__ import annotations

import os
import signal
import sys

# Ctrl-C while the program loads ends it with one sentence; once loaded, the command line handles signals.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler and (
    os.path.basename("".join(sys.argv[:1])) in ("tablebase", "tablebase.exe")
    or (sys.argv[:1] == ["-m"] and "tablebase" in sys.orig_argv)
):
    signal.signal(signal.SIGINT, lambda *_: (os.write(2, b"\nerror: interrupted\n"), os._exit(130)))

from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.compute.modules import lazy
from tablebase.errors import (
    ArgumentError,
    ArgumentTypeError,
    BatchError,
    CapacityError,
    CatalogBusyError,
    ClusterError,
    CommandError,
    ConflictError,
    CorruptCatalogError,
    CorruptTableError,
    DeadlineError,
    ForfeitError,
    MissingCatalogError,
    MissingExtraError,
    MissingTableError,
    NotationError,
    RulesError,
    SquaresError,
    StaleTableError,
    TablebaseError,
    TimeLimitError,
    UnusableFileError,
)
from tablebase.version import VERSION

if TYPE_CHECKING:
    from tablebase import svg as svg
    from tablebase.commands.batch import batch
    from tablebase.commands.boxes import boxes
    from tablebase.commands.build import build, estimate
    from tablebase.commands.count import count
    from tablebase.commands.exploiting import exploit
    from tablebase.commands.games import check_rules, games, load
    from tablebase.commands.matches import match, match_stats
    from tablebase.commands.searching import analyse, perft, prove
    from tablebase.commands.tablebase import Tablebase
    from tablebase.commands.training import train
    from tablebase.commands.transfers import copy, merge, pack, unpack
    from tablebase.commands.upkeep import prune, reindex
    from tablebase.commands.verify import verify
    from tablebase.web.serving import serve

__version__ = VERSION

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BatchError",
    "CapacityError",
    "CatalogBusyError",
    "ClusterError",
    "CommandError",
    "ConflictError",
    "CorruptCatalogError",
    "CorruptTableError",
    "DeadlineError",
    "ForfeitError",
    "MissingCatalogError",
    "MissingExtraError",
    "MissingTableError",
    "NotationError",
    "RulesError",
    "SquaresError",
    "StaleTableError",
    "Tablebase",
    "TablebaseError",
    "TimeLimitError",
    "UnusableFileError",
    "analyse",
    "batch",
    "boxes",
    "build",
    "check_rules",
    "copy",
    "count",
    "estimate",
    "exploit",
    "games",
    "load",
    "match",
    "match_stats",
    "merge",
    "open",
    "pack",
    "perft",
    "prove",
    "prune",
    "reindex",
    "serve",
    "train",
    "unpack",
    "verify",
]

__getattr__ = lazy(__name__)


def __dir__() -> list[str]:
    """The names for users."""
    return [*__all__, "svg", "__version__"]


def open(  # noqa: A001 (read as `tablebase.open`)
    folder: str | Path | None = None, catalog: str | None = None, cache: int | str | None = None
) -> Tablebase:
    """Open a folder of tables for questions; see `tablebase.Tablebase`.

    Parameters
    ----------
    folder : str or Path, optional
        By default the one that the environment variable TABLEBASE_DATA names, or else ``data``.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default the one that the environment variable
        TABLEBASE_CATALOG names, or else a file in the folder.
    cache : int or str, optional
        Memory for decompressed chunks of tables, in bytes or as a text such as ``1G``; by default 256 MiB.

    Raises
    ------
    TablebaseError
        If there is no such folder.
    """
    # Loaded here so that `import tablebase` stays quick.
    from tablebase.commands.tablebase import Tablebase
    from tablebase.tables.folder import default_catalog, default_folder

    return Tablebase(default_folder() if folder is None else folder, default_catalog() if catalog is None else catalog, cache)
