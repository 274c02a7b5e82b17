"""The paper's claims about patterns in Dou Shou Qi, and other findings, each as a query with its counts.

Run it on a tablebase with all two- and three-piece tables, preferably with all four-piece tables as well::

    tablebase build doushouqi --pieces 4 --workers 2
    python -m scripts.reproduce.patterns

Every query can be run by ``tablebase mine doushouqi`` as it is printed. It returns the columns `holds`, whether
positions are as claimed, and `positions`, their number.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

from tablebase.catalog.catalog import Catalog
from tablebase.errors import TablebaseError
from tablebase.mining.query import Query
from tablebase.mining.results import names_and_rows
from tablebase.positions.common_features import features_of
from tablebase.positions.location import slices
from tablebase.positions.material import Material, parse_material
from tablebase_rules.doushouqi import game

DRAWS = """SELECT pieces, sum(positions), sum(draws) FROM slice_counts WHERE game = 'doushouqi' GROUP BY pieces"""
"""A statement for `tablebase sql`."""
EQUAL = "pieces = 2 AND lower(p1) = p2"
GUARDS = "to_home_2 < to_den_1 AND to_home_1 < to_den_2"
"""Each piece is nearer to its own den than the other piece is, so they have to pass each other."""
ODD_WINS = "outcome = CASE WHEN even_1_2 THEN 'loss' ELSE 'win' END"
EVEN_WINS = "outcome = CASE WHEN even_1_2 THEN 'win' ELSE 'loss' END"
TWO_AGAINST_ONE = "pieces = 3 AND material LIKE '__v_' AND relation_1_3 <> 'weaker' AND relation_2_3 <> 'weaker'"
THREE_AGAINST_ONE = (
    "pieces = 4 AND material LIKE '___v_'\n  AND relation_1_4 <> 'weaker' AND relation_2_4 <> 'weaker' AND relation_3_4 <> 'weaker'"
)
TWO_WAYS = "('a1', 'a4', 'a5', 'a6', 'a9', 'c1', 'd4', 'd5', 'd6', 'e1', 'g1', 'g4', 'g5', 'g6', 'g9')"
"""Squares from which White's pieces that cannot swim have exactly two steps on land."""


class Claim(NamedTuple):
    """A statement about positions."""

    title: str
    where: str  # the positions that it is about, a condition in SQL
    holds: str  # what is true of them if the claim is, a condition in SQL
    by: str = "material"  # columns or expressions to group the counts by
    pieces: int = 2  # all tables with this number of pieces are needed
    table: str = "positions"  # `distinct_positions` if there are too many
    note: str = ""  # what the result means

    @property
    def query(self) -> str:
        """Statement that counts the positions that are as claimed, and the others."""
        counted = f"SELECT {self.by}, {self.holds} AS holds, count(*) AS positions"
        return f"{counted}\nFROM {self.table}\nWHERE {self.where}\nGROUP BY ALL ORDER BY ALL"

    @property
    def exceptions(self) -> str:
        """Statement that lists the positions that are not as claimed."""
        return f"SELECT position, outcome, distance FROM {self.table} WHERE {self.where} AND NOT ({self.holds}) ORDER BY ALL"


PAPER = (
    Claim("Two pieces of equal strength never draw", EQUAL, "outcome <> 'draw'"),
    Claim(
        "If equal pieces have to pass each other, the side to move wins at even Manhattan distances and loses at odd ones",
        f"{EQUAL} AND material NOT IN ('TvT', 'LvL') AND {GUARDS}",
        EVEN_WINS,
        note="It is right if it counts the squares between the two pieces, one less than the steps that are counted here.",
    ),
    Claim(
        "So: it wins at odd distances and loses at even ones",
        f"{EQUAL} AND material NOT IN ('TvT', 'LvL') AND {GUARDS}",
        ODD_WINS,
        note="In all exceptions a piece stands on its own last rank, as the next claim shows.",
    ),
    Claim(
        "The same, if neither piece stands on its own last rank",
        f"{EQUAL} AND material NOT IN ('TvT', 'LvL') AND {GUARDS} AND p1_rank > 1 AND p2_rank < 9",
        ODD_WINS,
    ),
    Claim(
        "The same for lions and tigers",
        f"{EQUAL} AND material IN ('TvT', 'LvL') AND {GUARDS}",
        ODD_WINS,
    ),
)

