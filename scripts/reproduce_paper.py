"""Compare Table 2 of the Dou Shou Qi paper with the tables in a folder, and Table 1 with counts and searches made now.

    python scripts/reproduce_paper.py --data data
    python scripts/reproduce_paper.py --engine
    python scripts/reproduce_paper.py --engine --depth 5 --games 10

``--engine`` needs no tables. It prints the leaves of Table 1, in which a line that repeats a position is one leaf, with times
and scores; what positions offer in random games and in games of the engine; and the paper's search to depth 14, unless
``--depth`` is less than 7.

The paper: J. N. van Rijn and J. K. Vis, Complexity and Retrograde Analysis of the Game Dou Shou Qi.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from paper_engine import LEAVES, depth_14, most_moves, position_rows, table_1

from tablebase.catalog.catalog import Catalog
from tablebase.cli.options import Format
from tablebase.cli.output import write_rows
from tablebase.game import load_game


class Row(NamedTuple):
    """A row of the paper's Table 2; `longest` is the longest win or loss, in plies."""

    positions: int
    wins: int
    losses: int
    draws: int
    longest: int


PAPER = {
    2: Row(160_068, 82_852, 64_501, 12_715, 34),
    3: Row(54_354_684, 30_297_857, 23_369_820, 687_007, 67),
    4: Row(9_685_020_510, 5_468_841_129, 4_001_236_829, 214_942_568, 117),
}


def main() -> None:
    """Print both tables and their differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--engine", action="store_true", help="the numbers of the paper's section 3 instead of Table 2")
    parser.add_argument("--depth", type=int, choices=range(1, 8), default=7, help="last row of Table 1")
    parser.add_argument("--games", type=int, default=40, help="games of each sort")
    given = parser.parse_args()
    if given.engine:
        compare_engines(given.depth, given.games)
    else:
        compare_tables(given.data)


def compare_engines(depth: int, games: int) -> None:
    """Print Table 1, and what positions offer."""
    rows = table_1(depth)
    write_rows(rows, Format.TABLE)
    same = all(row["leaves"] == row["paper's leaves"] for row in rows)
    print(f"\nThe leaves are {'equal' if same else 'NOT equal'}. Scores are of different functions: the paper's is not published.")
    print("In both, the side that has moved last is ahead, and equal play by the other side makes the score 0 or nearly so.\n")
    write_rows(position_rows(games), Format.TABLE)
    print(f"\nNo position has more than {most_moves()} moves: four for each of a side's pieces.")
    if depth == len(LEAVES):
        print(f"\n{depth_14()}")


def compare_tables(folder: Path) -> None:
    """Print Table 2 and the differences."""
    catalog = Catalog(folder)
    ours = {
        counts.pieces: Row(
            counts.positions, counts.wins, counts.losses, counts.draws, max(counts.longest_win or 0, counts.longest_loss or 0)
        )
        for counts in catalog.counts(load_game("doushouqi"), "pieces")
    }
    catalog.close()
    printed = []
    for pieces, paper in PAPER.items():
        printed.append({"pieces": pieces, "source": "paper", **paper._asdict(), "sum - positions": excess(paper)})
        if pieces in ours:
            printed.append({"pieces": pieces, "source": "here", **ours[pieces]._asdict(), "sum - positions": excess(ours[pieces])})
    write_rows(printed, Format.TABLE)
    for pieces, paper in PAPER.items():
        if pieces in ours:
            print(verdict(pieces, paper, ours[pieces]))


def excess(row: Row) -> int:
    """By how much the sum of the outcomes exceeds the number of positions, which it should equal."""
    return row.wins + row.losses + row.draws - row.positions


def verdict(pieces: int, paper: Row, ours: Row) -> str:
    """How a row differs from the paper's, in a sentence or more."""
    if ours == paper:
        return f"{pieces} pieces: equal."
    fields = zip(Row._fields, paper, ours, strict=True)
    differences = [f"{name} {number - published:+,}" for name, published, number in fields if number != published]
    text = f"{pieces} pieces: here minus paper: {', '.join(differences)}."
    if excess(paper):
        text += f"\n  The paper's outcomes add up to {excess(paper):,} more than its positions, so they cannot all be right."
        text += f"\n  The outcomes here add up (difference {excess(ours)}), and every position was checked against its moves."
        text += "\n  The paper's longest line is a win; the longest loss is one ply longer."
    return text


if __name__ == "__main__":
    main()
