"""Compare what is known about Hasenspiel with what is computed here, for three readings of White's early win.

    python scripts/reproduce_hasenspiel.py
    python scripts/reproduce_hasenspiel.py --boards

After the article *Hasenspiel - Escape the White Rabbit*. ``--boards`` also draws its last picture, the first ten moves
of an optimal game. The tables go to a temporary folder unless ``--data`` names one. The exit code is 1 if a number
differs.
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
from tablebase.building.plan import plan, start_material
from tablebase.building.tables import build
from tablebase.cli.options import Format
from tablebase.cli.output import say, write_rows
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.notation import board_picture
from tablebase.graph.counting import count
from tablebase.graph.forcing import values
from tablebase.graph.reachable import reachable

WHITE, BLACK = 0, 1
FIRST_MOVES = 10


class Reading(NamedTuple):
    """The numbers of a reading; shares are in per cent, None if they have not been published."""

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
    """Print both sets of numbers and their differences, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables; by default a temporary one")
    parser.add_argument("--boards", action="store_true", help=f"draw the first {FIRST_MOVES} moves of the optimal line")
    options = parser.parse_args(arguments)
    try:
        with TemporaryDirectory() as scratch:
            folder = options.data or Path(scratch)
            differences = compare(folder)
            if options.boards:
                draw(load_game("hasenspiel"), folder)
    except TablebaseError as fault:
        say(f"error: {fault}")
        return fault.exit_code
    print("\n".join(differences) or "readings that agree with all known numbers: 3 of 3")
    return int(bool(differences))


def compare(folder: Path) -> list[str]:
    """Print the numbers of all readings, and return their differences as sentences."""
    rows = []
    differences = []
    for early, known in KNOWN.items():
        begin = time.perf_counter()
        ours = measured(load_game(f"hasenspiel-early={early}"), folder, len(known.games_won_by_black.partition(".")[2]))
        seconds = time.perf_counter() - begin
        rows.append({"early win": early, "source": "known", **known._asdict(), "seconds": None})
        rows.append({"early win": early, "source": "here", **ours._asdict(), "seconds": round(seconds, 1)})
        differences += [
            f"{early}: {name} is {our_value} here, {known_value} is known"
            for name, known_value, our_value in zip(Reading._fields, known, ours, strict=True)
            if known_value not in (None, our_value)
        ]
    write_rows(rows, Format.TABLE)
    return differences


def measured(game: Game, folder: Path, decimals: int) -> Reading:
    """Build the tables of a reading, count its games, and look up all its states."""
    material = start_material(game)
    assert material is not None
    for _ in build(game, plan(game, None, [material]), folder):
        pass
    counts = count(game)
    with tablebase.open(folder) as tables:
        start = tables.probe_value(game, game.start)
        states = values(reachable(game), tables.prober)
    if start.distance is None or start.outcome is not Outcome.LOSS:
        raise TablebaseError(f"{game.name} is not won for Black: its start is a {start.outcome}")
    won_by_black = int((states.winner == BLACK).sum())
    return Reading(
        counts.reachable,
        counts.games,
        _per_cent(counts.won[BLACK], counts.games, decimals),
        start.distance,
        _per_cent(won_by_black, counts.reachable, 2),
    )


def _per_cent(part: int, whole: int, decimals: int) -> str:
    """A share in per cent, rounded to this number of decimals in integer arithmetic, because the numbers exceed floats."""
    digits = (2 * part * 100 * 10**decimals + whole) // (2 * whole)
    return f"{digits // 10**decimals}.{digits % 10**decimals:0{decimals}d}"


def draw(game: Game, folder: Path) -> None:
    """Draw the first moves of the optimal line."""
    with tablebase.open(folder) as tables:
        for ply, answer in enumerate(tables.line(game, game.start)[: FIRST_MOVES + 1]):
            print(f"\n{ply} plies, {answer.outcome} in {answer.distance}\n{board_picture(game, answer.asked)}")


if __name__ == "__main__":
    sys.exit(main())
