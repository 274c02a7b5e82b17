"""Compare what is known about Hasenspiel with what is computed here, for three readings of White's early win.

    python -m scripts.reproduce.hasenspiel
    python -m scripts.reproduce.hasenspiel --boards

After the article *Hasenspiel - Escape the White Rabbit*. ``--boards`` also draws its last picture, the first ten moves
of an optimal game. The exit code is 1 if a number differs.
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
from tablebase.game.notation import board_picture
from tablebase.graph.counting import count
from tablebase.graph.forcing import values
from tablebase.graph.reachable import reachable

BLACK = 1
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
    equal = f"readings that agree with all known numbers: {len(KNOWN)} of {len(KNOWN)}"
    return run(partial(compare, options.boards), options.data, equal)


def compare(boards: bool, folder: Path) -> list[str]:
    """Print the numbers of all readings, and return their differences as sentences; `boards` draws the optimal game, too."""
    here = {
        early: measured(load_game(f"hasenspiel-early={early}"), folder, len(known.games_won_by_black.partition(".")[2]))
        for early, known in tqdm(KNOWN.items(), unit="reading", disable=None)
    }
    write_rows([row for early, known in KNOWN.items() for row in rows_of(early, known, here[early])], Format.TABLE)
    if boards:
        draw(load_game("hasenspiel"), folder)
    return [sentence for early, known in KNOWN.items() for sentence in differences(early, known, here[early])]


def measured(game: Game, folder: Path, decimals: int) -> Reading:
    """Build the tables of a reading, count its games, and look up all its states."""
    build_start(game, folder)
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
