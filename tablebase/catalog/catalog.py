"""The SQL index of a tablebase: which tables there are, and their statistics.

It holds slices, counts and files, but no positions. All of it except the solver, the seconds and the findings of
`tablebase patterns` is read from the table files, so it can be rebuilt (`tablebase.building.reindex`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy import Connection, text

from tablebase.catalog.database import PATIENCE, Answer, Database
from tablebase.catalog.entries import Entry, Row, with_patterns
from tablebase.catalog.known import Known, TableCost
from tablebase.catalog.schema import SLICE_COUNTS
from tablebase.catalog.sqlite import SqliteDatabase
from tablebase.errors import MissingCatalogError, check_extra
from tablebase.game import Game, Outcome
from tablebase.game.rules import Rules
from tablebase.positions.location import count_slices
from tablebase.tables.folder import check_folder, make_folder

Histogram = list[tuple[str, int | None, bool, int]]
"""Outcome, distance, stalemate or not, and the number of placements."""


@dataclass(frozen=True)
class Counts:
    """Counts of the positions with a given number of pieces, or with a given set of pieces and side to move."""

    pieces: int
    slices: int
    distinct: int
    placements: int
    stalemates: int
    positions: int  # placements without stalemates
    wins: int
    losses: int
    draws: int
    longest_win: int | None
    longest_loss: int | None
    material: str | None = None
    side: str | None = None
    of_slices: int | None = None
    """Number of slices with this number of pieces, including slices without a table; only in rows by number of pieces."""

    @classmethod
    def columns(cls, by: str) -> list[str]:
        """The fields of a row ``by`` pieces or material, in order."""
        counts = [one.name for one in fields(cls) if one.name not in ("material", "side", "of_slices")]
        return ["material", "side", *counts] if by == "material" else [*counts, "of_slices"]


class Catalog:
    """The catalog of a folder of tables: a file in it or, by URL, in a PostgreSQL database."""

    entries: Mapping[str, Entry]
    """Entry of each file, by the file's name; unless it was opened with `create`."""

    def __init__(
        self, folder: Path, *, create: bool = False, catalog: str | None = None, patience: float | None = PATIENCE
    ) -> None:
        """Read it; changes that follow are not seen. With `create`, it is not read, but may be changed and made.

        `patience` is the number of seconds to wait for another program that has locked it; None for no limit.
        Raise `CorruptCatalogError` if it is damaged or was made by another version of this program, `MissingCatalogError` if
        there is none, and `TablebaseError` if its database cannot be used.
        """
        self.folder, self.url = folder, catalog
        self._database = database_of(folder, catalog, patience)
        self.place = self._database.place
        self._held = ExitStack()
        self._is_checked = False
        check_folder(folder)
        if not create:
            try:
                with self._database.guard():
                    self._snapshot = self._held.enter_context(self._database.snapshot())
                    self.entries = self._database.entries(self._snapshot)
            except BaseException:
                self.close()
                raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to the catalog as it was opened."""
        with self._database.guard():
            yield self._snapshot

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction in a catalog that was opened for changes; it is made if there is none."""
        database = self._database
        with database.guard():
            make_folder(self.folder)
            with database.changes() as connection:
                if not self._is_checked:
                    if (refusal := database.refusal(connection)) is not None:
                        raise refusal
                    if (version := database.version(connection)) is None:
                        database.make(connection)
                    else:
                        database.check_version(version)
                yield connection
        self._is_checked = True

    def create(self) -> None:
        """Make it if there is none; raise an error unless it may be changed."""
        with self.writing():
            pass

    def of(self, game: Rules[Any], table: str = "tables") -> list[Entry]:
        """The entries in ``tables``, ``layers`` or ``exact``, of the rules installed now."""
        return [entry for entry in self.entries.values() if entry.table == table and entry.is_of(game)]

    def there(self, game: Rules[Any], table: str = "tables") -> list[Entry]:
        """Like `of`, without those whose files are no longer in the folder."""
        return [entry for entry in self.of(game, table) if (self.folder / entry.file).exists()]

    def gone(self, game: Rules[Any]) -> list[str]:
        """The registered files of tables of the rules installed now that are no longer in the folder."""
        return [entry.file for entry in self.of(game) if not (self.folder / entry.file).exists()]

    def registered(self, game: Game) -> dict[str, Entry]:
        """The registered tables of the rules installed now, by material name."""
        return {entry.row["material"]: entry for entry in self.of(game)}

    def known(self, game: Rules[Any]) -> Known:
        """Files and costs of the tables of the rules installed now, and why the catalog cannot be changed."""
        rows = [entry.row for entry in self.of(game)]
        costs = [TableCost(*(row[name] for name in ("material", "cells", "bytes", "seconds", "engine"))) for row in rows]
        with self.reading() as connection:
            refusal = self._database.refusal(connection)
        return Known({file: entry for file, entry in self.entries.items() if entry.is_of(game)}, costs, refusal)

    def counts(self, game: Game, by: str) -> list[Counts]:
        """Statistics of a game's tables of the rules installed now, ``by`` pieces or material, aliases counted.

        Tables whose files are no longer in the folder are left out.
        """
        columns = ["pieces"] if by == "pieces" else ["pieces", "material", "side"]
        groups = defaultdict[tuple[Any, ...], list[tuple[Row, Row]]](list)
        for entry in self.there(game):
            for side in entry.sides:
                for row in side.slices:
                    groups[tuple(row[name] for name in columns)].append((row, side.solution))
        counts = [Counts(**dict(zip(columns, key, strict=True)), **_totals(groups[key])) for key in sorted(groups)]
        return [replace(one, of_slices=count_slices(game, one.pieces)) for one in counts] if by == "pieces" else counts

    def slice_counts(self, game: Game, material: str) -> list[dict[str, Any]]:
        """The rows of the view ``slice_counts`` about a material."""
        # Not the view itself: another program may have changed it.
        query = text(f"{SLICE_COUNTS} WHERE slices.game = :game AND slices.material = :material ORDER BY slices.side")
        gone = [PurePosixPath(file).stem for file in self.gone(game)]
        with self.reading() as connection:
            rows = connection.execute(query, {"game": game.name, "material": material}).mappings()
            return [dict(row) for row in rows if row["stored_as"] not in gone]

    def histograms(self, game: Game) -> dict[tuple[str, str], Histogram]:
        """Placements with each value, by material and side; also of files that are gone."""
        found: dict[tuple[str, str], Histogram] = {}
        for side in (side for entry in self.of(game) for side in entry.sides):
            draws = (side.solution["draws"], side.solution["stalemates"])
            counts: Histogram = [(str(Outcome.DRAW), None, bool(stuck), count) for stuck, count in enumerate(draws) if count]
            counts += [(outcome, distance, False, count) for outcome, distance, count in side.distances]
            found |= {(row["material"], row["side"]): counts for row in side.slices}
        return found

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


