"""The SQL index of a tablebase: which tables there are, and their statistics.

Positions never go in here, only slices, counts and files. Everything but the solver, the seconds and the findings of
`tablebase patterns` can be read back from the table files, so the catalog can be rebuilt (`tablebase reindex`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Connection, Integer, cast, delete, func, select, type_coerce, union, union_all
from sqlalchemy.orm import Session

from tablebase.catalog import seal
from tablebase.catalog.database import Answer, other_version
from tablebase.catalog.databases import database_of
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
    version_of,
)
from tablebase.game import Game, Outcome
from tablebase.game.stochastic import StochasticGame
from tablebase.tables.folder import check_folder, make_folder

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


@dataclass(frozen=True)
class Registered:
    """What shows whether a table file is the one that was registered.

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
    catalog : str, optional
        URL of the PostgreSQL database that holds it; by default it is a file in the folder.

    Raises
    ------
    CorruptCatalogError
        If it is not as it was written.
    TablebaseError
        If there is no catalog, it belongs to another version of this program, or its database cannot be used.
    """

    def __init__(self, folder: Path, *, create: bool = False, catalog: str | None = None) -> None:
        self.folder, self.url = folder, catalog
        self._database = database_of(folder, catalog)
        self._held = ExitStack()
        self._snapshot: Connection | None = None
        try:
            if create:
                self._create()
            else:
                self._hold()
            with self._reading() as connection:
                self._check(connection)
        except BaseException:
            self.close()
            raise

    def _create(self) -> None:
        """Make a catalog where there is none."""
        make_folder(self.folder)
        with self._database.guard():
            self._database.create()

    def _hold(self) -> None:
        """Hold the catalog as it is now until it is closed."""
        check_folder(self.folder)
        with self._database.guard():
            if not self._database.exists():
                raise self._database.missing()
            self._snapshot = self._held.enter_context(self._database.snapshot())

    def _check(self, connection: Connection) -> None:
        """Raise an error unless everything but the patterns is as it was written."""
        database, version = self._database, version_of(connection)
        if version is None:
            raise database.unusable("it has no table of slices")
        if version != SCHEMA_VERSION:
            raise other_version(database, version)
        # Before its definitions are known, nothing may be read: a view can go on for ever.
        database.refuse(database.definitions_fault(connection))
        database.refuse(database.integrity_fault(connection) or seal.tables_fault(connection))

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """A connection to the catalog as it was opened or, if that was for changes, as it is now."""
        with self._database.guard():
            if self._snapshot is not None:
                yield self._snapshot
            else:
                with self._database.snapshot() as connection:
                    yield connection

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction in a catalog that was opened for changes; it seals what has been changed."""
        with self._database.guard(), self._database.changes() as connection, Session(connection) as session:
            # What others have removed by hand must not be sealed now.
            self._database.refuse(seal.total_fault(connection))
            yield session
            session.flush()
            seal.renew_totals(connection)

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
        with self._reading() as connection:
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
        with self._reading() as connection:
            return {file: (game, digest) for file, game, digest in connection.execute(query)}

    def digests(self) -> dict[str, str]:
        """The SHA-256 of each registered file."""
        query = union_all(*(select(table.file, table.file_sha256) for table in (TableRow, LayerRow)))
        with self._reading() as connection:
            return {row.file: row.file_sha256 for row in connection.execute(query)}

    def registered(self, game: Game) -> dict[str, Registered]:
        """The registered tables of the rules installed now, by material name."""
        query = select(TableRow.material, TableRow.file_sha256, TableRow.engine, TableRow.seconds, TableRow.seal)
        query = query.where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        return {row.material: Registered(row.file_sha256, row.engine, row.seconds, row.seal) for row in rows}

    def costs(self, game: Game) -> list[TableCost]:
        """What each registered table of the rules installed now took."""
        query = select(TableRow.material, TableRow.cells, TableRow.bytes, TableRow.seconds, TableRow.engine)
        query = query.where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        with self._reading() as connection:
            return [TableCost(*row) for row in connection.execute(query)]

    def counts(self, game: Game, by: str) -> list[Counts]:
        """Statistics of a game's tables of the rules installed now, ``by`` pieces or material, aliases counted."""
        columns = [SliceRow.pieces] if by == "pieces" else [SliceRow.pieces, SliceRow.material, SliceRow.side]
        query = (
            select(
                *columns,
                func.count().label("slices"),
                _sum(1 - type_coerce(SliceRow.is_alias, Integer)).label("distinct"),
                _sum(SolutionRow.placements).label("placements"),
                _sum(SolutionRow.stalemates).label("stalemates"),
                _sum(SolutionRow.placements - SolutionRow.stalemates).label("positions"),
                _sum(SolutionRow.wins).label("wins"),
                _sum(SolutionRow.losses).label("losses"),
                _sum(SolutionRow.draws).label("draws"),
                func.max(SolutionRow.longest_win).label("longest_win"),
                func.max(SolutionRow.longest_loss).label("longest_loss"),
            )
            .join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
            .join(TableRow, TableRow.id == SolutionRow.table_id)
            .where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
            .group_by(*columns)
            .order_by(SliceRow.pieces, func.min(SliceRow.id) if by == "pieces" else SliceRow.material)
        )
        with self._reading() as connection:
            return [Counts(**row) for row in connection.execute(query).mappings()]

    def histograms(self, game: Game) -> dict[tuple[str, str], list[tuple[str, int | None, bool, int]]]:
        """By material and side to move, how many placements of each slice have each outcome, distance, and stalemate or not."""
        places = select(SliceRow.material, SliceRow.side, SliceRow.solution_id).where(SliceRow.game == game.name)
        of_game = (TableRow.game == game.name, TableRow.rules_digest == game.digest)
        draws = select(SolutionRow.id, SolutionRow.draws, SolutionRow.stalemates)
        draws = draws.join(TableRow, TableRow.id == SolutionRow.table_id).where(*of_game)
        distances = select(DistanceRow.solution_id, DistanceRow.outcome, DistanceRow.distance, DistanceRow.placements)
        found: dict[int, list[tuple[str, int | None, bool, int]]] = {}
        with self._reading() as connection:
            for number, *counts in connection.execute(draws):
                found[number] = [(str(Outcome.DRAW), None, bool(stuck), count) for stuck, count in enumerate(counts) if count]
            for number, outcome, distance, count in connection.execute(distances):
                if number in found:
                    found[number].append((outcome, distance, False, count))
            rows = [(material, side, number) for material, side, number in connection.execute(places) if number in found]
        return {(material, side): found[number] for material, side, number in rows}

    def sql(self, statement: str, timeout: float | None = None) -> Answer:
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
        with self._reading() as connection:
            self._database.refuse(seal.patterns_fault(connection))
            return self._database.query(connection, statement, timeout)

    def answer(self, statement: str) -> Answer:
        """Like `sql`, of a statement of the program's own, which reads no patterns."""
        with self._reading() as connection:
            result = connection.exec_driver_sql(statement)
            return list(result.keys()), [tuple(row) for row in result]

    def close(self) -> None:
        """Give all connections back."""
        with self._database.guard():
            self._held.close()


def _sum(column: Any) -> Any:
    """A sum as an integer; PostgreSQL would make a decimal number of it."""
    return cast(func.sum(column), BigInteger)
