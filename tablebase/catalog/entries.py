"""All that a catalog says of a file: made from the file, or read back from the catalog's rows."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, column, delete, insert, select, union_all, update
from sqlalchemy import Table as SqlTable

from tablebase.catalog.schema import DISTANCES, GAMES, METADATA, OF_FILES, PATTERNS, SLICES, SOLUTIONS, TABLES
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.game.rules import Rules
from tablebase.positions.location import Location, aliases, own_position
from tablebase.positions.material import material_name
from tablebase.tables.folder import SUFFIX, file_sha256

if TYPE_CHECKING:
    # Reading the catalog alone needs no HDF5.
    from tablebase.tables.reader import Table

LONGEST = Outcome.WIN, Outcome.LOSS
Row = dict[str, Any]
"""The columns of a row by name, without seals and the numbers that link rows."""


@dataclass(frozen=True)
class SideEntry:
    """The rows about one side to move of a table."""

    solution: Row
    distances: Sequence[Sequence[Any]]  # outcome, distance and placements, ascending
    slices: Sequence[Row]


@dataclass(frozen=True, eq=False)
class Entry:
    """All rows about a file."""

    table: str  # the name of the table with its row: one of `OF_FILES`
    row: Mapping[str, Any]
    sides: Sequence[SideEntry] = ()  # only of a row of ``tables``
    # Tables of `PATTERNS` by name, each with a row about one of its slices, if they have been read; no seal covers them.
    patterns: Sequence[tuple[str, Row]] = ()

    @property
    def file(self) -> str:
        """Relative to the folder."""
        return str(self.row["file"])

    @property
    def game(self) -> str:
        """The game's name."""
        return str(self.row["game"])

    @property
    def sha256(self) -> str:
        """Of the whole file."""
        return str(self.row["file_sha256"])

    @property
    def _names(self) -> tuple[str, str]:
        """The folder of the file in that of the game, and the name of the table in it."""
        row, names = self.row, {"tables": ("pieces", "material"), "layers": ("region", "layer"), "tiers": ("", "tier")}
        home, name = names.get(self.table, ("", ""))
        return str(row.get(home, self.table)), str(row.get(name, "all"))

    @property
    def title(self) -> str:
        """Title in the seal of the file; see `TableKind.title_at`."""
        home, name = self._names
        parts = {"tables": [name], "exact": [home]}.get(self.table, [home, name])
        return " ".join([self.game, *parts])

    @property
    def place(self) -> str:
        """Path of such a file, relative to the folder; see `table_path`, `layer_path`, `exact_path` and `tier_path`."""
        return f"{self.game}/{'/'.join(self._names)}{SUFFIX}"

    @property
    def seal(self) -> str:
        """SHA-256 of all rows but the patterns; not of the numbers that link the rows, but of what they link."""
        return digest([dict(self.row), [vars(side) for side in self.sides]])

    def is_of(self, game: Rules[Any]) -> bool:
        """Return whether it belongs to a game, under the rules installed now."""
        # The digest of rules as functions takes a second.
        return self.game == game.name and self.row["rules_digest"] == game.digest

    def solved(self, engine: str | None, seconds: float | None) -> Entry:
        """The same with another solver and its CPU-seconds."""
        known = {"engine": engine, "seconds": seconds if seconds is None else float(seconds)}
        return replace(self, row={name: known.get(name, value) for name, value in self.row.items()})

    def has_values_of(self, other: Entry) -> bool:
        """Return whether both hold the same values under the same rules, in whatever form."""
        return all(self.row[name] == other.row[name] for name in ("rules_digest", "values_sha256"))


def digest(content: object) -> str:
    """SHA-256 (hexadecimal) of rows written as JSON."""
    return hashlib.sha256(json.dumps(content, default=bytes.hex, sort_keys=True).encode()).hexdigest()


# From a file


def entry_of(
    folder: Path, game: Rules[Any], file: Any, table: str, more: Mapping[str, Any], sides: Sequence[SideEntry] = ()
) -> Entry:
    """Return the entry of an open file in a folder, with `more` columns than those of all files."""
    row = {
        "game": game.name,
        "file": file.path.relative_to(folder).as_posix(),
        "bytes": file.path.stat().st_size,
        "file_sha256": file_sha256(file.path),
        "values_sha256": file.values_sha256,
        "rules_digest": game.digest,
        "engine": None,
        "seconds": None,
        **more,
    }
    names = [one.name for one in METADATA.tables[table].columns if one.name not in ("id", "seal")]
    return Entry(table, {name: row[name] for name in names}, sides)


