"""Measure solvers, verification, storage and probes, all on the same tables in one run.

    python scripts/benchmark.py --data data
    python scripts/benchmark.py --data data --material RCvWE --json
    python scripts/benchmark.py --sums 4
    python scripts/benchmark.py --pursuits --board 8 --board 10
    python scripts/benchmark.py --mining --pieces 4
    python scripts/benchmark.py --search
    python scripts/benchmark.py --build 2G --pieces 4
    python scripts/benchmark.py --executors
    python scripts/benchmark.py --serve --data data

The folder must hold all two- and three-piece tables, and is not changed. Rates count placements of both sides to move;
two mirror images count as two placements. Times are CPU-seconds of this one process, with all kernels compiled; ratios
are relative to the solver `reference` in the same run.

``--sums`` solves every table with a number of pieces by `groups` and by `planes`, and prints the sums, the ratios and what each
step of `planes` takes.

``--like`` measures tables of identical pieces: the solver `groups` beside `reference`, the first build of small games with no
kernel compiled, and counts beside builds.

``--pursuits`` measures Fox & Hounds instead: the largest tier of 8x8 with every solver, then whole boards. For a whole
board, all tables are built, verified and stored, and the reachable positions and possible games are counted, in a
separate process with two threads.

``--search`` measures perft and the engine: leaves, nodes and look-ups in tables by CPU-second, and the ratio to path counts in
plain Python.

``--build`` builds all tables up to a number of pieces in an empty folder, with two workers and so much memory, and samples the
memory of all processes together.

``--executors`` builds all tables up to a number of pieces with processes, with threads, and with workers of Dask.

``--serve`` measures a server of two processes for a minute, and beside it an endpoint that does nothing; the folder must hold all
four-piece tables.

``--mining`` measures SQL over positions, next to the same statements over Parquet files that hold the same positions but
only the columns needed, written by `export` and read by DuckDB. Each statement runs in a separate process with two
threads; if it takes less than ten seconds it runs twice, and the second run counts. Up to three pieces, the statements
cover all slices; for more pieces, only the distinct ones.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from executor_costs import measure_executors
from like_pieces import measure_like_pieces
from mining_rates import measure_mining
from plane_steps import measure_plane_steps
from search_rates import measure_search
from separately import peak_memory, run_separately
from serve_load import measure_serving
from solver_sums import measure_sums
from whole_build import measure_build

from tablebase.api.tablebase import Tablebase
from tablebase.building.estimate import cells
from tablebase.building.plan import start_material, with_dependencies
from tablebase.building.tables import build
from tablebase.checking import general, planes, pursuit
from tablebase.cli.options import Format
from tablebase.cli.output import write_rows
from tablebase.compute import threads
from tablebase.executors.executor import Limits
from tablebase.executors.local import LocalExecutor
from tablebase.files.outputs import publish
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.graph.counting import count
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import locate, sides_stored, table_placements
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.solvers.problem import Load, compile_slice
from tablebase.solvers.registry import SOLVERS, solve_material
from tablebase.tables.format import table_path
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.values import Codes, Coding
from tablebase.tables.writer import write_draft

Result = TypeVar("Result")
PROBES = 2_000
BATCH = 500_000
THREADS = 2


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--material", action="append", help="slices to measure; by default RCvWE")
    parser.add_argument("--json", action="store_true", help="write JSON instead of tables")
    parser.add_argument("--sums", metavar="PIECES", type=int, help="measure two solvers on all tables with this number of pieces")
    parser.add_argument("--like", action="store_true", help="measure tables of identical pieces, first builds and counts")
    parser.add_argument("--pursuits", action="store_true", help="measure Fox & Hounds")
    parser.add_argument("--search", action="store_true", help="measure perft and the engine, over tables of up to three pieces")
    parser.add_argument("--build", metavar="MEMORY", help="measure a whole build that may use so much memory")
    parser.add_argument("--executors", action="store_true", help="measure the ways of running solvers")
    parser.add_argument("--serve", action="store_true", help="measure a server under load")
    parser.add_argument("--mining", action="store_true", help="measure SQL over positions")
    parser.add_argument("--pieces", type=int, default=3, help="number of pieces of the mined slices, or of a whole build")
    parser.add_argument("--board", type=int, action="append", help="size of a whole board of Fox & Hounds to measure; by default 8")
    arguments = parser.parse_args()
    if arguments.build:
        report = {"whole builds": [measure_build(arguments.pieces, arguments.build)]}
    elif arguments.serve:
        report = {"requests": measure_serving(arguments.data)}
    elif arguments.executors:
        report = {"executors": measure_executors(arguments.pieces)}
    elif arguments.sums:
        report = measure_sums(arguments.data, arguments.sums)
    elif arguments.like:
        report = measure_like_pieces()
    elif arguments.search:
        report = measure_search(arguments.data)
    elif arguments.mining:
        report = measure_mining(arguments.data, arguments.pieces)
    else:
        report = measure_pursuits(arguments.board or [8]) if arguments.pursuits else measure_jungle(arguments)
    if arguments.json:
        print(json.dumps(report, indent=2))
        return
    for section in report.values():
        write_rows(section, Format.TABLE)
        print()


def measure_jungle(arguments: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """Tables of Dou Shou Qi, and probes of them."""
    game = load_game("doushouqi")
    materials = [locate(game, parse_material(game, name), 0).material for name in arguments.material or ["RCvWE"]]
    small = locate(game, parse_material(game, "RCvW"), 0).material
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        copy_dependencies(game, [*materials, small], arguments.data, folder)
        # A small table first, to compile all kernels.
        measure_table(game, small, folder)
        steps = [step for material in materials for step in measure_table(game, material, folder)]
        probes = [measure_probes(game, material, folder) for material in materials]
    return {"engines": steps, "probes": probes, "process": [{"peak_memory": peak_memory()}]}


def measure_pursuits(boards: list[int]) -> dict[str, list[dict[str, Any]]]:
    """The largest tier of a small board with every solver, and whole boards."""
    game = load_game("foxhounds")
    start = start_material(game)
    assert start is not None
    tiers = with_dependencies(game, [start])
    largest = max(tiers, key=lambda tier: layout_of(game, tier).size)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for _ in build(game, [tier for tier in tiers if tier.advance > largest.advance], folder):
            pass
        # The first run compiles the kernels.
        measure_table(game, largest, folder)
        steps = measure_table(game, largest, folder)
    # Each board has a process of its own, whose peak memory is measured.
    return {"engines": steps, "boards": [run_separately(measure_board, board) for board in boards]}


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
    }


def solve_and_count(name: str) -> tuple[int, float, float]:
    """The number of codes, and the times at which the tables and the counts were done."""
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


def copy_dependencies(game: Game, materials: list[Material], data: Path, folder: Path) -> None:
    """Copy the tables that the materials depend on, so that `data` is not changed."""
    for child in set(with_dependencies(game, materials)) - set(materials):
        target = table_path(folder, game, child)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(table_path(data, game, child), target)


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Result and CPU-seconds of a call."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def measure_table(game: Game, material: Material, folder: Path) -> list[dict[str, Any]]:
    """Solve, check, write and read one table; one row per step."""
    store = Store(folder)

    def load(child: Material, side: int) -> tuple[Codes, Coding]:
        table = store.table(game, child)
        return table.read(side), table.coding

    codes, coding, seconds = measure_solvers(game, material, load)
    if "solve, planes" in seconds:
        seconds |= measure_plane_steps(compile_slice(game, material, load, coding))
    by_side = dict(zip(sides_stored(game, material), codes, strict=True))
    seconds |= measure_checks(game, material, by_side, coding, load)
    path = table_path(folder, game, material)
    seconds |= measure_storage(game, material, path, codes, coding)
    store.close()
    placements = table_placements(game, material)
    fastest = min(duration for step, duration in seconds.items() if step.startswith("solve"))
    return [
        {
            "table": material_name(game, material),
            "step": step,
            "cpu_seconds": duration,
            "million_a_second": placements / duration / 1e6,
            "times_faster_than_reference": seconds["solve, reference"] / duration if step.startswith("solve") else None,
            "of_fastest_solve": duration / fastest,
            "bytes_a_placement": path.stat().st_size / placements if step == "write" else None,
        }
        for step, duration in seconds.items()
    ]


def solve_whole(game: Game, material: Material, load: Load, name: str) -> tuple[list[Codes], Coding]:
    """All codes of a table by a solver, in memory, and their coding."""
    sources, coding, _ = solve_material(game, material, load, name)
    return [np.asarray(source) for source in sources], coding


def measure_solvers(game: Game, material: Material, load: Load) -> tuple[list[Codes], Coding, dict[str, float]]:
    """Codes and coding of a table, and CPU-seconds of every solver, all of which must agree."""
    names = [solver.names[0] for solver in SOLVERS if solver.refuses(game, material) is None]
    seconds: dict[str, float] = {}
    solved: dict[str, list[Codes]] = {}
    for name in names:
        (solved[name], coding), seconds[f"solve, {name}"] = timed(partial(solve_whole, game, material, load, name))
        if not all((codes == first).all() for codes, first in zip(solved[name], solved[names[0]], strict=True)):
            raise SystemExit(f"{name} and {names[0]} differ on {material_name(game, material)}")
    return solved[names[0]], coding, seconds


def measure_checks(game: Game, material: Material, by_side: dict[int, Codes], coding: Coding, load: Load) -> dict[str, float]:
    """CPU-seconds of every check that can be applied to a table."""
    seconds = {}
    if planes.applies(layout_of(game, material), coding):
        _, seconds["check, planes"] = timed(partial(planes.verify_codes, game, material, by_side, coding, load))
    if pursuit.applies(game, material, coding):
        _, seconds["check, pursuit"] = timed(partial(pursuit.verify_codes, game, material, by_side, coding, load))
    _, seconds["check, general"] = timed(partial(general.verify_codes, game, material, by_side, coding, load))
    return seconds


def measure_storage(game: Game, material: Material, path: Path, codes: list[Codes], coding: Coding) -> dict[str, float]:
    """CPU-seconds to write a table and to read it twice."""
    seconds = {}
    path.parent.mkdir(parents=True, exist_ok=True)
    draft, seconds["write"] = timed(partial(write_draft, path, game, material, codes, coding))
    publish(draft, path)
    table = Table(path, game, material)
    for step in ("read, first", "read"):
        _, seconds[step] = timed(lambda: [table.read(side) for side in sides_stored(game, material)])
    table.close()
    return seconds


def measure_probes(game: Game, material: Material, folder: Path) -> dict[str, Any]:
    """Latency of single probes with all moves, cold and warm, and the rate of batches."""
    layout = layout_of(game, material)
    generator = np.random.default_rng(0)
    squares, legal = layout.squares_many(np.sort(generator.integers(0, layout.size, BATCH)))
    squares = squares[legal][:, np.argsort(layout.slots)]
    sample = random.Random(0).sample(range(len(squares)), PROBES)
    positions = [Position(tuple(sorted(zip(material.kinds, squares[row].tolist(), strict=True))), 0) for row in sample]
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
