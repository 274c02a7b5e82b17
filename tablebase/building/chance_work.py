"""Build the layers of a game with chance: needs, sentences, progress and logs around `tablebase.building.chances`."""

from __future__ import annotations

from collections.abc import Sequence

from tablebase.building.chances import ENGINE, BuiltLayer, build_layers, check_memory, missing_layers, seconds_of
from tablebase.building.chances import estimate as estimate_layers
from tablebase.building.records import Begun, BuildResult, Report, TableRecord, say_summary
from tablebase.building.table_work import preparation
from tablebase.building.terms import Counted, Needs, Terms
from tablebase.compute.machine import cores
from tablebase.compute.messages import say, watched
from tablebase.compute.progress import Progress, progress
from tablebase.executors.scheduler import Deadline
from tablebase.game.kernels import Layer, Region
from tablebase.game.stochastic import StochasticGame
from tablebase.stochastic import iteration


def needs_of(game: StochasticGame, region: Region, terms: Terms, counted: set[Counted]) -> Needs:
    """What the missing layers of a region need, without those that have been `counted`, which are added to these.

    Raise `CapacityError` if they do not fit into memory.
    """
    named = {layer: (game.name, f"{region.name}/{layer.name}") for layer in region.layers}
    missing = [one for one in missing_layers(game, region, terms.data, terms.catalog) if named[one] not in counted]
    if not missing:
        return Needs()
    counted.update(named[layer] for layer in missing)
    check_memory(game, region, terms.limits.memory)
    names = {layer.name for layer in missing}
    lines = [line for line in estimate_layers(game, region) if line.layer in names]
    cpu_seconds = sum(line.cpu_seconds for line in lines)
    before = preparation(game.name, {ENGINE}, counted)
    return Needs(
        len(lines),
        sum(line.states for line in lines),
        max(line.memory for line in lines),
        sum(line.disk for line in lines),
        before + cpu_seconds,
        before + cpu_seconds / threads_of(terms),
    )


def threads_of(terms: Terms) -> int:
    """Threads that can be of use."""
    return min(terms.limits.workers, cores())


def build_region(game: StochasticGame, region: Region, terms: Terms, *, summarized: bool = False) -> BuildResult:
    """Solve, verify and store the layers that are missing, and say so; see `tablebase.building.table_work.build_tables`."""
    missing = missing_layers(game, region, terms.data, terms.catalog)
    if not missing:
        say(f"nothing to do: all {len(region.layers)} tables are in {terms.data}, built and verified")
        return BuildResult(game.name, terms.data, len(region.layers))
    total = region.size // region.block
    with progress(f"build {game.name}", "blocks", total, verbose=terms.verbose, compiles=True) as shown:
        work = _Building(game, region, missing, terms, shown)
        deadline = None if terms.end is None else Deadline(terms.end, work.seconds, terms.grace)
        with watched(lambda stage: shown.at(region.name, stage)):
            build_layers(
                game,
                region,
                terms.data,
                terms.limits.workers,
                work.reach,
                work.finish,
                deadline,
                catalog=terms.catalog,
                say=shown.write,
                allowed=terms.limits.memory,
            )
    ended = work.report.ended()
    say(f"built and verified in {terms.data}: {ended.done} of {len(region.layers)} tables, {ended.placements:,} states")
    if summarized:
        say_summary(ended)
    return BuildResult(game.name, terms.data, len(region.layers), ended.left, ended.seconds, tuple(work.report.tables))


class _Building:
    """What has come of the missing layers of a region, while they are built."""

    def __init__(self, game: StochasticGame, region: Region, missing: Sequence[Layer], terms: Terms, shown: Progress) -> None:
        self._game, self._region, self._terms, self._shown = game, region, terms, shown
        self._blocks = 0
        self._missing = {layer.name for layer in missing}
        states = sum(layer.end - layer.begin for layer in missing)
        seconds = preparation(game.name, {ENGINE}, set()) + sum(map(self.seconds, missing))
        limits = terms.limits
        begun = Begun(game.name, len(missing), states, seconds, limits.workers, limits.memory, terms.deadline)
        self.report = Report(begun, terms.log)

    def seconds(self, layer: Layer) -> float:
        """Seconds by the clock that a layer is expected to take."""
        return seconds_of(layer) / threads_of(self._terms)

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
            self.report.again += built.layer.name not in self._missing
            record = TableRecord(self._game.name, name, ENGINE, states, built.elapsed, built.seconds, built.memory, built.bytes)
            self.report.add(record, seconds_of(built.layer))
