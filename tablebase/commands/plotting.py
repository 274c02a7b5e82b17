"""Charts of the positions of a folder's tables: plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from tablebase.commands import lib
from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_counts, checked
from tablebase.commands.calls import Call, from_input
from tablebase.commands.cataloged import Cataloged
from tablebase.commands.parameters import Output, Shell
from tablebase.errors import ArgumentError, TablebaseError, check_extra, game_word
from tablebase.game.plain_arguments import as_number, as_texts, usable_workers
from tablebase.system.compute.messages import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ChartName = Literal["distances", "survival", "squares", "draws", "parity", "values", "chances", "query"]
CHARTS = get_args(ChartName)
EXAMPLE = '"SELECT outcome, count(*) FROM positions GROUP BY outcome"'
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
PICTURE = Shell(
    help="PNG, SVG or PDF file to write.", metavar="FILE", output=Output.FILE, parse=lambda text: lib.picture_files.as_picture(text)
)


class Charts(Cataloged):
    """The tables of a folder, to be drawn."""

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

        Matplotlib must be installed. The label of the figure contains the name of the chart and its sets of pieces.

        Parameters
        ----------
        chart : str
            Type of chart to draw. 'distances' shows the number of positions by distance. 'survival' shows the share of games
            still in progress after each ply, under best play from won and lost positions. 'squares' shows outcomes by the square
            on which a piece stands. 'draws' shows the share of draws by set of pieces. 'parity' shows whether outcomes depend on
            a column, or the distance between two pieces, being odd or even. 'values' shows outcomes, or in games with chance the
            mean chance of winning, for each value of a column. 'chances' shows the chance of winning against a weakened player,
            by the weakness of that player. 'query' shows the result of an SQL statement.
        statement : str, optional
            For the chart 'query', an SQL statement. The first column contains the x values; the others contain the y values.
        pieces : int, range or str, optional
            Use only tables with this number of pieces, or a number in this range.
        material : str or sequence of str, optional
            Set of pieces, such as RCvW (rat and cat against wolf), or a pattern with the wildcards '?' (one piece) and '*' (any
            number of pieces). Each set of pieces has a separate panel; the chart 'draws' shows all sets of pieces in one
            matrix.
        side : str, optional
            Use only positions with this side to move. In the chart 'chances', this side plays against the weakened player.
        where : str, optional
            Use only positions that satisfy this SQL condition on the columns of 'tablebase mine', such as "to_den_1 < 5".
        piece : int or sequence of int, optional
            Piece to plot in the charts 'squares' and 'parity', by its number in the set of pieces (2 is the cat in RCvW).
            The chart 'parity' needs two pieces, unless it groups by a column.
        outcome : str, optional
            Outcome to show; by default, win in the chart 'squares', and both win and loss in the chart 'distances'.
        log : bool
            Use a logarithmic scale in the chart 'distances'.
        by : str, optional
            For the chart 'values', the column to group by, such as a feature. For the chart 'parity', a column of whole numbers
            to group as odd or even; by default, the distance between two pieces.
        kind : str, optional
            For the chart 'query', the type of chart to draw (by default, bar); a heat map needs a result with three columns.
        position : str, optional
            For the chart 'chances', the position from which games start; by default, the initial position.
        player : str or sequence of str, optional
            For the chart 'chances', a weakened player listed by 'tablebase exploit --help'.
        width : str, optional
            Width of the chart, such as 88mm, 8cm, 3.5in, 'column' (88 mm) or 'page' (180 mm).
        height : str, optional
            Height of the chart, such as 60mm, 6cm or 2.5in.
        font_size : float
            Font size in points, from 6 to 24.
        dpi : int
            Resolution of a PNG file, in dots per inch.
        title : str, optional
            Title of the chart, or 'none' for no title; by default, the name of the chart and its sets of pieces.
        style : str
            Colour scheme: light background, dark background, or hatched shades of grey for printing.
        csv : str or Path, optional
            Also write the plotted numbers to this CSV file.
        game, workers : see `mine`
        tick : callable, optional
            Progress callback, called with the number of decoded table entries and the total number of entries.
        """
        rules: Any = self._rules(game)
        check_extra("pictures", "plot")
        given = {"piece": piece, "outcome": outcome, "log": log, "by": by, "from": position, "player": player, "kind": kind}
        given |= {"pieces": pieces, "material": material, "side": side, "where": where}
        for option, charts in CHARTS_OF_OPTION.items():
            if given[option] and chart not in charts:
                raise ArgumentError(f"cannot use --{option} with the chart {chart}: choose the chart {' or '.join(charts)}")
        if statement is None and chart == "query":
            raise ArgumentError(f"the chart 'query' needs an SQL statement: add a statement such as {EXAMPLE}")
        if statement is not None and chart != "query":
            raise ArgumentError(f"the chart {chart!r} does not accept a statement: choose the chart 'query'")
        if chart == "values" and by is None:
            command = f"tablebase features {game_word(rules.name)}"
            raise ArgumentError(f"the chart 'values' needs --by: add a column listed by '{command}', such as --by side")
        if csv is not None:
            lib.outputs.check_output(Path(csv), lib.picture_files.CSV_HINT)
        look = lib.style.parse_style(width, height, font_size, dpi, title, style)
        if chart == "chances" and "materials" in rules.can:
            drawn = lib.chances.chances(rules, position, as_texts("player", player), side)
        else:
            with self._catalog() as catalog:
                drawn = _chart(chart, rules, lib.tallies.Counting(catalog, where, usable_workers(workers), tick), given, statement)
        figure = drawn.figure(look)
        figure.set_label(f"{chart} of {drawn.caption}")
        if csv is not None:
            lib.picture_files.write_numbers(Path(csv), drawn.rows)
        return figure


