"""Benchmark of tables of identical pieces: the solver `groups` beside `reference`, a first build, counts beside builds."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from tablebase.checking import general, groups
from tablebase.game import Board, Game, Kind, Outcome, Side, Step, load_game
from tablebase.slices.conversions import conversions
from tablebase.slices.location import locate, sides_stored, table_placements
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.solvers.registry import solve_material
from tablebase.tables.format import table_path
from tablebase.tables.values import Codes, Coding
from tablebase.tables.writer import write_draft

SOLVERS = ("reference", "groups")
"""The baseline first."""
SLICES = (("breakthrough", "PPPvPPP"), ("breakthrough", "PPPPvPP"), ("breakthrough", "PPPPvPPP"), ("hexapawn-4x5", "PPPPvPPPP"))
BUILDS = ("hexapawn", "breakthrough")
COUNTS = ("4x5", "5x4", "4x6", "5x5")
PAGE = Path(__file__).parents[1] / "docs" / "adding-a-game.md"


def measure_like_pieces() -> dict[str, list[dict[str, Any]]]:
    """All measurements, in CPU-seconds."""
    return {
        "tables of identical pieces": [row for game, name in SLICES for row in measure_slice(game, name)],
        "first builds": [measure_first_build(game) for game in BUILDS],
        "counts beside builds": [measure_count(size) for size in COUNTS],
    }


@cache
def breakthrough(files: int, ranks: int) -> Game:
    """Breakthrough with two rows of pawns a side."""
    board = Board.full(files, ranks)
    rows = ["p" * files] * 2 + [str(files)] * (ranks - 4) + ["P" * files] * 2
    return Game(
        name="breakthrough",
        title="Breakthrough",
        board=board,
        sides=(Side("w", "White"), Side("b", "Black")),
        kinds=(_pawn(board, 0), _pawn(board, 1)),
        start="/".join(rows) + " w",
        no_move=Outcome.LOSS,
        max_pieces=4 * files,
        mirror=tuple(board.numbers[files - 1 - f, r] for f, r in board.cells),
        swap=tuple(board.numbers[f, ranks - 1 - r] for f, r in board.cells),
    )


def _pawn(board: Board, side: int) -> Kind:
    symbol, enemy, ahead, goal = (("P", "p", 1, board.height - 1), ("p", "P", -1, 0))[side]
    squares = tuple(s for s, (_, rank) in enumerate(board.cells) if rank != goal)
    steps = []
    for origin in squares:
        file, rank = board.cells[origin]
        for sideways in (-1, 0, 1):
            target = board.numbers.get((file + sideways, rank + ahead))
            if target is not None:
                steps.append(Step(origin, target, victims=frozenset(enemy if sideways else ""), wins=rank + ahead == goal))
    return Kind(symbol, "pawn", side, squares, tuple(steps), limit=2 * board.width)


def measure_slice(name: str, pieces: str) -> list[dict[str, Any]]:
    """Solve, check and write one table, once all kernels are compiled; its children are in memory."""
    game = breakthrough(5, 5) if name == "breakthrough" else load_game(name)
    material = locate(game, parse_material(game, pieces), 0).material
    done: dict[Material, tuple[list[Codes], Coding]] = {}

    def load(child: Material, side: int) -> tuple[Codes, Coding]:
        if child not in done:
            codes, coding, _ = solve_material(game, child, load, SOLVERS[-1])
            done[child] = [np.asarray(source) for source in codes], coding
        return done[child][0][sides_stored(game, child).index(side)], done[child][1]

    for conversion in conversions(game, material):
        location = locate(game, conversion.child, conversion.side)
        load(location.material, location.side)
    smallest = min(done, key=lambda child: table_placements(game, child), default=material)
    steps: dict[str, float] = {}
    for solver in SOLVERS:
        solve_material(game, smallest, load, solver)
        (codes, coding, _), steps[f"solve, {solver}"] = timed(partial(solve_material, game, material, load, solver))
        found = [np.asarray(source) for source in codes]
        expected = done.setdefault(material, (found, coding))[0]
        if not all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True)):
            raise SystemExit(f"{' and '.join(SOLVERS)} differ on {material_name(game, material)}")
    by_side = dict(zip(sides_stored(game, material), done[material][0], strict=True))
    groups.verify_codes(game, smallest, dict(zip(sides_stored(game, smallest), done[smallest][0], strict=True)), coding, load)
    for checker in (general, groups):
        _, steps[f"check, {checker.__name__.rpartition('.')[2]}"] = timed(
            partial(checker.verify_codes, game, material, by_side, coding, load)
        )
    with tempfile.TemporaryDirectory() as scratch:
        path = table_path(Path(scratch), game, material)
        for _ in range(2):
            # The first time compiles the kernels.
            _, steps["write"] = timed(partial(write_draft, path, game, material, done[material][0], coding))
    steps["groups, all steps"] = steps["solve, groups"] + steps["check, groups"] + steps["write"]
    placements = table_placements(game, material)
    return [
        {
            "table": f"{game.name} {material_name(game, material)}",
            "placements": placements,
            "step": step,
            "cpu_seconds": seconds,
            "million_a_second": placements / seconds / 1e6,
            "times_faster": steps["solve, reference"] / seconds if step.startswith("solve") else None,
        }
        for step, seconds in steps.items()
    ]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Result and CPU-seconds of a call."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def measure_first_build(game: str) -> dict[str, Any]:
    """Build all tables of a small game with no kernel compiled, and again; Breakthrough is the example of the documentation."""
    with tempfile.TemporaryDirectory() as scratch:
        install_example(Path(scratch))
        folders = (str(Path(scratch, name)) for name in ("first", "second"))
        seconds = [run_program(Path(scratch), "build", game, "--pieces", "6", "--data", folder) for folder in folders]
    (cold, cold_elapsed), (warm, warm_elapsed) = seconds
    return {
        "game": game,
        "first_cpu_seconds": cold,
        "first_elapsed": cold_elapsed,
        "second_cpu_seconds": warm,
        "second_elapsed": warm_elapsed,
    }


def measure_count(size: str) -> dict[str, Any]:
    """Build all tables of a board of Hexapawn, and count its positions and games, once all kernels are compiled."""
    with tempfile.TemporaryDirectory() as scratch:
        install_example(Path(scratch))
        # Its tables are large enough for all kernels.
        run_program(Path(scratch), "build", "hexapawn", "--size", "4x5", "--data", str(Path(scratch, "warm")))
        built, _ = run_program(Path(scratch), "build", "hexapawn", "--size", size, "--data", str(Path(scratch, "data")))
        counted, _ = run_program(Path(scratch), "count", "hexapawn", "--size", size)
    return {"board": size, "build_cpu_seconds": built, "count_cpu_seconds": counted, "ratio": counted / built}


def install_example(folder: Path) -> None:
    """Put the game of `docs/adding-a-game.md` where Python finds it, with its entry point."""
    [rules] = re.findall(r"^```python\n(\"\"\"Breakthrough.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (folder / "breakthrough.py").write_text(rules, encoding="utf-8")
    info = folder / "breakthrough-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: breakthrough\nVersion: 0.1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[tablebase.rules]\nbreakthrough = breakthrough:game\n", encoding="utf-8")


def run_program(folder: Path, *arguments: str) -> tuple[float, float]:
    """CPU-seconds and seconds by the clock that the program takes, with the kernels and the games of a folder."""
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"TABLEBASE_CACHE": str(folder / "kernels"), "PYTHONPATH": os.pathsep.join(paths)}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-m", "tablebase", *arguments], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - begin
