"""Men's morris on two or three rings, with three to nine men each, by Gasser, "Solving Nine Men's Morris" (1996).

Each ring has eight points; the middles of its sides are joined to the middles of the next ring. First the players take turns to
place a man on a free point, White first, until all are placed. Then they take turns to move a man along a line to the next
point. A player with three men may move one to any free point (``flying=no``: along a line, like others). Three men of a player
in a row, on a side of a ring or, with three rings, on the line through the middles, are a mill: a player who closes one takes a
man of the opponent that is not in a mill, or any if all are. A player who has fewer than three men after all are placed, or
cannot place or move a man, loses.

As text, a position is its rings from the outside, each clockwise from the top left, who is to move, and how many men are still
to be placed: ``ww....../...b.... b 9``. A move is ``a5`` for a man that is placed, ``a5c5`` for one that is moved, with a third
point for the man that is taken: ``a5xe1``.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

from tablebase.errors import NotationError, quoted
from tablebase.game import Side
from tablebase.game.compiled import LOST, CompiledGame, Ending, Functions, valid_options
from tablebase.game.ranks import bits, lowest, men, men_rank, men_size, men_unrank, symmetries

OPTIONS = {"men": range(3, 10), "rings": (2, 3), "flying": ("yes", "no")}
POINTS, MEN, FLIES, NEAR, MILLS, RANKS = 0, 1, 2, 3, 27, 75
"""Places in the rules of the number of points, the men of a player, and so on; two mills for each point."""
ALL, OUTSIDE = (1 << 24) - 1, 24
AROUND = ((-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0))
SIDE, PLACED = 48, 49
"""First bits of a position's fields; the men of the player to move are in the bits from 0, the other ones from 24."""


def men_of(position: int) -> tuple[int, int]:
    """Return the men of the player to move, and the men of the other one, as sets of points."""
    return position & ALL, position >> 24 & ALL


def joined(own: int, other: int, side: int, placed: int) -> int:
    """Return a position from the men of the player to move and of the other one."""
    return own | other << 24 | side << SIDE | placed << PLACED


def to_move(_rules: Any, position: int) -> int:
    """White or Black."""
    return position >> SIDE & 1


def is_mill(rules: Any, own: int, point: int) -> bool:
    """Return whether a man on a point is in a mill; a mill that does not exist has a point that is not on the board."""
    first, second = rules[MILLS + 2 * point], rules[MILLS + 2 * point + 1]
    return bool(own & first == first or own & second == second)


def removable(rules: Any, men: int) -> int:
    """Return the men that are in no mill, or all if all are in mills."""
    free = 0
    for point in range(rules[POINTS]):
        if men >> point & 1 and not is_mill(rules, men, point):
            free |= 1 << point
    return free if free else men


def shifted(rules: Any, own: int, other: int, position: int, is_back: bool, out: Any) -> int:
    """Fill in the positions after each move of own men, or before each that took no man; return their number."""
    side, placed, count = position >> SIDE & 1, position >> PLACED, 0
    is_placing = placed < 2 * rules[MEN]
    if is_back if is_placing else bits(own) < 3:
        return 0
    left, is_free = 1 << OUTSIDE if is_placing else own, is_placing or (rules[FLIES] and bits(own) == 3)
    while left:
        origin = lowest(left)
        left &= left - 1
        points = ((1 << rules[POINTS]) - 1) & ~own & ~other & (ALL if is_free else rules[NEAR + origin])
        if is_back and is_mill(rules, own, origin):
            points = 0
        while points:
            new, point = own & ~(1 << origin) | points & -points, lowest(points)
            points &= points - 1
            taken = 0 if is_back or not is_mill(rules, new, point) else removable(rules, other)
            while True:
                rest = other & ~(taken & -taken)
                out[count] = joined(new, other, 1 - side, placed) if is_back else joined(rest, new, 1 - side, placed + is_placing)
                count += 1
                taken &= taken - 1
                if taken == 0:
                    break
    return count


def moves(rules: Any, position: int, out: Any) -> int:
    """Place a man, or move one; a player who cannot has lost, and so has one with two men."""
    count = shifted(rules, *men_of(position), position, False, out)
    return count if count else LOST


def unmoves(rules: Any, position: int, out: Any) -> int:
    """Take back moves that take no man, after all men are placed: a man that has closed a mill has taken one."""
    other, own = men_of(position)
    return shifted(rules, own, other, position, True, out)


def tier(_rules: Any, position: int) -> int:
    """Men that have been placed, and men on the board: of the player to move, and of the other one."""
    return position >> PLACED << 8 | bits(position & ALL) << 4 | bits(position >> 24 & ALL)


def rank(rules: Any, position: int) -> int:
    """As if the player to move were always White."""
    return men_rank(rules, RANKS, position & ALL, position >> 24 & ALL)


def unrank(rules: Any, tier: int, index: int) -> int:
    """The inverse; White moves after an even number of men has been placed, and after all."""
    own, other = men_unrank(rules, RANKS, tier >> 4 & 15, tier & 15, index)
    return joined(own, other, tier >> 8 & 1, tier >> 8)


