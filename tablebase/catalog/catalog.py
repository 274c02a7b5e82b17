"""The SQL index of a tablebase: which tables there are and what they amount to.

Positions never go in here, only slices, counts and files. Everything but the engine, the seconds and what was found
by `tablebase patterns` can be read back from the table files, so the catalog may be thrown away (`tablebase reindex`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, select, text
from sqlalchemy.exc import DatabaseError, SQLAlchemyError
from sqlalchemy.orm import Session

from tablebase.catalog.schema import _VIEW, Base, DistanceRow, GameRow, SliceRow, SolutionRow, TableRow
from tablebase.catalog.sqlite import _allow_reading_only, _connect, _hint, _make_folder, _set_up_nothing, _set_up_writing
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.notation import render
from tablebase.slices.location import slices
from tablebase.slices.material import Material, material_name
from tablebase.tables.format import file_sha256
from tablebase.tables.reader import Table

FILE_NAME = "catalog.sqlite"


@dataclass(frozen=True)
class Counts:
    """One line of statistics; the field names are those of ``stats --format json``."""

    pieces: int
    slices: int
    distinct: int
    placements: int
    stalemates: int
    positions: int
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None
    material: str | None = None
    side: str | None = None


class Catalog:
    """The catalog of a folder of tables.

    Parameters
    ----------
    folder : Path
        The tablebase; the catalog is the SQLite file ``catalog.sqlite`` in it.
    create : bool
        Whether to make the catalog where there is none.
    """

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self.folder = folder
        self.path = folder / FILE_NAME
        if folder.exists() and not folder.is_dir():
            raise TablebaseError(f"{folder} is a file: name a folder for the tables")
        if not create and not self.path.exists():
            raise TablebaseError(f"there is no tablebase in {folder}: build one with 'tablebase build GAME --data {folder}'")
        if create:
            _make_folder(folder)
        # Questions open it read-only: to ask must not change a file, whatever it is.
        self._engine = _connect(self.path, "rwc" if create else "ro", _set_up_writing if create else _set_up_nothing)
        with self._guard():
            if create:
                Base.metadata.create_all(self._engine)
                with self._engine.begin() as connection:
                    connection.execute(text(_VIEW))
            with self._engine.connect() as connection:
                connection.execute(select(func.count()).select_from(TableRow))

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn what the database driver raises into one sentence."""
        try:
            yield
        except (DatabaseError, sqlite3.Error) as fault:
            cure = f"move it away and run 'tablebase reindex --data {self.folder}'"
            raise TablebaseError(f"{self.path} cannot be used as a catalog ({getattr(fault, 'orig', fault)}): {cure}") from fault

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction in a catalog that was opened to be made."""
        with self._guard(), Session(self._engine) as session, session.begin():
            yield session

    def register(self, game: Game, table: Table, engine: str | None = None, seconds: float | None = None) -> None:
        """Enter a table that has been verified, with all slices that it solves; an older entry is replaced."""
        file = str(table.path.relative_to(self.folder))
        with self.writing() as session:
            session.merge(GameRow(name=game.name, title=game.title, rules_digest=game.digest))
            session.flush()
            session.execute(delete(TableRow).where(TableRow.file == file))
            row = TableRow(
                game=game.name,
                material=material_name(game, table.material),
                pieces=table.material.pieces,
                file=file,
                bytes=table.path.stat().st_size,
                file_sha256=file_sha256(table.path),
                values_sha256=table.header.values_sha256,
                rules_digest=game.digest,
                cells=table.layout.size * len(table.header.summaries),
                engine=engine,
                seconds=seconds,
            )
            session.add(row)
            session.flush()
            for side in table.header.summaries:
                solution = _solution(game, table, side, row.id)
                session.add(solution)
                session.flush()
                session.add_all(_distances(table, side, solution.id))
                session.add_all(_slices(game, table.material, side, solution.id))

    def drop(self, game: Game | None = None) -> None:
        """Forget all tables, or those of one game; the files stay."""
        with self.writing() as session:
            session.execute(delete(TableRow) if game is None else delete(TableRow).where(TableRow.game == game.name))

    def registered(self, game: Game) -> dict[str, str]:
        """File SHA-256 of each registered table of the rules installed now, by material name."""
        query = select(TableRow.material, TableRow.file_sha256)
        query = query.where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        with self._guard(), self._engine.connect() as connection:
            return {material: digest for material, digest in connection.execute(query)}  # noqa: C416 (dict() would ask for keys)

    def rate(self, game: Game) -> tuple[float, float] | None:
        """Cells a CPU-second and bytes a cell over all tables built here, if any were."""
        query = select(func.sum(TableRow.cells), func.sum(TableRow.seconds), func.sum(TableRow.bytes))
        query = query.where(TableRow.game == game.name, TableRow.seconds.is_not(None))
        with self._guard(), self._engine.connect() as connection:
            cells, seconds, size = connection.execute(query).one()
        return (cells / seconds, size / cells) if cells and seconds else None

    def counts(self, game: Game, by: str) -> list[Counts]:
        """Statistics of a game's tables of the rules installed now, ``by`` pieces or material, aliases counted."""
        columns = [SliceRow.pieces] if by == "pieces" else [SliceRow.pieces, SliceRow.material, SliceRow.side]
        query = (
            select(
                *columns,
                func.count().label("slices"),
                func.sum(1 - SliceRow.is_alias).label("distinct"),
                func.sum(SolutionRow.placements).label("placements"),
                func.sum(SolutionRow.stalemates).label("stalemates"),
                func.sum(SolutionRow.placements - SolutionRow.stalemates).label("positions"),
                func.sum(SolutionRow.wins).label("wins"),
                func.sum(SolutionRow.losses).label("losses"),
                func.sum(SolutionRow.draws).label("draws"),
                func.max(SolutionRow.longest_win).label("longest_win"),
                func.max(SolutionRow.longest_loss).label("longest_loss"),
            )
            .join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
            .join(TableRow, TableRow.id == SolutionRow.table_id)
            .where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
            .group_by(*columns)
            .order_by(SliceRow.pieces, func.min(SliceRow.id) if by == "pieces" else SliceRow.material)
        )
        with self._guard(), self._engine.connect() as connection:
            return [Counts(**row) for row in connection.execute(query).mappings()]

    def values(self, game: Game) -> dict[tuple[str, str], list[tuple[str, int | None, bool]]]:
        """Outcomes, distances and stalemates that occur in each slice that is counted, by material and side to move."""
        places = select(SliceRow.material, SliceRow.side, SliceRow.solution_id).where(SliceRow.game == game.name)
        of_game = (TableRow.game == game.name, TableRow.rules_digest == game.digest)
        draws = select(SolutionRow.id, SolutionRow.draws, SolutionRow.stalemates)
        draws = draws.join(TableRow, TableRow.id == SolutionRow.table_id).where(*of_game)
        distances = select(DistanceRow.solution_id, DistanceRow.outcome, DistanceRow.distance)
        found: dict[int, list[tuple[str, int | None, bool]]] = {}
        with self._guard(), self._engine.connect() as connection:
            for number, *counts in connection.execute(draws):
                found[number] = [(str(Outcome.DRAW), None, bool(stuck)) for stuck, count in enumerate(counts) if count]
            for number, outcome, distance in connection.execute(distances):
                if number in found:
                    found[number].append((outcome, distance, False))
            return {(material, side): found[number] for material, side, number in connection.execute(places) if number in found}

    def sql(self, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Column names and rows of a statement that only reads.

        Raises
        ------
        TablebaseError
            For a statement that is wrong, or that would change or attach anything.
        """
        engine = _connect(self.path, "ro", _set_up_nothing)
        try:
            with engine.connect() as connection:
                _allow_reading_only(connection)
                result = connection.exec_driver_sql(statement)
                if not result.returns_rows:
                    raise TablebaseError("the statement gives no rows: only SELECT is allowed")
                return list(result.keys()), [tuple(row) for row in result]
        except (SQLAlchemyError, sqlite3.Error, UnicodeError) as fault:
            reason = getattr(fault, "orig", None) or fault
            raise TablebaseError(f"the SQL statement failed: {reason}{_hint(str(reason))}") from fault
        finally:
            engine.dispose()

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()


def _solution(game: Game, table: Table, side: int, table_id: int) -> SolutionRow:
    summary = table.header.summaries[side]
    longest: dict[str, Any] = {}
    for outcome, name in ((Outcome.WIN, "longest_win"), (Outcome.LOSS, "longest_loss")):
        found = summary.longest(outcome)
        if found is not None:
            position = table.layout.position(found[1], side)
            assert position is not None
            longest[name], longest[f"{name}_position"] = found[0], render(game, position)
    return SolutionRow(
        table_id=table_id,
        side=game.sides[side].letter,
        placements=summary.placements,
        stalemates=summary.stalemates,
        wins=summary.count(Outcome.WIN),
        losses=summary.count(Outcome.LOSS),
        draws=summary.draws,
        void=table.layout.cells_with_images - summary.placements,
        **longest,
    )


def _distances(table: Table, side: int, solution_id: int) -> list[DistanceRow]:
    summary = table.header.summaries[side]
    return [
        DistanceRow(solution_id=solution_id, outcome=str(outcome), distance=distance, placements=placements)
        for outcome in (Outcome.WIN, Outcome.LOSS)
        for distance, placements in summary.distances(outcome).items()
    ]


def _slices(game: Game, material: Material, side: int, solution_id: int) -> list[SliceRow]:
    return [
        SliceRow(
            game=game.name,
            material=material_name(game, one.material),
            side=game.sides[one.side].letter,
            pieces=material.pieces,
            solution_id=solution_id,
            is_alias=not one.distinct,
        )
        for one in slices(game, material.pieces)
        if (one.location.material, one.location.side) == (material, side)
    ]
