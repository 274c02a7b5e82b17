"""The kernels of the solver of planes, step by step, against naive twins that know sets of squares only."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support import toys
from support.checks import before_release
from support.planeviews import (
    Units,
    View,
    all_slices,
    as_sets,
    as_state,
    as_units,
    both_sides,
    check_due,
    dirty_units,
    illegal,
    large_slices,
    looked_at,
    random_units,
    scatter,
    set_units,
    units_of,
    view,
)
from support.solved import Solved
from twins import naive
from twins import rows as naive_rows
from twins.rows import Address, Addresses, Sets

from tablebase.game import Game
from tablebase.solvers.planes import solve as planes
from tablebase.solvers.planes.layout_codes import compile_output, write_codes
from tablebase.tables.values import NARROW

LEVELS = 12


def inside(sets: Sets, seen: View) -> Sets:
    """The sets without addresses of no position, and without distances of rows, which planes count otherwise."""
    here = seen.positions(0).keys()
    known, won, shut, ripe = (some & here for some in (sets.known, sets.won, sets.shut, sets.ripe))
    return replace(sets, known=known, won=won, shut=shut, ripe=ripe - known, due={})


def some_positions(rng: Random, seen: View, side: int, share: float) -> Addresses:
    """Addresses of random positions, both images of each."""
    there = naive_rows.addresses(seen.game, seen.material, side)
    chosen = scatter(rng, set(seen.positions(side)), share)
    return set().union(*(there[seen.positions(side)[address]] for address in chosen))


def some_units(rng: Random, seen: View) -> Units:
    """Random units; where both mirror images of a position have bits, all of them."""
    return random_units(rng, seen, 0.8 if seen.planes.outer else 1)


def symmetric(seen: View, sets: Sets, side: int) -> Sets:
    """The sets in which of two addresses of one position both or none are members, with the same value."""
    homes = naive_rows.addresses(seen.game, seen.material, side)
    here = seen.positions(side)

    def both(some: Addresses) -> Addresses:
        return set().union(*(homes[here[address]] for address in some))

    values = {one: value for address, value in sets.values.items() for one in homes[here[address]]}
    fields = {name: both(getattr(sets, name)) for name in ("known", "won", "shut", "ripe")}
    return replace(sets, values=values, **fields)


@both_sides
@all_slices
def test_the_first_look(solved: Solved, game: Game, name: str, side: int) -> None:
    """`look` finds the best capture of every position; all words, codes and next distances are those of the twin."""
    seen = view(solved, game, name)
    state = looked_at(seen)[side]
    state.fresh[:] = 0
    expected = naive_rows.look(game, seen.material, side)
    found = as_sets(seen, state)
    assert found == inside(expected, seen)
    exact = as_state(seen, replace(found, fresh=set()))
    assert np.array_equal(state.due, exact.due)
    assert np.array_equal(state.plane_due, exact.plane_due)
    assert np.array_equal(state.won, illegal(seen))


@pytest.mark.parametrize("seed", [0, *before_release(1, 2)])
@large_slices
def test_what_is_due_enters(solved: Solved, game: Game, name: str, seed: int) -> None:
    """`enter` makes known what waits for a distance, beside what is fresh already; what came otherwise waits no more."""
    rng = Random(seed)
    seen = view(solved, game, name)
    here = set(seen.positions(0))
    due, known = scatter(rng, here, 0.4), scatter(rng, here, 0.3)
    values: dict[Address, naive.Pair] = {one: ("loss", rng.randrange(0, LEVELS, 2)) for one in due}
    values |= {one: ("win", rng.randrange(1, LEVELS, 2)) for one in scatter(rng, due, 0.5)}
    sets = symmetric(seen, Sets(known, scatter(rng, known, 0.5), known | due, ripe=due, values=values), 0)
    due = set(sets.ripe)
    sets.wait(due)
    state = as_state(seen, sets)
    for level in range(LEVELS):
        before = set(sets.known)
        waits = planes.enter(state, level, 0, seen.planes.size)
        naive_rows.enter(sets, level)
        assert not waits or any(sets.distance(address) >= level for address in due)
        if level % 2:
            # A fresh win is a dirty unit and no more.
            sets.fresh -= sets.known - before
        sets.shut |= sets.known
        found = as_sets(seen, state)
        assert found == inside(sets, seen)
        check_due(seen, state, found)
        assert dirty_units(state, level) == units_of(seen, sets.known - before)
        planes.clean(state, level, 0, seen.planes.size)
        sets.fresh = set()
    assert not planes.enter(state, LEVELS, 0, seen.planes.size)
    assert sets.known >= due


@both_sides
@large_slices
def test_marking(solved: Solved, game: Game, name: str, side: int) -> None:
    """`mark` finds every unit with a parent of a position in a dirty unit, and none if nothing is dirty."""
    rng = Random(side)
    seen = view(solved, game, name)
    below = naive_rows.children(game, seen.material, side)
    for level in (2, 3):
        state, other = as_state(seen, Sets()), as_state(seen, Sets())
        planes.mark(seen.planes, side, other, state, level)
        assert not as_units(state.todo)
        fresh = some_positions(rng, seen, 1 - side, 0.02)
        set_units(other.dirty[level % 2 * other.span :], units_of(seen, fresh))
        planes.mark(seen.planes, side, other, state, level)
        assert as_units(state.todo) >= units_of(seen, {one for one, some in below.items() if any(child & fresh for child in some)})
        planes.clean(other, level, 0, seen.planes.size)
        assert not other.dirty.any()


def test_marking_stays_near(solved: Solved) -> None:
    """From one dirty unit of a plane unmoves lead to few planes: of two pieces with four steps at most, to eight and itself."""
    seen = view(solved, toys.twins(), "PKvPK")
    state, other = as_state(seen, Sets()), as_state(seen, Sets())
    marked = set()
    for plane in range(seen.planes.size):
        other.dirty[plane] = 1
        planes.mark(seen.planes, 0, other, state, 0)
        marked.add(len({one for one, _ in as_units(state.todo)}))
        other.dirty[plane] = 0
        state.todo[:] = 0
    assert 1 < max(marked) <= 9


@both_sides
@large_slices
def test_settling_wins(solved: Solved, game: Game, name: str, side: int) -> None:
    """`settle_wins` makes all unknown parents of fresh losses in the marked units wins of the next distance, and nothing else."""
    rng = Random(side)
    seen = view(solved, game, name)
    here = set(seen.positions(side))
    known = scatter(rng, here, 0.2)
    values: dict[Address, naive.Pair] = dict.fromkeys(scatter(rng, here, 0.3), ("loss", 20))
    sets = symmetric(seen, Sets(known, scatter(rng, known, 0.5), known | scatter(rng, here, 0.3), values=values), side)
    sets.ripe = sets.shut & sets.values.keys()
    fresh = some_positions(rng, seen, 1 - side, 0.1)
    state, other = as_state(seen, sets), as_state(seen, Sets(fresh=fresh), 6)
    todo = some_units(rng, seen)
    set_units(state.todo, todo)
    planes.settle_wins(seen.planes, side, state, other, seen.scratch, 6, 0, seen.planes.size)
    parents = naive_rows.step_back(game, seen.material, fresh, sets.known, side)
    sets.found = {address for address in parents if units_of(seen, {address}) <= todo}
    found = set(sets.found)
    naive_rows.settle_wins(sets, 7)
    sets.fresh = set()
    assert found
    assert found < parents or game.name != "pond"
    assert as_sets(seen, state) == inside(sets, seen)
    assert dirty_units(state, 7) == units_of(seen, found)
    assert not state.todo.any()


@both_sides
@large_slices
def test_settling_losses(solved: Solved, game: Game, name: str, side: int) -> None:
    """`settle_losses` keeps who has a quiet move left, lets wait whose capture loses later, and decides the others."""
    rng = Random(side)
    seen = view(solved, game, name)
    here = set(seen.positions(side))
    won = some_positions(rng, seen, 1 - side, 0.9)
    values: dict[Address, naive.Pair] = {one: ("loss", rng.randrange(2, 20, 2)) for one in scatter(rng, here, 0.6)}
    ripe = scatter(rng, set(values), 0.2)
    shut = ripe | scatter(rng, here - values.keys(), 0.2)
    sets = symmetric(seen, Sets(shut=shut, ripe=ripe, values=values), side)
    sets.ripe = sets.shut & sets.values.keys()
    ripe = set(sets.ripe)
    state, other = as_state(seen, sets), as_state(seen, Sets(known=set(won), won=won))
    todo = some_units(rng, seen)
    set_units(state.todo, todo)
    planes.settle_losses(seen.planes, side, state, other, seen.scratch, 7, 0, seen.planes.size)
    sets.found = {address for address in here - sets.shut if units_of(seen, {address}) <= todo}
    candidates = set(sets.found)
    naive_rows.settle_losses(game, seen.material, side, sets, won, 8)
    sets.shut |= sets.fresh
    found = as_sets(seen, state)
    assert found == inside(sets, seen)
    check_due(seen, state, found)
    assert dirty_units(state, 8) == units_of(seen, sets.fresh)
    assert not state.todo.any()
    assert sets.fresh
    assert sets.ripe > ripe
    assert sets.fresh | sets.ripe < candidates | ripe


@both_sides
@large_slices
def test_writing_codes(solved: Solved, game: Game, name: str, side: int) -> None:
    """`write_codes` makes a draw of all positions that are not known and void of all else that has an index."""
    rng = Random(side)
    seen = view(solved, game, name)
    here = set(seen.positions(side))
    values: dict[Address, naive.Pair] = dict.fromkeys(scatter(rng, here, 0.8), ("loss", 4))
    sets = symmetric(seen, Sets(scatter(rng, here, 0.5), values=values), side)
    state = as_state(seen, sets)
    written = np.empty(seen.own.size, dtype=NARROW.dtype)
    output = compile_output(seen.own)
    half = seen.planes.size // 2
    # Each part is written without touching the other one.
    for first, last in ((half, seen.planes.size), (0, half)):
        assert write_codes(seen.planes, state, output, written, NARROW.void, first, last)
    squares = seen.own.groups[-1].squares
    expected = np.full(seen.own.size, NARROW.void, dtype=NARROW.dtype)
    for row, square in here:
        code = 6 if (row, square) in sets.known and (row, square) in sets.values else 0
        expected[row * len(squares) + squares.index(square)] = code
    assert np.array_equal(written, expected)
    # A waiting win in the first distance that has no code.
    row, bit = min(seen.spots(min(here - sets.known)))
    state.codes[row * 64 + bit] = NARROW.void
    assert not write_codes(seen.planes, state, output, written, NARROW.void, 0, seen.planes.size)
