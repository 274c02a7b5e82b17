"""Commands that look after tables: reindex, prune."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from tablebase.cli import options
from tablebase.commands.parameters import Format
from tablebase.errors import TablebaseError


def reindex(
    rules: options.RulesFiles = None, data: options.Data = options.DEFAULT_DATA, catalog: options.CatalogUrl = None
) -> None:
    """Rebuild the catalog from the table files."""
    del rules
    from tablebase.building.reindex import left_out
    from tablebase.commands.building import reindex as rebuild
    from tablebase.commands.output import say

    done = rebuild(data, catalog)
    tables = f"{sum(done.tables.values())} tables of {', '.join(done.tables) or 'no game'}"
    aside = f", and the old file is now {done.set_aside}" if done.set_aside else ""
    say(f"catalog of {data} rebuilt from {tables}{aside}{left_out(done)}")


def prune(
    rules: options.RulesFiles = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    kernels: Annotated[
        bool, typer.Option("--kernels", help="Remove compiled kernels that this version does not use, and no tables.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    style: options.Style = Format.TABLE,
) -> None:
    """Remove tables of outdated rules, and stray files."""
    del rules
    from dataclasses import asdict

    from tablebase.building.prune import prune as prune_tables
    from tablebase.commands.output import say, write_rows
    from tablebase.compute.kernel_cache import cache_parent, prune_kernels

    total = ""

    def agreed(items: Sequence[Any]) -> bool:
        nonlocal total
        rows = [asdict(item) for item in items]
        write_rows(rows, style)
        total = f"{sum(row.get('files', 1) for row in rows):,} files, {sum(row['bytes'] for row in rows):,} bytes"
        return yes or _agreed(f"remove {total}?")

    place = cache_parent() if kernels else data
    if place is None:
        raise TablebaseError("there is no home folder: set TABLEBASE_CACHE to the folder of the compiled kernels")
    if prune_kernels(place, agreed) if kernels else prune_tables(place, catalog, agreed):
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
