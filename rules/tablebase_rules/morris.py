"""Three men's morris, also called tapatan: noughts and crosses with three men each, which then move.

The board has nine points, in three files and three ranks. First the players take turns to place a man on an empty point, Crosses
first, until each has placed three. Then they take turns to move a man of their own to an empty point. Who has his three men in a
row, along a file, a rank or a diagonal, wins, also while men are being placed. There is always a man to move. A position that
occurs for the third time makes a draw; tables call it a draw if neither side can force a row.

Published rules differ in where a man may move (the option ``steps``):

- ``lines``: to the next point along a file, a rank or one of the two diagonals, which are the lines of a tapatan board;
- ``orthogonal``: to the next point along a file or a rank, which is H. J. R. Murray's *three men's morris*;
- ``any``: to any empty point, which is Murray's *nine holes*.

With ``centre=closed`` the very first man must not be placed on the centre; by default (``open``) it may.

As text, a position is its ranks from the top, and who is to move, or would be if the game were not over: ``x.o/.../... x``.
"""

from __future__ import annotations

import re
from functools import cache
from operator import itemgetter

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game import Side
from tablebase.game.functions import OVER, Ending, FunctionGame

OPTIONS = {"steps": ("lines", "orthogonal", "any"), "centre": ("open", "closed")}
POINTS = {f"{'abc'[x]}{3 - y}": 4 * y + x for y in range(3) for x in range(3)}
"""The place of each point in the text."""
ROWS = tuple(slice(at, at + 2 * step + 1, step) for at, step in ((0, 1), (4, 1), (8, 1), (0, 4), (1, 4), (2, 4), (0, 5), (2, 3)))
TURNED = {4 * y + x: 4 * (2 - x) + y for y in range(3) for x in range(3)}
FLIPPED = {4 * y + x: 4 * y + 2 - x for y in range(3) for x in range(3)}


@cache
def game(steps: str = "lines", centre: str = "open") -> Morris:
    """The game by one of its readings; `RulesError` if an option has another value."""
    for name, value in (("steps", steps), ("centre", centre)):
        if value not in (known := OPTIONS[name]):
            raise RulesError(f"{name} of morris must be one of {', '.join(known)}, not {quoted(value)}")
    return Morris(steps, centre)


class Morris(FunctionGame[str]):
    """A position is its text."""

    name = "morris"
    title = "Three men's morris"
    sides = (Side("x", "Crosses"), Side("o", "Noughts"))
    start = ".../.../... x"

    def __init__(self, steps: str, centre: str) -> None:
        self.options = {"steps": steps, "centre": centre}
        pairs = [(a, b) for a in POINTS for b in POINTS if a != b]
        near = [pair for pair in pairs if abs(POINTS[pair[0]] - POINTS[pair[1]]) in (1, 4) or (steps == "lines" and "b2" in pair)]
        self.steps = pairs if steps == "any" else near
        images = [tuple(range(len(self.start)))]
        for change in (TURNED, TURNED, TURNED, FLIPPED, TURNED, TURNED, TURNED):
            images.append(tuple(images[-1][change.get(at, at)] for at in images[0]))
        self.images = [itemgetter(*image) for image in images]

    def to_move(self, position: str) -> int:
        """The side that the text names."""
        return OVER if self.result(position) else "xo".index(position[-1])

    def moves(self, position: str) -> dict[str, str]:
        """A man placed on a point such as ``b2``, or moved from one to another, as in ``a1b2``."""
        if self.result(position):
            return {}
        if position.count(".") == 3:
            free = [(a, b) for a, b in self.steps if position[POINTS[a]] == position[-1] and position[POINTS[b]] == "."]
            return {a + b: _moved(position, a, b) for a, b in free}
        closed = "b2" if position == self.start and self.options["centre"] == "closed" else ""
        return {b: _moved(position, "", b) for b, at in POINTS.items() if position[at] == "." and b != closed}

    def result(self, position: str) -> Ending | None:
        """A row of the side that moved last."""
        last = 1 - "xo".index(position[-1])
        return Ending.of_two(last, "row", f"{self.sides[last].name} have three in a row") if _has_row(position, last) else None

    def canonical(self, position: str) -> str:
        """The first in alphabetical order of all images by turning and reflecting the board."""
        return min("".join(image(position)) for image in self.images)

    def format(self, position: str) -> str:
        """As described above."""
        return position

    def parse(self, text: str) -> str:
        """Read a position with a number of men that can come about."""
        if not isinstance(text, str) or not re.fullmatch("([xo.]{3}/){2}[xo.]{3} [xo]", text):
            raise NotationError(f"{quoted(str(text))} is not a position of {self.name}: write one as in {self.start!r}")
        crosses, noughts, side = text[:-1].count("x"), text[:-1].count("o"), "xo".index(text[-1])
        if (crosses, noughts) != (3, 3) and (crosses > 3 or crosses - noughts != side):
            raise NotationError(f"{quoted(text)} has {crosses} crosses and {noughts} noughts, which are not placed by turns")
        if _has_row(text, side):
            raise NotationError(f"the side to move in {quoted(text)} has a row: the game was over before the last move")
        return text

    def svg(self, position: str) -> str:
        """The points, the lines between them, and the men."""
        diagonals = "M5 5l20 20m-20 0l20-20" if self.options["steps"] == "lines" else ""
        drawn = [f'<path d="M5 5h20v20h-20zm0 10h20m-10-10v20{diagonals}" fill="none" stroke="gray"/>']
        looks = {"x": 'r="3" fill="black"', "o": 'r="3" fill="white"', ".": 'r="1" fill="gray"'}
        men = [(10 * (at % 4) + 5, 10 * (at // 4) + 5, looks[position[at]]) for at in POINTS.values()]
        drawn += [f'<circle cx="{x}" cy="{y}" {look} stroke="gray"/>' for x, y, look in men]
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 30" width="150" height="150">{"".join(drawn)}</svg>'


def _moved(position: str, origin: str, target: str) -> str:
    """The position after a move; without an origin a man is placed."""
    change = {POINTS.get(origin): ".", POINTS[target]: position[-1]}
    return "".join(change.get(at, mark) for at, mark in enumerate(position[:-1])) + "xo"[position[-1] == "x"]


def _has_row(position: str, side: int) -> bool:
    return any(position[row] == "xo"[side] * 3 for row in ROWS)
