"""The solvers: which there are, which slices each can solve, and what it needs.

A solver computes the codes of all positions of a slice. All solvers give the same codes, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from math import prod
from pathlib import Path

from tablebase.errors import TablebaseError, quoted
from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import is_self_paired, sides_stored
from tablebase.positions.material import Material
from tablebase.positions.pursuit import pursuit_error
from tablebase.solvers.problem import CompiledSlice, Load, checkpoint_in, compile_slice
from tablebase.system.compute.kernel_cache import COMPILES
from tablebase.tables.checkpoints import NO_CHECKPOINT, TableCheckpoint
from tablebase.tables.values import SLAB, CodeSource, Coding

AUTO = "auto"
WORD_BITS = 64
PLANE_BYTES = 12_480
"""Memory of a plane: for each side to move 4096 codes, four times 64 words, and 64 distances; and the pieces' squares."""
LEAN_PLANE_BYTES = 5_170
"""Memory of a plane without codes: for each side to move five times 64 words; and the pieces' squares."""
PART_PLANE_BYTES = 10_000
"""Memory of a plane in a part of them: 4096 codes, four times 64 words, and what the log gets of it at a time."""
LOGGED_ROWS = 1 << 32
"""Rows that an entry of the lean mode's log can have."""
LEAN_SPARE_BYTES = 3_000_000
"""Memory that is not given back between two steps of the lean mode, whose steps need little of it in many pieces."""
ROW_BYTES = 80
"""Memory of the solver of groups for a row: its number, that of its mirror image, its squares, its layer and its flags."""
PLACEMENT_BYTES = 600
"""Memory of the solver of groups for a placement of the last group: its moves."""
INDEX_BYTES, MOVE_BYTES = 64, 90
"""Memory of the reference solver for an index, and for a move while moves are sorted."""
PARTS = 64
"""Parts that the lean mode divides the planes into, all but the last whole vectors."""
SMALL = 1 << 16
"""Indices of a slice for which it does not pay to compile the kernels of another solver."""

Solve = Callable[[CompiledSlice], tuple[CodeSource, CodeSource] | None]
"""Computes the codes of both sides to move, ``coding.void`` where an index is no position; None if a distance does not fit."""
Unsupported = Callable[[Game, Material], str | None]
"""Says why not to use a solver for a stored material, as half a sentence; None if nothing is against it."""


def _supports_all(_game: Game, _material: Material) -> None:
    return None


def _solved_by(module: str, problem: CompiledSlice) -> tuple[CodeSource, CodeSource] | None:
    """Call `solve` of a module, which is only loaded now; Numba takes long to load."""
    codes: tuple[CodeSource, CodeSource] | None = import_module(f"tablebase.solvers.{module}").solve(problem)
    return codes


@dataclass(frozen=True)
class Solver:
    """An algorithm that solves tables, or a mode of an algorithm; test solvers with `tablebase.testing.SolverTests`."""

    name: str  # for the command line and the catalog
    solve: Solve
    memory: Callable[[Game, Material], int]  # bytes that a stored material needs, both sides to move, without its children's codes
    speed: float  # codes solved, written and verified in a CPU-second on the reference machine of `tablebase.building.estimate`
    strength: str = "it can solve every slice"  # why it is the fastest where it can be used, as half a sentence
    refuses: Unsupported = _supports_all  # why it cannot solve a stored material
    avoids: Unsupported = _supports_all  # why it is not worth using, though it could be
    mode: str = ""  # of the same solver, the name of a way to work that needs less memory

    @property
    def names(self) -> tuple[str, ...]:
        """Names that select the solver: the name of the mode, if any, and then the name of the algorithm."""
        return tuple(filter(None, (self.mode, self.name)))


def _pursuit_memory(game: Game, material: Material) -> int:
    return 7 * layout_of(game, material).size


def _planes_memory(game: Game, material: Material) -> int:
    """Planes of both sides to move and, first the scores of captures, and then the codes."""
    layout = layout_of(game, material)
    return prod(layout.radices[:-2]) * PLANE_BYTES + max(_scores_memory(game, material), 2 * layout.size)


