"""Commands that take tables from one folder to another: copy, merge, and in another form pack, unpack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules
from tablebase.errors import ConflictError, TablebaseError
from tablebase.files.outputs import check_output_folder

if TYPE_CHECKING:
    from tablebase.building.transfer import Taken
    from tablebase.catalog.entries import Entry
    from tablebase.executors.executor import Watch

STRONGEST = 22
"""The highest level of Zstandard."""


def copy(
    game: options.GameName,
    to: options.To,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: options.Materials = None,
    with_dependencies: options.WithDependencies = False,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    verbose: options.Verbose = False,
) -> None:
    """Copy tables with their catalog."""
    from tablebase.building.copies import FolderSource, upload
    from tablebase.building.copies import copy as copy_tables
    from tablebase.building.reindex import prepare_catalog
    from tablebase.building.transfer import entries_asked_for
    from tablebase.cli.output import say
    from tablebase.tables.object_store import is_url

    folder = None if is_url(to) else target_folder(to, data)
    if folder is not None:
        prepare_catalog(folder)
    rules = chosen_rules("copy", game, size, variant)
    entries = entries_asked_for(rules, pieces, material, data, catalog, with_dependencies=with_dependencies)
    source = FolderSource(data)

    def make(_: object) -> Iterator[Taken]:
        return upload(source, entries, to) if folder is None else copy_tables(source, entries, folder)

    tally = take(f"copy {game}", "copied to", to, entries, make, verbose=verbose)
    if tally.new and folder is not None:
        say(f"hard links: {source.linked}, copies: {tally.new - source.linked}")


def merge(
    place: Annotated[str, typer.Argument(metavar="DIR", help="Another folder of tables, or the address of an object store.")],
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    verbose: options.Verbose = False,
) -> None:
    """Import the tables of another folder."""
    from tablebase.building.copies import copy as copy_tables
    from tablebase.building.copies import opened_source
    from tablebase.building.reindex import prepare_catalog
    from tablebase.building.transfer import usable_entries
    from tablebase.tables.object_store import is_url

    if not is_url(place):
        other_folder(place, data)
    prepare_catalog(data, catalog)
    with opened_source(place) as source:
        entries, faults = usable_entries(source.entries().values())

        def make(_: object) -> Iterator[Taken]:
            return copy_tables(source, entries, data, faults, catalog)

        take(f"merge {place}", "taken into", data, entries, make, failed=len(faults), verbose=verbose)


def pack(
    game: options.GameName,
    to: options.To,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: options.Materials = None,
    with_dependencies: options.WithDependencies = False,
    strength: Annotated[
        int, typer.Option("--strength", metavar="N", min=1, max=STRONGEST, help="Level of Zstandard: higher is smaller and slower.")
    ] = 19,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Workers = None,
    verbose: options.Verbose = False,
) -> None:
    """Write tables in half the space; they can still be probed."""
    from tablebase.building.copies import rewrite
    from tablebase.building.reindex import prepare_catalog
    from tablebase.building.terms import local_executor
    from tablebase.building.transfer import entries_asked_for
    from tablebase.cli.output import say
    from tablebase.tables.header import PACKED

    folder = target_folder(to, data)
    prepare_catalog(folder)
    rules = chosen_rules("pack", game, size, variant)
    entries = entries_asked_for(rules, pieces, material, data, catalog, with_dependencies=with_dependencies)
    form = PACKED._replace(level=strength)

    def make(watch: Watch) -> Iterator[Taken]:
        return rewrite(data, entries, folder, form, local_executor(workers), watch)

    tally = take(f"pack {game}", "packed in", to, entries, make, verbose=verbose)
    if tally.new:
        say(f"they had {tally.before:,} bytes before")


def unpack(
    place: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of packed tables.")],
    to: options.To,
    workers: options.Workers = None,
    verbose: options.Verbose = False,
) -> None:
    """Write packed tables as a build would have written them."""
    from tablebase.building.copies import rewrite
    from tablebase.building.reindex import prepare_catalog
    from tablebase.building.terms import local_executor
    from tablebase.building.transfer import usable_entries
    from tablebase.catalog.entries import entries_of
    from tablebase.tables.header import BUILT

    folder = target_folder(to, place)
    prepare_catalog(folder)
    entries, faults = usable_entries(entries_of(place).values())

    def make(watch: Watch) -> Iterator[Taken]:
        return rewrite(place, entries, folder, BUILT, local_executor(workers), watch, faults)

    take(f"unpack {place}", "unpacked in", to, entries, make, failed=len(faults), verbose=verbose)


def other_folder(place: str, data: Path) -> Path:
    """The folder of this name, which must not be that of the tables, nor the address of an object store."""
    from tablebase.tables.object_store import is_url

    if is_url(place):
        raise TablebaseError(f"{place} is not a folder: only 'copy' and 'merge' know object stores")
    if Path(place).resolve() == data.resolve():
        raise TablebaseError(f"{place} is the folder of the tables itself: name another one")
    return Path(place)


def target_folder(place: str, data: Path) -> Path:
    """The folder that tables are written to; like `other_folder`, and not in the folder of a tablebase either."""
    folder = other_folder(place, data)
    check_output_folder(folder, "name another folder with --to", folder=data)
    return folder


class Tally:
    """What has come of the tables that were asked for."""

    def __init__(self, total: int) -> None:
        self.total = total
        # Tables that were made, and those that were there before.
        self.new = self.there = 0
        # Of the new tables' files, and of those that they were made from.
        self.bytes = self.before = 0

    def add(self, taken: Taken) -> None:
        """Count a table."""
        self.new += taken.is_new
        self.there += not taken.is_new
        self.bytes += taken.bytes
        self.before += taken.entry.row["bytes"] * taken.is_new

    def __str__(self) -> str:
        there = f"; there already: {self.there}" if self.there else ""
        return f"{self.new} of {self.total} tables, {self.bytes:,} bytes{there}"


def take(
    title: str,
    done: str,
    place: object,
    entries: Sequence[Entry],
    make: Callable[[Watch], Iterator[Taken]],
    *,
    failed: int = 0,
    verbose: bool = False,
) -> Tally:
    """Show how tables are taken into a place, and say what has come of it.

    `title` is that of the progress, and `done` says what has been done with the tables, such as ``copied to``. `make` takes the
    tables in, given what is to be called with entries and the stages that their tables have reached; `failed` is the number of
    further tables, which cannot be taken in.
    """
    from tablebase.cli.output import say
    from tablebase.compute.progress import progress

    tally = Tally(len(entries) + failed)
    with progress(title, "tables", len(entries), verbose=verbose) as shown:
        try:
            for taken in make(lambda entry, stage: shown.at(entry.file, stage)):
                tally.add(taken)
                shown.leave(taken.entry.file)
                shown.update()
                shown.note(f"{taken.entry.file}: {f'{taken.bytes:,} bytes' if taken.is_new else 'there already'}")
        except ConflictError:
            if tally.new:
                shown.write(f"{done} {place}: {tally}")
            raise
    say(f"{done} {place}: {tally}" if tally.new else f"nothing to do: all {tally.total} tables are in {place}")
    return tally
