"""Positions of a folder's tables, all at once: statements, exports, charts and patterns.

What this needs is loaded on first use, so that probing starts quickly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from tablebase.commands.arguments import as_chart_options, as_features, as_optional, as_outcome, as_tables, as_texts
from tablebase.commands.cataloged import Cataloged
from tablebase.errors import ArgumentError, MissingExtraError, check_extra, quoted
from tablebase.game.plain_arguments import as_list, as_number, as_options, as_path, as_pieces, as_real, as_text

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from tablebase.commands.findings import Findings
    from tablebase.features import Feature
    from tablebase.game import Game
    from tablebase.mining.query import Query


class Collection(Cataloged):
    """The tables of a folder, to be read as a whole; see `Cataloged`."""

    def __init__(self, folder: Path, catalog: str | None = None) -> None:
        super().__init__(folder, catalog)
        self._queries: WeakSet[Query] = WeakSet()

    def close(self) -> None:
        """Close the files of all queries; nothing can be asked afterwards."""
        super().close()
        for query in list(self._queries):
            query.close()

    def mine(
        self,
        game: str | Game,
        statement: str,
        features: Iterable[Feature] = (),
        workers: int = 2,
        table: Mapping[str, Path | str | pa.Table] | None = None,
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
        workers : int
            Number of threads.
        table : mapping of str to Path, str or pyarrow.Table, optional
            Tables of your own by name, or their Parquet or CSV files, which the statement may read as well.

        Raises
        ------
        MissingTableError
            If it needs slices that have not been built.
        TablebaseError
            If the statement is invalid, or does anything but select.
        """
        from tablebase.features.common import features_of
        from tablebase.mining.query import Query

        rules = self._game(game, "mine")
        known = features_of(rules, as_features(features))
        threads, text = as_number("workers", workers, 1), as_text("a statement", statement)
        query = Query(rules, self.folder, text, known, threads, self._url, as_tables(table))
        self._queries.add(query)
        return query

    def features(self, game: str | Game, features: Iterable[Feature] = ()) -> tuple[Feature, ...]:
        """The features of positions, which are columns of `mine`: those of a game, and of your own."""
        from tablebase.features.common import features_of

        return features_of(self._game(game, "features"), as_features(features))

    def export(
        self,
        game: str | Game,
        to: str | Path,
        *,
        material: str | Sequence[str] = (),
        pieces: int | range | None = None,
        aliases: bool = False,
        columns: Sequence[str] | None = None,
        features: Iterable[Feature] = (),
        sample: float = 1.0,
        seed: int = 0,
        workers: int = 2,
    ) -> int:
        """Write positions to a folder of Parquet files, one file per slice, and return the number of rows written.

        Parameters
        ----------
        game : str or Game
        to : str or Path
            A new folder, or one to resume.
        material : str or sequence of str
            These slices, which may be aliases.
        pieces : int or range, optional
            All distinct slices with this number of pieces, or these numbers; without material and pieces, all distinct slices.
        aliases : bool
            Whether to include aliases, the slices that play like others.
        columns : sequence of str, optional
            By default those of ``*``.
        features : iterable of Feature
            Features of your own, in addition to those of the game.
        sample : float
            Write each position with this probability.
        seed : int
            The same seed selects the same positions.
        workers : int
            Number of threads.

        Raises
        ------
        MissingTableError
            If a slice has not been built.
        TablebaseError
            If there is no such column, or the folder contains anything else.
        """
        from tablebase.features.common import features_of
        from tablebase.mining.export import export
        from tablebase.mining.selection import select_by_name
        from tablebase.mining.wanted import Sample

        rules = self._game(game, "export")
        target, threads = as_path("to", to), as_number("workers", workers, 1)
        share = Sample(as_real("sample", sample), as_number("seed", seed))
        chosen = None if columns is None else [as_text("a column", one) for one in as_list("columns", columns, "['p1']")]
        named, pieces = as_texts("material", material), as_pieces(pieces)
        selection = select_by_name(rules, self.folder, named, pieces, aliases=aliases, catalog=self._url)
        known = features_of(rules, as_features(features))
        return export(rules, self.folder, selection, target, chosen, known, share, threads).rows

    def plot(
        self,
        chart: str,
        game: str | Game,
        *,
        material: str | Sequence[str] = (),
        pieces: int | range | None = None,
        side: str | None = None,
        **options: Any,
    ) -> Figure:
        """A chart as a figure of Matplotlib, which must be installed.

        Parameters
        ----------
        chart : str
            ``distances``, ``squares``, ``draws`` or ``parity``; or ``chances``, which needs no tables.
        game : str or Game
        material : str or sequence of str
            Only these, which may be patterns such as ``R*v*``.
        pieces : int or range, optional
            Only slices with this number of pieces, or these numbers.
        side : str, optional
            Only slices with the side of this letter to move; of chances, the side that exploits.
        **options
            Of the function of this name in `tablebase.charts.figures` or `tablebase.charts.chances`, such as ``piece``.

        Raises
        ------
        MissingTableError
            If no slice has been built, or one that is named has not.
        TablebaseError
            If there is no such chart, or it cannot be drawn of these slices.
        """
        rules = self._game(game, "plot")
        check_extra("pictures", "plot")
        from tablebase.charts.chances import chances
        from tablebase.charts.charted_slices import select_slices
        from tablebase.charts.figures import CHARTS

        if chart == "chances":
            if material or pieces is not None:
                raise ArgumentError("the chart chances is of a position: leave out material and pieces")
            given = as_options(chances, options, "side")
            start, players = as_optional(as_text, "position", given.get("position")), as_texts("player", given.get("player"))
            return chances(rules, start, players, side and as_text("side", side))
        if not isinstance(chart, str) or chart not in CHARTS:
            raise ArgumentError(f"there is no chart {quoted(chart)}: choose {' or '.join([*CHARTS, 'chances'])}")
        draw, patterns, pieces = CHARTS[chart], as_texts("material", material), as_pieces(pieces)
        chosen = as_chart_options(as_options(draw, options))
        with self._catalog() as catalog:
            return draw(catalog, select_slices(rules, catalog, pieces, patterns, side and as_text("side", side)), **chosen)

    def patterns(
        self,
        game: str | Game,
        *,
        material: str | Sequence[str] = (),
        pieces: int | range | None = None,
        pool: bool = False,
        target: str = "outcome",
        outcome: str | None = None,
        features: Iterable[Feature] = (),
        workers: int = 2,
        **settings: Any,
    ) -> Findings:
        """The features, rules and trees that decide slices, one after another or together; nothing is stored.

        Parameters
        ----------
        game : str or Game
        material : str or sequence of str
            These slices, which may be aliases.
        pieces : int or range, optional
            All distinct slices with this number of pieces, or these numbers; without material and pieces, all distinct slices.
        pool : bool
            Whether the slices are searched as one set of positions.
        target : str
            What is predicted: ``outcome``, ``distance`` or ``only_move``.
        outcome : str, optional
            Only positions with this outcome; see `tablebase.patterns.targets.target_of`.
        features : iterable of Feature
            Features of your own, in addition to those of the game.
        workers : int
            Number of threads.
        **settings
            Of `tablebase.patterns.pattern_search.Settings`: ``depth``, ``conditions`` and ``support``.

        Raises
        ------
        MissingTableError
            If a slice has not been built.
        MissingExtraError
            If trees are asked for, and scikit-learn is not installed.
        TablebaseError
            If no position of these slices can be examined, or a setting is out of range.
        """
        from tablebase.commands.findings import Findings
        from tablebase.features.common import features_of
        from tablebase.mining.selection import select_by_name
        from tablebase.patterns.pattern_search import Settings, searches
        from tablebase.patterns.targets import target_of
        from tablebase.patterns.trees import available
        from tablebase.tables.store import Store

        rules, wanted = self._game(game, "patterns"), target_of(as_text("target", target), as_outcome(outcome))
        for name, read in (("depth", as_number), ("conditions", as_number), ("support", as_real)):
            if name in settings:
                settings[name] = read(name, settings[name])
        chosen = Settings(wanted, **as_options(Settings, settings, "target"))
        threads, named, pieces = as_number("workers", workers, 1), as_texts("material", material), as_pieces(pieces)
        if chosen.depth and not available():
            raise MissingExtraError("trees", "patterns")
        selection = select_by_name(rules, self.folder, named, pieces, catalog=self._url)
        known = features_of(rules, as_features(features))
        with closing(Store(self.folder)) as store:
            return Findings(each.run() for each in searches(rules, store, selection, known, threads, chosen, pool))
