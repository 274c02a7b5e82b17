"""Rebuild the catalog from the table files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, select
from sqlalchemy.orm import Session

from tablebase.building.tables import lock
from tablebase.catalog.catalog import Catalog, database_of, has_catalog
from tablebase.catalog.database import Database
from tablebase.catalog.entries import Entry, enter_known, read_entries
from tablebase.catalog.registration import LAYER, Registration, Values, enter_layer, of_file, of_layer
from tablebase.catalog.schema import LayerRow, TableRow
from tablebase.errors import CorruptCatalogError, CorruptTableError, TablebaseError
from tablebase.game import Game
from tablebase.game.installed import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.slices.location import locate
from tablebase.slices.material import parse_material
from tablebase.tables.folder import SUFFIX, check_seal, make_folder, table_path, title
from tablebase.tables.reader import Table

Found = tuple[Game | StochasticGame, Registration | Values]
"""The rules of a file, and what the catalog has to say of it."""


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild of a catalog has done; reasons and faults are predicates of a sentence."""

    tables: dict[str, int]  # number of tables registered, by game
    left_out: dict[str, str]  # why files and other programs' indices are not in the new catalog
    fault: str | None = None  # what was wrong with the old catalog; None if nobody asked
    set_aside: Path | None = None  # the new name of an old file that SQLite could not open


def reindex(folder: Path, catalog: str | None = None) -> Rebuilt:
    """Rebuild the catalog from the table files.

    Solvers, seconds and patterns are kept if the old catalog can be read and its tables have the columns of this version: of
    each file that is the same, and whose rows are undamaged.
    Raise `CorruptTableError` or `StaleTableError` if a file is damaged, or was built under other rules; whatever is raised, the
    old catalog then stays as it is.
    """
    make_folder(folder)
    with lock(folder):
        return _rebuild(folder, catalog, _read(folder))


def renew(folder: Path, catalog: str | None = None) -> Rebuilt | None:
    """Rebuild a catalog that is damaged, or of another version, as `reindex` does; None if there is none, or nothing to do.

    Files that `reindex` would refuse are left out: the command that follows may be the one that replaces them.
    """
    try:
        if has_catalog(folder, catalog):
            Catalog(folder, catalog=catalog).close()
        return None
    except CorruptCatalogError as fault:
        reason = fault.fault
    refused: dict[str, str] = {}
    make_folder(folder)
    with lock(folder):
        return _rebuild(folder, catalog, _read(folder, refused), refused, reason)


def _read(folder: Path, refused: dict[str, str] | None = None) -> list[Found]:
    """What the files of a folder say; those that cannot be used are added to `refused`, or raise an error without it."""
    found: list[Found] = []
    for home in sorted(path for path in folder.iterdir() if path.is_dir()):
        for path in sorted(home.glob(f"*/*{SUFFIX}")):
            try:
                rules = load_rules(home.name)
                read: Any = _read_table if isinstance(rules, Game) else _read_layer
                found.append((rules, read(folder, rules, path)))
            except TablebaseError as fault:
                if refused is None:
                    raise
                refused[path.relative_to(folder).as_posix()] = getattr(fault, "fault", str(fault))
    return found


def _rebuild(
    folder: Path,
    catalog: str | None,
    found: Sequence[Found],
    refused: Mapping[str, str] = MappingProxyType({}),
    fault: str | None = None,
) -> Rebuilt:
    """Replace what a catalog says by what was found in files, in one transaction."""
    database = database_of(folder, catalog)
    with database.guard(), database.rebuilding() as connection, Session(connection) as session:
        database.prepare(connection)
        known, listed = _known(database, connection)
        left_out = {f"the index {name}": "went with its table, which is a new one" for name in database.clear(connection)}
        for game, content in found:
            _enter(session, game, content, known)
        session.flush()
    left_out |= {file: "is not in the folder" for file in listed if not (folder / file).exists()}
    return Rebuilt(dict(Counter(game.name for game, _ in found)), {**left_out, **refused}, fault, database.set_aside)


def _known(database: Database, connection: Connection) -> tuple[dict[str, Entry], list[str]]:
    """What the old catalog says of its files, if its rows can be read and have the columns of this version; all its files."""
    entries: dict[str, Entry] = {}
    files: list[str] = []
    # Where one statement fails, some databases execute no other in the same transaction.
    with suppress(*database.faults), connection.begin_nested():
        entries = read_entries(connection)
    for table in (TableRow, LayerRow):
        with suppress(*database.faults), connection.begin_nested():
            files += connection.scalars(select(table.file).order_by(table.file))
    return entries, files


def _enter(session: Session, game: Game | StochasticGame, content: Registration | Values, known: Mapping[str, Entry]) -> None:
    """Enter a file, with what the old catalog knew of the same file."""
    if isinstance(content, Registration):
        assert isinstance(game, Game)
        entry = known.get(content["file"])
        is_same = entry is not None and entry.sha256 == content["file_sha256"]
        enter_known(session, game, content, entry if is_same else None)
        return
    assert isinstance(game, StochasticGame)
    row = dict(zip(LAYER, content, strict=True))
    entry = known.get(row["file"])
    if entry is not None and entry.sha256 == row["file_sha256"]:
        row["seconds"] = entry.row["seconds"]
    enter_layer(session, game, tuple(row.values()))


def _read_table(folder: Path, game: Game, path: Path) -> Registration:
    """What a table file says, once its place, its seal and its chunks have been checked."""
    material = parse_material(game, path.name.removesuffix(SUFFIX))
    place = table_path(folder, game, locate(game, material, 0).material)
    if path != place:
        raise CorruptTableError(f"is not where this table belongs, which is {place}", path)
    check_seal(path, title(game, material))
    with closing(Table(path, game, material)) as table:
        table.check_chunks()
        return of_file(folder, game, table)


def _read_layer(folder: Path, game: StochasticGame, path: Path) -> Values:
    """What the file of a layer says, once its place, its seal and its values have been checked."""
    # Games of pieces do not need Numba here.
    from tablebase.building.chances import opened_layer
    from tablebase.stochastic.files import layer_title

    with closing(opened_layer(folder, game, path)) as file:
        check_seal(path, layer_title(game, file.region, file.layer))
        file.read()
        return of_layer(folder, file)
