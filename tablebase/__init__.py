"""Endgame tablebases for any small board game described as data.

A function with the name of a command returns the command's JSON rows, unless its docstring describes another result.
Every error that a user can cause is a `TablebaseError`: a wrong argument, or a file or table that is missing, damaged or
of other rules.

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

from tablebase.errors import ArgumentError as ArgumentError
from tablebase.errors import ArgumentTypeError as ArgumentTypeError
from tablebase.errors import BatchError as BatchError
from tablebase.errors import CapacityError as CapacityError
from tablebase.errors import CatalogBusyError as CatalogBusyError
from tablebase.errors import ClusterError as ClusterError
from tablebase.errors import CommandError as CommandError
from tablebase.errors import ConflictError as ConflictError
from tablebase.errors import CorruptCatalogError as CorruptCatalogError
from tablebase.errors import CorruptTableError as CorruptTableError
from tablebase.errors import DeadlineError as DeadlineError
from tablebase.errors import ForfeitError as ForfeitError
from tablebase.errors import MissingCatalogError as MissingCatalogError
from tablebase.errors import MissingExtraError as MissingExtraError
from tablebase.errors import MissingTableError as MissingTableError
from tablebase.errors import NotationError as NotationError
from tablebase.errors import RulesError as RulesError
from tablebase.errors import SquaresError as SquaresError
from tablebase.errors import StaleTableError as StaleTableError
from tablebase.errors import TablebaseError as TablebaseError
from tablebase.errors import TimeLimitError as TimeLimitError
from tablebase.errors import UnusableFileError as UnusableFileError
from tablebase.system.compute.modules import lazy
from tablebase.version import VERSION

if TYPE_CHECKING:
    from tablebase import svg as svg
    from tablebase.commands.batch import batch as batch
    from tablebase.commands.boxes import boxes as boxes
    from tablebase.commands.build import build as build
    from tablebase.commands.build import estimate as estimate
    from tablebase.commands.count import count as count
    from tablebase.commands.exploiting import exploit as exploit
    from tablebase.commands.games import check_rules as check_rules
    from tablebase.commands.games import games as games
    from tablebase.commands.games import load as load
    from tablebase.commands.matches import match as match
    from tablebase.commands.matches import match_stats as match_stats
    from tablebase.commands.proving import prove as prove
    from tablebase.commands.searching import analyse as analyse
    from tablebase.commands.searching import perft as perft
    from tablebase.commands.tablebase import Tablebase as Tablebase
    from tablebase.commands.training import train as train
    from tablebase.commands.transfers import copy as copy
    from tablebase.commands.transfers import merge as merge
    from tablebase.commands.transfers import pack as pack
    from tablebase.commands.transfers import unpack as unpack
    from tablebase.commands.upkeep import prune as prune
    from tablebase.commands.upkeep import reindex as reindex
    from tablebase.commands.upkeep import verify as verify
    from tablebase.web.serving import serve as serve

__version__ = VERSION

__all__ = [
    *(name for name in list(globals()) if name.endswith("Error")),
    "Tablebase",
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
    """Open a folder of tables and return a `tablebase.Tablebase`.

    Parameters
    ----------
    folder : str or Path, optional
        Folder that contains the tables; by default, the value of the environment variable TABLEBASE_DATA, or ``data``.
    catalog : str, optional
        URL of the PostgreSQL database for the catalog (the list of all tables); by default, the value of the environment variable
        TABLEBASE_CATALOG, or an SQLite file in the folder.
    cache : int or str, optional
        Cache size for decompressed table data, in bytes or as text such as ``1G``; by default, 256 MiB.
    """
    # Loaded here so that `import tablebase` stays quick.
    from tablebase.commands.tablebase import Tablebase
    from tablebase.tables.folder import default_catalog, default_folder

    return Tablebase(default_folder() if folder is None else folder, default_catalog() if catalog is None else catalog, cache)
