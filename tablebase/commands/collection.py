"""Positions of a folder's tables, all at once: statements, exports, charts and patterns.

What this needs is loaded on first use, so that probing starts quickly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from weakref import WeakSet

from tablebase.commands.arguments import as_counts, as_outcome, as_tables, as_texts, checked, known_features
from tablebase.commands.cataloged import Cataloged
from tablebase.commands.parameters import (
    PYTHON_ONLY,
    Features,
    Format,
    GameName,
    Materials,
    OutcomeName,
    Pieces,
    Shell,
    Statement,
    Style,
    Threads,
    Tick,
    Timeout,
)
from tablebase.compute.messages import say
from tablebase.errors import ArgumentError, MissingExtraError, TablebaseError, check_extra, game_word, quoted
from tablebase.game.plain_arguments import as_list, as_number, as_text, usable_workers

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from tablebase.commands.calls import Call
    from tablebase.commands.findings import Findings
    from tablebase.features import Feature
    from tablebase.mining.query import Query
    from tablebase.patterns.pattern_search import Patterns, Search

OwnTables = Annotated[Mapping[str, "Path | str | pa.Table"] | Sequence[str] | None, Shell(metavar="NAME=FILE")]
Run = Annotated[Callable[[list["Search"]], Iterable["Patterns"]] | None, PYTHON_ONLY]
Chart = Literal["distances", "squares", "draws", "parity", "values", "chances"]
CHARTS = ("distances", "squares", "draws", "parity", "values", "chances")
OF_TABLES, COUNTING = CHARTS[:5], ("squares", "parity", "values")
"""Charts of tables, and charts that read all positions of their slices."""
CHARTS_OF_OPTION = {
    "piece": ("squares", "parity"),
    "by": ("values",),
    "outcome": ("distances", "squares"),
    "log": ("distances",),
    "from": ("chances",),
    "player": ("chances",),
    "pieces": OF_TABLES,
    "material": OF_TABLES,
}
"""Options that apply only to some charts."""
SHOWN = 1000
"""Most rows in a table for people, unless --limit is given."""


def _picture(text: str) -> Path:
    """The path of a picture that can be written; checked before anything large is loaded."""
    from tablebase.charts.picture_files import check_picture

    check_picture(Path(text))
    return Path(text)


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
        game: GameName,
        statement: Statement,
        features: Features = None,
        workers: Threads = None,
        table: OwnTables = None,
    ) -> Query:
        """Query all positions in SQL (DuckDB).

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

        Raises
        ------
        MissingTableError
            If it needs slices that have not been built.
        TablebaseError
            If the statement is invalid, or does anything but select.
        """
        from tablebase.mining.query import Query

        rules: Any = self._rules(game)
        known = known_features(rules, features)
        query = Query(rules, self.folder, statement, known, usable_workers(workers), self._url, as_tables(table))
        self._queries.add(query)
        return query

    def features(self, game: GameName, features: Features = None) -> tuple[Feature, ...]:
        """List the features of positions that SQL queries can use.

        Parameters
        ----------
        game, features
            See `mine`.
        """
        return known_features(self._rules(game), features)

    @checked
    def export(
        self,
        game: GameName,
        to: Annotated[str | Path, Shell(metavar="DIR")],
        *,
        material: Materials = None,
        pieces: Pieces = None,
        aliases: bool = False,
        columns: Annotated[str | Iterable[str] | None, Shell(metavar="A,B,…")] = None,
        features: Features = None,
        sample: Annotated[float, Shell(metavar="SHARE")] = 1.0,
        seed: Annotated[int, Shell(metavar="N", least=0)] = 0,
        workers: Threads = None,
    ) -> int:
        """Write positions to Parquet files. Each file contains those with one set of pieces and one side to move, or of one table.

        A bar (without a terminal or a notebook, a line each minute) and a summary are written to standard error.

        Parameters
        ----------
        to : str or Path
            Folder to write to: a new folder, or the folder of an interrupted export, which then resumes.
        material : str or sequence of str, optional
            These slices, which may be aliases.
        pieces : int, range or str, optional
            All distinct slices with this number of pieces, or these numbers; without material and pieces, all distinct slices.
        aliases : bool
            Also write sets of pieces that are not stored because they are equivalent to a stored set.
        columns : str or iterable of str, optional
            Columns to write; by default, the columns that SELECT * returns in 'mine'.
        sample : float
            Write only a random sample that contains each position with this probability.
        seed : int
            Seed for the random sample; the same seed selects the same positions.
        game, features, workers
            See `mine`.

        Returns
        -------
        int
            Number of rows written.

        Raises
        ------
        MissingTableError
            If a slice has not been built.
        TablebaseError
            If there is no such column, or the folder contains anything else.
        """
        from tablebase.compute.progress import progress
        from tablebase.game.game_arguments import refuse_given
        from tablebase.mining.export import export, export_stored
        from tablebase.mining.selection import select_by_name
        from tablebase.mining.wanted import Sample

        rules: Any = self._rules(game)
        refuse_given(rules, material=material, pieces=pieces, aliases=aliases or None)
        target, threads = Path(to), usable_workers(workers)
        listed = columns.split(",") if isinstance(columns, str) else columns
        chosen = None if listed is None else [as_text("a column", name).strip() for name in as_list("columns", listed, "['p1']")]
        known, share = known_features(rules, features), Sample(sample, seed)
        with progress(f"export {rules.name}", "positions") as shown:
            if rules.kinds:
                materials, counts = as_texts("material", material), as_counts(pieces)
                selection = select_by_name(rules, self.folder, materials, counts, aliases=aliases, catalog=self._url)
                written = export(rules, self.folder, selection, target, chosen, known, share, threads, shown.reach)
            else:
                written = export_stored(rules, self.folder, target, chosen, known, share, shown.reach)
        say(f"written to {target}: {written.slices} of {written.of} {'slices' if rules.kinds else 'tables'}, {written.rows:,} rows")
        return written.rows

    @checked
    def plot(
        self,
        chart: Annotated[
            Literal["distances", "squares", "draws", "parity", "values", "chances"], Shell(metavar="CHART", argument=True)
        ],
        game: GameName,
        *,
        pieces: Pieces = None,
        material: Annotated[str | Sequence[str] | None, Shell(metavar="RCvW")] = None,
        side: Annotated[str | None, Shell(metavar="w")] = None,
        piece: Annotated[int | Sequence[int] | None, Shell(metavar="N", least=1)] = None,
        outcome: OutcomeName | None = None,
        log: bool = False,
        by: Annotated[str | None, Shell(metavar="COLUMN")] = None,
        position: Annotated[str | None, Shell(metavar="POSITION", option="--from")] = None,
        player: Annotated[str | Sequence[str] | None, Shell(metavar="NAME")] = None,
        workers: Threads = None,
        tick: Tick = None,
    ) -> Figure:
        """Draw a chart of outcomes, distances or winning chances.

        Matplotlib must be installed. The label of the figure says which chart of which slices it is.

        Parameters
        ----------
        chart : str
            Chart to draw: distances (positions by distance), squares (outcomes by the square of a piece), draws (share of draws by
            the pieces of both sides), parity (outcomes by the parity of the distance between two pieces), values (outcomes, or in
            games with chance the mean chance to win, by a column), or chances (of winning against a weakened player).
        pieces : int, range or str, optional
            Only slices with this number of pieces, or these numbers.
        material : str or sequence of str, optional
            Set of pieces, such as RCvW for rat and cat against wolf, or a pattern, such as '?v?' or 'R*v*'; repeatable.
        side : str, optional
            Use only positions with this side to move; for the chart 'chances', the side that plays against the weakened player.
        piece : int or sequence of int, optional
            Number of the piece in the set of pieces: in RCvW, 2 is the cat. For the chart 'parity', give this option twice.
        outcome : str, optional
            Outcome to show; by default, win in the chart 'squares', and both win and loss in the chart 'distances'.
        log : bool
            Use a logarithmic scale in the chart 'distances'.
        by : str, optional
            For the chart 'values', a column of positions with few values, such as a feature.
        position : str, optional
            For the chart 'chances', the position in which games begin; by default, the initial position.
        player : str or sequence of str, optional
            For the chart 'chances', the weakened player, as in 'tablebase exploit --player'; repeatable.
        game, workers
            See `mine`.
        tick : callable, optional
            Called from time to time with the numbers of indices decoded so far and in all.

        Raises
        ------
        MissingTableError
            If no slice has been built, or one that is named has not.
        TablebaseError
            If there is no such chart, or it cannot be drawn of these slices.
        """
        from tablebase.game.game_arguments import refuse_given

        rules: Any = self._rules(game)
        check_extra("pictures", "plot")
        if not isinstance(chart, str) or chart not in CHARTS:
            raise ArgumentError(f"there is no chart {quoted(chart)}: choose {' or '.join(CHARTS)}")
        given = {"piece": piece, "outcome": outcome, "log": log, "by": by, "from": position, "player": player}
        for option, charts in CHARTS_OF_OPTION.items():
            if {**given, "pieces": pieces, "material": material}[option] and chart not in charts:
                raise ArgumentError(f"--{option} is for {' and '.join(charts)}, not for {chart}: omit it")
        if chart == "values" and by is None:
            command = f"tablebase features {game_word(rules.name)}"
            raise ArgumentError(f"the chart 'values' needs a column: give --by, as in --by side; '{command}' lists more")
        refuse_given(rules, pieces=pieces, material=material, side=side)
        if chart == "chances" and rules.kinds:
            from tablebase.charts.chances import chances

            figure = chances(rules, position, as_texts("player", player), side)
            figure.set_label(f"chances of {rules.title}")
            return figure
        from tablebase.charts import figures
        from tablebase.charts.charted_slices import select_slices

        shown, numbers = as_outcome(outcome), _numbers(piece)
        if chart == "squares" and len(numbers) > 1:
            raise ArgumentError("squares shows one piece: give --piece once")
        options: dict[str, dict[str, Any]] = {
            "distances": {"outcome": shown, "log": log},
            "squares": {"piece": (*numbers, 1)[0], "outcome": shown or "win"},
            "parity": {"pair": numbers},
            "values": {"by": by},
        }
        counting = {"workers": usable_workers(workers), "tick": tick} if chart in COUNTING else {}
        with self._catalog() as catalog:
            if not rules.kinds:
                figure = figures.stored(catalog, rules, chart, options.get(chart, {}), **counting)
                figure.set_label(f"{chart} of {rules.title}")
                return figure
            slices = select_slices(rules, catalog, as_counts(pieces), as_texts("material", material), side)
            figure = figures.CHARTS[chart](catalog, slices, **options.get(chart, {}), **counting)
        figure.set_label(f"{chart} of {slices.caption}")
        return figure

    @checked
    def patterns(
        self,
        game: GameName,
        *,
        material: Materials = None,
        pieces: Pieces = None,
        pool: bool = False,
        target: Literal["outcome", "distance", "only_move"] = "outcome",
        outcome: OutcomeName | None = None,
        features: Features = None,
        conditions: Annotated[int, Shell(metavar="N", least=1, most=3)] = 2,
        support: Annotated[float, Shell(metavar="SHARE")] = 0.0,
        depth: Annotated[int, Shell(metavar="N", least=0, most=8)] = 3,
        workers: Threads = None,
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
            Use only positions with this outcome: win or loss to predict 'distance', and win or draw to predict 'only_move'.
        conditions : int
            Maximum number of conditions in a rule, from 1 to 3.
        support : float
            Minimum share of the positions that a rule or a leaf of a tree must cover.
        depth : int
            Depth of the decision trees; 0 for no trees.
        game, material, pieces, features, workers
            See `export`.
        run : callable, optional
            Runs the searches that it is given, and returns the results to keep; by default it keeps them all.

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
        from tablebase.mining.selection import select_by_name
        from tablebase.patterns.pattern_search import Settings, searches
        from tablebase.patterns.targets import target_of
        from tablebase.patterns.trees import available
        from tablebase.tables.store import Store

        rules, wanted = self._game(game, "patterns"), target_of(as_text("target", target), as_outcome(outcome))
        settings = Settings(wanted, depth, conditions, support)
        if depth and not available():
            raise MissingExtraError("trees", "patterns")
        named, counts = as_texts("material", material), as_counts(pieces)
        selection = select_by_name(rules, self.folder, named, counts, catalog=self._url)
        known = known_features(rules, features)
        with closing(Store(self.folder)) as store:
            planned = searches(rules, store, selection, known, usable_workers(workers), settings, pool)
            return Findings(run(planned) if run else (one.run() for one in planned))


def show_mine(
    call: Call,
    *,
    limit: Annotated[int | None, Shell(help="Show at most N rows.", metavar="N", least=0)] = None,
    timeout: Timeout = None,
    style: Annotated[Literal["table", "json", "csv", "parquet"], Shell(help="Output format.", option="--format")] = "table",
) -> int:
    """Write the rows; return the exit code of the process that answers.

    Without options, this command queries the tables in the folder 'data' and shows at most 1,000 rows. Statements cannot change
    anything, and can read only the files that you name with --table.
    """
    from tablebase.commands.calls import from_input
    from tablebase.commands.child_processes import run_statement

    call.given["statement"] = from_input(call.given["statement"])
    call.given["workers"] = threads = usable_workers(call.given.get("workers"))

    def answer() -> None:
        # Loaded where the statement runs, which may be a process that is forked for it.
        from tablebase.commands.output import write_rows
        from tablebase.compute.progress import progress
        from tablebase.mining.results import names_and_rows, write_parquet

        if style == "parquet" and sys.stdout.isatty():
            raise TablebaseError(
                "Parquet cannot be shown on a screen: redirect it to a file, as in '--format parquet > result.parquet'"
            )
        capped = limit is None and style == "table"
        with call.opened() as mine, mine() as query, progress(f"mine {query.game.name}", "positions", query.cells) as shown:
            batches = query.run(SHOWN + 1 if capped else limit, shown.reach, timeout)
            if style == "parquet":
                write_parquet(sys.stdout.buffer, batches)
                return
            columns, rows = names_and_rows(batches)
            write_rows(islice(rows, SHOWN) if capped else rows, Format(style), columns, verbatim=True)
            is_cut = capped and next(rows, None) is not None
        if is_cut:
            say(f"the table ends after {SHOWN:,} rows: use --limit for more, or --format csv for all")

    return run_statement(answer, timeout, threads)


def show_features(call: Call, *, style: Style = Format.TABLE) -> None:
    """Write a row for each feature.

    Without options, this command lists the features that the game defines, each with a description. It does not need tables.
    """
    from tablebase.commands.output import write_rows

    subjects = {0: "position", 1: "each piece", 2: "each pair"}
    rows = [
        {
            "feature": feature.name,
            "of": subjects[feature.pieces],
            "type": " ".join(feature.words) or feature.kind,
            "column": next(feature.columns(2))[0],
            "tells": feature.about,
        }
        for feature in call()
    ]
    write_rows(rows, style, ["feature", "of", "type", "column", "tells"])


def show_export(call: Call) -> None:
    """Write nothing more than the export itself.

    With only --to, this command exports all tables of the game in the folder 'data'.
    """
    call()


def show_plot(
    call: Call,
    *,
    output: Annotated[Path, Shell(help="PNG, SVG or PDF file to write.", metavar="FILE", parse=_picture)],
) -> None:
    """Write the chart to a file.

    With only --output, this command draws the chart from all tables of the game in the folder 'data'. The charts 'squares' and
    'parity' also need one set of pieces, selected with --material. The chart 'chances' does not need tables. All outcomes are for
    the side to move.
    """
    from tablebase.charts.drawing import save
    from tablebase.compute.progress import progress

    if call.given["chart"] in COUNTING:
        with progress(f"plot {call.rules.name}", "positions") as shown:
            figure = call(tick=shown.reach)
    else:
        figure = call()
    save(figure, output)
    say(f"wrote {output}: {figure.get_label()}")


def show_patterns(
    call: Call,
    *,
    top: Annotated[int, Shell(help="Number of features, and of feature pairs, to show.", metavar="N", least=1)] = 10,
    output: Annotated[
        Path | None, Shell(help="Also write an HTML page with tables and charts to this file.", metavar="FILE")
    ] = None,
    style: Style = Format.TABLE,
) -> None:
    """Write the patterns of each set of positions as they are found, and a page.

    Without options, this command analyses all tables of the game in the folder 'data', and predicts the outcome. It analyses each
    set of pieces separately, and also stores these results in the catalog.
    """
    from importlib.resources import files

    from tablebase.building.reindex import prepare_catalog
    from tablebase.charts.report import CURE, write_report
    from tablebase.commands.findings import stored, write_findings
    from tablebase.files.outputs import check_output
    from tablebase.patterns.trees import available

    if call.given.get("depth", 3) and not available():
        say(str(MissingExtraError("trees", "patterns")))
        call.given["depth"] = 0
    if output is not None:
        check_output(output, CURE, inputs=[call.given.get("features")])
    prepare_catalog(call.folder, call.catalog)

    def run(planned: list[Search]) -> list[Patterns]:
        found: list[Patterns] = []

        def noted() -> Iterator[Patterns]:
            for result in stored(planned, call.folder, call.catalog):
                if output is not None:
                    found.append(result)
                yield result

        write_findings(noted(), len(planned), top, style)
        return found

    found = call(run=run)
    if output is not None:
        write_report(output, found, top, (files("tablebase.web") / "static" / "pages.css").read_text(encoding="utf-8"))
        say(f"wrote {output}: {len(found)} {'set' if len(found) == 1 else 'sets'} of positions")


def _numbers(piece: Any) -> list[int]:
    """Numbers of pieces of a material, from 1; one alone, or none, is also allowed."""
    some = [] if piece is None else piece if isinstance(piece, (list, tuple)) else [piece]
    return [as_number("piece", one, 1) for one in some]
