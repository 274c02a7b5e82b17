"""Kalah with few pits and seeds, by the rules of Irving, Donkers and Uiterwijk, "Solving Kalah" (2000).

Each player, South and North, has a row of pits and a store at its right end; South begins. A move takes all seeds out of one of the
mover's pits and sows them, one in each next pit anticlockwise: along his own row, into his own store, along the other row, and
past the other store along his own row again, where the pit that he has emptied is not left out. Then:

- If the last seed falls into the mover's store, he moves again.
- If it falls into an empty pit of his own, he captures: it goes into his store with all seeds of the pit opposite, even if there
  are none. With ``capture=seeds`` he captures only if there are some.
- If a row is empty after a move, also that of a player who would move again, the game is over: each player puts what is left in
  his row into his store. Who has more seeds wins; with as many, the game is a draw. By how much a player wins does not count.

As text, a position is the pits of South from his left, with his store, those of North from his left, with his store, and who is to
move, ``-`` if nobody is: ``3,3,3,0 3,3,3,0 s``. A move is the number of a pit from the mover's left, from 1.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from tablebase.errors import NotationError, quoted
from tablebase.game import Side
from tablebase.game.compiled import DRAWN, OVER, WON, CompiledGame, Ending, Functions, valid_options
from tablebase.game.ranks import field, pits_rank, pits_unrank
from tablebase.game.ranks import pits as rank_table

OPTIONS = {"pits": range(1, 10), "seeds": range(1, 10), "capture": ("always", "seeds")}
PITS, SEEDS, WIDTH, ONES, ALWAYS, RANKS = range(6)
"""Numbers of the rules: pits of a row, all seeds, bits of a pit, a seed in each pit of a row, and the option `capture`."""


def packed(rules: Any, own: int, other: int, store: int, side: int) -> int:
    """Return a position: the rank of the seeds as the player to move sees them, and who that is.

    If a row is empty, the seeds of the other one go into the store behind it, and the winner (after a draw South) is to move.
    """
    pits, width, seeds = rules[PITS], rules[WIDTH], rules[SEEDS]
    first, own_held = pits_rank(rules, RANKS, own, width, pits)
    second, held = pits_rank(rules, RANKS, other, width, pits, pits, own_held)
    if own == 0 or other == 0:
        total = store + own_held
        first, second, held, store = 0, 0, 0, max(total, seeds - total)
        side = 0 if 2 * store == seeds else side if store == total else 1 - side
    third, _ = pits_rank(rules, RANKS, store, width, 1, 2 * pits, held)
    return first + second + third << 1 | side


def unpacked(rules: Any, position: int) -> tuple[int, int, int, int]:
    """Return the rows of the player to move and of the other one as words, and the seeds in their stores."""
    pits, width, seeds = rules[PITS], rules[WIDTH], rules[SEEDS]
    store, rank, held = pits_unrank(rules, RANKS, position >> 1, width, 1, 2 * pits, seeds)
    other, rank, own_held = pits_unrank(rules, RANKS, rank, width, pits, pits, held)
    own, _, _ = pits_unrank(rules, RANKS, rank, width, pits, 0, own_held)
    return own, other, store, seeds - held - store


def to_move(_rules: Any, position: int) -> int:
    """South or North; where the game is over, the winner."""
    return position & 1


def canonical(_rules: Any, position: int) -> int:
    """Return the position with the players exchanged if North is to move."""
    return position & ~1


def tier(rules: Any, position: int) -> int:
    """Return how many seeds are in the stores."""
    _, _, held = pits_unrank(rules, RANKS, position >> 1, rules[WIDTH], 1, 2 * rules[PITS], rules[SEEDS])
    return rules[SEEDS] - held  # type: ignore[no-any-return]


def stretch(rules: Any, first: int, end: int) -> int:
    """Return a row with a seed in each pit from `first` to before `end`."""
    end = max(first, min(end, rules[PITS]))
    return rules[ONES] & (1 << end * rules[WIDTH]) - (1 << first * rules[WIDTH])  # type: ignore[no-any-return]


def sown(rules: Any, own: int, other: int, pit: int) -> tuple[int, int, int, int, int]:
    """Return both rows after a move, the seeds sown into the store, the captured ones, and where on the ring the last one fell."""
    pits, width, ring = rules[PITS], rules[WIDTH], 2 * rules[PITS] + 1
    hand = field(own, pit, width)
    laps, end = hand // ring, pit + hand % ring
    own += laps * rules[ONES] + stretch(rules, pit + 1, end + 1) + stretch(rules, 0, end + 1 - ring) - (hand << pit * width)
    other += laps * rules[ONES] + stretch(rules, 0, end - pits)
    stored, last, captured = laps + (1 if end >= pits else 0), end % ring, 0
    if last < pits and field(own, last, width) == 1:
        seeds = field(other, pits - 1 - last, width)
        if seeds or rules[ALWAYS]:
            own, captured = own - (1 << last * width), seeds + 1
            other -= seeds << (pits - 1 - last) * width
    return own, other, stored, captured, last


def moves(rules: Any, position: int, out: Any) -> int:
    """Sow the seeds of each pit; the game is over if both rows are empty."""
    side = position & 1
    own, other, store, others_store = unpacked(rules, position)
    if own == 0 and other == 0:
        return WON if store > others_store else DRAWN
    count = 0
    for pit in range(rules[PITS]):
        if field(own, pit, rules[WIDTH]):
            mine, theirs, stored, captured, last = sown(rules, own, other, pit)
            total, again = store + stored + captured, last == rules[PITS]
            out[count] = packed(rules, mine, theirs, total, side) if again else packed(rules, theirs, mine, others_store, 1 - side)
            count += 1
    return count


def unmoves(rules: Any, position: int, out: Any) -> int:
    """Take back moves within the other row that put nothing into a store."""
    own, other, _, store = unpacked(rules, position)
    pits, width, count = rules[PITS], rules[WIDTH], 0
    for pit in range(pits):
        before, last = other, pit + 1
        while field(other, pit, width) == 0 and last < pits and field(other, last, width):
            before += (1 << pit * width) - (1 << last * width)
            # A last seed that was alone has captured, unless there was nothing to capture.
            if field(other, last, width) > 1 or not (rules[ALWAYS] or field(own, pits - 1 - last, width)):
                out[count] = packed(rules, before, own, store, 1 - (position & 1))
                count += 1
            last += 1
    return count


class Kalah(CompiledGame):
    """The game with so many pits of each player, and so many seeds in each; a tier is a number of seeds in the stores."""

    name = "kalah"
    title = "Kalah"
    sides = (Side("s", "South"), Side("n", "North"))
    repetitions = None
    functions = Functions(to_move, moves, tier, canonical=canonical, unmoves=unmoves)

    def __init__(self, pits: int = 3, seeds: int = 3, capture: str = "always") -> None:
        self.options = valid_options("kalah", OPTIONS, pits=pits, seeds=seeds, capture=capture)
        self.pits, self.seeds, self.most_moves = pits, 2 * pits * seeds, pits
        width = self.seeds.bit_length()
        row = sum(1 << pit * width for pit in range(pits))
        self.rules = [pits, self.seeds, width, row, capture == "always", *rank_table(2 * pits + 1, self.seeds)]
        self.start = packed(self.rules, seeds * row, seeds * row, 0, 0)

    def tier_name(self, tier: int) -> str:
        """The number of seeds in the stores, in as many digits as the number of all seeds has."""
        return f"{tier:0{len(str(self.seeds))}}"

    def rows(self, position: int) -> list[list[int]]:
        """Return the row of South with his store behind it, and that of North."""
        own, other, *stores = unpacked(self.numbers, position)
        rows = [[field(row, pit, self.numbers[WIDTH]) for pit in range(self.pits)] for row in (own, other)]
        return [[*row, store] for row, store in zip(rows, stores, strict=True)][:: -1 if position & 1 else 1]

    def move_word(self, position: int, child: int, number: int) -> str:
        """The number of the pit."""
        del child
        row = self.rows(position)[position & 1]
        return str([pit + 1 for pit in range(self.pits) if row[pit]][number])

    def move_text(self, position: int, move: str) -> str:
        """How many seeds are sown, and what comes of it."""
        own, other, *_ = unpacked(self.numbers, position)
        pit, then = int(move) - 1, self.to_move(self.moves(position)[move])
        captured = sown(self.numbers, own, other, pit)[3]
        taken = f", captures {captured}" if captured else ""
        after = {OVER: ", which ends the game", position & 1: ", and moves again"}.get(then, "")
        return f"sows {field(own, pit, self.numbers[WIDTH])} from pit {move}{taken}{after}"

    def ending(self, position: int, winner: int | None) -> Ending:
        """Who has more seeds, once all are in the stores."""
        south, north = self.rows(position)
        return Ending.of_two(winner, "row empty", f"South has {south[-1]} seeds and North {north[-1]}")

    def format(self, position: int) -> str:
        """As described above."""
        rows = self.rows(position)
        mover = "sn"[position & 1] if any(rows[0][:-1]) else "-"
        return " ".join([*(",".join(map(str, row)) for row in rows), mover])

    def parse(self, text: str) -> int:
        """Read a position; whether play can lead to it is not examined."""
        row = ",".join(["[0-9]{1,3}"] * (self.pits + 1))
        self.check_text(text, f"{row} {row} [sn-]", "both rows with their stores and the side to move")
        numbers = [*map(int, re.findall("[0-9]+", text))]
        if sum(numbers) != self.seeds:
            raise NotationError(f"{quoted(text)} has {sum(numbers)} seeds, but there are {self.seeds}")
        side = int(text[-1] == "n")
        rows = [numbers[: self.pits + 1], numbers[self.pits + 1 :]][:: -1 if side else 1]
        if [any(row[:-1]) for row in rows] != [text[-1] != "-"] * 2:
            raise NotationError(f"{quoted(text)}: as long as somebody is to move, both rows have seeds, and none after the end")
        own, other = (sum(seeds << pit * self.numbers[WIDTH] for pit, seeds in enumerate(row[:-1])) for row in rows)
        return packed(self.numbers, own, other, rows[0][-1], side)


game = cache(Kalah)
