"""A figure's frame: its size, title, panels, legend and axes, laid out for the width at which it is printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from tablebase.errors import TablebaseError
from tablebase.mining.charts.picture_files import HINT, SUFFIXES, check_picture
from tablebase.mining.charts.style import DASHES, MARKERS, POINT, Style
from tablebase.system.files.outputs import written

SCREEN_DPI = 110
WIDTH = 180.0
"""The width of a figure in mm, unless one is given."""
LEAST_PANEL = 26.0
"""The width in mm in which a panel is legible."""
MARGIN = 14.0
"""Room for numbers and the name of an axis, in mm."""
UNITS = ((1e9, "billion"), (1e6, "million"))
Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]
"""Names of lines, and the coordinates of their points."""
MARKED = 9
"""Markers on a line."""


class Picture(Figure):
    """A figure that notebooks show without further ado, and that is saved with the parameters of its style."""

    style = Style()

    def savefig(self, *args: Any, **options: Any) -> None:
        """Save it, as Matplotlib does."""
        with rc_context(self.style.parameters), catch_warnings():
            filterwarnings("error", ".*layout not applied")
            try:
                super().savefig(*args, **options)
            except UserWarning as error:
                hint = "choose a larger --height or --width, a smaller --font-size, or --title none"
                raise TablebaseError(f"the text leaves no room for the chart: {hint}") from error

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=SCREEN_DPI)
        return buffer.getvalue()


def save(figure: Figure, path: Path, hint: str = HINT) -> None:
    """Write a figure in the format of the file's suffix; the same figure always yields the same bytes."""
    check_picture(path, hint)
    suffix, buffer = path.suffix.lower(), BytesIO()
    figure.savefig(buffer, format=suffix[1:], metadata=dict(SUFFIXES[suffix]))
    with written(path, hint) as file:
        file.write(buffer.getvalue())


def text_width(text: str, size: float) -> float:
    """The width of a text in mm."""
    return float(text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)[0]) * POINT


