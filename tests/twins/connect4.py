"""Connect Four as columns of letters, without the package."""

from itertools import product

from twins.graphs import Graph, Place, explored

Columns = tuple[str, ...]


def written(columns: Columns, ranks: int) -> str:
    return "/".join("".join(column.ljust(ranks, ".")[rank] for column in columns) for rank in reversed(range(ranks)))


def has_four(columns: Columns, mark: str) -> bool:
    cells = {(x, y) for x, column in enumerate(columns) for y, one in enumerate(column) if one == mark}
    ways = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(all((x + i * a, y + i * b) in cells for i in range(4)) for (x, y), (a, b) in product(cells, ways))


def look(text: str) -> Place[str]:
    ranks = text.split("/")
    columns = tuple("".join(column).rstrip(".") for column in zip(*reversed(ranks), strict=True))
    side = sum(map(len, columns)) % 2
    if has_four(columns, "xo"[1 - side]):
        return Place(None, {}, 1 - side)
    after = {}
    for file, column in enumerate(columns):
        if len(column) < len(ranks):
            dropped = (*columns[:file], column + "xo"[side], *columns[file + 1 :])
            after["abcdefg"[file]] = written(dropped, len(ranks))
    return Place(side, after) if after else Place(None, {})


def graph(files: int, ranks: int) -> Graph[str]:
    return explored("/".join(["." * files] * ranks), look)
