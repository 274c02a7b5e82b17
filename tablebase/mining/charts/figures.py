"""The charts: rows, which `plot --csv` writes, and one function that draws them; for their options see `Tablebase.plot`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter, PercentFormatter

from tablebase.errors import ArgumentError, TablebaseError
from tablebase.game import Board, Outcome, Terrain
from tablebase.mining.charts.drawing import MARGIN, WIDTH, Frame, amount, fitting, power, scale_of, text_width
from tablebase.mining.charts.style import POINT, Style
from tablebase.mining.charts.tallies import DISTANCE, PLURALS, ChartSlices, Counting, Row, caption, survival, title_of, totals
from tablebase.positions.material import parse_material
from tablebase.system.compute.messages import say

WIDEST = 360.0
"""The width in mm up to which a matrix is drawn as large as it needs to be."""
CELL = 10.0
"""The largest cells, in mm."""
MOVER = "outcome of the side to move"
Panels = Sequence[ChartSlices]


@dataclass(frozen=True)
class Chart:
    """Rows, and the function that draws them in a frame."""

    title: str
    caption: str
    rows: Sequence[Row]
    draw: Callable[[Frame, Sequence[Row]], object]

    def figure(self, style: Style) -> Figure:
        """Draw the rows."""
        with rc_context(style.parameters):
            frame = Frame(style, self.title, self.caption)
            self.draw(frame, self.rows)
            return frame.figure


def _chart(
    counter: Counting, panels: Panels, title: str, rows: Sequence[Row], draw: Callable[..., object], times: int = 1
) -> Chart:
    """A chart of counts, in which each position stands so many times."""
    return Chart(title, caption(panels, sum(totals(rows).values()) // times, counter.where), rows, draw)


def by_slices(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows of counts by their slices, each a panel."""
    return {name: list(its) for name, its in groupby(rows, itemgetter("slices"))}


def distances(counter: Counting, panels: Panels, outcome: Outcome | None = None, *, log: bool = False) -> Chart:
    """Chart how many positions are won and lost in how many plies."""
    if outcome == Outcome.DRAW:
        raise ArgumentError("a draw has no distance: choose --outcome win or --outcome loss")
    rows = [row for slices in panels for row in counter.count(slices, [DISTANCE])]
    counts = totals(rows)
    if not sum(counts[one] for one in (Outcome.WIN, Outcome.LOSS) if outcome in (None, one)):
        raise TablebaseError(
            f"none of the chosen positions is a {outcome or 'win or a loss'}: choose other slices, or another --where"
        )
    return _chart(counter, panels, "Positions by distance to the end of the game", rows, partial(_draw_distances, outcome, log))


def _draw_distances(outcome: Outcome | None, log: bool, frame: Frame, rows: Sequence[Row]) -> None:
    panels, shown = by_slices(rows), [one for one in (Outcome.WIN, Outcome.LOSS) if outcome in (None, one)]
    for axes, its in zip(frame.lay_out(panels=list(panels), height=62), panels.values(), strict=True):
        decided = [row for row in its if row[DISTANCE] is not None]
        # In most games wins take an odd number of plies and losses an even number, so bars do not overlap.
        beside = len(shown) > 1 and any(row["wins"] and row["losses"] for row in decided)
        width = 0.45 if beside else 0.9
        for number, one in enumerate(shown):
            bars = [row for row in decided if row[PLURALS[one]]]
            places = [row[DISTANCE] + (number - 0.5) * width * beside for row in bars]
            axes.bar(places, [row[PLURALS[one]] for row in bars], width, **frame.style.fill_of(one))
        axes.xaxis.set_major_locator(MaxNLocator(max(3, int(frame.room / 12)), integer=True))
        axes.grid(axis="y")
        if log:
            axes.set(yscale="log", ylim=(0.7, None))
            axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(power if log else amount))
    frame.label("distance (plies under best play)", "positions")
    counts = totals(rows)
    labels = {one: f"{PLURALS[one]}: {number:,} ({number / sum(counts.values()):.1%})" for one, number in counts.items() if number}
    fills = {one: frame.style.fill_of(one) if one in shown else {"fill": False, "linewidth": 0} for one in labels}
    frame.legend([Patch(**fills[one], label=labels[one]) for one in labels if one in shown or outcome is None], MOVER)


