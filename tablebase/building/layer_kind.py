"""The tables of games of chance or of several players: each holds one layer of a region of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tablebase.building.estimate import kernels_of, machine_factor
from tablebase.building.flat_kind import FlatTables
from tablebase.building.jobs import CostModel, FixedCosts, Job, JobCost, Key, Made, Measured
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.catalog.known import Known
from tablebase.checking.chances import verify_layer
from tablebase.checking.checksums import Checks, sentence_of
from tablebase.errors import CapacityError, CorruptTableError
from tablebase.functions.chance.compiled import Compiled, compiled
from tablebase.functions.chance.files import LayerFile, layer_path, limits_of, write_layer
from tablebase.functions.chance.iteration import KEPT, solve_layer
from tablebase.game.kernels import Int64, Layer, Region
from tablebase.game.stochastic import StochasticGame
from tablebase.system.compute import machine
from tablebase.system.compute.messages import reach
from tablebase.tables.checkpoints import TableCheckpoint
from tablebase.tables.folder import check_seal, file_sha256

# ruff: noqa: ARG002, D102 (other methods, with all their parameters, are those of `TableKind`)

ENGINE = "bounds"  # name of the solver of games with chance, in logs
BYTES_A_STATE = 16  # the chances of both players
BYTES_OF_FORMULAS = 1024  # at most, for a state that is equivalent to no other, as long as all formulas are kept
BYTES_BESIDE = 1 << 28  # the program itself, with its compiled kernels
SPEED = 250_000
"""States that are solved, written and verified in a CPU-second, on the reference machine of `tablebase.building.estimate`."""
BYTES_ON_DISK = 16  # at most; where bounds are 0 and 1, next to nothing is left after compression


@dataclass(frozen=True)
class LayerEstimate:
    """Estimated cost of a layer (one table file of a game with chance), with the fields of ``tablebase estimate --format json``."""

    layer: str
    states: int  # numbers of states, those without a state included
    memory: int  # bytes, for it and the layers before it
    disk: int  # bytes, at most
    cpu_seconds: float  # to solve, write and verify it
    start_seconds: float = 0.0  # in the first line of a list: to start the program and to compile kernels that are not cached


class LayerTables(FlatTables[StochasticGame, LayerFile]):
    """See `TableKind`."""

    pattern = "*/*"
    title = "{game} {place} {stem}"
    unit = counted = "states"
    bounds = "states, disk"
    solver = ENGINE
    table = "layers"
    line = LayerEstimate

    def _region(self, query: TableQuery) -> Region:
        # The kernels, which know it, are compiled here.
        return compiled(self.rules).region(query.limits)

    def jobs(self, query: TableQuery, options: BuildOptions) -> tuple[Job, ...]:
        """See `TableKind.jobs`; a layer depends on all before it."""
        region = self._region(query)
        names = [layer.name for layer in region.layers]
        return tuple(
            Job(layer.name, layer.name, layer_path(options.data, self.rules, region, layer), names[:number])
            for number, layer in enumerate(region.layers)
        )

    def costs(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, known: Known) -> CostModel:
        region = self._region(query)
        threads = min(options.limits.workers, machine.cores())
        costs: dict[Key, JobCost] = {}
        for layer in region.layers:
            size = layer.end - layer.begin
            memory = BYTES_A_STATE * region.size + min(KEPT, BYTES_OF_FORMULAS * size) + BYTES_BESIDE
            costs[layer.name] = JobCost(size, memory, BYTES_ON_DISK * size, machine_factor() * size / SPEED)
        return FixedCosts(costs, threads, frozenset({ENGINE}))

    def check_memory(self, jobs: Sequence[Job], costs: CostModel, options: BuildOptions) -> None:
        """See `TableKind.check_memory`; the whole region is in memory."""
        needed = max(costs.cost(job.key).memory for job in jobs)
        if needed > options.allowed_memory:
            name = f"the table {jobs[0].path.parent.name} of {self.rules.name}"
            raise CapacityError(name, "choose lower limits", needed=needed, allowed=options.allowed_memory)

    def maker(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, costs: CostModel) -> Callable[[Key], Made]:
        """See `TableKind.maker`; the chances of the layers before are read from their files once."""
        # Imported here because Numba is slow to load.
        from tablebase.system.compute.compiling import KERNELS, note_compiled

        region, form, folder = self._region(query), compiled(self.rules), options.data
        layers = {layer.name: layer for layer in region.layers}
        chances: Int64 = np.zeros((2, region.size), np.int64)
        filled: set[str] = set()

        def make(key: Key) -> Made:
            measured, layer = Measured(key), layers[key]
            path = layer_path(folder, self.rules, region, layer)
            for before in region.layers[: region.layers.index(layer)]:
                if before.name not in filled:
                    place = layer_path(folder, self.rules, region, before)
                    check_seal(place, self.title_at(place))
                    with closing(LayerFile(place, self.rules, region, before)) as file:
                        file.read(chances[:, before.begin : before.end])
                    filled.add(before.name)
            draft = None
            if not path.exists():
                # The checkpoint depends on the rules, the region, the layers before this one, and the kernels.
                earlier = region.layers[: region.layers.index(layer)]
                digests = [file_sha256(layer_path(folder, self.rules, region, one)) for one in earlier]
                parts = self.rules.digest, region.name, str(region.size), layer.name, KERNELS, *digests
                checkpoint = TableCheckpoint(path, *parts)
                for done in solve_layer(form.kernels, region, layer, chances, options.limits.workers, checkpoint=checkpoint):
                    reach("solving", done * region.block, layer.end - layer.begin)
                    options.check_time()
                reach("writing")
                draft = write_layer(path, self.rules, form.kernels, region, layer, chances)
                reach("verifying")
            _verify(form, draft or path, region, layer, chances, options.limits.workers)
            filled.add(key)
            note_compiled(kernels_of(ENGINE, self.rules.name))
            return measured.made(None if draft is None else ENGINE, draft or path, draft)

        return make

    def verified(self, folder: Path, errors: Mapping[str, str | None], threads: int) -> Checks:
        """See `FlatTables.verified`; each layer is checked with those before it."""
        form, found = compiled(self.rules), dict(errors)
        built = [form.region(limits_of(folder / name)) for name, error in errors.items() if error is None]
        # The largest of each name, once.
        for region in {region.name: region for region in sorted(built, key=lambda region: region.size)}.values():
            chances: Int64 = np.zeros((2, region.size), np.int64)
            unsound = None
            for layer in region.layers:
                path = layer_path(folder, self.rules, region, layer)
                name = path.relative_to(folder).as_posix()
                if name in found and found[name] is None and unsound is None:
                    found[name] = sentence_of(partial(_verify, form, path, region, layer, chances, threads))
                elif name in found and found[name] is None:
                    found[name] = f"cannot check {path} without {unsound}: rebuild {unsound} first"
                if unsound is None and found.get(name, "missing") is not None:
                    unsound = path
        yield from found.items()

    def opened(self, path: Path, row: Mapping[str, Any]) -> LayerFile:
        region = compiled(self.rules).region(limits_of(path))
        for layer in region.layers:
            if layer.name == row["layer"]:
                return LayerFile(path, self.rules, region, layer)
        raise CorruptTableError(f"has the wrong path for a table of {self.rules.name}", path)

    def row_of(self, file: LayerFile) -> dict[str, Any]:
        return {"region": file.region.name, "layer": file.layer.name, **vars(file.counts)}


def _verify(form: Compiled, path: Path, region: Region, layer: Layer, chances: Int64, threads: int) -> None:
    with closing(LayerFile(path, form.game, region, layer)) as file:
        verify_layer(form.kernels, file, chances, threads)
