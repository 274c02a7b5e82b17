"""The charts: rows, which `plot --csv` writes, and one function that draws them; for their options see `Tablebase.plot`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator

from tablebase.charts.charted_slices import PLURALS, ChartSlices, caption, title_of
from tablebase.charts.drawing import LEAST_PANEL, MARGIN, WIDTH, Frame, amount, draw_curves, power, scale_of, text_width
from tablebase.charts.style import POINT, Style
from tablebase.charts.tallies import DISTANCE, Counter, Row, like_pieces, parity_pair, quoted_name, survival, totals
from tablebase.errors import ArgumentError, TablebaseError
from tablebase.game import Board, Outcome, Terrain
from tablebase.slices.material import parse_material

LIMIT = 110
"""Rows or columns of a matrix that is drawn as large as it needs to be."""
MOVER = "outcome of the side to move"
Panels = Mapping[str, Sequence[Row]]
"""Rows by the name of their slices."""


@dataclass(frozen=True)
class Chart:
    """Rows, and the function that draws them under a title and a caption."""

    title: str
    caption: str
    rows: Sequence[Row]
    draw: Callable[[Style, str, str, Sequence[Row]], Figure]

    def figure(self, style: Style) -> Figure:
        """Draw the rows."""
        with rc_context(style.parameters):
            return self.draw(style, self.title, self.caption, self.rows)


def by_slices(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows of counts by their slices, each a panel."""
    return {name: list(its) for name, its in groupby(rows, itemgetter("slices"))}


