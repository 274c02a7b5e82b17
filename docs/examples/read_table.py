"""Read a table without the tablebase package: ``python read_table.py RvC.h5 "7/7/5c1/7/7/7/7/R6/7 w"``.

The position must have the table's own material; docs/file-format.md says how others find their table.
"""

import json
import re
import sys
from itertools import combinations
from math import comb

import h5py
import hdf5plugin  # noqa: F401  (teaches HDF5 to read Zstandard)


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


def number(group, squares):
    """Number of a group's placement: its place, or the combinatorial number of its places."""
    places = sorted(group["squares"].index(square) for square in squares)
    return sum(comb(place, count) for count, place in enumerate(places, start=1))


def index_of(layout, pieces):
    """Index of a position."""
    lead, *others = layout["groups"]
    mirror = layout["mirror"] or {square: square for square in lead["squares"]}
    choices = combinations(lead["squares"], lead["pieces"])
    pairs = sorted((number(lead, one), number(lead, [mirror[square] for square in one])) for one in choices)
    numbered = [rank for rank, image in pairs if rank <= image]
    rank = number(lead, pieces[lead["symbol"]])
    if rank not in numbered:
        rank = pairs[rank][1]
        pieces = {symbol: [mirror[square] for square in squares] for symbol, squares in pieces.items()}
    index = numbered.index(rank)
    for group in others:
        index = index * comb(len(group["squares"]), group["pieces"]) + number(group, pieces[group["symbol"]])
    return index


def meaning(code, stride):
    """A code in words, for the side to move."""
    if code < 2:
        return ("draw", "draw, no legal move")[code]
    lost = (code - 2) % 2 == stride - 1
    return f"{'loss' if lost else 'win'} in {(code - 2) // stride}"


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
        code = int(file[side][index])
        return index, code, meaning(code, int(file.attrs["stride"]))


if __name__ == "__main__":
    sys.stdout.write("index {}, code {}: {}\n".format(*look_up(sys.argv[1], sys.argv[2])))