def wrapped(text: str, width: float, size: float) -> str:
    """A text in lines that are at most this wide, in mm."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def fitting(width: float) -> int:
    """Number of panels that are legible beside each other in this width."""
    return max(1, int((width - MARGIN) // LEAST_PANEL))


class Frame:
    """A figure with a title and one or several panels, in rows of as many as fit; lengths are in mm."""

    def __init__(self, style: Style, title: str, caption: str) -> None:
        self.style = style
        self._heading = [title, caption] if style.title is None else [] if style.title == "none" else [style.title]

    def lay_out(
        self,
        *,
        panels: Sequence[str] = ("",),
        height: float = 70,
        width: float = WIDTH,
        square: bool = False,
        ratios: Sequence[float] | None = None,
        most: int | None = None,
    ) -> list[Axes]:
        """Start the figure, with at most so many panels in a row, and return these.

        The style's width and height come before those that the chart prefers, of a row of panels without title.
        """
        style = self.style
        self.width = style.width or width
        rows = -(-len(panels) // (most or fitting(self.width)))
        self.columns = -(-len(panels) // rows)
        self.room = (self.width - MARGIN) / self.columns
        lines = "\n".join(wrapped(line, self.width - 4, style.font_size) for line in self._heading)
        of_lines = len(lines.split("\n")) * style.font_size * 1.25 * POINT if lines else 0
        self.height = style.height or rows * height + of_lines
        # The compact layout gives panels of different shapes cells of different size.
        tight = square and len(set(ratios or [0])) == 1
        self.figure = Picture(figsize=(self.width / 25.4, self.height / 25.4), layout="compressed" if tight else "constrained")
        self.figure.style = style
        if lines:
            self.figure.suptitle(lines)
        subplots = self.figure.subplots(rows, self.columns, sharey=not square, squeeze=False, width_ratios=ratios)
        every: list[Axes] = list(subplots.flat)
        self.axes = every[: len(panels)]
        for axes in every[len(panels) :]:
            axes.remove()
        for axes, name in zip(self.axes, panels, strict=True):
            if len(panels) > 1:
                axes.set_title(name)
        return self.axes

    def label(self, x: str, y: str) -> None:
        """Name the axes; that of counts or shares once for a row of panels."""
        for axes in self.axes:
            axes.set_xlabel(wrapped(x, self.room, self.style.font_size))
        for axes in self.axes[:: self.columns]:
            axes.set_ylabel(wrapped(y, self.height * 0.7, self.style.font_size))

    def legend(self, handles: Sequence[Any], title: str | None = None) -> None:
        """Add a legend below the panels, in as many columns as fit."""
        widest = max(text_width(handle.get_label(), self.style.small) for handle in handles)
        columns = int((self.width - 4) // (widest + 5 * self.style.small * POINT))
        self.figure.legend(
            handles=handles, title=title, loc="outside lower center", ncols=max(1, min(columns, len(handles))), handlelength=2.6
        )

    def name_values(self, axes: Axes, names: Sequence[str], places: Sequence[float], what: str) -> None:
        """Name values on the axis: numbers that lack room in part, and words upright; raise `TablebaseError` if they have none."""
        size, room = self.style.small, self.room / (len(names) + 1)
        wide = [text_width(name, size) + 1.2 > room for name in names]
        numbers = [name.lstrip("-").isdigit() for name in names]
        upright = any(words := [too_wide and not number for too_wide, number in zip(wide, numbers, strict=True)])
        most = int(self.room / (size * POINT if sum(words) > 3 else 1.2))
        if len(names) > most:
            raise TablebaseError(
                f"{what} has {len(names)} values, but at most {most} are legible in {self.width:g}mm:"
                " choose a column with fewer values, or a larger --width"
            )
        widest = max((text_width(name, size) + 1.2 for name, number in zip(names, numbers, strict=True) if number), default=0)
        step = max(1, int(np.ceil(widest / room)))
        shown = [place for place, number in enumerate(numbers) if not number or place % step == 0]
        axes.set_xticks([places[place] for place in shown], [names[place] for place in shown])
        for label, place in zip(axes.get_xticklabels(), shown, strict=True):
            label.set_rotation(90 if upright and not numbers[place] else 0)

    def curves(self, axes: Axes, curves: Curves, kind: str = "line") -> None:
        """Draw lines, or points, which differ by colour, by dashes and by markers."""
        palette = self.style.palette
        for number, (name, (xs, ys)) in enumerate(curves.items()):
            step = max(1, len(xs) // MARKED)
            axes.plot(
                xs,
                ys,
                color=palette.lines[number % len(palette.lines)],
                linestyle=DASHES[number % len(DASHES)] if kind == "line" else "none",
                marker=MARKERS[number % len(MARKERS)],
                # Lines one on the other have their markers at different places.
                markevery=(number * step // max(1, len(curves)), step) if kind == "line" else None,
                label=name,
                clip_on=False,
            )
        if len(curves) > 1 and axes is self.axes[-1]:
            self.legend(axes.get_lines())

    def shares(self, curves: Curves, *, percent: bool = True) -> None:
        """Draw lines of shares on an axis from 0 to 1, or to the largest of other numbers."""
        [axes] = self.axes
        self.curves(axes, curves)
        axes.set_ylim(-0.02, max([1.0, *(share for _, shares in curves.values() for share in shares)]) + 0.02)
        axes.grid(axis="y")
        if percent:
            axes.yaxis.set_major_formatter(PercentFormatter(1))

    def cells(self, axes: Axes, values: Any, scale: Normalize, cell: float, *, share: bool = True) -> None:
        """Draw cells coloured by value, with numbers where a cell of this width in mm has room for them."""
        palette, size = self.style.palette, self.style.small
        colours = colormaps[palette.scale].with_extremes(bad="none")
        height, width = values.shape
        x, y = np.arange(width + 1) - 0.5, np.arange(height + 1) - 0.5
        axes.pcolormesh(x, y, np.ma.masked_invalid(values), cmap=colours, norm=scale, edgecolors=palette.muted, linewidth=0.3)
        axes.spines[:].set_visible(False)
        if share:
            axes.set_aspect("equal")
            axes.tick_params(length=0)
        texts = {
            place: whole_percent(value) if share else amount(round(value, 2))
            for place, value in np.ndenumerate(values)
            if not np.isnan(value)
        }
        if max((text_width(text, size) for text in texts.values()), default=0) + 0.4 <= cell:
            for (row, column), text in texts.items():
                red, green, blue, _ = colours(scale(values[row, column]))
                ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"
                axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=size)

    def bar(self, scale: Normalize, label: str, *, share: bool = True, below: bool = False) -> None:
        """Add a bar with the colours of cells."""
        mapped = ScalarMappable(scale, colormaps[self.style.palette.scale])
        location = "bottom" if below else "right"
        bar = self.figure.colorbar(mapped, ax=self.axes, location=location, shrink=0.8, aspect=28, pad=0.03, panchor=False)
        bar.locator = MaxNLocator(3 if below else 5)
        bar.formatter = PercentFormatter(1, decimals=0 if (scale.vmax or 0) >= 0.05 else 1) if share else FuncFormatter(amount)
        bar.set_label(wrapped(label, (self.width if below else self.height) * 0.75, self.style.font_size))
        bar.outline.set_visible(False)


def draw_curves(title: str, caption: str, labels: tuple[str, str], curves: Curves, *, percent: bool = True) -> Figure:
    """Shares as they change over something that is counted, such as games: a line for each name, through its points.

    The labels are those of what is counted, and of the shares.
    """
    with rc_context(Picture.style.parameters):
        frame = Frame(Picture.style, title, caption)
        [axes] = frame.lay_out()
        frame.shares(curves, percent=percent)
        frame.label(*labels)
        axes.xaxis.set_major_formatter(FuncFormatter(amount))
        return frame.figure


def scale_of(values: Iterable[Any], least: float = 0.0) -> Normalize:
    """A scale from the least value to the largest of some arrays."""
    return Normalize(least, max([least + 0.01, *(float(np.nanmax(each, initial=least)) for each in values)]))


def whole_percent(share: float) -> str:
    """Percentage without decimals; only an exact 0 or 1 is shown as 0 or 100."""
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def amount(number: float, _: object = None) -> str:
    """A number as people read it: 950, 54,515, 54.5 million."""
    for unit, name in UNITS:
        if number >= unit:
            return f"{number / unit:.3g} {name}"
    return f"{number:,.6g}"


def power(number: float, _: object = None) -> str:
    """A power of ten as people write it: 1, 10, 10³."""
    exponent = round(np.log10(number)) if number > 0 else 0
    if number <= 0 or not np.isclose(number, 10.0**exponent):
        return ""
    digits = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return {0: "1", 1: "10"}.get(exponent, f"10{digits}")
