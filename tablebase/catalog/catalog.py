"""The SQL index of a tablebase: which tables there are, and their statistics.

It holds slices, counts and files, but no positions. All of it except the solver, the seconds and the findings of
`tablebase patterns` is read from the table files, so it can be rebuilt (`tablebase.building.reindex`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, Integer, cast, delete, func, select, text, type_coerce, union_all
from sqlalchemy.orm import Session

from tablebase.catalog.database import PATIENCE, Answer, Database
from tablebase.catalog.known import Known, KnownFile, TableCost
from tablebase.catalog.registration import read_flat
from tablebase.catalog.schema import (
    FLAT,
    SLICE_COUNTS,
    Base,
    DistanceRow,
    ExactRow,
    GameRow,
    LayerRow,
    SliceRow,
    SolutionRow,
    TableRow,
)
from tablebase.catalog.sqlite import SqliteDatabase
from tablebase.errors import CorruptCatalogError, MissingCatalogError, TablebaseError, check_extra
from tablebase.game import Game, Outcome
from tablebase.game.rules import Rules
from tablebase.slices.location import count_slices
from tablebase.tables.folder import check_folder, make_folder


@dataclass(frozen=True)
class Counts:
    """Positions of all slices with a number of pieces, or of one slice; aliases are counted."""

    pieces: int
    slices: int
    distinct: int
    placements: int
    stalemates: int
    positions: int
    """Placements without stalemates."""
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None
    material: str | None = None
    side: str | None = None
    of_slices: int | None = None
    """By pieces: how many slices there are, built or not."""

    @classmethod
    def columns(cls, by: str) -> list[str]:
        """The fields of a row ``by`` pieces or material, in order."""
        counts = [one.name for one in fields(cls) if one.name not in ("material", "side", "of_slices")]
        return ["material", "side", *counts] if by == "material" else [*counts, "of_slices"]


class Registered(NamedTuple):
    """What shows whether a table file is the one that was registered; `seal` is that of its `registration.Registration`."""

    file_sha256: str
    engine: str | None
    seconds: float | None
    seal: str


class Catalog:
    """The catalog of a folder of tables: a file in it or, by URL, in a PostgreSQL database."""

    def __init__(
        self, folder: Path, *, create: bool = False, catalog: str | None = None, patience: float | None = PATIENCE
    ) -> None:
        """Read it; changes that follow are not seen. With `create`, it is not read now, but may be changed and made.

        `patience` is the number of seconds to wait for another program that has locked it; None for no limit.
        Raise `CorruptCatalogError` if it is damaged or was made by another version of this program, `MissingCatalogError` if
        there is none, and `TablebaseError` if its database cannot be used.
        """
        self.folder, self.url = folder, catalog
        self._database = database_of(folder, catalog, patience)
        self.place = self._database.place
        self._held = ExitStack()
        self._snapshot: Connection | None = None
        self._is_checked = False
        check_folder(folder)
        if not create:
            try:
                with self._database.guard():
                    self._snapshot = self._held.enter_context(self._read())
            except BaseException:
                self.close()
                raise

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """A snapshot of a sound catalog."""
        database = self._database
        if not database.exists():
            raise database.missing()
        with database.snapshot() as connection:
            version = database.version(connection)
            if version is None:
                raise database.missing(self._refusal(connection))
            if (fault := database.fault(connection, version)) is not None:
                raise CorruptCatalogError(fault, database.place, database.cure)
            database.renew_view(connection)
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to the catalog as it was opened or, if that was for changes, as it is now."""
        with self._database.guard():
            if self._snapshot is not None:
                yield self._snapshot
            else:
                with self._read() as connection:
                    yield connection

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction in a catalog that was opened for changes; it is made if there is none."""
        database = self._database
        with database.guard():
            make_folder(self.folder)
            with database.changes() as connection, Session(connection) as session:
                if not self._is_checked:
                    database.check_changeable(connection)
                    version = database.version(connection)
                    if version is None:
                        database.make(connection)
                    elif (fault := database.version_fault(version)) is not None:
                        raise CorruptCatalogError(fault, database.place, database.cure)
                yield session
                session.flush()
        self._is_checked = True

    def create(self) -> None:
        """Make it if there is none; raise an error unless it may be changed."""
        with self.writing():
            pass

    def _refusal(self, connection: Connection) -> TablebaseError | None:
        try:
            self._database.check_changeable(connection)
        except TablebaseError as fault:
            return fault
        return None

    def layers(self, game: Rules[Any]) -> list[dict[str, Any]]:
        """The registered layers of the rules installed now, as rows of the table ``layers``."""
        return self._flat(LayerRow, game)

    def exact(self, game: Rules[Any]) -> list[dict[str, Any]]:
        """The registered file of exact values of the rules installed now, as rows of the table ``exact``, of which there is one."""
        return self._flat(ExactRow, game)

    def _flat(self, wanted: type[Base], game: Rules[Any]) -> list[dict[str, Any]]:
        with self.reading() as connection:
            rows = [row for table, row, _ in read_flat(connection) if table is wanted]
        return [row for row in rows if (row["game"], row["rules_digest"]) == (game.name, game.digest)]

    def remove(self, files: Sequence[str]) -> None:
        """Forget the tables of these files, and games that have no others."""
        with self.writing() as session:
            strike(session, files)

    def files(self) -> dict[str, tuple[str, ...]]:
        """For each registered file the game, the digest of its rules, and the SHA-256 of the file."""
        columns = ((table.file, table.game, table.rules_digest, table.file_sha256) for table in (TableRow, *FLAT))
        with self.reading() as connection:
            return {file: tuple(more) for file, *more in connection.execute(union_all(*(select(*some) for some in columns)))}

    def known(self, game: Rules[Any]) -> Known:
        """Sizes and costs of the tables of the rules installed now, and why the catalog cannot be changed."""
        ours = {table: (table.game == game.name, table.rules_digest == game.digest) for table in (TableRow, *FLAT)}
        files = union_all(*(select(table.file, table.bytes, table.file_sha256).where(*of) for table, of in ours.items()))
        costs = select(TableRow.material, TableRow.cells, TableRow.bytes, TableRow.seconds, TableRow.engine)
        with self.reading() as connection:
            return Known(
                {row.file: KnownFile(row.bytes, row.file_sha256) for row in connection.execute(files)},
                [TableCost(*row) for row in connection.execute(costs.where(*ours[TableRow]))],
                self._refusal(connection),
            )

    def registered(self, game: Game) -> dict[str, Registered]:
        """The registered tables of the rules installed now, by material name."""
        query = select(TableRow.material, TableRow.file_sha256, TableRow.engine, TableRow.seconds, TableRow.seal)
        query = query.where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        with self.reading() as connection:
            rows = connection.execute(query).all()
        return {row.material: Registered(row.file_sha256, row.engine, row.seconds, row.seal) for row in rows}

    def counts(self, game: Game, by: str) -> list[Counts]:
        """Statistics of a game's tables of the rules installed now, ``by`` pieces or material, aliases counted.

        Tables whose files are no longer in the folder are left out.
        """
        columns = [SliceRow.pieces] if by == "pieces" else [SliceRow.pieces, SliceRow.material, SliceRow.side]
        query = (
            select(
                *columns,
                func.count().label("slices"),
                _sum(1 - type_coerce(SliceRow.is_alias, Integer)).label("distinct"),
                *(_sum(getattr(SolutionRow, name)).label(name) for name in ("placements", "stalemates", "wins", "losses", "draws")),
                _sum(SolutionRow.placements - SolutionRow.stalemates).label("positions"),
                func.max(SolutionRow.longest_win).label("longest_win"),
                func.max(SolutionRow.longest_loss).label("longest_loss"),
            )
            .join(SolutionRow, SolutionRow.id == SliceRow.solution_id)
            .join(TableRow, TableRow.id == SolutionRow.table_id)
            .group_by(*columns)
            .order_by(SliceRow.pieces, func.min(SliceRow.id) if by == "pieces" else SliceRow.material)
        )
        with self.reading() as connection:
            rows = connection.execute(query.where(*self._there(game))).mappings().all()
        if by != "pieces":
            return [Counts(**row) for row in rows]
        return [Counts(**row, of_slices=count_slices(game, row["pieces"])) for row in rows]

    def gone(self, game: Game) -> list[str]:
        """The registered files of the rules installed now that are no longer in the folder."""
        query = select(TableRow.file).where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        with self.reading() as connection:
            files = connection.scalars(query.order_by(TableRow.id)).all()
        return [file for file in files if not (self.folder / file).exists()]

    def _there(self, game: Game) -> list[ColumnElement[bool]]:
        """Which tables count: those of the rules installed now whose files are in the folder."""
        return [TableRow.game == game.name, TableRow.rules_digest == game.digest, TableRow.file.not_in(self.gone(game))]

    def slice_counts(self, game: Game, material: str) -> list[dict[str, Any]]:
        """The rows of the view ``slice_counts`` about a material."""
        # Not the view itself: another program may have changed it.
        query = text(f"{SLICE_COUNTS} WHERE slices.game = :game AND slices.material = :material ORDER BY slices.side")
        gone = [PurePosixPath(file).stem for file in self.gone(game)]
        with self.reading() as connection:
            rows = connection.execute(query, {"game": game.name, "material": material}).mappings()
            return [dict(row) for row in rows if row["stored_as"] not in gone]

    def histograms(self, game: Game) -> dict[tuple[str, str], list[tuple[str, int | None, bool, int]]]:
        """By material and side, placements with each outcome, distance, and stalemate or not; also of files that are gone."""
        places = select(SliceRow.material, SliceRow.side, SliceRow.solution_id).where(SliceRow.game == game.name)
        draws = select(SolutionRow.id, SolutionRow.draws, SolutionRow.stalemates)
        draws = draws.join(TableRow, TableRow.id == SolutionRow.table_id)
        draws = draws.where(TableRow.game == game.name, TableRow.rules_digest == game.digest)
        distances = select(DistanceRow.solution_id, DistanceRow.outcome, DistanceRow.distance, DistanceRow.placements)
        found: dict[int, list[tuple[str, int | None, bool, int]]] = {}
        with self.reading() as connection:
            for number, *counts in connection.execute(draws):
                found[number] = [(str(Outcome.DRAW), None, bool(stuck), count) for stuck, count in enumerate(counts) if count]
            for number, outcome, distance, count in connection.execute(distances):
                if number in found:
                    found[number].append((outcome, distance, False, count))
            rows = [(material, side, number) for material, side, number in connection.execute(places) if number in found]
        return {(material, side): found[number] for material, side, number in rows}

    def sql(self, statement: str, timeout: float | None = None) -> Answer:
        """Column names and rows of a statement that only reads; `TimeLimitError` if it takes longer than `timeout` seconds."""
        with self.reading() as connection:
            return self._database.query(connection, statement, timeout)

    def answer(self, statement: str) -> Answer:
        """Like `sql`, of a statement of the program's own, which any role may run."""
        with self.reading() as connection:
            result = connection.exec_driver_sql(statement)
            return list(result.keys()), [tuple(row) for row in result]

    def close(self) -> None:
        """Give all connections back."""
        with self._database.guard():
            self._held.close()


