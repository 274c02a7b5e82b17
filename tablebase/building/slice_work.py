"""Make the table of a stored material: solve, write, verify; done by workers, which load neither catalog nor plan."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tablebase.building.estimate import kernels_of, solver_memory
from tablebase.building.jobs import Made, Measured, error_of
from tablebase.checking.table import verify_table
from tablebase.errors import CorruptTableError
from tablebase.game import Game, load_game
from tablebase.positions.location import dependencies
from tablebase.positions.material import Material, material_name
from tablebase.solvers.registry import solve_material, solver_for
from tablebase.system.compute.messages import reach
from tablebase.system.files.outputs import publish
from tablebase.tables.checkpoints import TableCheckpoint, discard
from tablebase.tables.folder import await_file, check_seal, table_path, title
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.values import Codes, Coding
from tablebase.tables.writer import write_draft


def make_table(name: str, folder: Path, solver: str, material: Material, *, allowed: int | None = None) -> Made:
    """Solve one table and write it as a draft; read that back, check every position, for the caller to publish.

    The solver is one for which `allowed` bytes are enough, if there is one.
    An existing file stays as it is, and there is no draft; `CorruptTableError` names it if it is wrong.
    """
    # Imported here because Numba is slow to load.
    from tablebase.system.compute.compiling import note_compiled, when_compiling

    game = load_game(name)
    store = Store(folder)
    path = table_path(folder, game, material)
    limit = solver_memory(game, material, allowed)
    chosen = solver_for(game, material, solver, limit)
    memory = chosen.memory(game, material)
    measured = Measured(material)
    try:
        with when_compiling(lambda begins: reach("compiling") if begins else None):
            if path.exists():
                with closing(Table(path, game, material)) as table:
                    verify_table(game, table, store, memory)
                return measured.made(None, path)
            draft = _solve(game, path, material, solver, limit, store)
            try:
                with closing(Table(draft, game, material)) as table:
                    verify_table(game, table, store, memory)
            except CorruptTableError:
                # The checkpoint of its table may be wrong, too.
                discard(path)
                raise
            note_compiled(kernels_of(chosen.name, name))
            return measured.made(chosen.name, draft, draft)
    finally:
        store.close()


def make_shared_table(
    name: str, folder: Path, solver: str, old: frozenset[Material], material: Material, *, allowed: int | None = None
) -> Made:
    """Make a table like `make_table` and publish the table, on which others may depend before the process that builds hears of it.

    Files of `old` materials were there when the build began, and may be of any origin. Files that appeared since were verified
    in this build: checking their seal is enough.
    """
    game = load_game(name)
    path = table_path(folder, game, material)
    measured = Measured(material)
    for child in dependencies(game, material):
        await_file(table_path(folder, game, child))
    if material not in old and path.exists() and error_of(lambda: check_seal(path, title(game, material))) is None:
        return measured.made(None, path)
    made = make_table(name, folder, solver, material, allowed=allowed)
    if made.draft is not None:
        publish(made.draft, path)
    discard(path)
    return replace(made, draft=None)


def _solve(game: Game, path: Path, material: Material, solver: str, memory: int | None, store: Store) -> Path:
    values = [store.table(game, child).header.values_sha256 for child in dependencies(game, material)]
    checkpoint = TableCheckpoint(path, game.digest, material_name(game, material), *values)

    def load(child: Material, side: int) -> tuple[Codes, Coding]:
        table = store.table(game, child)
        return table.read(side), table.coding

    codes, coding, _ = solve_material(game, material, load, solver, memory=memory, scratch=store.folder, checkpoint=checkpoint)
    return write_draft(path, game, material, codes, coding)
