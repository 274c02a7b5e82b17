"""Seconds, and memory of processes."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

import psutil

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result of a call, and the CPU-seconds of this process."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def run_separately(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Run a function in a process of its own, and add the peak memory of that process to its result, in bytes."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_with_peak_memory, work, *arguments).result()


def _with_peak_memory(work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    return {**work(*arguments), "peak_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def family(pid: int) -> list[psutil.Process]:
    """A process and all that it has started; none if it has ended."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


def memory_of_family(pid: int) -> int:
    """Bytes that a process and all that it has started occupy; what they share counts in equal parts (PSS)."""
    held = 0
    for process in family(pid):
        with suppress(psutil.Error):
            held += process.memory_full_info().pss
    return held