def strike(session: Session, files: Sequence[str]) -> None:
    """Forget the tables of these files, and games that have no others."""
    for table in (TableRow, *FLAT):
        session.execute(delete(table).where(table.file.in_(files)))
    kept = union_all(*(select(table.game) for table in (TableRow, *FLAT)))
    session.execute(delete(GameRow).where(GameRow.name.not_in(kept)))


def _sum(column: Any) -> Any:
    """A sum as an integer; PostgreSQL would make a decimal number of it."""
    return cast(func.sum(column), BigInteger)


def database_of(folder: Path, catalog: str | None = None, patience: float | None = PATIENCE) -> Database:
    """The database with the catalog of a folder, if there is one or not; arguments as for `Catalog`."""
    if not catalog:
        return SqliteDatabase(folder, patience)
    check_extra("catalogs in PostgreSQL", "postgres")
    # Imported here because few need it.
    from tablebase.catalog.postgresql import PostgresqlDatabase

    return PostgresqlDatabase(folder, catalog, patience)


def open_catalog(folder: Path, catalog: str | None = None) -> Catalog | None:
    """Open the catalog of a folder to read it; None if there is none."""
    try:
        return Catalog(folder, catalog=catalog)
    except MissingCatalogError:
        return None


def read_known(rules: Rules[Any], folder: Path, catalog: str | None = None, patience: float | None = PATIENCE) -> Known:
    """Read the catalog's facts about the tables of a game; without a catalog, there are none."""
    try:
        opened = Catalog(folder, catalog=catalog, patience=patience)
    except MissingCatalogError as missing:
        return Known(refusal=missing.refusal)
    with closing(opened):
        return opened.known(rules)
