"""Dou Shou Qi (jungle), as interpreted by J. N. van Rijn and J. K. Vis.

The rules are those of *Complexity and Retrograde Analysis of the Game Dou Shou Qi*, completed where its prose is silent
so that they reproduce the paper's tables:

- A piece captures pieces of the same or a lower strength; a rat captures an elephant.
- A piece in a trap of the other side has strength 0: every enemy captures it, and it captures nothing.
- A rat in the water captures only rats; rats capture each other anywhere.
- Lions and tigers jump straight across the water unless a rat swims in between.
- A piece cannot enter its own den, and wins by entering the other den. Having no legal move is a draw.

People play other readings, too, and `OPTIONS` names them; the first value of each is the paper's.

- ``traps=all``: a piece in a trap of its own side has strength 0 as well.
- ``elephant=spares_rat``: an elephant takes a rat in a trap only.
- ``shore``: which rats capture across the shore. ``rats``: each takes the other, both ways. ``none``: none does.
  ``from_land``: a rat on land takes a swimming one, not the other way round. ``from_water``: a swimming rat takes one on
  land, not the other way round. ``all``: as ``rats``, and a swimming rat takes elephants.
- ``no_move=loss``: having no legal move is a loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tablebase.errors import RulesError
from tablebase.game import Game, Kind, Outcome, Side, Step, Terrain
from tablebase_rules._jungle import ANIMALS, BOARD, DENS, HEIGHT, STRENGTHS, TRAPS, WATER, WIDTH
from tablebase_rules.doushouqi_evaluation import evaluation
from tablebase_rules.doushouqi_features import FEATURES

DIRECTIONS = ((0, 1), (-1, 0), (1, 0), (0, -1))


OPTIONS: Mapping[str, tuple[str, ...]] = {
    "traps": ("enemy", "all"),
    "elephant": ("takes_rat", "spares_rat"),
    "shore": ("rats", "none", "from_land", "from_water", "all"),
    "no_move": ("draw", "loss"),
}
"""The values of the options, the paper's first."""
ONTO_LAND: Mapping[str, frozenset[str]] = {
    "rats": frozenset("R"),
    "none": frozenset(),
    "from_land": frozenset(),
    "from_water": frozenset("R"),
    "all": frozenset("RE"),
}
"""What a swimming rat takes on land, by the value of ``shore``."""
INTO_WATER = frozenset({"rats", "from_land", "all"})
"""The values of ``shore`` with which a rat on land takes a swimming one."""


@dataclass(frozen=True)
class Reading:
    """What decides who takes whom; each field is the option of that name."""

    traps: str
    elephant: str
    shore: str


@cache
def game(traps: str = "enemy", elephant: str = "takes_rat", shore: str = "rats", no_move: str = "draw") -> Game:
    """The game; White is side 0 and moves up the board.

    Parameters
    ----------
    traps : str
        Whether pieces have strength 0 in traps of the enemy, or in all traps.
    elephant : str
        Whether an elephant takes rats, or only those in a trap.
    shore : str
        Which rats capture across the shore.
    no_move : str
        Whether having no legal move is a draw or a loss.

    Raises
    ------
    RulesError
        If an option has another value.
    """
    given = {"traps": traps, "elephant": elephant, "shore": shore, "no_move": no_move}
    for name, words in OPTIONS.items():
        if given[name] not in words:
            raise RulesError(f"doushouqi has no variant {name}={given[name]}: choose one of {', '.join(words)}")
    reading = Reading(traps, elephant, shore)
    kinds = tuple(_kind(letter, side, reading) for side in (0, 1) for letter in ANIMALS)
    return Game(
        name="doushouqi",
        title="Dou Shou Qi",
        board=BOARD,
        sides=(Side("w", "White"), Side("b", "Black")),
        kinds=kinds,
        start="l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w",
        no_move=Outcome(no_move),
        max_pieces=2 * len(ANIMALS),
        mirror=tuple(BOARD.numbers[WIDTH - 1 - f, r] for f, r in BOARD.cells),
        swap=tuple(BOARD.numbers[WIDTH - 1 - f, HEIGHT - 1 - r] for f, r in BOARD.cells),
        features=FEATURES,
        terrain=(
            Terrain("river", "~", tuple(sorted(WATER)), "water"),
            Terrain("trap", "^", tuple(sorted(TRAPS[0] | TRAPS[1])), "trap"),
            Terrain("den", "#", DENS, "den"),
        ),
        evaluation=evaluation(kinds),
    )


def _kind(letter: str, side: int, reading: Reading) -> Kind:
    """An animal of a side."""
    allowed = set(range(len(BOARD))) - set(DENS)
    if letter != "R":
        allowed -= WATER
    squares = tuple(sorted(allowed))
    steps = tuple(step for origin in squares for step in _steps(letter, side, origin, reading))
    return Kind(_symbol(letter, side), ANIMALS[letter], side, squares, steps, shape=ANIMALS[letter])


def _symbol(letter: str, side: int) -> str:
    """The letter in the case of the side."""
    return letter if side == 0 else letter.lower()


def _steps(letter: str, side: int, origin: int, reading: Reading) -> list[Step]:
    """All steps of an animal from a square."""
    steps = []
    for direction in DIRECTIONS:
        path = _path(letter, origin, direction)
        if path and path[-1] != DENS[side]:
            target = path[-1]
            victims = _victims(letter, side, origin, target, reading)
            steps.append(Step(origin, target, frozenset(path[:-1]), True, victims, target == DENS[1 - side]))
    return steps


def _path(letter: str, origin: int, direction: tuple[int, int]) -> list[int]:
    """The squares after `origin`, up to the one where the piece lands; empty if it cannot move in this direction."""
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


def _victims(letter: str, side: int, origin: int, target: int, reading: Reading) -> frozenset[str]:
    """Symbols of the pieces that the piece captures on `target` when it comes from `origin`."""
    if target in DENS:
        return frozenset()
    victims: set[str] | frozenset[str]
    if target in _weakening(1 - side, reading):
        victims = set(ANIMALS)
    elif origin in _weakening(side, reading) or (target in WATER and origin not in WATER and reading.shore not in INTO_WATER):
        victims = set()
    elif origin in WATER:
        victims = {"R"} if target in WATER else ONTO_LAND[reading.shore]
    else:
        victims = {animal for animal in ANIMALS if STRENGTHS[animal] <= STRENGTHS[letter]}
        if letter == "R":
            victims.add("E")
        if letter == "E" and reading.elephant == "spares_rat":
            victims.remove("R")
    return frozenset(_symbol(victim, 1 - side) for victim in victims)


def _weakening(side: int, reading: Reading) -> frozenset[int]:
    """The traps in which a piece of a side has strength 0."""
    return TRAPS[0] | TRAPS[1] if reading.traps == "all" else TRAPS[1 - side]
