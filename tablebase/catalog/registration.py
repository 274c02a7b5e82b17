"""All that the catalog says of a table, whatever its sort: made from its file, or read back from the catalog's rows."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, column, delete, func, insert, select
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningInsert

from tablebase.catalog.schema import FLAT, Base, DistanceRow, ExactRow, GameRow, LayerRow, SliceRow, SolutionRow, TableRow
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.game.rules import Rules
from tablebase.slices.location import Location, aliases, own_position
from tablebase.slices.material import material_name
from tablebase.tables.folder import file_sha256

if TYPE_CHECKING:
    # Reading the catalog alone needs no HDF5.
    from tablebase.states.files import ExactFile
    from tablebase.stochastic.files import LayerFile
    from tablebase.tables.flat_files import FlatFile
    from tablebase.tables.reader import Table

LONGEST = Outcome.WIN, Outcome.LOSS
Values = tuple[Any, ...]
"""The values of a row, in the order of its columns."""


def contents(table: type[Base], *left_out: str) -> list[str]:
    """The columns of a table that say something, in order: not its own number, nor a seal, nor those left out."""
    return [one.name for one in table.__table__.columns if one.name not in ("id", "seal", *left_out)]


TABLE, SOLUTION = contents(TableRow), contents(SolutionRow, "table_id")
DISTANCE, SLICE = contents(DistanceRow, "solution_id"), contents(SliceRow, "solution_id")
GAME, LAYER, EXACT = contents(GameRow), contents(LayerRow), contents(ExactRow)


@dataclass(frozen=True)
class Side:
    """The rows about one side to move of a table, with the columns `SOLUTION`, `DISTANCE` (ascending) and `SLICE`."""

    solution: Values
    distances: list[Values]
    slices: list[Values]


@dataclass(frozen=True)
class Registration:
    """All that the catalog says of a table: its row, with the columns `TABLE`, and the rows of its sides."""

    table: Values
    sides: list[Side]

    @property
    def seal(self) -> str:
        """SHA-256 of all of it; the numbers that link the rows are left out, but not what they link."""
        return digest([self.table, [[side.solution, side.distances, side.slices] for side in self.sides]])

    def __getitem__(self, name: str) -> Any:
        """A column of `tables`."""
        return self.table[TABLE.index(name)]

    def solved(self, engine: str | None, seconds: float | None) -> Registration:
        """The same with another solver and its CPU-seconds."""
        known = {"engine": engine, "seconds": seconds}
        return Registration(tuple(known.get(name, value) for name, value in zip(TABLE, self.table, strict=True)), self.sides)


def digest(content: object) -> str:
    """SHA-256 (hexadecimal) of rows written as JSON."""
    return hashlib.sha256(json.dumps(content, default=bytes.hex).encode()).hexdigest()


def of_file(folder: Path, game: Game, table: Table, engine: str | None = None, seconds: float | None = None) -> Registration:
    """What the catalog has to say of a table file in a folder."""
    row = {
        "game": game.name,
        "material": material_name(game, table.material),
        "pieces": table.material.pieces,
        "file": table.path.relative_to(folder).as_posix(),
        "bytes": table.path.stat().st_size,
        "file_sha256": file_sha256(table.path),
        "values_sha256": table.header.values_sha256,
        "rules_digest": game.digest,
        "cells": table.layout.size * len(table.header.summaries),
        "engine": engine,
        "seconds": seconds if seconds is None else float(seconds),
    }
    sides = [
        Side(_solution(game, table, side), _distances(table, side), _slices(game, table, side)) for side in table.header.summaries
    ]
    return Registration(tuple(row[name] for name in TABLE), sides)


def read(connection: Connection) -> dict[int, Registration]:
    """What the catalog says of all tables, by number; rows that belong to none are left out."""
    distances = grouped(connection, DistanceRow, ["solution_id", *DISTANCE], ["solution_id", "outcome", "distance"])
    slices_of = grouped(connection, SliceRow, ["solution_id", *SLICE], ["id"])
    sides = defaultdict(list)
    for number, parent, *solution in values(connection, SolutionRow, ["id", "table_id", *SOLUTION], ["id"]):
        sides[parent].append(Side(tuple(solution), distances[number], slices_of[number]))
    rows = values(connection, TableRow, ["id", *TABLE], ["id"])
    return {number: Registration(tuple(row), sides[number]) for number, *row in rows}


def rows_fault(connection: Connection) -> str | None:
    """Why the rows about games and their files are not those that were written; None if they are."""
    registrations, games = read(connection), sealed(connection, GameRow, "name")
    flat = [(contents(table), sealed(connection, table, "file")) for table in FLAT]
    stored: dict[Any, Any] = dict(values(connection, TableRow, ["id", "seal"], ["id"]))
    broken = [one["file"] for number, one in registrations.items() if one.seal != stored[number]]
    broken += [key for rows in (*(rows for _, rows in flat), games) for key, (row, seal) in rows.items() if digest(row) != seal]
    named = {one["game"] for one in registrations.values()}
    named |= {row[names.index("game")] for names, rows in flat for row, _ in rows.values()}
    broken += sorted(named - games.keys(), key=str)
    if broken:
        return f"is damaged (in the rows about {broken[0]})"
    sides = [side for registration in registrations.values() for side in registration.sides]
    found = [len(sides), sum(len(side.slices) for side in sides), sum(len(side.distances) for side in sides)]
    counted = [connection.scalar(select(func.count()).select_from(table)) for table in (SolutionRow, SliceRow, DistanceRow)]
    return None if found == counted else "is damaged (it has rows about no table)"


def values(connection: Connection, table: type[Base], names: Sequence[str], order: Sequence[str]) -> list[Values]:
    """Columns of a table's rows as the database holds them, since a type of SQLAlchemy could hide that a value is damaged."""
    columns: list[Any] = list(map(column, names))
    query = select(*columns).select_from(table.__table__).order_by(*map(column, order))
    # The driver's own tuples: there are many of them, and those of SQLAlchemy take twice the time.
    cursor: Any = connection.execute(query).cursor
    rows: list[Values] = cursor.fetchall()
    return rows


