"""A whole build as people start it, for the benchmark: its time, and the memory of all its processes together."""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from processes import ask, session, start

INTERVAL = 0.25
"""Seconds between two looks at the memory; what is shared by processes counts in equal parts (PSS)."""
GAME = "doushouqi"


def measure_build(pieces: int, memory: str, workers: int = 2) -> dict[str, Any]:
    """Build all tables up to a number of pieces in an empty folder, with kernels that a build of two pieces has compiled.

    Parameters
    ----------
    pieces : int
    memory : str
        As ``--memory`` takes it.
    workers : int
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.jsonl")
        ask("build", GAME, "--pieces", 3, "--data", Path(folder, "first"), patience=900)
        options = ["--pieces", pieces, "--workers", workers, "--memory", memory, "--data", Path(folder, "second")]
        begin = time.monotonic()
        process = start("build", GAME, *options, "--json-log", log)
        peak = 0
        while process.poll() is None:
            peak = max(peak, _memory(process.pid))
            time.sleep(INTERVAL)
        seconds = time.monotonic() - begin
        _, err = process.communicate()
        if process.returncode:
            raise SystemExit(err)
        *_, end = [json.loads(line) for line in log.read_text().splitlines()]
    return {
        "pieces": pieces,
        "workers": workers,
        "memory allowed": memory,
        "peak MiB": round(peak / 2**20),
        "seconds": round(seconds, 1),
        "CPU-s": round(end["cpu_seconds"], 1),
        "expected CPU-s": round(end["expected_cpu_seconds"], 1),
        "M placements/s": round(end["placements"] / seconds / 1e6, 1),
    }


def _memory(leader: int) -> int:
    """Bytes that all processes of a session occupy."""
    held = 0
    for process in session(leader):
        with suppress(psutil.Error):
            held += process.memory_full_info().pss
    return held