def open_after(counter: Counting, panels: Panels) -> Chart:
    """Chart the share of decided positions that are still open after some plies."""
    counts = [row for slices in panels for row in counter.count(slices, [DISTANCE])]
    rows = [row for its in by_slices(counts).values() for row in survival(its)]
    if not rows:
        raise TablebaseError("all chosen positions are draws, which have no distance: choose other slices with --material")
    return replace(_chart(counter, panels, "Share of decided positions still open", counts, _draw_open), rows=rows)


def _draw_open(frame: Frame, rows: Sequence[Row]) -> None:
    # The last row has a share of 0, which a logarithmic axis lacks.
    its = {name: [row for row in its if row["open"]] for name, its in by_slices(rows).items()}
    curves = {name: ([row["plies"] for row in some], [row["share"] for row in some]) for name, some in its.items()}
    [axes] = frame.lay_out()
    axes.set_yscale("log")
    frame.curves(axes, curves)
    frame.label("plies played under best play", "share of wins and losses still open")
    axes.grid(axis="y")
    axes.yaxis.set_major_locator(LogLocator(numticks=8))
    axes.yaxis.set_major_formatter(FuncFormatter(power))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))


def squares(counter: Counting, panels: Panels, piece: int = 1, outcome: Outcome | None = None) -> Chart:
    """Chart how often positions have an outcome, by the square of a piece."""
    rows, game = [row for slices in panels for row in counter.squares(slices, piece)], panels[0].game
    word, name = PLURALS[outcome or Outcome.WIN], " or ".join(dict.fromkeys(each.piece_name(piece) for each in panels))
    draw = partial(_draw_squares, game.board, game.terrain, word)
    return _chart(counter, panels, f"Share of {word} by the square of {name}", rows, draw, len(panels[0].like_pieces(piece)))


def _draw_squares(board: Board, terrain: Sequence[Terrain], word: str, frame: Frame, rows: Sequence[Row]) -> None:
    panels, found = by_slices(rows), []
    for its in panels.values():
        shares = np.full((board.height, board.width), np.nan)
        for row in its:
            file, rank = board.cells[board.square(row["square"])]
            shares[rank, file] = row[word] / row["positions"]
        found.append(shares)
    page, beside = frame.style.width or WIDTH, MARGIN + 22
    most = max(1, min(len(panels), fitting(page), int((page - beside) / (board.width * frame.style.small * POINT * 1.1))))
    cell, width = _cell(frame, most * board.width, beside, "a smaller --font-size", WIDTH)
    height = board.height * cell + 24 + 6 * (len(panels) > 1)
    frame.lay_out(panels=list(panels), height=height, width=width, square=True, most=most)
    scale = scale_of(found)
    for axes, shares in zip(frame.axes, found, strict=True):
        frame.cells(axes, shares, scale, cell)
        _outline(frame, axes, board, terrain)
        axes.set_xticks(range(board.width), [chr(ord("a") + file) for file in range(board.width)])
        axes.set_yticks(range(board.height), [str(rank + 1) for rank in range(board.height)])
    frame.label("file", "rank")
    frame.bar(scale, f"share of {word} of the side to move")


def _cell(frame: Frame, columns: int, beside: float, hint: str, most: float = WIDEST) -> tuple[float, float]:
    """The size of cells and the width of a chart in mm; raise `TablebaseError` if letters would not fit into the cells."""
    style = frame.style
    least, room = style.small * POINT * 1.1, (style.width or most) - beside
    if room < columns * least:
        raise TablebaseError(
            f"the chart has {columns} columns, but only {max(0, int(room / least))} are legible in {style.small:g}-point type"
            f" at {room + beside:g}mm: use --width {np.ceil(columns * least + beside):.0f}mm or more, or {hint}"
        )
    room = min(room, max(WIDTH - beside, columns * least))
    cell = min(CELL, room / columns)
    return cell, max(columns * cell + beside, 88.0)


