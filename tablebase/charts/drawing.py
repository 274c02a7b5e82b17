"""Charts of plain counts, as Matplotlib figures; nothing here reads a table.

The colours of Okabe and Ito and the colour map cividis are distinguishable with any colour vision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from tablebase.charts.bars import COLOURS
from tablebase.charts.charted_slices import PLURALS
from tablebase.charts.picture_files import CURE, SUFFIXES, check_picture
from tablebase.charts.tallies import DrawMatrix, Tally
from tablebase.errors import TablebaseError
from tablebase.files.outputs import written
from tablebase.game import Board, Outcome

SCALE = colormaps["cividis"]
LINE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
HATCH = "////"
GRID = "#888888"
NO_SQUARE = "#E4E4E4"
LIMIT = 110
"""Maximum number of legible rows or columns."""
WRITTEN = 40
"""Maximum number of columns with room for a number in each cell."""
DPI = 150
SCREEN_DPI = 72


class Picture(Figure):
    """A figure that notebooks show without further ado."""

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=SCREEN_DPI)
        return buffer.getvalue()


def save(figure: Figure, path: Path, cure: str = CURE) -> None:
    """Write a figure in the format of the file's suffix; the same figure always yields the same bytes."""
    check_picture(path, cure)
    suffix = path.suffix.lower()
    buffer = BytesIO()
    with rc_context({"svg.hashsalt": "tablebase"}):
        figure.savefig(buffer, format=suffix[1:], dpi=DPI, metadata=dict(SUFFIXES[suffix]))
    with written(path, cure) as file:
        file.write(buffer.getvalue())


def draw_distances(
    caption: str, by_distance: Mapping[Outcome, Mapping[int, int]], totals: Mapping[Outcome, int], log: bool = False
) -> Figure:
    """Histogram of distances of the outcomes to be shown; the legend has all positions by outcome.

    The scale of positions can be logarithmic.
    """
    figure, axes = one_chart(8, 4.2, "Distance to the end of the game", caption)
    occurrences: Counter[int] = Counter(distance for counts in by_distance.values() for distance in counts)
    # In most games wins take an odd number of plies and losses an even number, so bars do not overlap.
    side_by_side = max(occurrences.values(), default=1) > 1
    width = 0.45 if side_by_side else 0.9
    for number, (outcome, counts) in enumerate(by_distance.items()):
        shift = (number - 0.5) * width if side_by_side else 0.0
        heights = list(counts.values())
        axes.bar([distance + shift for distance in counts], heights, width, color=COLOURS[outcome], label=PLURALS[outcome])
    axes.set(xlabel="distance (plies under best play)", ylabel="positions")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlim(min(occurrences, default=0) - 0.8, max(occurrences, default=0) + 0.8)
    if log:
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)
    axes.yaxis.set_major_formatter(FuncFormatter(_short))
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    shown = {outcome: number for outcome, number in totals.items() if outcome in by_distance or len(by_distance) > 1}
    _add_legend(axes, shown, totals)
    return figure


def _add_legend(axes: Axes, shown: Mapping[Outcome, int], totals: Mapping[Outcome, int]) -> None:
    """Add a legend with the number and share of each outcome; draws have no bars, so they have no colour."""
    colours = {**COLOURS, Outcome.DRAW: "none"}
    total = sum(totals.values())
    axes.legend(
        [Patch(color=colours[outcome]) for outcome in shown],
        [f"{PLURALS[outcome]}: {number:,} ({_percent(number, total)})" for outcome, number in shown.items()],
        title="outcome of the side to move",
        alignment="left",
        frameon=False,
    )


def draw_squares(caption: str, piece: str, board: Board, tally: Tally[str], outcome: Outcome) -> Figure:
    """Heat map of an outcome's share by the square of a piece, given its name and the squares that it can stand on."""
    size = 0.62
    title = f"Share of {PLURALS[outcome]} by the square of {piece}"
    figure, axes = one_chart(max(board.width * size + 1.6, 5.2), board.height * size + 1.1, title, caption)
    shares = np.full((board.height, board.width), np.nan)
    for name, counts in tally.items():
        file, rank = board.cells[board.square(name)]
        shares[rank, file] = counts[outcome] / sum(counts.values())
    _mesh(figure, axes, shares, f"share of {PLURALS[outcome]} of the side to move", number_size=8)
    _outline_squares(axes, board)
    axes.set_xticks(range(board.width), [chr(ord("a") + file) for file in range(board.width)])
    axes.set_yticks(range(board.height), [str(rank + 1) for rank in range(board.height)])
    axes.set(xlabel="file", ylabel="rank")
    return figure


