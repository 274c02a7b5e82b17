"""What the paper says of patterns in Dou Shou Qi, and what else the tables say, each as a query with its counts.

Run it on a tablebase with all two- and three-piece tables, or better all four-piece tables, too::

    tablebase build doushouqi --pieces 4 --workers 2
    python scripts/paper_patterns.py

Every query can be put to ``tablebase mine doushouqi`` as it is printed. It gives the column `holds`, whether a
position is as claimed, and `positions`, how many there are.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

from rules.doushouqi import game
from tablebase.catalog.catalog import Catalog
from tablebase.errors import TablebaseError
from tablebase.mining.common_features import features_of
from tablebase.mining.query import Query
from tablebase.mining.results import names_and_rows
from tablebase.slices.location import slices

DRAWS = """SELECT pieces, sum(positions), sum(draws) FROM slice_counts WHERE game = 'doushouqi' GROUP BY pieces"""
"""A statement for `tablebase sql`."""
EQUAL = "pieces = 2 AND lower(p1) = p2"
GUARDS = "to_home_2 < to_den_1 AND to_home_1 < to_den_2"
"""Each piece is nearer to its own den than the other one is, so they have to pass each other."""
ODD_WINS = "outcome = CASE WHEN even_1_2 THEN 'loss' ELSE 'win' END"
EVEN_WINS = "outcome = CASE WHEN even_1_2 THEN 'win' ELSE 'loss' END"
TWO_AGAINST_ONE = "pieces = 3 AND material LIKE '__v_' AND relation_1_3 <> 'weaker' AND relation_2_3 <> 'weaker'"
THREE_AGAINST_ONE = (
    "pieces = 4 AND material LIKE '___v_'\n  AND relation_1_4 <> 'weaker' AND relation_2_4 <> 'weaker' AND relation_3_4 <> 'weaker'"
)
TWO_WAYS = "('a1', 'a4', 'a5', 'a6', 'a9', 'c1', 'd4', 'd5', 'd6', 'e1', 'g1', 'g4', 'g5', 'g6', 'g9')"
"""Squares from which White's pieces that cannot swim have two steps on land."""


@dataclass(frozen=True)
class Claim:
    """A statement about positions.

    Parameters
    ----------
    title : str
    where : str
        The positions that it is about, in SQL.
    holds : str
        What it says of them, in SQL.
    by : str
        Columns or expressions to count by.
    pieces : int
        All tables of so many pieces are needed.
    table : str
        ``positions``, or ``distinct_positions`` where there are too many.
    note : str
        What to make of it.
    """

    title: str
    where: str
    holds: str
    by: str = "material"
    pieces: int = 2
    table: str = "positions"
    note: str = ""

    @property
    def query(self) -> str:
        """Counts of positions that are as claimed and of others."""
        counted = f"SELECT {self.by}, {self.holds} AS holds, count(*) AS positions"
        return f"{counted}\nFROM {self.table}\nWHERE {self.where}\nGROUP BY ALL ORDER BY ALL"

    @property
    def exceptions(self) -> str:
        """The positions that are not as claimed."""
        return f"SELECT position, outcome, distance FROM {self.table} WHERE {self.where} AND NOT ({self.holds}) ORDER BY ALL"


PAPER = (
    Claim("Two pieces of equal strength never draw", EQUAL, "outcome <> 'draw'"),
    Claim(
        "Where they have to pass each other, an even Manhattan distance wins for the side to move, an odd one loses",
        f"{EQUAL} AND material NOT IN ('TvT', 'LvL') AND {GUARDS}",
        EVEN_WINS,
        note="It is the other way round: next to each other (distance 1) the side to move takes, at distance 2 it must give way.",
    ),
    Claim(
        "An odd Manhattan distance wins, an even one loses",
        f"{EQUAL} AND material NOT IN ('TvT', 'LvL') AND {GUARDS}",
        ODD_WINS,
        note="In all exceptions a piece stands on its own last rank, where it cannot go through its den.",
    ),
    Claim(
        "… if neither stands on its own last rank",
        f"{EQUAL} AND material NOT IN ('TvT', 'LvL') AND {GUARDS} AND p1_rank > 1 AND p2_rank < 9",
        ODD_WINS,
    ),
    Claim(
        "The same for lions and tigers",
        f"{EQUAL} AND material IN ('TvT', 'LvL') AND {GUARDS}",
        ODD_WINS,
        note="They break it: by a leap along a file, four ranks at once, the side to move changes the parity when it likes.",
    ),
)

