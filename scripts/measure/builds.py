"""Whole builds as people start them, by each executor: time, and the memory of all processes together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from scripts.measure.clock import memory_of_family

INTERVAL = 0.25
"""Seconds between two looks at the memory."""
WAYS = {
    "local, 1 worker": ("--workers", "1"),
    "local, 2 workers": ("--workers", "2"),
    "dask, 2 workers": ("--workers", "2", "--executor", "dask"),
}


def measure_builds(pieces: int, memory: str | None) -> dict[str, list[dict[str, Any]]]:
    """Build all tables of Dou Shou Qi up to a number of pieces in empty folders, with kernels that a first build has compiled.

    `memory` is what ``--memory`` takes; by default it is not limited.
    """
    limit = () if memory is None else ("--memory", memory)
    with TemporaryDirectory() as scratch:
        _build(Path(scratch, "first"), min(pieces, 3), ())
        rows = [
            {"executor": way} | _build(Path(scratch, str(number)), pieces, (*options, *limit))
            for number, (way, options) in enumerate(tqdm(WAYS.items(), unit="build", disable=None))
        ]
    return {"builds": rows}


def _build(folder: Path, pieces: int, options: tuple[str, ...]) -> dict[str, Any]:
    log = folder.with_suffix(".jsonl")
    words = ["build", "doushouqi", "--pieces", f"2-{pieces}", "--data", str(folder), "--json-log", str(log), *options]
    begin, used, peak = time.monotonic(), os.times(), 0
    with subprocess.Popen([sys.executable, "-m", "tablebase", *words], stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, memory_of_family(process.pid))
            time.sleep(INTERVAL)
    seconds, after = time.monotonic() - begin, os.times()
    if process.returncode:
        raise SystemExit(f"{' '.join(words)}: exit code {process.returncode}")
    end = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    return {
        "tables": end["done"],
        "seconds": round(seconds, 1),
        "cpu_seconds": round(after.children_user + after.children_system - used.children_user - used.children_system, 1),
        "cpu_seconds_of_tables": round(end["cpu_seconds"], 1),
        "ms_a_table": round(1000 * seconds / end["done"]),
        "peak_memory": peak,
    }
