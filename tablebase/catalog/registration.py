"""All that the catalog says of a table: made from the header of its file, or read back from the catalog's rows."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, column, delete, insert, select
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningInsert

from tablebase.catalog.schema import Base, DistanceRow, GameRow, SliceRow, SolutionRow, TableRow
from tablebase.game import Game, Outcome
from tablebase.game.notation import render
from tablebase.slices.location import Location, aliases
from tablebase.slices.material import material_name
from tablebase.tables.format import file_sha256

if TYPE_CHECKING:
    # Reading the catalog alone needs no HDF5.
    from tablebase.tables.reader import Table

Values = tuple[Any, ...]
"""The values of a row, in the order of its columns."""


def contents(table: type[Base], *left_out: str) -> list[str]:
    """The columns of a table that say something, in order: not its own number, nor a seal, nor those left out."""
    return [one.name for one in table.__table__.columns if one.name not in ("id", "seal", *left_out)]


TABLE, SOLUTION = contents(TableRow), contents(SolutionRow, "table_id")
DISTANCE, SLICE = contents(DistanceRow, "solution_id"), contents(SliceRow, "solution_id")


@dataclass(frozen=True)
class Side:
    """What the catalog says of one side to move of a table.

    Parameters
    ----------
    solution : tuple
        The columns `SOLUTION`.
    distances : list of tuple
        The columns `DISTANCE`, ascending.
    slices : list of tuple
        The columns `SLICE`.
    """

    solution: Values
    distances: list[Values]
    slices: list[Values]


@dataclass(frozen=True)
class Registration:
    """All that the catalog says of a table.

    Parameters
    ----------
    table : tuple
        The columns `TABLE`.
    sides : list of Side
    """

    table: Values
    sides: list[Side]

    @property
    def seal(self) -> str:
        """SHA-256 of all of it; the numbers that link the rows are left out, but not what they link."""
        return digest([self.table, [[side.solution, side.distances, side.slices] for side in self.sides]])

    def __getitem__(self, name: str) -> Any:
        """A column of `tables`."""
        return self.table[TABLE.index(name)]

    def solved_like(self, other: Registration) -> Registration:
        """The same, but with the solver and the seconds of another."""
        known = {"engine": other["engine"], "seconds": other["seconds"]}
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


def read(connection: Connection, table_id: int | None = None) -> dict[int, Registration]:
    """What the catalog says of all tables, or of one, by number; rows that belong to none are left out."""
    only = [] if table_id is None else [SolutionRow.table_id == table_id]
    of_solutions = [] if table_id is None else [column("solution_id").in_(select(SolutionRow.id).where(*only))]
    distances = grouped(connection, DistanceRow, ["solution_id", *DISTANCE], ["solution_id", "outcome", "distance"], of_solutions)
    slices_of = grouped(connection, SliceRow, ["solution_id", *SLICE], ["id"], of_solutions)
    sides = defaultdict(list)
    for number, parent, *solution in values(connection, SolutionRow, ["id", "table_id", *SOLUTION], ["id"], only):
        sides[parent].append(Side(tuple(solution), distances[number], slices_of[number]))
    of_table = [] if table_id is None else [TableRow.id == table_id]
    rows = values(connection, TableRow, ["id", *TABLE], ["id"], of_table)
    return {number: Registration(tuple(row), sides[number]) for number, *row in rows}


def values(
    connection: Connection, table: type[Base], names: Sequence[str], order: Sequence[str], only: Sequence[ColumnElement[bool]] = ()
) -> list[Values]:
    """Columns of a table's rows as the database holds them, since a type of SQLAlchemy could hide that a value is damaged."""
    columns: list[Any] = list(map(column, names))
    query = select(*columns).select_from(table.__table__).where(*only).order_by(*map(column, order))
    # The driver's own tuples: there are many of them, and those of SQLAlchemy take twice the time.
    cursor: Any = connection.execute(query).cursor
    rows: list[Values] = cursor.fetchall()
    return rows


def grouped(
    connection: Connection, table: type[Base], names: Sequence[str], order: Sequence[str], only: Sequence[ColumnElement[bool]] = ()
) -> defaultdict[Any, list[Values]]:
    """Like `values`, without the first column, by which the rows are grouped."""
    groups: defaultdict[Any, list[Values]] = defaultdict(list)
    for row in values(connection, table, names, order, only):
        groups[row[0]].append(row[1:])
    return groups


def enter(session: Session, game: Game, registration: Registration) -> None:
    """Write a table's rows into the catalog; an older registration of the same file is replaced."""
    session.merge(game_row(game))
    session.flush()
    session.execute(delete(TableRow).where(TableRow.file == registration["file"]))
    insert_table(session, registration)


def insert_table(session: Session, registration: Registration) -> None:
    """Write a table's rows, and their seal, into a catalog that has its game, and no table of the same file."""
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


def game_row(game: Game) -> GameRow:
    """What the catalog says of a game."""
    letters = [[kind.symbol for kind in game.kinds if kind.side == side] for side in (0, 1)]
    return GameRow(
        name=game.name,
        title=game.title,
        rules_digest=game.digest,
        side_letters="".join(side.letter for side in game.sides),
        kinds=" ".join("".join(symbols) for symbols in letters),
    )


def _solution(game: Game, table: Table, side: int) -> Values:
    summary = table.header.summaries[side]
    row: dict[str, Any] = {
        "side": game.sides[side].letter,
        "placements": summary.placements,
        "stalemates": summary.stalemates,
        "wins": summary.count(Outcome.WIN),
        "losses": summary.count(Outcome.LOSS),
        "draws": summary.draws,
        "void": int(table.layout.cells_with_images) - summary.placements,
    }
    for outcome, name in ((Outcome.WIN, "longest_win"), (Outcome.LOSS, "longest_loss")):
        furthest = summary.longest(outcome)
        row[name] = row[f"{name}_position"] = None
        if furthest is not None:
            distance, index = furthest
            position = table.layout.position(index, side)
            assert position is not None
            row[name], row[f"{name}_position"] = distance, render(game, position)
    return tuple(row[name] for name in SOLUTION)


def _distances(table: Table, side: int) -> list[Values]:
    summary = table.header.summaries[side]
    return sorted((str(outcome), *one) for outcome in (Outcome.WIN, Outcome.LOSS) for one in summary.distances(outcome).items())


def _slices(game: Game, table: Table, side: int) -> list[Values]:
    return [
        (
            game.name,
            material_name(game, alias.material),
            game.sides[alias.side].letter,
            table.material.pieces,
            int(not alias.distinct),
            pairing(alias.location),
        )
        for alias in aliases(game, table.material, side)
    ]


def pairing(location: Location) -> str:
    """For each piece of the stored material the number, from 1, of the slice's piece that plays it."""
    return " ".join(str(piece + 1) for piece in location.pairing)
