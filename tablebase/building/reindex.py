"""Rebuild the catalog from the table files, if asked to, or where it cannot be used and is about to change."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from tablebase.building.kind import TableKind, table_kind
from tablebase.catalog.catalog import database_of, open_catalog
from tablebase.catalog.database import Database
from tablebase.catalog.entries import Entry, enter, read_entries, with_patterns
from tablebase.catalog.schema import OF_FILES
from tablebase.errors import CorruptCatalogError, TablebaseError, UnusableFileError
from tablebase.game.installed import is_known, load_rules
from tablebase.system.compute.messages import brief, listed, say
from tablebase.tables.folder import SUFFIX, lock, make_folder

UNKNOWN = "belongs to a game that is not installed"
Found = tuple[TableKind[Any, Any], Entry]
"""The kind of a table, and what the catalog has to say of its file."""
Result = TypeVar("Result")


@brief
@dataclass(frozen=True)
class Rebuilt:
    """Result of rebuilding a catalog, with each skipped file and the reason."""

    tables: dict[str, int]  # number of tables registered, by game
    left_out: dict[str, str]  # why files and other programs' indices are not in the new catalog
    error: str | None = None  # what was wrong with the old catalog; None if nobody asked
    set_aside: Path | None = None  # the new name of an old file that SQLite could not open


def reindex(folder: Path, catalog: str | None = None) -> Rebuilt:
    """Rebuild the catalog from the table files.

    Solvers, seconds and patterns are kept if the old catalog can be read and its tables have the columns of this version: of
    each file that is the same, and whose rows are undamaged. Files of unknown games are left out.
    Raise `CorruptTableError` or `StaleTableError` if a file is damaged, or was built under other rules; whatever is raised, the
    old catalog then stays as it is.
    """
    make_folder(folder)
    with lock(folder):
        unknown: dict[str, str] = {}
        return _rebuild(folder, catalog, _read(folder, unknown, strict=True), unknown)


def with_usable(data: Path, catalog: str | None, use: Callable[[], Result]) -> Result:
    """Do something with a catalog that is about to change; if it is damaged or of another version, first rebuild it and say so.

    Files that `reindex` would refuse are left out: the command that follows may be the one that replaces them.
    """
    try:
        return use()
    except CorruptCatalogError as error:
        if not os.access(data, os.W_OK):
            raise
        reason = error.problem
    refused: dict[str, str] = {}
    with lock(data):
        done = _rebuild(data, catalog, _read(data, refused, strict=False), refused, reason)
    place, count = database_of(data, catalog).place, sum(done.tables.values())
    say(f"{place} {done.error}: the catalog was rebuilt from {count} table files{left_out(done)}")
    return use()


def prepare_catalog(data: Path, catalog: str | None = None) -> None:
    """Rebuild a catalog that cannot be used, if it can be changed."""

    def use() -> None:
        if (opened := open_catalog(data, catalog)) is not None:
            opened.close()

    if data.is_dir() and os.access(data, os.W_OK):
        with_usable(data, catalog, use)


def left_out(done: Rebuilt) -> str:
    """Clauses about an old file that was set aside, and about what is not in a new catalog, and why; empty if everything is."""
    aside = f", and the old file was renamed to {done.set_aside}" if done.set_aside else ""
    missing = listed([f"{name} {error}" for name, error in sorted(done.left_out.items())])
    return aside + f"; left out: {missing}" * bool(done.left_out)


def _read(folder: Path, refused: dict[str, str], *, strict: bool) -> list[Found]:
    """Read the files of a folder; add those that cannot be used to `refused`, or raise the error if `strict`.

    Files of unknown games are always added.
    """
    found: list[Found] = []
    for home in sorted(path for path in folder.iterdir() if path.is_dir()):
        for path in sorted(home.glob(f"*/*{SUFFIX}")):
            if not is_known(home.name):
                refused[path.relative_to(folder).as_posix()] = UNKNOWN
                continue
            try:
                kind = table_kind(load_rules(home.name))
                found.append((kind, kind.read(folder, path)))
            except TablebaseError as error:
                if strict or isinstance(error, UnusableFileError):
                    raise
                refused[path.relative_to(folder).as_posix()] = getattr(error, "problem", str(error))
    return found


def _rebuild(
    folder: Path, catalog: str | None, found: Sequence[Found], refused: Mapping[str, str], error: str | None = None
) -> Rebuilt:
    """Replace what a catalog says by what was found in files, in one transaction."""
    database = database_of(folder, catalog)
    with database.guard(), database.changes(rebuilds=True) as connection:
        if (refusal := database.refusal(connection)) is not None:
            raise refusal
        known, before = _known(database, connection)
        lost = {f"the index {name}": "was removed together with the old table" for name in database.clear(connection)}
        for kind, entry in found:
            old = known.get(entry.file)
            enter(connection, kind.rules, entry, old if old is not None and old.sha256 == entry.sha256 else None)
    lost |= {file: "is not in the folder" for file in before if not (folder / file).exists()}
    return Rebuilt(dict(Counter(entry.game for _, entry in found)), {**lost, **refused}, error, database.set_aside)


def _known(database: Database, connection: Connection) -> tuple[dict[str, Entry], list[str]]:
    """Return the old catalog's entries, if its rows can be read and have the columns of this version; and all its files."""
    entries: dict[str, Entry] = {}
    files: list[str] = []
    # Where one statement fails, some databases execute no other in the same transaction.
    with suppress(*database.errors), connection.begin_nested():
        entries = with_patterns(connection, read_entries(connection)[0])
    for table in OF_FILES:
        with suppress(*database.errors), connection.begin_nested():
            files += connection.scalars(select(table.c.file).order_by(table.c.file))
    return entries, files
