"""Build the tables of games with chance: solve, write, verify and register the layers of a region."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tablebase.building.estimate import compiling, kernels_of, machine_factor, start_seconds
from tablebase.building.plan import fault_of, set_aside
from tablebase.building.tables import lock, remove_drafts
from tablebase.catalog.catalog import Catalog, has_catalog
from tablebase.checking.chances import verify_layer
from tablebase.compute import machine
from tablebase.compute.machine import forget_peak, peak_memory
from tablebase.compute.messages import reach
from tablebase.compute.processes import ensured
from tablebase.errors import CapacityError, CorruptTableError
from tablebase.executors.scheduler import Deadline
from tablebase.files.outputs import publish
from tablebase.game.kernels import Int64, Layer, Region
from tablebase.game.stochastic import StochasticGame
from tablebase.solvers.problem import Checkpoint
from tablebase.stochastic.compiled import Compiled, compiled
from tablebase.stochastic.files import LayerFile, layer_path, layer_title, limits_of, write_layer
from tablebase.stochastic.iteration import KEPT, Progress, solve_layer
from tablebase.tables.checkpoints import TableCheckpoint, discard
from tablebase.tables.choice import nothing_registered
from tablebase.tables.folder import OTHER_FILE, check_seal, content_error, file_sha256

ENGINE = "bounds"
"""Name of the solver of games with chance, in logs."""
BYTES_A_STATE = 16
"""The chances of both players."""
BYTES_OF_FORMULAS = 1024
"""At most, for a state that is alike to no other, as long as all formulas are kept."""
BYTES_BESIDE = 1 << 28
"""The program itself, with its compiled kernels."""
SPEED = 250_000
"""States that are solved, written and verified in a CPU-second, on the reference machine of `tablebase.building.estimate`."""
BYTES_ON_DISK = 16
"""At most; where bounds are 0 and 1, next to nothing is left after compression."""


@dataclass(frozen=True)
class Estimate:
    """What a layer needs; the field names are those of ``estimate --format json``."""

    layer: str
    states: int  # numbers of states, those without a state included
    memory: int  # bytes, for it and the layers before it
    disk: int  # bytes, at most
    cpu_seconds: float  # to solve, write and verify it
    start_seconds: float = 0.0  # in the first line of a list: to start the program and to compile kernels that are not cached


def estimate(game: StochasticGame, region: Region) -> list[Estimate]:
    """What the layers of a region need."""
    before = start_seconds() + compiling(game.name, {ENGINE})
    return [
        Estimate(
            layer.name,
            layer.end - layer.begin,
            _memory(region, layer),
            BYTES_ON_DISK * (layer.end - layer.begin),
            seconds_of(layer),
            before if layer is region.layers[0] else 0.0,
        )
        for layer in region.layers
    ]


def _memory(region: Region, layer: Layer) -> int:
    return BYTES_A_STATE * region.size + min(KEPT, BYTES_OF_FORMULAS * (layer.end - layer.begin)) + BYTES_BESIDE


def seconds_of(layer: Layer) -> float:
    """CPU-seconds to solve, write and verify a layer on this machine."""
    return machine_factor() * (layer.end - layer.begin) / SPEED


@dataclass(frozen=True)
class BuiltLayer:
    """A finished layer."""

    layer: Layer
    is_new: bool  # False if there was a file already
    seconds: float  # CPU-seconds to solve, write and verify it, or only to read it
    elapsed: float  # the same by the clock
    memory: int | None  # bytes that this took at most; None where the system does not say
    bytes: int  # of the file


def build_layers(
    game: StochasticGame,
    region: Region,
    folder: Path,
    threads: int = 1,
    report: Callable[[Progress], None] = lambda _: None,
    finished: Callable[[BuiltLayer], None] = lambda _: None,
    deadline: Deadline[Layer] | None = None,
    catalog: str | None = None,
    say: Callable[[str], object] = lambda _: None,
    allowed: int | None = None,
) -> None:
    """Build the layers of a region that are missing, and register them in the catalog; damaged files are renamed first.

    `report` is called now and then while a layer is solved, `finished` with each layer once it is registered, and `say` with a
    sentence about each damaged file. At the deadline the region may not be finished.
    Raise `CapacityError` if it does not fit into `allowed` bytes of memory, `StaleTableError` if a file is of other rules or in
    another format.
    """
    # Imported here because Numba is slow to load.
    from tablebase.compute.compiling import note_compiled

    check_memory(game, region, allowed)
    form = compiled(game)
    chances = np.zeros((2, region.size), np.int64)
    with (
        closing(Catalog(folder, create=True, catalog=catalog)) as registry,
        lock(folder),
        ensured(partial(remove_drafts, folder / game.name)),
    ):
        missing = _missing(game, region, folder, registry)
        for layer in region.layers:
            path = layer_path(folder, game, region, layer)
            forget_peak()
            clock, begin = time.monotonic(), time.process_time()
            is_new = layer in missing
            fault = _damage(game, path, region, layer, None if is_new else chances) if path.exists() else None
            if fault is not None:
                set_aside(path, fault, folder, registry, say)
                is_new = True
            if is_new:
                checkpoint = _checkpoint(game, region, folder, layer)
                if not _solve(form, region, layer, chances, threads, report, deadline, checkpoint):
                    return
                reach("writing")
                draft = write_layer(path, game, form.kernels, region, layer, chances)
                reach("verifying")
                with closing(LayerFile(draft, game, region, layer)) as file:
                    verify_layer(form.kernels, file, chances, threads)
                publish(draft, path)
                discard(path)
                note_compiled(kernels_of(ENGINE, game.name))
                with closing(LayerFile(path, game, region, layer)) as file:
                    registry.register_layer(file, time.process_time() - begin)
            seconds, elapsed = time.process_time() - begin, time.monotonic() - clock
            finished(BuiltLayer(layer, is_new, seconds, elapsed, peak_memory(), path.stat().st_size))


def missing_layers(game: StochasticGame, region: Region, folder: Path, catalog: str | None = None) -> list[Layer]:
    """The layers of a region whose files are not both on disk and those that were registered."""
    if not has_catalog(folder, catalog):
        return list(region.layers)
    with closing(Catalog(folder, catalog=catalog)) as registry:
        return _missing(game, region, folder, registry)


def _missing(game: StochasticGame, region: Region, folder: Path, catalog: Catalog) -> list[Layer]:
    registered = {row["file"]: row["file_sha256"] for row in catalog.layers(game)}
    missing = []
    for layer in region.layers:
        path = layer_path(folder, game, region, layer)
        known = registered.get(path.relative_to(folder).as_posix())
        if known is None or not path.exists() or known != file_sha256(path):
            missing.append(layer)
    return missing


def _damage(game: StochasticGame, path: Path, region: Region, layer: Layer, chances: Int64 | None) -> str | None:
    """What is wrong with the file of a layer, as the predicate of a sentence; if nothing is, its chances are filled in."""

    def check() -> None:
        with closing(LayerFile(path, game, region, layer)) as file:
            if chances is not None:
                file.read(chances[:, layer.begin : layer.end])
        check_seal(path, layer_title(game, region, layer))

    return fault_of(check)


def check_memory(game: StochasticGame, region: Region, limit: int | None = None) -> None:
    """Raise `CapacityError` unless a region fits into `limit` bytes of memory, by default all that there is."""
    needed, allowed = max(_memory(region, layer) for layer in region.layers), machine.memory() if limit is None else limit
    if needed > allowed:
        raise CapacityError(f"the table {region.name} of {game.name}", "choose lower limits", needed=needed, allowed=allowed)


def _solve(
    form: Compiled,
    region: Region,
    layer: Layer,
    chances: Int64,
    threads: int,
    report: Callable[[Progress], None],
    deadline: Deadline[Layer] | None,
    checkpoint: Checkpoint,
) -> bool:
    """Solve a layer; return False if it would not be, or is not, done by the deadline."""
    if deadline is not None and not deadline.admits(layer):
        return False
    reach("solving")
    for progress in solve_layer(form.kernels, region, layer, chances, threads, checkpoint=checkpoint):
        report(progress)
        if deadline is not None and not deadline.remaining():
            return False
    return True


def _checkpoint(game: StochasticGame, region: Region, folder: Path, layer: Layer) -> Checkpoint:
    """The checkpoint of a layer, which depends on the rules, the region, the layers before it, and the kernels."""
    from tablebase.compute.jit import KERNELS

    before = region.layers[: region.layers.index(layer)]
    digests = [file_sha256(layer_path(folder, game, region, one)) for one in before]
    path = layer_path(folder, game, region, layer)
    return TableCheckpoint(path, game.digest, region.name, str(region.size), layer.name, KERNELS, *digests)


def verify_layers(game: StochasticGame, folder: Path, threads: int = 1, catalog: str | None = None) -> list[tuple[str, str | None]]:
    """Check all registered layers of a game, at least one; yield each file's name, and what is wrong with it or None."""
    with closing(Catalog(folder, catalog=catalog)) as registry:
        rows = {row["file"]: row["file_sha256"] for row in registry.layers(game)}
    if not rows:
        raise nothing_registered(game, folder)
    form = compiled(game)
    faults = {name: _file_fault(folder / name, sha256) for name, sha256 in rows.items()}
    for region in _regions(form, folder, [name for name, fault in faults.items() if fault is None]):
        chances: Int64 = np.zeros((2, region.size), np.int64)
        unsound = None
        for layer in region.layers:
            path = layer_path(folder, game, region, layer)
            name = path.relative_to(folder).as_posix()
            if name in faults and faults[name] is None and unsound is None:
                faults[name] = _fault(form, path, region, layer, chances, threads)
            elif name in faults and faults[name] is None:
                faults[name] = f"{path} cannot be checked before {unsound} has been built again"
            if unsound is None and faults.get(name, "missing") is not None:
                unsound = path
    return list(faults.items())


