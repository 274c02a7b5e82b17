"""Fox & Hounds on n×n boards, as data.

The rules are those of Joe Leslie-Hurd's article: the fox steps diagonally in any direction, a hound only diagonally
forwards; there are no captures, and a side without a legal move loses. The fox has also won, whichever side is to move,
once its square and a neighbouring one are out of reach of all hounds, even on an empty board.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CapacityError, RulesError
from tablebase.game import Board, Escape, Game, Kind, Outcome, Side

LARGEST = 12
WORD_BITS = 64
ANYWHERE = ((-1, -1), (1, -1), (-1, 1), (1, 1))
FORWARDS = ((-1, 1), (1, 1))


@cache
def game(size: tuple[int, int] = (8, 8)) -> Game:
    """The game; the fox is side 0 and moves first; the hounds move up the board.

    Raises
    ------
    RulesError
        For boards that are not square, of odd size, or larger than 12×12.
    """
    width, height = size
    if width != height or width % 2 or not 2 <= width <= LARGEST:
        raise RulesError(f"foxhounds is played on n×n boards, n even from 2 to {LARGEST}, not {width}x{height}")
    board = Board.checkered(width, height, corner=False)
    squares = tuple(range(len(board)))
    fox = Kind("F", "fox", 0, squares, board.steps(ANYWHERE), shape="fox")
    hounds = Kind("H", "hound", 1, squares, board.steps(FORWARDS), limit=width // 2, tiered=True, shape="hound")
    return Game(
        name="foxhounds",
        title="Fox & Hounds",
        board=board,
        sides=(Side("f", "Fox"), Side("h", "Hounds")),
        kinds=(fox, hounds),
        start=_start(width),
        no_move=Outcome.LOSS,
        max_pieces=1 + width // 2,
        escape=Escape("F", {"H": _reaches(hounds)}, room=True),
    )


def _reaches(hounds: Kind) -> dict[int, frozenset[int]]:
    """For each square, the squares that a hound on it can reach on an empty board, including its own."""
    reaches: dict[int, frozenset[int]] = {}
    for square in reversed(hounds.squares):
        reaches[square] = frozenset({square}).union(*(reaches[step.target] for step in hounds.steps_from.get(square, ())))
    return reaches


def _start(n: int) -> str:
    """The start: the fox on the middle square of the last rank, or the right one of two; the hounds on the whole first rank."""
    fox = 2 * (n // 4)
    top = f"{fox or ''}F{n - 1 - fox or ''}"
    return "/".join([top, *[str(n)] * (n - 2), "1H" * (n // 2)]) + " f"


def foxbox(rules: Game, squares: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether each position is a FoxBox, in which the hounds contain the fox.

    The area that the fox can reach by moving around the hounds is a single square, or lies within the squares that the
    hounds can still reach.

    Parameters
    ----------
    rules : Game
        A game of this module; its board must have at most 64 squares.
    squares : ndarray of int8, shape (positions, 1 + hounds)
        The fox's square, then the hounds'.

    Raises
    ------
    CapacityError
        If the board has more squares.

    Notes
    -----
    Flood fill of all positions at once; a set of squares is a 64-bit word.
    """
    fox, hounds = rules.kinds
    if len(rules.board) > WORD_BITS:
        raise CapacityError("a FoxBox", "take a smaller board", needed=len(rules.board), allowed=WORD_BITS, unit="squares")
    bits = np.uint64(1) << np.arange(len(rules.board), dtype=np.uint64)
    reaches = _reaches(hounds)
    guarded = np.array([sum(1 << square for square in reaches[origin]) for origin in hounds.squares], dtype=np.uint64)
    occupied = np.bitwise_or.reduce(bits[squares[:, 1:]], axis=1)
    within_reach = np.bitwise_or.reduce(guarded[squares[:, 1:]], axis=1)
    area = bits[squares[:, 0]]
    while True:
        grown = area | (_stepped(fox, area) & ~occupied)
        if np.array_equal(grown, area):
            break
        area = grown
    contained: NDArray[np.bool_] = (area == bits[squares[:, 0]]) | (area & ~within_reach == 0)
    return contained


def _stepped(kind: Kind, area: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The squares one step away from sets of squares; sets are bits of words."""
    origins_by_shift: dict[int, int] = {}
    for step in kind.steps:
        shift = step.target - step.origin
        origins_by_shift[shift] = origins_by_shift.get(shift, 0) | 1 << step.origin
    targets = np.zeros_like(area)
    for shift, origins in origins_by_shift.items():
        moving = area & np.uint64(origins)
        targets |= moving << np.uint64(shift) if shift > 0 else moving >> np.uint64(-shift)
    return targets
