"""Compare Table 2 of the Dou Shou Qi paper with the tables in a folder, and Table 1 with counts made now.

    python -m scripts.reproduce.paper --data data
    python -m scripts.reproduce.paper --depth 7

``--depth`` needs no tables: it counts the leaves of Table 1, in which a line that repeats a position is one leaf, and exits
with 1 if one of them differs. The differences of Table 2 are explained; its row 4 cannot be right.

The paper: J. N. van Rijn and J. K. Vis, Complexity and Retrograde Analysis of the Game Dou Shou Qi.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tablebase.catalog.catalog import Catalog
from tablebase.commands.output import write_rows
from tablebase.commands.parameters import Format
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.notation import parse
from tablebase.search import RepeatedLines, leaves_by_depth

LEAVES = (24, 576, 12_240, 260_100, 5_098_477, 99_860_517, 1_890_415_534)
SECONDS = (0.0, 0.0, 0.0, 0.06, 1.26, 23.46, 471.33)


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
    """Print a table and its differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--depth", type=int, choices=range(1, 8), help="Table 1 up to this row instead of Table 2")
    given = parser.parse_args()
    if given.depth is not None:
        sys.exit(compare_leaves(given.depth))
    try:
        sys.exit(compare_tables(given.data))
    except TablebaseError as error:
        sys.exit(f"error: {error}")


def compare_leaves(depth: int) -> bool:
    """Print Table 1 up to a depth; returns whether a number differs."""
    game = load_game("doushouqi")
    rows = [
        {
            "ply": count.depth,
            "leaves": count.leaves,
            "paper's leaves": LEAVES[count.depth - 1],
            "seconds": round(count.seconds, 2),
            "paper's seconds": SECONDS[count.depth - 1],
        }
        for count in leaves_by_depth(game, parse(game, game.start), depth, RepeatedLines.LEAF)
    ]
    write_rows(rows, Format.TABLE)
    return any(row["leaves"] != row["paper's leaves"] for row in rows)


def compare_tables(folder: Path) -> bool:
    """Print Table 2 and the differences; returns whether a row differs that adds up in the paper."""
    with closing(Catalog(folder)) as catalog:
        ours = {
            counts.pieces: Row(
                counts.positions, counts.wins, counts.losses, counts.draws, max(counts.longest_win or 0, counts.longest_loss or 0)
            )
            for counts in catalog.counts(load_game("doushouqi"), "pieces")
        }
    printed = []
    for pieces, paper in PAPER.items():
        printed.append({"pieces": pieces, "source": "paper", **paper._asdict(), "sum - positions": excess(paper)})
        if pieces in ours:
            printed.append({"pieces": pieces, "source": "here", **ours[pieces]._asdict(), "sum - positions": excess(ours[pieces])})
    write_rows(printed, Format.TABLE)
    for pieces, paper in PAPER.items():
        if pieces in ours:
            print(verdict(pieces, paper, ours[pieces]))
    return any(pieces in ours and ours[pieces] != paper and not excess(paper) for pieces, paper in PAPER.items())


def excess(row: Row) -> int:
    """By how much the sum of the outcomes exceeds the number of positions, which it should equal."""
    return row.wins + row.losses + row.draws - row.positions


def verdict(pieces: int, paper: Row, ours: Row) -> str:
    """Return how a row differs from the paper's, in a sentence or more."""
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
