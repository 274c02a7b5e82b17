"""An open tablebase: what `tablebase.open` returns.

Queries come in pairs: `probe_…` raises `MissingTableError` if a table has not been built, `get_…` returns a default
instead. A missing table can never be mistaken for a draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import MissingTableError, NotationError, TablebaseError, check_extra, quoted
from tablebase.game import Game
from tablebase.game.arguments import as_game, as_position
from tablebase.game.moves import Position
from tablebase.probe.answers import Line, Probe
from tablebase.probe.prober import Prober
from tablebase.slices.indexing import Squares
from tablebase.slices.material import parse_material
from tablebase.tables.folder import check_folder
from tablebase.values import Value

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from tablebase.api.catalog_rows import CatalogRows
    from tablebase.catalog.catalog import Catalog, Counts
    from tablebase.features import Feature
    from tablebase.mining.query import Query
    from tablebase.search import Engine

Default = TypeVar("Default")


class Tablebase:
    """A folder of tables, open for queries. Safe to use from several threads, and from processes however they are started.

    Parameters
    ----------
    folder : str or Path
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    cache : int, optional
        Bytes of decompressed chunks of tables to keep; by default 256 MiB.

    Attributes
    ----------
    prober : Prober
        Answers the same queries for `Game` and `Position` objects.

    Raises
    ------
    TablebaseError
        If there is no such folder.

    Examples
    --------
    >>> import tablebase
    >>> with tablebase.open("data") as tables:  # doctest: +SKIP
    ...     answer = tables.probe("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w")
    ...     print(answer.outcome, answer.distance, answer.best)
    """

    def __init__(self, folder: str | Path, catalog: str | None = None, cache: int | None = None) -> None:
        check_folder(Path(folder), built=True)
        self._url, self._cache = catalog, cache
        self.prober = Prober(Path(folder), cache)
        self._queries: WeakSet[Query] = WeakSet()

    def __repr__(self) -> str:
        return f"Tablebase({str(self.folder)!r})"

    def __reduce__(self) -> tuple[type[Tablebase], tuple[Path, str | None, int | None]]:
        # A process that is not forked opens the folder itself.
        return Tablebase, (self.folder, self._url, self._cache)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files, and those of its queries."""
        for query in list(self._queries):
            query.close()
        self.prober.close()

    @property
    def folder(self) -> Path:
        """The folder of the tables."""
        return self.prober.store.folder

    def probe_value(self, game: str | Game, position: str | Position) -> Value:
        """Outcome and distance for the side to move.

        Parameters
        ----------
        game : str or Game
        position : str or Position

        Raises
        ------
        MissingTableError
            If the table has not been built; the message names the table and the command that builds it.
        NotationError
            If the text is not a position of the game.
        """
        return self.prober.value(*_resolved(game, position))

    def get_value(self, game: str | Game, position: str | Position, default: Default | None = None) -> Value | Default | None:
        """Like `probe_value`, but returns `default` if the table is missing."""
        try:
            return self.probe_value(game, position)
        except MissingTableError:
            return default

    def probe(self, game: str | Game, position: str | Position, *, strict: bool = False) -> Probe:
        """Outcome, distance and all moves.

        Parameters and errors are those of `probe_value`. If only the table that a move leads to is missing, the move's value
        is None; if `strict`, that is a `MissingTableError`, too.
        """
        return self.prober.probe(*_resolved(game, position), strict=strict)

    def get(self, game: str | Game, position: str | Position, default: Default | None = None) -> Probe | Default | None:
        """Like `probe`, but returns `default` if a table is missing."""
        try:
            return self.probe(game, position)
        except MissingTableError:
            return default

    def probe_values(self, game: str | Game, positions: Sequence[str | Position]) -> list[Value]:
        """Outcomes and distances of many positions, each chunk of a table read once.

        Parameters
        ----------
        game : str or Game
        positions : sequence of str or Position

        Raises
        ------
        MissingTableError, NotationError
            As `probe_value`, for any of the positions.
        """
        rules = as_game(game)
        return self.prober.values(rules, [as_position(rules, position) for position in positions])

    def probe_squares(
        self, game: str | Game, material: str, side: int, squares: Squares
    ) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """Outcomes and distances of many positions of one material, as arrays.

        Parameters
        ----------
        game : str or Game
        material : str
            Such as ``RCvW``.
        side : int
            The side to move, 0 or 1.
        squares : ndarray of int8, shape (positions, pieces)
            The square of each piece, in the order of the material. Each row must be a position; this is not checked.

        Returns
        -------
        outcomes : ndarray of int8, shape (positions,)
            1 for a win of the side to move, 0 for a draw, -1 for a loss.
        distances : ndarray of int16, shape (positions,)
            Plies, -1 for a draw.

        Raises
        ------
        MissingTableError
            If the table has not been built.
        """
        rules = as_game(game)
        if side not in (0, 1):
            raise NotationError(f"the side to move is 0 or 1, not {side!r}")
        return self.prober.values_at(rules, parse_material(rules, material), side, squares)

    def line(self, game: str | Game, position: str | Position, plies: int | None = None) -> Line:
        """The optimal line: a probe of the position, and of each position that the best moves lead to.

        It ends when the best move wins at once, when there is no legal move, in a draw as soon as a position repeats, or
        after `plies` plies.
        """
        return Line(self.prober.line(*_resolved(game, position), plies), plies)

    def engine(self, game: str | Game, **options: Any) -> Engine:
        """An engine that searches positions without a table, and ends its lines in these tables.

        It must not search after the tablebase has been closed.

        Parameters
        ----------
        game : str or Game
        **options
            Of `tablebase.search.Options`, such as ``exact`` and ``threads``.

        Raises
        ------
        TablebaseError
            If an option is out of range, or does not fit into memory.
        """
        from tablebase.search import Engine, Options

        return Engine(game, self.prober, Options(**options))

    # Tables as a whole; what these need is loaded on first use, so that probing starts quickly.

    def query(
        self,
        game: str | Game,
        statement: str,
        features: Iterable[Feature] = (),
        threads: int = 2,
        tables: Mapping[str, Path | str | pa.Table] | None = None,
    ) -> Query:
        """A statement over all positions, in SQL.

        Its rows come from ``.df()`` (pandas), ``.pl()`` (Polars), ``.arrow()``, ``.fetchall()``, or batch by batch from a loop
        over it, for results that do not fit into memory.

        Parameters
        ----------
        game : str or Game
        statement : str
            One SELECT over ``positions``, ``distinct_positions``, ``moves`` or ``distinct_moves``.
        features : iterable of Feature
            Features of your own, in addition to those of the game.
        threads : int
        tables : mapping of str to Path, str or pyarrow.Table, optional
            Tables of your own by name, or their Parquet or CSV files, which the statement may read as well.

        Raises
        ------
        MissingTableError
            If it needs slices that have not been built.
        TablebaseError
            If the statement is invalid, or does anything but select.
        """
        from tablebase.mining.common_features import features_of
        from tablebase.mining.query import Query

        rules = as_game(game)
        query = Query(rules, self.folder, statement, features_of(rules, tuple(features)), threads, self._url, tables)
        self._queries.add(query)
        return query

    def export(
        self,
        game: str | Game,
        folder: str | Path,
        *,
        materials: Sequence[str] = (),
        pieces: int | range | None = None,
        aliases: bool = False,
        columns: Sequence[str] | None = None,
        features: Iterable[Feature] = (),
        share: float = 1.0,
        seed: int = 0,
        threads: int = 2,
    ) -> int:
        """Write positions to a folder of Parquet files, one file per slice, and return the number of rows written.

        Parameters
        ----------
        game : str or Game
        folder : str or Path
            A new folder, or one to resume.
        materials : sequence of str
            These slices, which may be aliases.
        pieces : int or range, optional
            All distinct slices with this number of pieces, or these numbers; without materials and pieces, all distinct slices.
        aliases : bool
            Whether to include aliases, the slices that play like others.
        columns : sequence of str, optional
            By default those of ``*``.
        features : iterable of Feature
            Features of your own, in addition to those of the game.
        share : float
            Write each position with this probability.
        seed : int
            The same seed selects the same positions.
        threads : int

        Raises
        ------
        MissingTableError
            If a slice has not been built.
        TablebaseError
            If there is no such column, or the folder contains anything else.
        """
        from tablebase.mining.common_features import features_of
        from tablebase.mining.export import export
        from tablebase.mining.sample import Sample
        from tablebase.mining.selection import select_by_name

        rules = as_game(game)
        selection = select_by_name(rules, self.folder, materials, pieces, aliases=aliases, catalog=self._url)
        known = features_of(rules, tuple(features))
        return export(rules, self.folder, selection, Path(folder), columns, known, Sample(share, seed), threads).rows

    def plot(
        self,
        chart: str,
        game: str | Game,
        *,
        materials: Sequence[str] = (),
        pieces: int | range | None = None,
        side: str | None = None,
        **options: Any,
    ) -> Figure:
        """A chart as a figure of Matplotlib, which must be installed.

        Parameters
        ----------
        chart : str
            ``distances``, ``squares``, ``draws`` or ``parity``.
        game : str or Game
        materials : sequence of str
            Only these, which may be patterns such as ``R*v*``.
        pieces : int or range, optional
            Only slices with this number of pieces, or these numbers.
        side : str, optional
            Only slices with the side of this letter to move.
        **options
            Of the function of this name in `tablebase.charts.figures`, such as ``piece`` and ``outcome``.

        Raises
        ------
        MissingTableError
            If no slice has been built, or one that is named has not.
        TablebaseError
            If there is no such chart, or it cannot be drawn of these slices.
        """
        check_extra("pictures", "plot")
        from tablebase.charts.figures import CHARTS
        from tablebase.charts.selection import select_slices

        if chart not in CHARTS:
            raise TablebaseError(f"there is no chart {quoted(chart)}: choose {' or '.join(CHARTS)}")
        with self._catalog() as catalog:
            return CHARTS[chart](catalog, select_slices(as_game(game), catalog, pieces, materials, side), **options)

    def sql(self, statement: str, timeout: float | None = None) -> CatalogRows:
        """The rows of a statement over the catalog, which holds counts of all slices.

        Parameters
        ----------
        statement : str
            One SELECT.
        timeout : float, optional
            Seconds that it may take.

        Raises
        ------
        TablebaseError
            If the statement is invalid, or would change anything.
        TimeLimitError
            If it takes longer.
        """
        from tablebase.api.catalog_rows import CatalogRows

        with self._catalog() as catalog:
            return CatalogRows(*catalog.sql(statement, timeout))

    def stats(self, game: str | Game, by: str = "pieces") -> list[Counts]:
        """Wins, losses and draws of the side to move in all tables, aliases counted.

        Parameters
        ----------
        game : str or Game
        by : str
            What one entry is about: ``pieces`` or ``material``.

        Raises
        ------
        MissingTableError
            If there is no table of the game.
        """
        from tablebase.api.descriptions import counts_of

        with self._catalog() as catalog:
            return counts_of(catalog, as_game(game), by)

    def materials(self, game: str | Game, pieces: int | None = None) -> list[str]:
        """Names of the materials that have been built, aliases included.

        Parameters
        ----------
        game : str or Game
        pieces : int, optional
            Only those with this number of pieces.

        Raises
        ------
        MissingTableError
            If there is no table of the game.
        """
        counts = self.stats(game, "material")
        return list(dict.fromkeys(str(line.material) for line in counts if pieces in (None, line.pieces)))

    def describe(self, game: str | Game, material: str | None = None) -> dict[str, Any]:
        """What there is of a game, or of a material, as data that JSON can represent.

        Parameters
        ----------
        game : str or Game
        material : str, optional
            Such as ``RCvW``.

        Returns
        -------
        dict
            Of a game: title, board, sides, pieces, start, and what has been built. Of a material: its pieces, and statistics
            of its slices.

        Raises
        ------
        MissingTableError
            If the material's table has not been built.
        """
        from tablebase.api.descriptions import describe_game, describe_material

        with self._catalog() as catalog:
            rules = as_game(game)
            return describe_game(catalog, rules) if material is None else describe_material(catalog, rules, material)

    @contextmanager
    def _catalog(self) -> Iterator[Catalog]:
        """The catalog as it is now."""
        from tablebase.catalog.catalog import Catalog

        catalog = Catalog(self.folder, catalog=self._url)
        try:
            yield catalog
        finally:
            catalog.close()


def _resolved(game: str | Game, position: str | Position) -> tuple[Game, Position]:
    """The game, and the position, in which the game must not be over."""
    rules = as_game(game)
    return rules, as_position(rules, position)
