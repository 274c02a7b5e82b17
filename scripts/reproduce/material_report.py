"""Contents of tables of a number of pieces: totals, longest wins, draws by material, and where more pieces do worst.

    python -m scripts.reproduce.material_report doushouqi --pieces 5 --data data

Everything comes from the catalog, in a second. Of materials that are played alike, one is listed. The share of the side with
more pieces is that of its wins and half of the draws, of all positions of the material with either side to move.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import tablebase
from tablebase.commands.output import write_rows
from tablebase.commands.parameters import Format
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game

TOTALS = """SELECT pieces, count(*) AS slices, sum(placements) AS placements, sum(stalemates) AS stalemates,
    sum(positions) AS positions, sum(wins) AS wins, sum(losses) AS losses, sum(draws) AS draws,
    max(longest_win) AS longest_win, max(longest_loss) AS longest_loss
FROM slice_counts WHERE game = '{game}' AND pieces = {pieces} GROUP BY pieces"""
LONGEST = """SELECT longest_win AS plies, material, longest_win_position AS position FROM slice_counts
WHERE game = '{game}' AND pieces = {pieces} AND NOT is_alias AND longest_win IS NOT NULL
ORDER BY longest_win DESC, material, side LIMIT {rows}"""
BY_MATERIAL = """SELECT stored_as, sum(positions) AS positions, sum(draws) AS draws,
    sum(CASE WHEN stored_side = '{first}' THEN wins ELSE losses END) AS wins,
    sum(CASE WHEN stored_side = '{first}' THEN losses ELSE wins END) AS losses
FROM slice_counts WHERE game = '{game}' AND pieces = {pieces} AND NOT is_alias GROUP BY stored_as ORDER BY stored_as"""


class Balance(NamedTuple):
    """Counts of a material, with either side to move; wins and losses are those of its first side."""

    material: str
    positions: int
    draws: int
    wins: int
    losses: int

    @property
    def drawn(self) -> float:
        """The share of draws."""
        return self.draws / self.positions

    @property
    def more(self) -> int:
        """Pieces of the first side less those of the second."""
        first, second = self.material.split("v")
        return len(first) - len(second)

    @property
    def share(self) -> float:
        """Of the side with more pieces: wins and half of the draws."""
        return ((self.wins if self.more > 0 else self.losses) + self.draws / 2) / self.positions

    def row(self, percent: float) -> dict[str, Any]:
        """The counts as a line, with a percentage."""
        wins, losses = (self.wins, self.losses) if self.more >= 0 else (self.losses, self.wins)
        shown = {"material": self.material, "positions": self.positions, "wins": wins, "losses": losses, "draws": self.draws}
        return shown | {"percent": round(100 * percent, 2)}


def main() -> None:
    """Print all lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--pieces", type=int, required=True)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--rows", type=int, default=20, help="length of each list")
    parser.add_argument("--format", type=Format, default=Format.TABLE, choices=list(Format))
    given = parser.parse_args()
    try:
        with tablebase.open(given.data) as tables:
            report(tables, given.game, given.pieces, given.rows, given.format)
    except TablebaseError as error:
        sys.exit(f"error: {error}")


def report(tables: Tablebase, game: str, pieces: int, rows: int, style: Format) -> None:
    """Print all lists of a game."""
    ask = {"game": game, "pieces": pieces, "rows": rows, "first": load_game(game).sides[0].letter}
    for title, statement in (("Totals", TOTALS), ("Longest wins, of one position each", LONGEST)):
        print(title)
        found = tables.sql(statement.format(**ask))
        write_rows([dict(zip(found.columns, row, strict=True)) for row in found.fetchall()], style, found.columns)
        print()
    balances = [Balance(*row) for row in tables.sql(BY_MATERIAL.format(**ask)).fetchall()]
    by_draws = sorted(balances, key=lambda balance: (-balance.drawn, balance.material))
    uneven = sorted((balance for balance in balances if balance.more), key=lambda balance: (balance.share, balance.material))
    for title, listed in (("Most draws", by_draws[:rows]), ("Fewest draws", by_draws[: -rows - 1 : -1])):
        print(title)
        write_rows([balance.row(balance.drawn) for balance in listed], style)
        print()
    print("Where the side with more pieces does worst: its wins, losses and share")
    write_rows([balance.row(balance.share) for balance in uneven[:rows]], style)


if __name__ == "__main__":
    main()
