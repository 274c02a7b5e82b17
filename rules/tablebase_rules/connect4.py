"""Connect Four on boards of any size of up to 62 cells, with one more for each column.

The players take turns to drop a disc into a column that is not full; it falls onto the discs there. Crosses begin. A player who
has four discs in a row, along a file, a rank or a diagonal, wins; if the board is full, the game is a draw.

As text, a position is its ranks from the top: ``...../...../..o../..xx.``. Who is to move follows from the number of discs. A move
is the letter of a column.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game import Side
from tablebase.game.compiled import DRAWN, LOST, CompiledGame, Ending, Functions
from tablebase.game.ranks import bits, lowest

FILES, RANKS, BOTTOM, FULL = range(4)
"""Numbers of the rules: the size, a bit in the lowest cell of each column, and all cells without the spare ones."""


@cache
def game(size: tuple[int, int] = (5, 4)) -> ConnectFour:
    """The game on so many files and ranks; `RulesError` if there are too few, or too many for 62 bits."""
    files, ranks = size
    if files < 1 or ranks < 1 or files * (ranks + 1) > 62 or files > 26:
        raise RulesError(f"connect4 has up to 26 files, and up to 62 cells with one more for each file, not {files}x{ranks}")
    return ConnectFour(files, ranks)


def discs(rules: Any, position: int) -> tuple[int, int]:
    """Return all discs and the discs of the player to move, as sets of cells.

    A column is a run of bits from its lowest cell: the discs of the player to move, with another bit on top of all discs (Tromp).
    """
    filled = position
    for _ in range(rules[RANKS]):
        filled |= filled >> 1 & rules[FULL]
    every = filled >> 1 & rules[FULL]
    return every, position - filled + every


def to_move(rules: Any, position: int) -> int:
    """Crosses after an even number of discs."""
    return bits(discs(rules, position)[0]) & 1


def has_four(rules: Any, own: int) -> bool:
    """Return whether there are four in a row among some discs."""
    for step in (1, rules[RANKS], rules[RANKS] + 1, rules[RANKS] + 2):
        pairs = own & own >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def moves(rules: Any, position: int, out: Any) -> int:
    """Drop a disc into each column, unless the last one has won."""
    every, own = discs(rules, position)
    if has_four(rules, every ^ own):
        return LOST
    if every == rules[FULL]:
        return DRAWN
    count, tops = 0, every + rules[BOTTOM] & rules[FULL]
    while tops:
        place = tops & -tops
        out[count] = (every ^ own) + (every | place) + rules[BOTTOM]
        count += 1
        tops ^= place
    return count


def canonical(rules: Any, position: int) -> int:
    """Return the smaller one of a position and its mirror image."""
    image, height, files = 0, rules[RANKS] + 1, rules[FILES]
    for file in range(files):
        image |= (position >> file * height & ((1 << height) - 1)) << (files - 1 - file) * height
    return min(position, image)


def tier(rules: Any, position: int) -> int:
    """Return how many discs there are."""
    return bits(discs(rules, position)[0])


class ConnectFour(CompiledGame):
    """A tier is a number of discs."""

    name = "connect4"
    title = "Connect Four"
    sides = (Side("x", "Crosses"), Side("o", "Noughts"))
    repetitions = None
    functions = Functions(to_move, moves, tier, canonical=canonical)

    def __init__(self, files: int, ranks: int) -> None:
        self.options = {"files": files, "ranks": ranks}
        self.files, self.ranks, self.most_moves = files, ranks, files
        self.start = sum(1 << file * (ranks + 1) for file in range(files))
        self.rules = [files, ranks, self.start, self.start * ((1 << ranks) - 1)]

    def tier_name(self, tier: int) -> str:
        """The number of discs, in two digits."""
        return f"{tier:02}"

    def move_word(self, position: int, child: int, number: int) -> str:
        """The letter of the column."""
        del number
        new = discs(self.numbers, child)[0] ^ discs(self.numbers, position)[0]
        return "abcdefghijklmnopqrstuvwxyz"[lowest(new) // (self.ranks + 1)]

    def ending(self, position: int, winner: int | None) -> Ending:
        """Four in a row, or a full board."""
        del position
        if winner is None:
            return Ending.of_two(None, "full", "the board is full")
        return Ending.of_two(winner, "four", f"{self.sides[winner].name} have four in a row")

    def marks(self, position: int) -> list[str]:
        """Return the ranks from the top."""
        every, own = discs(self.numbers, position)
        side = bits(every) & 1
        height, rows = self.ranks + 1, []
        for rank in reversed(range(self.ranks)):
            cells = [1 << file * height + rank for file in range(self.files)]
            rows.append("".join("." if not every & cell else "xo"[side if own & cell else 1 - side] for cell in cells))
        return rows

    def format(self, position: int) -> str:
        """As described above."""
        return "/".join(self.marks(position))

    def parse(self, text: str) -> int:
        """Read a position of discs that lie on each other; whether play can lead to it is not examined."""
        row = f"[xo.]{{{self.files}}}"
        self.check_text(text, "/".join([row] * self.ranks), "its ranks from the top with x, o and a dot")
        columns = ["".join(column).rstrip(".") for column in zip(*reversed(text.split("/")), strict=True)]
        if any("." in column for column in columns):
            raise NotationError(f"{quoted(text)} has a disc on an empty cell: discs fall down")
        side = text.count("x") - text.count("o")
        if side not in (0, 1):
            raise NotationError(f"{quoted(text)} has {text.count('x')} crosses and {text.count('o')} noughts, but crosses begin")
        own = [sum(1 << at for at, mark in enumerate(column) if mark == "xo"[side]) for column in columns]
        return sum(
            (1 << len(column)) + some << file * (self.ranks + 1)
            for file, (column, some) in enumerate(zip(columns, own, strict=True))
        )

    def svg(self, position: int) -> str:
        """The cells with their discs."""
        looks = {".": "white", "x": "gold", "o": "firebrick"}
        drawn = [
            f'<circle cx="{10 * x + 5}" cy="{10 * y + 5}" r="4" fill="{looks[mark]}"/>'
            for y, row in enumerate(self.marks(position))
            for x, mark in enumerate(row)
        ]
        width, height = 10 * self.files, 10 * self.ranks
        box = f'viewBox="0 0 {width} {height}" width="{4 * width}" height="{4 * height}"'
        board = f'<rect width="{width}" height="{height}" fill="navy"/>'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{board}{"".join(drawn)}</svg>'
