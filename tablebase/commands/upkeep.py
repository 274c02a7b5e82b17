"""Look after the folder of the tables: reindex and prune."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands.arguments import as_catalog, as_folder, checked
from tablebase.commands.calls import Call
from tablebase.commands.parameters import PYTHON_ONLY, CatalogUrl, Data
from tablebase.compute.messages import say
from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    from tablebase.building.prune import Prunable
    from tablebase.building.reindex import Rebuilt

Agreed = Annotated[Callable[[Sequence[Any]], bool] | None, PYTHON_ONLY]


@checked
def reindex(data: Data = None, catalog: CatalogUrl = None) -> Rebuilt:
    """Rebuild the catalog, which lists all tables, from the files.

    Parameters
    ----------
    data, catalog : see `tablebase.build`

    Returns
    -------
    Rebuilt
        How many tables of each game have been found, and what was left out.
    """
    from tablebase.building.reindex import reindex as rebuild

    folder = as_folder(data)
    if not folder.is_dir():
        raise TablebaseError(f"there is no folder {folder}: name the tables' folder with --data")
    return rebuild(folder, as_catalog(catalog))


def show_reindex(call: Call) -> None:
    """Say what has been found.

    Without options, this command reads all tables in the folder 'data' and writes the catalog to the file 'catalog.sqlite' in that
    folder.
    """
    from tablebase.building.reindex import left_out

    done = call()
    tables = f"{sum(done.tables.values())} tables of {', '.join(done.tables) or 'no game'}"
    aside = f", and the old file is now {done.set_aside}" if done.set_aside else ""
    say(f"catalog of {as_folder(call.given.get('data'))} rebuilt from {tables}{aside}{left_out(done)}")


@checked
def prune(data: Data = None, catalog: CatalogUrl = None, *, yes: bool = False, agreed: Agreed = None) -> list[Prunable]:
    """Remove tables built under outdated rules, and leftover files.

    Parameters
    ----------
    data, catalog : see `tablebase.build`
    yes : bool
        Remove files without asking for confirmation.
    agreed : callable, optional
        Given what may be removed, says whether that is done.

    Returns
    -------
    list of Prunable
        The files, with their bytes and the reason for each, also if they are not removed.
    """
    from tablebase.building.prune import prune as remove

    found: list[Prunable] = []

    def decided(items: list[Prunable]) -> bool:
        found.extend(items)
        return agreed(items) if agreed else yes

    remove(as_folder(data), as_catalog(catalog), decided)
    return found


def show_prune(call: Call, *, kernels: bool = False) -> None:
    """Write what may be removed, and ask.

    Without options, this command lists the outdated files in the folder 'data', and asks for confirmation before it removes
    them.

    Parameters
    ----------
    kernels : bool
        Remove cached compiled code that this version does not use, instead of tables.
    """
    from tablebase.compute.kernel_cache import cache_parent, prune_kernels

    total, removed = "", False

    def agreed(items: Sequence[Any]) -> bool:
        nonlocal total, removed
        rows = [asdict(item) for item in items]
        call.write(rows)
        total = f"{sum(row.get('files', 1) for row in rows):,} files, {sum(row['bytes'] for row in rows):,} bytes"
        removed = call.given.get("yes") or _agreed(f"remove {total}?")
        return removed

    place = cache_parent() if kernels else as_folder(call.given.get("data"))
    if place is None:
        raise TablebaseError("there is no home folder: set TABLEBASE_CACHE to the folder of the compiled kernels")
    if kernels:
        prune_kernels(place, agreed)
    else:
        call(agreed=agreed)
    if removed:
        say(f"removed from {place}: {total}")
    else:
        say("nothing was removed" if total else f"nothing to remove in {place}")


def _agreed(question: str) -> bool:
    """The answer of the person at the terminal; `TablebaseError` if there is none."""
    if not sys.stdin.isatty():
        raise TablebaseError("nothing was removed, since there is no terminal to ask at: repeat the command with --yes")
    sys.stdout.flush()
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
