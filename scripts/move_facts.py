"""Facts about moves of Dou Shou Qi, counted twice: by statements of `mine`, and by `recount_moves`, which shares no code with it.

Prints both counts of each fact, and fails if any differ.

Examples
--------
Tables of two and three pieces::

    tablebase build doushouqi --pieces 3
    python scripts/move_facts.py --data data --pieces 3
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from recount_moves import Facts, recount

import tablebase

# A position in zugzwang that is drawn has a twin that is lost. The distinct positions hold the twins of all their positions,
# so as many lost ones have a drawn twin, and the others are lost for both. This spares the join with the twins.
POSITIONS = """
    SELECT count(*) AS "positions",
           count(*) FILTER (WHERE outcome = 'win') AS "won positions",
           count(only_move) FILTER (WHERE outcome = 'win') AS "won positions with an only move",
           count(*) FILTER (WHERE outcome = 'draw') AS "drawn positions",
           count(only_move) FILTER (WHERE outcome = 'draw') AS "drawn positions with an only move",
           count(*) FILTER (WHERE zugzwang) AS "zugzwang",
           count(*) FILTER (WHERE zugzwang AND outcome = 'loss')
             - count(*) FILTER (WHERE zugzwang AND outcome = 'draw') AS "zugzwang, lost for both"
    FROM distinct_positions WHERE pieces = {pieces}"""
MOVES = """
    SELECT piece,
           count(*) AS "moves in won positions",
           count(captures) AS "captures in won positions",
           count(*) FILTER (WHERE jump) AS "jumps in won positions",
           count(captures) FILTER (WHERE outcome <> 'win') AS "captures that give a win away",
           count(*) FILTER (WHERE is_only) AS "only winning moves",
           count(captures) FILTER (WHERE is_only) AS "only winning moves that capture",
           count(*) FILTER (WHERE is_only AND jump) AS "only winning moves that jump"
    FROM distinct_moves WHERE pieces = {pieces} AND position_outcome = 'win' GROUP BY piece"""


def mined(data: Path, pieces: int, workers: int = 1) -> Facts:
    """The facts by statements of `mine`, with the names that `recount` gives them.

    Parameters
    ----------
    data : Path
        Folder of the tables.
    pieces : int
    workers : int
        Number of threads.
    """
    facts: Facts = Counter()
    with tablebase.open(data) as tables:
        for statement in (POSITIONS, MOVES):
            query = tables.query("doushouqi", statement.format(pieces=pieces), threads=workers)
            for row in query.arrow().to_pylist():
                piece = row.pop("piece", None)
                facts.update(row)
                if piece is not None:
                    facts.update({f"{name}: {piece}": count for name, count in row.items()})
    return facts


def main() -> None:
    """Count both ways, print the counts, and fail if they differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--pieces", type=int, default=3, help="number of pieces")
    parser.add_argument("--workers", type=int, default=1, help="number of threads")
    asked = vars(parser.parse_args())
    ours, plain = mined(**asked), recount(**asked)
    names = list(dict.fromkeys([*plain, *ours]))
    for name in names:
        print(f"{name:36} {ours[name]:15,} {plain[name]:15,}")
    differing = sum(ours[name] != plain[name] for name in names)
    if differing:
        raise SystemExit(f"{differing} counts differ")


if __name__ == "__main__":
    main()
