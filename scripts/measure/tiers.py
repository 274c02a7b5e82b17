"""A build of a game by compiled functions in this process, in CPU-seconds by phase, and probes of many positions of its tables."""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import ExitStack
from functools import partial
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from scripts.measure.clock import timed
from tablebase.commands.build import build
from tablebase.commands.tablebase import Tablebase
from tablebase.game.installed import load_rules

PHASES = {
    "list": "tablebase.functions.exact.tier_listing.list_tiers",
    "solve": "tablebase.functions.exact.tier_solver.GroupSolver.solve",
    "write": "tablebase.building.tier_kind.write_tier",
    "check": "tablebase.checking.tiers.verify_tier",
}
PROBES = 200_000
"""Ranks of all tiers that are drawn, to probe their positions."""


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
            probes = _measure_probes(game, folder)
    row = {"game": game, "ranks": ranks, "workers": workers}
    rounded = {phase: round(seconds[phase], 2) for phase in (*PHASES, "all", "elapsed")}
    return {"tiers": [row | rounded | {"ranks_a_cpu_second": round(ranks / seconds["all"])}], "probes": [probes]}


def _measure_probes(game: str, folder: str) -> dict[str, Any]:
    """CPU-microseconds a position of probes of many random positions together, as numbers and as texts."""
    with Tablebase(folder) as tables:
        rules = load_rules(game)
        stored = tables.prober.of(rules).stored()
        ranks = np.random.default_rng(0).integers(0, stored.tables[-1].end, PROBES)
        numbers = np.array(stored.positions(stored.occupied(ranks)))
        texts = [rules.format(position) for position in numbers.tolist()]
        row, found = dict[str, Any](positions=len(texts)), []
        for form, positions in (("numbers", numbers), ("texts", texts)):
            # The first run fills the cache of decompressed chunks.
            for _ in range(2):
                values, seconds = timed(partial(_probed, tables, game, positions))
            row[f"{form}_us"] = round(1e6 * seconds / len(texts), 2)
            found.append(values)
        if found[0] != found[1]:
            raise SystemExit(f"positions of {game} have other values as texts than as numbers")
    return row


def _probed(tables: Tablebase, game: str, positions: Any) -> list[Any]:
    return list(tables.probe_many(game, positions).values())


def _timing(function: Any, seconds: dict[str, float], phase: str) -> Any:
    """Add the CPU-seconds of each call; of all phases together also those by the clock."""

    def timed(*arguments: Any, **options: Any) -> Any:
        cpu, begin = time.process_time(), time.monotonic()
        result = function(*arguments, **options)
        seconds[phase] += time.process_time() - cpu
        seconds["elapsed"] = time.monotonic() - begin
        return result

    return timed