def of_table(folder: Path, game: Game, table: Table) -> Entry:
    """Return the entry of a table file in a folder."""
    more = {
        "material": material_name(game, table.material),
        "pieces": table.material.pieces,
        "cells": table.layout.size * len(table.header.summaries),
    }
    return entry_of(folder, game, table, TABLES.name, more, [_side(game, table, side) for side in table.header.summaries])


def _side(game: Game, table: Table, side: int) -> SideEntry:
    summary = table.header.summaries[side]
    win, loss = (_furthest(table, side, outcome) for outcome in LONGEST)
    solution = {
        "side": game.sides[side].letter,
        "placements": summary.placements,
        "stalemates": summary.stalemates,
        "wins": summary.count(Outcome.WIN),
        "losses": summary.count(Outcome.LOSS),
        "draws": summary.draws,
        "void": int(table.layout.cells_with_images) - summary.placements,
        "longest_win": win and win[0],
        "longest_win_position": win and render(game, win[1]),
        "longest_loss": loss and loss[0],
        "longest_loss_position": loss and render(game, loss[1]),
    }
    slices = [
        {
            "game": game.name,
            "material": material_name(game, alias.material),
            "side": game.sides[alias.side].letter,
            "pieces": table.material.pieces,
            "is_alias": int(not alias.distinct),
            "pairing": pairing(alias.location),
            "win_position": win and render(game, own_position(game, alias, win[1])),
            "loss_position": loss and render(game, own_position(game, alias, loss[1])),
        }
        for alias in aliases(game, table.material, side)
    ]
    distances = sorted((str(outcome), *one) for outcome in LONGEST for one in summary.distances(outcome).items())
    return SideEntry(solution, distances, slices)


def _furthest(table: Table, side: int, outcome: Outcome) -> tuple[int, Position] | None:
    furthest = table.header.summaries[side].longest(outcome)
    if furthest is None:
        return None
    position = table.layout.position(furthest[1], side)
    assert position is not None
    return furthest[0], position


def pairing(location: Location) -> str:
    """For each piece of the stored material the number, from 1, of the slice's piece that plays it."""
    return " ".join(str(piece + 1) for piece in location.pairing)


# From the catalog


def read_entries(connection: Connection) -> tuple[dict[str, Entry], str | None]:
    """The sound entries of a catalog of this version, by file, and what is wrong with its other rows, as a predicate."""
    stored, is_whole = stored_entries(connection)
    entries = {entry.file: entry for entry, seal in stored if entry.seal == seal}
    broken = [entry.file for entry, seal in stored if entry.seal != seal]
    unknown = {entry.game for entry in entries.values()}
    for row in rows(connection, GAMES, "name"):
        unknown.discard(row["name"])
        if row.pop("seal") != digest(row):
            broken.append(str(row["name"]))
    if broken or unknown:
        return entries, f"is damaged (invalid rows for {[*broken, *sorted(unknown)][0]})"
    return entries, None if is_whole else "is damaged (it has rows without a table)"


def stored_entries(connection: Connection) -> tuple[list[tuple[Entry, str]], bool]:
    """The rows about each file with the seal that is stored, and whether these are all rows."""
    distances, slices, sides = (defaultdict[int, list[Any]](list) for _ in range(3))
    for number, *more in _tuples(connection, DISTANCES, "solution_id", "outcome", "distance"):
        distances[number].append(more)
    for row in rows(connection, SLICES):
        del row["id"]
        slices[row.pop("solution_id")].append(row)
    for row in rows(connection, SOLUTIONS):
        number, parent = row.pop("id"), row.pop("table_id")
        sides[parent].append(SideEntry(row, distances.pop(number, []), slices.pop(number, [])))
    stored = []
    for table in OF_FILES:
        for row in rows(connection, table, "id" if table is TABLES else "file"):
            number, seal = row.pop("id"), row.pop("seal")
            stored.append((Entry(table.name, row, sides.pop(number, ()) if table is TABLES else ()), seal))
    return stored, not (distances or slices or sides)


