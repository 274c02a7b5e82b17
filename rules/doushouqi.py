"""Dou Shou Qi (jungle), as read by J. N. van Rijn and J. K. Vis.

The reading is that of *Complexity and Retrograde Analysis of the Game Dou Shou Qi*,
made exact where its prose is silent so that it gives the paper's tables:

- A piece takes a piece of the same or a lower strength; a rat takes an elephant.
- A piece that stands in a trap of the other side has strength 0: anything takes it, it takes nothing.
- A rat in the water takes only a rat; rats take each other anywhere.
- Lions and tigers jump straight across the water unless a rat swims on the way.
- Nobody enters his own den; who enters the other den wins. No legal move is a draw.
"""

from __future__ import annotations

from functools import cache

from rules._jungle import ANIMALS, BOARD, DENS, HEIGHT, STRENGTHS, TRAPS, WATER, WIDTH
from rules.doushouqi_features import FEATURES
from tablebase.game import Game, Kind, Outcome, Side, Step

DIRECTIONS = ((0, 1), (-1, 0), (1, 0), (0, -1))


@cache
def game() -> Game:
    """The game; White is side 0 and moves up the board."""
    letters = [(letter, side) for side in (0, 1) for letter in ANIMALS]
    return Game(
        name="doushouqi",
        title="Dou Shou Qi",
        board=BOARD,
        sides=(Side("w", "White"), Side("b", "Black")),
        kinds=tuple(_kind(letter, side) for letter, side in letters),
        start="l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w",
        no_move=Outcome.DRAW,
        max_pieces=2 * len(ANIMALS),
        mirror=tuple(BOARD.numbers[WIDTH - 1 - f, r] for f, r in BOARD.cells),
        swap=tuple(BOARD.numbers[WIDTH - 1 - f, HEIGHT - 1 - r] for f, r in BOARD.cells),
        features=FEATURES,
    )


def _kind(letter: str, side: int) -> Kind:
    allowed = set(range(len(BOARD))) - set(DENS)
    if letter != "R":
        allowed -= WATER
    squares = tuple(sorted(allowed))
    steps = tuple(step for origin in squares for step in _steps(letter, side, origin))
    return Kind(_symbol(letter, side), ANIMALS[letter], side, squares, steps)


def _symbol(letter: str, side: int) -> str:
    return letter if side == 0 else letter.lower()


def _steps(letter: str, side: int, origin: int) -> list[Step]:
    steps = []
    for direction in DIRECTIONS:
        path = _path(letter, origin, direction)
        if path and path[-1] != DENS[side]:
            target = path[-1]
            victims = _victims(letter, side, origin, target)
            steps.append(Step(origin, target, frozenset(path[:-1]), True, victims, target == DENS[1 - side]))
    return steps


def _path(letter: str, origin: int, direction: tuple[int, int]) -> list[int]:
    """Squares from the one after `origin` to where the piece lands; empty if it cannot go there."""
    file, rank = BOARD.cells[origin]
    path: list[int] = []
    while True:
        file, rank = file + direction[0], rank + direction[1]
        if (file, rank) not in BOARD.numbers:
            return []
        path.append(BOARD.numbers[file, rank])
        if path[-1] not in WATER or letter == "R":
            return path
        if letter not in "LT":
            return []


def _victims(letter: str, side: int, origin: int, target: int) -> frozenset[str]:
    """Symbols of what the piece takes on `target` when it comes from `origin`."""
    if target in DENS:
        return frozenset()
    if target in TRAPS[side]:
        taken = set(ANIMALS)
    elif origin in TRAPS[1 - side]:
        taken = set()
    elif origin in WATER:
        taken = {"R"}
    else:
        taken = {other for other in ANIMALS if STRENGTHS[other] <= STRENGTHS[letter]}
        if letter == "R":
            taken.add("E")
    return frozenset(_symbol(other, 1 - side) for other in taken)