def _outline_squares(axes: Axes, board: Board) -> None:
    """Outline the board's squares, and fill the cells of the grid that are not squares."""
    cells = {(file, rank): Rectangle((file - 0.5, rank - 0.5), 1, 1) for rank, file in np.ndindex(board.height, board.width)}
    squares = [rectangle for cell, rectangle in cells.items() if cell in board.numbers]
    others = [rectangle for cell, rectangle in cells.items() if cell not in board.numbers]
    axes.add_collection(PatchCollection(squares, facecolor="none", edgecolor=GRID, linewidth=0.6), autolim=False)
    axes.add_collection(PatchCollection(others, facecolor=NO_SQUARE, zorder=0), autolim=False)


def draw_draws(caption: str, sides: tuple[str, str], matrices: Sequence[DrawMatrix]) -> Figure:
    """Share of draws by material, given the names of the sides; the matrices are drawn side by side.

    Raise `TablebaseError` if they are too large to be legible.
    """
    rows, columns = max(len(matrix.rows) for matrix in matrices), sum(len(matrix.columns) for matrix in matrices)
    if max(rows, columns) > LIMIT:
        raise TablebaseError(
            f"the matrix would have {rows} rows and {columns} columns, but at most {LIMIT} are legible:"
            " choose fewer materials, as in --material '??v??'"
        )
    cell = 0.42 if max(rows, columns) <= 12 else 0.25 if columns <= WRITTEN else 0.17
    figure = _blank(max(columns * cell + 0.9 * len(matrices) + 1.2, 5.2), rows * cell + 1.5, "Share of draws by material", caption)
    panels = figure.subplots(1, len(matrices), squeeze=False, width_ratios=[len(matrix.columns) for matrix in matrices])[0]
    all_shares = [_shares(matrix) for matrix in matrices]
    scale = _scale(np.concatenate([shares.ravel() for shares in all_shares]), least=0.0)
    for axes, matrix, shares in zip(panels, matrices, all_shares, strict=True):
        _mesh(None, axes, shares, "", number_size=(8 if cell > 0.4 else 5.5) if columns <= WRITTEN else None, scale=scale)
        label_size = 9 if cell > 0.4 else 6.5 if columns <= WRITTEN else 5
        rotation = 90 if len(matrix.columns[0]) > 1 else 0
        axes.set_xticks(range(len(matrix.columns)), matrix.columns, fontsize=label_size, rotation=rotation)
        axes.set_yticks(range(len(matrix.rows)), matrix.rows, fontsize=label_size)
        axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
        axes.xaxis.set_label_position("top")
        axes.set(xlabel=f"{sides[1]}'s pieces", ylabel=f"{sides[0]}'s pieces", anchor="N" if len(panels) > 1 else "C")
        axes.invert_yaxis()
    if len(panels) > 1:
        _colour_bar(figure, panels[1:], scale, "share of draws", "bottom")
    else:
        _colour_bar(figure, panels, scale, "share of draws")
    return figure


def _shares(matrix: DrawMatrix) -> Any:
    """Draws as a share of all positions, NaN where there are no positions."""
    with np.errstate(invalid="ignore"):
        return matrix.draws / np.where(matrix.positions, matrix.positions, np.nan)


def draw_parity(caption: str, pieces: tuple[str, str], tally: Tally[tuple[int, bool]]) -> Figure:
    """Shares of the outcomes by the distance between two pieces, given their names, and whether it is even, which is hatched."""
    figure = _blank(8, 4.4, f"Outcomes by the distance of {pieces[0]} and {pieces[1]}", caption)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[max(len(tally), 3), 3])
    ordered = sorted(tally)
    _stack(left, [tally[key] for key in ordered], [str(distance) for distance, _ in ordered], [even for _, even in ordered])
    sums = {kind: sum((tally[key] for key in ordered if key[1] in kind), Counter[Outcome]()) for kind in ((False,), (True,))}
    _stack(right, [*sums.values(), sum(sums.values(), Counter[Outcome]())], ["odd", "even", "all"], [False, True, False])
    left.set(xlabel="Manhattan distance (files and ranks between)", ylabel="share of positions")
    left.yaxis.set_major_formatter(PercentFormatter(1))
    right.set(xlabel="in total")
    even = Patch(facecolor="white", edgecolor="#444444", hatch=HATCH, label="distance is even")
    _name_outcomes(figure, even, title="outcome of the side to move")
    return figure


def draw_outcomes(caption: str, column: str, tally: Tally[Any]) -> Figure:
    """Shares of the outcomes by the value of a column; raise `TablebaseError` if there are too many values to be legible."""
    if len(tally) > LIMIT:
        raise TablebaseError(f"{column} has {len(tally)} values, but at most {LIMIT} are legible: choose another column with --by")
    figure, axes = one_chart(8, 4.2, f"Outcomes by {column}", caption)
    _stack(axes, list(tally.values()), list(map(str, tally)), [False] * len(tally))
    axes.set(xlabel=column, ylabel="share of positions")
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    _name_outcomes(figure)
    return figure


