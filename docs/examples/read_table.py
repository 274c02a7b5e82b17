"""Read a table without the tablebase package: ``python read_table.py RvC.h5 "7/7/5c1/7/7/7/7/R6/7 w"``.

The position must have the table's own material; docs/file-format.md says how others find their table.
"""

import json
import re
import sys
from functools import cache
from itertools import combinations

import h5py
import numpy as np
import zstandard


def parse(text):
    """Squares of each piece letter, and the letter of the side to move."""
    rows, side = text.split()
    pieces = {}
    for rank, row in enumerate(reversed(rows.split("/")), start=1):
        file = 0
        for token in re.findall("[0-9]+|.", row):
            if token.isalpha():
                pieces.setdefault(token, []).append(f"{chr(ord('a') + file)}{rank}")
            file += 1 if token.isalpha() else int(token)
    return pieces, side


@cache
def ways(levels, count, total):
    """Ways to choose a number of these places with levels that add up to a total."""
    if not levels or not count:
        return int(count == total == 0)
    return ways(levels[:-1], count, total) + ways(levels[:-1], count - 1, total - levels[-1])


def levels_of(group):
    """Level of each place; all are 0 in a group without tiers."""
    return tuple(group.get("levels") or [0] * len(group["squares"]))


def size(group):
    """How many placements of a group are numbered."""
    return ways(levels_of(group), group["pieces"], group.get("advance", 0))


def number(group, squares):
    """Number of a group's placement."""
    levels, left, found = levels_of(group), group.get("advance", 0), 0
    places = sorted(group["squares"].index(square) for square in squares)
    if sum(levels[place] for place in places) != left:
        raise SystemExit("the position is of another tier")
    for count in range(len(places), 0, -1):
        place = places[count - 1]
        found += ways(levels[:place], count, left)
        left -= levels[place]
    return found


def index_of(layout, pieces):
    """Index of a position."""
    lead, *others = layout["groups"]
    index = number(lead, pieces[lead["symbol"]])
    if mirror := layout["mirror"]:
        choices = combinations(lead["squares"], lead["pieces"])
        pairs = sorted((number(lead, one), number(lead, [mirror[square] for square in one])) for one in choices)
        numbered = [rank for rank, image in pairs if rank <= image]
        if index not in numbered:
            index = pairs[index][1]
            pieces = {symbol: [mirror[square] for square in squares] for symbol, squares in pieces.items()}
        index = numbered.index(index)
    for group in others:
        index = index * size(group) + number(group, pieces[group["symbol"]])
    return index


def meaning(code, stride):
    """A code in words, for the side to move."""
    if code < 2:
        return ("draw", "draw, no legal move")[code]
    lost = (code - 2) % 2 == stride - 1
    return f"{'loss' if lost else 'win'} in {(code - 2) // stride}"


def code_at(codes, index):
    """The code of an index, without the chunks that it is not in."""
    begin = index - index % codes.chunks[0]
    _, frame = codes.id.read_direct_chunk((begin,))
    return int(np.frombuffer(zstandard.decompress(frame), codes.dtype)[index - begin])


def look_up(path, text):
    """Index, code and meaning of a position."""
    pieces, side = parse(text)
    with h5py.File(path) as file:
        layout = json.loads(file.attrs["layout"])
        if {group["symbol"]: group["pieces"] for group in layout["groups"]} != {s: len(at) for s, at in pieces.items()}:
            raise SystemExit(f"{path} holds {file.attrs['material'].decode()}, not the material of {text!r}")
        if side not in file:
            raise SystemExit(f"{path} stores one side to move only: exchange colours first")
        index = index_of(layout, pieces)
        code = code_at(file[side], index)
        return index, code, meaning(code, int(file.attrs["stride"]))


if __name__ == "__main__":
    sys.stdout.write("index {}, code {}: {}\n".format(*look_up(sys.argv[1], sys.argv[2])))
