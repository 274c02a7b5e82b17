"""The SQL index of a tablebase: which tables there are, and their statistics.

Positions never go in here, only slices, counts and files. Everything but the solver, the seconds and the findings of
`tablebase patterns` can be read back from the table files, so the catalog can be rebuilt (`tablebase reindex`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, case, delete, func, select, union, union_all
from sqlalchemy.orm import Session

from tablebase.catalog import seal, sqlite
from tablebase.catalog.layers import LAYER, enter_layer, of_layer, read_layers
from tablebase.catalog.registration import Values, enter, of_file
from tablebase.catalog.schema import (
    SCHEMA_VERSION,
    DistanceRow,
    GameRow,
    LayerRow,
    SliceRow,
    SolutionRow,
    TableRow,
    create_schema,
    is_empty,
    version_of,
)
from tablebase.errors import CorruptCatalogError, TablebaseError, reindex, space_error, system_error
from tablebase.game import Game, Outcome
from tablebase.game.stochastic import StochasticGame
from tablebase.tables.folder import check_folder, make_folder, missing_tablebase

if TYPE_CHECKING:
    # Reading the catalog alone needs no HDF5.
    from tablebase.stochastic.files import LayerFile
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


@dataclass(frozen=True)
class TableCost:
    """What a table took: disk space, and the CPU-seconds to solve, write and verify it, if it was built here."""

    material: str
    codes: int
    bytes: int
    seconds: float | None
    engine: str | None


def unusable(path: Path, reason: object) -> TablebaseError:
    """The error for a file in the catalog's place that is no catalog."""
    cure = f"move it away and run 'tablebase reindex --data {path.parent}'"
    return TablebaseError(f"{path} cannot be used as a catalog ({reason}): {cure}")


@dataclass(frozen=True)
class Registered:
    """What tells whether a table file is the one that was registered.

    Parameters
    ----------
    file_sha256 : str
    engine : str or None
    seconds : float or None
    seal : str
        Of all that the catalog says of the table; see `registration.Registration.seal`.
    """

    file_sha256: str
    engine: str | None
    seconds: float | None
    seal: str