FINDINGS = (
    Claim(
        "Two pieces against one, neither of them weaker than it: with the two to move it is never a draw",
        f"{TWO_AGAINST_ONE}",
        "outcome <> 'draw'",
        by="relation_1_3, relation_2_3",
        pieces=3,
    ),
    Claim(
        "… and if the one is more than six steps from the den, the two always win",
        f"{TWO_AGAINST_ONE} AND to_den_3 > 6",
        "outcome = 'win'",
        by="to_den_3",
        pieces=3,
    ),
    Claim(
        "With three pieces whoever has no move has one piece, on a square that has two ways out",
        "pieces = 3 AND stalemate",
        f"material LIKE '_v__' AND p1_square IN {TWO_WAYS}",
        by="p1_square",
        pieces=3,
    ),
    Claim(
        "Where nobody leaps and no rat is, a draw of two (to move) against one has an even sum of all files and ranks",
        "pieces = 3 AND material LIKE '__v_' AND NOT regexp_matches(upper(material), '[RTL]') AND outcome = 'draw'",
        "(p1_file + p1_rank + p2_file + p2_rank + p3_file + p3_rank) % 2 = 0",
        by="upper(relation_1_3 || ' ' || relation_2_3) AS pair_against_one",
        note="Each step changes the parity of the sum, so nearly all of these draws depend on who has to move.",
        pieces=3,
    ),
    Claim(
        "Of two equal pieces that do not leap, those that lose whoever has to move (mutual zugzwang) are an even distance apart",
        "a.pieces = 2 AND lower(a.p1) = a.p2 AND NOT regexp_matches(a.material, '[TL]') AND b.pieces = 2"
        "\n  AND a.outcome = 'loss' AND b.outcome = 'loss' AND b.material = a.material"
        "\n  AND b.p1_file = 8 - a.p2_file AND b.p1_rank = 10 - a.p2_rank"
        "\n  AND b.p2_file = 8 - a.p1_file AND b.p2_rank = 10 - a.p1_rank",
        "a.even_1_2",
        by="a.material",
        table="positions a, positions b",
        note="Turning the board by half exchanges the colours: the second position is the first with the other side to move.",
    ),
    Claim(
        "Three pieces against one, none of them weaker than it: with the three to move it is never a draw",
        f"{THREE_AGAINST_ONE}",
        "outcome <> 'draw'",
        by="pieces",
        pieces=4,
        table="distinct_positions",
    ),
    Claim(
        "… and if the one is more than six steps from the den, the three always win",
        f"{THREE_AGAINST_ONE} AND to_den_4 > 6",
        "outcome = 'win'",
        by="to_den_4",
        pieces=4,
        table="distinct_positions",
    ),
    Claim(
        "All wins of more than 93 plies: rat and lion or tiger against an elephant and one of the four plain pieces",
        "pieces = 4 AND outcome = 'win' AND distance > 93",
        "regexp_matches(material, '^R[TL]v[CWDP]E$')",
        pieces=4,
    ),
)