def _outline(frame: Frame, axes: Axes, board: Board, terrain: Sequence[Terrain]) -> None:
    """Fill the cells that are not squares, and mark squares of terrain inside by lines of several dashes, with a legend."""
    for rank, file in np.ndindex(board.height, board.width):
        if (file, rank) not in board.numbers:
            axes.add_patch(Rectangle((file - 0.5, rank - 0.5), 1, 1, facecolor=frame.style.palette.muted, linewidth=0, zorder=0))
    dashes: dict[str, Any] = dict(zip((one.name for one in terrain), (":", "--", "-"), strict=False))
    for one in terrain:
        for file, rank in (board.cells[square] for square in one.squares):
            # Two lines, since cells are light and dark.
            for colour, line in (("white", "-"), ("black", dashes.get(one.name, "-."))):
                place = (file - 0.42, rank - 0.42)
                axes.add_patch(Rectangle(place, 0.84, 0.84, fill=False, edgecolor=colour, linestyle=line, linewidth=0.9))
    if terrain and axes is frame.axes[-1]:
        ink = frame.style.palette.ink
        frame.legend([Patch(fill=False, edgecolor=ink, linestyle=dashes.get(one.name, "-."), label=one.name) for one in terrain])


def draws(counter: Counting, panels: Panels) -> Chart:
    """Chart the share of draws by the pieces of both sides."""
    [slices] = panels
    rows = counter.count(slices, ["material", "side"])
    return _chart(counter, panels, "Share of draws by material", rows, partial(_draw_draws, slices.game))


def matrices(game: Any, rows: Iterable[Row], *, pooled: bool = False) -> list[tuple[tuple[str, ...], tuple[str, ...], Any]]:
    """Share of draws by material, one matrix for each division of the pieces between the sides, or one in all; tiers are added up.

    A matrix is the letters of the first side's pieces, those of the second side's, and an array of shares by both, NaN where there
    are no positions.
    """
    groups: dict[tuple[int, int], dict[tuple[Any, Any], list[Row]]] = {}
    for row in rows:
        material = parse_material(game, row["material"])
        group = groups.setdefault((0, 0) if pooled else (-len(material.first), len(material.second)), {})
        group.setdefault((material.first, material.second), []).append(row)
    made = []
    for _, group in sorted(groups.items()):
        firsts, seconds = (sorted({pair[side] for pair in group}, key=lambda one: (len(one), one)) for side in (0, 1))
        shares = np.full((len(firsts), len(seconds)), np.nan)
        for (first, second), its in group.items():
            if positions := sum(row["positions"] for row in its):
                shares[firsts.index(first), seconds.index(second)] = sum(row["draws"] for row in its) / positions
        symbols = [tuple("".join(game.kinds[kind].symbol.upper() for kind in one) for one in side) for side in (firsts, seconds)]
        made.append((symbols[0], symbols[1], shares))
    return made


def _draw_draws(game: Any, frame: Frame, rows: Sequence[Row]) -> None:
    found = matrices(game, rows)
    if len(found) > fitting(frame.style.width or WIDTH):
        found = matrices(game, rows, pooled=True)
        say("drawing one matrix for all numbers of pieces, because several do not fit: choose --pieces, or a larger --width")
    most, columns = max(len(names) for names, _, _ in found), sum(len(names) for _, names, _ in found)
    letters = max(len(names[0]) for names, _, _ in found) * 2.5
    beside = len(found) * (MARGIN + letters)
    _cell(frame, most, MARGIN, "fewer materials", WIDEST)
    cell, width = _cell(frame, columns, beside, "fewer materials")
    ratios = [len(names) for _, names, _ in found]
    frame.lay_out(
        panels=[""] * len(found), height=most * cell + letters + 32 + 10 * (len(found) > 1), width=width, square=True, ratios=ratios
    )
    scale = scale_of(shares for _, _, shares in found)
    for axes, (firsts, seconds, shares) in zip(frame.axes, found, strict=True):
        frame.cells(axes, shares, scale, cell)
        axes.set_xticks(range(len(seconds)), seconds, rotation=90 if len(seconds[0]) > 1 else 0)
        axes.set_yticks(range(len(firsts)), firsts)
        axes.tick_params(top=False, labeltop=True, labelbottom=False, labelleft=True)
        axes.xaxis.set_label_position("top")
        names = [f"{side.name}'s pieces" for side in game.sides]
        axes.set(ylabel=names[0], xlabel=names[1], ylim=(len(firsts) - 0.5, -0.5), anchor="N")
    frame.bar(scale, "share of draws", below=True)