class Catalog:
    """The catalog of a folder of tables.

    Parameters
    ----------
    folder : Path
        The tablebase.
    create : bool
        Whether to open it for changes, and to make it where there is none. Otherwise it is read as it is now, and what is
        written later is not seen.
    file : str
        The name of its SQLite file in the folder.

    Raises
    ------
    CorruptCatalogError
        If it is not as it was written.
    TablebaseError
        If there is no catalog, or it belongs to another version of this program.
    """

    def __init__(self, folder: Path, *, create: bool = False, file: str = sqlite.FILE_NAME) -> None:
        self.folder = folder
        self.path = folder / file
        if create:
            make_folder(folder)
            new = not self.path.exists()
        else:
            check_folder(folder)
            if not self.path.exists():
                raise missing_tablebase(folder)
            new = False
        self._engine = sqlite.connect_for_writing(self.path) if create else sqlite.connect_for_reading(self.path)
        try:
            with self._guard():
                self._open(create)
        except TablebaseError:
            self.close()
            if new:
                self._discard_empty()
            raise

    def _open(self, create: bool) -> None:
        """Make the schema if asked to, and check what is there."""
        if not create:
            self._check(self._engine)
            return
        self._make()
        copy = sqlite.connect_for_reading(self.path)
        try:
            self._check(copy)
        finally:
            copy.dispose()

    def _make(self) -> None:
        """Make the schema, if the database is new."""
        with self._engine.begin() as connection:
            if is_empty(connection):
                sqlite.mark(connection)
                create_schema(connection)
                seal.renew_totals(connection)

    def _discard_empty(self) -> None:
        """Delete the file if nothing could be written into it: an empty one is no catalog."""
        with suppress(FileNotFoundError):
            if self.path.stat().st_size == 0:
                self.path.unlink()

    def _check(self, engine: Engine) -> None:
        """Raise an error unless everything but the patterns is as it was written."""
        with engine.connect() as connection:
            version = version_of(connection)
            if version is None:
                raise unusable(self.path, "it has no table of slices")
            if version != SCHEMA_VERSION:
                raise TablebaseError(f"{self.path} was made by another version of this program: {reindex(self.folder)}")
            # Before its definitions are known, nothing may be read: a view can go on for ever.
            self._refuse(sqlite.definitions_fault(connection))
            self._refuse(sqlite.integrity_fault(connection) or seal.tables_fault(connection))

    def _refuse(self, fault: str | None) -> None:
        """Raise an error if there is a fault."""
        if fault is not None:
            raise CorruptCatalogError(fault, self.path)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn what the database and the operating system raise into one sentence."""
        try:
            with sqlite.in_use:
                yield
        except OSError as fault:
            raise system_error(fault, fault.filename or self.path) from fault
        except sqlite.FAULTS as fault:
            raise self._error(fault) from fault

    def _error(self, fault: Exception) -> TablebaseError:
        code, reason = sqlite.primary_code(fault), sqlite.reason_of(fault)
        if sqlite.is_write_refused(fault):
            return space_error(self.path, sqlite.REFUSED)
        if code in sqlite.ERRNO:
            return system_error(OSError(sqlite.ERRNO[code], ""), self.path)
        if code in sqlite.IN_USE:
            return TablebaseError(f"{self.path} is being changed by another program: try again when it has finished")
        if sqlite.is_marked(self.path):
            return CorruptCatalogError(f"is damaged ({reason})", self.path)
        return unusable(self.path, reason)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction in a catalog that was opened for changes; it seals what has been changed."""
        with self._guard(), Session(self._engine) as session, session.begin():
            # What others have removed by hand must not be sealed now.
            self._refuse(seal.total_fault(session.connection()))
            yield session
            session.flush()
            seal.renew_totals(session.connection())

    def register(self, game: Game, table: Table, engine: str | None = None, seconds: float | None = None) -> None:
        """Enter a verified table with all slices that it solves; an older registration of its file is replaced."""
        with self.writing() as session:
            enter(session, game, of_file(self.folder, game, table, engine, seconds))

    def register_layer(self, file: LayerFile, seconds: float | None = None) -> None:
        """Enter the verified file of a layer; an older registration of it is replaced."""
        with self.writing() as session:
            enter_layer(session, file.game, of_layer(self.folder, file, seconds))

    def layers(self, game: StochasticGame) -> list[dict[str, Any]]:
        """The registered layers of the rules installed now, as rows of the table ``layers``."""
        with self._guard(), self._engine.connect() as connection:
            rows: list[Values] = [row for row, _ in read_layers(connection).values()]
        named = [dict(zip(LAYER, row, strict=True)) for row in rows]
        return [row for row in named if (row["game"], row["rules_digest"]) == (game.name, game.digest)]

    def remove(self, files: Sequence[str]) -> None:
        """Forget the tables of these files, and games that have no others."""
        with self.writing() as session:
            for table in (TableRow, LayerRow):
                session.execute(delete(table).where(table.file.in_(files)))
            kept = union(select(TableRow.game), select(LayerRow.game))
            session.execute(delete(GameRow).where(GameRow.name.not_in(kept)))

    def files(self) -> dict[str, tuple[str, str]]:
        """The game and the digest of its rules for each registered file."""
        query = union_all(*(select(table.file, table.game, table.rules_digest) for table in (TableRow, LayerRow)))
        with self._guard(), self._engine.connect() as connection:
            return {file: (game, digest) for file, game, digest in connection.execute(query)}

    def digests(self) -> dict[str, str]:
        """The SHA-256 of each registered file."""
        query = union_all(*(select(table.file, table.file_sha256) for table in (TableRow, LayerRow)))
        with self._guard(), self._engine.connect() as connection:
            return {row.file: row.file_sha256 for row in connection.execute(query)}

    def registered(self, game: Game) -> dict[str, Registered]:
        """The registered tables of the rules installed now, by material name."""
        query = select(TableRow.material, TableRow.file_sha256, TableRow.engine, TableRow.seconds, TableRow.seal)
        query = query.where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        with self._guard(), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return {row.material: Registered(row.file_sha256, row.engine, row.seconds, row.seal) for row in rows}

    def costs(self, game: Game) -> list[TableCost]:
        """What each registered table of the rules installed now took."""
        query = select(TableRow.material, TableRow.cells, TableRow.bytes, TableRow.seconds, TableRow.engine)
        query = query.where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        with self._guard(), self._engine.connect() as connection:
            return [TableCost(*row) for row in connection.execute(query)]

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
        CorruptCatalogError
            If the patterns are not as they were written.
        TablebaseError
            For a statement that is wrong, or that would change or attach anything.
        TimeLimitError
            If it takes longer.
        """
        with self._guard(), self._engine.connect() as connection:
            self._refuse(seal.patterns_fault(connection))
        return sqlite.query(self.path, statement, timeout)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()
