"""Commands that write tables again in another form: pack, unpack."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.building.preparation import prepare_catalog
from tablebase.cli.options import (
    DEFAULT_DATA,
    CatalogUrl,
    Data,
    GameName,
    Materials,
    Pieces,
    Size,
    To,
    Variant,
    Verbose,
    WithDependencies,
    Workers,
    chosen_rules,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tablebase.building.transfer import Taken
    from tablebase.executors.executor import Watch

STRONGEST = 22
"""The highest level of Zstandard."""


def pack(
    game: GameName,
    to: To,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    with_dependencies: WithDependencies = False,
    strength: Annotated[
        int, typer.Option("--strength", metavar="N", min=1, max=STRONGEST, help="Level of Zstandard: higher is smaller and slower.")
    ] = 19,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    workers: Workers = None,
    verbose: Verbose = False,
) -> None:
    """Write tables in half the space; they can still be probed."""
    from tablebase.building.packing import rewrite
    from tablebase.building.terms import local_executor
    from tablebase.building.transfer import entries_asked_for
    from tablebase.cli.output import say
    from tablebase.cli.transfers import take, target_folder
    from tablebase.tables.header import PACKED

    folder = target_folder(to, data)
    prepare_catalog(folder)
    rules = chosen_rules(game, size, variant)
    entries = entries_asked_for(rules, pieces, material, data, catalog, with_dependencies=with_dependencies)
    form = PACKED._replace(level=strength)

    def make(watch: Watch) -> Iterator[Taken]:
        return rewrite(data, entries, folder, form, local_executor(workers), watch)

    tally = take(f"pack {game}", "packed in", to, entries, make, verbose=verbose)
    if tally.new:
        say(f"they had {tally.before:,} bytes before")


def unpack(
    place: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of packed tables.")],
    to: To,
    workers: Workers = None,
    verbose: Verbose = False,
) -> None:
    """Write packed tables as a build would have written them."""
    from tablebase.building.packing import rewrite
    from tablebase.building.terms import local_executor
    from tablebase.building.transfer import usable_entries
    from tablebase.catalog.entries import entries_of
    from tablebase.cli.transfers import take, target_folder
    from tablebase.tables.header import BUILT

    folder = target_folder(to, place)
    prepare_catalog(folder)
    entries, faults = usable_entries(entries_of(place).values())

    def make(watch: Watch) -> Iterator[Taken]:
        return rewrite(place, entries, folder, BUILT, local_executor(workers), watch, faults)

    take(f"unpack {place}", "unpacked in", to, entries, make, failed=len(faults), verbose=verbose)