def _file_fault(path: Path, sha256: str) -> str | None:
    """Why a file is not the one that was registered; None if it is."""
    if not path.exists():
        return f"{path} is registered but missing: build it again"
    if file_sha256(path) != sha256:
        return str(content_error(path, OTHER_FILE))
    return None


def _regions(form: Compiled, folder: Path, files: list[str]) -> list[Region]:
    """The largest region of each name that any of the files was built with."""
    largest: dict[str, Region] = {}
    for name in files:
        region = form.region(limits_of(folder / name))
        if region.name not in largest or region.size > largest[region.name].size:
            largest[region.name] = region
    return list(largest.values())


def _fault(form: Compiled, path: Path, region: Region, layer: Layer, chances: Int64, threads: int) -> str | None:
    """What is wrong with the chances in a file; None if nothing is."""
    try:
        with closing(LayerFile(path, form.game, region, layer)) as file:
            verify_layer(form.kernels, file, chances, threads)
    except CorruptTableError as fault:
        return str(fault)
    return None


def opened_layer(folder: Path, game: StochasticGame, path: Path) -> LayerFile:
    """The file of a layer; raise `CorruptTableError` if it is not where it belongs."""
    file = layer_file(game, path, path.stem)
    if layer_path(folder, game, file.region, file.layer) == path:
        return file
    file.close()
    raise CorruptTableError(f"is not where a table of {game.name} belongs", path)


def layer_file(game: StochasticGame, path: Path, name: str) -> LayerFile:
    """The file of the layer of this name, wherever it is; raise `CorruptTableError` if it holds another layer."""
    region = compiled(game).region(limits_of(path))
    for layer in region.layers:
        if layer.name == name:
            return LayerFile(path, game, region, layer)
    raise CorruptTableError(f"is not where a table of {game.name} belongs", path)