class MensMorris(CompiledGame):
    """A tier is how many men have been placed, and how many the player to move and the other one have on the board."""

    name = "mens_morris"
    title = "Men's morris"
    sides = (Side("w", "White"), Side("b", "Black"))
    start = 0
    functions = Functions(to_move, moves, tier, rank, unrank, unmoves)

    def __init__(self, men: int = 6, rings: int = 2, flying: str = "yes") -> None:
        self.options = valid_options("mens_morris", OPTIONS, men=men, rings=rings, flying=flying)
        self.men, self.rings, self.most_moves = men, rings, 8 * rings * men * men
        self.points = [f"{'abcdefg'[rings + far * x]}{rings + far * y + 1}" for far in range(rings, 0, -1) for x, y in AROUND]

    @cached_property
    def rules(self) -> Any:
        """The board, and ranks of men on it, as numbers."""
        rings, points = range(self.rings), range(8 * self.rings)
        sides = [[8 * ring + (corner + step) % 8 for step in range(3)] for ring in rings for corner in (0, 2, 4, 6)]
        lines = sides + [[*(8 * ring + middle for ring in rings), OUTSIDE][:3] for middle in (1, 3, 5, 7)]
        steps = [step for line in lines for step in pairwise(line)]
        near = [sum(1 << one + two - point for one, two in steps if point in (one, two)) for point in range(24)]
        mills = [sum(1 << at for at in line if at != point) for point in points for line in lines if point in line]
        turned = [8 * (point // 8) + (point + 2) % 8 for point in points]
        turned_over = [8 * (point // 8) + -point % 8 for point in points]
        inside_out = [len(points) - 8 - 8 * (point // 8) + point % 8 for point in points]
        board = [len(points), self.men, self.options["flying"] == "yes", *near, *mills]
        return men(len(points), symmetries(turned, turned_over, inside_out), self.men, board + [0] * (RANKS - len(board)))

    def size(self, tier: int) -> int:
        """The number of orbits of the men of the player to move, times the ways to place the other men."""
        return men_size(self.numbers, RANKS, tier >> 4 & 15, tier & 15)

    def after(self, tier: int) -> list[int]:
        """The other player is to move; he may have lost a man."""
        placed, own, other = tier >> 8, tier >> 4 & 15, tier & 15
        is_placing = placed < 2 * self.men
        # A mill needs three men.
        losses = range(2 if own + is_placing > 2 and other else 1) if is_placing or own > 2 else ()
        return [placed + is_placing << 8 | other - lost << 4 | own + is_placing for lost in losses]

    def tier_name(self, tier: int) -> str:
        """The men of both players, as in ``5-4``; while men are placed, after the number of men that are left."""
        left = 2 * self.men - (tier >> 8)
        return f"{f'left{left}-' if left else ''}{tier >> 4 & 15}-{tier & 15}"

    def move_word(self, position: int, child: int, number: int) -> str:
        """The points of the man that moves, and of the one that is taken."""
        del number
        (own, other), (left, new) = men_of(position), men_of(child)
        words = [self.points[lowest(some)] if some else "" for some in (own & ~new, new & ~own, other & ~left)]
        return "{}{}".format(*words) + (f"x{words[2]}" if words[2] else "")

    def ending(self, position: int, winner: int | None) -> Ending:
        """Too few men, or no move."""
        loser = self.sides[position >> SIDE & 1].name
        few = bits(men_of(position)[0]) < 3
        return Ending.of_two(winner, "two men" if few else "no move", f"{loser} {'has two men' if few else 'cannot move'}")

    def format(self, position: int) -> str:
        """As described above."""
        (own, other), letters = men_of(position), "bw" if position >> SIDE & 1 else "wb"
        marks = "".join(letters[0] if own >> at & 1 else letters[1] if other >> at & 1 else "." for at in range(8 * self.rings))
        return f"{'/'.join(re.findall('.' * 8, marks))} {letters[0]} {2 * self.men - (position >> PLACED)}"

    def parse(self, text: str) -> int:
        """Read a position with numbers of men that can come about."""
        pattern = "/".join(["[wb.]{8}"] * self.rings) + " [wb] (0|[1-9][0-9]?)"
        self.check_text(text, pattern, "the rings, the side to move and the number of men to be placed")
        board, side, left = text.split()
        marks, placed = board.replace("/", ""), 2 * self.men - int(left)
        white, black = (sum(1 << at for at, mark in enumerate(marks) if mark == one) for one in "wb")
        if placed < 0 or bits(white) > (placed + 1) // 2 or bits(black) > placed // 2:
            raise NotationError(f"{quoted(text)} has more men than players have placed: each of them has {self.men}")
        if int(left) > 0 and "wb"[placed & 1] != side:
            raise NotationError(f"{quoted(text)}: with {left} men to be placed, the side to move is {'wb'[placed & 1]}")
        return joined(white, black, 0, placed) if side == "w" else joined(black, white, 1, placed)


game = cache(MensMorris)
