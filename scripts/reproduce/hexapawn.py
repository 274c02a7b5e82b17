"""Compare what is known about Hexapawn on nine boards with the tables and counts of this program.

    python -m scripts.reproduce.hexapawn
    python -m scripts.reproduce.hexapawn --size 3x3 --size 4x4 --data data

The known numbers come from independent programs: which side wins from the start and in how many plies, and the numbers
of reachable positions, of final ones among them, and of possible games. Winner and plies are read from tables; positions
and games are counted without tables. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

import tablebase
from scripts.reproduce.known import build_start, differences, rows_of, run
from tablebase.commands.output import write_rows
from tablebase.commands.parameters import Format
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.graph.counting import count


class Row(NamedTuple):
    """The numbers of a board."""

    winner: str
    plies: int  # from the start to the end under best play
    reachable: int  # positions
    final: int | None  # of these, positions in which the game is over; None if it has not been published
    games: int


KNOWN = {
    "3x3": Row("Black", 6, 135, 65, 134),
    "4x3": Row("White", 5, 1_128, None, 3_610),
    "5x3": Row("White", 7, 8_698, None, 141_000),
    "6x3": Row("Black", 8, 64_074, None, 7_675_682),
    "3x4": Row("Black", 8, 987, None, 5_022),
    "4x4": Row("White", 11, 20_286, None, 2_330_356),
    "5x4": Row("Black", 14, 359_894, None, 2_209_023_762),
    "3x5": Row("White", 11, 3_708, None, 153_612),
    "4x5": Row("Black", 16, 118_133, None, 1_993_598_240),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both sets of numbers and their differences, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables; by default a temporary one")
    parser.add_argument("--size", action="append", choices=tuple(KNOWN), metavar="CxR", help="only this board; may be repeated")
    options = parser.parse_args(arguments)
    sizes = options.size or list(KNOWN)
    equal = f"boards that agree with all known numbers: {len(sizes)} of {len(sizes)}"
    return run(partial(compare, sizes), options.data, equal)


def compare(sizes: Sequence[str], folder: Path) -> list[str]:
    """Print the rows of these boards, and return their differences as sentences."""
    here = {size: measured(load_game(f"hexapawn-{size}"), folder) for size in tqdm(sizes, unit="board", disable=None)}
    write_rows([row for size in sizes for row in rows_of(size, KNOWN[size], here[size])], Format.TABLE)
    return [sentence for size in sizes for sentence in differences(size, KNOWN[size], here[size])]


def measured(game: Game, folder: Path) -> Row:
    """Build the tables of a board, look up its start, and count its positions and games."""
    build_start(game, folder)
    with tablebase.open(folder) as tables:
        start = tables.probe_value(game, game.start)
    if start.distance is None:
        raise TablebaseError(f"the table of {game.name} says that the start is a draw, but Hexapawn has no draws")
    counts = count(game)
    winner = game.sides[start.outcome is not Outcome.WIN].name
    return Row(winner, start.distance, counts.reachable, counts.final, counts.games)


if __name__ == "__main__":
    sys.exit(main())
