"""A histogram of distances as SVG, and as the numbers behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import takewhile
from math import log10
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from markupsafe import Markup

from tablebase.svg.markup import element, picture

WIDTH, HEIGHT = 480, 250
"""Small, so that letters are large enough on a telephone."""
LEFT, RIGHT, TOP, BOTTOM = 98, 8, 34, 46
TICKS = 10
"""About how many distances are named below the bars."""
SIZES = (10**9, "billion"), (10**6, "million")
HIDDEN: dict[str, Any] = {"class": "histogram", "aria-hidden": "true"}
"""The numbers are in a table below the picture."""


class Histogram(NamedTuple):
    """Numbers of placements won or lost at each distance."""

    rows: list[tuple[int, int, int]]  # distance, wins, losses

    @property
    def drawing(self) -> Markup:
        """The bars as SVG, on a logarithmic scale; the classes get their colours from the style sheet."""
        most = max(max(wins, losses) for _, wins, losses in self.rows)
        last, ground = self.rows[-1][0], HEIGHT - BOTTOM
        step = (WIDTH - LEFT - RIGHT) / (last + 1)
        scale = (ground - TOP) / log10(1 + most)
        parts = []
        for power in takewhile(lambda power: power <= most, (10**digits for digits in range(100))):
            y = ground - scale * log10(1 + power)
            # As short as it can be read at once.
            name = next((f"{power // size:,} {name}" for size, name in SIZES if power >= size), f"{power:,}")
            parts += [_classed("path", "level", d=f"M{LEFT} {y:.2f}H{WIDTH - RIGHT}"), _text("amount", name, LEFT - 6, y + 5)]
        for distance, wins, losses in self.rows:
            shown = [(name, amount) for name, amount in (("win", wins), ("loss", losses)) if amount]
            for place, (name, amount) in enumerate(shown):
                width, height = 0.8 * step / len(shown), scale * log10(1 + amount)
                x = LEFT + step * distance + width * place
                parts.append(_classed("rect", name, x=x, y=ground - height, width=max(1.0, width), height=height))
        parts.append(_classed("path", "axis", d=f"M{LEFT} {ground}.5H{WIDTH - RIGHT}"))
        every = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if size * TICKS >= last)
        parts += [_text("tick", str(plies), LEFT + step * (plies + 0.4), ground + 19) for plies in range(0, last + 1, every)]
        parts += [_text("name", "positions (logarithmic scale)", 0, 15), _text("name", "plies to the end", LEFT, HEIGHT - 5)]
        return Markup(picture(element("svg", *parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", **HIDDEN)))


def _classed(tag: str, name: str, **attributes: Any) -> Element:
    return element(tag, **{**attributes, "class": name})


def _text(name: str, text: str, x: float, y: float) -> Element:
    return _classed("text", name, text=text, x=x, y=y)


def histogram(rows: Iterable[tuple[str, int, int]]) -> Histogram:
    """A histogram of rows of outcome, distance and placements."""
    counts: Counter[tuple[str, int]] = Counter()
    for outcome, distance, placements in rows:
        counts[outcome, distance] += placements
    distances = sorted({distance for _, distance in counts})
    return Histogram([(distance, counts["win", distance], counts["loss", distance]) for distance in distances])
