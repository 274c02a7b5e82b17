"""A build of a game by compiled functions in this process: CPU-seconds of listing, solving, writing and checking."""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import ExitStack
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from tablebase.commands.build import build

PHASES = {
    "list": "tablebase.functions.exact.tier_listing.list_tiers",
    "solve": "tablebase.functions.exact.tier_solver.GroupSolver.solve",
    "write": "tablebase.building.tier_kind.write_tier",
    "check": "tablebase.checking.tiers.verify_tier",
}


def measure_tiers(game: str, tiers: str, workers: int) -> dict[str, list[dict[str, Any]]]:
    """Build tiers twice in empty folders; the first time, kernels are compiled."""
    for _ in range(2):
        seconds = defaultdict[str, float](float)
        with TemporaryDirectory() as folder, ExitStack() as stack:
            for phase, name in PHASES.items():
                place, _, last = name.rpartition(".")
                stack.enter_context(patch.object(resolve_name(place), last, _timing(resolve_name(name), seconds, phase)))
            build_all = _timing(build, seconds, "all")
            ranks = build_all(game, data=folder, workers=workers, tiers=tiers).placements
    row = {"game": game, "ranks": ranks, "workers": workers}
    rounded = {phase: round(seconds[phase], 2) for phase in (*PHASES, "all", "elapsed")}
    return {"tiers": [row | rounded | {"ranks_a_cpu_second": round(ranks / seconds["all"])}]}


def _timing(function: Any, seconds: dict[str, float], phase: str) -> Any:
    """Add the CPU-seconds of each call; of all phases together also those by the clock."""

    def timed(*arguments: Any, **options: Any) -> Any:
        cpu, begin = time.process_time(), time.monotonic()
        result = function(*arguments, **options)
        seconds[phase] += time.process_time() - cpu
        seconds["elapsed"] = time.monotonic() - begin
        return result

    return timed
