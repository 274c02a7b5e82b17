"""Take tables from one folder to another: `tablebase.copy`, `merge`, `pack` and `unpack`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.building.copies import FolderSource, opened_source, rewrite, upload
from tablebase.building.copies import copy as copy_tables
from tablebase.building.options import local_executor
from tablebase.building.reindex import prepare_catalog
from tablebase.building.transfer import entries_asked_for, usable_entries
from tablebase.catalog.catalog import entries_of
from tablebase.commands.arguments import as_counts, as_optional, as_texts, as_workers
from tablebase.commands.registry import check_verb
from tablebase.compute.messages import say
from tablebase.compute.progress import progress
from tablebase.errors import ArgumentError, ConflictError
from tablebase.files.outputs import check_output_folder
from tablebase.game.game_arguments import AnyGame, as_rules
from tablebase.game.plain_arguments import as_number, as_path, as_text
from tablebase.tables.folder import default_catalog, default_folder
from tablebase.tables.header import BUILT, PACKED
from tablebase.tables.object_store import is_url

if TYPE_CHECKING:
    from tablebase.building.transfer import Taken
    from tablebase.catalog.entries import Entry
    from tablebase.executors.executor import Watch

STRONGEST = 22
"""The highest level of Zstandard."""


@dataclass
class Transfer:
    """What has come of the tables that were to be taken to another place.

    Parameters
    ----------
    tables : int
        All that were asked for.
    new, there : int
        Tables that were made, and those that were there before.
    bytes, before : int
        Of the new tables' files, and of the files that they were made from.
    linked : int
        New tables that are hard links, and so take no space of their own.
    """

    tables: int
    new: int = 0
    there: int = 0
    bytes: int = 0
    before: int = 0
    linked: int = 0

    def __str__(self) -> str:
        there = f"; there already: {self.there}" if self.there else ""
        return f"{self.new} of {self.tables} tables, {self.bytes:,} bytes{there}"

    def add(self, taken: Taken) -> None:
        """Count a table."""
        self.new += taken.is_new
        self.there += not taken.is_new
        self.bytes += taken.bytes
        self.before += taken.entry.row["bytes"] * taken.is_new


def copy(
    game: AnyGame,
    to: str | Path,
    *,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    pieces: int | range | str | None = None,
    material: str | Sequence[str] | None = None,
    with_dependencies: bool = False,
    data: str | Path | None = None,
    catalog: str | None = None,
    verbose: bool = False,
) -> Transfer:
    """Copy tables with their catalog, checked; within a file system they become hard links.

    Parameters
    ----------
    game : str, Game or StochasticGame
    to : str or Path
        Another folder, or the address of an object store, such as ``s3://bucket/path``.
    size, variant
        What distinguishes the variant of the game.
    pieces, material
        Only these tables; by default all of the game.
    with_dependencies : bool
        Whether to take the tables that these depend on, too.
    data : str or Path, optional
        The folder of the tables.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    verbose : bool
        Whether to write a line about each table.

    Raises
    ------
    MissingTableError
        If a table that is named has not been built.
    ConflictError
        If there is another table under the name of one of these.
    TablebaseError
        If an argument is wrong, or for any reason why the command would fail.
    """
    folder, url = _source(data, catalog)
    target = None if is_url(str(to)) else _target(to, folder)
    if target is not None:
        prepare_catalog(target)
    entries, name = _asked_for("copy", game, size, variant, pieces, material, folder, url, with_dependencies=with_dependencies)
    source = FolderSource(folder)

    def make(_: object) -> Iterator[Taken]:
        return upload(source, entries, str(to)) if target is None else copy_tables(source, entries, target)

    done = _take(f"copy {name}", "copied to", to, entries, make, verbose=verbose)
    done.linked = source.linked
    if done.new and target is not None:
        say(f"hard links: {done.linked}, copies: {done.new - done.linked}")
    return done


def merge(place: str | Path, *, data: str | Path | None = None, catalog: str | None = None, verbose: bool = False) -> Transfer:
    """Take the tables of another folder, or of an object store, into this one, checked.

    Parameters
    ----------
    place : str or Path
        The other folder, or an address.
    data, catalog, verbose
        As in `copy`: of the folder that gets the tables.

    Raises
    ------
    ConflictError
        If there is another table under the name of one of these.
    TablebaseError
        If an argument is wrong, or for any reason why the command would fail.
    """
    folder, url = _source(data, catalog)
    if not is_url(str(place)):
        _other("place", place, folder)
    prepare_catalog(folder, url)
    with opened_source(str(place)) as source:
        entries, faults = usable_entries(source.entries().values())

        def make(_: object) -> Iterator[Taken]:
            return copy_tables(source, entries, folder, faults, url)

        return _take(f"merge {place}", "taken into", folder, entries, make, failed=len(faults), verbose=verbose)


def pack(
    game: AnyGame,
    to: str | Path,
    *,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    pieces: int | range | str | None = None,
    material: str | Sequence[str] | None = None,
    with_dependencies: bool = False,
    strength: int = 19,
    data: str | Path | None = None,
    catalog: str | None = None,
    workers: int | None = None,
    verbose: bool = False,
) -> Transfer:
    """Write tables in half the space to another folder; they can still be probed.

    Parameters are those of `copy`, and:

    Parameters
    ----------
    strength : int
        Level of Zstandard, from 1 to 22: higher is smaller and slower.
    workers : int, optional
        Number of processes; by default one for each processor.
    """
    if as_number("strength", strength, 1) > STRONGEST:
        raise ArgumentError(f"strength is a number from 1 to {STRONGEST}, not {strength}")
    folder, url = _source(data, catalog)
    target = _target(to, folder)
    prepare_catalog(target)
    entries, name = _asked_for("pack", game, size, variant, pieces, material, folder, url, with_dependencies=with_dependencies)
    form, executor = PACKED._replace(level=strength), local_executor(as_optional(as_workers, "workers", workers))
    done = _take(
        f"pack {name}",
        "packed in",
        to,
        entries,
        lambda watch: rewrite(folder, entries, target, form, executor, watch),
        verbose=verbose,
    )
    if done.new:
        say(f"they had {done.before:,} bytes before")
    return done


def unpack(place: str | Path, to: str | Path, *, workers: int | None = None, verbose: bool = False) -> Transfer:
    """Write packed tables as a build would have written them.

    Parameters
    ----------
    place : str or Path
        The folder of the packed tables.
    to : str or Path
        Another folder.
    workers : int, optional
        Number of processes; by default one for each processor.
    verbose : bool
        Whether to write a line about each table.
    """
    folder = as_path("place", place)
    target = _target(to, folder)
    prepare_catalog(target)
    entries, faults = usable_entries(entries_of(folder).values())
    executor = local_executor(as_optional(as_workers, "workers", workers))
    return _take(
        f"unpack {place}",
        "unpacked in",
        to,
        entries,
        lambda watch: rewrite(folder, entries, target, BUILT, executor, watch, faults),
        failed=len(faults),
        verbose=verbose,
    )


def _source(data: str | Path | None, catalog: str | None) -> tuple[Path, str | None]:
    """The folder of the tables and its catalog."""
    folder = default_folder() if data is None else as_path("data", data)
    return folder, default_catalog() if catalog is None else as_text("catalog", catalog)


def _other(name: str, place: str | Path, data: Path) -> Path:
    """The folder of this name, which must not be that of the tables, nor the address of an object store."""
    if is_url(str(place)):
        raise ArgumentError(f"{place} is not a folder: only 'copy' and 'merge' know object stores")
    folder = as_path(name, place)
    if folder.resolve() == data.resolve():
        raise ArgumentError(f"{place} is the folder of the tables itself: name another one")
    return folder


def _target(place: str | Path, data: Path) -> Path:
    """The folder that tables are written to; like `_other`, and not in the folder of a tablebase either."""
    folder = _other("to", place, data)
    check_output_folder(folder, "name another folder with --to", folder=data)
    return folder


def _asked_for(
    verb: str,
    game: AnyGame,
    size: str | None,
    variant: str | Sequence[str] | None,
    pieces: int | range | str | None,
    material: str | Sequence[str] | None,
    folder: Path,
    catalog: str | None,
    *,
    with_dependencies: bool,
) -> tuple[list[Entry], str]:
    """The tables that the arguments name, and the name of their game."""
    rules = as_rules(game, as_optional(as_text, "size", size), as_texts("variant", variant))
    check_verb(verb, rules)
    # No material is not the same as an empty list of them.
    named = None if material is None else as_texts("material", material)
    entries = entries_asked_for(rules, as_counts(pieces), named, folder, catalog, with_dependencies=with_dependencies)
    return entries, rules.name


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
    """Show how tables are taken into a place, and say what has come of it.

    `title` is that of the progress, and `said` what has been done with the tables, such as ``copied to``. `make` takes the
    tables in, given what is to be called with entries and the stages that their tables have reached; `failed` is the number of
    further tables, which cannot be taken in.
    """
    done = Transfer(len(entries) + failed)
    with progress(title, "tables", len(entries), verbose=verbose) as shown:
        try:
            for taken in make(lambda entry, stage: shown.at(entry.file, stage)):
                done.add(taken)
                shown.leave(taken.entry.file)
                shown.update()
                shown.note(f"{taken.entry.file}: {f'{taken.bytes:,} bytes' if taken.is_new else 'there already'}")
        except ConflictError:
            if done.new:
                shown.write(f"{said} {place}: {done}")
            raise
    say(f"{said} {place}: {done}" if done.new else f"nothing to do: all {done.tables} tables are in {place}")
    return done
