"""The tables of the Fox & Hounds article beside what is computed here.

    python scripts/reproduce_foxhounds.py
    python scripts/reproduce_foxhounds.py --size 10 --size 12 --data data --workers 2

The article: Joe Leslie-Hurd, Fox & Hounds. For each board: the positions that can be reached, the possible games, and
the value of the start, with the time and memory that it takes to build all tables, verify them, and count. Then what
the article says of its computer player: in how many plies B the hounds force a FoxBox, the largest B that the fox can
still force, the first position in breadth-first order that has another winner than the start, and how often a
perfect opponent beats the player at each fuzz factor. The exit code is 1 if a number differs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import log10
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

import tablebase
from rules.foxhounds import foxbox
from tablebase.api.tablebase import Tablebase
from tablebase.build.plan import plan, start_material
from tablebase.build.tables import build
from tablebase.cli.options import Format
from tablebase.cli.output import say, write_rows
from tablebase.compute import threads
from tablebase.errors import TablebaseError
from tablebase.executors.executor import Limits
from tablebase.executors.local import LocalExecutor
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, legal_moves, play
from tablebase.game.notation import parse, render
from tablebase.graph.counting import count
from tablebase.graph.forcing import UNFORCEABLE, best_later, plies_to_force
from tablebase.graph.policies import Policy, chance_against, even_chance, keep_result
from tablebase.graph.reachable import Graph, reachable
from tablebase.graph.values import NodeValues, mark, values

FOX, HOUNDS = 0, 1
SIZES = (2, 4, 6, 8)
STUDIED = (4, 6, 8, 10)
"""Boards for the computer player, which needs the whole graph in memory: 6.4 GB on 10x10."""
PLAYER = {
    4: ("0, largest still to come 2 in 4 plies", "0.095558", "win in 3"),
    6: ("never", "0.041771", None),
    8: ("0, largest still to come 6 in 6 plies", "0.006935", "win in 29"),
    10: ("0, largest still to come 10 in 24 plies", None, "win in 43"),
}
"""B at the start, the even chance, and the value of the opposite position; None where nobody has told it."""
FUZZ_BOARD = 8
DECIMALS = 3


class Board(NamedTuple):
    """A row of the article's first table; what it gives as a power of ten stands here as its exact digits, where known."""

    reachable: int
    games: str
    start: str
    seconds: float
    megabytes: float


ARTICLE = {
    2: Board(1, "1", "Hounds win in 0", 1, 200),
    4: Board(83, "178", "Hounds win in 8", 1, 200),
    6: Board(8_175, "~10^11", "Fox win in 21", 2, 200),
    8: Board(709_868, "360552037329667882019232833884", "Hounds win in 44", 180, 650),
    10: Board(69_575_678, "~10^55", "Hounds win in 72", 28_800, 41_000),
}
FUZZ = (
    ("0.000000", "0.000", "0.000"),
    ("0.003906", "0.326", "0.150"),
    ("0.005859", "0.444", "0.215"),
    ("0.006836", "0.495", "0.245"),
    ("0.006897", "0.498", "0.247"),
    ("0.006927", "0.499", "0.248"),
    ("0.006935", "0.500", "0.248"),
    ("0.006943", "0.500", "0.249"),
    ("0.006958", "0.501", "0.249"),
    ("0.007080", "0.507", "0.253"),
    ("0.007324", "0.518", "0.260"),
    ("0.007812", "0.541", "0.275"),
    ("0.015625", "0.780", "0.466"),
    ("0.031250", "0.943", "0.696"),
    ("0.062500", "0.995", "0.890"),
    ("0.125000", "1.000", "0.979"),
    ("0.250000", "1.000", "0.997"),
    ("0.500000", "1.000", "0.998"),
    ("1.000000", "1.000", "0.999"),
)
"""The article's second table: fuzz factor, fox wins from the start, hounds win from the opposite position."""
FUZZ_STEP = 2.0**-17
"""The fuzz factors of the article are multiples of this, written with six decimals."""


