"""Verify a table: its bytes, its values, its statistics, and every position one ply deep.

Verification shares only the rules, the value coding and `tablebase.positions` with the solvers, and it only generates
forward moves. If every win in d has a move into a loss in d - 1 and no better one, every loss in d only has moves into
wins, the longest in d - 1, and every draw has a drawing move and no winning one, then by induction over d all wins and
losses are right, and so are the draws.

There are four checkers: `general` handles any table, and small ones without any kernel to compile; `planes` handles those of
single pieces on at most 64 squares, `pursuit` those of pursuits, and `groups` all others without escapes, many times faster.
`general` is the twin of the others in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tablebase.checking.general import Load
from tablebase.errors import CorruptTableError
from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material
from tablebase.system.compute import machine
from tablebase.system.compute.kernel_cache import COMPILES
from tablebase.system.compute.messages import reach
from tablebase.tables.folder import check_seal, title
from tablebase.tables.reader import Table
from tablebase.tables.store import Store
from tablebase.tables.summary import Summary
from tablebase.tables.values import Codes, CodeSource, Coding

__all__ = ["verify_codes", "verify_table"]


BYTES_AT_ONCE = 6
"""Memory, for each byte of the codes of a side to move, with which a check may hold all codes.

With less it takes longer, as they are decompressed three times.
"""


SMALL = 1 << 16
"""Indices of a table for which it does not pay to compile the kernels of a fast checker."""


def verify_table(game: Game, table: Table, store: Store, memory: int | None = None) -> None:
    """Check a table file, which may still be a draft; `store` holds the tables that conversions lead to.

    The check may need `memory` bytes, the codes of those tables aside; by default all that this machine has. A `CorruptTableError`
    names the file and the first error; it is a `MissingTableError` if a table that a conversion leads to is missing.
    """

    def load(material: Material, side: int) -> tuple[Codes, Coding]:
        child = store.table(game, material)
        return child.read(side), child.coding

    reach("reading")
    check_seal(table.path, title(game, table.material))
    codes = codes_to_check(table, machine.memory() if memory is None else memory)
    table.check_values(codes)
    try:
        summaries = verify_codes(game, table.material, codes, table.coding, load)
    except CorruptTableError as error:
        if error.path is not None:
            # Of a table that conversions lead to.
            raise
        raise CorruptTableError(f"contains an error ({error})", table.path) from error
    if summaries != table.header.summaries:
        raise CorruptTableError("contains statistics that do not match its values", table.path)


def codes_to_check(table: Table, memory: int) -> dict[int, CodeSource]:
    """The codes of each side to move, which are read at once if the check may need that much memory."""
    at_once = BYTES_AT_ONCE * table.layout.size * np.dtype(table.coding.dtype).itemsize <= memory
    return {side: table.read(side) if at_once else table.source(side) for side in table.header.summaries}


def verify_codes(game: Game, material: Material, codes: Mapping[int, CodeSource], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check codes one ply deep, with the fastest checker for the material; see `general.verify_codes`.

    Only that of planes does not hold all of them in memory.
    """
    # Imported here because Numba is slow to load, and only the checkers that are asked.
    from tablebase.checking import planes

    layout = layout_of(game, material)
    # For a small table another checker may do, if other tables of the game need one.
    is_small = layout.size < SMALL and any(kind.limit > 1 for kind in game.kinds)
    if COMPILES and not is_small and planes.applies(layout, coding):
        return planes.verify_codes(game, material, codes, coding, load)
    from tablebase.checking import general, groups, pursuit

    check = general.verify_codes
    if pursuit.applies(game, material, coding):
        check = pursuit.verify_codes
    elif layout.size >= SMALL and groups.applies(layout):
        check = groups.verify_codes
    return check(game, material, {side: np.asarray(source) for side, source in codes.items()}, coding, load)
