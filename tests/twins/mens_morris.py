"""Men's morris with points as coordinates around the centre, without the package.

Lines are found by walking: along a side of a ring, or straight outwards from the middle of one.
"""

from functools import cache
from itertools import combinations

from twins.graphs import Place

CLOCKWISE = ((-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0))
Point = tuple[int, int]


@cache
def points(rings: int) -> list[Point]:
    """In the order of the text: rings from the outside, clockwise from the top left."""
    return [(far * x, far * y) for far in range(rings, 0, -1) for x, y in CLOCKWISE]


def name(point: Point, rings: int) -> str:
    return f"{'abcdefg'[point[0] + rings]}{point[1] + rings + 1}"


@cache
def neighbours(point: Point, rings: int) -> frozenset[Point]:
    """The nearest points in the four directions, as long as the way is not through the centre."""
    found = set()
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        at = point
        while max(map(abs, at)) <= rings and at != (0, 0):
            at = at[0] + x, at[1] + y
            if at in points(rings):
                found.add(at)
                break
    return frozenset(found)


@cache
def mills(rings: int) -> list[frozenset[Point]]:
    """Three points, the outer two of which are neighbours of the one between them, on one line."""
    found = []
    for middle in points(rings):
        for one, two in combinations(sorted(neighbours(middle, rings)), 2):
            if one[0] == two[0] or one[1] == two[1]:
                found.append(frozenset((one, middle, two)))
    return found


def in_mill(point: Point, men: frozenset[Point], rings: int) -> bool:
    return any(point in mill and mill <= men for mill in mills(rings))


def look(text: str, rings: int, *, flying: bool) -> Place[str]:
    board, side, hand = text.split()
    marks = dict(zip(points(rings), board.replace("/", ""), strict=True))
    other_side = "b" if side == "w" else "w"
    own, other = (frozenset(point for point, mark in marks.items() if mark == one) for one in (side, other_side))
    free = [point for point in points(rings) if marks[point] == "."]
    if int(hand):
        steps = [("", None, point) for point in free]
    elif len(own) < 3:
        steps = []
    else:
        jumps = flying and len(own) == 3
        pairs = [(man, point) for man in own for point in free if jumps or point in neighbours(man, rings)]
        steps = [(name(man, rings), man, point) for man, point in pairs]
    found = {}
    for origin, man, target in steps:
        men = own - {man} | {target}
        word = origin + name(target, rings)
        taken: list[Point | None] = [None]
        if in_mill(target, men, rings) and other:
            loose = [point for point in other if not in_mill(point, other, rings)]
            taken = list(loose or other)
        for victim in taken:
            left = other - {victim}
            marked = ["." if p not in men | left else side if p in men else other_side for p in points(rings)]
            rows = "/".join("".join(marked[at : at + 8]) for at in range(0, len(marked), 8))
            last = word if victim is None else f"{word}x{name(victim, rings)}"
            found[last] = f"{rows} {other_side} {max(0, int(hand) - 1)}"
    return Place("wb".index(side), found) if found else Place(None, {}, "wb".index(other_side))
