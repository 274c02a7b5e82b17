"""Write what a folder of tables holds as small CSV files, for others to compare theirs with.

    python -m scripts.reproduce.publish doushouqi --data data --output data/published

``GAME-tables.csv`` has a digest of each table's values, which ``tablebase verify GAME --published FILE`` compares with; the others
have what ``tablebase stats GAME --by material`` counts of each distinct slice, with the longest win and loss as positions,
the number of wins and losses at each distance, and the longest wins as lines of best play.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import tablebase
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError

TABLES = """SELECT game, material, pieces, cells, values_sha256 FROM tables WHERE game = '{game}' ORDER BY pieces, material"""
SLICES = """SELECT material, side, pieces, placements, stalemates, positions, wins, losses, draws, longest_win, longest_loss,
    longest_win_position, longest_loss_position
FROM slice_counts WHERE game = '{game}' AND NOT is_alias ORDER BY pieces, material, side DESC"""
DISTANCES = """SELECT s.material, s.side, d.outcome, d.distance, d.placements
FROM distances d JOIN slices s ON s.solution_id = d.solution_id
WHERE s.game = '{game}' AND NOT s.is_alias ORDER BY s.pieces, s.material, s.side DESC, d.outcome, d.distance"""
LONGEST = """SELECT longest_win, material, longest_win_position FROM slice_counts
WHERE game = '{game}' AND NOT is_alias AND longest_win IS NOT NULL
ORDER BY longest_win DESC, pieces, material, side LIMIT {count}"""
WINS = 20
"""Lines of longest wins, each of another slice."""


def main() -> None:
    """Write all files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--output", type=Path, default=Path("data", "published"), help="folder of the CSV files")
    given = parser.parse_args()
    try:
        publish(given.game, given.data, given.output)
    except TablebaseError as error:
        sys.exit(f"error: {error}")


def publish(game: str, data: Path, output: Path) -> None:
    """Write the files of a game."""
    output.mkdir(parents=True, exist_ok=True)
    with tablebase.open(data) as tables:
        for name, statement in (("tables.csv", TABLES), ("slices.csv", SLICES), ("distances.csv.gz", DISTANCES)):
            found = tables.sql(statement.format(game=game))
            write(output / f"{game}-{name}", found.columns, found.fetchall())
        write(output / f"{game}-longest.csv", ("distance", "material", "position", "line"), longest_wins(tables, game))


def longest_wins(tables: Tablebase, game: str) -> Iterable[Sequence[object]]:
    """The longest wins of different slices, with the moves of best play."""
    for distance, material, position in tables.sql(LONGEST.format(game=game, count=WINS)).fetchall():
        line = tables.line(game, position)
        yield distance, material, position, " ".join(str(probe.best) for probe in line if probe.moves)


def write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file, compressed if its name says so; the same rows give the same bytes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


if __name__ == "__main__":
    main()
