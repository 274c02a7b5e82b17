"""Take tables from one folder to another: copy, merge, and in another form pack, unpack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tablebase.commands import lib
from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_catalog, as_counts, as_folder, as_optional, checked, rules_for
from tablebase.commands.parameters import Shell
from tablebase.errors import ArgumentError, ConflictError
from tablebase.game.plain_arguments import as_path, as_texts
from tablebase.system.compute.messages import say

if TYPE_CHECKING:
    from tablebase.building.transfer import Taken
    from tablebase.catalog.entries import Entry
    from tablebase.system.executors.executor import Watch

STRONGEST = 22
"""The highest level of Zstandard."""


@dataclass
class Transfer:
    """Numbers of selected `tables`, copied tables (`new`), tables already at the target (`there`), and copied `bytes`."""

    tables: int  # all that were selected
    new: int = 0
    there: int = 0  # tables that the target already had
    bytes: int = 0  # of the new files
    before: int = 0  # of the files that they were made from
    linked: int = 0  # new tables that are hard links, which use no additional disk space

    def __str__(self) -> str:
        return f"{self.new} of {self.tables} tables, {self.bytes:,} bytes{f'; already existed: {self.there}' if self.there else ''}"


@checked
def copy(
    game: shared.GameName,
    to: shared.ToStore,
    *,
    size: shared.Size = None,
    variant: shared.Variant = None,
    pieces: shared.Pieces = None,
    material: shared.Materials = None,
    with_dependencies: shared.WithDependencies = False,
    data: shared.Data = None,
    catalog: shared.CatalogUrl = None,
    verbose: shared.Verbose = False,
) -> Transfer:
    """Copy tables to another folder or an object store.

    By default, all tables of the game are copied. If the source and target folders are on
    the same file system, the copies are hard links and use no additional disk space.

    Parameters
    ----------
    to : str or Path
        Destination folder or object store, such as ``s3://bucket/path``.
    game, size, variant, pieces, material, data, catalog, verbose : see `tablebase.build`; by default, all tables of the game
    with_dependencies : bool
        Also copy the tables that the selected tables depend on.

    Raises
    ------
    MissingTableError, ConflictError
        If a selected table has not been built, or the target contains a different table with the same name.
    """
    rules, folder, named = rules_for("copy", game, size, variant), as_folder(data), as_optional(as_texts, "material", material)
    target = None if lib.object_store.is_url(str(to)) else _target(to, folder)
    url, source = as_catalog(catalog), lib.copies.Source(folder)
    entries = lib.transfer.entries_asked_for(rules, as_counts(pieces), named, folder, url, with_dependencies=with_dependencies)
    copied = lib.copies.upload(source, entries, str(to)) if target is None else lib.copies.copy(source, entries, target)
    done = _take(f"copy {rules.name}", "copied to", to, entries, lambda _: copied, verbose=verbose)
    done.linked = source.linked
    if done.new and target is not None:
        say(f"hard links: {done.linked}, copies: {done.new - done.linked}")
    return done


@checked
def merge(
    place: Annotated[str | Path, Shell(metavar="DIR", argument=True, parse=str)],
    *,
    data: shared.Data = None,
    catalog: shared.CatalogUrl = None,
    verbose: shared.Verbose = False,
) -> Transfer:
    """Import tables from another folder or an object store.

    By default, all tables in the source folder are imported into the folder 'data'. Existing tables are not replaced.

    Parameters
    ----------
    place : str or Path
        Folder that contains the tables to import, or an object store, such as s3://bucket/path.
    data, catalog, verbose : see `tablebase.build`

    Raises
    ------
    ConflictError
        If the data folder contains a different table with the same name.
    """
    folder, url = as_folder(data), as_catalog(catalog)
    if not lib.object_store.is_url(str(place)):
        _check_other(as_path("place", place), folder)
    lib.reindex.prepare_catalog(folder, url)
    with lib.copies.opened_source(str(place)) as source:
        entries, errors = lib.transfer.usable_entries(source.entries().values())
        merged = lib.copies.copy(source, entries, folder, errors, url)
        return _take(f"merge {place}", "imported into", folder, entries, lambda _: merged, failed=len(errors), verbose=verbose)


@checked
def pack(
    game: shared.GameName,
    to: shared.To,
    *,
    size: shared.Size = None,
    variant: shared.Variant = None,
    pieces: shared.Pieces = None,
    material: shared.Materials = None,
    with_dependencies: shared.WithDependencies = False,
    strength: Annotated[int, Shell(metavar="N", least=1, most=STRONGEST)] = 19,
    data: shared.Data = None,
    catalog: shared.CatalogUrl = None,
    workers: shared.Workers = None,
    verbose: shared.Verbose = False,
) -> Transfer:
    """Write compressed tables that can be probed without unpacking.

    By default, all tables of the game are packed, using all processors. The original tables are kept.

    Parameters
    ----------
    strength : int
        Zstandard compression level; a higher level gives smaller files but takes longer.
    game, to, size, variant, pieces, material, with_dependencies, data, catalog, verbose : see `copy`
    workers : see `tablebase.build`
    """
    if strength > STRONGEST:
        raise ArgumentError(f"invalid --strength {strength}: expected 1 to {STRONGEST}")
    rules, folder, named = rules_for("pack", game, size, variant), as_folder(data), as_optional(as_texts, "material", material)
    target, url, executor = _target(to, folder), as_catalog(catalog), lib.options.local_executor(workers)
    entries = lib.transfer.entries_asked_for(rules, as_counts(pieces), named, folder, url, with_dependencies=with_dependencies)
    packed = partial(lib.copies.rewrite, folder, entries, target, lib.header.PACKED._replace(level=strength), executor)
    done = _take(f"pack {rules.name}", "packed in", to, entries, packed, verbose=verbose)
    if done.new:
        say(f"size before packing: {done.before:,} bytes")
    return done


@checked
def unpack(
    place: Annotated[str | Path, Shell(metavar="DIR", argument=True)],
    to: shared.To,
    *,
    workers: shared.Workers = None,
    verbose: shared.Verbose = False,
) -> Transfer:
    """Restore the original files of packed tables.

    By default, all tables in the folder are restored, using all processors. The packed tables are kept.

    Parameters
    ----------
    place : str or Path
        Folder that contains packed tables.
    to, workers, verbose : see `pack`
    """
    folder = Path(place)
    target, executor = _target(to, folder), lib.options.local_executor(workers)
    entries, errors = lib.transfer.usable_entries(lib.catalog.entries_of(folder).values())
    restored = partial(lib.copies.rewrite, folder, entries, target, lib.header.BUILT, executor, errors=errors)
    return _take(f"unpack {place}", "unpacked in", to, entries, restored, failed=len(errors), verbose=verbose)


def _check_other(place: Path, data: Path) -> None:
    if place.resolve() == data.resolve():
        raise ArgumentError(f"{place} is both the source and the destination: choose another folder")


def _target(place: str | Path, data: Path) -> Path:
    """Make the catalog of the folder that tables are written to, which must not be in the folder of a tablebase."""
    if lib.object_store.is_url(str(place)):
        raise ArgumentError(f"{place} is an object store, which only 'copy' and 'merge' can use: choose a folder")
    folder = as_path("to", place)
    _check_other(folder, data)
    lib.outputs.check_output_folder(folder, "choose another folder for --to", folder=data)
    lib.reindex.prepare_catalog(folder)
    return folder


def _take(
    title: str,
    said: str,
    place: object,
    entries: Sequence[Entry],
    make: Callable[[Watch], Iterator[Taken]],
    *,
    failed: int = 0,
    verbose: bool = False,
) -> Transfer:
    """Show the progress of a transfer, which `make` runs, and print a summary that begins with `said`, such as ``copied to``.

    `make` gets a function to call with entries and the stages that their tables have reached; `failed` further tables are unusable.
    """
    done = Transfer(len(entries) + failed)
    with lib.progress.progress(title, "tables", len(entries), verbose=verbose) as shown:
        try:
            for taken in make(lambda entry, stage: shown.at(entry.file, stage)):
                done.new += taken.is_new
                done.there += not taken.is_new
                done.bytes += taken.bytes
                done.before += taken.entry.row["bytes"] * taken.is_new
                shown.leave(taken.entry.file)
                shown.update()
                shown.note(f"{taken.entry.file}: {f'{taken.bytes:,} bytes' if taken.is_new else 'already exists'}")
        except ConflictError:
            if done.new:
                shown.write(f"{said} {place}: {done}")
            raise
    say(f"{said} {place}: {done}" if done.new else f"nothing to do: all {done.tables} tables are in {place}")
    return done
