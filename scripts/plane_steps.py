"""How the time of the solver of planes is divided among its steps; used by `benchmark.py`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from tablebase.solvers.planes import solve as planes_solver
from tablebase.solvers.planes.arrays import new_scratch, new_state
from tablebase.solvers.planes.captures import look, set_illegal
from tablebase.solvers.planes.children import compile_children
from tablebase.solvers.planes.output import compile_output, write_codes
from tablebase.solvers.planes.slices import compile_planes
from tablebase.solvers.problem import CompiledSlice

Result = TypeVar("Result")


class Clock:
    """CPU-seconds by step."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def time(self, step: str, work: Callable[..., Result], *arguments: object) -> Result:
        """Call a function, and add what it takes to a step."""
        begin = time.process_time()
        result = work(*arguments)
        self.seconds[f"planes, {step}"] += time.process_time() - begin  # type: ignore[assignment]
        return result


def measure_plane_steps(problem: CompiledSlice) -> dict[str, float]:
    """CPU-seconds of each step of the solver of planes, with its kernels called one by one."""
    clock = Clock()
    planes = clock.time("set up", compile_planes, problem)
    children = clock.time("children", compile_children, problem)
    states = [clock.time("set up", new_state, planes, problem.coding.dtype) for _ in (0, 1)]
    scratch, size = new_scratch(planes), planes.size
    for state in states:
        clock.time("captures", set_illegal, planes, state, 0, size)
    for side in (0, 1):
        clock.time("captures", look, planes, children, side, states[side], states[1 - side], scratch, 0, size)
    for level in range(problem.coding.reach + 1):
        waits = [clock.time("enter", planes_solver.enter, state, level, 0, size) for state in states]
        if not any(waits) and not any(planes_solver.is_dirty(state, level) for state in states):
            break
        settle, name = (planes_solver.settle_losses, "losses") if level % 2 else (planes_solver.settle_wins, "wins")
        for side in (0, 1):
            clock.time("mark", planes_solver.mark, planes, side, states[1 - side], states[side], level)
        for side in (0, 1):
            clock.time(name, settle, planes, side, states[side], states[1 - side], scratch, level, 0, size)
        for state in states:
            clock.time("enter", planes_solver.clean, state, level, 0, size)
    output = compile_output(problem.layout)
    for state in states:
        written = np.empty(problem.layout.size, dtype=problem.coding.dtype)
        clock.time("rows", write_codes, planes, state, output, written, problem.coding.void, 0, size)
    return dict(clock.seconds)