FINDINGS = (
    Claim(
        "Two pieces against a single piece, neither of them weaker than it: with the two to move, it is never a draw",
        f"{TWO_AGAINST_ONE}",
        "outcome <> 'draw'",
        by="relation_1_3, relation_2_3",
        pieces=3,
    ),
    Claim(
        "If the single piece is more than six steps from the den, the two always win",
        f"{TWO_AGAINST_ONE} AND to_den_3 > 6",
        "outcome = 'win'",
        by="to_den_3",
        pieces=3,
    ),
    Claim(
        "With three pieces, a side in stalemate has a single piece, on a square with two ways out",
        "pieces = 3 AND stalemate",
        f"material LIKE '_v__' AND p1_square IN {TWO_WAYS}",
        by="p1_square",
        pieces=3,
    ),
    Claim(
        "Without rats and leaping pieces, the sum of all files and ranks is even in draws of two (to move) against one",
        "pieces = 3 AND material LIKE '__v_' AND NOT regexp_matches(upper(material), '[RTL]') AND outcome = 'draw'",
        "(p1_file + p1_rank + p2_file + p2_rank + p3_file + p3_rank) % 2 = 0",
        by="upper(relation_1_3 || ' ' || relation_2_3) AS pair_against_one",
        note="Each step changes the parity of the sum, so most of these draws depend on which side is to move.",
        pieces=3,
    ),
    Claim(
        "Equal pieces in mutual zugzwang that do not leap are an even distance apart",
        "a.pieces = 2 AND lower(a.p1) = a.p2 AND NOT regexp_matches(a.material, '[TL]') AND b.pieces = 2"
        "\n  AND a.outcome = 'loss' AND b.outcome = 'loss' AND b.material = a.material"
        "\n  AND b.p1_file = 8 - a.p2_file AND b.p1_rank = 10 - a.p2_rank"
        "\n  AND b.p2_file = 8 - a.p1_file AND b.p2_rank = 10 - a.p1_rank",
        "a.even_1_2",
        by="a.material",
        table="positions a, positions b",
        note="Rotating the board by 180 degrees exchanges the colours: b is the same position as a with the other side to move.",
    ),
    Claim(
        "Three pieces against a single piece, none of them weaker than it: with the three to move, it is never a draw",
        f"{THREE_AGAINST_ONE}",
        "outcome <> 'draw'",
        by="pieces",
        pieces=4,
        table="distinct_positions",
    ),
    Claim(
        "If the single piece is more than six steps from the den, the three always win",
        f"{THREE_AGAINST_ONE} AND to_den_4 > 6",
        "outcome = 'win'",
        by="to_den_4",
        pieces=4,
        table="distinct_positions",
    ),
    Claim(
        "All four-piece wins in more than 93 plies are rat and lion or tiger against elephant and cat, wolf, dog or panther",
        "pieces = 4 AND outcome = 'win' AND distance > 93",
        "regexp_matches(material, '^R[TL]v[CWDP]E$')",
        pieces=4,
    ),
    Claim(
        "All five-piece wins in more than 155 plies are rat and two of cat to panther against one of these and elephant",
        "pieces = 5 AND outcome = 'win' AND distance > 155",
        "regexp_matches(material, '^R[CWDP]{2}v[CWDP]E$')",
        pieces=5,
    ),
)


