"""Positions of a folder's tables, all at once: statements, exports, charts and patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args
from weakref import WeakSet

from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_counts, as_outcome, as_tables, checked, known_features, shortened
from tablebase.commands.cataloged import Cataloged
from tablebase.commands.parameters import PYTHON_ONLY, Output, Shell
from tablebase.errors import ArgumentError, MissingExtraError, check_extra, game_word, quoted
from tablebase.game.plain_arguments import as_list, as_number, as_text, as_texts, usable_workers
from tablebase.system.compute.messages import say
from tablebase.system.files.outputs import check_output

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from tablebase.commands.findings import Findings
    from tablebase.features import Feature
    from tablebase.mining.charts.figures import Chart
    from tablebase.mining.charts.tallies import Counting
    from tablebase.mining.patterns.dataset import Dataset
    from tablebase.mining.patterns.pattern_search import Patterns, Search
    from tablebase.mining.query import Query

OwnTables = Annotated[Mapping[str, "Path | str | pa.Table"] | Sequence[str] | None, Shell(metavar="NAME=FILE")]
Run = Annotated[Callable[[list["Search"]], Iterable["Patterns"]] | None, PYTHON_ONLY]
ChartName = Literal["distances", "survival", "squares", "draws", "parity", "values", "chances", "query"]
CHARTS = get_args(ChartName)
OF_TABLES = CHARTS[:6]
"""Charts of the positions of slices."""
CHARTS_OF_OPTION = {
    "piece": ("squares", "parity"),
    "by": ("values", "parity"),
    "outcome": ("distances", "squares"),
    "log": ("distances",),
    "from": ("chances",),
    "player": ("chances",),
    "side": CHARTS[:7],
    "pieces": OF_TABLES,
    "material": OF_TABLES,
    "where": OF_TABLES,
    "kind": ("query",),
}
"""Options that apply only to some charts."""


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

    @checked
    def mine(
        self,
        game: shared.GameName,
        statement: shared.Statement,
        features: shared.Features = None,
        workers: shared.Threads = None,
        table: OwnTables = None,
    ) -> Query:
        """Query the positions in the tables with SQL (DuckDB).

        The rows come from ``.df()`` (pandas), ``.pl()`` (Polars), ``.arrow()``, ``.fetchall()``, or batch by batch from a loop
        over the query, for results that do not fit into memory.

        Parameters
        ----------
        game : str or Game
        statement : str
            One SELECT over ``positions``, ``distinct_positions``, ``moves`` or ``distinct_moves``.
        features : iterable of Feature, str or Path, optional
            Your own features, or a Python file with them, in addition to those of the game.
        workers : int, optional
            Number of threads; by default, one for each processor.
        table : mapping of str to Path, str or pyarrow.Table, or sequence of str, optional
            Parquet or CSV file that the statement can read as table NAME; repeatable.
        """
        from tablebase.mining.query import Query

        rules: Any = self._rules(game)
        known = known_features(rules, features)
        query = Query(rules, self.folder, statement, known, usable_workers(workers), self._url, as_tables(table))
        self._queries.add(query)
        return query

    def features(self, game: shared.GameName, features: shared.Features = None) -> tuple[Feature, ...]:
        """List the features of positions, as columns for SQL queries.

        Parameters
        ----------
        game, features : see `mine`
        """
        return shortened(known_features(self._rules(game), features))

    @checked
    def export(
        self,
        game: shared.GameName,
        to: Annotated[str | Path, Shell(metavar="DIR", output=Output.FOLDER)],
        *,
        material: shared.Materials = None,
        pieces: shared.Pieces = None,
        aliases: bool = False,
        columns: Annotated[str | Iterable[str] | None, Shell(metavar="A,B,…")] = None,
        features: shared.Features = None,
        sample: Annotated[float, Shell(metavar="SHARE")] = 1.0,
        seed: Annotated[int, Shell(metavar="N", least=0)] = 0,
        workers: shared.Threads = None,
    ) -> int:
        """Write positions to Parquet files. Each file contains the positions of one set of pieces with one side to move, or
        of one table.

        With only --to, this command exports all tables of the game in the folder 'data'.

        A bar (without a terminal or a notebook, a line each minute) and a summary are written to standard error. The number of rows
        is returned.

        Parameters
        ----------
        to : str or Path
            Folder to write to: a new folder, or the folder of an interrupted export, which then resumes.
        material : str or sequence of str, optional
            These slices, which may be aliases.
        pieces : int, range or str, optional
            All distinct slices with this number of pieces, or these numbers; without material and pieces, all distinct slices.
        aliases : bool
            Also write the tables that are not stored because they are equivalent to a stored table.
        columns : str or iterable of str, optional
            Columns to write; by default, the columns that SELECT * returns in 'mine'.
        sample : float
            Write a random sample: each position with this probability.
        seed : int
            Seed for the random sample; the same seed selects the same positions.
        game, features, workers : see `mine`
        """
        from tablebase.game.game_arguments import refuse_given
        from tablebase.mining.export import export
        from tablebase.mining.row_selection import Sample
        from tablebase.mining.selection import select_by_name
        from tablebase.system.compute.progress import progress

        rules: Any = self._rules(game)
        refuse_given(rules, material=material, pieces=pieces, aliases=aliases or None)
        has_material = "materials" in rules.can
        target, threads = Path(to), usable_workers(workers)
        chosen, known, share = _column_names(columns), known_features(rules, features), Sample(sample, seed)
        with progress(f"export {rules.name}", "positions", compiles=True) as shown:
            selection = None
            if has_material:
                materials, counts = as_texts("material", material), as_counts(pieces)
                selection = select_by_name(rules, self.folder, materials, counts, aliases=aliases, catalog=self._url)
            written = export(rules, self.folder, selection, target, chosen, known, share, threads, shown.reach)
        say(
            f"written to {target}: {written.slices} of {written.of} {'slices' if has_material else 'tables'}, {written.rows:,} rows"
        )
        return written.rows

    @checked
    def plot(
        self,
        chart: Annotated[ChartName, Shell(metavar="CHART", argument=True)],
        game: shared.GameName,
        statement: Annotated[str | None, Shell(metavar='"SELECT …"', argument=True)] = None,
        *,
        pieces: shared.Pieces = None,
        material: Annotated[str | Sequence[str] | None, Shell(metavar="RCvW")] = None,
        side: Annotated[str | None, Shell(metavar="w")] = None,
        where: Annotated[str | None, Shell(metavar='"SQL"')] = None,
        piece: Annotated[int | Sequence[int] | None, Shell(metavar="N", least=1)] = None,
        outcome: shared.OutcomeName | None = None,
        log: bool = False,
        by: Annotated[str | None, Shell(metavar="COLUMN")] = None,
        kind: Literal["bar", "line", "points", "heat"] | None = None,
        position: Annotated[str | None, Shell(metavar="POSITION", option="--from")] = None,
        player: Annotated[str | Sequence[str] | None, Shell(metavar="NAME")] = None,
        width: Annotated[str | None, Shell(metavar="88mm")] = None,
        height: Annotated[str | None, Shell(metavar="60mm")] = None,
        font_size: Annotated[float, Shell(metavar="POINTS")] = 8.0,
        dpi: Annotated[int, Shell(metavar="N", least=50, most=1200)] = 300,
        title: Annotated[str | None, Shell(metavar="TEXT")] = None,
        style: Literal["light", "dark", "grey"] = "light",
        csv: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
        workers: shared.Threads = None,
        tick: shared.Tick = None,
    ) -> Figure:
        """Draw a chart of outcomes, distances or winning chances.

        Matplotlib must be installed. The label of the figure says which chart of which slices it is.

        Parameters
        ----------
        chart : str
            Chart: distances (positions by distance), survival (share of wins and losses that are still open after some plies),
            squares (outcomes by square of a piece), draws (share of draws by material), parity (outcomes by odd and even
            distances between two pieces, or by any whole number that --by names), values (outcomes by a column; in games with
            chance, the mean chance to win), chances (winning chances against a weakened player) or query (the result of a
            statement).
        statement : str, optional
            For the chart 'query', an SQL statement as for 'mine'. Its first column is on the axis; the others are drawn.
        pieces : int, range or str, optional
            Only slices with this number of pieces, or these numbers.
        material : str or sequence of str, optional
            Set of pieces, such as RCvW (rat and cat against wolf), or a pattern in which ? stands for one piece and * for any
            number of pieces; repeatable, for several panels (in the chart 'draws', one matrix of all).
        side : str, optional
            Use only positions with this side to move; for the chart 'chances', the side that plays against the weakened player.
        where : str, optional
            Use only positions that fulfil this condition on columns of 'mine', such as "to_den_1 < 5".
        piece : int or sequence of int, optional
            For 'squares' and 'parity', number of the piece in the set of pieces: in RCvW, piece 2 is the cat. For the chart
            'parity', give this option twice.
        outcome : str, optional
            Outcome to show; by default, win in the chart 'squares', and both win and loss in the chart 'distances'.
        log : bool
            Use a logarithmic scale in the chart 'distances'.
        by : str, optional
            For the chart 'values', a column of positions with few values, such as a feature; for 'parity', a column of whole
            numbers, by default the distance between two pieces.
        kind : str, optional
            For the chart 'query', how its result is drawn; by default, bar. A heat map needs three columns.
        position : str, optional
            For the chart 'chances', the position in which games begin; by default, the initial position.
        player : str or sequence of str, optional
            For the chart 'chances', a player that 'tablebase exploit --help' lists; repeatable.
        width : str, optional
            Width of the page, such as 88mm, 8cm or 3.5in; or column (88 mm) or page (180 mm).
        height : str, optional
            Height of the page, in the same units.
        font_size : float
            Size of letters in points, from 6.
        dpi : int
            Dots per inch of a PNG file.
        title : str, optional
            Title instead of the name of the chart and its slices; 'none' for no title.
        style : str
            Colours: on a light or a dark ground, or shades of grey with hatches, for print.
        csv : str or Path, optional
            Also write the numbers that are drawn to this CSV file.
        game, workers : see `mine`
        tick : callable, optional
            Called from time to time with the numbers of indices decoded so far and in all.
        """
        rules: Any = self._rules(game)
        check_extra("pictures", "plot")
        if chart not in CHARTS:
            raise ArgumentError(f"there is no chart {quoted(chart)}: choose {' or '.join(CHARTS)}")
        given = {"piece": piece, "outcome": outcome, "log": log, "by": by, "from": position, "player": player, "kind": kind}
        given |= {"pieces": pieces, "material": material, "side": side, "where": where}
        for option, charts in CHARTS_OF_OPTION.items():
            if given[option] and chart not in charts:
                raise ArgumentError(f"--{option} is for {' and '.join(charts)}, not for {chart}: omit it")
        if (statement is None) == (chart == "query"):
            only = 'needs a statement, as in "SELECT outcome, count(*) FROM positions GROUP BY outcome"'
            raise ArgumentError(
                f"the chart {chart!r} {only if statement is None else 'takes no statement: choose the chart query'}"
            )
        if chart == "values" and by is None:
            command = f"tablebase features {game_word(rules.name)}"
            raise ArgumentError(f"the chart 'values' needs a column: give --by, as in --by side; '{command}' lists more")
        from tablebase.mining.charts.picture_files import CSV_HINT, write_numbers
        from tablebase.mining.charts.style import parse_style
        from tablebase.mining.charts.tallies import Counting

        if csv is not None:
            check_output(Path(csv), CSV_HINT)
        look = parse_style(width, height, font_size, dpi, title, style)
        has_slices = "materials" in rules.can
        if chart == "chances" and has_slices:
            from tablebase.mining.charts.chances import chances

            drawn = chances(rules, position, as_texts("player", player), side)
        else:
            with self._catalog() as catalog:
                counter = Counting(catalog, where, usable_workers(workers), tick)
                drawn = self._chart(chart, rules, counter, given, statement, has_slices=has_slices)
        figure = drawn.figure(look)
        figure.set_label(f"{chart} of {drawn.caption}")
        if csv is not None:
            write_numbers(Path(csv), drawn.rows)
        return figure

    def _chart(
        self, name: str, rules: Any, counter: Counting, given: Mapping[str, Any], statement: str | None, *, has_slices: bool
    ) -> Chart:
        from tablebase.game.game_arguments import refuse_given
        from tablebase.mining.charts import figures
        from tablebase.mining.charts.charted_slices import ChartSlices, select_slices

        if statement is not None:
            return figures.query(counter, rules, statement, given["kind"] or "bar")
        material, pieces, side = as_texts("material", given["material"]), given["pieces"], given["side"]
        refuse_given(rules, pieces=pieces, material=material or None, side=side)
        shown, numbers, by = as_outcome(given["outcome"]), _numbers(given["piece"]), given["by"]
        if name == "squares" and len(numbers) > 1:
            raise ArgumentError("squares shows one piece: give --piece once")
        options: dict[str, dict[str, Any]] = {
            "distances": {"outcome": shown, "log": given["log"]},
            "squares": {"piece": (*numbers, 1)[0], "outcome": shown},
            "parity": {"pair": numbers, "by": by},
            "values": {"by": by},
        }
        if has_slices:
            groups = [material] if name == "draws" or not material else [[each] for each in material]
            panels = [select_slices(rules, counter.catalog, as_counts(pieces), group, side) for group in groups]
            return figures.CHARTS[name](counter, panels, **options.get(name, {}))
        has_chance = "chance" in rules.can
        if has_chance and name == "values":
            return figures.means(counter, rules, by)
        if has_chance or name in ("squares", "draws", "chances") or (name == "parity" and by is None):
            lack = "has no distances, since chance decides" if has_chance else "has no pieces on squares"
            raise ArgumentError(f"the chart {name!r} cannot be drawn, because {rules.name} {lack}: choose the chart 'values'")
        panels = [ChartSlices(rules, "stored positions")]
        return figures.CHARTS[name](counter, panels, **options.get(name, {}))

    @checked
    def patterns(
        self,
        game: shared.GameName,
        *,
        material: shared.Materials = None,
        pieces: shared.Pieces = None,
        pool: bool = False,
        target: Literal["outcome", "distance", "only_move"] = "outcome",
        outcome: shared.OutcomeName | None = None,
        features: shared.Features = None,
        conditions: Annotated[int, Shell(metavar="N", least=1, most=3)] = 2,
        support: Annotated[float, Shell(metavar="SHARE")] = 0.0,
        depth: Annotated[int, Shell(metavar="N", least=0, most=8)] = 3,
        workers: shared.Threads = None,
        run: Run = None,
    ) -> Findings:
        """Find features, rules and decision trees that predict outcomes.

        Slices are searched one after another, or together; from Python, nothing is stored.

        Parameters
        ----------
        pool : bool
            Analyse the positions of all sets of pieces together.
        target : str
            Column to predict.
        outcome : str, optional
            Use only positions with this outcome: win or loss to predict 'distance', win or draw to predict 'only_move' (whether
            only one move keeps the outcome).
        conditions : int
            Maximum number of conditions in a rule, from 1 to 3.
        support : float
            Minimum share of positions covered by a rule or by a leaf of a tree.
        depth : int
            Depth of the decision trees; 0 for no trees.
        game, material, pieces, features, workers : see `export`
        run : callable, optional
            Runs the searches that it is given, and returns the results to keep; by default it keeps them all.

        Raises
        ------
        MissingExtraError
            If trees are asked for, and scikit-learn is not installed.
        """
        from tablebase.commands.findings import Findings
        from tablebase.mining.patterns.pattern_search import PatternSettings, searches
        from tablebase.mining.patterns.targets import target_of
        from tablebase.mining.patterns.trees import available
        from tablebase.mining.selection import select_by_name
        from tablebase.tables.store import Store

        rules, wanted = self._game(game, "patterns"), target_of(as_text("target", target), as_outcome(outcome))
        settings = PatternSettings(wanted, depth, conditions, support)
        if depth and not available():
            raise MissingExtraError("trees", "patterns")
        named, counts = as_texts("material", material), as_counts(pieces)
        selection = select_by_name(rules, self.folder, named, counts, catalog=self._url)
        known = known_features(rules, features)
        with closing(Store(self.folder)) as store:
            planned = searches(rules, store, selection, known, usable_workers(workers), settings, pool)
            return Findings(run(planned) if run else (one.run() for one in planned))

    @checked
    def dataset(
        self,
        game: shared.GameName,
        material: shared.Materials = None,
        *,
        pieces: shared.Pieces = None,
        target: Literal["outcome", "distance", "only_move"] = "outcome",
        outcome: shared.OutcomeName | None = None,
        columns: str | Iterable[str] | None = None,
        features: shared.Features = None,
        limit: int | None = 200_000,
        seed: int = 0,
        workers: shared.Threads = None,
    ) -> Dataset:
        """Return positions as arrays `X`, `y` and `groups`, for scikit-learn and other programs that learn.

        Neither scikit-learn nor pandas is needed. With the same target, the default columns and sample are those of `patterns`
        with ``pool``.

        Parameters
        ----------
        columns : str or iterable of str, optional
            Columns of `X`; by default, all features, files and ranks, and the pieces where the slices differ in them.
        limit : int, optional
            Most positions, approximately: of more, a random sample is drawn. None for all.
        seed : int
            Seed for the random sample.
        game, material, pieces, target, outcome, features, workers : see `patterns`
        """
        from tablebase.mining.patterns.dataset import dataset

        names, most = _column_names(columns), None if limit is None else as_number("limit", limit, 1)
        found: list[Dataset] = []

        def read(planned: list[Search]) -> list[Patterns]:
            found.extend(dataset(search, names, most, as_number("seed", seed)) for search in planned)
            return []

        of: dict[str, Any] = {"material": material, "pieces": pieces, "outcome": outcome, "features": features, "workers": workers}
        self.patterns(game, **of, target=target, pool=True, depth=0, run=read)
        return found[0]


def _numbers(piece: Any) -> list[int]:
    some = [] if piece is None else piece if isinstance(piece, (list, tuple)) else [piece]
    return [as_number("piece", one, 1) for one in some]


def _column_names(columns: str | Iterable[str] | None) -> list[str] | None:
    listed = columns.split(",") if isinstance(columns, str) else columns
    return None if listed is None else [as_text("a column", name).strip() for name in as_list("columns", listed, "['p1']")]
