"""Commands that take tables from one folder to another as they are: copy, merge."""

from __future__ import annotations

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
    chosen_rules,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tablebase.building.transfer import Taken


def copy(
    game: GameName,
    to: To,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    with_dependencies: WithDependencies = False,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    verbose: Verbose = False,
) -> None:
    """Copy tables with their catalog."""
    from tablebase.building.copies import FolderSource, upload
    from tablebase.building.copies import copy as copy_tables
    from tablebase.building.transfer import entries_asked_for
    from tablebase.cli.output import say
    from tablebase.cli.transfers import take, target_folder
    from tablebase.tables.object_store import is_url

    folder = None if is_url(to) else target_folder(to, data)
    if folder is not None:
        prepare_catalog(folder)
    rules = chosen_rules(game, size, variant)
    entries = entries_asked_for(rules, pieces, material, data, catalog, with_dependencies=with_dependencies)
    source = FolderSource(data)

    def make(_: object) -> Iterator[Taken]:
        return upload(source, entries, to) if folder is None else copy_tables(source, entries, folder)

    tally = take(f"copy {game}", "copied to", to, entries, make, verbose=verbose)
    if tally.new and folder is not None:
        say(f"hard links: {source.linked}, copies: {tally.new - source.linked}")


def merge(
    place: Annotated[str, typer.Argument(metavar="DIR", help="Another folder of tables, or the address of an object store.")],
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    verbose: Verbose = False,
) -> None:
    """Import the tables of another folder."""
    from tablebase.building.copies import merge as merge_tables
    from tablebase.building.copies import opened_source
    from tablebase.building.transfer import usable_entries
    from tablebase.cli.transfers import other_folder, take
    from tablebase.tables.object_store import is_url

    if not is_url(place):
        other_folder(place, data)
    prepare_catalog(data, catalog)
    with opened_source(place) as source:
        entries, faults = usable_entries(source.entries().values())

        def make(_: object) -> Iterator[Taken]:
            return merge_tables(source, entries, faults, data, catalog)

        take(f"merge {place}", "taken into", data, entries, make, failed=len(faults), verbose=verbose)