def grouped(
    connection: Connection, table: type[Base], names: Sequence[str], order: Sequence[str]
) -> defaultdict[Any, list[Values]]:
    """Like `values`, without the first column, by which the rows are grouped."""
    groups: defaultdict[Any, list[Values]] = defaultdict(list)
    for row in values(connection, table, names, order):
        groups[row[0]].append(row[1:])
    return groups


def enter(session: Session, game: Game, registration: Registration) -> None:
    """Write a table's rows, and their seal, into the catalog; an older registration of the same file is replaced."""
    letters = [[kind.symbol for kind in game.kinds if kind.side == side] for side in (0, 1)]
    kinds = " ".join("".join(symbols) for symbols in letters)
    _enter_game(session, game, side_letters="".join(side.letter for side in game.sides), kinds=kinds)
    session.execute(delete(TableRow).where(TableRow.file == registration["file"]))
    table_id = _insert(session, TableRow, TABLE, registration.table, seal=registration.seal)
    for side in registration.sides:
        solution_id = _insert(session, SolutionRow, SOLUTION, side.solution, table_id=table_id)
        for table, names, rows in ((DistanceRow, DISTANCE, side.distances), (SliceRow, SLICE, side.slices)):
            if rows:
                session.execute(insert(table), [{**dict(zip(names, row, strict=True)), "solution_id": solution_id} for row in rows])


def _insert(session: Session, table: type[Base], names: Sequence[str], row: Values, **more: object) -> Any:
    """Insert a row; return its number."""
    query: ReturningInsert[Any] = insert(table).values(**dict(zip(names, row, strict=True)), **more).returning(column("id"))
    return session.scalars(query).one()


