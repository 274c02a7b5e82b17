"""The catalog of a folder that is about to change."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.compute.messages import listed, say

if TYPE_CHECKING:
    from tablebase.building.reindex import Rebuilt


def prepare_catalog(data: Path, catalog: str | None = None) -> None:
    """Rebuild a catalog that cannot be used, for work that is about to change it, and say so."""
    if not (data.is_dir() and os.access(data, os.W_OK)):
        return
    # Loaded here so that help is instant.
    from tablebase.building.reindex import renew
    from tablebase.catalog.catalog import database_of

    done = renew(data, catalog)
    if done is not None:
        aside = f", and the old file is now {done.set_aside}" if done.set_aside else ""
        place = database_of(data, catalog).place
        say(f"{place} {done.fault}: rebuilt from {sum(done.tables.values())} table files{aside}{left_out(done)}")


def left_out(done: Rebuilt) -> str:
    """A clause about what is not in a new catalog, and why; empty if everything is."""
    return f"; left out: {listed([f'{name} {fault}' for name, fault in sorted(done.left_out.items())])}" if done.left_out else ""
