"""Plan, solve, verify, write, register: from rules to a tablebase."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tablebase.build.estimate import memory
from tablebase.build.plan import with_dependencies
from tablebase.catalog.catalog import Catalog
from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.executors.executor import Executor
from tablebase.executors.local import LocalExecutor
from tablebase.executors.scheduler import run_graph
from tablebase.game import Game, load_game
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, sides_stored, stored_materials
from tablebase.slices.material import Material, material_name
from tablebase.solvers.registry import AUTO, find_solver, solve_material
from tablebase.tables.format import table_path
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.writer import DRAFT_SUFFIX, publish, write_draft
from tablebase.values import Codes, Coding
from tablebase.verify.table import verify_table

MEASURED_BYTES = 400_000_000
"""What `measure` may take of memory."""


@dataclass(frozen=True)
class Built:
    """A finished table.

    Parameters
    ----------
    material : Material
    engine : str or None
        None if the file was there already and has only been verified.
    seconds : float or None
        CPU-seconds of solving, writing and verifying; None with the engine.
    """

    material: Material
    engine: str | None
    seconds: float | None


def build(
    game: Game, planned: Sequence[Material], folder: Path, *, executor: Executor | None = None, engine: str = AUTO
) -> Iterator[Built]:
    """Build the tables of a plan that are not there yet, and enter them into the catalog.

    Parameters
    ----------
    game : Game
        As `load_game` gives it, since workers load it by name.
    planned : sequence of Material
        From `plan`: closed under dependencies.
    folder : Path
    executor : Executor, optional
        Where tables are solved; by default in this process.
    engine : str
        One of `tablebase.solvers.registry.SOLVERS`, or ``auto``.

    Yields
    ------
    Built
        Each table once it is registered.
    """
    find_solver(engine)
    catalog = Catalog(folder, create=True)
    try:
        with _only_one_build(folder):
            _remove_drafts(folder / game.name)
            missing = missing_tables(game, planned, folder, catalog)
            graph = {table: tuple(child for child in dependencies(game, table) if child in missing) for table in missing}
            needs = partial(memory, game, engine=engine)
            for built in run_graph(graph, partial(build_table, game.name, folder, engine), executor or LocalExecutor(), needs):
                table = Table(table_path(folder, game, built.material), game, built.material)
                catalog.register(game, table, built.engine, built.seconds)
                table.close()
                yield built
    finally:
        catalog.close()


def missing_tables(game: Game, planned: Sequence[Material], folder: Path, catalog: Catalog) -> tuple[Material, ...]:
    """The planned tables that are not both registered and on disk."""
    registered = catalog.registered(game)
    return tuple(
        table for table in planned if material_name(game, table) not in registered or not table_path(folder, game, table).exists()
    )


def build_table(name: str, folder: Path, engine: str, material: Material) -> Built:
    """Solve one table, write a draft, read it back and check every position, and only then give it its name.

    A file that is there and right is left alone.
    """
    game = load_game(name)
    store = Store(folder)
    path = table_path(folder, game, material)
    try:
        if path.exists() and _is_right(game, path, material, store):
            return Built(material, None, None)
        begin = time.process_time()
        draft, used = _solve(game, path, material, engine, store)
        try:
            table = Table(draft, game, material)
            verify_table(game, table, store)
            table.close()
            publish(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        return Built(material, used, time.process_time() - begin)
    finally:
        store.close()


def _solve(game: Game, path: Path, material: Material, engine: str, store: Store) -> tuple[Path, str]:
    """Write a draft of the solved table; the draft and the engine used. The codes are freed before it is verified."""
    codes, coding, used = solve_material(game, material, partial(_load, game, store), engine)
    return write_draft(path, game, material, codes, coding), used


def _load(game: Game, store: Store, material: Material, side: int) -> tuple[Codes, Coding]:
    table = store.table(game, material)
    return table.read(side), table.coding


def _is_right(game: Game, path: Path, material: Material, store: Store) -> bool:
    try:
        verify_table(game, Table(path, game, material), store)
    except CorruptTableError:
        return False
    return True


def measure(game: Game) -> tuple[float, float]:
    """Codes a CPU-second and bytes a code, from building one table of middling size into a folder that is thrown away."""
    small = [table for count in range(2, min(4, game.max_pieces) + 1) for table in stored_materials(game, count)]
    chosen = max((table for table in small if memory(game, table) < MEASURED_BYTES), key=lambda table: layout_of(game, table).size)
    planned = with_dependencies(game, [chosen])
    with TemporaryDirectory() as scratch:
        seconds = {}
        # The second time all kernels are compiled.
        for folder in (Path(scratch, "first"), Path(scratch, "second")):
            seconds = {built.material: built.seconds for built in build(game, planned, folder)}
        size = table_path(folder, game, chosen).stat().st_size
    codes = layout_of(game, chosen).size * len(sides_stored(game, chosen))
    return codes / (seconds[chosen] or 1.0), size / codes


@contextmanager
def _only_one_build(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, so that two builds never write the same tables."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TablebaseError(f"another build is at work in {folder}: wait for it, or name another folder") from None
        yield


def _remove_drafts(folder: Path) -> None:
    """Delete what an interrupted build has left."""
    for draft in folder.glob(f"*/.*{DRAFT_SUFFIX}"):
        draft.unlink()
