"""Compare the tables of the Fox & Hounds article with what is computed here.

    python -m scripts.reproduce.foxhounds
    python -m scripts.reproduce.foxhounds --size 10 --size 12 --data data --workers 2

The article: Joe Leslie-Hurd, Fox & Hounds. First, for each board: the reachable positions, the possible games and the
value of the start, with the time and memory needed to build and verify all tables and to count. Then the article's
results about its computer player: the number of plies B in which the hounds force a FoxBox, the largest B that the fox
can still force, the first position in breadth-first order whose winner differs from the start's, and how often a perfect
opponent beats the player at each fuzz factor. The exit code is 1 if a number differs.
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
from functools import partial
from math import log10
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

import tablebase
from scripts.reproduce.known import build_start, rows_of, run
from tablebase.commands.output import write_rows
from tablebase.commands.parameters import Format
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, legal_moves, play
from tablebase.game.notation import parse, render
from tablebase.graph.counting import count
from tablebase.graph.forcing import UNFORCEABLE, values
from tablebase.graph.policies import chance_against
from tablebase.graph.reachable import reachable
from tablebase.system.compute import threads
from tablebase_rules.foxbox_players import FoxBoxes, fox_boxes
from tablebase_rules.foxhounds_boxes import FOX, HOUNDS

SIZES = (2, 4, 6, 8)
STUDIED = (4, 6, 8, 10)
"""Boards for the computer player, which needs the whole graph in memory; 10x10 takes 6.4 GB."""
PLAYER = {
    4: ("0, largest still to come 2 in 4 plies", "0.095558", "win in 3"),
    6: ("never", "0.041771", None),
    8: ("0, largest still to come 6 in 6 plies", "0.006935", "win in 29"),
    10: ("0, largest still to come 10 in 24 plies", None, "win in 43"),
}
"""B at the start, the even chance, and the value of the opposite position; None if it has not been published."""
FUZZ_BOARD = 8
DECIMALS = 3


class Board(NamedTuple):
    """A row of the article's first table; `games`, there a power of ten, is exact where the exact number is known."""

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
"""The article's fuzz factors are multiples of this, printed with six decimals."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables and their differences, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the tables; by default a temporary one")
    parser.add_argument(
        "--size", type=int, action="append", help=f"board size; may be repeated; by default {', '.join(map(str, SIZES))}"
    )
    parser.add_argument("--workers", type=int, default=2, help="number of threads, by default 2")
    options = parser.parse_args(arguments)
    return run(partial(compare, options.size or SIZES, options.workers), options.data, "no number differs from the article's")


def compare(sizes: Sequence[int], workers: int, folder: Path) -> list[str]:
    """Print all tables, and return the differences as sentences."""
    found = compare_boards(sizes, folder, workers)
    return found + [sentence for size in sizes if size in STUDIED for sentence in compare_player(size, folder)]


def compare_boards(sizes: Sequence[int], folder: Path, workers: int) -> list[str]:
    """Print the first table, and return the differences as sentences."""
    rows = []
    differences = []
    for size in tqdm(sizes, unit="board", disable=None):
        # Each board gets its own process, so that its memory can be measured.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            ours = pool.submit(measured, size, folder, workers).result()
        known = ARTICLE.get(size)
        rows += rows_of(f"{size}x{size}", known, ours)
        if known and not (ours.reachable == known.reachable and ours.start == known.start and same_games(ours.games, known.games)):
            differences.append(f"{size}x{size} differs from the article")
    write_rows(rows, Format.TABLE)
    return differences


def same_games(ours: str, article: str) -> bool:
    """Return whether our number agrees with the article's, which may be a power of ten."""
    return abs(log10(int(ours)) - int(article[4:])) < 1 if article.startswith("~") else ours == article


def measured(size: int, folder: Path, workers: int) -> Board:
    """Build and verify the tables of one board, and count its positions and games."""
    game = load_game(f"foxhounds-{size}x{size}")
    begin = time.perf_counter()
    build_start(game, folder, workers)
    with threads.use(workers):
        counts = count(game)
    seconds = time.perf_counter() - begin
    with tablebase.open(folder) as tables:
        start = tables.probe_value(game, game.start)
    winner = "Fox" if start.outcome is Outcome.WIN else "Hounds"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return Board(counts.reachable, str(counts.games), f"{winner} win in {start.distance}", round(seconds, 1), round(memory))


def opposite(game: Game, tables: Tablebase) -> Position | None:
    """The first position in breadth-first order whose winner differs from the start's."""
    start = parse(game, game.start)
    start_outcome = tables.probe_value(game, start).outcome
    seen, queue = {start}, deque([start])
    while queue:
        position = queue.popleft()
        if (tables.probe_value(game, position).outcome is start_outcome) != (position.side == start.side):
            return position
        # Pieces by file and rank; each piece's steps in the order of the rules.
        for move in sorted(legal_moves(game, position), key=lambda move: game.board.cells[move.origin]):
            after = play(position, move)
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return None


def compare_player(size: int, folder: Path) -> list[str]:
    """Print the results about the computer player on a board, and return the differences as sentences."""
    game = load_game(f"foxhounds-{size}x{size}")
    with tablebase.open(folder) as tables:
        graph = reachable(game)
        boxes = fox_boxes(graph, values(graph, tables.prober))
        other = opposite(game, tables)
        value = None if other is None else tables.probe_value(game, other)
    plies = int(boxes.plies[0])
    best = (
        "never"
        if plies == UNFORCEABLE
        else f"{plies}, largest still to come {boxes.later.value[0]} in {boxes.later.plies[0]} plies"
    )
    print(f"\n{size}x{size}: plies to force a FoxBox from the start: {best}")
    even = boxes.fair_fuzz()
    print(f"{size}x{size}: even chance from the start at fuzz factor {even:.6f}")
    ours = (best, f"{even:.6f}", "none" if value is None else f"{value.outcome} in {value.distance}")
    differences = [
        f"{size}x{size}: {our_value} here, {known_value} is known"
        for our_value, known_value in zip(ours, PLAYER[size], strict=True)
        if known_value not in (None, our_value)
    ]
    if other is None:
        return differences
    print(f"{size}x{size}: opposite position {render(game, other)}, {ours[-1]}")
    return differences + (compare_fuzz(boxes, graph.node(other)) if size == FUZZ_BOARD else [])


def compare_fuzz(boxes: FoxBoxes, opposite_node: int) -> list[str]:
    """Print the second table, and return the differences as sentences."""
    rows = []
    policies = [boxes.policy(side) for side in (FOX, HOUNDS)]
    for text, article_fox, article_hounds in FUZZ:
        fuzz = round(float(text) / FUZZ_STEP) * FUZZ_STEP
        fox = f"{chance_against(policies[HOUNDS], fuzz)[0]:.{DECIMALS}f}"
        hounds = f"{chance_against(policies[FOX], fuzz)[opposite_node]:.{DECIMALS}f}"
        rows.append(
            {
                "fuzz": text,
                "fox wins, article": article_fox,
                "here": fox,
                "hounds win, article": article_hounds,
                "here ": hounds,
                "differs": "" if (fox, hounds) == (article_fox, article_hounds) else "differs",
            }
        )
    print()
    write_rows(rows, Format.TABLE)
    return [f"fuzz factor {row['fuzz']} differs from the article" for row in rows if row["differs"]]


if __name__ == "__main__":
    sys.exit(main())
