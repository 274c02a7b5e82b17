"""Records of settled positions by kernels: as codes, or in a log where there is no memory for codes.

Which of the two is decided when a kernel is compiled, by the type of its state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import overload

from tablebase.solvers.planes.arrays import ROWS, AnyState, Entries, State
from tablebase.system.compute.jit import inline
from tablebase.system.compute.vectors import chosen, fill, lanes_of, least, load
from tablebase.tables import values

# Numba's own functions have no annotations.
_overload: Any = overload

ENTRY = 3
"""Numbers of an entry."""

win_code = inline(values.win_code)


def record(state: AnyState, row: Any, word: Any, code: Any) -> None:
    """Note that the positions of a word, which is not 0, have a code."""


def delay(state: AnyState, plane: Any, row: Any, word: Any, code: Any) -> Any:
    """The positions of a word whose best capture loses later than with a code; they wait for it."""


@inline
def put(entries: Entries, place: Any, row: Any, word: Any) -> None:
    """Write an entry."""
    entries[place] = row
    entries[place + 1] = word & np.uint64(0xFFFFFFFF)
    entries[place + 2] = word >> np.uint64(32)


@inline
def word_at(entries: Entries, place: Any) -> Any:
    """The word of an entry."""
    return np.uint64(entries[place + 1]) | np.uint64(entries[place + 2]) << np.uint64(32)


@_overload(record, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _record(state: Any, row: Any, word: Any, code: Any) -> Callable[..., None]:  # noqa: ARG001 (Numba compares the names)
    return _record_code if state.instance_class is State else _record_entry


def _record_code(state: Any, row: Any, word: Any, code: Any) -> None:
    fill(state.codes, row * ROWS, word, code)


def _record_entry(state: Any, row: Any, word: Any, code: Any) -> None:  # noqa: ARG001 (one call has entries of one code)
    put(state.entries, state.end[0], row, word)
    state.end[0] += ENTRY


@_overload(delay, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _delay(state: Any, plane: Any, row: Any, word: Any, code: Any) -> Callable[..., Any]:  # noqa: ARG001
    return _delay_until_due if state.instance_class is State else _delay_until_entered


def _delay_until_due(state: Any, plane: Any, row: Any, word: Any, code: Any) -> Any:
    captures = load(state.codes, row * ROWS)
    delayed = (captures > lanes_of(code, state.codes)) & word
    if delayed:
        next_due = least(chosen(delayed, captures, lanes_of(-1, state.codes)))
        state.due[row] = min(state.due[row], next_due)
        state.plane_due[plane] = min(state.plane_due[plane], next_due)
    return delayed


def _delay_until_entered(state: Any, plane: Any, row: Any, word: Any, code: Any) -> Any:  # noqa: ARG001
    return word & state.later[row]
