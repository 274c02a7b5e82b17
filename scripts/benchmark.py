"""Measure engines, verification, storage and probes, all on the same tables in one run.

    python scripts/benchmark.py --data data
    python scripts/benchmark.py --data data --material RCvWE --json
    python scripts/benchmark.py --pursuits --board 8 --board 10
    python scripts/benchmark.py --mining --pieces 4

The folder must hold all two- and three-piece tables; nothing in it is
changed. A rate counts placements of both sides to move, a pair of mirror images as two. Times are CPU-seconds of this
one process, once everything is compiled; ratios are against the reference engine in the same run. The sweep engine takes
minutes a table.

With ``--pursuits`` it is Fox & Hounds instead: the largest tier of 8x8 by every engine, and whole boards, of which all
tables are built, verified and stored and the reachable positions and possible games counted, in a process of their own
with two threads.

With ``--mining`` it is SQL over positions, beside the same statements over Parquet files that hold the same positions
and just the columns that are asked for, written by `export` and read by DuckDB. Each runs in a process of its own, with
two threads; what takes less than ten seconds is done twice, and the second time counts. For more than three pieces it
is the distinct slices, else all.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np

from tablebase.api.tablebase import Tablebase
from tablebase.build.estimate import cells
from tablebase.build.plan import start_material, with_dependencies
from tablebase.build.tables import build
from tablebase.cli.options import Format
from tablebase.cli.output import write_rows
from tablebase.compute import threads
from tablebase.executors.executor import Limits
from tablebase.executors.local import LocalExecutor
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.graph.counting import count
from tablebase.mining.columns import columns as all_columns
from tablebase.mining.common_features import features_of
from tablebase.mining.export import Export, Sample
from tablebase.mining.query import Query
from tablebase.mining.results import names_and_rows
from tablebase.mining.scan import Scan
from tablebase.mining.selection import chosen
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import locate, sides_stored
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.slices.placements import table_placements
from tablebase.solvers.registry import SOLVERS, solve_material
from tablebase.tables.format import table_path
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.writer import publish, write_draft
from tablebase.values import Codes, Coding
from tablebase.verify import general, pursuit, rows

Result = TypeVar("Result")
WHOLE = 3
"""Slices of more pieces are mined without their aliases."""
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
"""What is asked, how, and the columns of the Parquet files."""
LONG = 10
"""Seconds after which nothing need be warmed up."""
PROBES = 2_000
BATCH = 500_000
THREADS = 2


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--material", action="append", help="slices to measure; by default RCvWE")
    parser.add_argument("--no-sweep", action="store_true", help="leave the slowest engine out")
    parser.add_argument("--json", action="store_true", help="write JSON instead of tables")
    parser.add_argument("--pursuits", action="store_true", help="measure Fox & Hounds")
    parser.add_argument("--mining", action="store_true", help="measure SQL over positions")
    parser.add_argument("--pieces", type=int, default=3, help="slices of so many pieces are mined")
    parser.add_argument("--board", type=int, action="append", help="whole boards of Fox & Hounds to measure; by default 8")
    arguments = parser.parse_args()
    if arguments.mining:
        report = measure_mining(arguments.data, arguments.pieces)
    else:
        report = measure_pursuits(arguments.board or [8]) if arguments.pursuits else measure_jungle(arguments)
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    for lines in report.values():
        write_rows(lines, Format.TABLE)
        print()


def measure_jungle(arguments: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """Tables of single pieces and probes."""
    game = load_game("doushouqi")
    materials = [locate(game, parse_material(game, name), 0).material for name in arguments.material or ["RCvWE"]]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        link_tables(game, [*materials, locate(game, parse_material(game, "RCvW"), 0).material], arguments.data, folder)
        left_out = {"sweep"} if arguments.no_sweep else set()
        # A small table first: it compiles all that is measured afterwards.
        measure_table(game, locate(game, parse_material(game, "RCvW"), 0).material, folder, left_out)
        engines = [line for material in materials for line in measure_table(game, material, folder, left_out)]
        probes = [measure_probes(game, material, folder) for material in materials]
    peak = {"peak_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    return {"engines": engines, "probes": probes, "process": [peak]}


def measure_mining(data: Path, pieces: int) -> dict[str, list[dict[str, Any]]]:
    """Statements over all positions with so many pieces, from tables and from Parquet files."""
    table = "positions" if pieces <= WHOLE else "distinct_positions"
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, (what, select, columns) in enumerate(STATEMENTS):
            folder = Path(scratch) / str(number)
            written = alone(export_positions, data, folder, pieces, columns, table == "positions")
            size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
            mined = alone(mine_positions, data, select.format(table=table, pieces=pieces))
            files = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
            read = alone(read_positions, select.format(table=files, pieces=pieces))
            if mined.pop("rows") != read.pop("rows"):
                raise SystemExit(f"tables and Parquet files differ: {what}")
            rows = written["rows"]
            lines += [
                {"statement": what, "from": "tables", **mined, "million_rows_a_second": rows / mined["seconds"] / 1e6},
                {"statement": what, "from": "parquet", **read, "million_rows_a_second": rows / read["seconds"] / 1e6},
                {
                    "statement": what,
                    "from": "export",
                    "seconds": written["seconds"],
                    "peak_memory": written["peak_memory"],
                    "bytes": size,
                    "million_rows_a_second": rows / written["seconds"] / 1e6,
                },
            ]
            shutil.rmtree(folder)
    names = ["statement", "from", "seconds", "million_rows_a_second", "peak_memory", "bytes"]
    return {"mining": [{name: line.get(name) for name in names} for line in lines]}


def alone(work: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """What some work gives in a process of its own, and the most memory that it took."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(with_memory, work, *arguments).result()


