"""Compare what is known about Hexapawn on nine boards with the tables and counts of this program.

    python scripts/reproduce_hexapawn.py
    python scripts/reproduce_hexapawn.py --size 3x3 --size 4x4 --data data

The known numbers come from independent programs: which side wins from the start and in how many plies, and the numbers
of reachable positions, of final ones among them, and of possible games. Winner and plies are read from tables; positions
and games are counted without tables. The tables go to a temporary folder unless ``--data`` names one. The exit code is 1
if anything differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import tablebase
from tablebase.building.plan import plan
from tablebase.building.tables import build
from tablebase.cli.options import Format
from tablebase.cli.output import say, write_rows
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome, load_game


class Row(NamedTuple):
    """The numbers of a board; `final` is None if it has not been published.

    Parameters
    ----------
    winner : str
    plies : int
        From the start to the end under best play.
    reachable, final, games : int
        Reachable positions, those of them in which the game is over, and possible games.
    """

    winner: str
    plies: int
    reachable: int
    final: int | None
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
    try:
        with TemporaryDirectory() as scratch:
            return compare(options.size or list(KNOWN), options.data or Path(scratch))
    except TablebaseError as fault:
        say(f"error: {fault}")
        return fault.exit_code


def compare(sizes: Sequence[str], folder: Path) -> int:
    """Print the rows of these boards and all differences; return 1 if there are any."""
    rows = []
    sentences = []
    for size in sizes:
        begin = time.perf_counter()
        ours = measured(load_game(f"hexapawn-{size}"), folder)
        seconds = time.perf_counter() - begin
        known = KNOWN[size]
        rows.append({"board": size, "source": "known", **known._asdict(), "seconds": None})
        rows.append({"board": size, "source": "here", **ours._asdict(), "seconds": seconds})
        sentences += differences(size, known, ours)
    write_rows(rows, Format.TABLE)
    print("\n".join(sentences) or f"boards that agree with all known numbers: {len(sizes)} of {len(sizes)}")
    return int(bool(sentences))


def measured(game: Game, folder: Path) -> Row:
    """Build the tables of a board, look up its start, and count its positions and games."""
    # Imported here to keep --help fast.
    from tablebase.graph.counting import count

    for _ in build(game, plan(game, range(2, game.max_pieces + 1), []), folder):
        pass
    with tablebase.open(folder) as tables:
        start = tables.probe_value(game, game.start)
    if start.distance is None:
        raise TablebaseError(f"the table of {game.name} says that the start is a draw, but Hexapawn has no draws")
    counts = count(game)
    winner = game.sides[start.outcome is not Outcome.WIN].name
    return Row(winner, start.distance, counts.reachable, counts.final, counts.games)


def differences(size: str, known: Row, ours: Row) -> list[str]:
    """A sentence for each number that differs from the known one."""
    pairs = zip(Row._fields, known, ours, strict=True)
    return [
        f"{size}: {name} is {our_value} here, {known_value} is known"
        for name, known_value, our_value in pairs
        if known_value not in (None, our_value)
    ]


if __name__ == "__main__":
    sys.exit(main())