def parity(counter: Counting, panels: Panels, pair: Sequence[int] = (), by: str | None = None) -> Chart:
    """Chart outcomes by odd and even distances between two pieces, by default the first and the last, or by a whole number."""
    title, axis, rows = f"Outcomes by odd and even {by}", by or "", list[Row]()
    for slices in panels:
        column = by
        if column is None:
            first, second = slices.parity_pair(pair)
            column = f"{DISTANCE}_{first}_{second}"
            names = f"{slices.piece_name(first)} and {slices.piece_name(second)}" if len(panels) == 1 else "the two pieces"
            title, axis = f"Outcomes by the number of steps between {names}", "steps between the two pieces (|files| + |ranks|)"
        rows += counter.parity(slices, column)
    return _chart(counter, panels, title, rows, partial(_draw_shares, axis))


def values(counter: Counting, panels: Panels, by: str) -> Chart:
    """Chart outcomes by the value of a column."""
    rows = [row for slices in panels for row in counter.count(slices, [by])]
    return _chart(counter, panels, f"Outcomes by {by}", rows, partial(_draw_shares, by))


def _draw_shares(what: str, frame: Frame, rows: Sequence[Row]) -> None:
    """Draw bars of shares by value; those of parity in groups of odd values and even ones, with totals."""
    panels = by_slices(rows)
    for axes, its in zip(frame.lay_out(panels=list(panels), height=64), panels.values(), strict=True):
        groups: dict[str, list[Row]] = {}
        for row in sorted(its, key=lambda row: bool(row.get("even"))):
            groups.setdefault({None: "", False: "odd", True: "even"}[row.get("even")], []).append(row)
        bars = [[(_word(list(row.values())[1]), totals([row])) for row in group] for group in groups.values()]
        if "" not in groups and frame.room / (len(its) + 6) > frame.style.small * POINT:
            bars.append([(word, totals(group)) for word, group in {**groups, "all": its}.items()])
        places, centres = list[float](), list[float]()
        for group in bars:
            # There is a gap before each group.
            first = places[-1] + 2 if places else 0.0
            places += [first + number for number in range(len(group))]
            centres.append(first + (len(group) - 1) / 2)
        _stack(frame, axes, [bar for group in bars for bar in group], places, what)
        if "" not in groups:
            words = axes.secondary_xaxis("bottom")
            words.set_xticks(centres[: len(groups)], list(groups))
            words.tick_params(length=0, pad=2 * frame.style.small)
            axes.xaxis.labelpad = frame.style.small + 4
    frame.legend([Patch(**frame.style.fill_of(one), label=PLURALS[one]) for one, number in totals(rows).items() if number], MOVER)
    frame.label(what, "share of positions")


def _stack(frame: Frame, axes: Axes, bars: Sequence[tuple[str, Mapping[Outcome, int]]], places: Sequence[float], what: str) -> None:
    """Draw stacked bars of shares, with the number of positions above each where there is room."""
    frame.name_values(axes, [name for name, _ in bars], places, what)
    counts, bottom = [its for _, its in bars], np.zeros(len(bars))
    for outcome in PLURALS:
        shares = np.array([its[outcome] / sum(its.values()) for its in counts])
        axes.bar(places, shares, 0.86, bottom=bottom, **frame.style.fill_of(outcome))
        bottom += shares
    size, room = frame.style.small, frame.room / (len(counts) + 2)
    texts = [amount(sum(its.values())) for its in counts]
    widest = max(text_width(text, size) for text in texts)
    if size * POINT * 1.1 < room:
        options: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": size, "rotation": 90 if widest > room else 0}
        for place, text in zip(places, texts, strict=True):
            axes.annotate(text, (place, 1), (0, 2), textcoords="offset points", **options)
        axes.set_title(axes.get_title(), pad=6 + (widest / POINT if widest > room else size))
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(1))


def means(counter: Counting, game: Any, by: str) -> Chart:
    """Chart the mean chance to win by the value of a column, in a game with chance."""
    text = f"{game.title}: stored positions, for the player to move"
    return replace(query(counter, game, counter.means(by)), title=f"Mean chance to win by {by}", caption=text)


