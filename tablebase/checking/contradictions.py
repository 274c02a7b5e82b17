"""What every checker reads beside a table, and how it names a position that is wrong."""

from __future__ import annotations

from collections.abc import Callable

from tablebase.errors import CorruptTableError
from tablebase.game.notation import render
from tablebase.slices.indexing import Layout
from tablebase.slices.material import Material
from tablebase.tables.values import STALEMATE, Codes, Coding, Source

Load = Callable[[Material, int], tuple[Codes, Coding]]
"""Returns the codes of a stored material for one side to move, and their coding."""


def contradiction(layout: Layout, side: int, index: int, codes: Source, coding: Coding) -> CorruptTableError:
    """The error that names a position whose code contradicts its moves."""
    position = layout.position(index, side)
    assert position is not None
    code = int(codes[index : index + 1][0])
    value = coding.value(code)
    stored = str(value.outcome) if value.distance is None else f"{value.outcome} in {value.distance}"
    stored = "draw without a legal move" if code == STALEMATE else stored
    return CorruptTableError(f"{render(layout.game, position)} is stored as a {stored}, which its moves contradict")
