"""Men's morris on two or three rings, with three to nine men each: six and nine men's morris, and smaller ones.

Each ring has eight points; the middles of its sides are joined to the middles of the next ring. First the players take turns to
place a man on a free point, White first, until all are placed. Then they take turns to move a man along a line to the next
point. A player with three men may move one to any free point (``flying=no``: along a line, like others). Three men of a player
in a row, on a side of a ring or, with three rings, on the line through the middles, are a mill: a player who closes one takes a
man of the opponent that is not in a mill, or any if all are. A player who has fewer than three men after all are placed, or
cannot move, loses.

As text, a position is its rings from the outside, each clockwise from the top left, who is to move, and how many men are still
to be placed: ``ww....../...b.... b 9``. A move is ``a5`` for a man that is placed, ``a5c5`` for one that is moved, with a third
point for the man that is taken: ``a5xe1``.

These are the rules of Gasser, "Solving Nine Men's Morris" (1996), except for the number of men.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

from tablebase.errors import NotationError, RulesError, quoted
from tablebase.game import Side
from tablebase.game.compiled import LOST, CompiledGame, Ending, Functions
from tablebase.game.ranks import bits, lowest, men, men_rank, men_size, men_unrank

OPTIONS = {"men": range(3, 10), "rings": (2, 3), "flying": ("yes", "no")}
POINTS, MEN, FLIES, NEAR, MILLS, RANKS = 0, 1, 2, 3, 27, 75
"""Places in the rules of the number of points, the men of a player, and so on; two mills for each point."""
ALL = (1 << 24) - 1
SIDE, PLACED = 48, 49
"""First bits of a position's fields; the men of White are in the bits from 0, those of Black from 24."""


@cache
def game(men: int = 6, rings: int = 2, flying: str = "yes") -> MensMorris:
    """The game with so many men of each player; `RulesError` if an option is out of range."""
    for name, value in (("men", men), ("rings", rings), ("flying", flying)):
        if value not in (known := OPTIONS[name]):
            raise RulesError(f"{name} of mens_morris must be one of {', '.join(map(str, known))}, not {quoted(value)}")
    return MensMorris(men, rings, flying)


def men_of(position: int, side: int) -> tuple[int, int]:
    """Return the men of a side, and the men of the other one, as sets of points."""
    white, black = position & ALL, position >> 24 & ALL
    return (white, black) if side == 0 else (black, white)


def joined(own: int, other: int, side: int, placed: int) -> int:
    """Return a position in which a side has just moved."""
    white, black = (own, other) if side == 0 else (other, own)
    return white | black << 24 | (1 - side) << SIDE | placed << PLACED


def to_move(_rules: Any, position: int) -> int:
    """White or Black."""
    return position >> SIDE & 1


def is_mill(rules: Any, own: int, point: int) -> bool:
    """Return whether a man on a point is in a mill; a mill that does not exist has a point that is not on the board."""
    first, second = rules[MILLS + 2 * point], rules[MILLS + 2 * point + 1]
    return bool(own & first == first or own & second == second)


def arrive(rules: Any, own: int, other: int, side: int, placed: int, point: int, out: Any, count: int) -> int:
    """Fill in the positions after a man has come to a point; return how many there are now."""
    if not is_mill(rules, own, point) or other == 0:
        out[count] = joined(own, other, side, placed)
        return count + 1
    free, left = 0, other
    while left:
        if not is_mill(rules, other, lowest(left)):
            free |= left & -left
        left &= left - 1
    left = free if free else other
    while left:
        out[count] = joined(own, other & ~(left & -left), side, placed)
        count += 1
        left &= left - 1
    return count


def moves(rules: Any, position: int, out: Any) -> int:
    """Place a man, or move one; a player who cannot has lost."""
    side, placed = position >> SIDE & 1, position >> PLACED
    own, other = men_of(position, side)
    free = ((1 << rules[POINTS]) - 1) & ~own & ~other
    count = 0
    if placed < 2 * rules[MEN]:
        while free:
            point = lowest(free)
            count = arrive(rules, own | 1 << point, other, side, placed + 1, point, out, count)
            free &= free - 1
        return count
    if bits(own) < 3:
        return LOST
    flies = rules[FLIES] and bits(own) == 3
    left = own
    while left:
        origin = lowest(left)
        targets = free if flies else free & rules[NEAR + origin]
        while targets:
            point = lowest(targets)
            count = arrive(rules, own & ~(1 << origin) | 1 << point, other, side, placed, point, out, count)
            targets &= targets - 1
        left &= left - 1
    return count if count else LOST


def unmoves(rules: Any, position: int, out: Any) -> int:
    """Take back moves that take no man: the man has closed no mill, and comes from a free point."""
    side, placed = 1 - (position >> SIDE & 1), position >> PLACED
    own, other = men_of(position, side)
    if placed < 2 * rules[MEN] or bits(own) < 3:
        return 0
    free = ((1 << rules[POINTS]) - 1) & ~own & ~other
    flies, left, count = rules[FLIES] and bits(own) == 3, own, 0
    while left:
        point = lowest(left)
        left &= left - 1
        if not is_mill(rules, own, point):
            origins = free if flies else free & rules[NEAR + point]
            while origins:
                out[count] = joined(other, own & ~(1 << point) | origins & -origins, 1 - side, placed)
                count += 1
                origins &= origins - 1
    return count


def tier(_rules: Any, position: int) -> int:
    """Men that have been placed, and men on the board: of the player to move, and of the other one."""
    own, other = men_of(position, position >> SIDE & 1)
    return position >> PLACED << 8 | bits(own) << 4 | bits(other)


def rank(rules: Any, position: int) -> int:
    """As if the player to move were always White."""
    own, other = men_of(position, position >> SIDE & 1)
    return men_rank(rules, RANKS, own, other)


