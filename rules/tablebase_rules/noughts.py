"""Noughts and crosses (tic-tac-toe), on a board of any size.

Crosses and noughts take turns to mark an empty square; crosses begin. Whoever first has k marks in an unbroken row, along a
file, a rank or a diagonal, wins; longer rows count, too. If the board is full without such a row, the game is a draw. With m files
and n ranks this is the m,n,k-game.

As text, a position is its ranks from the top: ``x.o/.../...``. Who is to move follows from the number of marks.
"""

from __future__ import annotations

import re
from functools import cache
from operator import itemgetter

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game import Side
from tablebase.game.functions import OVER, Ending, FunctionGame

LARGEST = 9
"""The most files, ranks and marks in a row."""


@cache
def game(m: int = 3, n: int = 3, k: int = 3) -> Noughts:
    """The game on m files and n ranks, in which k in a row win.

    Raises
    ------
    RulesError
        If one of the numbers is too small or too large.
    """
    for name, value in (("m", m), ("n", n), ("k", k)):
        if not 1 <= value <= LARGEST:
            raise RulesError(f"{name} of noughts must be a number from 1 to {LARGEST}, not {value}")
    return Noughts(m, n, k)


class Noughts(FunctionGame[str]):
    """A position is its text: a square is known by its place in the text."""

    name = "noughts"
    title = "Noughts and crosses"
    sides = (Side("x", "Crosses"), Side("o", "Noughts"))

    def __init__(self, m: int, n: int, k: int) -> None:
        self.options, self.size, self.won = {"m": m, "n": n, "k": k}, (m, n), ("x" * k, "o" * k)
        self.start, self.form = "/".join(["." * m] * n), "/".join([f"[xo.]{{{m}}}"] * n)
        cells = {(file, rank): (n - 1 - rank) * (m + 1) + file for rank in range(n) for file in range(m)}
        self.squares = {f"{'abcdefghi'[file]}{rank + 1}": at for (file, rank), at in cells.items()}
        self.rows = [
            slice(at, cells[last] + 1, abs(right - up * (m + 1)))
            for (file, rank), at in cells.items()
            for right, up in ((1, 0), (0, -1), (1, -1), (-1, -1))
            if (last := (file + right * (k - 1), rank + up * (k - 1))) in cells
        ]
        flips = [(wide, high) for wide in (False, True) for high in (False, True)]
        images = [{(m - 1 - f if wide else f, n - 1 - r if high else r): (f, r) for f, r in cells} for wide, high in flips]
        if m == n:
            images += [{(rank, file): origin for (file, rank), origin in image.items()} for image in images]
        moved = [{cells[target]: cells[origin] for target, origin in image.items()} for image in images]
        self.images = [itemgetter(*(image.get(at, at) for at in range(len(self.start)))) for image in moved]

    def to_move(self, position: str) -> int:
        """Crosses if there are as many noughts."""
        return OVER if self.result(position) else self._next(position)

    def moves(self, position: str) -> dict[str, str]:
        """A mark on each empty square."""
        if self.result(position):
            return {}
        mark = "xo"[self._next(position)]
        return {square: position[:at] + mark + position[at + 1 :] for square, at in self.squares.items() if position[at] == "."}

    def result(self, position: str) -> Ending | None:
        """A row of the side that moved last, or a full board."""
        last = 1 - self._next(position)
        if self._has_row(position, last):
            return Ending.of_two(last, "row", f"{self.sides[last].name} have {self.options['k']} in a row")
        return None if "." in position else Ending.of_two(None, "full", "the board is full")

    def canonical(self, position: str) -> str:
        """The first in alphabetical order of all images by turning and reflecting the board."""
        return min("".join(image(position)) for image in self.images)

    def format(self, position: str) -> str:
        """As described above."""
        return position

    def parse(self, text: str) -> str:
        """Read a position that can come about."""
        if not isinstance(text, str) or not re.fullmatch(self.form, text):
            form = f"write its ranks from the top with x, o and a dot, as in {self.start!r}"
            raise NotationError(f"{quoted(str(text))} is not a position of {self.name}: {form}")
        if text.count("x") - text.count("o") not in (0, 1):
            raise NotationError(f"{quoted(text)} has {text.count('x')} crosses and {text.count('o')} noughts, but crosses begin")
        if self._has_row(text, self._next(text)):
            raise NotationError(f"the side to move in {quoted(text)} has a row: the game was over before the last move")
        return text

    def svg(self, position: str) -> str:
        """The grid with its marks."""
        m, n = self.size
        drawn = [f"M{10 * file} 0V{10 * n}" for file in range(1, m)] + [f"M0 {10 * rank}H{10 * m}" for rank in range(1, n)]
        for y, rank in enumerate(position.split("/")):
            for x, mark in enumerate(rank):
                look = {"x": "m-3-3l6 6m0-6l-6 6", "o": "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", ".": ""}[mark]
                drawn.append(f"M{10 * x + 5} {10 * y + 5}{look}" if look else "")
        box = f'viewBox="-1 -1 {10 * m + 2} {10 * n + 2}" width="{40 * m + 8}" height="{40 * n + 8}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {box}><path d="{"".join(drawn)}" fill="none" stroke="currentColor"/></svg>'

    def _next(self, position: str) -> int:
        return position.count("x") - position.count("o")

    def _has_row(self, position: str, side: int) -> bool:
        return any(position[row] == self.won[side] for row in self.rows)