def _captioned(counter: Counter, panels: Sequence[ChartSlices], rows: Iterable[Row], times: int = 1) -> str:
    return caption(panels, sum(totals(rows).values()) // times, counter.where)


def distances(counter: Counter, panels: Sequence[ChartSlices], outcome: Outcome | None = None, *, log: bool = False) -> Chart:
    """Chart how many positions are won and lost in how many plies."""
    if outcome == Outcome.DRAW:
        raise ArgumentError("a draw has no distance: choose --outcome win or --outcome loss")
    rows = [row for slices in panels for row in counter.distances(slices)]

    def draw(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
        return _draw_distances(style, title, text, by_slices(rows), outcome, log=log)

    return Chart("Positions by distance to the end of the game", _captioned(counter, panels, rows), rows, draw)


def _draw_distances(style: Style, title: str, text: str, panels: Panels, outcome: Outcome | None, *, log: bool) -> Figure:
    frame = Frame(style, title, text, panels=list(panels), height=62)
    rows = [row for its in panels.values() for row in its]
    shown = [one for one in (Outcome.WIN, Outcome.LOSS) if outcome in (None, one)]
    most = max(row[PLURALS[one]] for row in rows for one in shown)
    for axes, its in zip(frame.axes, panels.values(), strict=True):
        decided = [row for row in its if row[DISTANCE] is not None]
        # In most games wins take an odd number of plies and losses an even number, so bars do not overlap.
        beside = len(shown) > 1 and any(row["wins"] and row["losses"] for row in decided)
        width = 0.45 if beside else 0.9
        for number, one in enumerate(shown):
            bars = [row for row in decided if row[PLURALS[one]]]
            places = [row[DISTANCE] + (number - 0.5) * width * beside for row in bars]
            axes.bar(places, [row[PLURALS[one]] for row in bars], width, **_fill(style, one))
        axes.xaxis.set_major_locator(MaxNLocator(max(3, int(frame.room / 12)), integer=True))
        axes.grid(axis="y")
        if log:
            axes.set_yscale("log")
            axes.set_ylim(bottom=0.7)
    frame.label("distance (plies under best play)", frame.count_positions(frame.axes[0], most, log=log))
    counts = totals(rows)
    named = {one: number for one, number in counts.items() if number and (one in shown or outcome is None)}
    total = sum(counts.values())
    labels = {one: f"{PLURALS[one]}: {number:,} ({100 * number / total:.1f}%)" for one, number in named.items()}
    frame.legend(
        [
            Patch(**(_fill(style, one) if one in shown else {"fill": False, "linewidth": 0}), label=label)
            for one, label in labels.items()
        ],
        MOVER,
    )
    return frame.figure


def _fill(style: Style, outcome: Outcome) -> dict[str, Any]:
    """The colour and hatch of an outcome's bars; bars with a hatch have an edge."""
    palette = style.palette
    edge = {"edgecolor": palette.ink, "linewidth": 0.4} if any(palette.hatches.values()) else {"linewidth": 0}
    return {"facecolor": palette.outcomes[outcome], "hatch": palette.hatches[outcome], **edge}


def open_after(counter: Counter, panels: Sequence[ChartSlices]) -> Chart:
    """Chart the share of decided positions that are still open after some plies."""
    counts = [row for slices in panels for row in counter.distances(slices)]
    rows = [row for its in by_slices(counts).values() if any(row[DISTANCE] is not None for row in its) for row in survival(its)]
    if not rows:
        raise TablebaseError("all of these positions are draws, which have no distance: choose other slices")
    return Chart("Share of decided positions still open", _captioned(counter, panels, counts), rows, _draw_open)


def _draw_open(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
    curves = {name: [row for row in its if row["open"]] for name, its in by_slices(rows).items()}
    points = {name: ([row["plies"] for row in its], [row["share"] for row in its]) for name, its in curves.items()}
    labels = "plies played under best play", "share of wins and losses still open"
    figure = draw_curves(title, text, labels, points, style, percent=False)
    [axes] = figure.axes
    least = min(share for _, shares in points.values() for share in shares)
    axes.set(yscale="log", ylim=(least / 2, 1.2))
    axes.yaxis.set_major_locator(LogLocator(numticks=8))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: power(share)))
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return figure


def squares(counter: Counter, panels: Sequence[ChartSlices], piece: int = 1, outcome: Outcome | None = None) -> Chart:
    """Chart how often positions have an outcome, by the square of a piece."""
    rows = [row for slices in panels for row in counter.squares(slices, piece)]
    text = _captioned(counter, panels, rows, len(like_pieces(panels[0], piece)))
    word, name = PLURALS[outcome or Outcome.WIN], " or ".join(dict.fromkeys(each.piece_name(piece) for each in panels))
    board, terrain = panels[0].game.board, panels[0].game.terrain

    def draw(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
        return _draw_squares(style, title, text, by_slices(rows), board, terrain, word)

    return Chart(f"Share of {word} by the square of {name}", text, rows, draw)


def _draw_squares(
    style: Style, title: str, text: str, panels: Panels, board: Board, terrain: Sequence[Terrain], word: str
) -> Figure:
    room = ((style.width or WIDTH) - MARGIN) / len(panels) - 22 / len(panels)
    cell = min(room / board.width, 10.0)
    width = len(panels) * board.width * cell + 2 * MARGIN + 16
    height = board.height * cell + 24 + 6 * (len(panels) > 1)
    frame = Frame(style, title, text, panels=list(panels), height=height, width=width, square=True)
    found = []
    for its in panels.values():
        shares = np.full((board.height, board.width), np.nan)
        for row in its:
            file, rank = board.cells[board.square(row["square"])]
            shares[rank, file] = row[word] / row["positions"]
        found.append(shares)
    scale = scale_of(found)
    for axes, shares in zip(frame.axes, found, strict=True):
        frame.cells(axes, shares, scale, cell)
        axes.set_aspect("equal")
        _outline(frame, axes, board, terrain)
        axes.set_xticks(range(board.width), [chr(ord("a") + file) for file in range(board.width)])
        axes.set_yticks(range(board.height), [str(rank + 1) for rank in range(board.height)])
        axes.tick_params(length=0)
    frame.label("file", "rank")
    frame.bar(scale, f"share of {word} of the side to move")
    return frame.figure


def _outline(frame: Frame, axes: Axes, board: Board, terrain: Sequence[Terrain]) -> None:
    """Fill the cells that are not squares, and mark squares of terrain inside by lines of several dashes, with a legend."""
    palette = frame.style.palette
    for rank, file in np.ndindex(board.height, board.width):
        if (file, rank) not in board.numbers:
            axes.add_patch(Rectangle((file - 0.5, rank - 0.5), 1, 1, facecolor=palette.muted, linewidth=0, zorder=0))
    handles = []
    for number, kind in enumerate(terrain):
        dash = (":", "--", "-")[number % 3]
        for square in kind.squares:
            file, rank = board.cells[square]
            # Two lines, since cells are light and dark.
            for colour, line in (("white", "-"), ("black", dash)):
                place = (file - 0.42, rank - 0.42)
                axes.add_patch(Rectangle(place, 0.84, 0.84, fill=False, edgecolor=colour, linestyle=line, linewidth=0.9))
        handles.append(Patch(fill=False, edgecolor=palette.ink, linestyle=dash, linewidth=0.9, label=kind.name))
    if handles and axes is frame.axes[-1]:
        frame.legend(handles)


def draws(counter: Counter, panels: Sequence[ChartSlices]) -> Chart:
    """Chart the share of draws by the pieces of both sides."""
    [slices] = panels
    rows = counter.materials(slices)

    def draw(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
        return _draw_draws(style, title, text, slices.game, matrices(slices.game, rows))

    return Chart("Share of draws by material", _captioned(counter, panels, rows), rows, draw)


@dataclass(frozen=True)
class DrawMatrix:
    """Draws by material, for a fixed number of pieces on each side."""

    rows: tuple[str, ...]  # letters of the first side's pieces
    columns: tuple[str, ...]  # letters of the second side's pieces
    shares: Any  # shape (rows, columns); NaN where there are no positions


def matrices(game: Any, rows: Iterable[Row]) -> list[DrawMatrix]:
    """Share of draws by material, one matrix for each division of the pieces between the sides; tiers are added up."""
    groups: dict[tuple[int, int], dict[tuple[Any, Any], list[Row]]] = {}
    for row in rows:
        material = parse_material(game, row["material"])
        group = groups.setdefault((-len(material.first), len(material.second)), {})
        group.setdefault((material.first, material.second), []).append(row)
    made = []
    for _, group in sorted(groups.items()):
        firsts, seconds = (sorted({pair[side] for pair in group}) for side in (0, 1))
        shares = np.full((len(firsts), len(seconds)), np.nan)
        for (first, second), its in group.items():
            if positions := sum(row["positions"] for row in its):
                shares[firsts.index(first), seconds.index(second)] = sum(row["draws"] for row in its) / positions
        letters = [
            tuple("".join(game.kinds[kind].symbol.upper() for kind in kinds) for kinds in side) for side in (firsts, seconds)
        ]
        made.append(DrawMatrix(letters[0], letters[1], shares))
    return made


def _draw_draws(style: Style, title: str, text: str, game: Any, found: Sequence[DrawMatrix]) -> Figure:
    """Draw the matrices side by side; raise `TablebaseError` if their letters would not be legible."""
    rows, columns = max(len(one.rows) for one in found), sum(len(one.columns) for one in found)
    letters = max(len(name) for one in found for name in one.rows)
    size, beside = style.small, len(found) * (MARGIN + letters * style.small * POINT)
    least = size * POINT * 1.1
    if style.width is None and max(rows, columns) > LIMIT:
        raise TablebaseError(
            f"the matrix would have {rows} rows and {columns} columns, but at most {LIMIT} are legible:"
            " choose fewer materials, as in --material '??v??'"
        )
    cell = min(10.0, ((style.width or max(WIDTH, columns * least + beside)) - beside) / columns)
    if cell < least:
        fits = max(1, int((cell * columns) / least))
        raise TablebaseError(
            f"the matrix has {columns} columns, but {style.width:g}mm have room for {fits} with letters of {size:g} points:"
            f" use --width {np.ceil(columns * least + beside):.0f}mm or more, or fewer materials, as in --material '?v??'"
        )
    width = max(columns * cell + beside, 88)
    frame = Frame(
        style, title, text, panels=[""] * len(found), height=rows * cell + letters * size * POINT + 32, width=width, square=True
    )
    return _fill_matrices(frame, game, found, cell)


def _fill_matrices(frame: Frame, game: Any, found: Sequence[DrawMatrix], cell: float) -> Figure:
    scale = scale_of(one.shares for one in found)
    first, second = game.sides
    for axes, one in zip(frame.axes, found, strict=True):
        frame.cells(axes, one.shares, scale, cell)
        axes.set_aspect("equal")
        axes.set_xticks(range(len(one.columns)), one.columns, rotation=90 if len(one.columns[0]) > 1 else 0)
        axes.set_yticks(range(len(one.rows)), one.rows)
        axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False, labelleft=True)
        axes.xaxis.set_label_position("top")
        axes.set(xlabel=f"{second.name}'s pieces", ylabel=f"{first.name}'s pieces", ylim=(len(one.rows) - 0.5, -0.5))
    frame.bar(scale, "share of draws", below=True)
    return frame.figure


def parity(counter: Counter, panels: Sequence[ChartSlices], pair: Sequence[int] = (), by: str | None = None) -> Chart:
    """Chart outcomes by odd and even distances between two pieces, by default the first and the last, or by a whole number."""
    title, axis, rows = f"Outcomes by odd and even {by}", by or "", list[Row]()
    for slices in panels:
        column = by
        if column is None:
            first, second = parity_pair(slices, pair)
            column = f"{DISTANCE}_{first}_{second}"
            names = f"{slices.piece_name(first)} and {slices.piece_name(second)}" if len(panels) == 1 else "the two pieces"
            title, axis = f"Outcomes by the number of steps between {names}", "steps between the two pieces (|files| + |ranks|)"
        rows += counter.parity(slices, column)

    def draw(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
        return _draw_parity(style, title, text, by_slices(rows), axis)

    return Chart(title, _captioned(counter, panels, rows), rows, draw)


def _draw_parity(style: Style, title: str, text: str, panels: Panels, axis: str) -> Figure:
    """Draw bars of shares for odd numbers, for even ones, and for all of them."""
    frame = Frame(style, title, text, panels=list(panels), height=66)
    for axes, rows in zip(frame.axes, panels.values(), strict=True):
        column = list(rows[0])[1]
        names, places, counts, centres = list[str](), list[float](), list[Mapping[Outcome, int]](), list[float]()
        groups = {word: [row for row in rows if row["even"] is even] for word, even in (("odd", False), ("even", True))}
        sums = [(word, totals(group)) for word, group in {**groups, "all": rows}.items() if group]
        numbers = [[(str(row[column]), totals([row])) for row in group] for group in groups.values()]
        has_room = frame.room / (len(rows) + 6) > style.small * POINT
        for bars in (*numbers, sums if has_room else []):
            # A gap before each group.
            first = places[-1] + 2 if places else 0.0
            places += [first + number for number in range(len(bars))]
            centres.append(first + (len(bars) - 1) / 2)
            names += [name for name, _ in bars]
            counts += [its for _, its in bars]
        _stack(frame, axes, counts, names, places, axis)
        words = axes.secondary_xaxis("bottom")
        words.set_xticks(centres[:2], list(groups))
        words.tick_params(length=0, pad=2 * style.small)
        axes.xaxis.labelpad = style.small + 4
    _name_outcomes(frame, panels)
    frame.label(axis, "share of positions")
    return frame.figure


def values(counter: Counter, panels: Sequence[ChartSlices], by: str) -> Chart:
    """Chart outcomes by the value of a column."""
    rows = [row for slices in panels for row in counter.count(slices, [by])]

    def draw(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
        frame = Frame(style, title, text, panels=list(by_slices(rows)), height=62)
        for axes, its in zip(frame.axes, by_slices(rows).values(), strict=True):
            names = ["none" if row[by] is None else str(row[by]) for row in its]
            _stack(frame, axes, [totals([row]) for row in its], names, range(len(its)), by)
        _name_outcomes(frame, by_slices(rows))
        frame.label(by, "share of positions")
        return frame.figure

    return Chart(f"Outcomes by {by}", _captioned(counter, panels, rows), rows, draw)


def _stack(
    frame: Frame, axes: Axes, counts: Sequence[Mapping[Outcome, int]], names: Sequence[str], places: Sequence[float], what: str
) -> None:
    """Draw stacked bars of shares, with the number of positions above each where there is room."""
    frame.name_values(axes, names, places, what)
    bottom = np.zeros(len(counts))
    for outcome in PLURALS:
        shares = np.array([its[outcome] / sum(its.values()) for its in counts])
        axes.bar(places, shares, 0.86, bottom=bottom, **_fill(frame.style, outcome))
        bottom += shares
    size, room = frame.style.small, frame.room / (len(counts) + 2)
    texts = [amount(sum(its.values())) for its in counts]
    upright = max(text_width(text, size) for text in texts) > room
    if not upright or size * POINT * 1.1 < room:
        for place, text in zip(places, texts, strict=True):
            axes.annotate(
                text, (place, 1), (0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=size, rotation=90 * upright
            )
        above = max(text_width(text, size) for text in texts) / POINT if upright else size
        axes.set_title(axes.get_title(), pad=above + 6)
    axes.set_ylim(0, 1)
    frame.share(axes)


def _name_outcomes(frame: Frame, panels: Panels) -> None:
    """Add a legend with the outcomes that occur."""
    counts = totals(row for rows in panels.values() for row in rows)
    frame.legend([Patch(**_fill(frame.style, one), label=PLURALS[one]) for one, number in counts.items() if number], MOVER)


def means(counter: Counter, game: Any, by: str) -> Chart:
    """Chart the mean chance to win by the value of a column, in a game with chance."""
    where = "" if counter.where is None else f" WHERE ({counter.where}\n)"
    named = quoted_name(by)
    statement = f"SELECT {named}, avg(lower) AS at_least, avg(upper) AS at_most FROM positions{where} GROUP BY 1 ORDER BY 1"

    def draw(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
        points = [row[by] for row in rows]
        curves = {name.replace("_", " "): (points, [row[name] for row in rows]) for name in ("at_least", "at_most")}
        return draw_curves(title, text, (by, "chance to win"), curves, style)

    text = f"{game.title}: stored positions, for the player to move"
    return Chart(f"Mean chance to win by {by}", text, counter.answers(game, statement), draw)


def query(counter: Counter, game: Any, statement: str, kind: str) -> Chart:
    """Chart the result of a statement: its first column along the axis, and each further number as bars, a line or points."""
    rows = counter.answers(game, statement)
    if not rows:
        raise TablebaseError("the statement has no rows: choose another condition")
    names = list(rows[0])
    numeric = [name for name in names if all(isinstance(row[name], int | float | None) for row in rows)]
    first, *others = names
    ys = [name for name in others if name in numeric]
    if kind == "heat":
        if len(names) != 3 or not ys or ys[-1] != names[2]:
            raise ArgumentError(f"a heat map needs three columns, the last a number, not {', '.join(names)}: choose these")
    elif not ys or (kind != "bar" and first not in numeric):
        raise ArgumentError(f"{kind} needs {'a number' if ys else 'a column of numbers'} to draw, not {', '.join(names)}: add one")

    def draw(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
        if kind == "heat":
            return _draw_heat(style, title, text, rows)
        series: dict[str, tuple[list[Any], list[Any]]] = {}
        words = [name for name in others if name not in numeric]
        for row in rows:
            for y in ys:
                label = ", ".join([*(_word(row[name]) for name in words), *([y] if len(ys) > 1 or not words else [])])
                if row[y] is not None and (kind == "bar" or row[first] is not None):
                    for values, value in zip(series.setdefault(label, ([], [])), (row[first], row[y]), strict=True):
                        values.append(value)
        frame = Frame(style, title, text, height=66)
        [axes] = frame.axes
        if kind == "bar":
            _draw_bars(frame, axes, series, first)
        else:
            frame.curves(axes, series, kind)
            whole = all(isinstance(x, int) for xs, _ in series.values() for x in xs)
            axes.xaxis.set_major_locator(MaxNLocator(8, integer=whole))
        axes.yaxis.set_major_formatter(FuncFormatter(amount))
        frame.label(first, " and ".join(ys))
        return frame.figure

    return Chart(title_of(game), " ".join(statement.split()), rows, draw)


def _word(value: Any) -> str:
    return "none" if value is None else str(value)


def _draw_bars(frame: Frame, axes: Axes, series: Mapping[str, tuple[list[Any], list[Any]]], what: str) -> None:
    """Draw bars of several names beside each other."""
    points = list(dict.fromkeys(x for xs, _ in series.values() for x in xs))
    palette, width = frame.style.palette, 0.86 / len(series)
    hatches = ("", "/////", ".....", "xxxxx", "|||||") if any(palette.hatches.values()) else ("",)
    for number, (name, (xs, ys)) in enumerate(series.items()):
        places = [points.index(x) + (number - (len(series) - 1) / 2) * width for x in xs]
        colours = palette.lines if len(hatches) == 1 else tuple(palette.outcomes.values())
        edge = {"edgecolor": palette.ink, "linewidth": 0.4} if len(hatches) > 1 else {}
        colour, hatch = colours[number % len(colours)], hatches[number % len(hatches)]
        axes.bar(places, ys, width, label=name, facecolor=colour, hatch=hatch, **edge)
    frame.name_values(axes, [_word(point) for point in points], range(len(points)), what)
    axes.grid(axis="y")
    if len(series) > 1:
        frame.legend(axes.containers)


def _draw_heat(style: Style, title: str, text: str, rows: Sequence[Row]) -> Figure:
    x, y, z = rows[0]
    columns, lines = (list(dict.fromkeys(row[name] for row in rows)) for name in (x, y))
    cells = np.full((len(lines), len(columns)), np.nan)
    for row in rows:
        cells[lines.index(row[y]), columns.index(row[x])] = np.nan if row[z] is None else row[z]
    frame = Frame(style, title, text, height=70)
    [axes] = frame.axes
    scale = scale_of([cells], None if np.nanmin(cells) < 0 else 0.0)
    frame.cells(axes, cells, scale, (frame.room - LEAST_PANEL) / len(columns), share=False)
    frame.name_values(axes, [_word(value) for value in columns], range(len(columns)), x)
    step = max(1, int(np.ceil(len(lines) * style.small * POINT * 1.2 / 45)))
    axes.yaxis.set_major_locator(FixedLocator(range(0, len(lines), step)))
    axes.set_yticklabels([_word(value) for value in lines[::step]])
    frame.label(x, y)
    frame.bar(scale, z, share=False)
    return frame.figure


CHARTS: Mapping[str, Callable[..., Chart]] = {
    "distances": distances,
    "survival": open_after,
    "squares": squares,
    "draws": draws,
    "parity": parity,
    "values": values,
}
"""Charts of the positions of slices."""
