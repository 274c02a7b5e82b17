"""What the layers of a game with chance need, and what has come of building them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tablebase.build.layers import SPEED, BuiltLayer, check_memory, missing_layers
from tablebase.build.layers import estimate as estimate_layers
from tablebase.build.records import Begun, Ended, Report, TableRecord
from tablebase.cli.progress import Progress
from tablebase.cli.terms import Needs, Terms
from tablebase.compute.machine import cores
from tablebase.game.kernels import Layer, Region
from tablebase.game.stochastic import StochasticGame
from tablebase.stochastic import iteration
from tablebase.stochastic.compiled import compiled

ENGINE = "bounds"
"""How logs call the solver of games with chance."""


def needs_of(game: StochasticGame, limits: dict[str, int | str], terms: Terms) -> Needs:
    """What the missing layers of a region need.

    Raises
    ------
    CapacityError
        If they do not fit into memory.
    """
    region = compiled(game).region(limits)
    missing = missing_layers(game, region, terms.data, terms.catalog)
    if not missing:
        return Needs()
    check_memory(game, region, terms.limits.memory)
    names = {layer.name for layer in missing}
    lines = [line for line in estimate_layers(region) if line.layer in names]
    cpu_seconds = sum(line.cpu_seconds for line in lines)
    return Needs(
        len(lines),
        sum(line.states for line in lines),
        max(line.memory for line in lines),
        sum(line.disk for line in lines),
        cpu_seconds,
        cpu_seconds / threads_of(terms),
    )


def threads_of(terms: Terms) -> int:
    """Threads that can be of use."""
    return min(terms.limits.workers, cores())


class LayerReport:
    """What has come of the missing layers of a region, while they are built."""

    def __init__(self, game: StochasticGame, region: Region, missing: Sequence[Layer], terms: Terms, shown: Progress) -> None:
        self._game, self._region, self._terms, self._shown = game, region, terms, shown
        self._begin, self._blocks = time.monotonic(), 0
        states = sum(layer.end - layer.begin for layer in missing)
        seconds = sum(map(self.seconds, missing))
        limits = terms.limits
        begun = Begun(game.name, len(missing), states, seconds, limits.workers, limits.memory, terms.deadline)
        self._report = Report(begun)
        terms.log.write(begun)

    def seconds(self, layer: Layer) -> float:
        """Seconds by the clock that a layer is expected to take."""
        return (layer.end - layer.begin) / SPEED / threads_of(self._terms)

    def reach(self, now: iteration.Progress) -> None:
        """Show how far a layer has come."""
        blocks = now.layer.begin // self._region.block + now.done
        self._shown.update(blocks - self._blocks)
        self._blocks = blocks

    def finish(self, built: BuiltLayer) -> None:
        """Show, count and log a finished layer."""
        name, states = built.layer.name, built.layer.end - built.layer.begin
        took = f"{built.seconds:.1f} CPU-seconds" if built.is_new else "already there"
        self._shown.note(f"{name}: {states:,} states, {took}")
        if built.is_new:
            record = TableRecord(self._game.name, name, ENGINE, states, built.elapsed, built.seconds, built.memory, built.bytes)
            self._report.add(record, states / SPEED)
            self._terms.log.write(record)

    def ended(self) -> Ended:
        """The last record, which is also written to the log."""
        ended = self._report.ended(time.monotonic() - self._begin)
        self._terms.log.write(ended)
        return ended
