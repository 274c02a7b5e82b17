"""Awari with up to 12 stones, by the rules of Romein and Bal, "Solving the Game of Awari" (IEEE Computer 36 (10), 2003).

Each player, South and North, has a row of pits; South begins. A move takes all stones out of one of the mover's pits and sows them,
one in each next pit anticlockwise along both rows; the pit that he has emptied is left out. If the last stone falls into a pit of
the other player that then has two or three stones, they are captured, and so are two or three stones in the pit before it, and so
on, as long as it is one of the other player's. A move must leave stones in the other player's row, unless no move does.

Who has captured more than half of the stones wins. A player to move without stones in his row cannot move: the other one takes all
that are left, and the game is over; with as many stones, it is a draw. A position that occurs for the third time makes a draw, and
tables call it a draw if neither player can force a win. (Romein and Bal divide the stones that are left instead.)

As text, a position is the pits of South from his left with the stones that he has captured, the same of North, and who is to move,
or would be if the game were not over: ``2,2,2,0 2,2,2,0 s``. A move is the number of a pit from the mover's left, from 1.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game import Side
from tablebase.game.compiled import DRAWN, LOST, OVER, WON, CompiledGame, Ending, Functions, valid_options
from tablebase.game.ranks import field

OPTIONS, MOST = {"pits": range(1, 7), "seeds": range(1, 7)}, 12
PITS, STONES = range(2)
"""Numbers of the rules: pits of a row, and all stones."""
WIDTH, CAPTURED, SIDE = 4, 48, 52
"""Bits of a pit; where a position has the stones that the player to move has captured, and which one that is."""


def board_of(position: int) -> int:
    """Return the pits: those of the player to move from his left, then those of the other one."""
    return position & (1 << CAPTURED) - 1


def stores(rules: Any, position: int) -> tuple[int, int]:
    """Return how many stones the player to move and the other one have captured."""
    own, left = position >> CAPTURED & (1 << WIDTH) - 1, rules[STONES]
    for pit in range(2 * rules[PITS]):
        left -= field(position, pit, WIDTH)
    return own, left - own


def turned(rules: Any, board: int) -> int:
    """Return a board as the other player sees it."""
    half = WIDTH * rules[PITS]
    return board >> half | (board & (1 << half) - 1) << half  # type: ignore[no-any-return]


def following(rules: Any, pit: int, last: int) -> int:
    """Return the pit after the last one in which a stone from a pit has been sown."""
    after = (last + 1) % (2 * rules[PITS])
    return after if after != pit else (pit + 1) % (2 * rules[PITS])  # type: ignore[no-any-return]


def sown(rules: Any, board: int, pit: int) -> tuple[int, int]:
    """Return the board after a move, and the number of captured stones."""
    hand, last, captured = field(board, pit, WIDTH), pit, 0
    board -= hand << WIDTH * pit
    for _ in range(hand):
        last = following(rules, pit, last)
        board += 1 << WIDTH * last
    while last >= rules[PITS] and 2 <= field(board, last, WIDTH) <= 3:
        captured += field(board, last, WIDTH)
        board -= field(board, last, WIDTH) << WIDTH * last
        last -= 1
    return board, captured


def playable(rules: Any, board: int) -> int:
    """Return the set of pits that may be sown: pits that leave the other player stones, or all pits if none does."""
    feeding = filled = 0
    for pit in range(rules[PITS]):
        if field(board, pit, WIDTH):
            filled |= 1 << pit
            if sown(rules, board, pit)[0] >> WIDTH * rules[PITS]:
                feeding |= 1 << pit
    return feeding if feeding else filled


def to_move(_rules: Any, position: int) -> int:
    """South or North."""
    return position >> SIDE & 1


def canonical(_rules: Any, position: int) -> int:
    """Return the position with the players exchanged if North is to move."""
    return position & ~(1 << SIDE)


def tier(rules: Any, position: int) -> int:
    """Return how many stones have been captured."""
    own, other = stores(rules, position)
    return own + other


def result(rules: Any, position: int) -> int:
    """Return the result for the player to move, or 0 if the game is not over."""
    own, other = stores(rules, position)
    if board_of(position) & (1 << WIDTH * rules[PITS]) - 1 == 0:
        other = rules[STONES] - own
    if own == other and own + other == rules[STONES]:
        return DRAWN
    return WON if 2 * own > rules[STONES] else LOST if 2 * other > rules[STONES] else 0


def moves(rules: Any, position: int, out: Any) -> int:
    """Sow the stones of each pit that may be sown."""
    over = result(rules, position)
    if over:
        return over
    board, count, store = board_of(position), 0, stores(rules, position)[1] << CAPTURED
    choice, side = playable(rules, board), (1 - (position >> SIDE & 1)) << SIDE
    for pit in range(rules[PITS]):
        if choice >> pit & 1:
            out[count] = turned(rules, sown(rules, board, pit)[0]) | store | side
            count += 1
    return count


def unmoves(rules: Any, position: int, out: Any) -> int:
    """Take back moves that captured nothing: from a pit of the other player that is empty now, with each number of stones."""
    own, other = stores(rules, position)
    if 2 * max(own, other) > rules[STONES]:
        return 0
    after, count, side = turned(rules, board_of(position)), 0, 1 - (position >> SIDE & 1)
    for pit in range(rules[PITS]):
        before, last = after, following(rules, pit, pit)
        while field(after, pit, WIDTH) == 0 and field(before, last, WIDTH):
            before += (1 << WIDTH * pit) - (1 << WIDTH * last)
            if playable(rules, before) >> pit & 1 and sown(rules, before, pit)[1] == 0:
                out[count] = before | other << CAPTURED | side << SIDE
                count += 1
            last = following(rules, pit, last)
    return count


class Awari(CompiledGame):
    """The game with so many pits of each player, and so many stones in each; a tier is a number of captured stones."""

    name = "awari"
    title = "Awari"
    sides = (Side("s", "South"), Side("n", "North"))
    functions = Functions(to_move, moves, tier, canonical=canonical, unmoves=unmoves)

    def __init__(self, pits: int = 3, seeds: int = 2) -> None:
        self.options = valid_options("awari", OPTIONS, pits=pits, seeds=seeds)
        self.pits, self.stones = pits, 2 * pits * seeds
        if self.stones > MOST:
            raise RulesError(f"awari has at most {MOST} stones, not 2 rows of {pits} pits with {seeds}: choose fewer pits or seeds")
        self.most_moves, self.rules = pits * self.stones, [pits, self.stones]
        self.start = sum(seeds << WIDTH * pit for pit in range(2 * pits))

    def tier_name(self, tier: int) -> str:
        """The number of captured stones, in as many digits as the number of all stones has."""
        return f"{tier:0{len(str(self.stones))}}"

    def rows(self, position: int) -> list[list[int]]:
        """Return the row of South with his captured stones behind it, and that of North."""
        pits, (own, other) = [field(position, pit, WIDTH) for pit in range(2 * self.pits)], stores(self.numbers, position)
        return [[*pits[: self.pits], own], [*pits[self.pits :], other]][:: -1 if position >> SIDE & 1 else 1]

    def move_word(self, position: int, child: int, number: int) -> str:
        """The number of the pit."""
        del child
        choice = playable(self.numbers, board_of(position))
        return str([pit + 1 for pit in range(self.pits) if choice >> pit & 1][number])

    def move_text(self, position: int, move: str) -> str:
        """Describe the sowing, its captures, and the end of the game."""
        pit = int(move) - 1
        captured = sown(self.numbers, board_of(position), pit)[1]
        ends = ", which ends the game" if self.to_move(self.moves(position)[move]) == OVER else ""
        return f"sows {field(position, pit, WIDTH)} from pit {move}{f', captures {captured}' if captured else ''}{ends}"

    def ending(self, position: int, winner: int | None) -> Ending:
        """More than half of the stones, or no stones in the row of the player to move."""
        rows = self.rows(position)
        why = "more than half" if any(rows[position >> SIDE & 1][:-1]) else "row empty"
        return Ending.of_two(winner, why, f"South has captured {rows[0][-1]} stones and North {rows[1][-1]}")

    def format(self, position: int) -> str:
        """As described above."""
        return " ".join([*(",".join(map(str, row)) for row in self.rows(position)), "sn"[position >> SIDE & 1]])

    def parse(self, text: str) -> int:
        """Read a position; whether play can lead to it is not examined."""
        row = ",".join(["[0-9]{1,2}"] * (self.pits + 1))
        self.check_text(text, f"{row} {row} [sn]", "both rows with captured stones and the side to move")
        numbers, side = [*map(int, re.findall("[0-9]+", text))], int(text[-1] == "n")
        if sum(numbers) != self.stones:
            raise NotationError(f"{quoted(text)} has {sum(numbers)} stones, but there are {self.stones}")
        (*own, store), (*other, _) = [numbers[: self.pits + 1], numbers[self.pits + 1 :]][:: -1 if side else 1]
        return sum(stones << WIDTH * pit for pit, stones in enumerate([*own, *other])) | store << CAPTURED | side << SIDE


game = cache(Awari)
