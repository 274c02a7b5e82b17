"""Hexapawn, Martin Gardner's game of 1962, on boards of any size, as data.

Pawns step straight ahead and capture diagonally ahead. A side wins by reaching the far rank, by capturing the last enemy
pawn, or by leaving the enemy without a legal move.
"""

from __future__ import annotations

from functools import cache

from tablebase.errors import RulesError
from tablebase.game import Board, Game, Kind, Outcome, Side, Step

FILES = (1, 9)
RANKS = (3, 9)


@cache
def game(size: tuple[int, int] = (3, 3)) -> Game:
    """The game; White is side 0, moves first, and moves up the board.

    Raises
    ------
    RulesError
        If the board is too small or too large.
    """
    files, ranks = size
    if not FILES[0] <= files <= FILES[1] or not RANKS[0] <= ranks <= RANKS[1]:
        limits = f"{FILES[0]} to {FILES[1]} files and {RANKS[0]} to {RANKS[1]} ranks"
        raise RulesError(f"hexapawn is played on {limits}, not on {files}x{ranks}")
    board = Board.full(files, ranks)
    return Game(
        name="hexapawn",
        title="Hexapawn",
        board=board,
        sides=(Side("w", "White"), Side("b", "Black")),
        kinds=(_pawn(board, 0), _pawn(board, 1)),
        start="/".join(["p" * files, *[str(files)] * (ranks - 2), "P" * files]) + " w",
        no_move=Outcome.LOSS,
        max_pieces=2 * files,
        mirror=tuple(board.numbers[files - 1 - x, y] for x, y in board.cells),
        swap=tuple(board.numbers[x, ranks - 1 - y] for x, y in board.cells),
    )


def _pawn(board: Board, side: int) -> Kind:
    """The pawn of a side."""
    goal, ahead = ((board.height - 1, 1), (0, -1))[side]
    squares = tuple(square for square, (_, y) in enumerate(board.cells) if y != goal)
    steps = []
    for origin in squares:
        x, y = board.cells[origin]
        for dx in (-1, 0, 1):
            target = board.numbers.get((x + dx, y + ahead))
            if target is not None:
                victims = frozenset("Pp"[1 - side]) if dx else frozenset[str]()
                steps.append(Step(origin, target, quiet=not dx, victims=victims, wins=y + ahead == goal))
    return Kind("Pp"[side], "pawn", side, squares, tuple(steps), limit=board.width, shape="pawn")
