"""Slices as the kernels of planes see them, to and from the sets of squares that their naive twins work on."""

from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from twins import naive
from twins import rows as naive_rows
from twins.rows import Address, Addresses, Sets

from support import toys
from support.checks import thinned
from support.solved import Solved
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.positions.indexing import Layout, layout_of
from tablebase.positions.material import Material, parse_material
from tablebase.solvers.planes.arrays import ROWS, UNITS, Planes, Scratch, State, Words, new_scratch, new_state
from tablebase.solvers.planes.captures import look, set_illegal
from tablebase.solvers.planes.children import Children, compile_children
from tablebase.solvers.planes.slices import compile_planes
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
    pytest.param(toys.sisters(), "ABvC", id="sisters"),
    pytest.param(GAME, "RvC", id="RvC"),
    pytest.param(GAME, "CvW", id="CvW"),
]
TINY = [pytest.param(toys.shelter(ending), "AvXY", id=f"shelter-{ending}") for ending in ("win", "draw", "loss", "gate")]
TINY.append(pytest.param(toys.corners(3, 3), "AvC", id="corners"))
all_slices = pytest.mark.parametrize(("game", "name"), thinned(SLICES + TINY, 2))
large_slices = pytest.mark.parametrize(("game", "name"), SLICES)
both_sides = pytest.mark.parametrize("side", [0, 1])

Spot = tuple[int, int]
"""Row of all planes, and bit."""
Units = set[tuple[int, int]]
"""Planes, and numbers of units in them."""


class Places(NamedTuple):
    """All numbered positions, and the two bits of each; they are the same but in a plane of two pieces."""

    here: list[Address]
    rows: NDArray[np.int64]  # (positions, 2)
    bits: NDArray[np.int64]


class View(NamedTuple):
    """A slice, its layout and its planes."""

    game: Game
    material: Material
    own: Layout
    planes: Planes
    children: Children
    scratch: Scratch

    @property
    def places(self) -> Places:
        """Where the positions are."""
        return _places(self.own)

    def positions(self, side: int) -> dict[Address, Position]:
        """What stands where."""
        return naive_rows.positions(self.game, self.material, side)

    def spots(self, address: Address) -> set[Spot]:
        """The bits that stand for a numbered position; in a plane of two pieces its mirror image has a bit, too."""
        return _spots(self.own, address)


@cache
def _spots(own: Layout, address: Address) -> set[Spot]:
    row, square = address
    files = own.groups[-2].squares
    if len(own.groups) > 2:
        plane, digit = divmod(row, len(files))
        return {(plane * ROWS + files[digit], square)}
    file = files[int(own.lead.rank[row])]
    image = own.game.mirror or range(ROWS)
    return {(file, square), (image[file], image[square])}


@cache
def _places(own: Layout) -> Places:
    here = sorted(naive_rows.positions(own.game, own.material, 0))
    spots = np.array([(min(_spots(own, address)), max(_spots(own, address))) for address in here], dtype=np.int64)
    return Places(here, spots[..., 0], spots[..., 1])


@cache
def view(solved: Solved, game: Game, name: str) -> View:
    material = parse_material(game, name)
    problem = compile_slice(game, material, solved(game).load, NARROW)
    planes = compile_planes(problem)
    return View(game, material, layout_of(game, material), planes, compile_children(problem), new_scratch(planes))


def looked_at(seen: View) -> list[State]:
    states = [new_state(seen.planes, NARROW.dtype) for _ in (0, 1)]
    for state in states:
        set_illegal(seen.planes, state, 0, seen.planes.size)
    for side in (0, 1):
        look(seen.planes, seen.children, side, states[side], states[1 - side], seen.scratch, 0, seen.planes.size)
    return states


