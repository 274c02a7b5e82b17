"""Pictures of men's morris: the lines of the board, and the men on it."""

from __future__ import annotations

from tablebase.svg.markup import Svg, element, framed, picture
from tablebase.svg.themes import Theme, as_theme
from tablebase_rules.mens_morris import SIDE, MensMorris

STEP, MARGIN = 60, 40
"""Between neighbouring points of the grid, and around it."""
LEGEND = "w is a man of White, b one of Black, . a free point"


def svg(rules: MensMorris, position: int, theme: str | Theme = "light") -> Svg:
    """The picture, in the colours of a theme."""
    colours, size = as_theme(theme), 2 * rules.rings * STEP + 2 * MARGIN
    at = [(MARGIN + STEP * x, size - MARGIN - STEP * y) for x, y in _xy(rules)]
    rings = ["M" + "L".join("{} {}".format(*point) for point in at[ring : ring + 8]) + "z" for ring in range(0, len(at), 8)]
    spokes = ["M{} {}L{} {}".format(*at[middle], *at[8 * rules.rings - 8 + middle]) for middle in (1, 3, 5, 7)]
    parts = [element("path", d="".join(rings + spokes), fill="none", stroke="gray", stroke_width=2)]
    for (x, y), mark in zip(at, _marks(rules, position), strict=True):
        look = {"w": (20, "white"), "b": (20, "black"), ".": (4, "gray")}[mark]
        parts.append(element("circle", cx=x, cy=y, r=look[0], fill=look[1], stroke="gray", stroke_width=2))
    words = rules.title, described(rules, position)
    return picture(framed(words, (size, size), colours.page.fill, [], parts, size))


def drawn(rules: MensMorris, position: int) -> str:
    """The grid, with a man or a dot on each point."""
    marks = dict(zip(_xy(rules), _marks(rules, position), strict=True))
    grid = range(2 * rules.rings + 1)
    rows = [f"{y + 1} " + " ".join(marks.get((x, y), " ") for x in grid).rstrip() for y in reversed(grid)]
    return "\n".join([*rows, "  " + " ".join("abcdefg"[x] for x in grid)])


def described(rules: MensMorris, position: int) -> str:
    """The points of the men of each side, and who is to move."""
    marks = _marks(rules, position)
    said = []
    for side, mark in zip(rules.sides, "wb", strict=True):
        points = [point for point, one in zip(rules.points, marks, strict=True) if one == mark]
        said.append(f"{side.name} has men on {', '.join(points)}." if points else f"{side.name} has no men.")
    return " ".join([*said, f"{rules.sides[position >> SIDE & 1].name} is to move."])


def _marks(rules: MensMorris, position: int) -> str:
    """Return the man on each point."""
    return rules.format(position).split()[0].replace("/", "")


def _xy(rules: MensMorris) -> list[tuple[int, int]]:
    """Return the file and the rank of each point, from 0."""
    return [("abcdefg".index(point[0]), int(point[1]) - 1) for point in rules.points]
