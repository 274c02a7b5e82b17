"""Connect Four as columns of letters, without the package."""

from twins.graphs import Graph, Place, explored
from twins.noughts import has_row

Columns = tuple[str, ...]


def written(columns: Columns, ranks: int) -> str:
    return "/".join("".join(column.ljust(ranks, ".")[rank] for column in columns) for rank in reversed(range(ranks)))


def look(text: str) -> Place[str]:
    ranks = text.split("/")
    columns = tuple("".join(column).rstrip(".") for column in zip(*reversed(ranks), strict=True))
    side = sum(map(len, columns)) % 2
    last = {(x, y) for x, column in enumerate(columns) for y, mark in enumerate(column) if mark == "xo"[1 - side]}
    if has_row(last, 4):
        return Place(None, {}, 1 - side)
    after = {}
    for file, column in enumerate(columns):
        if len(column) < len(ranks):
            dropped = (*columns[:file], column + "xo"[side], *columns[file + 1 :])
            after["abcdefg"[file]] = written(dropped, len(ranks))
    return Place(side, after) if after else Place(None, {})


def graph(files: int, ranks: int) -> Graph[str]:
    return explored("/".join(["." * files] * ranks), look)