def units_of(seen: View, some: Addresses) -> Units:
    spots = set().union(*(seen.spots(address) for address in some))
    return {(row // ROWS, row % ROWS // 8) for row, _ in spots}


def as_units(some: NDArray[np.uint8]) -> Units:
    return {(plane, unit) for plane, units in enumerate(some.tolist()) for unit in range(UNITS) if units >> unit & 1}


def set_units(some: NDArray[np.uint8], units: Units) -> None:
    for plane, unit in units:
        some[plane] |= 1 << unit


def dirty_units(state: State, level: int) -> Units:
    return as_units(state.dirty[level % 2 * state.span :][: state.span])


def fill_words(seen: View, words: Words, some: Addresses, outside: bool) -> None:
    """Write a set to words, in which all that is no position is a member or not."""
    words[:] = 0
    for address in some:
        for row, bit in seen.spots(address):
            words[row] |= np.uint64(1 << bit)
    if outside:
        words |= illegal(seen)


def illegal(seen: View) -> Words:
    words = np.zeros(seen.planes.size * ROWS, dtype=np.uint64)
    np.bitwise_or.at(words, seen.places.rows, np.uint64(1) << seen.places.bits.astype(np.uint64))
    return ~words


def as_state(seen: View, sets: Sets, level: int = 0) -> State:
    """The words and codes that the kernels work on; what is fresh makes its units dirty at a distance."""
    state = new_state(seen.planes, NARROW.dtype)
    fill_words(seen, state.known, sets.known, True)
    fill_words(seen, state.won, sets.won, True)
    fill_words(seen, state.shut, sets.shut, True)
    fill_words(seen, state.fresh, sets.fresh, False)
    state.codes[:] = 0
    state.due[:] = NARROW.void
    for address, value in sets.values.items():
        for row, bit in seen.spots(address):
            state.codes[row * ROWS + bit] = as_code(value)
    for address in sets.ripe:
        for row, bit in seen.spots(address):
            state.due[row] = min(state.due[row], state.codes[row * ROWS + bit])
    state.plane_due[: seen.planes.size] = state.due.reshape(-1, ROWS).min(axis=1)
    set_units(state.dirty[level % 2 * state.span :], units_of(seen, sets.fresh))
    return state


def as_sets(seen: View, state: State) -> Sets:
    """What the kernels have made of it; asserts that both bits of a position agree, and what holds of all that is none."""
    outside = illegal(seen)
    for words in (state.known, state.won, state.shut):
        assert np.array_equal(words & outside, outside)
    assert not (state.fresh & outside).any()
    sets = Sets()
    here, rows, bits = seen.places
    words = (state.known, state.won, state.shut, state.fresh)
    flags = np.stack([word[rows] >> bits.astype(np.uint64) & np.uint64(1) for word in words] + [state.codes[rows * ROWS + bits]])
    assert np.array_equal(flags[..., 0], flags[..., 1])
    for address, (known, won, shut, fresh, code) in zip(here, flags[..., 0].T.tolist(), strict=True):
        for member, some in ((known, sets.known), (won, sets.won), (shut, sets.shut), (fresh, sets.fresh)):
            if member:
                some.add(address)
        if code:
            sets.values[address] = as_value(code)
        if shut and not known and code:
            sets.ripe.add(address)
    return sets


def check_due(seen: View, state: State, sets: Sets) -> None:
    """No row is due later than anything that waits in it, and a plane is due with the first of its rows."""
    for address in sets.ripe:
        for row, _ in seen.spots(address):
            assert state.due[row] <= as_code(sets.values[address])
    assert np.array_equal(state.plane_due[: seen.planes.size], state.due.reshape(-1, ROWS).min(axis=1))


def random_units(rng: Random, seen: View, share: float) -> Units:
    everywhere = {(plane, unit) for plane in range(seen.planes.size) for unit in range(UNITS)}
    return scatter(rng, everywhere, share)


def scatter(rng: Random, some: Addresses, share: float) -> Addresses:
    return {address for address in sorted(some) if rng.random() < share}


@cache
def as_code(value: naive.Pair) -> int:
    special = {naive_rows.STALEMATE: 1, naive_rows.VOID: 255}
    return special[value] if value in special else NARROW.code(Value(Outcome(value[0]), value[1]))


@cache
def as_value(code: int) -> naive.Pair:
    special = {1: naive_rows.STALEMATE, 255: naive_rows.VOID}
    return special[code] if code in special else (NARROW.value(code).outcome.value, NARROW.value(code).distance)
