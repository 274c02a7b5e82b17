"""Slices as the bit-row kernels see them, to and from the sets of squares that their naive twins work on."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from twins import naive
from twins import rows as naive_rows
from twins.rows import Address, Addresses, Sets

from support import toys
from support.solved import Solved
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.slices.indexing import Layout, layout_of
from tablebase.slices.material import Material, parse_material
from tablebase.solvers.bitrow.arrays import NOTHING_DUE, RowArrays, State, Words, compile_rows
from tablebase.solvers.compiled import Int32
from tablebase.solvers.registry import compile_slice
from tablebase.tables.values import NARROW, Value
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
SLICES = [
    pytest.param(toys.pond(), "RTvRL", id="pond"),
    pytest.param(toys.twins(), "PKvPK", id="twins"),
    pytest.param(toys.hunt(), "HvFC", id="hunt"),
    pytest.param(toys.skaters(3, 4), "ABvC", id="skaters-odd"),
    pytest.param(toys.skaters(4, 3), "ABvC", id="skaters-even"),
    pytest.param(GAME, "RvC", id="RvC"),
    pytest.param(GAME, "CvW", id="CvW"),
]
TINY = [pytest.param(toys.shelter(ending), "AvXY", id=f"shelter-{ending}") for ending in ("win", "draw", "loss", "gate")]
TINY.append(pytest.param(toys.corners(3, 3), "AvC", id="corners"))
all_slices = pytest.mark.parametrize(("game", "name"), SLICES + TINY)
large_slices = pytest.mark.parametrize(("game", "name"), SLICES)
both_sides = pytest.mark.parametrize("side", [0, 1])


class View(NamedTuple):
    """A slice, its layout and its rows."""

    game: Game
    material: Material
    own: Layout
    arrays: RowArrays

    def positions(self, side: int) -> dict[Address, Position]:
        """What stands where."""
        return naive_rows.positions(self.game, self.material, side)

    def everywhere(self, some: set[Position], side: int) -> Addresses:
        """All addresses of some positions."""
        there = naive_rows.addresses(self.game, self.material, side)
        return set().union(*(there[position] for position in some))

    def squares(self, row: int) -> list[int]:
        """Square of each slot but the row piece's, also where pieces share one."""
        return squares_of_rows(self.own)[row]


@cache
def squares_of_rows(own: Layout) -> list[list[int]]:
    """Square of each slot but the row piece's, for each row."""
    first = np.arange(0, own.size, own.row_length)
    squares: list[list[int]] = own.squares_many(first)[0][:, :-1].tolist()
    return squares


@cache
def view(solved: Solved, game: Game, name: str) -> View:
    """A slice as rows."""
    material = parse_material(game, name)
    problem = compile_slice(game, material, solved(game).load, NARROW)
    return View(game, material, layout_of(game, material), compile_rows(problem))


def scatter(rng: Random, some: Addresses, share: float) -> Addresses:
    """A random part of some addresses."""
    return {address for address in sorted(some) if rng.random() < share}


def some_positions(rng: Random, seen: View, side: int, share: float) -> Addresses:
    """Addresses of random positions, both images of each."""
    chosen = scatter(rng, set(seen.positions(side)), share)
    return seen.everywhere({seen.positions(side)[address] for address in chosen}, side)


# Sets <-> words


def as_words(arrays: RowArrays, some: Addresses) -> Words:
    """A word a row."""
    words = np.zeros(arrays.rows, dtype=np.uint64)
    rows, squares = np.array(sorted(some), dtype=np.uint64).reshape(-1, 2).T
    np.bitwise_or.at(words, rows.astype(np.int64), np.uint64(1) << squares)
    return words


def as_addresses(words: Words) -> Addresses:
    """The addresses in the words."""
    rows, squares = np.nonzero(words[:, None] >> np.arange(naive_rows.WORD, dtype=np.uint64) & np.uint64(1))
    return set(zip(rows.tolist(), squares.tolist(), strict=True))


def row_list(arrays: RowArrays, some: Addresses) -> Int32:
    """The rows of some addresses, in no order, with room for all rows."""
    listed = sorted({row for row, _ in some}, key=lambda row: row * 7919 % 104729)
    return np.array(listed + [-1] * (arrays.rows - len(listed)), dtype=np.int32)


def as_state(seen: View, sets: Sets) -> State:
    """The words and codes that the kernels work on."""
    arrays = seen.arrays
    digits = {square: digit for digit, square in enumerate(seen.own.groups[-1].squares)}
    codes = np.zeros(seen.own.size, dtype=NARROW.dtype)
    for (row, square), value in sets.values.items():
        codes[row * arrays.length + digits[square]] = as_code(value)
    due = np.full(arrays.rows, NOTHING_DUE, dtype=np.uint16)
    due[list(sets.due)] = list(sets.due.values())
    known, won, shut, ripe, fresh, found = (
        as_words(arrays, some) for some in (sets.known, sets.won, sets.shut, sets.ripe, sets.fresh, sets.found)
    )
    return State(codes, known, won, shut, ripe, due, fresh, row_list(arrays, sets.fresh), found, row_list(arrays, sets.found))


def as_sets(seen: View, state: State) -> Sets:
    """What the kernels have made of it."""
    squares = seen.own.groups[-1].squares
    codes = {divmod(int(index), len(squares)): int(state.codes[index]) for index in np.flatnonzero(state.codes)}
    words = [as_addresses(some) for some in (state.known, state.won, state.shut, state.ripe, state.fresh, state.predecessors)]
    due = {int(row): int(state.due[row]) for row in np.flatnonzero(state.due != NOTHING_DUE)}
    values = {(row, squares[digit]): as_value(code) for (row, digit), code in codes.items()}
    return Sets(*words, due=due, values=values)


@cache
def as_code(value: naive.Pair) -> int:
    """One-byte code of a naive value."""
    special = {naive_rows.STALEMATE: 1, naive_rows.VOID: 255}
    return special[value] if value in special else NARROW.code(Value(Outcome(value[0]), value[1]))


@cache
def as_value(code: int) -> naive.Pair:
    """Naive value of a one-byte code other than a draw's."""
    special = {1: naive_rows.STALEMATE, 255: naive_rows.VOID}
    return special[code] if code in special else (NARROW.value(code).outcome.value, NARROW.value(code).distance)


def check_rows(found: Int32, count: int, words: Words) -> None:
    """The first rows listed, as many as are counted, are those with something in their word, each once."""
    assert sorted(found[:count].tolist()) == np.flatnonzero(words).tolist()
