"""Input of a solver: a slice, its rules as arrays, the codes of the tables that conversions lead to, and a checkpoint.

A checkpoint lets it go on from where another process was stopped. A solver that works distance by distance asks at its
beginning whether there is something to go on from, and between two distances whether it is time to save its arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Outcome, Step
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.location import Location
from tablebase.positions.material import Material
from tablebase.positions.slice_arrays import Int64, SliceArrays, child_locations, slice_arrays, slice_steps
from tablebase.system.compute.messages import reach
from tablebase.tables.checkpoints import NO_CHECKPOINT, TableCheckpoint
from tablebase.tables.values import NARROW, NARROW_ANY, STALEMATE, Codes, Coding, loss_code, recode

Array = NDArray[Any]
Load = Callable[[Material, int], tuple[Codes, Coding]]
"""Returns the codes of a stored material for one side to move, and their coding."""


def arrays_of(states: Iterable[tuple[Any, ...]]) -> list[Array]:
    """The arrays among the fields of named tuples."""
    return [field for state in states for field in state if isinstance(field, np.ndarray)]


@dataclass(frozen=True)
class CompiledSlice:
    """Input of a solver: a slice (a set of pieces with one side to move) and the game's rules as arrays."""

    game: Game
    layout: Layout
    coding: Coding  # of the codes to compute, and of `children`
    arrays: SliceArrays
    children: Codes  # codes of all children, one after another
    offset: Int64  # (conversions + 1,) where the codes of a conversion begin in `children`; that of the slice itself comes first
    steps: list[tuple[int, Step]]  # slot and step, in the order of the arrays
    locations: list[Location]  # where the child of each conversion is stored, in the order of their numbers
    scratch: Path | None = None  # a folder with room for temporary files; by default that of the system
    checkpoint: TableCheckpoint = NO_CHECKPOINT  # keeps how far the solver has come; by default nothing does

    @property
    def no_move(self) -> int:
        """Value code of positions without a legal move."""
        return STALEMATE if self.game.no_move is Outcome.DRAW else loss_code(0, self.coding.stride)


def compile_slice(
    game: Game, material: Material, load: Load, coding: Coding | None = None, scratch: Path | None = None
) -> CompiledSlice:
    """Compile a material that has a table of its own.

    `coding` is the one to compute in, by default one byte, or as wide as a child's; `scratch` is a folder with room for temporary
    files.
    """
    layout = layout_of(game, material)
    locations = child_locations(layout)
    loaded = _load_children(load, locations)
    if coding is None:
        coding = NARROW if game.escape is None else NARROW_ANY
        if any(child_coding.dtype != coding.dtype for _, child_coding in loaded.values()):
            coding = coding.wider
    children = {stored: recode(codes, child_coding, coding) for stored, (codes, child_coding) in loaded.items()}
    begin = dict(zip(children, np.cumsum([0, *map(len, children.values())]).tolist(), strict=False))
    return CompiledSlice(
        game,
        layout,
        coding,
        slice_arrays(layout, locations),
        np.concatenate(list(children.values())) if children else np.zeros(0, dtype=coding.dtype),
        np.array([0, *(begin[location.material, location.side] for location in locations)], dtype=np.int64),
        slice_steps(layout),
        locations,
        scratch,
    )


def checkpoint_in(coding: Coding, checkpoint: TableCheckpoint, solver: str) -> TableCheckpoint:
    """The checkpoint of a solver that computes in a coding; a version with other kernels does not go on from it."""
    # Imported here because Numba is slow to load.
    from tablebase.system.compute.jit import KERNELS

    return checkpoint.of(solver, KERNELS, coding.dtype, str(coding.stride))


def _load_children(load: Load, locations: list[Location]) -> dict[tuple[Material, int], tuple[Codes, Coding]]:
    wanted = list(dict.fromkeys((location.material, location.side) for location in locations))
    loaded = {}
    for number, stored in enumerate(wanted):
        reach("loading", number, len(wanted))
        loaded[stored] = load(*stored)
    return loaded
