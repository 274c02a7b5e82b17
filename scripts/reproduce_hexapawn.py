"""What is known of Hexapawn on nine boards beside what the tables say that this program builds.

    python scripts/reproduce_hexapawn.py
    python scripts/reproduce_hexapawn.py --size 3x3 --size 4x4 --data data

The known numbers come from independent programs: who wins from the start and in how many plies, how many positions can
be reached, how many of them are final, and how many games there are. Winner and plies are read from tables; positions
and games are counted by walking the game, without a table. The tables go to a folder that is thrown away unless
``--data`` names one. The exit code is 1 if anything differs.
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
from tablebase.build.plan import plan
from tablebase.build.tables import build
from tablebase.cli.options import Format
from tablebase.cli.output import say, write_rows
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome, load_game


class Row(NamedTuple):
    """What there is to know of a board; `final` is None where nobody has told it.

    Parameters
    ----------
    winner : str
    plies : int
        From the start to the end under best play.
    reachable, final, games : int
        Positions that can come up, those of them in which the game is over, and ways to play it to the end.
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
    """Print both, and what separates them; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables; by default one that is thrown away")
    parser.add_argument("--size", action="append", choices=tuple(KNOWN), metavar="CxR", help="only this board; may be given again")
    chosen = parser.parse_args(arguments)
    try:
        with TemporaryDirectory() as scratch:
            return compare(chosen.size or list(KNOWN), chosen.data or Path(scratch))
    except TablebaseError as fault:
        say(f"error: {fault}")
        return fault.exit_code


def compare(sizes: Sequence[str], folder: Path) -> int:
    """Print the rows of these boards; 1 if any of them differs from what is known."""
    lines = []
    verdicts = []
    for size in sizes:
        begin = time.perf_counter()
        ours = measured(load_game(f"hexapawn-{size}"), folder)
        seconds = time.perf_counter() - begin
        known = KNOWN[size]
        lines.append({"board": size, "source": "known", **known._asdict(), "seconds": None})
        lines.append({"board": size, "source": "here", **ours._asdict(), "seconds": seconds})
        verdicts += differences(size, known, ours)
    write_rows(lines, Format.TABLE)
    print("\n".join(verdicts) or f"boards that are equal in all that is known: {len(sizes)} of {len(sizes)}")
    return int(bool(verdicts))


def measured(game: Game, folder: Path) -> Row:
    """What the table and a walk through the game say."""
    # Here, so that help needs no counting.
    from tablebase.graph.counting import count

    for _ in build(game, plan(game, game.max_pieces, []), folder):
        pass
    with tablebase.open(folder) as tables:
        start = tables.probe_value(game, game.start)
    if start.distance is None:
        raise TablebaseError(f"the table of {game.name} calls the start a draw, which Hexapawn does not have")
    counted = count(game)
    winner = game.sides[start.outcome is not Outcome.WIN].name
    return Row(winner, start.distance, counted.reachable, counted.final, counted.games)


def differences(size: str, known: Row, ours: Row) -> list[str]:
    """A sentence for each number that is not what is known."""
    pairs = zip(Row._fields, known, ours, strict=True)
    return [
        f"{size}: {name} is {here} here, {there} is known" for name, there, here in pairs if there is not None and there != here
    ]


if __name__ == "__main__":
    sys.exit(main())
