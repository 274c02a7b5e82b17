"""SQL over positions and moves, for the benchmark: from single rows, from counts, and from Parquet files of the columns needed."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from separately import run_separately

from tablebase.game import load_game
from tablebase.mining.columns import columns as all_columns
from tablebase.mining.common_features import features_of
from tablebase.mining.export import Export
from tablebase.mining.query import Query
from tablebase.mining.results import names_and_rows
from tablebase.mining.sample import Sample
from tablebase.mining.scan import Scan
from tablebase.mining.selection import select_by_name
from tablebase.tables.store import Store

MOST_PIECES_WITH_ALIASES = 3
"""Largest number of pieces for which aliases are included."""
STATEMENTS = [
    (
        "group by",
        "SELECT material, outcome, count(*) AS n, max(distance) AS longest FROM {table} WHERE pieces = {pieces}"
        " GROUP BY ALL ORDER BY ALL",
        ["outcome", "distance"],
    ),
    (
        "filter",
        "SELECT outcome, distance, count(*) AS n FROM {table} WHERE pieces = {pieces} AND outcome <> 'draw' AND distance >= 20"
        " GROUP BY ALL ORDER BY ALL",
        ["outcome", "distance"],
    ),
    (
        "squares and a feature",
        "SELECT p1_square, even_1_2, outcome, count(*) AS n FROM {table} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL",
        ["p1_square", "even_1_2", "outcome"],
    ),
]
"""Name, statement, and the columns of the Parquet files."""
DECODED = [
    ("count by outcome", "SELECT outcome, count(*) AS n FROM {positions} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL"),
    ("only moves", "SELECT outcome, count(only_move) AS n FROM {positions} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL"),
    ("moves", "SELECT piece, count(*) AS n FROM {moves} WHERE pieces = {pieces} GROUP BY ALL ORDER BY ALL"),
    (
        "sample",
        "SELECT p1_square, count(*) AS n FROM {positions} WHERE pieces = {pieces} GROUP BY 1 USING SAMPLE 1% (bernoulli, 1)",
    ),
]
"""Name and statement of what no file is compared with; the second costs at most five times as much as the first."""
LONG = 10
"""Seconds from which on a statement needs no warm-up run."""
THREADS = 2


def measure_mining(data: Path, pieces: int) -> dict[str, list[dict[str, Any]]]:
    """Statements over the positions with this number of pieces, from tables and from Parquet files."""
    source = "positions" if pieces <= MOST_PIECES_WITH_ALIASES else "distinct_positions"
    measured: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, (name, select, columns) in enumerate(STATEMENTS):
            folder = Path(scratch) / str(number)
            written = run_separately(export_positions, data, folder, pieces, columns, source == "positions")
            size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
            mined = run_separately(mine_positions, data, select.format(table=source, pieces=pieces), False)
            counted = run_separately(mine_positions, data, select.format(table=source, pieces=pieces), True)
            files = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
            read = run_separately(read_positions, select.format(table=files, pieces=pieces))
            found = mined.pop("rows")
            if found != read.pop("rows") or found != counted.pop("rows"):
                raise SystemExit(f"rows, counts and Parquet files differ: {name}")
            positions = written["rows"]
            measured += [
                *([] if counted["cells"] else [{"statement": name, "from": "catalog", **counted}]),
                {"statement": name, "from": "tables", **mined, "million_rows_a_second": positions / mined["seconds"] / 1e6},
                {"statement": name, "from": "parquet", **read, "million_rows_a_second": positions / read["seconds"] / 1e6},
                {
                    "statement": name,
                    "from": "export",
                    "seconds": written["seconds"],
                    "peak_memory": written["peak_memory"],
                    "bytes": size,
                    "million_rows_a_second": positions / written["seconds"] / 1e6,
                },
            ]
            shutil.rmtree(folder)
    for name, select in DECODED:
        statement = select.format(positions=source, moves=source.replace("positions", "moves"), pieces=pieces)
        mined = run_separately(mine_positions, data, statement, False)
        measured.append({"statement": name, "from": "tables", **mined, "million_rows_a_second": positions / mined["seconds"] / 1e6})
    fields = ["statement", "from", "seconds", "million_rows_a_second", "peak_memory", "bytes"]
    return {"mining": [{field: row.get(field) for field in fields} for row in measured]}


def export_positions(data: Path, folder: Path, pieces: int, columns: list[str], aliases: bool) -> dict[str, Any]:
    """Export columns of all positions to Parquet files."""
    game = load_game("doushouqi")
    selection = select_by_name(game, data, [], pieces, aliases=aliases)
    available = all_columns(game, list(selection), features_of(game))
    written = [available[name] for name in columns]
    begin = time.perf_counter()
    rows = Export(game, folder, written, Sample()).write(Scan(game, Store(data), selection, written, THREADS))
    return {"seconds": time.perf_counter() - begin, "rows": rows}


def mine_positions(data: Path, statement: str, counts: bool) -> dict[str, Any]:
    """Run a statement over the tables, or with counts where these are enough; and the indices decoded."""
    game = load_game("doushouqi")
    cells = 0

    def run() -> list[dict[str, Any]]:
        nonlocal cells
        with Query(game, data, statement, features_of(game), THREADS, counts=counts) as query:
            cells = query.cells
            return list(names_and_rows(query.run())[1])

    return {**clocked(run), "cells": cells}


def read_positions(statement: str) -> dict[str, Any]:
    """Run a statement over Parquet files."""

    def run() -> list[dict[str, Any]]:
        with duckdb.connect() as connection:
            connection.execute(f"SET threads = {THREADS}; SET enable_progress_bar = false")
            relation = connection.sql(statement)
            return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]

    return clocked(run)


def clocked(work: Callable[[], list[dict[str, Any]]]) -> dict[str, Any]:
    """Rows of a statement and the seconds it takes, after a warm-up run if it takes less than `LONG`."""
    seconds = 0.0
    for _ in range(2):
        if seconds < LONG:
            begin = time.perf_counter()
            result = work()
            seconds = time.perf_counter() - begin
    return {"seconds": seconds, "rows": result}