def with_patterns(connection: Connection, entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """The same entries with their rows of `PATTERNS`."""
    found = defaultdict[tuple[Any, ...], list[tuple[str, Row]]](list)

    def slice_of(row: Row) -> tuple[Any, ...]:
        return row["game"], row["material"], row["side"]

    for table in PATTERNS:
        for row in rows(connection, table):
            del row["id"], row["slice_id"]
            found[slice_of(row)].append((table.name, row))
    slices = {file: [row for side in entry.sides for row in side.slices] for file, entry in entries.items()}
    patterns = {file: [one for row in some for one in found[slice_of(row)]] for file, some in slices.items()}
    return {file: replace(entry, patterns=patterns[file]) for file, entry in entries.items()}


def _tuples(connection: Connection, table: SqlTable, *order: str) -> list[Sequence[Any]]:
    """The rows of a table as the database holds them, since a type of SQLAlchemy could hide that a value is damaged."""
    columns: list[Any] = [column(one.name) for one in table.columns]
    query = select(*columns).select_from(table).order_by(*map(column, order))
    # The driver's own tuples: there are many of them, and those of SQLAlchemy take twice the time.
    cursor: Any = connection.execute(query).cursor
    found: list[Sequence[Any]] = cursor.fetchall()
    return found


def rows(connection: Connection, table: SqlTable, order: str = "id") -> list[Row]:
    """The rows of a table with all columns."""
    return [dict(zip(table.columns.keys(), row, strict=True)) for row in _tuples(connection, table, order)]


# Into the catalog


def enter(connection: Connection, game: Rules[Any], entry: Entry, known: Entry | None = None) -> None:
    """Write all rows of a file and their seal; older ones of the file are replaced.

    `known` is what another catalog knew of the file: its solver, seconds and patterns are taken over.
    """
    if known is not None:
        entry = replace(entry.solved(known.row.get("engine"), known.row["seconds"]), patterns=known.patterns)
    _enter_game(connection, game, with_pieces=entry.table == TABLES.name)
    table = METADATA.tables[entry.table]
    connection.execute(delete(table).where(table.c.file == entry.file))
    number = _insert(connection, table, {**entry.row, "seal": entry.seal})
    for side in entry.sides:
        solution = _insert(connection, SOLUTIONS, {**side.solution, "table_id": number})
        names = ("outcome", "distance", "placements")
        distances = [dict(zip(names, row, strict=True)) for row in side.distances]
        for part, some in ((DISTANCES, distances), (SLICES, side.slices)):
            if some:
                connection.execute(insert(part), [{**row, "solution_id": solution} for row in some])
    for name, row in entry.patterns:
        of_slice = (SLICES.c[key] == row[key] for key in ("game", "material", "side"))
        slice_id = select(SLICES.c.id).where(*of_slice).scalar_subquery()
        connection.execute(insert(METADATA.tables[name]).values(slice_id=slice_id, **row))


def _enter_game(connection: Connection, game: Any, *, with_pieces: bool) -> None:
    letters = [[kind.symbol for kind in game.kinds if kind.side == side] for side in (0, 1)] if with_pieces else []
    row = {
        "name": game.name,
        "title": game.title,
        "rules_digest": game.digest,
        "side_letters": "".join(side.letter for side in game.sides) if with_pieces else "",
        "kinds": " ".join(map("".join, letters)),
    }
    row["seal"] = digest(row)
    if not connection.execute(update(GAMES).where(GAMES.c.name == game.name).values(row)).rowcount:
        connection.execute(insert(GAMES).values(row))


def _insert(connection: Connection, table: SqlTable, row: Row) -> Any:
    return connection.scalars(insert(table).values(row).returning(table.c.id)).one()


def strike(connection: Connection, files: Sequence[str]) -> None:
    """Forget the tables of these files, and games that have no others."""
    for table in OF_FILES:
        connection.execute(delete(table).where(table.c.file.in_(files)))
    kept = union_all(*(select(table.c.game) for table in OF_FILES))
    connection.execute(delete(GAMES).where(GAMES.c.name.not_in(kept)))