def _lean_memory(game: Game, material: Material) -> int:
    """The scores of captures and, first the planes of both sides to move and a part of the codes, and then what the check needs.

    That is the scores of one side to move and some of the codes, or all of them if the table is paired with itself.
    """
    layout = layout_of(game, material)
    planes = prod(layout.radices[:-2])
    part = min(planes, -(-planes // (PARTS * WORD_BITS)) * WORD_BITS)
    codes = layout.size if is_self_paired(game, material) else 0
    check = planes * WORD_BITS**2 + min(layout.size, 2 * SLAB) + codes
    return max(planes * LEAN_PLANE_BYTES + part * PART_PLANE_BYTES, check) + _scores_memory(game, material) + LEAN_SPARE_BYTES


def _groups_memory(game: Game, material: Material) -> int:
    """Scores of both sides to move, mirror images included, and first what conversions are worth and then the codes of one side.

    A conversion is looked up, and a row numbered, with a few words for each row.
    """
    from tablebase.solvers.groups.arrays import compile_tables, table_size

    layout = layout_of(game, material)
    tables = compile_tables(game, layout).groups
    rows = max(table_size(groups[:-1]) for groups in tables)
    conversions = sum(table_size(groups) for groups in tables[1:])
    return 2 * layout.cells_with_images + max(conversions + rows * ROW_BYTES, layout.size) + PLACEMENT_BYTES * layout.row_length


def _reference_memory(game: Game, material: Material) -> int:
    """Merits of both sides to move, and their moves, at most as many as each piece has steps from its best square."""
    most = [0, 0]
    for kind in (game.kinds[kind] for kind in material.kinds):
        most[kind.side] += max(map(len, kind.steps_from.values()), default=0)
    return layout_of(game, material).size * (INDEX_BYTES + MOVE_BYTES * max(most))


def _scores_memory(game: Game, material: Material) -> int:
    """The scores of captures in the order of a slice's planes."""
    layout = layout_of(game, material)
    squares = [len(group.squares) for group in layout.groups]
    sides = [game.side_of(group.kind) for group in layout.groups]
    # A capture that leaves a side without pieces leads nowhere.
    rest = [squares[:victim] + squares[victim + 1 :] for victim, side in enumerate(sides) if sides.count(side) > 1]
    return sum(prod(remaining[:-2]) * WORD_BITS**2 for remaining in rest)


def _planes_refuses(game: Game, material: Material) -> str | None:
    if game.escape is not None:
        return "a piece can escape, which planes does not support"
    if material.advance:
        return "the table is divided into tiers"
    if not COMPILES:
        return "planes needs compiled kernels, which NUMBA_DISABLE_JIT forbids"
    if any(len(group.slots) > 1 for group in layout_of(game, material).groups):
        return "the table has identical pieces, which planes does not support"
    if len(game.board) > WORD_BITS:
        return f"the board has more than {WORD_BITS} squares"
    return None


def _lean_refuses(game: Game, material: Material) -> str | None:
    error = _planes_refuses(game, material)
    if error is None and prod(layout_of(game, material).radices[:-2]) * WORD_BITS > LOGGED_ROWS:
        error = "the table has too many rows for the log"
    return error


def _planes_avoids(game: Game, material: Material) -> str | None:
    if layout_of(game, material).size < SMALL and any(kind.limit > 1 for kind in game.kinds):
        return "the table is small, and other tables of the game have identical pieces"
    return None


SOLVERS = (
    Solver(
        "pursuit",
        partial(_solved_by, "pursuit"),
        memory=_pursuit_memory,
        speed=17e6,
        strength="one piece runs and the others only step forwards",
        refuses=pursuit_error,
    ),
    Solver(
        "planes",
        partial(_solved_by, "planes.solve"),
        memory=_planes_memory,
        speed=60e6,
        strength="it processes a cache line of positions at a time",
        refuses=_planes_refuses,
        avoids=_planes_avoids,
    ),
    Solver(
        "planes",
        partial(_solved_by, "planes.lean"),
        memory=_lean_memory,
        speed=54e6,
        strength="their codes would not fit into memory, so they are assembled from a file",
        refuses=_lean_refuses,
        avoids=_planes_avoids,
        mode="lean",
    ),
    Solver(
        "groups",
        partial(_solved_by, "groups.solve"),
        memory=_groups_memory,
        speed=20e6,
        strength="it handles all placements of identical pieces at once",
    ),
    Solver("reference", partial(_solved_by, "reference"), memory=_reference_memory, speed=4.5e5),
)
"""All solvers and their modes, the fastest first."""


def solver_names() -> tuple[str, ...]:
    """Names of all solvers."""
    return tuple(dict.fromkeys(solver.name for solver in SOLVERS))


def find_solver(name: str) -> Solver | None:
    """The solver, or the mode of one, of that name; None for ``auto``. It is a `TablebaseError` if there is none."""
    if name == AUTO:
        return None
    for solver in SOLVERS:
        if name in solver.names:
            return solver
    raise TablebaseError(f"unknown solver {quoted(name)}: choose {', '.join((AUTO, *solver_names()))}")


def choose_solver(game: Game, material: Material, memory: int | None = None) -> tuple[Solver, str]:
    """The fastest solver for a stored material, and why it is that one.

    If it must not need more bytes than `memory`, it is the fastest of those that fit or, if none does, the one that needs least.
    """
    against: str | None = None
    reasons: dict[Solver, str] = {}
    for solver in SOLVERS:
        unsupported = solver.refuses(game, material) or solver.avoids(game, material)
        if unsupported is None:
            # A solver for everything is chosen for what is against the one before it.
            is_general = solver.refuses is _supports_all
            reasons[solver] = against if is_general and against is not None else solver.strength
        else:
            against = unsupported
    solver = _fastest([*reasons], game, material, memory)
    return solver, reasons[solver]


def _fastest(solvers: list[Solver], game: Game, material: Material, memory: int | None) -> Solver:
    """The first solver that needs no more bytes than `memory`; if none does, the one that needs least."""
    if memory is None:
        return solvers[0]
    fitting = (solver for solver in solvers if solver.memory(game, material) <= memory)
    return next(fitting, None) or min(solvers, key=lambda solver: solver.memory(game, material))


def solver_for(game: Game, material: Material, name: str = AUTO, memory: int | None = None) -> Solver:
    """The solver of that name, or the fastest, for a stored material, in the mode for which `memory` bytes are enough.

    It is a `TablebaseError` if there is no such solver, or it cannot solve this material.
    """
    solver = find_solver(name)
    if solver is None:
        return choose_solver(game, material, memory)[0]
    error = solver.refuses(game, material)
    if error is not None:
        best = choose_solver(game, material)[0]
        raise TablebaseError(f"the solver {solver.names[0]} cannot solve the table, because {error}: use --solver {best.name}")
    modes = [each for each in SOLVERS if name in each.names and each.refuses(game, material) is None]
    return _fastest(modes, game, material, memory)


def solve_material(
    game: Game,
    material: Material,
    load: Load,
    name: str = AUTO,
    *,
    memory: int | None = None,
    scratch: Path | None = None,
    checkpoint: TableCheckpoint = NO_CHECKPOINT,
) -> tuple[list[CodeSource], Coding, str]:
    """Solve a stored material with the solver of that name; return its codes, their coding and the name of the solver.

    There are codes for each side to move that the table stores: arrays, except from the lean mode of `planes`. The coding is
    wider than one byte only if a distance needs it. It is a `TablebaseError` if there is no such solver, it cannot solve this
    material, or a distance exceeds what two bytes hold.
    """
    solver = solver_for(game, material, name, memory)
    problem = compile_slice(game, material, load, scratch=scratch)
    narrow, wide = (checkpoint_in(coding, checkpoint, solver.names[0]) for coding in (problem.coding, problem.coding.wider))
    # Nothing is saved in wider codes before narrower ones have turned out not to be enough.
    codes = None if wide.exists() else solver.solve(replace(problem, checkpoint=narrow))
    if codes is None:
        problem = compile_slice(game, material, load, problem.coding.wider, scratch)
        codes = solver.solve(replace(problem, checkpoint=wide))
    if codes is None:
        raise TablebaseError(f"the slice contains distances above {problem.coding.reach} plies, which a table cannot store")
    return [codes[side] for side in sides_stored(game, material)], problem.coding, solver.name
