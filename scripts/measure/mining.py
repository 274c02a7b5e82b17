"""SQL over positions and moves: from single rows, from counts, and from Parquet files of the columns needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from tqdm import tqdm

from scripts.measure.clock import run_separately
from tablebase.game import load_game
from tablebase.mining.export import export
from tablebase.mining.query import Query
from tablebase.mining.results import names_and_rows
from tablebase.mining.selection import select_by_name
from tablebase.positions.common_features import features_of

MOST_PIECES_WITH_ALIASES = 3
"""Largest number of pieces for which aliases are included."""
COMPARED = {
    "SELECT material, outcome, count(*) AS n, max(distance) AS longest FROM {table} WHERE pieces = {pieces}"
    " GROUP BY ALL ORDER BY ALL": ["outcome", "distance"],
    "SELECT outcome, distance, count(*) AS n FROM {table} WHERE pieces = {pieces} AND outcome <> 'draw' AND distance >= 20"
    " GROUP BY ALL ORDER BY ALL": ["outcome", "distance"],
    "SELECT p1_square, even_1_2, outcome, count(*) AS n FROM {table} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL": [
        "p1_square",
        "even_1_2",
        "outcome",
    ],
}
"""Statements, each with the columns of the Parquet files that it is compared with."""
OTHERS = (
    "SELECT outcome, count(*) AS n FROM {table} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL",
    "SELECT outcome, count(only_move) AS n FROM {table} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL",
    "SELECT piece, count(*) AS n FROM {moves} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL",
    "SELECT p1_square, count(*) AS n FROM {table} WHERE pieces = {pieces} AND hash < 0.01 GROUP BY 1",
)
LONG = 10
"""Seconds from which on a statement needs no warm-up run."""
THREADS = 2


def measure_mining(data: Path, pieces: int) -> dict[str, list[dict[str, Any]]]:
    """Seconds and memory of statements over the positions of Dou Shou Qi with a number of pieces, each in its own process."""
    source = "positions" if pieces <= MOST_PIECES_WITH_ALIASES else "distinct_positions"
    names = {"table": source, "moves": source.replace("positions", "moves"), "pieces": pieces}
    measured = []
    for statement, columns in tqdm(COMPARED.items(), unit="statement", disable=None):
        measured += _compare(data, statement, names, columns)
    for statement in tqdm(OTHERS, unit="statement", disable=None):
        text = statement.format(**names)
        measured.append({"statement": text, "from": "tables", **run_separately(mine_positions, data, text)})
    fields = ("statement", "from", "seconds", "peak_memory", "bytes")
    return {"mining": [{field: row.get(field) for field in fields} for row in measured]}


def _compare(data: Path, statement: str, names: dict[str, Any], columns: list[str]) -> list[dict[str, Any]]:
    """A statement over tables and over Parquet files, which must give the same rows."""
    text = statement.format(**names)
    with TemporaryDirectory() as folder:
        written = run_separately(export_positions, data, folder, names["pieces"], columns)
        files = names | {"table": f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"}
        found = {
            "tables": run_separately(mine_positions, data, text),
            "parquet": run_separately(read_positions, statement.format(**files)),
        }
    if any(one["rows"] != found["tables"]["rows"] for one in found.values()):
        raise SystemExit(f"tables and Parquet files differ: {text}")
    rows = [{"statement": text, "from": title, **one} for title, one in found.items()]
    return [*rows, {"statement": text, "from": "export", **written}]


def export_positions(data: Path, folder: str, pieces: int, columns: list[str]) -> dict[str, Any]:
    """Export columns of all positions to Parquet files."""
    game = load_game("doushouqi")
    selection = select_by_name(game, data, [], pieces, aliases=pieces <= MOST_PIECES_WITH_ALIASES)
    begin = time.perf_counter()
    export(game, data, selection, Path(folder), columns, features_of(game), threads=THREADS)
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "bytes": sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))}


def mine_positions(data: Path, statement: str) -> dict[str, Any]:
    """Run a statement over the tables."""
    game = load_game("doushouqi")

    def run() -> list[dict[str, Any]]:
        with Query(game, data, statement, features_of(game), THREADS) as query:
            return list(names_and_rows(query.run())[1])

    return _clocked(run)


def read_positions(statement: str) -> dict[str, Any]:
    """Run a statement over Parquet files."""

    def run() -> list[dict[str, Any]]:
        with duckdb.connect() as connection:
            connection.execute(f"SET threads = {THREADS}; SET enable_progress_bar = false")
            relation = connection.sql(statement)
            return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]

    return _clocked(run)


def _clocked(work: Callable[[], list[dict[str, Any]]]) -> dict[str, Any]:
    """Rows of a statement and the seconds it takes, after a warm-up run if it takes less than `LONG`."""
    seconds = 0.0
    for _ in range(2):
        if seconds < LONG:
            begin = time.perf_counter()
            rows = work()
            seconds = time.perf_counter() - begin
    return {"seconds": seconds, "rows": rows}
