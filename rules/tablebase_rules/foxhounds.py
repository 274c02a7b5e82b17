"""Fox & Hounds on n×n boards, as data.

The rules are those of Joe Leslie-Hurd's article: the fox steps diagonally in any direction, a hound only diagonally
forwards; there are no captures, and a side without a legal move loses. The fox has also won, whichever side is to move,
once its square and a neighbouring one are out of reach of all hounds, even on an empty board.
"""

from __future__ import annotations

from functools import cache

from tablebase.errors import RulesError
from tablebase.game import Board, Escape, Game, Kind, Outcome, Side
from tablebase_rules._foxboxes import foxbox as foxbox
from tablebase_rules._foxboxes import reaches_of
from tablebase_rules.foxhounds_features import features_of

LARGEST = 12
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
        escape=Escape("F", {"H": reaches_of(hounds)}, room=True),
        features=features_of(board),
    )


def _start(n: int) -> str:
    """The start: the fox on the middle square of the last rank, or the right one of two; the hounds on the whole first rank."""
    fox = 2 * (n // 4)
    top = f"{fox or ''}F{n - 1 - fox or ''}"
    return "/".join([top, *[str(n)] * (n - 2), "1H" * (n // 2)]) + " f"
