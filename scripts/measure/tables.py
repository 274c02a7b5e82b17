"""Solvers, checks, storage and probes of one table, and sums of solvers over all tables with a number of pieces.

Rates count placements of both sides to move; two mirror images count as two placements.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tqdm import tqdm

from scripts.measure.clock import timed
from tablebase.building.options import BuildOptions
from tablebase.building.plan import plan, with_dependencies
from tablebase.building.slice_kind import make_materials
from tablebase.checking import general, table
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import locate, sides_stored, stored_materials, table_placements
from tablebase.positions.material import Material, material_name, parse_material
from tablebase.solvers.problem import Load
from tablebase.solvers.registry import SOLVERS, solve_material
from tablebase.system.files.outputs import publish
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.values import Codes, Coding
from tablebase.tables.writer import write_draft

PROBES = 2_000
BATCH = 500_000
COMPARED = ("groups", "planes")
"""The solvers of the sums, the baseline first."""


def measure_tables(name: str, pieces: str) -> dict[str, list[dict[str, Any]]]:
    """Solve a table with each solver, check, write, read and probe it, all in CPU-seconds with the kernels compiled."""
    game = load_game(name)
    material = locate(game, parse_material(game, pieces), 0).material
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for _ in make_materials(game, with_dependencies(game, [material]), BuildOptions(folder)):
            pass
        store = Store(folder)
        load = _loader(game, store)
        # The first run compiles the kernels.
        for _ in range(2):
            seconds = _seconds(game, material, folder, load)
        store.close()
        placements, size = table_placements(game, material), table_path(folder, game, material).stat().st_size
        probes = _measure_probes(game, material, folder)
    rows = [
        {
            "step": step,
            "cpu_seconds": duration,
            "million_a_second": placements / duration / 1e6,
            "times_faster_than_reference": seconds["solve, reference"] / duration if step.startswith("solve") else None,
        }
        for step, duration in seconds.items()
    ]
    whole = {"table": material_name(game, material), "placements": placements, "bytes_a_placement": size / placements}
    return {"table": [whole], "steps": rows, "probes": [probes]}


def _loader(game: Game, store: Store) -> Load:
    """Read the codes of children once, and keep them in memory."""

    @cache
    def load(child: Material, side: int) -> tuple[Codes, Coding]:
        stored = store.table(game, child)
        return stored.read(side), stored.coding

    return load


def _seconds(game: Game, material: Material, folder: Path, load: Load) -> dict[str, float]:
    """CPU-seconds of the solvers, of the checks and of the file; all solvers must find the same codes."""
    names = [solver.names[0] for solver in SOLVERS if solver.refuses(game, material) is None]
    codes, coding, seconds = solve_by_each(game, material, load, names)
    by_side = dict(zip(sides_stored(game, material), codes, strict=True))
    for step, verify_codes in (("check", table.verify_codes), ("check, general", general.verify_codes)):
        _, seconds[step] = timed(partial(verify_codes, game, material, by_side, coding, load))
    path = table_path(folder, game, material)
    draft, seconds["write"] = timed(partial(write_draft, path, game, material, codes, coding))
    publish(draft, path)
    written = Table(path, game, material)
    _, seconds["read"] = timed(lambda: [written.read(side) for side in by_side])
    written.close()
    return seconds


def solve_by_each(game: Game, material: Material, load: Load, names: list[str]) -> tuple[list[Codes], Coding, dict[str, float]]:
    """Codes and coding of a table, and the CPU-seconds of each solver by step; ends the program if their codes differ."""
    seconds: dict[str, float] = {}
    solved: list[list[Codes]] = []
    for name in names:
        (sources, coding, _), seconds[f"solve, {name}"] = timed(partial(_solve, game, material, load, name))
        solved.append(sources)
        if not all(map(np.array_equal, solved[0], sources)):
            raise SystemExit(f"{name} and {names[0]} differ on {material_name(game, material)}")
    return solved[0], coding, seconds


def _solve(game: Game, material: Material, load: Load, name: str) -> tuple[list[Codes], Coding, str]:
    sources, coding, used = solve_material(game, material, load, name)
    return [np.asarray(source) for source in sources], coding, used


def _measure_probes(game: Game, material: Material, folder: Path) -> dict[str, float]:
    """Microseconds of single probes with all moves, in random order, cold and warm, and the rates of batches."""
    layout = layout_of(game, material)
    generator = np.random.default_rng(0)
    squares, legal = layout.squares_many(np.sort(generator.integers(0, layout.size, BATCH)))
    squares = squares[legal][:, np.argsort(layout.slots)]
    sample = random.Random(0).choices(range(len(squares)), k=PROBES)
    positions = [Position(tuple(sorted(zip(material.kinds, squares[row].tolist(), strict=True))), 0) for row in sample]
    name = material_name(game, material)
    found: dict[str, float] = {}
    with Tablebase(folder) as tables:
        for temperature in ("cold", "warm"):
            times = [_elapsed(partial(tables.probe, game, position)) for position in positions]
            found |= {f"{temperature}_p{part}_us": 1e6 * float(np.percentile(times, part)) for part in (50, 99)}
        # The first run fills the cache of decompressed chunks.
        for _ in range(2):
            seconds = _elapsed(partial(tables.probe_squares, game, name, 0, squares))
        found["arrays_a_second"] = len(squares) / seconds
        found["objects_a_second"] = len(positions) / _elapsed(partial(tables.probe_values, game, positions))
    return found


def _elapsed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def measure_sums(pieces: int) -> dict[str, list[dict[str, Any]]]:
    """Solve all tables of Dou Shou Qi with a number of pieces, with each of `COMPARED` in turn.

    Their children are in memory, and reading them is not counted.
    """
    game = load_game("doushouqi")
    materials = stored_materials(game, pieces)
    spent: Counter[str] = Counter()
    ratios = []
    with TemporaryDirectory() as scratch:
        for _ in make_materials(game, plan(game, range(2, max(pieces, 3)), []), BuildOptions(Path(scratch))):
            pass
        store = Store(Path(scratch))
        load = _loader(game, store)
        # The first table compiles the kernels; each first solution reads the children.
        solve_by_each(game, materials[0], load, list(COMPARED))
        for material in tqdm(materials, unit="table", disable=None):
            _solve(game, material, load, COMPARED[-1])
            _, _, seconds = solve_by_each(game, material, load, list(COMPARED))
            spent.update(seconds)
            ratios.append(seconds[f"solve, {COMPARED[0]}"] / seconds[f"solve, {COMPARED[-1]}"])
        store.close()
    placements = sum(table_placements(game, material) for material in materials)
    sums = [
        {
            "solver": name,
            "tables": len(materials),
            "placements": placements,
            "cpu_seconds": spent[f"solve, {name}"],
            "million_a_second": placements / spent[f"solve, {name}"] / 1e6,
        }
        for name in COMPARED
    ]
    return {"sums": sums, "ratio": [{"least": min(ratios), "median": float(np.median(ratios)), "most": max(ratios)}]}
