"""The command that brings catalogs of earlier versions up to date: migrate."""

from __future__ import annotations

import os
from pathlib import Path

from tablebase.cli.options import DEFAULT_DATA, CatalogUrl, Data


def migrate(data: Data = DEFAULT_DATA, catalog: CatalogUrl = None) -> None:
    """Bring a catalog of an earlier version up to date."""
    from tablebase.cli.output import say

    if not _migrate(data, catalog):
        say(f"nothing to do: the catalog of {data} is up to date")


def prepare_catalog(data: Path, catalog: str | None) -> None:
    """Bring the catalog up to date if there is one, for a command that is about to change it."""
    from tablebase.catalog.databases import is_outdated

    if data.is_dir() and os.access(data, os.W_OK) and is_outdated(data, catalog):
        _migrate(data, catalog)


def _migrate(data: Path, catalog: str | None) -> bool:
    """Bring the catalog up to date, and say so; return False if it is."""
    from tablebase.build.migrate import migrate as bring_up_to_date
    from tablebase.catalog.schema import SCHEMA_VERSION
    from tablebase.cli.output import say

    migrated = bring_up_to_date(data, catalog)
    if migrated is None:
        return False
    left_out = f"; tables left out, since their rules are not those installed: {migrated.left_out}" if migrated.left_out else ""
    say(f"catalog of {data} brought from version {migrated.version} to {SCHEMA_VERSION}{left_out}")
    return True


COMMANDS = (migrate,)
