"""What is known of Hasenspiel beside what is computed here, for three readings of White's early win.

    python scripts/reproduce_hasenspiel.py
    python scripts/reproduce_hasenspiel.py --boards

After the article *Hasenspiel - Escape the White Rabbit*. ``--boards`` also draws its last picture, the first ten moves
when both sides play optimally. The tables go to a folder that is thrown away unless ``--data`` names one. The exit
code is 1 if a number differs.
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
from tablebase.build.plan import plan, start_material
from tablebase.build.tables import build
from tablebase.cli.options import Format
from tablebase.cli.output import say, write_rows
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.notation import board_picture
from tablebase.graph.counting import count
from tablebase.graph.reachable import reachable
from tablebase.graph.values import values

WHITE, BLACK = 0, 1
FIRST_MOVES = 10


class Reading(NamedTuple):
    """What there is to know of a reading; shares are in per cent, None where nobody has told them."""

    states: int
    games: int
    games_won_by_black: str
    plies: int
    states_won_by_black: str | None


KNOWN = {
    "default": Reading(778_341, 2_479_385_048_689_677_432_127_960_469_169, "1.49", 44, "7.57"),
    "article": Reading(776_247, 1_101_226_120_421_767_687_787_600_873_400, "3.44", 44, None),
    "none": Reading(895_280, 1_586_542_365_057_189_311_556_076_565_896_156, "0.006", 44, None),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both, and what separates them; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables; by default one that is thrown away")
    parser.add_argument("--boards", action="store_true", help=f"draw the first {FIRST_MOVES} moves of the optimal line")
    chosen = parser.parse_args(arguments)
    try:
        with TemporaryDirectory() as scratch:
            folder = chosen.data or Path(scratch)
            faults = compare(folder)
            if chosen.boards:
                draw(load_game("hasenspiel"), folder)
    except TablebaseError as fault:
        say(f"error: {fault}")
        return fault.exit_code
    print("\n".join(faults) or "readings that are equal in all that is known: 3 of 3")
    return int(bool(faults))


def compare(folder: Path) -> list[str]:
    """Print the readings, and say what differs."""
    lines = []
    faults = []
    for early, known in KNOWN.items():
        begin = time.perf_counter()
        ours = measured(load_game(f"hasenspiel-early={early}"), folder, len(known.games_won_by_black.partition(".")[2]))
        seconds = time.perf_counter() - begin
        lines.append({"early win": early, "source": "known", **known._asdict(), "seconds": None})
        lines.append({"early win": early, "source": "here", **ours._asdict(), "seconds": round(seconds, 1)})
        pairs = zip(Reading._fields, known, ours, strict=True)
        faults += [f"{early}: {name} is {here} here, {there} is known" for name, there, here in pairs if there not in (None, here)]
    write_rows(lines, Format.TABLE)
    return faults


def measured(game: Game, folder: Path, decimals: int) -> Reading:
    """Build the tables of a reading, count its games, and look all its states up."""
    material = start_material(game)
    assert material is not None
    for _ in build(game, plan(game, None, [material]), folder):
        pass
    counted = count(game)
    with tablebase.open(folder) as tables:
        start = tables.probe_value(game, game.start)
        states = values(reachable(game), tables.prober)
    if start.distance is None or start.outcome is not Outcome.LOSS:
        raise TablebaseError(f"{game.name} is not won for Black: its start is a {start.outcome}")
    black = int((states.winner == BLACK).sum())
    return Reading(
        counted.reachable,
        counted.games,
        _per_cent(counted.won[BLACK], counted.games, decimals),
        start.distance,
        _per_cent(black, counted.reachable, 2),
    )


def _per_cent(part: int, whole: int, decimals: int) -> str:
    """A share in per cent, rounded to so many decimals without a float, which the numbers exceed."""
    digits = (2 * part * 100 * 10**decimals + whole) // (2 * whole)
    return f"{digits // 10**decimals}.{digits % 10**decimals:0{decimals}d}"


def draw(game: Game, folder: Path) -> None:
    """Draw the optimal line's first moves."""
    with tablebase.open(folder) as tables:
        for ply, answer in enumerate(tables.line(game, game.start)[: FIRST_MOVES + 1]):
            print(f"\n{ply} plies, {answer.outcome} in {answer.distance}\n{board_picture(game, answer.asked)}")


if __name__ == "__main__":
    sys.exit(main())
