"""Plan, solve, verify, write, register: from rules to a tablebase."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from tablebase.building.estimate import Pace, allowed_memory, costs_in, kernels_of, memory, solver_memory
from tablebase.building.plan import dependency_graph, examine, fault_of, set_aside, with_dependencies
from tablebase.checking.table import verify_table
from tablebase.compute.machine import forget_peak, peak_memory
from tablebase.compute.messages import Stage, reach
from tablebase.compute.processes import ensured
from tablebase.errors import CorruptTableError
from tablebase.executors.executor import Executor, Watch, unwatched
from tablebase.executors.local import LocalExecutor
from tablebase.executors.scheduler import Deadline, run_graph
from tablebase.files.outputs import DRAFT_SUFFIX, locked, publish
from tablebase.game import Game, load_game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, stored_materials
from tablebase.slices.material import Material, material_name
from tablebase.solvers.registry import AUTO, find_solver, solve_material, solver_for
from tablebase.tables.checkpoints import TableCheckpoint, discard, discard_finished
from tablebase.tables.folder import TOKEN, await_file, check_seal, table_path, title
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.values import Codes, Coding
from tablebase.tables.writer import write_draft

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import Catalog

MEASURED_BYTES = 400_000_000
"""Upper limit on the memory of the table that `measure` builds."""

DAMAGED = Stage("damaged")
"""What those who watch a table see if a worker has found it damaged, so that it is built again."""


@dataclass(frozen=True)
class Built:
    """A finished table."""

    material: Material
    engine: str | None  # the solver; None if the file already existed and was only verified
    seconds: float  # CPU-seconds to solve, write and verify, or only to verify
    elapsed: float  # the same by the clock
    memory: int | None  # bytes that this took at most; None where the system does not say
    bytes: int  # of the file


def build(
    game: Game,
    planned: Sequence[Material],
    folder: Path,
    *,
    executor: Executor | None = None,
    solver: str = AUTO,
    deadline: Deadline[Material] | None = None,
    watch: Watch = unwatched,
    catalog: str | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> Generator[Built, None, None]:
    """Build the missing tables of a plan and register them in the catalog.

    A damaged file is renamed, and its table built again, whether it is found before or by a worker.

    Parameters
    ----------
    game : Game
        From `load_game`, since workers load it by name.
    planned : sequence of Material
        From `plan`: closed under dependencies.
    folder : Path
    executor : Executor, optional
        What runs the solvers; by default this process. The solvers are chosen so that its memory is enough.
    solver : str
        Name of one of `tablebase.solvers.registry.SOLVERS`, or ``auto``.
    deadline : Deadline, optional
        When to stop; the plan may not be finished then.
    watch : callable
        Called with materials and the stages that their tables have reached.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    say : callable
        Called with a sentence about each damaged file.

    Yields
    ------
    Built
        Each table, once it is registered.
    """
    from tablebase.catalog.catalog import Catalog

    find_solver(solver)
    executor = executor or LocalExecutor()
    allowed = allowed_memory(executor.limits)
    registry = Catalog(folder, create=True, catalog=catalog)
    try:
        with ExitStack() as stack:
            stack.enter_context(lock(folder))
            remove_tokens(folder)
            stack.enter_context(ensured(partial(remove_drafts, folder / game.name)))
            if executor.ordered:
                from tablebase.building.site import site

                executor.require(stack.enter_context(site(folder, game)))
            again: set[Material] = set()
            while True:
                examined = examine(game, planned, folder, registry)
                for material, fault in examined.damaged.items():
                    set_aside(table_path(folder, game, material), fault, folder, registry, say)
                try:
                    with closing(_run(game, examined.missing, folder, executor, solver, allowed, deadline, watch)) as finished:
                        for built, draft in finished:
                            _finish(game, folder, registry, built, draft)
                            yield built
                    return
                except CorruptTableError as error:
                    damaged = _planned_at(error.path, game, planned, folder)
                    # If a table is damaged a second time, building it again is no cure.
                    if damaged is None or damaged in again:
                        raise
                    again.add(damaged)
                    watch(damaged, DAMAGED)
                    set_aside(table_path(folder, game, damaged), error.fault, folder, registry, say)
    finally:
        registry.close()


def _run(
    game: Game,
    missing: Sequence[Material],
    folder: Path,
    executor: Executor,
    solver: str,
    allowed: int,
    deadline: Deadline[Material] | None,
    watch: Watch,
) -> Generator[tuple[Built, Path | None], None, None]:
    """Build tables with an executor; see `build_table` for what it yields."""
    work: Callable[[Material], tuple[Built, Path | None]]
    if executor.ordered:
        old = frozenset(material for material in missing if table_path(folder, game, material).exists())
        work = partial(build_shared_table, game.name, folder.resolve(), solver, old, allowed=allowed)
    else:
        work = partial(build_table, game.name, folder, solver, allowed=allowed)
    needs = partial(memory, game, solver=solver, allowed=allowed)
    return run_graph(dependency_graph(game, missing), work, executor, needs, deadline, watch)


def _finish(game: Game, folder: Path, registry: Catalog, built: Built, draft: Path | None) -> None:
    """Publish and register a table."""
    path = table_path(folder, game, built.material)
    # The lock holder publishes, so an orphaned worker never can; only on a cluster others must not wait for it.
    if draft is not None:
        publish(draft, path)
    discard(path)
    await_file(path)
    with closing(Table(path, game, built.material)) as table:
        registry.register(game, table, built.engine, built.seconds if built.engine else None)


def _planned_at(path: Path | str | None, game: Game, planned: Sequence[Material], folder: Path) -> Material | None:
    """The planned material whose table has this path, which may come from another process."""
    if path is None:
        return None
    place = Path(path).parent.resolve() / Path(path).name
    return next((one for one in planned if table_path(folder.resolve(), game, one) == place), None)


def build_table(
    name: str, folder: Path, solver: str, material: Material, *, allowed: int | None = None
) -> tuple[Built, Path | None]:
    """Solve one table and write it as a draft; read that back, check every position, and return the draft to be published.

    The solver is one for which `allowed` bytes are enough, if there is one.
    An existing file stays as it is, and there is no draft; `CorruptTableError` names it if it is wrong.
    """
    # Imported here because Numba is slow to load.
    from tablebase.compute.compiling import note_compiled, when_compiling

    game = load_game(name)
    store = Store(folder)
    path = table_path(folder, game, material)
    limit = solver_memory(game, material, allowed)
    chosen = solver_for(game, material, solver, limit)
    memory = chosen.memory(game, material)
    forget_peak()
    clock, begin = time.monotonic(), time.process_time()

    def built(engine: str | None, file: Path) -> Built:
        seconds, elapsed = time.process_time() - begin, time.monotonic() - clock
        return Built(material, engine, seconds, elapsed, peak_memory(), file.stat().st_size)

    try:
        with when_compiling(lambda begins: reach("compiling") if begins else None):
            if path.exists():
                with closing(Table(path, game, material)) as table:
                    verify_table(game, table, store, memory)
                return built(None, path), None
            draft = _solve(game, path, material, solver, limit, store)
            _verify(game, draft, path, material, store, memory)
            note_compiled(kernels_of(chosen.name, name))
            return built(chosen.name, draft), draft
    finally:
        store.close()


def build_shared_table(
    name: str, folder: Path, solver: str, old: frozenset[Material], material: Material, *, allowed: int | None = None
) -> tuple[Built, None]:
    """Like `build_table`, and publish the table, on which others may depend before the process that builds hears of it.

    Files of `old` materials were there when the build began, and may be of any origin. Files that appeared since were verified
    in this build: checking their seal is enough.
    """
    game = load_game(name)
    path = table_path(folder, game, material)
    clock, begin = time.monotonic(), time.process_time()
    for child in dependencies(game, material):
        await_file(table_path(folder, game, child))
    if material not in old and _is_sealed(game, path, material):
        seconds, elapsed = time.process_time() - begin, time.monotonic() - clock
        return Built(material, None, seconds, elapsed, peak_memory(), path.stat().st_size), None
    built, draft = build_table(name, folder, solver, material, allowed=allowed)
    if draft is not None:
        publish(draft, path)
    discard(path)
    return built, None


def _solve(game: Game, path: Path, material: Material, solver: str, memory: int | None, store: Store) -> Path:
    """Solve a table and write its draft. The codes are freed on return."""
    values = [store.table(game, child).header.values_sha256 for child in dependencies(game, material)]
    checkpoint = TableCheckpoint(path, game.digest, material_name(game, material), *values)
    load = partial(_load, game, store)
    codes, coding, _ = solve_material(game, material, load, solver, memory=memory, scratch=store.folder, checkpoint=checkpoint)
    return write_draft(path, game, material, codes, coding)


def _load(game: Game, store: Store, material: Material, side: int) -> tuple[Codes, Coding]:
    table = store.table(game, material)
    return table.read(side), table.coding


def _verify(game: Game, draft: Path, path: Path, material: Material, store: Store, memory: int) -> None:
    """Check a draft. If it is wrong, the checkpoint of its table may be, too, and is removed."""
    try:
        with closing(Table(draft, game, material)) as table:
            verify_table(game, table, store, memory)
    except CorruptTableError:
        discard(path)
        raise


def _is_sealed(game: Game, path: Path, material: Material) -> bool:
    return path.exists() and fault_of(lambda: check_seal(path, title(game, material))) is None


def measure(game: Game) -> float:
    """Measure the build time relative to the reference machine, by building a table of medium size in a temporary folder."""
    planned = with_dependencies(game, [_material_to_measure(game)])
    scratch = mkdtemp()
    with ensured(partial(rmtree, scratch)):
        # In the second build all kernels are compiled.
        first, second = Path(scratch, "first"), Path(scratch, "second")
        for folder in (first, second):
            list(build(game, planned, folder))
        return Pace(game, costs=costs_in(game, second)).factor


def _material_to_measure(game: Game) -> Material:
    """The largest stored material of at most four pieces that fits into `MEASURED_BYTES`."""
    candidates = (material for count in range(2, min(4, game.max_pieces) + 1) for material in stored_materials(game, count))
    affordable = (material for material in candidates if memory(game, material) < MEASURED_BYTES)
    return max(affordable, key=lambda material: layout_of(game, material).size)


def lock(folder: Path) -> AbstractContextManager[None]:
    """Lock the folder, so that nothing else changes its tables meanwhile; the lock ends with this process at the latest."""
    return locked(folder / ".lock", f"another build is running in {folder}: wait for it, or name another folder")


def remove_drafts(folder: Path) -> None:
    """Delete what this build or an interrupted one leaves behind, but not the checkpoints of tables that are still missing."""
    discard_finished(folder)
    for draft in folder.glob(f"*/.*{DRAFT_SUFFIX}"):
        draft.unlink(missing_ok=True)


def remove_tokens(folder: Path) -> None:
    """Delete what builds on a cluster that were killed have left; only for those who have locked the folder."""
    for left in folder.glob(f"{TOKEN}*"):
        left.unlink(missing_ok=True)