def _chart(name: str, rules: Any, counter: lib.tallies.Counting, given: dict[str, Any], statement: str | None) -> lib.figures.Chart:
    if statement is not None:
        return lib.figures.query(counter, rules, statement, given["kind"] or "bar")
    material, pieces, side = as_texts("material", given["material"]), given["pieces"], given["side"]
    lib.game_arguments.refuse_given(rules, pieces=pieces, material=material or None, side=side)
    shown, piece, by = given["outcome"], given["piece"], given["by"]
    some = piece if isinstance(piece, (list, tuple)) else [] if piece is None else [piece]
    numbers = [as_number("piece", one, 1) for one in some]
    if name == "squares" and len(numbers) > 1:
        raise ArgumentError("the chart 'squares' shows one piece: give --piece only once")
    options: dict[str, dict[str, Any]] = {
        "distances": {"outcome": shown, "log": given["log"]},
        "squares": {"piece": (*numbers, 1)[0], "outcome": shown},
        "parity": {"pair": numbers, "by": by},
        "values": {"by": by},
    }
    if "materials" in rules.can:
        groups = [material] if name == "draws" or not material else [[each] for each in material]
        panels = [lib.tallies.select_slices(rules, counter.catalog, as_counts(pieces), group, side) for group in groups]
        return lib.figures.CHARTS[name](counter, panels, **options.get(name, {}))
    has_chance = "chance" in rules.can
    if has_chance and name == "values":
        return lib.figures.means(counter, rules, by)
    if has_chance or name in ("squares", "draws", "chances") or (name == "parity" and by is None):
        lack = "involves chance and does not have distances" if has_chance else "does not have pieces on squares"
        raise ArgumentError(f"the chart {name!r} cannot be drawn, because {rules.name} {lack}: choose the chart 'values'")
    panels = [lib.tallies.ChartSlices(rules, "stored positions")]
    return lib.figures.CHARTS[name](counter, panels, **options.get(name, {}))


def show_plot(call: Call, *, output: Annotated[Path, PICTURE]) -> None:
    """With only --output, this command draws the chart from all tables of the game in the folder 'data'. The charts 'squares' and
    'parity' need exactly one set of pieces, selected with --material. The chart 'chances' does not need tables. All outcomes are
    for the side to move.
    """
    if call.given.get("csv") is not None and Path(call.given["csv"]) == output:
        raise TablebaseError(f"{output} is given for both --output and --csv: choose two different files")
    if call.given.get("statement") is not None:
        call.given["statement"] = from_input(call.given["statement"])
    # Charts of what the catalog counts compile nothing.
    compiles = call.given["chart"] in ("squares", "parity", "values", "query") or call.given.get("where") is not None
    with lib.progress.progress(f"plot {call.rules.name}", "positions", compiles=compiles) as shown:
        figure = call(tick=shown.reach)
    lib.drawing.save(figure, output)
    say(f"wrote {output}: {figure.get_label()}")