def main() -> None:
    """Run all queries; print counts, exceptions and verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--list", type=int, default=12, metavar="N", help="maximum number of exceptions to list for a claim")
    parser.add_argument("--pieces", type=int, default=4, help="skip claims that need more pieces than this")
    arguments = parser.parse_args()
    try:
        print_report(arguments.data, arguments.pieces, arguments.list)
    except TablebaseError as error:
        sys.exit(f"error: {error}")


def print_report(folder: Path, pieces: int, listed: int) -> None:
    """Print the results for all claims that the tables of a folder can check."""
    with closing(Catalog(folder)) as catalog:
        lines = catalog.counts(game(), "pieces")
        built = [line.pieces for line in lines if line.pieces <= pieces and line.slices == len(slices(game(), line.pieces))]
        print("CLAIMS OF THE PAPER\n")
        for claim in PAPER:
            print_claim(claim, folder, listed)
        print_parities_of_leaps()
        print_draws(catalog, built)
        print_single(catalog, built)
    print("OTHER FINDINGS\n")
    for claim in FINDINGS:
        if claim.pieces in built:
            print_claim(claim, folder, listed)
        else:
            print(f"{claim.title}:\n  skipped, because it needs all tables with {claim.pieces} pieces.\n")


def print_claim(claim: Claim, folder: Path, limit: int) -> None:
    """Print a claim with its query, the counts, some exceptions and the verdict."""
    rows = run(claim.query, folder)
    kept = sum(row["positions"] for row in rows if row["holds"])
    broken = sum(row["positions"] for row in rows if not row["holds"])
    print(f"{claim.title}:\n{indent(claim.query, '  | ')}")
    for row in rows:
        names = [f"{name}={value}" for name, value in row.items() if name not in ("holds", "positions")]
        print(f"  {' '.join(names)}: {row['positions']:,} {'as claimed' if row['holds'] else 'not so'}")
    if broken and broken < kept and "," not in claim.table:
        exceptions = run(claim.exceptions, folder)
        for row in exceptions[:limit]:
            plies = "" if row["distance"] is None else f" in {row['distance']}"
            print(f"  not so: {row['position']}  {row['outcome']}{plies}")
        if len(exceptions) > limit:
            print(f"  … and {len(exceptions) - limit:,} more (--list {len(exceptions)})")
    print(f"  => {verdict(kept, broken)}")
    print(f"  {claim.note}\n" if claim.note else "")


def verdict(kept: int, broken: int) -> str:
    """Return whether a claim holds, given how many positions are as claimed and how many are not."""
    total = kept + broken
    if not broken:
        return f"holds for all {total:,} positions"
    if broken < kept:
        return f"holds except for {broken:,} of {total:,} positions ({broken / total:.2%})"
    return f"fails for {broken:,} of {total:,} positions ({broken / total:.2%})"


def run(statement: str, folder: Path) -> list[dict[str, Any]]:
    """The rows of a statement over all positions."""
    with Query(game(), folder, statement, features_of(game())) as query:
        return list(names_and_rows(query.run())[1])


def print_parities_of_leaps() -> None:
    """Print how far a tiger steps; this follows from the rules, without tables."""
    cells = game().board.cells
    tiger = next(kind for kind in game().kinds if kind.name == "tiger")
    lengths = Counter(sum(abs(a - b) for a, b in zip(cells[step.origin], cells[step.target], strict=True)) for step in tiger.steps)
    print("Lions and tigers can flip the parity by leaping over the water:")
    for length, count in sorted(lengths.items()):
        change = "this changes the parity" if length % 2 else "this keeps the parity"
        print(f"  {count} of a tiger's steps have length {length}; {change}")
    print("  => holds for leaps along a file (4 squares); leaps along a rank (3 squares) are like steps\n")


def print_draws(catalog: Catalog, built: Sequence[int]) -> None:
    """Print the share of draws by number of pieces, for those of which all tables have been built."""
    print(f"There are surprisingly few draws:\n{indent(DRAWS, '  | ')}")
    shares = {}
    for pieces, positions, draws in catalog.sql(DRAWS)[1]:
        if pieces in built:
            shares[pieces] = draws / positions
            print(f"  {pieces} pieces: {draws:,} of {positions:,} positions are a draw ({shares[pieces]:.2%})")
    if shares:
        print(f"  => holds: at most {max(shares.values()):.2%}\n")
    else:
        print("  skipped, because it needs all tables with some number of pieces.\n")


def print_single(catalog: Catalog, built: Sequence[int]) -> None:
    """Print how often a single piece draws against others, none of them weaker, by who is to move; from the counts of slices."""
    print("A single piece rarely draws against others, none of them weaker than it:")
    counts: dict[tuple[int, bool], list[int]] = {}
    for line in catalog.counts(game(), "material"):
        single = single_against(parse_material(game(), str(line.material)))
        if line.pieces in built and single is not None:
            is_to_move = line.side == game().sides[single].letter
            sums = counts.setdefault((line.pieces, is_to_move), [0, 0, 0])
            for place, number in enumerate((1, line.positions, line.draws)):
                sums[place] += number
    for (pieces, is_to_move), (slices_counted, positions, draws) in sorted(counts.items()):
        mover = "the single piece" if is_to_move else f"the {pieces - 1}"
        print(
            f"  {pieces - 1} against 1, {mover} to move: {draws:,} of {positions:,} positions of {slices_counted} slices are a draw"
        )
    print()


def single_against(material: Material) -> int | None:
    """The side with a single piece, if the other has at least two, and none of them is weaker; else None."""
    for side, (mine, others) in enumerate(((material.first, material.second), (material.second, material.first))):
        if len(mine) == 1 < len(others):
            weaker = any(takes(mine[0], other) and not takes(other, mine[0]) for other in others)
            return None if weaker else side
    return None


def takes(taker: int, victim: int) -> bool:
    """Return whether a kind of piece captures another in the open, with most of its steps."""
    steps = game().kinds[taker].steps
    return 2 * sum(game().kinds[victim].symbol in step.victims for step in steps) > len(steps)


if __name__ == "__main__":
    main()
