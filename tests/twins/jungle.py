"""The slow, obvious twin of the rules of Dou Shou Qi, in plain Python, with all readings that are options.

It shares nothing with the package: squares are names, a position is a mapping of names to letters, upper case for White,
and every rule is a line of prose. Values are pairs such as ``("win", 3)``.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import product

FILES, RANKS = "abcdefg", "123456789"
WATER = {file + rank for file in "bcef" for rank in "456"}
TRAPS = {"w": {"c1", "e1", "d2"}, "b": {"c9", "e9", "d8"}}
DEN = {"w": "d1", "b": "d9"}
WEAK_TO_STRONG = "RCWDPTLE"
START = {"a1": "T", "g1": "L", "b2": "C", "f2": "D", "a3": "E", "c3": "W", "e3": "P", "g3": "R"}
START |= {FILES[6 - FILES.index(name[0])] + RANKS[8 - RANKS.index(name[1])]: letter.lower() for name, letter in START.items()}
PAPER = {"traps": "enemy", "elephant": "takes_rat", "shore": "rats", "no_move": "draw"}
"""The default readings."""

Board = tuple[tuple[str, str], ...]
"""Names of squares and letters, sorted."""
Move = tuple[str, str]
Pair = tuple[str, int | None]


def colour(letter: str) -> str:
    """Whose piece a letter is."""
    return "w" if letter.isupper() else "b"


def weakened(letter: str, square: str, reading: Mapping[str, str]) -> bool:
    """Whether a piece on a square has strength 0."""
    own = colour(letter)
    other = "b" if own == "w" else "w"
    return square in TRAPS[other] or (reading["traps"] == "all" and square in TRAPS[own])


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
    """All legal moves of a side."""
    on = dict(board)
    found: list[Move] = []
    for origin, letter in board:
        if colour(letter) == side:
            open_ways = [target for target, jumped in ways(letter, origin) if not any(square in on for square in jumped)]
            takeable = [target for target in open_ways if target not in on or takes(letter, origin, on[target], target, reading)]
            found += [(origin, target) for target in takeable if target != DEN[side]]
    return found


def after(board: Board, move: Move) -> Board:
    """The board after a move."""
    on = dict(board)
    on[move[1]] = on.pop(move[0])
    return tuple(sorted(on.items()))


def other(side: str) -> str:
    """The side that moves next."""
    return "b" if side == "w" else "w"


def perft(reading: Mapping[str, str], plies: int) -> list[int]:
    """Lines of 1, 2, … plies from the start; equal positions are looked at once, with the number of lines to them."""
    reached, side, counts = Counter({tuple(sorted(START.items())): 1}), "w", list[int]()
    for ply in range(plies):
        following: Counter[Board] = Counter()
        for board, lines in reached.items():
            found = moves(board, side, reading)
            following[()] += lines * len(found)
            for move in found if ply < plies - 1 else ():
                if move[1] not in DEN.values():
                    following[after(board, move)] += lines
        counts.append(following.pop(()))
        reached, side = following, other(side)
    return counts


def solve_pair(first: str, second: str, reading: Mapping[str, str]) -> dict[tuple[Board, str], Pair]:
    """The values of all positions of a white and a black piece, one depth after another; a capture ends the game."""
    squares = [file + rank for file, rank in product(FILES, RANKS) if file + rank not in DEN.values()]
    homes = [[name for name in squares if name not in WATER or letter in "Rr"] for letter in (first, second)]
    children: dict[tuple[Board, str], list[tuple[Board, str] | None]] = {}
    for one, two in product(*homes):
        if one != two:
            board = tuple(sorted(((one, first), (two, second))))
            for side in "wb":
                found = [(move[1] in DEN.values() or move[1] in dict(board), move) for move in moves(board, side, reading)]
                children[board, side] = [None if wins else (after(board, move), other(side)) for wins, move in found]
    values: dict[tuple[Board, str], Pair] = {}
    for key, following in children.items():
        if None in following:
            values[key] = "win", 1
        elif not following:
            values[key] = ("loss", 0) if reading["no_move"] == "loss" else ("draw", None)
    depth = 0
    while depth <= 1 or any(value[1] == depth for value in values.values()):
        depth += 1
        found_now = {}
        for key, following in children.items():
            if key not in values:
                known = [values.get(child, ("draw", None)) for child in following if child is not None]
                if ("loss", depth - 1) in known:
                    found_now[key] = "win", depth
                elif all(outcome == "win" and (distance or 0) < depth for outcome, distance in known):
                    found_now[key] = "loss", depth
        values |= found_now
    return {key: values.get(key, ("draw", None)) for key in children}