def _enter_game(session: Session, game: Rules[Any], *, side_letters: str, kinds: str) -> None:
    """Write a game's row, and its seal, into the catalog; an older one is replaced."""
    known = {"name": game.name, "title": game.title, "rules_digest": game.digest, "side_letters": side_letters, "kinds": kinds}
    session.merge(GameRow(**known, seal=digest([known[name] for name in GAME])))
    session.flush()


def _solution(game: Game, table: Table, side: int) -> Values:
    summary = table.header.summaries[side]
    win, loss = (_furthest(table, side, outcome) for outcome in LONGEST)
    row: dict[str, Any] = {
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
    return tuple(row[name] for name in SOLUTION)


def _furthest(table: Table, side: int, outcome: Outcome) -> tuple[int, Position] | None:
    """The distance and the stored position of a longest win or loss, if there is one."""
    furthest = table.header.summaries[side].longest(outcome)
    if furthest is None:
        return None
    position = table.layout.position(furthest[1], side)
    assert position is not None
    return furthest[0], position


def _distances(table: Table, side: int) -> list[Values]:
    summary = table.header.summaries[side]
    return sorted((str(outcome), *one) for outcome in LONGEST for one in summary.distances(outcome).items())


def _slices(game: Game, table: Table, side: int) -> list[Values]:
    furthest = [_furthest(table, side, outcome) for outcome in LONGEST]
    return [
        (
            game.name,
            material_name(game, alias.material),
            game.sides[alias.side].letter,
            table.material.pieces,
            int(not alias.distinct),
            pairing(alias.location),
            *(found and render(game, own_position(game, alias, found[1])) for found in furthest),
        )
        for alias in aliases(game, table.material, side)
    ]


def pairing(location: Location) -> str:
    """For each piece of the stored material the number, from 1, of the slice's piece that plays it."""
    return " ".join(str(piece + 1) for piece in location.pairing)


def of_layer(folder: Path, file: LayerFile) -> dict[str, Any]:
    """What the catalog has to say of the file of a layer, by column of `LayerRow`."""
    more = {"region": file.region.name, "layer": file.layer.name, **vars(file.counts)}
    return _ordered(LAYER, {**_of_flat(folder, file.game, file), **more})


def of_exact(folder: Path, file: ExactFile) -> dict[str, Any]:
    """What the catalog has to say of a file of exact values, by column of `ExactRow`."""
    return _ordered(EXACT, {**_of_flat(folder, file.rules, file), **vars(file.counts())})


def _ordered(names: Sequence[str], row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _of_flat(folder: Path, game: Rules[Any], file: FlatFile) -> dict[str, Any]:
    return {
        "game": game.name,
        "file": file.path.relative_to(folder).as_posix(),
        "bytes": file.path.stat().st_size,
        "file_sha256": file_sha256(file.path),
        "values_sha256": file.values_sha256,
        "rules_digest": game.digest,
        "seconds": None,
    }


def enter_flat(session: Session, game: Rules[Any], table: type[LayerRow] | type[ExactRow], row: Mapping[str, Any]) -> None:
    """Write the only row of a file into one of the tables `FLAT`; an older one of the same file is replaced."""
    _enter_game(session, game, side_letters="", kinds="")
    session.execute(delete(table).where(table.file == row["file"]))
    session.execute(insert(table).values(**row, seal=digest([row[name] for name in contents(table)])))


def sealed(connection: Connection, table: type[Base], key: str) -> dict[Any, tuple[Values, str]]:
    """The rows of a table whose rows have a seal each, by a column; a row as `contents` orders it, and its seal."""
    names = contents(table)
    rows = values(connection, table, [*names, "seal"], [key])
    return {row[names.index(key)]: (tuple(row[:-1]), row[-1]) for row in rows}


def read_flat(connection: Connection) -> Iterator[tuple[type[Base], dict[str, Any], bool]]:
    """The rows of the tables `FLAT`, each with its table and whether it is as it was written."""
    for table in FLAT:
        names = contents(table)
        for row, seal in sealed(connection, table, "file").values():
            yield table, dict(zip(names, row, strict=True)), digest(row) == seal
