"""Facts about moves of Dou Shou Qi, counted in plain loops from the files of a tablebase.

This shares no code with the package: it reads tables and catalog as docs/file-format.md describes them, and has rules of
its own. It looks at every placement of the distinct slices, at all moves of the side to move, and looks up what each leads
to. If a position is not worth as much as its best move, the rules or the tables are wrong, and nothing is counted.

Examples
--------
Tables of two and three pieces::

    tablebase build doushouqi --pieces 3
    python scripts/recount_moves.py --data data --pieces 3
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import h5py
import numpy as np
import zstandard
from numba import njit
from numpy.typing import NDArray

WIDTH, HEIGHT = 7, 9
NAMES = [file + rank for rank in "123456789" for file in "abcdefg"]
"""Squares are numbered from a1, b1, … up to g9."""
WIN, DRAW, LOSS = 1, 0, -1
NONE = -1
LETTERS = "RCWDPTLE"
"""From the weakest to the strongest."""
RAT, TIGER, LION, ELEPHANT = map(LETTERS.index, "RTLE")
WAYS = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])
WATER = np.array([name[0] in "bcef" and name[1] in "456" for name in NAMES])
TRAPS = np.array([[name in traps for name in NAMES] for traps in ("c1 d2 e1", "c9 d8 e9")])
"""Those of White, and those of Black."""
DENS = np.array([NAMES.index("d1"), NAMES.index("d9")])

POSITION_FACTS = (
    "positions",
    "won positions",
    "won positions with an only move",
    "drawn positions",
    "drawn positions with an only move",
    "zugzwang",
    "zugzwang, lost for both",
)
MOVE_FACTS = (
    "moves in won positions",
    "captures in won positions",
    "jumps in won positions",
    "captures that give a win away",
)
"""Counted for each kind of piece that moves."""
ONLY_FACTS = ("only winning moves", "only winning moves that capture", "only winning moves that jump")
"""Likewise."""
Facts = Counter[str]
Numbers = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """A function compiled by Numba, which lets other threads run meanwhile."""
    return cast(F, njit(nogil=True)(function))


class Pieces(NamedTuple):
    """The pieces of a slice, White's first, and the squares on which each of them is put."""

    kinds: Numbers
    sides: Numbers
    squares: Numbers
    """A row for each piece, filled up with `NONE`."""
    choices: Numbers
    """How many squares each piece has."""


class Views(NamedTuple):
    """Where the outcomes of positions are: with White to move, with Black to move, and with Black to move without a piece.

    The place of a position is the sum of a term for each of its pieces, which depends on its square.
    """

    signs: NDArray[np.int8]
    """Outcomes for the side to move, one view after the other."""
    leads: Numbers
    mirrored: NDArray[np.bool_]
    """By view and square of the lead, whether the board has to be mirrored."""
    terms: Numbers
    """By view, 1 if mirrored, piece and square."""
    without: Numbers
    """The view without each piece; `NONE` if it is White's, or Black's last."""


@compiled
def takes(hunter: int, origin: int, victim: int, target: int, side: int) -> bool:
    """Whether a piece of a side takes one of the other side, if it can get there."""
    if TRAPS[side, target]:
        return True
    if TRAPS[1 - side, origin]:
        return False
    if WATER[origin] or WATER[target]:
        return hunter == RAT and victim == RAT
    if hunter == RAT and victim == ELEPHANT:
        return True
    return hunter >= victim


@compiled
def piece_on(at: Numbers, square: int) -> int:
    """The first piece on a square, or `NONE`."""
    for piece in range(len(at)):
        if at[piece] == square:
            return piece
    return NONE


