"""Tokens of the players of a race or a dice game: each has the player's number, and odd ones are round, even ones square.

So they are told apart without colours; the first two have the colours of the sides, the others those of arrows.
"""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from tablebase.svg.markup import element, lettering
from tablebase.svg.themes import ARROWS, Theme, Tint

RADIUS = 30
HALF, CORNER = 27, 9
"""Half the width of a square token, and the radius of its corners."""
DIGIT, STROKE = 30, 0.95
"""The height of the number, and the width of its lines in units of glyphs."""
EARS = "M-17-20Q-27-54-15-56Q-4-54-5-25ZM17-20Q27-54 15-56Q4-54 5-25Z"


def token(player: int, x: float, y: float, theme: Theme, *, scale: float = 1.0, ears: bool = False) -> Element:
    """The token of a player, numbered from 0, around a point, with the ears of a hare if it is one."""
    tint = theme.sides[player] if player < len(theme.sides) else Tint(theme.arrows[ARROWS[player - 2]], theme.page.fill)
    paint: dict[str, Any] = {"fill": tint.fill, "stroke": tint.line, "stroke_width": 3}
    # An edge in the other colour keeps a token apart from whatever is below it.
    edge: dict[str, Any] = {"fill": "none", "stroke": tint.fill, "stroke_width": 8}
    shapes: list[tuple[str, dict[str, Any]]] = [("path", {"d": EARS})] if ears else []
    if player % 2:
        shapes.append(("rect", {"x": -HALF, "y": -HALF, "width": 2 * HALF, "height": 2 * HALF, "rx": CORNER}))
    else:
        shapes.append(("circle", {"r": RADIUS}))
    drawn = [element(tag, **shape, **look) for look in (edge, paint) for tag, shape in shapes]
    number = element("g", *lettering(str(player + 1), 0, 0, DIGIT), stroke=tint.line, stroke_width=STROKE, stroke_linecap="round")
    place = f"translate({round(x, 2):g} {round(y, 2):g})" + (f" scale({scale:g})" if scale != 1 else "")
    return element("g", element("title", text=f"player {player + 1}"), *drawn, number, transform=place)
