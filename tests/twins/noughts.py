"""Noughts and crosses on sets of squares, without the package: the game, and positions up to symmetry."""

from twins.graphs import DRAW, Graph, Place, explored

Cell = tuple[int, int]
Marks = dict[Cell, str]


def read(text: str) -> Marks:
    return {(x, y): mark for y, row in enumerate(text.split("/")) for x, mark in enumerate(row)}


def written(marks: Marks) -> str:
    width, height = (max(cell[axis] for cell in marks) + 1 for axis in (0, 1))
    return "/".join("".join(marks[x, y] for x in range(width)) for y in range(height))


def has_row(cells: set[Cell], k: int) -> bool:
    return any(
        all((x + i * right, y + i * down) in cells for i in range(k))
        for x, y in cells
        for right, down in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def graph(m: int, n: int, k: int) -> Graph:
    def look(text: str) -> Place:
        marks = read(text)
        crosses, noughts = ({cell for cell, mark in marks.items() if mark == side} for side in "xo")
        if has_row(crosses, k) or has_row(noughts, k):
            return Place(None, {}, int(has_row(noughts, k)))
        empty = [cell for cell, mark in marks.items() if mark == "."]
        mover = int(len(crosses) > len(noughts))
        moves = {chr(ord("a") + x) + str(n - y): written({**marks, (x, y): "xo"[mover]}) for x, y in empty}
        return Place(mover, moves) if moves else Place(None, {}, DRAW)

    return explored("/".join(["." * m] * n), look)


def images(text: str) -> set[str]:
    """What a position looks like from all sides and in a mirror; a square board also by quarter turns."""
    marks, found = read(text), set()
    width, height = (max(cell[axis] for cell in marks) + 1 for axis in (0, 1))
    for _ in range(4):
        marks = {(height - 1 - y, x): mark for (x, y), mark in marks.items()}
        width, height = height, width
        for seen in (marks, {(width - 1 - x, y): mark for (x, y), mark in marks.items()}):
            found.add(written(seen))
    return {image for image in found if [*map(len, image.split("/"))] == [*map(len, text.split("/"))]}