def _totals(rows: Sequence[tuple[Row, Row]]) -> dict[str, Any]:
    names = ("placements", "stalemates", "wins", "losses", "draws")
    sums = {name: sum(solution[name] for _, solution in rows) for name in names}
    longest = {
        name: max((solution[name] for _, solution in rows if solution[name] is not None), default=None)
        for name in ("longest_win", "longest_loss")
    }
    distinct = sum(not slice_["is_alias"] for slice_, _ in rows)
    positions = sums["placements"] - sums["stalemates"]
    return {"slices": len(rows), "distinct": distinct, "positions": positions, **sums, **longest}


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


def entries_of(folder: Path, catalog: str | None = None) -> dict[str, Entry]:
    """Return the entries of a folder's catalog, patterns included, by file; errors as of `Catalog`."""
    with closing(Catalog(folder, catalog=catalog)) as opened, opened.reading() as connection:
        return with_patterns(connection, opened.entries)


def read_known(rules: Rules[Any], folder: Path, catalog: str | None = None, patience: float | None = PATIENCE) -> Known:
    """Read the catalog's facts about the tables of a game; without a catalog, there are none."""
    try:
        opened = Catalog(folder, catalog=catalog, patience=patience)
    except MissingCatalogError as missing:
        return Known(refusal=missing.refusal)
    with closing(opened):
        return opened.known(rules)
