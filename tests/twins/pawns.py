"""Hexapawn of 3x3 written anew, on strings, without the package: cells from a1 on, then the next rank."""

from functools import cache
from typing import Any

START = "PPP...ppp"
WHITE, BLACK = 0, 1


def naive_moves(cells: str, side: int) -> dict[tuple[int, int], tuple[str, bool]]:
    """Moves on 3x3 by origin and target: the board afterwards, a1 first, and whether the mover has won at once."""
    own, foe, ahead, goal = [("P", "p", 3, 2), ("p", "P", -3, 0)][side]
    moves = {}
    for origin in (square for square in range(9) if cells[square] == own):
        for right in (-1, 0, 1):
            target = origin + ahead + right
            if 0 <= origin % 3 + right < 3 and 0 <= target < 9 and cells[target] == (foe if right else "."):
                after = "".join({origin: ".", target: own}.get(square, cells[square]) for square in range(9))
                moves[origin, target] = after, target // 3 == goal or foe not in after
    return moves


@cache
def naive_value(cells: str, side: int) -> int:
    """Positive if the side to move wins, negative if it loses, and the larger the better for it."""
    best = -100
    for after, won in naive_moves(cells, side).values():
        value = 99 if won else -naive_value(after, 1 - side)
        best = max(best, value - 1 if value > 0 else value + 1)
    return best


def as_cells(position: Any) -> str:
    symbols = {square: "Pp"[kind] for kind, square in position.pieces}
    return "".join(symbols.get(square, ".") for square in range(9))


def flipped(cells: str) -> str:
    return cells[2::-1] + cells[5:2:-1] + cells[8:5:-1]
