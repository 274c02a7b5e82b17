"""The tables of a folder as a whole: statements over positions, exports, charts, and what the catalog says.

What this needs is loaded on first use, so that probing starts quickly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from tablebase.errors import MissingExtraError, TablebaseError, check_extra, quoted
from tablebase.game import Game
from tablebase.game.arguments import as_game
from tablebase.tables.folder import check_folder

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from tablebase.api.catalog_rows import CatalogRows
    from tablebase.api.findings import Findings
    from tablebase.catalog.catalog import Catalog, Counts
    from tablebase.features import Feature
    from tablebase.mining.query import Query


class Collection:
    """The tables of a folder, to be looked at as a whole.

    Parameters
    ----------
    folder : Path
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.

    Raises
    ------
    TablebaseError
        If there is no such folder.
    """

    def __init__(self, folder: Path, catalog: str | None = None) -> None:
        check_folder(folder, built=True)
        self._folder, self._url = folder, catalog
        self._queries: WeakSet[Query] = WeakSet()

    @property
    def folder(self) -> Path:
        """The folder of the tables."""
        return self._folder

    def close(self) -> None:
        """Close the files of all queries."""
        for query in list(self._queries):
            query.close()

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

    def patterns(
        self,
        game: str | Game,
        *,
        materials: Sequence[str] = (),
        pieces: int | range | None = None,
        pool: bool = False,
        target: str = "outcome",
        outcome: str | None = None,
        features: Iterable[Feature] = (),
        threads: int = 2,
        **settings: Any,
    ) -> Findings:
        """The features, rules and trees that decide slices, one after another or together; nothing is stored.

        Parameters
        ----------
        game : str or Game
        materials : sequence of str
            These slices, which may be aliases.
        pieces : int or range, optional
            All distinct slices with this number of pieces, or these numbers; without materials and pieces, all distinct slices.
        pool : bool
            Whether the slices are searched as one set of positions.
        target : str
            What is predicted: ``outcome``, ``distance`` or ``only_move``.
        outcome : str, optional
            Only positions with this outcome; see `tablebase.patterns.targets.target_of`.
        features : iterable of Feature
            Features of your own, in addition to those of the game.
        threads : int
        **settings
            Of `tablebase.patterns.search.Settings`: ``depth``, ``conditions`` and ``support``.

        Raises
        ------
        MissingTableError
            If a slice has not been built.
        MissingExtraError
            If trees are asked for, and scikit-learn is not installed.
        TablebaseError
            If no position of these slices can be examined, or a setting is out of range.
        """
        from tablebase.api.findings import Findings
        from tablebase.mining.common_features import features_of
        from tablebase.mining.selection import select_by_name
        from tablebase.patterns.search import Settings, searches
        from tablebase.patterns.targets import target_of
        from tablebase.patterns.trees import available
        from tablebase.tables.store import Store

        rules, chosen = as_game(game), Settings(target_of(target, outcome), **settings)
        if chosen.depth and not available():
            raise MissingExtraError("trees", "patterns")
        selection = select_by_name(rules, self.folder, materials, pieces, catalog=self._url)
        known = features_of(rules, tuple(features))
        with closing(Store(self.folder)) as store:
            return Findings(each.run() for each in searches(rules, store, selection, known, threads, chosen, pool))

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
