"""Three men's morris as two sets of numbered points, without the package.

Points are the numbers of a magic square, so three of them are in a row exactly if they add up to 15:

    2 7 6
    9 5 1
    4 3 8
"""

from itertools import combinations

from twins.graphs import Graph, Place, explored

SQUARE = "276951438"
NAMES = dict(zip(map(int, SQUARE), ("a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"), strict=True))
RIM = [2, 7, 6, 1, 8, 3, 4, 9]


def has_row(men: frozenset[int]) -> bool:
    return any(sum(three) == 15 for three in combinations(men, 3))


def are_linked(origin: int, target: int, steps: str) -> bool:
    """Whether a man may move from one point to another: around the rim, and between the rim and the centre, 5."""
    if steps == "any":
        return True
    if 5 in (origin, target):
        return steps == "lines" or origin % 2 == target % 2 == 1
    return (RIM.index(origin) - RIM.index(target)) % 8 in (1, 7)


def written(men: tuple[frozenset[int], frozenset[int]], mover: int) -> str:
    marks = "".join("x" if int(point) in men[0] else "o" if int(point) in men[1] else "." for point in SQUARE)
    return f"{marks[:3]}/{marks[3:6]}/{marks[6:]} {'xo'[mover]}"


def graph(steps: str, centre: str) -> Graph:
    def look(text: str) -> Place:
        marks, mover = text[:-2].replace("/", ""), "xo".index(text[-1])
        men = [frozenset(int(point) for point, mark in zip(SQUARE, marks, strict=True) if mark == side) for side in "xo"]
        if has_row(men[1 - mover]):
            return Place(None, {}, 1 - mover)
        empty = frozenset(NAMES) - men[0] - men[1]
        own = men[mover]
        if len(own) < 3:
            allowed = empty - {5} if len(empty) == 9 and centre == "closed" else empty
            after = {NAMES[point]: own | {point} for point in allowed}
        else:
            pairs = [(a, b) for a in own for b in empty if are_linked(a, b, steps)]
            after = {NAMES[a] + NAMES[b]: own - {a} | {b} for a, b in pairs}
        assert after, "there is always a man to move"
        sides = {move: (placed, men[1]) if mover == 0 else (men[0], placed) for move, placed in after.items()}
        return Place(mover, {move: written(both, 1 - mover) for move, both in sides.items()})

    return explored(written((frozenset(), frozenset()), 0), look)
