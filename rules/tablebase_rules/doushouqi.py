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

The option ``board`` names another board: one of the files in the folder `boards`, or a file of one's own, drawn as
`tablebase_rules._jungle_boards` describes. Its pieces are those of its start, on the squares that they can come to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tablebase.errors import RulesError
from tablebase.game import Game, Kind, Outcome, Side, Step, Terrain
from tablebase.game.file_words import MARK
from tablebase_rules._jungle import ANIMALS, STANDARD, STRENGTHS, Field
from tablebase_rules._jungle_boards import DENS, TRAPS, USUAL, WATER, field_of
from tablebase_rules.doushouqi_evaluation import evaluation
from tablebase_rules.doushouqi_features import ANYWHERE, FEATURES

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
    field: Field


@cache
def game(traps: str = "enemy", elephant: str = "takes_rat", shore: str = "rats", no_move: str = "draw", board: str = USUAL) -> Game:
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
    board : str
        The board: its name, or what stands for a file.

    Raises
    ------
    RulesError
        If an option has another value.
    """
    given = {"traps": traps, "elephant": elephant, "shore": shore, "no_move": no_move}
    for name, words in OPTIONS.items():
        if given[name] not in words:
            raise RulesError(f"doushouqi has no variant {name}={given[name]}: choose one of {', '.join(words)}")
    field = field_of(board)
    reading = Reading(traps, elephant, shore, field)
    kinds = tuple(_kind(letter, side, reading) for side in (0, 1) for letter in ANIMALS if _symbol(letter, side) in field.starts)
    return Game(
        name="doushouqi",
        title="Dou Shou Qi" if field is STANDARD else f"Dou Shou Qi (board {board.partition(MARK)[0]})",
        board=field.board,
        sides=(Side("w", "White"), Side("b", "Black")),
        kinds=kinds,
        start=field.start,
        no_move=Outcome(no_move),
        max_pieces=sum(kind.limit for kind in kinds),
        mirror=_symmetry(field, kinds, turned=False),
        swap=_symmetry(field, kinds, turned=True),
        features=FEATURES if field is STANDARD else ANYWHERE,
        terrain=_terrain(field),
        evaluation=evaluation(kinds, field),
    )


def _symmetry(field: Field, kinds: tuple[Kind, ...], *, turned: bool) -> tuple[int, ...] | None:
    """The image of each square, mirrored or turned by half with sides changed; None if the game is another one then."""
    image = field.image(turned=turned)
    if image is None:
        return None
    by_symbol = {kind.symbol: (kind.limit, set(kind.squares)) for kind in kinds}
    for kind in kinds:
        twin = kind.symbol.swapcase() if turned else kind.symbol
        if by_symbol.get(twin) != (kind.limit, {image[square] for square in kind.squares}):
            return None
    return image


def _terrain(field: Field) -> tuple[Terrain, ...]:
    """What the board looks like; elsewhere than on the usual board, a trap or a den does not show whose it is."""
    looks: list[tuple[str, str, frozenset[int], str | None]]
    if field is STANDARD:
        looks = [("trap", TRAPS[1], field.traps[0] | field.traps[1], "trap"), ("den", DENS[1], field.all_dens, "den")]
    else:
        looks = [("Black's trap", TRAPS[1], field.traps[1], "trap"), ("Black's den", DENS[1], field.dens[1], "den")]
        looks += [("White's trap", TRAPS[0], field.traps[0], None), ("White's den", DENS[0], field.dens[0], None)]
    looks.insert(0, ("river", WATER, field.water, "water"))
    return tuple(Terrain(name, symbol, tuple(sorted(squares)), look) for name, symbol, squares, look in looks if squares)


def _kind(letter: str, side: int, reading: Reading) -> Kind:
    """An animal of a side, on the squares that it could come to from where it starts, were it alone."""
    symbol = _symbol(letter, side)
    starts = reading.field.starts[symbol]
    squares, waiting, steps = set(starts), list(starts), []
    while waiting:
        found = _steps(letter, side, waiting.pop(), reading)
        new = {step.target for step in found if not step.wins} - squares
        steps += found
        squares |= new
        waiting += new
    return Kind(symbol, ANIMALS[letter], side, tuple(sorted(squares)), tuple(steps), len(starts), shape=ANIMALS[letter])


def _symbol(letter: str, side: int) -> str:
    """The letter in the case of the side."""
    return letter if side == 0 else letter.lower()


def _steps(letter: str, side: int, origin: int, reading: Reading) -> list[Step]:
    """All steps of an animal from a square."""
    steps, dens = [], reading.field.dens
    for direction in DIRECTIONS:
        path = _path(letter, origin, direction, reading.field)
        if path and path[-1] not in dens[side]:
            target = path[-1]
            victims = _victims(letter, side, origin, target, reading)
            steps.append(Step(origin, target, frozenset(path[:-1]), True, victims, target in dens[1 - side]))
    return steps


def _path(letter: str, origin: int, direction: tuple[int, int], field: Field) -> list[int]:
    """The squares after `origin`, up to the one where the piece lands; empty if it cannot move in this direction."""
    board = field.board
    file, rank = board.cells[origin]
    path: list[int] = []
    while True:
        file, rank = file + direction[0], rank + direction[1]
        if (file, rank) not in board.numbers:
            return []
        path.append(board.numbers[file, rank])
        if path[-1] not in field.water or letter == "R":
            return path
        if letter not in "LT":
            return []


def _victims(letter: str, side: int, origin: int, target: int, reading: Reading) -> frozenset[str]:
    """Symbols of the pieces that the piece captures on `target` when it comes from `origin`."""
    water = reading.field.water
    victims: set[str] | frozenset[str]
    if target in _weakening(1 - side, reading):
        victims = set(ANIMALS)
    elif origin in _weakening(side, reading) or (target in water and origin not in water and reading.shore not in INTO_WATER):
        victims = set()
    elif origin in water:
        victims = {"R"} if target in water else ONTO_LAND[reading.shore]
    else:
        victims = {animal for animal in ANIMALS if STRENGTHS[animal] <= STRENGTHS[letter]}
        if letter == "R":
            victims.add("E")
        if letter == "E" and reading.elephant == "spares_rat":
            victims.remove("R")
    return frozenset(symbol for victim in victims if (symbol := _symbol(victim, 1 - side)) in reading.field.starts)


def _weakening(side: int, reading: Reading) -> frozenset[int]:
    """The traps in which a piece of a side has strength 0."""
    traps = reading.field.traps
    return traps[0] | traps[1] if reading.traps == "all" else traps[1 - side]
