"""Fox & Hounds on n×n boards, as data.

The reading is that of Joe Leslie-Hurd's article: the fox steps diagonally to any empty square, a hound
diagonally forwards only, nobody captures, and who has no move loses. The fox has also won, whoever is to move,
once it stands on a square that no hound could reach even on an empty board, with another such square beside it.
"""

from __future__ import annotations

from functools import cache

from tablebase.errors import RulesError
from tablebase.game import Board, Escape, Game, Kind, Outcome, Side

LARGEST = 12
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
