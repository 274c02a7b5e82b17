"""Take tables into a folder that were built elsewhere: check, publish, register.

Tables are copied, packed or unpacked (`tablebase.building.copies`); all of them come in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from tablebase.building.kind import table_kind
from tablebase.building.options import TableQuery
from tablebase.catalog.catalog import Catalog, entries_of
from tablebase.catalog.entries import Entry, enter
from tablebase.errors import ConflictError, RulesError, TablebaseError
from tablebase.game.game_arguments import refuse_given
from tablebase.game.installed import load_rules
from tablebase.game.rules import Rules
from tablebase.system.compute.processes import cleanup_on_exit
from tablebase.system.files.outputs import publish, write_text
from tablebase.tables.checkpoints import remove_drafts
from tablebase.tables.folder import check_seal, lock, make_folder
from tablebase.tables.missing import nothing_registered

CHECKSUMS = "SHA256SUMS"
"""The list of all tables of a folder, as ``sha256sum --check`` reads it."""

Make = Callable[[Sequence[Entry]], Iterator[tuple[Entry, Path]]]
"""Makes a checked draft of each table, beside the place where it will be published."""


@dataclass(frozen=True)
class Taken:
    """A table that is in the folder now."""

    entry: Entry  # what the catalog says of it where it came from
    is_new: bool  # False if it was there before
    bytes: int = 0  # of the file that has been made; 0 if there was one


def entries_asked_for(
    game: Rules[Any],
    pieces: range | None,
    material: Sequence[str] | None,
    folder: Path,
    catalog: str | None,
    *,
    with_dependencies: bool = False,
) -> list[Entry]:
    """The registered tables of a game that the options of a command name, or all, perhaps with all that these depend on.

    Raise `MissingTableError` if one of them is not registered.
    """
    refuse_given(game, pieces=pieces, material=material)
    entries = [entry for entry in entries_of(folder, catalog).values() if entry.is_of(game)]
    if not entries:
        raise nothing_registered(game, folder)
    return table_kind(game).chosen(entries, TableQuery(pieces, material or ()), folder, with_dependencies=with_dependencies)


def usable_entries(entries: Iterable[Entry]) -> tuple[list[Entry], dict[str, str]]:
    """The entries of tables that can be used here; for the others, by file, why not, as the predicate of a sentence."""
    errors = {entry: _foreign_error(entry) for entry in entries}
    return [entry for entry, error in errors.items() if error is None], {
        entry.file: error for entry, error in errors.items() if error is not None
    }


def _foreign_error(entry: Entry) -> str | None:
    try:
        rules = load_rules(entry.game)
    except RulesError:
        return "belongs to a game that is not installed"
    if not entry.is_of(rules):
        return "was built with rules that differ from the installed rules"
    # A catalog from elsewhere might name any file.
    parts = PurePosixPath(entry.file).parts
    is_in_place = entry.file == entry.place and len(parts) == 3 and ".." not in parts and table_kind(rules).is_in_place(entry)
    return None if is_in_place else "has the wrong path for a table"


def take_in(
    folder: Path,
    entries: Sequence[Entry],
    make: Make,
    errors: Mapping[str, str] | None = None,
    *,
    elsewhere: str | None = None,
    catalog: str | None = None,
) -> Iterator[Taken]:
    """Take tables into a folder and its catalog, with the solvers, seconds and patterns that another catalog knew.

    Yield each table once it is registered; those that hold the same values already stay as they are. `make` makes drafts of
    those that are missing. `errors` are reasons why other tables cannot be taken in: then all that can be are, before the error
    is raised; without, nothing is taken in unless everything can be. If files are moved `elsewhere`, to the address of an object
    store, only the catalog says what there is.
    Raise `ConflictError` if tables are there that have the same names and other values.
    """
    make_folder(folder)
    registry = Catalog(folder, create=True, catalog=catalog)
    registry.create()
    with ExitStack() as stack:
        stack.enter_context(lock(folder))
        for game in {entry.game for entry in entries}:
            stack.enter_context(cleanup_on_exit(partial(remove_drafts, folder / game)))
        known = entries_of(folder, catalog)
        there = [entry for entry in entries if ((folder / entry.file).exists() if elsewhere is None else entry.file in known)]
        found = {entry.file: _conflict(known.get(entry.file), folder / entry.file, entry) for entry in there}
        conflicts = {**(errors or {}), **{file: error for file, error in found.items() if error is not None}}
        if conflicts and errors is None:
            raise ConflictError(elsewhere or folder, conflicts)
        for entry in there:
            if entry.file not in conflicts:
                if entry.file not in known:
                    _register(registry, folder, entry)
                yield Taken(entry, is_new=False)
        for entry, draft in make([entry for entry in entries if entry.file not in found]):
            publish(draft, folder / entry.file)
            _register(registry, folder, entry)
            yield Taken(entry, is_new=True, bytes=(folder / entry.file).stat().st_size)
        # The catalog, which changes, is not among them.
        sums = "".join(f"{entry.sha256}  {file}\n" for file, entry in sorted(entries_of(folder, catalog).items()))
        write_text(folder / CHECKSUMS, sums, "use another folder", own=True)
    if conflicts:
        raise ConflictError(folder, conflicts)


def _conflict(here: Entry | None, path: Path, entry: Entry) -> str | None:
    """Say why a file that exists, and what the catalog says of it, is not the table of an entry; None if it has the same values."""
    if here is not None:
        return None if here.has_values_of(entry) else "has different values in the destination"
    try:
        # An interrupted command has left it: its seal and its header show what it holds.
        check_seal(path, entry.title)
        with closing(table_kind(load_rules(entry.game)).opened(path, entry.row)) as file:
            is_same = file.values_sha256 == entry.row["values_sha256"]
    except TablebaseError:
        is_same = False
    return None if is_same else "already exists in the destination, but is not in its catalog"


def _register(catalog: Catalog, folder: Path, entry: Entry) -> None:
    kind = table_kind(load_rules(entry.game))
    with closing(kind.opened(folder / entry.file, entry.row)) as file, catalog.writing() as connection:
        enter(connection, kind.rules, kind.entry_of(folder, file), entry)