@compiled
def target(pieces: Pieces, at: Numbers, mover: int, way: int) -> int:
    """Where a piece arrives if it moves one way; `NONE` if it cannot."""
    kind, side = pieces.kinds[mover], pieces.sides[mover]
    file, rank = at[mover] % WIDTH, at[mover] // WIDTH
    while True:
        file, rank = file + WAYS[way, 0], rank + WAYS[way, 1]
        if file < 0 or file >= WIDTH or rank < 0 or rank >= HEIGHT:
            return NONE
        square = int(file + WIDTH * rank)
        other = piece_on(at, square)
        if kind == RAT or not WATER[square]:
            break
        # Whatever swims is a rat, and blocks the jump.
        if (kind != TIGER and kind != LION) or other != NONE:
            return NONE
    if square == DENS[side]:
        return NONE
    if other != NONE and (pieces.sides[other] == side or not takes(kind, at[mover], pieces.kinds[other], square, side)):
        return NONE
    return square


@compiled
def can_move(pieces: Pieces, at: Numbers, side: int) -> bool:
    """Whether a side has a legal move."""
    for piece in range(len(at)):
        if pieces.sides[piece] == side:
            for way in range(len(WAYS)):
                if target(pieces, at, piece, way) != NONE:
                    return True
    return False


@compiled
def outcome(views: Views, view: int, at: Numbers) -> int:
    """The outcome of a position for the side to move."""
    mirrored = int(views.mirrored[view, at[views.leads[view]]])
    place = 0
    for piece in range(len(at)):
        place += views.terms[view, mirrored, piece, at[piece]]
    return int(views.signs[place])


@compiled
def worth(views: Views, at: Numbers, mover: int, square: int, victim: int) -> int:
    """What a move is worth to White, who makes it."""
    if square == DENS[1] or (victim != NONE and views.without[victim] == NONE):
        return WIN
    origin = at[mover]
    at[mover] = square
    value = -outcome(views, 1 if victim == NONE else views.without[victim], at)
    at[mover] = origin
    return value


@compiled
def put(pieces: Pieces, index: int, at: Numbers) -> bool:
    """Put the pieces on the squares of a placement; whether none of them share one."""
    for piece in range(len(at) - 1, -1, -1):
        at[piece] = pieces.squares[piece, index % pieces.choices[piece]]
        index //= pieces.choices[piece]
    for piece in range(len(at)):
        if piece_on(at, at[piece]) != piece:
            return False
    return True


@compiled
def count(pieces: Pieces, views: Views, facts: Numbers, moved: Numbers) -> int:
    """Add the facts of all positions with White to move; those of the moves of each piece are a row of `moved`.

    Returns
    -------
    int
        How many positions are not worth what their best move is.
    """
    at, only_move = np.zeros(len(pieces.kinds), np.int64), np.zeros(len(ONLY_FACTS), np.int64)
    wrong = 0
    for index in range(pieces.choices.prod()):
        if not put(pieces, index, at):
            continue
        # A first piece on files a to c stands for its mirror image, too.
        weight = 1 if at[0] % WIDTH == WIDTH // 2 else 2
        here, other = outcome(views, 0, at), outcome(views, 1, at)
        best, keeping, keeper = LOSS - 1, 0, NONE
        for piece in range(len(at) - pieces.sides.sum()):
            for way in range(len(WAYS)):
                square = target(pieces, at, piece, way)
                if square == NONE:
                    continue
                victim = piece_on(at, square)
                captures = victim != NONE
                jumps = abs(square - at[piece]) != abs(WAYS[way, 0] + WIDTH * WAYS[way, 1])
                value = worth(views, at, piece, square, victim)
                best = max(best, value)
                if here == WIN:
                    moved[piece, 0] += weight
                    moved[piece, 1] += weight * captures
                    moved[piece, 2] += weight * jumps
                    moved[piece, 3] += weight * (captures and value != WIN)
                if value == here:
                    keeping, keeper = keeping + 1, piece
                    only_move[0], only_move[1], only_move[2] = weight, weight * captures, weight * jumps
        stuck = best < LOSS
        wrong += here != (DRAW if stuck else best)
        zugzwang = here + other < 0 and not stuck and can_move(pieces, at, 1)
        facts[0] += weight
        facts[1] += weight * (here == WIN)
        facts[2] += weight * (here == WIN and keeping == 1)
        facts[3] += weight * (here == DRAW)
        facts[4] += weight * (here == DRAW and keeping == 1)
        facts[5] += weight * zugzwang
        facts[6] += weight * (zugzwang and here == LOSS and other == LOSS)
        if here == WIN and keeping == 1:
            moved[keeper, 4:] += only_move
    return wrong


