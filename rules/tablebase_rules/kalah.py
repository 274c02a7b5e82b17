"""Kalah with few pits and seeds.

Each player, South and North, has a row of pits and a store at its right end; South begins. A move takes all seeds out of one of the
mover's pits and sows them, one in each next pit anticlockwise: along his own row, into his own store, along the other row, and
past the other store along his own row again, where the pit that he has emptied is not left out. Then:

- If the last seed falls into the mover's store, he moves again.
- If it falls into an empty pit of his own, he captures: it goes into his store with all seeds of the pit opposite, even if there
  are none. With ``capture=seeds`` he captures only if there are some.
- If a row is empty after a move, also that of a player who would move again, the game is over: each player puts what is left in
  his row into his store. Who has more seeds wins; with as many, the game is a draw. By how much a player wins does not count.

These are the rules of Irving, Donkers and Uiterwijk, "Solving Kalah" (2000).

As text, a position is the pits of South from his left, with his store, those of North from his left, with his store, and who is to
move, ``-`` if nobody is: ``3,3,3,0 3,3,3,0 s``. A move is the number of a pit from the mover's left, from 1.
"""

from __future__ import annotations

import re
from functools import cache

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game import Side
from tablebase.game.functions import OVER, Ending, FunctionGame

OPTIONS = {"pits": range(1, 10), "seeds": range(1, 10), "capture": ("always", "seeds")}
LETTERS = {0: "s", 1: "n", OVER: "-"}
Position = tuple[tuple[tuple[int, ...], ...], int]
"""The row of South with his store behind it and that of North; and the player to move."""


@cache
def game(pits: int = 3, seeds: int = 3, capture: str = "always") -> Kalah:
    """The game with so many pits of each player, and so many seeds in each; `RulesError` if an option is out of range."""
    for name, value in (("pits", pits), ("seeds", seeds), ("capture", capture)):
        if value not in (known := OPTIONS[name]):
            raise RulesError(f"{name} of kalah must be one of {', '.join(map(str, known))}, not {quoted(value)}")
    return Kalah(pits, seeds, capture)


class Kalah(FunctionGame[Position]):
    """A position is two rows and the player to move."""

    name = "kalah"
    title = "Kalah"
    sides = (Side("s", "South"), Side("n", "North"))
    repetitions = None

    def __init__(self, pits: int, seeds: int, capture: str) -> None:
        self.options = {"pits": pits, "seeds": seeds, "capture": capture}
        self.pits, self.seeds = pits, 2 * pits * seeds
        row = (*[seeds] * pits, 0)
        self.start = ((row, row), 0)

    def to_move(self, position: Position) -> int:
        """The player whom the position names."""
        return position[1]

    def moves(self, position: Position) -> dict[str, Position]:
        """A move for each pit of the mover with seeds in it."""
        rows, mover = position
        pits = [] if mover == OVER else [pit for pit in range(self.pits) if rows[mover][pit]]
        return {str(pit + 1): self._sown(position, pit)[0] for pit in pits}

    def result(self, position: Position) -> Ending | None:
        """Who has more seeds, once all are in the stores."""
        rows, mover = position
        south, north = rows[0][-1], rows[1][-1]
        winner = None if south == north else int(south < north)
        return Ending.of_two(winner, "row empty", f"South has {south} seeds and North {north}") if mover == OVER else None

    def move_text(self, position: Position, move: str) -> str:
        """How many seeds are sown, and what comes of it."""
        rows, mover = position
        (_, then), captured = self._sown(position, int(move) - 1)
        taken = f", captures {captured}" if captured else ""
        after = {OVER: ", which ends the game", mover: ", and moves again"}.get(then, "")
        return f"sows {rows[mover][int(move) - 1]} from pit {move}{taken}{after}"

    def format(self, position: Position) -> str:
        """As described above."""
        rows, mover = position
        return " ".join([*(",".join(map(str, row)) for row in rows), LETTERS[mover]])

    def parse(self, text: str) -> Position:
        """Read a position; whether play can lead to it is not examined."""
        row = ",".join(["([0-9]{1,3})"] * (self.pits + 1))
        found = re.fullmatch(f"{row} {row} ([sn-])", text) if isinstance(text, str) else None
        if found is None:
            form = f"write both rows with their stores and the side to move, as in {self.format(self.start)!r}"
            raise NotationError(f"{quoted(str(text))} is not a position of {self.name}: {form}")
        numbers = tuple(map(int, found.groups()[:-1]))
        rows, mover = (numbers[: self.pits + 1], numbers[self.pits + 1 :]), [*LETTERS]["sn-".index(text[-1])]
        if sum(numbers) != self.seeds:
            raise NotationError(f"{quoted(text)} has {sum(numbers)} seeds, but there are {self.seeds}")
        if [any(row[:-1]) for row in rows] != [mover != OVER] * 2:
            raise NotationError(f"{quoted(text)}: as long as somebody is to move, both rows have seeds, and none after the end")
        return rows, mover

    def _sown(self, position: Position, pit: int) -> tuple[Position, int]:
        """What a move leads to, and how many seeds it captures."""
        (rows, mover), last, captured = position, pit, 0
        *ring, theirs = *rows[mover], *rows[1 - mover]
        hand, ring[pit] = ring[pit], 0
        for _ in range(hand):
            last = (last + 1) % len(ring)
            ring[last] += 1
        opposite = 2 * self.pits - last
        if last < self.pits and ring[last] == 1 and (ring[opposite] or self.options["capture"] == "always"):
            captured = 1 + ring[opposite]
            ring[last] = ring[opposite] = 0
        own, store, other = ring[: self.pits], ring[self.pits] + captured, ring[self.pits + 1 :]
        then = mover if last == self.pits else 1 - mover
        after = (*own, store), (*other, theirs)
        if not (any(own) and any(other)):
            then, after = OVER, ((*[0] * self.pits, store + sum(own)), (*[0] * self.pits, theirs + sum(other)))
        return (after if mover == 0 else after[::-1], then), captured
