"""The animals of Dou Shou Qi, and the fields on which they play."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tablebase.game import Board

WIDTH, HEIGHT = 7, 9
BOARD = Board.full(WIDTH, HEIGHT)
DENS = BOARD.squares("d1 d9")
TRAPS = (frozenset(BOARD.squares("c1 e1 d2")), frozenset(BOARD.squares("c9 e9 d8")))
WATER = frozenset(BOARD.squares("b4 c4 b5 c5 b6 c6 e4 f4 e5 f5 e6 f6"))
ANIMALS = {"R": "rat", "C": "cat", "W": "wolf", "D": "dog", "P": "panther", "T": "tiger", "L": "lion", "E": "elephant"}
STRENGTHS = {letter: strength for strength, letter in enumerate(ANIMALS, start=1)}


@dataclass(frozen=True)
class Field:
    """A board with its water, the traps and dens of each side, and the pieces that a game begins with."""

    board: Board
    water: frozenset[int]
    traps: tuple[frozenset[int], frozenset[int]]
    dens: tuple[frozenset[int], frozenset[int]]
    start: str

    @cached_property
    def all_dens(self) -> frozenset[int]:
        """The dens of both sides."""
        return self.dens[0] | self.dens[1]

    @cached_property
    def starts(self) -> Mapping[str, frozenset[int]]:
        """Where the pieces of each symbol stand when a game begins."""
        found: dict[str, frozenset[int]] = {}
        for row, text in enumerate(self.start.partition(" ")[0].split("/")):
            file = 0
            for token in re.findall("[0-9]+|.", text):
                if token.isdecimal():
                    file += int(token)
                    continue
                square = self.board.numbers[file, self.board.height - 1 - row]
                found[token] = found.get(token, frozenset()) | {square}
                file += 1
        return found

    def image(self, *, turned: bool) -> tuple[int, ...] | None:
        """Where each square comes to lie, mirrored or turned by half; None if that does not leave the field as it is.

        Turned, traps and dens change sides.
        """
        board = self.board
        cells = [(board.width - 1 - file, board.height - 1 - rank if turned else rank) for file, rank in board.cells]
        if not set(cells) <= board.numbers.keys():
            return None
        image = tuple(board.numbers[cell] for cell in cells)

        def moved(squares: frozenset[int]) -> frozenset[int]:
            return frozenset(image[square] for square in squares)

        step = -1 if turned else 1
        owned = all(tuple(map(moved, pair)) == pair[::step] for pair in (self.traps, self.dens))
        return image if owned and moved(self.water) == self.water else None


STANDARD = Field(BOARD, WATER, TRAPS, (frozenset(DENS[:1]), frozenset(DENS[1:])), "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w")