def unrank(rules: Any, tier: int, index: int) -> int:
    """The inverse."""
    own, other = men_unrank(rules, RANKS, tier >> 4 & 15, tier & 15, index)
    placed = tier >> 8
    # While men are placed, White moves after an even number of them.
    side = 1 - (placed & 1 if placed < 2 * rules[MEN] else 0)
    return joined(other, own, side, placed)


class MensMorris(CompiledGame):
    """A tier is how many men have been placed, and how many the player to move and the other one have on the board."""

    name = "mens_morris"
    title = "Men's morris"
    sides = (Side("w", "White"), Side("b", "Black"))
    start = 0
    functions = Functions(to_move, moves, tier, rank, unrank, unmoves)

    def __init__(self, men: int, rings: int, flying: str) -> None:
        self.options = {"men": men, "rings": rings, "flying": flying}
        self.men, self.rings, self.most_moves = men, rings, 8 * rings * men * men
        shifts = ((-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0))
        self.xy = [(rings + far * x, rings + far * y) for far in range(rings, 0, -1) for x, y in shifts]
        self.points = [f"{'abcdefg'[x]}{y + 1}" for x, y in self.xy]

    @cached_property
    def rules(self) -> Any:
        """The board, and ranks of men on it, as numbers."""
        count, rings = 8 * self.rings, range(self.rings)
        sides = [[8 * ring + (corner + step) % 8 for step in range(3)] for ring in rings for corner in (0, 2, 4, 6)]
        spokes = [[8 * ring + middle for ring in rings] for middle in (1, 3, 5, 7)]
        near, mills = [0] * 24, [1 << 24] * 48
        for line in sides + spokes:
            for one, two in pairwise(line):
                near[one] |= 1 << two
                near[two] |= 1 << one
        for line in (line for line in sides + spokes if len(line) == 3):
            for point in line:
                at = 2 * point + (0 if mills[2 * point] >> 24 else 1)
                mills[at] = sum(1 << other for other in line if other != point)
        images = [
            [8 * (self.rings - 1 - ring if inwards else ring) + (flip * place + turn) % 8 for ring in rings for place in range(8)]
            for flip in (1, -1)
            for inwards in (False, True)
            for turn in (0, 2, 4, 6)
        ]
        import numpy as np

        tables = men(count, images, self.men)
        return np.concatenate([[count, self.men, self.options["flying"] == "yes", *near, *mills], tables])

    def size(self, tier: int) -> int:
        """The number of orbits of the men of the player to move, times the ways to place the other men."""
        return men_size(self.numbers, RANKS, tier >> 4 & 15, tier & 15)

    def after(self, tier: int) -> list[int]:
        """The other player is to move; he may have lost a man."""
        placed, own, other = tier >> 8, tier >> 4 & 15, tier & 15
        if placed < 2 * self.men:
            placed, own = placed + 1, own + 1
            # A mill needs three men.
            losses = [0, 1] if own > 2 and other else [0]
        else:
            losses = [] if own < 3 else [0, 1] if other else [0]
        return [placed << 8 | other - lost << 4 | own for lost in losses]

    def tier_name(self, tier: int) -> str:
        """The men of both players, as in ``5-4``; while men are placed, after the number of men that are left."""
        left = 2 * self.men - (tier >> 8)
        return f"{f'left{left}-' if left else ''}{tier >> 4 & 15}-{tier & 15}"

    def move_word(self, position: int, child: int, number: int) -> str:
        """The points of the man that moves, and of the one that is taken."""
        del number
        side = position >> SIDE & 1
        (own, other), (new, left) = men_of(position, side), men_of(child, side)
        words = [self.points[lowest(some)] if some else "" for some in (own & ~new, new & ~own, other & ~left)]
        return "{}{}".format(*words) + (f"x{words[2]}" if words[2] else "")

    def ending(self, position: int, winner: int | None) -> Ending:
        """Too few men, or no move."""
        loser = self.sides[position >> SIDE & 1].name
        few = bits(men_of(position, position >> SIDE & 1)[0]) < 3
        return Ending.of_two(winner, "two men" if few else "no move", f"{loser} {'has two men' if few else 'cannot move'}")

    def format(self, position: int) -> str:
        """As described above."""
        white, black = men_of(position, 0)
        marks = ["w" if white >> at & 1 else "b" if black >> at & 1 else "." for at in range(8 * self.rings)]
        rings = "/".join("".join(marks[at : at + 8]) for at in range(0, len(marks), 8))
        return f"{rings} {'wb'[position >> SIDE & 1]} {2 * self.men - (position >> PLACED)}"

    def parse(self, text: str) -> int:
        """Read a position with numbers of men that can come about."""
        ring = "[wb.]{8}"
        if not isinstance(text, str) or not re.fullmatch(f"{'/'.join([ring] * self.rings)} [wb] (0|[1-9][0-9]?)", text):
            form = f"write the rings, the side to move and the number of men to be placed, as in {self.format(0)!r}"
            raise NotationError(f"{quoted(str(text))} is not a position of {self.name}: {form}")
        board, side, left = text.split()
        marks, placed = board.replace("/", ""), 2 * self.men - int(left)
        white, black = (sum(1 << at for at, mark in enumerate(marks) if mark == one) for one in "wb")
        if placed < 0 or bits(white) > (placed + 1) // 2 or bits(black) > placed // 2:
            raise NotationError(f"{quoted(text)} has more men than players have placed: each of them has {self.men}")
        if int(left) > 0 and "wb"[placed & 1] != side:
            raise NotationError(f"{quoted(text)}: with {left} men to be placed, the side to move is {'wb'[placed & 1]}")
        return white | black << 24 | "wb".index(side) << SIDE | placed << PLACED
