"""Pictures of Kalah: the seeds in the pits and stores, with their numbers; the pits of the player to move have wide edges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import cos, pi, sin, sqrt
from xml.etree.ElementTree import Element

from tablebase.game.compiled import OVER
from tablebase.svg.markup import Svg, element, framed, lettering, picture
from tablebase.svg.themes import Theme, as_theme
from tablebase_rules.kalah import Kalah

STEP, RADIUS, HEIGHT = 100, 42, 330
"""From pit to pit, of a pit, and of the picture."""
GOLDEN = pi * (3 - sqrt(5))
"""The angle between neighbouring seeds, as in the head of a sunflower."""
LEGEND = "above are North's pits with his store on their left, below South's with his store on their right; > is to move"


def svg(rules: Kalah, position: int, theme: str | Theme = "light") -> Svg:
    """The picture, in the colours of a theme."""
    colours, (south, north), last = as_theme(theme), rules.rows(position), rules.pits + 1
    width, mover = STEP * (rules.pits + 2), rules.to_move(position)
    columns = range(1, last)
    pits = [
        *(_pit(STEP * (last - pit) + STEP / 2, 82, north[pit - 1], mover == 1, 142, colours) for pit in columns),
        *(_pit(STEP * pit + STEP / 2, 248, south[pit - 1], mover == 0, 188, colours) for pit in columns),
        _pit(STEP / 2, 165, north[-1], False, 225, colours),
        _pit(STEP * last + STEP / 2, 165, south[-1], False, 225, colours),
    ]
    ink = colours.page.line
    numbers = [
        element("g", *lettering(str(pit), x, y, 14), stroke=ink, fill=ink)
        for pit in columns
        for x, y in ((STEP * (last - pit) + STEP / 2, 20), (STEP * pit + STEP / 2, 310))
    ]
    words = rules.title, described(rules, position)
    return picture(framed(words, (width, HEIGHT), colours.page.fill, [], chain(*pits, numbers), max(width, HEIGHT) * 0.8))


def _pit(x: float, y: float, seeds: int, is_movers: bool, below: float, colours: Theme) -> Iterator[Element]:
    """Draw a pit with its seeds, and their number at a height."""
    fill, ink = colours.square
    yield element("circle", cx=x, cy=y, r=RADIUS, fill=fill, stroke=ink, stroke_width=6 if is_movers else 1.5)
    apart = (RADIUS - 9) / sqrt(max(seeds, 12))
    for seed in range(seeds):
        far, angle = apart * sqrt(seed + 0.5), seed * GOLDEN
        yield element("circle", cx=x + far * cos(angle), cy=y + far * sin(angle), r=apart * 0.7, fill=ink, stroke=fill)
    ink = colours.page.line
    yield element("g", *lettering(str(seeds), x, below, 16), stroke=ink, fill=ink, stroke_width=1.5)


def drawn(rules: Kalah, position: int) -> str:
    """Both rows with their stores, between the numbers of the pits."""
    (south, north), mover = rules.rows(position), rules.to_move(position)
    numbers = [*range(1, rules.pits + 1)]
    lines = [
        ("", "", numbers[::-1], ""),
        (">" * (mover == 1), north[-1], north[-2::-1], ""),
        (">" * (mover == 0), "", south[:-1], south[-1]),
        ("", "", numbers, ""),
    ]
    return "\n".join(
        f"{mark:1}{left:>4} {''.join(f'{one:>4}' for one in row)}{right:>5}".rstrip() for mark, left, row, right in lines
    )


def described(rules: Kalah, position: int) -> str:
    """The seeds of each player, and who is to move."""
    mover = rules.to_move(position)
    said = [
        f"{side.name} has {', '.join(map(str, row))} seeds in the pits and {store} in the store."
        for side, (*row, store) in zip(rules.sides, rules.rows(position), strict=True)
    ]
    return " ".join([*said, "The game is over." if mover == OVER else f"{rules.sides[mover].name} is to move."])