def with_memory(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """What some work gives, with this process's most memory."""
    return {**work(*arguments), "peak_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def export_positions(data: Path, folder: Path, pieces: int, columns: list[str], aliases: bool) -> dict[str, Any]:
    """Write Parquet files."""
    game = load_game("doushouqi")
    selection = chosen(game, data, [], pieces, aliases=aliases)
    offered = all_columns(game, list(selection), features_of(game))
    written = [offered[name] for name in columns]
    begin = time.perf_counter()
    rows = Export(game, folder, written, Sample()).write(Scan(game, Store(data), selection, written, THREADS))
    return {"seconds": time.perf_counter() - begin, "rows": rows}


def mine_positions(data: Path, statement: str) -> dict[str, Any]:
    """Put a statement to the tables."""
    game = load_game("doushouqi")

    def ask() -> list[dict[str, Any]]:
        with Query(game, data, statement, features_of(game), THREADS) as question:
            return list(names_and_rows(question.run())[1])

    return clocked(ask)


def read_positions(statement: str) -> dict[str, Any]:
    """Put a statement to Parquet files."""

    def ask() -> list[dict[str, Any]]:
        with duckdb.connect() as connection:
            connection.execute(f"SET threads = {THREADS}; SET enable_progress_bar = false")
            found = connection.sql(statement)
            return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]

    return clocked(ask)


def clocked(work: Callable[[], list[dict[str, Any]]]) -> dict[str, Any]:
    """Rows of a statement, and the seconds that it takes, once everything is warm where that matters."""
    seconds = 0.0
    for _ in range(2):
        if seconds < LONG:
            begin = time.perf_counter()
            rows = work()
            seconds = time.perf_counter() - begin
    return {"seconds": seconds, "rows": rows}


def measure_pursuits(boards: list[int]) -> dict[str, list[dict[str, Any]]]:
    """The largest tier of a small board by every engine, and whole boards."""
    game = load_game("foxhounds")
    start = start_material(game)
    assert start is not None
    tiers = with_dependencies(game, [start])
    largest = max(tiers, key=lambda tier: layout_of(game, tier).size)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for _ in build(game, [tier for tier in tiers if tier.advance > largest.advance], folder):
            pass
        measure_table(game, largest, folder, set())
        engines = measure_table(game, largest, folder, set())
    whole = []
    for board in boards:
        # A process each, so that its memory can be told.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            whole.append(pool.submit(measure_board, board).result())
    return {"engines": engines, "boards": whole}


def measure_board(board: int) -> dict[str, Any]:
    """Build, verify, store and count a board, once all kernels are compiled."""
    solve_and_count("foxhounds-4x4")
    begin, cpu = time.perf_counter(), time.process_time()
    codes, built, counted = solve_and_count(f"foxhounds-{board}x{board}")
    return {
        "board": f"{board}x{board}",
        "seconds": time.perf_counter() - begin,
        "cpu_seconds": time.process_time() - cpu,
        "of_which_counting": counted - built,
        "codes": codes,
        "peak_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def solve_and_count(name: str) -> tuple[int, float, float]:
    """How many codes there are, and when the tables and the counts are done."""
    game = load_game(name)
    start = start_material(game)
    assert start is not None
    planned = with_dependencies(game, [start])
    with tempfile.TemporaryDirectory() as scratch:
        for _ in build(game, planned, Path(scratch), executor=LocalExecutor(Limits(THREADS))):
            pass
        built = time.perf_counter()
        with threads.use(THREADS):
            count(game)
    return sum(cells(game, tier) for tier in planned), built, time.perf_counter()


def link_tables(game: Game, materials: list[Material], data: Path, folder: Path) -> None:
    """Copy what the materials depend on, so that the measured folder is nobody else's."""
    for child in set(with_dependencies(game, materials)) - set(materials):
        target = table_path(folder, game, child)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(table_path(data, game, child), target)


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Result and CPU-seconds of a call."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def measure_table(game: Game, material: Material, folder: Path, left_out: set[str]) -> list[dict[str, Any]]:
    """Solve, check, write and read one table; a line for each step."""
    store = Store(folder)
    placements = table_placements(game, material)

    def load(child: Material, side: int) -> tuple[Codes, Coding]:
        table = store.table(game, child)
        return table.read(side), table.coding

    engines = [one.name for one in SOLVERS if one.name not in left_out and one.refuses(game, material) is None]
    seconds: dict[str, float] = {}
    solved: dict[str, list[Codes]] = {}
    for engine in engines:
        (solved[engine], coding, _), seconds[f"solve, {engine}"] = timed(partial(solve_material, game, material, load, engine))
        if not all((a == b).all() for a, b in zip(solved[engine], solved[engines[0]], strict=True)):
            raise SystemExit(f"{engine} and {engines[0]} differ on {material_name(game, material)}")
    codes = solved[engines[0]]
    by_side = dict(zip(sides_stored(game, material), codes, strict=True))
    checks = {
        "rows": rows.applies(layout_of(game, material), coding),
        "pursuit": pursuit.applies(game, material, coding),
        "general": True,
    }
    for name, check in (("rows", rows), ("pursuit", pursuit), ("general", general)):
        if checks[name]:
            _, seconds[f"check, {name}"] = timed(partial(check.verify_codes, game, material, by_side, coding, load))
    path = table_path(folder, game, material)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft, seconds["write"] = timed(partial(write_draft, path, game, material, codes, coding))
    publish(draft, path)
    table = Table(path, game, material)
    for name in ("read, first", "read"):
        _, seconds[name] = timed(lambda: [table.read(side) for side in by_side])
    table.close()
    store.close()
    return [
        {
            "table": material_name(game, material),
            "step": step,
            "cpu_seconds": taken,
            "million_a_second": placements / taken / 1e6,
            "times_faster_than_reference": seconds["solve, reference"] / taken if step.startswith("solve") else None,
            "of_fastest_solve": taken / min(some for name, some in seconds.items() if name.startswith("solve")),
            "bytes_a_placement": path.stat().st_size / placements if step == "write" else None,
        }
        for step, taken in seconds.items()
    ]


def measure_probes(game: Game, material: Material, folder: Path) -> dict[str, Any]:
    """Latency of single probes with all moves, cold and warm, and the rate of batches."""
    own = layout_of(game, material)
    generator = np.random.default_rng(0)
    squares, legal = own.squares_many(np.sort(generator.integers(0, own.size, BATCH)))
    squares = squares[legal][:, np.argsort(own.slots)]
    kinds = material.kinds
    chosen = random.Random(0).sample(range(len(squares)), PROBES)
    positions = [Position(tuple(sorted(zip(kinds, squares[i].tolist(), strict=True))), 0) for i in chosen]
    with Tablebase(folder) as tables:
        cold, warm = (np.array([latency(tables, game, position) for position in positions]) * 1e6 for _ in range(2))
        name = material_name(game, material)
        tables.probe_squares(game, name, 0, squares)
        begin = time.perf_counter()
        tables.probe_squares(game, name, 0, squares)
        rate = len(squares) / (time.perf_counter() - begin)
        begin = time.perf_counter()
        tables.probe_values(game, positions)
        listed = len(positions) / (time.perf_counter() - begin)
    return {
        "table": name,
        "cold_p50_us": float(np.percentile(cold, 50)),
        "cold_p99_us": float(np.percentile(cold, 99)),
        "warm_p50_us": float(np.percentile(warm, 50)),
        "warm_p99_us": float(np.percentile(warm, 99)),
        "arrays_a_second": rate,
        "objects_a_second": listed,
    }


def latency(tables: Tablebase, game: Game, position: Any) -> float:
    """Seconds that one probe with its best move takes."""
    begin = time.perf_counter()
    _ = tables.probe(game, position).best
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
