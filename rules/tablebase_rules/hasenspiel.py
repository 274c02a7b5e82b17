"""Hasenspiel, the rabbit game, as data.

The rules are those of the article *Hasenspiel - Escape the White Rabbit*: four black pawns step diagonally forwards,
the white rabbit steps diagonally in any direction; there are no captures, and a side without a legal move loses. The
dark squares are numbered row by row from the pawns' left corner. When White has won early depends on the numbers of
the rabbit's square and of the lowest pawn's:

- ``early=default``: the rabbit's number is below the lowest pawn's plus the squares of a row, with Black to move;
- ``early=article``: it is below the lowest pawn's plus the squares of a row minus 1, either side to move (the article's
  first program);
- ``early=none``: only if the rabbit is on the first row.
"""

from __future__ import annotations

from functools import cache

from tablebase.errors import RulesError
from tablebase.game import Board, Escape, Game, Kind, Outcome, Side

ANYWHERE = ((-1, -1), (1, -1), (-1, 1), (1, 1))
FORWARDS = ((-1, 1), (1, 1))
WIDTHS = (2, 12)
HEIGHTS = (2, 12)


@cache
def game(size: tuple[int, int] = (8, 8), pawns: int = 0, early: str = "default") -> Game:
    """The game; White, the rabbit, is side 0 and moves first; the pawns move up the board.

    Parameters
    ----------
    size : (int, int)
        Files, an even number, and ranks.
    pawns : int
        Number of pawns, which start on the dark squares of the first rank, from the left; 0 for one on each.
    early : str
        When White has won before the pawns are stuck: ``default``, ``article`` or ``none``.

    Raises
    ------
    RulesError
        If the game cannot be set up.
    """
    width, height = size
    if width % 2 or not WIDTHS[0] <= width <= WIDTHS[1] or not HEIGHTS[0] <= height <= HEIGHTS[1]:
        raise RulesError(f"hasenspiel is played on 2 to 12 files, an even number, and 2 to 12 ranks, not on {width}x{height}")
    pawns = pawns or width // 2
    if pawns > width // 2:
        raise RulesError(f"hasenspiel on {width} files has 1 to {width // 2} pawns, not {pawns}")
    if early not in EARLY:
        raise RulesError(f"hasenspiel has no variant early={early}: choose one of {', '.join(EARLY)}")
    board = Board.checkered(width, height, corner=True)
    squares = tuple(range(len(board)))
    return Game(
        name="hasenspiel",
        title="Hasenspiel",
        board=board,
        sides=(Side("w", "White"), Side("b", "Black")),
        kinds=(
            Kind("R", "rabbit", 0, squares, board.steps(ANYWHERE), shape="rabbit"),
            Kind("p", "pawn", 1, squares, board.steps(FORWARDS), pawns, tiered=True, shape="pawn"),
        ),
        start=_start(width, height, pawns),
        no_move=Outcome.LOSS,
        max_pieces=1 + pawns,
        escape=EARLY[early](board),
    )


def _default(board: Board) -> Escape:
    """The escape of ``early=default``."""
    return Escape("R", {"p": _guarded_from(board, board.width // 2)}, to_move=frozenset({1}))


def _article(board: Board) -> Escape:
    """The escape of ``early=article``."""
    return Escape("R", {"p": _guarded_from(board, board.width // 2 - 1)})


def _none(board: Board) -> Escape:
    """The escape of ``early=none``."""
    beyond_first_row = frozenset(range(board.width // 2, len(board)))
    return Escape("R", {"p": dict.fromkeys(range(len(board)), beyond_first_row)})


EARLY = {"default": _default, "article": _article, "none": _none}


def _guarded_from(board: Board, ahead: int) -> dict[int, frozenset[int]]:
    """For each square, what a pawn on it guards: the squares whose number exceeds its own by `ahead` or more."""
    return {square: frozenset(range(square + ahead, len(board))) for square in range(len(board))}


def _start(width: int, height: int, pawns: int) -> str:
    """The start: the rabbit on the middle dark square of the last rank, or the left one of two; the pawns on the first rank."""
    parity = (height - 1) % 2
    rabbit = 2 * ((width // 2 - 1) // 2) + parity
    top = f"{rabbit or ''}R{width - 1 - rabbit or ''}"

    bottom = "1".join("p" * pawns) + str(width - 2 * pawns + 1)
    return "/".join([top, *[str(width)] * (height - 2), bottom]) + " w"
