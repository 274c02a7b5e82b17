"""The SQL index of a tablebase: which tables there are, and their statistics.

Positions never go in here, only slices, counts and files. Everything but the solver, the seconds and the findings of
`tablebase patterns` can be read back from the table files, so the catalog can be rebuilt (`tablebase reindex`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import case, delete, func, select
from sqlalchemy.orm import Session

from tablebase.catalog import sqlite
from tablebase.catalog.schema import (
    SCHEMA_VERSION,
    DistanceRow,
    GameRow,
    SliceRow,
    SolutionRow,
    TableRow,
    create_schema,
    drop_schema,
    is_empty,
    version_of,
)
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.notation import render
from tablebase.slices.location import Location, slices
from tablebase.slices.material import Material, material_name
from tablebase.tables.folder import check_folder, make_folder, missing_tablebase
from tablebase.tables.format import file_sha256
from tablebase.tables.reader import Table


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
        Whether to open it for changes, and to make it where there is none.
    anew : bool
        Whether to discard what it holds.

    Raises
    ------
    TablebaseError
        If there is no catalog, it is damaged, or it belongs to another version of this program.
    """

    def __init__(self, folder: Path, *, create: bool = False, anew: bool = False) -> None:
        self.folder = folder
        self.path = folder / sqlite.FILE_NAME
        if create:
            make_folder(folder)
            self._engine = sqlite.connect_for_writing(self.path)
        else:
            check_folder(folder)
            if not self.path.exists():
                raise missing_tablebase(folder)
            self._engine = sqlite.connect_for_reading(self.path)
        with self._guard(), self._engine.begin() as connection:
            if anew and version_of(connection) is not None:
                drop_schema(connection)
            if create and is_empty(connection):
                create_schema(connection)
            version = version_of(connection)
        if version is None:
            raise self._unusable("it has no table of slices")
        if version != SCHEMA_VERSION:
            cure = f"run 'tablebase reindex --data {folder}'"
            raise TablebaseError(f"{self.path} was made by another version of this program: {cure}")

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn what the database raises into one sentence."""
        try:
            yield
        except sqlite.FAULTS as fault:
            raise self._unusable(getattr(fault, "orig", fault)) from fault

    def _unusable(self, reason: object) -> TablebaseError:
        cure = f"move it away and run 'tablebase reindex --data {self.folder}'"
        return TablebaseError(f"{self.path} cannot be used as a catalog ({reason}): {cure}")

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction in a catalog that was opened for changes."""
        with self._guard(), Session(self._engine) as session, session.begin():
            yield session

    def register(self, game: Game, table: Table, engine: str | None = None, seconds: float | None = None) -> None:
        """Enter a verified table with all slices that it solves; an older entry is replaced."""
        file = str(table.path.relative_to(self.folder))
        with self.writing() as session:
            session.merge(_game(game))
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
                func.sum(case((SliceRow.is_alias, 0), else_=1)).label("distinct"),
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
        occurring: dict[int, list[tuple[str, int | None, bool]]] = {}
        with self._guard(), self._engine.connect() as connection:
            for number, *counts in connection.execute(draws):
                occurring[number] = [(str(Outcome.DRAW), None, bool(stuck)) for stuck, count in enumerate(counts) if count]
            for number, outcome, distance in connection.execute(distances):
                if number in occurring:
                    occurring[number].append((outcome, distance, False))
            rows = [(material, side, number) for material, side, number in connection.execute(places) if number in occurring]
        return {(material, side): occurring[number] for material, side, number in rows}

    def sql(self, statement: str, timeout: float | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Column names and rows of a statement that only reads.

        Parameters
        ----------
        statement : str
        timeout : float, optional
            Seconds that it may take.

        Raises
        ------
        TablebaseError
            For a statement that is wrong, or that would change or attach anything.
        TimeLimitError
            If it takes longer.
        """
        return sqlite.query(self.path, statement, timeout)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()


def _game(game: Game) -> GameRow:
    letters = [[kind.symbol for kind in game.kinds if kind.side == side] for side in (0, 1)]
    return GameRow(
        name=game.name,
        title=game.title,
        rules_digest=game.digest,
        side_letters="".join(side.letter for side in game.sides),
        kinds=" ".join("".join(symbols) for symbols in letters),
    )


def _solution(game: Game, table: Table, side: int, table_id: int) -> SolutionRow:
    summary = table.header.summaries[side]
    longest: dict[str, Any] = {}
    for outcome, name in ((Outcome.WIN, "longest_win"), (Outcome.LOSS, "longest_loss")):
        furthest = summary.longest(outcome)
        if furthest is not None:
            distance, index = furthest
            position = table.layout.position(index, side)
            assert position is not None
            longest[name], longest[f"{name}_position"] = distance, render(game, position)
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
            material=material_name(game, alias.material),
            side=game.sides[alias.side].letter,
            pieces=material.pieces,
            solution_id=solution_id,
            is_alias=not alias.distinct,
            pairing=_pairing(alias.location),
        )
        for alias in slices(game, material.pieces)
        if (alias.location.material, alias.location.side) == (material, side)
    ]


def _pairing(location: Location) -> str:
    """For each piece of the stored material the number, from 1, of the slice's piece that plays it."""
    return " ".join(str(piece + 1) for piece in location.pairing)
