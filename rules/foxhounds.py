"""Fox & Hounds on n×n boards, as data.

The reading is that of Joe Leslie-Hurd's article: the fox steps diagonally to any empty square, a hound
diagonally forwards only, nobody captures, and who has no move loses. The fox has also won, whoever is to move,
once it stands on a square that no hound could reach even on an empty board, with another such square beside it.
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
    """The game; the fox is side 0 and moves first, the hounds move up the board.

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
    fox = Kind("F", "fox", 0, squares, board.steps(ANYWHERE))
    hounds = Kind("H", "hound", 1, squares, board.steps(FORWARDS), limit=width // 2, tiered=True)
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
    """For each square, the squares that a hound on it can come to on an empty board, its own included."""
    found: dict[int, frozenset[int]] = {}
    for square in reversed(hounds.squares):
        found[square] = frozenset({square}).union(*(found[step.target] for step in hounds.steps_from.get(square, ())))
    return found


def _start(n: int) -> str:
    """The fox on the top rank, right of the middle or on it; the hounds on all squares of the first."""
    fox = 2 * (n // 4)
    top = f"{fox or ''}F{n - 1 - fox or ''}"
    return "/".join([top, *[str(n)] * (n - 2), "1H" * (n // 2)]) + " f"


def foxbox(rules: Game, squares: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether the hounds contain the fox in each position.

    The fox's area, the squares that it reaches by diagonal steps around the hounds, is one square, or lies
    inside what the hounds could still reach.

    Parameters
    ----------
    rules : Game
        Of this module; its board must have no more than 64 squares.
    squares : ndarray of int8, shape (positions, 1 + hounds)
        The fox's square, then the hounds'.

    Raises
    ------
    CapacityError
        If the board has more squares.
    """
    fox, hounds = rules.kinds
    if len(rules.board) > WORD_BITS:
        raise CapacityError("a FoxBox", "take a smaller board", needed=len(rules.board), allowed=WORD_BITS, unit="squares")
    bits = np.uint64(1) << np.arange(len(rules.board), dtype=np.uint64)
    reaches = _reaches(hounds)
    guarded = np.array([sum(1 << square for square in reaches[origin]) for origin in hounds.squares], dtype=np.uint64)
    taken = np.bitwise_or.reduce(bits[squares[:, 1:]], axis=1)
    inside = np.bitwise_or.reduce(guarded[squares[:, 1:]], axis=1)
    area = bits[squares[:, 0]]
    while True:
        grown = area | (_stepped(fox, area) & ~taken)
        if np.array_equal(grown, area):
            break
        area = grown
    contained: NDArray[np.bool_] = (area == bits[squares[:, 0]]) | (area & ~inside == 0)
    return contained


def _stepped(kind: Kind, area: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The squares one step away from sets of squares, given as bits."""
    shifts: dict[int, int] = {}
    for step in kind.steps:
        difference = step.target - step.origin
        shifts[difference] = shifts.get(difference, 0) | 1 << step.origin
    found = np.zeros_like(area)
    for difference, origins in shifts.items():
        moving = area & np.uint64(origins)
        found |= moving << np.uint64(difference) if difference > 0 else moving >> np.uint64(-difference)
    return found
