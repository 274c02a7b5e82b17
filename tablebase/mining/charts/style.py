"""The look of figures: size, letters, colours, and the dashes, markers and hatches that replace colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tablebase.errors import ArgumentError, quoted
from tablebase.game import Outcome
from tablebase.game.plain_arguments import parse_width

POINT = 25.4 / 72
"""Millimetres in a point."""
LEAST_SIZE, LARGEST_SIZE = 6.0, 24.0
"""Sizes of letters in points; smaller ones are not legible in print."""
LEAST_WIDTH, LARGEST_WIDTH = 40.0, 1000.0
Ground = Literal["light", "dark", "grey"]


class Palette(NamedTuple):
    """The colours of a style."""

    ink: str
    ground: str
    muted: str  # lines of the grid, and cells that are not squares
    fills: tuple[str, ...]  # of bars, first those of wins, losses and draws
    hatches: tuple[str, ...]
    lines: tuple[str, ...]
    scale: str  # a colour map of Matplotlib


COLOURS = {Outcome.WIN: "#0072B2", Outcome.LOSS: "#E69F00", Outcome.DRAW: "#BBBBBB"}
"""Colours of outcomes in all charts: by Okabe and Ito, distinguishable with any colour vision."""
BLUE, ORANGE, GREEN, PURPLE, RED, SKY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9"
FILLS = (*COLOURS.values(), GREEN, PURPLE)
PALETTES = {
    "light": Palette("#000000", "#FFFFFF", "#DDDDDD", FILLS, ("",), (BLUE, RED, GREEN, PURPLE, ORANGE), "cividis"),
    "dark": Palette(
        "#E6E6E6", "#161616", "#3C3C3C", (SKY, ORANGE, "#8C8C8C", GREEN, PURPLE), ("",), (SKY, ORANGE, GREEN, PURPLE), "cividis"
    ),
    "grey": Palette(
        "#000000",
        "#FFFFFF",
        "#DDDDDD",
        ("#4D4D4D", "#CFCFCF", "#FFFFFF"),
        ("", "/////", ".....", "xxxxx", "|||||"),
        ("#000000", "#555555", "#888888"),
        "Greys",
    ),
}
"""The colours of Okabe and Ito and the map cividis are distinguishable with any colour vision."""
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)))
MARKERS = "os^Dv"
"""Lines differ by these, also where colours do not."""


@dataclass(frozen=True)
class Style:
    """The look of a figure; lengths are in mm, letters in points, and None leaves the choice to the chart."""

    width: float | None = None
    height: float | None = None
    font_size: float = 8.0
    dpi: int = 300
    title: str | None = None
    ground: Ground = "light"

    @property
    def palette(self) -> Palette:
        """The colours."""
        return PALETTES[self.ground]

    @property
    def small(self) -> float:
        """The size of the smaller letters."""
        return max(LEAST_SIZE, self.font_size - 1)

    def fill(self, number: int) -> dict[str, Any]:
        """The colour and hatch of the bars of a series; bars with hatches have an edge."""
        fills, hatches = self.palette.fills, self.palette.hatches
        edge = {"edgecolor": self.palette.ink, "linewidth": 0.4} if len(hatches) > 1 else {"linewidth": 0}
        return {"facecolor": fills[number % len(fills)], "hatch": hatches[number % len(hatches)], **edge}

    def fill_of(self, outcome: Outcome) -> dict[str, Any]:
        """The colour and hatch of the bars of an outcome."""
        return self.fill(list(COLOURS).index(outcome))

    @property
    def parameters(self) -> Any:
        """Matplotlib's parameters: fonts are embedded as TrueType, text in SVG is text, and equal figures are equal bytes."""
        ink, ground, muted, *_ = self.palette
        large = ("font.size", "figure.titlesize", "axes.titlesize", "axes.labelsize")
        small = ("legend.fontsize", "legend.title_fontsize", "xtick.labelsize", "ytick.labelsize")
        inks = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
        return {
            "pdf.fonttype": 42,
            "svg.fonttype": "none",
            "svg.hashsalt": "tablebase",
            "text.parse_math": False,
            "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
            "savefig.dpi": self.dpi,
            "savefig.bbox": None,
            "axes.axisbelow": True,
            "legend.frameon": False,
            "hatch.linewidth": 0.4,
            "lines.linewidth": 1.2,
            "lines.markersize": 3.5,
            "grid.color": muted,
            "grid.linewidth": 0.5,
            "axes.linewidth": 0.6,
            **dict.fromkeys(large, self.font_size),
            **dict.fromkeys(small, self.small),
            **dict.fromkeys(inks, ink),
            **dict.fromkeys(("figure.facecolor", "axes.facecolor"), ground),
            **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
        }


def parse_style(width: str | None, height: str | None, font_size: float, dpi: int, title: str | None, ground: Ground) -> Style:
    """A style from the options of `Tablebase.plot`; raise `ArgumentError` if one of them is out of range."""
    if not LEAST_SIZE <= font_size <= LARGEST_SIZE:
        raise ArgumentError(f"invalid --font-size {font_size:g}: expected {LEAST_SIZE:g} to {LARGEST_SIZE:g} points")
    if ground not in list(PALETTES):
        raise ArgumentError(f"invalid --style {quoted(ground)}: expected {', '.join(PALETTES)}")
    return Style(_length("width", width), _length("height", height), font_size, dpi, title, ground)


def _length(name: str, text: str | None) -> float | None:
    return None if text is None else parse_width(text, name, LEAST_WIDTH, LARGEST_WIDTH)
