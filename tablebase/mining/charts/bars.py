"""Bars as SVG, for pages and notebooks; they need no Matplotlib.

Text and lines have the colour of the text around them, so that bars suit a light ground and a dark one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from tablebase.game import Outcome
from tablebase.svg.markup import element

COLOURS = {Outcome.WIN: "#0072B2", Outcome.LOSS: "#E69F00", Outcome.DRAW: "#BBBBBB"}
"""Of outcomes in all charts: by Okabe and Ito, distinguishable with any colour vision."""
WIDTH, LINE, BAR = 300, 15, 12
"""A row is a line of text above a bar; this is narrow enough to be legible on a telephone."""
FONT = 12
INK = "currentColor"


class Fill(NamedTuple):
    """The colour of a part of a bar, and how opaque it is."""

    colour: str
    opacity: float = 1.0


class Bar(NamedTuple):
    """A row of a chart."""

    label: str  # text above its bar, to the left
    amount: str  # the same, to the right
    parts: Sequence[tuple[float, Fill]]  # the parts side by side, as shares of the whole width


def draw_bars(about: str, rows: Sequence[Bar]) -> Element:
    """Bars, one below the other, as SVG; `about` is what they show, for readers who do not see it."""
    drawn = [each for place, row in enumerate(rows) for each in _draw(row, place * (LINE + BAR + LINE // 2))]
    height = len(rows) * (LINE + BAR + LINE // 2)
    picture = element("svg", *drawn, viewBox=f"0 0 {WIDTH} {height}", role="img", font_size=FONT, fill=INK)
    picture.set("aria-label", about)
    picture.set("style", "display: block; width: 100%; max-width: 30rem; height: auto; font-family: sans-serif")
    return picture


def _draw(row: Bar, top: int) -> list[Element]:
    made = [
        element("text", text=row.label, x=0, y=top + FONT),
        element("text", text=row.amount, x=WIDTH, y=top + FONT, text_anchor="end"),
    ]
    left = 0.0
    for share, fill in row.parts:
        if share:
            width = share * WIDTH
            made.append(element("rect", x=left, y=top + LINE, width=width, height=BAR, fill=fill.colour, fill_opacity=fill.opacity))
            left += width
    # A bar of no width is still seen to be one.
    made.append(element("rect", x=0, y=top + LINE, width=WIDTH, height=BAR, fill="none", stroke=INK, stroke_width=0.5))
    return made