@dataclass(frozen=True)
class Study:
    """The computer player of the article on one board.

    Parameters
    ----------
    graph : Graph
    values : Values
    policies : tuple of Policy
        Of the fox and of the hounds.
    plies : int
        B at the start, `UNFORCEABLE` if there is none.
    best : tuple of (int, int)
        The largest B that the fox can still force, and the plies until then.
    """

    graph: Graph
    values: NodeValues
    policies: tuple[Policy, Policy]
    plies: int
    best: tuple[int, int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print everything; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables; by default one that is thrown away")
    parser.add_argument("--size", type=int, action="append", help=f"boards; by default {', '.join(map(str, SIZES))}")
    parser.add_argument("--workers", type=int, default=2, help="threads")
    chosen = parser.parse_args(arguments)
    sizes = chosen.size or list(SIZES)
    try:
        with TemporaryDirectory() as scratch:
            folder = chosen.data or Path(scratch)
            faults = boards(sizes, folder, chosen.workers)
            for size in sizes:
                if size in STUDIED:
                    faults += player(size, folder)
    except TablebaseError as fault:
        say(f"error: {fault}")
        return fault.exit_code
    print("\n".join(faults) or "no number differs from the article's")
    return int(bool(faults))


def boards(sizes: Sequence[int], folder: Path, workers: int) -> list[str]:
    """Print the first table, and say what differs."""
    lines = []
    faults = []
    for size in sizes:
        # A process each, so that its memory can be told.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            ours = pool.submit(measured, size, folder, workers).result()
        article = ARTICLE.get(size)
        if article is not None:
            lines.append({"board": f"{size}x{size}", "source": "article", **article._asdict()})
            if (ours.reachable, ours.start) != (article.reachable, article.start) or not same_games(ours.games, article.games):
                faults.append(f"{size}x{size} differs from the article")
        lines.append({"board": f"{size}x{size}", "source": "here", **ours._asdict()})
    write_rows(lines, Format.TABLE)
    return faults


def same_games(ours: str, article: str) -> bool:
    """Whether the article's number, or its power of ten, is ours."""
    return abs(log10(int(ours)) - int(article[4:])) < 1 if article.startswith("~") else ours == article


def measured(size: int, folder: Path, workers: int) -> Board:
    """Build, verify and count one board."""
    game = load_game(f"foxhounds-{size}x{size}")
    begin = time.perf_counter()
    material = start_material(game)
    assert material is not None
    for _ in build(game, plan(game, None, [material]), folder, executor=LocalExecutor(Limits(workers))):
        pass
    with threads.use(workers):
        counted = count(game)
    seconds = time.perf_counter() - begin
    with tablebase.open(folder) as tables:
        start = tables.probe_value(game, game.start)
    winner = "Fox" if start.outcome is Outcome.WIN else "Hounds"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return Board(counted.reachable, str(counted.games), f"{winner} win in {start.distance}", round(seconds, 1), round(memory))


def study(game: Game, tables: Tablebase) -> Study:
    """The computer player: who loses, or wins, makes it as long or as hard as can be.

    Both players keep the best result that they can have. Where the fox wins, both take the moves that are longest; where
    the hounds win, both take those with the largest B still to come, and of these the soonest.
    """
    graph = reachable(game)
    found = values(graph, tables.prober)
    boxed = mark(graph, lambda squares: foxbox(game, squares)) & (found.winner == HOUNDS)
    plies = plies_to_force(graph, HOUNDS, boxed)
    later = best_later(graph, FOX, plies)
    score = np.where(found.winner == FOX, found.distance, later.merit)
    policies = (keep_result(graph, FOX, found.winner, score), keep_result(graph, HOUNDS, found.winner, score))
    return Study(graph, found, policies, int(plies[0]), (int(later.value[0]), int(later.plies[0])))


def opposite(game: Game, tables: Tablebase) -> Position | None:
    """The first position in breadth-first order that has another winner than the start."""
    start = parse(game, game.start)
    first = tables.probe_value(game, start).outcome
    seen, queue = {start}, deque([start])
    while queue:
        position = queue.popleft()
        if (tables.probe_value(game, position).outcome is first) != (position.side == start.side):
            return position
        # Pieces by file and rank; each piece's steps in the order of the rules.
        for move in sorted(legal_moves(game, position), key=lambda move: game.board.cells[move.origin]):
            after = play(position, move)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return None


def player(size: int, folder: Path) -> list[str]:
    """Print what is to say of the computer player on a board, and say what differs."""
    game = load_game(f"foxhounds-{size}x{size}")
    with tablebase.open(folder) as tables:
        known = study(game, tables)
        other = opposite(game, tables)
        value = None if other is None else tables.probe_value(game, other)
    best = (
        "never" if known.plies == UNFORCEABLE else f"{known.plies}, largest still to come {known.best[0]} in {known.best[1]} plies"
    )
    told = [best]
    print(f"\n{size}x{size}: plies to force a FoxBox from the start: {best}")
    weaker = HOUNDS if known.values.winner[0] == HOUNDS else FOX
    even = even_chance(lambda fuzz: float(chance_against(known.policies[weaker], fuzz)[0]))
    print(f"{size}x{size}: even chance from the start at fuzz factor {even:.6f}")
    told += [f"{even:.6f}", "none" if value is None else f"{value.outcome} in {value.distance}"]
    faults = [
        f"{size}x{size}: {here} here, {there} is known"
        for here, there in zip(told, PLAYER[size], strict=True)
        if there not in (None, here)
    ]
    if other is None:
        return faults
    print(f"{size}x{size}: opposite position {render(game, other)}, {told[-1]}")
    return faults + (fuzz_table(known, known.graph.node(other)) if size == FUZZ_BOARD else [])


def fuzz_table(known: Study, other: int) -> list[str]:
    """Print the second table, and say what differs."""
    lines = []
    for text, start, opposite_text in FUZZ:
        fuzz = round(float(text) / FUZZ_STEP) * FUZZ_STEP
        fox = chance_against(known.policies[HOUNDS], fuzz)[0]
        hounds = chance_against(known.policies[FOX], fuzz)[other]
        ours = (f"{fox:.{DECIMALS}f}", f"{hounds:.{DECIMALS}f}")
        lines.append(
            {
                "fuzz": text,
                "fox wins, article": start,
                "here": ours[0],
                "hounds win, article": opposite_text,
                "here ": ours[1],
                "differs": "" if ours == (start, opposite_text) else "differs",
            }
        )
    print()
    write_rows(lines, Format.TABLE)
    return [f"fuzz factor {line['fuzz']} differs from the article" for line in lines if line["differs"]]


if __name__ == "__main__":
    sys.exit(main())
