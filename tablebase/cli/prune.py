"""The command that cleans up: prune."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tablebase.building.preparation import prepare_catalog
from tablebase.cli.options import DEFAULT_DATA, CatalogUrl, Data, Format, Style


def prune(
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    style: Style = Format.TABLE,
) -> None:
    """Remove tables of outdated rules, and stray files."""
    from contextlib import closing
    from dataclasses import asdict

    from tablebase.building.prune import prunable
    from tablebase.building.prune import prune as remove
    from tablebase.building.tables import lock
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import say, write_rows
    from tablebase.tables.folder import make_folder

    prepare_catalog(data, catalog)
    # Unlike opening it for changes, this makes no catalog where there is none.
    Catalog(data, catalog=catalog).close()
    make_folder(data)
    with lock(data), closing(Catalog(data, create=True, catalog=catalog)) as opened:
        items = prunable(data, opened)
        if not items:
            say(f"nothing to remove in {data}")
            return
        write_rows([asdict(item) for item in items], style)
        total = f"{len(items)} files, {sum(item.bytes for item in items):,} bytes"
        if not yes and not _agreed(f"remove {total}?"):
            say("nothing was removed")
            return
        remove(data, opened, items)
        say(f"removed from {data}: {total}")


def _agreed(question: str) -> bool:
    """The answer of the person at the terminal; `TablebaseError` if there is none."""
    from tablebase.errors import TablebaseError

    if not sys.stdin.isatty():
        raise TablebaseError("nothing was removed, since there is no terminal to ask at: repeat the command with --yes")
    sys.stdout.flush()
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
