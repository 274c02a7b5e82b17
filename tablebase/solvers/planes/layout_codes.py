"""The last step of the solver of planes: from planes to the rows of the layout."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tablebase.positions.indexing import Layout
from tablebase.positions.slice_arrays import Int64
from tablebase.solvers.planes.arrays import ROWS, Planes, State
from tablebase.system.compute.jit import jit
from tablebase.system.compute.pointers import bare
from tablebase.system.compute.vectors import ELEMENTS, chosen, lanes_of, load, store
from tablebase.tables.values import DRAW, Codes


class CodeOutput(NamedTuple):
    """Which parts of a plane the layout numbers; Q squares of the file piece, R runs of squares of the row piece."""

    file_rows: int  # Q
    runs: int  # R
    files: Int64  # (Q,) rows of a plane, in order
    begin: Int64  # (R,) first square of a run of neighbouring squares
    length: Int64  # (R,)


def compile_output(layout: Layout) -> CodeOutput:
    """Return the squares of each plane that the layout numbers."""
    file = np.array(layout.groups[-2].squares, dtype=np.int64)
    squares = np.array(layout.groups[-1].squares, dtype=np.int64)
    begins = np.flatnonzero(np.diff(squares, prepend=-2) != 1)
    # The file piece is the lead if there are two pieces.
    files = file if len(layout.groups) > 2 else file[layout.lead.rank]
    return CodeOutput(len(files), len(begins), files, squares[begins], np.diff(begins, append=len(squares)))


@jit
def write_codes(planes: Planes, state: State, output: CodeOutput, written: Codes, void: int, first: int, last: int) -> bool:
    """Write the codes of all indices in the planes from `first` up to `last`, draws and void ones included.

    Return False if something waits that has no code. Where there is room, whole vectors are written, of which the next row
    overwrites the end. Words, codes and what is written begin with the plane `State.origin`.
    """
    planes, state, output = bare(planes), bare(state), bare(output)
    known, codes = state.known, state.codes
    nothing, draw = lanes_of(void, codes), lanes_of(DRAW, codes)
    row_length = np.int64(0)
    for run in range(output.runs):
        row_length += output.length[run]
    plane_length = output.file_rows * row_length
    place, end = (first - state.origin) * plane_length, (last - state.origin) * plane_length
    fits = True
    for plane in range(first, last):
        occupied = planes.occupied[plane]
        for number in range(output.file_rows):
            file = output.files[number]
            row = (plane - state.origin) * ROWS + file
            bit = np.uint64(1) << np.uint64(file)
            legal = np.uint64(0) if occupied & bit else planes.row_home & ~(occupied | bit)
            found = load(codes, row * ROWS)
            # A win in the first distance beyond the coding has the code of void.
            fits = fits and not (found == nothing) & legal
            store(codes, row * ROWS, chosen(legal, chosen(known[row], found, draw), nothing))
            for run in range(output.runs):
                begin = row * ROWS + output.begin[run]
                if place + ELEMENTS <= end:
                    store(written, place, load(codes, begin))
                else:
                    for i in range(output.length[run]):
                        written[place + i] = codes[begin + i]
                place += output.length[run]
    return fits
