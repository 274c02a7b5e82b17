"""Work in a process of its own, with the peak of its memory; used by `benchmark.py`."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def run_separately(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Run a function in a separate process, and add the peak memory of that process to its result."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(with_peak_memory, work, *arguments).result()


def with_peak_memory(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Run a function, and add the peak memory of this process to its result."""
    return {**work(*arguments), "peak_memory": peak_memory()}


def peak_memory() -> int:
    """Peak memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