class Files:
    """The tables of a folder.

    Parameters
    ----------
    data : Path
        Folder with `catalog.sqlite` and the tables.
    """

    def __init__(self, data: Path) -> None:
        self.data, path = data, data / "catalog.sqlite"
        if not path.is_file():
            raise SystemExit(f"{data} has no catalog: build tables there")
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as catalog:
            catalog.row_factory = sqlite3.Row
            rows = catalog.execute("SELECT * FROM slice_counts WHERE game = 'doushouqi'").fetchall()
        self.slices = {row["material"]: row for row in rows}
        self.read = lru_cache(maxsize=64)(self._read)

    def distinct(self, pieces: int) -> list[str]:
        """Names of the distinct slices with a number of pieces."""
        return [name for name, row in self.slices.items() if row["pieces"] == pieces and not row["is_alias"]]

    def views(self, pieces: Pieces) -> Views:
        """Where all outcomes are that the positions of a slice need."""
        everything = range(len(pieces.kinds))
        views = [self._view(pieces, everything, 0), self._view(pieces, everything, 1)]
        without = np.full(len(everything), NONE)
        if pieces.sides.sum() > 1:
            for victim in np.flatnonzero(pieces.sides):
                without[victim] = len(views)
                views.append(self._view(pieces, [piece for piece in everything if piece != victim], 1))
        signs, leads, mirrored, terms = map(list, zip(*views, strict=True))
        for number, lead in enumerate(leads):
            terms[number][:, lead] += sum(map(len, signs[:number]))
        return Views(np.concatenate(signs), np.array(leads), np.array(mirrored), np.array(terms), without)

    def _view(self, pieces: Pieces, kept: Iterable[int], side: int) -> tuple[NDArray[np.int8], int, NDArray[np.bool_], Numbers]:
        """Outcomes of some of the pieces with a side to move, and the lead, the mirrored squares and the terms."""
        # Slices are listed with White to move: otherwise colours are swapped.
        colours = pieces.sides ^ side
        order = sorted(kept, key=lambda piece: (colours[piece], pieces.kinds[piece]))
        halves = ["".join(LETTERS[pieces.kinds[piece]] for piece in order if colours[piece] == half) for half in (0, 1)]
        row = self.slices.get("v".join(halves))
        if row is None:
            raise SystemExit(f"{self.data} has no table of {'v'.join(halves)}: build all tables of {len(order)} pieces")
        signs, layout = self.read(row["stored_as"], row["stored_side"])
        players = [order[int(number) - 1] for number in row["pairing"].split()]
        ours, others = row["stored_as"].split("v")
        piece_of = dict(zip(ours + others.lower(), players, strict=True))
        swapped, mirror = (side == 1) != (row["stored_side"] == "b"), layout["mirror"]
        names = [layout["swap"][name] if swapped else name for name in NAMES]
        first, *rest = layout["groups"]
        # Of a square of the lead and its mirror image, the one that is listed first is numbered.
        numbered = [name for number, name in enumerate(first["squares"]) if number <= first["squares"].index(mirror[name])]
        terms, stride = np.zeros((2, len(pieces.kinds), len(NAMES)), np.int64), len(signs)
        for symbol, squares in [(first["symbol"], numbered), *((group["symbol"], group["squares"]) for group in rest)]:
            stride //= len(squares)
            places = {name: place * stride for place, name in enumerate(squares)}
            terms[0, piece_of[symbol]] = [places.get(name, 0) for name in names]
            terms[1, piece_of[symbol]] = [places.get(mirror[name], 0) for name in names]
        return signs, piece_of[first["symbol"]], np.array([name not in numbered for name in names]), terms

    def _read(self, material: str, side: str) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Outcomes of a stored side to move, and the layout of the table."""
        with h5py.File(self.data / "doushouqi" / str(len(material) - 1) / f"{material}.h5") as file:
            if file.attrs["stride"] != 1:
                raise SystemExit(f"{file.filename} has other codes than tables of Dou Shou Qi have")
            codes = _codes(file[side])
            signs = np.where(codes < 2, DRAW, np.where(codes % 2, WIN, LOSS)).astype(np.int8)
            return signs, json.loads(file.attrs["layout"])


def _codes(dataset: h5py.Dataset) -> NDArray[Any]:
    """All codes of a dataset, whose chunks are frames of Zstandard."""
    frames = (dataset.id.read_direct_chunk((begin,))[1] for begin in range(0, len(dataset), dataset.chunks[0]))
    codes = np.frombuffer(b"".join(map(zstandard.decompress, frames)), dataset.dtype)
    return codes[: len(dataset)]


def pieces_of(material: str) -> Pieces:
    """The pieces of a material such as ``RCvW``; the first is put on files a to d only."""
    ours, others = material.split("v")
    kinds = np.array([LETTERS.index(letter) for letter in ours + others])
    outside = [square for square in range(len(NAMES)) if square not in DENS]
    allowed = [[square for square in outside if kind == RAT or not WATER[square]] for kind in kinds]
    allowed[0] = [square for square in allowed[0] if square % WIDTH <= WIDTH // 2]
    choices = np.array([len(squares) for squares in allowed])
    squares = np.array([squares + [NONE] * (choices.max() - len(squares)) for squares in allowed])
    return Pieces(kinds, np.array([0] * len(ours) + [1] * len(others)), squares, choices)


def _facts_of(files: Files, material: str) -> Facts:
    """The facts of a slice with White to move."""
    pieces, names = pieces_of(material), MOVE_FACTS + ONLY_FACTS
    facts, moved = np.zeros(len(POSITION_FACTS), np.int64), np.zeros((len(pieces.kinds), len(names)), np.int64)
    wrong = count(pieces, files.views(pieces), facts, moved)
    if wrong:
        raise SystemExit(f"{material}: {wrong:,} positions are not worth what their best move is")
    found = Facts(dict(zip(POSITION_FACTS + names, [*facts.tolist(), *moved.sum(axis=0).tolist()], strict=True)))
    for letter, row in zip(material.split("v")[0], moved.tolist(), strict=False):
        found.update({f"{name}: {letter}": value for name, value in zip(names, row, strict=True)})
    return found


def recount(data: Path, pieces: int, workers: int = 1) -> Facts:
    """Count the facts of all distinct positions with a number of pieces.

    Parameters
    ----------
    data : Path
        Folder of the tables.
    pieces : int
    workers : int
        Number of threads.

    Returns
    -------
    Facts
        Counts by name: `POSITION_FACTS`, `MOVE_FACTS` and `ONLY_FACTS`, and those of moves also by the letter of the piece
        that moves, as in ``only winning moves: R``.
    """
    files = Files(data)
    materials = files.distinct(pieces)
    if not materials:
        raise SystemExit(f"{data} has no tables of {pieces} pieces: build them")
    found = Facts()
    with ThreadPoolExecutor(workers) as pool:
        for facts in pool.map(partial(_facts_of, files), materials):
            found.update(facts)
    return found


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--pieces", type=int, default=3, help="number of pieces")
    parser.add_argument("--workers", type=int, default=1, help="number of threads")
    arguments = parser.parse_args()
    for name, value in recount(arguments.data, arguments.pieces, arguments.workers).items():
        print(f"{name:36} {value:15,}")


if __name__ == "__main__":
    main()