def query(counter: Counting, game: Any, statement: str, kind: str | None = None) -> Chart:
    """Chart the result of a statement: its first column along the axis, and each further number as bars, a line or points.

    Without a kind, it is a line if the first column has numbers.
    """
    rows = counter.answers(game, statement)
    if not rows:
        raise TablebaseError("the statement returned no rows: change the statement")
    names = list(rows[0])
    numbers = [name for name in names if all(isinstance(row[name], int | float | None) for row in rows)]
    kind = kind or ("line" if names[0] in numbers else "bar")
    draw = partial(_draw_heat, names) if kind == "heat" else partial(_draw_series, kind, names, numbers)
    if kind == "heat" and (len(names) != 3 or names[2] not in numbers):
        raise ArgumentError(f"invalid columns {', '.join(names)} for --kind heat: select three columns, the last with numbers")
    if not set(names[1:]) & {*numbers} or (kind in ("line", "points") and names[0] not in numbers):
        columns = "any column" if kind == "bar" else "a column of numbers"
        raise ArgumentError(f"invalid columns {', '.join(names)} for --kind {kind}: select {columns}, then columns of numbers")
    return Chart(title_of(game), " ".join(statement.split()), rows, draw)


def _word(value: Any) -> str:
    return "none" if value is None else str(value)


def _draw_series(kind: str, names: Sequence[str], numbers: Sequence[str], frame: Frame, rows: Sequence[Row]) -> None:
    """Draw each number by the first column; other columns name series."""
    first, ys = names[0], [name for name in names[1:] if name in numbers]
    words = [name for name in names[1:] if name not in numbers]
    series: dict[str, dict[Any, Any]] = {}
    for row in rows:
        for y in ys:
            label = ", ".join([*(_word(row[name]) for name in words), *[y] * (len(ys) > 1 or not words)])
            if row[y] is not None and (kind == "bar" or row[first] is not None):
                series.setdefault(label, {})[row[first]] = row[y]
    [axes] = frame.lay_out(height=66)
    if kind == "bar":
        points, width = list(dict.fromkeys(row[first] for row in rows)), 0.86 / len(series)
        for number, (name, its) in enumerate(series.items()):
            places = [points.index(x) + (number - (len(series) - 1) / 2) * width for x in its]
            fill = frame.style.fill_of(Outcome(name)) if name in {*Outcome} else frame.style.fill(number)
            axes.bar(places, list(its.values()), width, label=name, **fill)
        frame.name_values(axes, [_word(point) for point in points], range(len(points)), first)
        axes.grid(axis="y")
        if len(series) > 1:
            frame.legend(axes.containers)
    else:
        frame.curves(axes, {name: (list(its), list(its.values())) for name, its in series.items()}, kind)
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=all(isinstance(row[first], int | None) for row in rows)))
    axes.yaxis.set_major_formatter(FuncFormatter(amount))
    # The legend names several columns.
    frame.label(first, ys[0] if len(ys) == 1 else "")


def _draw_heat(names: Sequence[str], frame: Frame, rows: Sequence[Row]) -> None:
    x, y, z = names
    columns, lines = (list(dict.fromkeys(row[name] for row in rows)) for name in (x, y))
    cells = np.full((len(lines), len(columns)), np.nan)
    for row in rows:
        cells[lines.index(row[y]), columns.index(row[x])] = np.nan if row[z] is None else row[z]
    [axes] = frame.lay_out(height=70)
    scale = scale_of([cells], min(0.0, np.nanmin(cells, initial=0.0)))
    frame.cells(axes, cells, scale, (frame.room - 26) / len(columns), share=False)
    frame.name_values(axes, [_word(value) for value in columns], range(len(columns)), x)
    step = max(1, int(np.ceil(len(lines) * frame.style.small * POINT * 1.2 / 45)))
    axes.yaxis.set_major_locator(FixedLocator(range(0, len(lines), step)))
    axes.set_yticklabels([_word(value) for value in lines[::step]])
    frame.label(x, y)
    frame.bar(scale, z, share=False)


CHARTS: Mapping[str, Callable[..., Chart]] = {
    "distances": distances,
    "survival": open_after,
    "squares": squares,
    "draws": draws,
    "parity": parity,
    "values": values,
}
"""Charts of the positions of slices."""