def main() -> None:
    """Put all queries, print counts, exceptions and verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--list", type=int, default=12, metavar="N", help="list so many exceptions to a claim")
    parser.add_argument("--pieces", type=int, default=4, help="leave out what needs more pieces than this")
    arguments = parser.parse_args()
    try:
        tell(arguments.data, arguments.pieces, arguments.list)
    except TablebaseError as fault:
        sys.exit(f"error: {fault}")


def tell(folder: Path, pieces: int, listed: int) -> None:
    """Print everything that the tables of a folder can tell."""
    with closing(Catalog(folder)) as catalog:
        lines = catalog.counts(game(), "pieces")
        built = [line.pieces for line in lines if line.pieces <= pieces and line.slices == len(slices(game(), line.pieces))]
        print("WHAT THE PAPER SAYS\n")
        for claim in PAPER:
            print_claim(claim, folder, listed)
        print_parities_of_leaps()
        print_draws(catalog)
    print("WHAT ELSE THE TABLES SAY\n")
    for claim in FINDINGS:
        if claim.pieces in built:
            print_claim(claim, folder, listed)
        else:
            print(f"{claim.title}:\n  left out, for it needs all tables with {claim.pieces} pieces.\n")


def print_claim(claim: Claim, folder: Path, most: int) -> None:
    """Print a claim with its query, the counts, some exceptions and the verdict."""
    rows = ask(claim.query, folder)
    kept = sum(row["positions"] for row in rows if row["holds"])
    broken = sum(row["positions"] for row in rows if not row["holds"])
    print(f"{claim.title}:\n{indent(claim.query, '  | ')}")
    for row in rows:
        names = [f"{name}={value}" for name, value in row.items() if name not in ("holds", "positions")]
        print(f"  {' '.join(names)}: {row['positions']:,} {'as claimed' if row['holds'] else 'not so'}")
    if broken and broken < kept and "," not in claim.table:
        listed = ask(claim.exceptions, folder)
        for row in listed[:most]:
            plies = "" if row["distance"] is None else f" in {row['distance']}"
            print(f"  not so: {row['position']}  {row['outcome']}{plies}")
        if len(listed) > most:
            print(f"  … and {len(listed) - most:,} more (--list {len(listed)})")
    print(f"  => {verdict(kept, broken)}")
    print(f"  {claim.note}\n" if claim.note else "")


def verdict(kept: int, broken: int) -> str:
    """Whether a claim holds, by how many positions are as it says."""
    total = kept + broken
    if not broken:
        return f"holds for all {total:,} positions"
    if broken < kept:
        return f"holds except for {broken:,} of {total:,} positions ({broken / total:.2%})"
    return f"fails for {broken:,} of {total:,} positions ({broken / total:.2%})"


def ask(statement: str, folder: Path) -> list[dict[str, Any]]:
    """The rows of a statement over all positions."""
    with Query(game(), folder, statement, features_of(game())) as question:
        return list(names_and_rows(question.run())[1])


def print_parities_of_leaps() -> None:
    """Print how far the steps of a tiger go; the rules say it, no table is needed."""
    cells = game().board.cells
    tiger = next(kind for kind in game().kinds if kind.name == "tiger")
    lengths = Counter(sum(abs(a - b) for a, b in zip(cells[step.origin], cells[step.target], strict=True)) for step in tiger.steps)
    print("Lions and tigers can flip the parity by leaping over the water:")
    for length, count in sorted(lengths.items()):
        change = "changes the parity, as every step does" if length % 2 else "does not change it, and so wins or loses a tempo"
        print(f"  {count} of a tiger's steps go {length} squares far; that {change}")
    print("  => holds for leaps along a file (4 squares); leaps along a rank (3 squares) are like steps\n")


def print_draws(catalog: Catalog) -> None:
    """Print the share of draws by number of pieces."""
    print(f"There are surprisingly few draws:\n{indent(DRAWS, '  | ')}")
    for pieces, positions, draws in catalog.sql(DRAWS)[1]:
        print(f"  {pieces} pieces: {draws:,} of {positions:,} positions are a draw ({draws / positions:.2%})")
    print("  => holds; with four pieces there are more than with three\n")


if __name__ == "__main__":
    main()
