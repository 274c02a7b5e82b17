"""What each way of running solvers costs a table, for the benchmark: processes, threads within a table, workers of Dask."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from processes import PROGRAM

GAME = "doushouqi"
WAYS: dict[str, tuple[str, ...]] = {
    "local, 1 worker": (),
    "local, 2 workers": ("--workers", "2"),
    # Of two tables like these, no two fit, so that both threads are within one.
    "local, 2 threads": ("--workers", "2", "--memory", "400M"),
    "dask, 2 workers": ("--workers", "2", "--executor", "dask"),
}


def measure_executors(pieces: int) -> list[dict[str, Any]]:
    """Build all tables up to a number of pieces in each way, in empty folders, with kernels that an earlier build has compiled."""
    with tempfile.TemporaryDirectory() as scratch:
        run(Path(scratch, "first"), pieces, ())
        return [{"executor": way} | run(Path(scratch, str(number)), pieces, WAYS[way]) for number, way in enumerate(WAYS)]


def run(folder: Path, pieces: int, options: tuple[str, ...]) -> dict[str, Any]:
    """The time of a build: of all its processes, by the clock, and of its tables as the log has it."""
    log = folder.with_suffix(".jsonl")
    words = ["build", GAME, "--pieces", f"2-{pieces}", "--data", str(folder), "--json-log", str(log), *options]
    begin, used = time.monotonic(), os.times()
    status = os.spawnv(os.P_WAIT, PROGRAM[0], [*PROGRAM, *words])
    seconds, after = time.monotonic() - begin, os.times()
    if status:
        raise SystemExit(f"{' '.join(words)}: exit code {status}")
    cpu = after.children_user + after.children_system - used.children_user - used.children_system
    *_, end = [json.loads(line) for line in log.read_text().splitlines()]
    return {
        "tables": end["done"],
        "seconds": round(seconds, 1),
        "CPU-s of all processes": round(cpu, 1),
        "CPU-s of tables": round(end["cpu_seconds"], 1),
        "ms a table": round(1000 * seconds / end["done"]),
    }
