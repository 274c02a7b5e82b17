"""Every table with a number of pieces solved by several solvers, for the benchmark: sums, ratios and the share of each step."""

from __future__ import annotations

import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from plane_steps import measure_plane_steps
from separately import peak_memory

from tablebase.game import Game, load_game
from tablebase.slices.location import stored_materials, table_placements
from tablebase.slices.material import Material, material_name
from tablebase.solvers.problem import Load, compile_slice
from tablebase.solvers.registry import solve_material
from tablebase.tables.store import Store
from tablebase.tables.values import Codes, Coding

GAME = "doushouqi"
SOLVERS = ("groups", "planes")
"""The baseline first."""


def measure_sums(data: Path, pieces: int) -> dict[str, list[dict[str, Any]]]:
    """Solve all tables of Dou Shou Qi with a number of pieces from the tables of a folder, with each of `SOLVERS` in turn.

    What captures lead to is read and decompressed beforehand, and not counted. The codes of the solvers must agree.

    Parameters
    ----------
    data : Path
        Folder of all tables with fewer pieces; it is not changed.
    pieces : int
    """
    game, store = load_game(GAME), Store(data)

    @cache
    def load(child: Material, side: int) -> tuple[Codes, Coding]:
        table = store.table(game, child)
        return table.read(side), table.coding

    materials = stored_materials(game, pieces)
    spent: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    ratios = []
    # Compiles the kernels.
    _solve(game, materials[0], load)
    for material in materials:
        # Reads what the table depends on.
        _, coding, _ = solve_material(game, material, load, SOLVERS[-1])
        seconds = _solve(game, material, load)
        spent.update(seconds)
        steps.update(measure_plane_steps(compile_slice(game, material, load, coding)))
        ratios.append(seconds[SOLVERS[0]] / seconds[SOLVERS[-1]])
    store.close()
    placements = sum(table_placements(game, material) for material in materials)
    whole = sum(steps.values())
    return {
        "sums": [
            {
                "solver": name,
                "tables": len(materials),
                "placements": placements,
                "cpu_seconds": spent[name],
                "million_a_second": placements / spent[name] / 1e6,
                "times_faster": spent[SOLVERS[0]] / spent[name],
            }
            for name in SOLVERS
        ],
        "ratio": [{"least": min(ratios), "median": float(np.median(ratios)), "most": max(ratios)}],
        "steps": [{"step": step, "cpu_seconds": duration, "share": duration / whole} for step, duration in steps.items()],
        "process": [{"peak_memory": peak_memory()}],
    }


def _solve(game: Game, material: Material, load: Load) -> Counter[str]:
    """CPU-seconds that each solver takes for a table; all must find the same codes."""
    seconds: Counter[str] = Counter()
    solved = []
    for name in SOLVERS:
        begin = time.process_time()
        codes, _, _ = solve_material(game, material, load, name)
        solved.append([np.asarray(source) for source in codes])
        seconds[name] = time.process_time() - begin  # type: ignore[assignment]
    for other in solved[1:]:
        if not all(np.array_equal(mine, theirs) for mine, theirs in zip(solved[0], other, strict=True)):
            raise SystemExit(f"{' and '.join(SOLVERS)} differ on {material_name(game, material)}")
    return seconds