def _name_outcomes(figure: Figure, *more: Patch, title: str | None = None) -> None:
    """Add a legend with the colours of outcomes below the charts."""
    handles = [*(Patch(color=COLOURS[outcome], label=PLURALS[outcome]) for outcome in COLOURS), *more]
    figure.legend(handles=handles, title=title, loc="outside lower center", ncols=len(handles), frameon=False)


def _stack(axes: Axes, counts: Sequence[Counter[Outcome]], names: Sequence[str], hatched: Sequence[bool]) -> None:
    """Stacked bars of shares, with the number of positions above each."""
    totals = [sum(by_outcome.values()) for by_outcome in counts]
    bottom = np.zeros(len(counts))
    for outcome, colour in COLOURS.items():
        shares = np.array([by_outcome[outcome] / total if total else 0.0 for by_outcome, total in zip(counts, totals, strict=True)])
        bars = axes.bar(range(len(counts)), shares, 0.86, bottom=bottom, color=colour)
        for bar, even in zip(bars, hatched, strict=True):
            if even:
                bar.set(hatch=HATCH, edgecolor="#00000055", linewidth=0)
        bottom += shares
    for number, total in enumerate(totals):
        axes.annotate(_short(total), (number, 1), (0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=7)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 1.06)
    axes.spines[["top", "right"]].set_visible(False)


def draw_curves(
    title: str, caption: str, labels: tuple[str, str], curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]
) -> Figure:
    """Shares as they change over something that is counted, such as games: a line for each name, through its points.

    The labels are those of what is counted, and of the shares.
    """
    figure, axes = one_chart(8, 4.2, title, caption)
    for (name, (counts, shares)), colour in zip(curves.items(), cycle(LINE_COLOURS), strict=False):
        axes.plot(counts, shares, color=colour, label=name, linewidth=1.6)
    axes.set(xlabel=labels[0], ylabel=labels[1], ylim=(-0.02, 1.02))
    axes.xaxis.set_major_formatter(FuncFormatter(_short))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=len(curves), frameon=False)
    return figure


def _blank(width: float, height: float, title: str, caption: str) -> Figure:
    figure = Picture(figsize=(width, height), layout="constrained")
    # A long caption is split after its first colon.
    wrapped = caption if len(caption) <= int(width * 14) else caption.replace(": ", ":\n", 1)
    figure.suptitle(f"{title}\n{wrapped}", fontsize=9.5)
    return figure


def one_chart(width: float, height: float, title: str, caption: str) -> tuple[Figure, Axes]:
    """A figure with one chart."""
    figure = _blank(width, height, title, caption)
    return figure, figure.subplots()


def _scale(values: Any, least: float | None = None) -> Normalize:
    """A scale from the smallest value, or from `least`, to the largest."""
    known = values[~np.isnan(values)]
    low = least if least is not None else float(known.min(initial=1.0))
    return Normalize(low, max(float(known.max(initial=0.0)), low + 0.01))


def _mesh(
    figure: Figure | None, axes: Axes, shares: Any, label: str, number_size: float | None, scale: Normalize | None = None
) -> None:
    """Cells coloured by share, with percentages if `number_size` is given; a colour bar if a figure is given."""
    scale = scale or _scale(shares)
    height, width = shares.shape
    x, y = np.arange(width + 1) - 0.5, np.arange(height + 1) - 0.5
    axes.pcolormesh(x, y, np.ma.masked_invalid(shares), cmap=SCALE, norm=scale, edgecolors="white", linewidth=0.3)
    axes.set_aspect("equal")
    axes.spines[:].set_visible(False)
    if number_size is not None:
        for (row, column), share in np.ndenumerate(shares):
            if not np.isnan(share):
                colour = "black" if scale(share) > 0.55 else "white"
                axes.text(column, row, _whole_percent(share), ha="center", va="center", color=colour, fontsize=number_size)
    if figure is not None:
        _colour_bar(figure, axes, scale, label)


def _colour_bar(figure: Figure, axes: Any, scale: Normalize, label: str, location: str = "right") -> None:
    bar = figure.colorbar(ScalarMappable(scale, SCALE), ax=axes, location=location, shrink=0.8, aspect=28, pad=0.03, panchor=False)
    span = (scale.vmax or 0) - (scale.vmin or 0)
    bar.long_axis.set_major_formatter(PercentFormatter(1, decimals=0 if span >= 0.05 else 1))
    bar.set_label(label)
    bar.outline.set_visible(False)


def _whole_percent(share: float) -> str:
    """Percentage without decimals; only an exact 0 or 1 is shown as 0 or 100."""
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def _short(number: float, _: object = None) -> str:
    """A number with few digits: 950, 2,352, 54.4M."""
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= max(unit, 1e4):
            return f"{number / unit:.3g}{sign}"
    return f"{number:,g}"
