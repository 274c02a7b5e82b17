"""A histogram of distances as SVG, and as the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log10
from typing import Any

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


@dataclass(frozen=True)
class Histogram:
    """Numbers of placements won or lost at each distance."""

    rows: list[tuple[int, int, int]]  # distance, wins, losses

    @property
    def drawing(self) -> Markup:
        """The bars as SVG, on a logarithmic scale, without colours of its own: its classes are those of the style sheet."""
        most = max(max(wins, losses) for _, wins, losses in self.rows)
        last, ground = self.rows[-1][0], HEIGHT - BOTTOM
        step = (WIDTH - LEFT - RIGHT) / (last + 1)
        scale = (ground - TOP) / log10(1 + most)
        bars = []
        for distance, wins, losses in self.rows:
            shown = [(name, amount) for name, amount in (("win", wins), ("loss", losses)) if amount]
            for place, (name, amount) in enumerate(shown):
                width, height = 0.8 * step / len(shown), scale * log10(1 + amount)
                x = LEFT + step * distance + width * place
                bars.append(element("rect", x=x, y=ground - height, width=max(1.0, width), height=height, **{"class": name}))
        axis = element("path", d=f"M{LEFT} {ground}.5H{WIDTH - RIGHT}", **{"class": "axis"})
        every = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if size * TICKS >= last)
        ticks = [
            element("text", text=str(distance), x=LEFT + step * (distance + 0.4), y=ground + 19, **{"class": "tick"})
            for distance in range(0, last + 1, every)
        ]
        across = (LEFT + WIDTH - RIGHT) / 2
        names = [
            element("text", text="positions (logarithmic scale)", x=0, y=15, **{"class": "name"}),
            element("text", text="plies to the end", x=across, y=HEIGHT - 5, text_anchor="middle", **{"class": "name"}),
        ]
        levels, power = [], 1
        while power <= most:
            y = ground - scale * log10(1 + power)
            levels.append(element("path", d=f"M{LEFT} {y:.2f}H{WIDTH - RIGHT}", **{"class": "level"}))
            # As short as it can be read at once.
            name = next((f"{power // size:,} {name}" for size, name in SIZES if power >= size), f"{power:,}")
            levels.append(element("text", text=name, x=LEFT - 6, y=y + 5, **{"class": "amount"}))
            power *= 10
        return Markup(picture(element("svg", *levels, *bars, axis, *ticks, *names, viewBox=f"0 0 {WIDTH} {HEIGHT}", **HIDDEN)))


def histogram(rows: Iterable[tuple[str, int, int]]) -> Histogram:
    """A histogram of rows of outcome, distance and placements."""
    counts: dict[int, dict[str, int]] = {}
    for outcome, distance, placements in rows:
        of_distance = counts.setdefault(distance, {})
        of_distance[outcome] = of_distance.get(outcome, 0) + placements
    return Histogram([(distance, of.get("win", 0), of.get("loss", 0)) for distance, of in sorted(counts.items())])
