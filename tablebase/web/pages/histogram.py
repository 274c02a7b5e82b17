"""A histogram of distances as SVG, and as the numbers behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tablebase.pictures.markup import element, picture

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 8, 8, 12, 26
TICKS = 10
"""About how many distances are named below the bars."""


@dataclass(frozen=True)
class Histogram:
    """How many placements are won or lost at each distance.

    Parameters
    ----------
    rows : list of (int, int, int)
        Distance, wins, losses.
    """

    rows: list[tuple[int, int, int]]

    @property
    def drawing(self) -> Markup:
        """The bars as SVG, without colours of its own: its classes are those of the style sheet."""
        most = max(wins + losses for _, wins, losses in self.rows)
        last = self.rows[-1][0]
        step = (WIDTH - LEFT - RIGHT) / (last + 1)
        scale = (HEIGHT - TOP - BOTTOM) / most
        bars, ground = [], HEIGHT - BOTTOM
        for distance, wins, losses in self.rows:
            x, top = LEFT + step * distance, float(ground)
            for name, amount in (("win", wins), ("loss", losses)):
                if amount:
                    # One placement among millions is still seen.
                    height = max(1.0, amount * scale)
                    top -= height
                    bars.append(element("rect", x=x, y=top, width=max(1.0, 0.8 * step), height=height, **{"class": name}))
        axis = element("path", d=f"M{LEFT} {ground}.5H{WIDTH - RIGHT}", **{"class": "axis"})
        every = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if size * TICKS >= last)
        labels = [
            element("text", text=str(distance), x=LEFT + step * (distance + 0.4), y=HEIGHT - 8, **{"class": "tick"})
            for distance in range(0, last + 1, every)
        ]
        hidden: dict[str, Any] = {"class": "histogram", "aria-hidden": "true"}
        return Markup(picture(element("svg", *bars, axis, *labels, viewBox=f"0 0 {WIDTH} {HEIGHT}", **hidden)))


def histogram(rows: Iterable[tuple[str, int, int]]) -> Histogram:
    """A histogram of rows of outcome, distance and placements."""
    counts: dict[int, dict[str, int]] = {}
    for outcome, distance, placements in rows:
        of_distance = counts.setdefault(distance, {})
        of_distance[outcome] = of_distance.get(outcome, 0) + placements
    return Histogram([(distance, of.get("win", 0), of.get("loss", 0)) for distance, of in sorted(counts.items())])
