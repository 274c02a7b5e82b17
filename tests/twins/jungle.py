"""The slow, obvious twin of the rules of Dou Shou Qi, in plain Python, with all readings that are options.

It shares nothing with the package: squares are names, a position is a mapping of names to letters, upper case for White,
and every rule is a line of prose.
"""

from collections.abc import Mapping
from functools import cache

FILES, RANKS = "abcdefg", "123456789"
WATER = {file + rank for file in "bcef" for rank in "456"}
TRAPS = {"w": {"c1", "e1", "d2"}, "b": {"c9", "e9", "d8"}}
DEN = {"w": "d1", "b": "d9"}
WEAK_TO_STRONG = "RCWDPTLE"
PAPER = {"traps": "enemy", "elephant": "takes_rat", "shore": "rats", "no_move": "draw"}
"""The default readings."""

Board = tuple[tuple[str, str], ...]
"""Names of squares and letters, sorted."""
Move = tuple[str, str]


def colour(letter: str) -> str:
    return "w" if letter.isupper() else "b"


def other(side: str) -> str:
    return "b" if side == "w" else "w"


def weakened(letter: str, square: str, reading: Mapping[str, str]) -> bool:
    own = colour(letter)
    return square in TRAPS[other(own)] or (reading["traps"] == "all" and square in TRAPS[own])


def takes(hunter: str, origin: str, victim: str, target: str, reading: Mapping[str, str]) -> bool:
    """Whether a piece that stands on `origin` may take one of the other side on `target`, if it can get there."""
    if colour(hunter) == colour(victim):
        return False
    if weakened(victim, target, reading):
        return True
    if weakened(hunter, origin, reading):
        return False
    pair = hunter.upper() + victim.upper()
    if origin in WATER and target not in WATER:
        return pair in {"rats": ["RR"], "none": [], "from_land": [], "from_water": ["RR"], "all": ["RR", "RE"]}[reading["shore"]]
    if target in WATER and origin not in WATER:
        return pair == "RR" and reading["shore"] in ("rats", "from_land", "all")
    if pair == "RE":
        return True
    if pair == "ER":
        return reading["elephant"] == "takes_rat"
    return WEAK_TO_STRONG.index(pair[0]) >= WEAK_TO_STRONG.index(pair[1])


@cache
def ways(letter: str, origin: str) -> list[tuple[str, list[str]]]:
    """The squares that a piece can get to, whatever stands there, and for each the squares that it jumps over."""
    found = []
    for right, up in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        file, rank = FILES.index(origin[0]) + right, RANKS.index(origin[1]) + up
        jumped = []
        while 0 <= file < 7 and 0 <= rank < 9:
            name = FILES[file] + RANKS[rank]
            if name not in WATER or letter in "Rr":
                found.append((name, jumped))
                break
            if letter not in "TtLl":
                break
            jumped.append(name)
            file, rank = file + right, rank + up
    return found


def moves(board: Board, side: str, reading: Mapping[str, str]) -> list[Move]:
    on = dict(board)
    found: list[Move] = []
    for origin, letter in board:
        if colour(letter) == side:
            open_ways = [target for target, jumped in ways(letter, origin) if not any(square in on for square in jumped)]
            takeable = [target for target in open_ways if target not in on or takes(letter, origin, on[target], target, reading)]
            found += [(origin, target) for target in takeable if target != DEN[side]]
    return found


def after(board: Board, move: Move) -> Board:
    on = dict(board)
    on[move[1]] = on.pop(move[0])
    return tuple(sorted(on.items()))
