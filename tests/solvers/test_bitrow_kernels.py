"""The kernels of the bit-row engine, step by step, against naive twins that know sets of squares only."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from support import toys
from support.rowviews import (
    all_slices,
    as_addresses,
    as_sets,
    as_state,
    as_words,
    both_sides,
    check_rows,
    large_slices,
    scatter,
    some_positions,
    view,
)
from support.solved import Solved
from twins import naive
from twins import rows as naive_rows
from twins.rows import Address, Sets

from tablebase.game import Game
from tablebase.solvers.bitrow import solve as bitrow
from tablebase.solvers.bitrow.captures import look
from tablebase.tables.values import NARROW

LEVELS = 12


def test_states_are_compared_whole(solved: Solved) -> None:
    """Sets turned into words and back are the same, and differ where one address differs."""
    seen = view(solved, toys.pond(), "RTvRL")
    sets = naive_rows.look(toys.pond(), seen.material, 0)
    assert as_sets(seen, as_state(seen, sets)) == sets
    for name in ("known", "shut", "ripe"):
        some = getattr(sets, name)
        other = replace(sets, **{name: some - {min(some)}})
        assert as_sets(seen, as_state(seen, other)) != sets


@both_sides
@all_slices
def test_the_first_look(solved: Solved, game: Game, name: str, side: int) -> None:
    """`look` finds the best capture of every position; all words, codes and next distances are those of the twin."""
    seen = view(solved, game, name)
    state = as_state(seen, Sets())
    last = look(seen.arrays, side, state)
    expected = naive_rows.look(game, seen.material, side)
    assert as_sets(seen, state) == expected
    assert last == max((distance or 0 for _, distance in expected.values.values()), default=0)


@pytest.mark.parametrize("seed", range(3))
@large_slices
def test_what_is_due_enters(solved: Solved, game: Game, name: str, seed: int) -> None:
    """`_enter` makes known what waits for a distance, beside what is fresh already; what came otherwise waits no more."""
    rng = Random(seed)
    seen = view(solved, game, name)
    here = set(seen.positions(0))
    known, ripe = scatter(rng, here, 0.3), scatter(rng, here, 0.4)
    values: dict[Address, naive.Pair] = {one: ("loss", rng.randrange(0, LEVELS, 2)) for one in ripe}
    values |= {one: ("win", rng.randrange(1, LEVELS, 2)) for one in scatter(rng, ripe, 0.5)}
    sets = Sets(known, scatter(rng, known, 0.5), set(known), ripe, scatter(rng, known, 0.1), values=values)
    sets.wait(ripe)
    state = as_state(seen, sets)
    fresh = len({row for row, _ in sets.fresh})
    for level in range(LEVELS):
        fresh = bitrow._enter(seen.arrays, state, fresh, level)
        naive_rows.enter(sets, level)
        assert as_sets(seen, state) == sets
        check_rows(state.fresh_rows, fresh, state.fresh)
    assert sets.fresh >= ripe - known
    assert not sets.ripe


@pytest.mark.parametrize("level", [0, 1])
@both_sides
@large_slices
def test_stepping_back(solved: Solved, game: Game, name: str, side: int, level: int) -> None:
    """`_step_back` finds the parents of what is fresh: after losses those not known, after wins those not shut."""
    rng = Random(level)
    seen = view(solved, game, name)
    here = set(seen.positions(1 - side))
    fresh = some_positions(rng, seen, side, 0.1)
    known = scatter(rng, here, 0.2)
    parents = Sets(known, shut=known | scatter(rng, here, 0.2))
    state, above = as_state(seen, Sets(fresh=fresh)), as_state(seen, parents)
    found = bitrow._step_back(seen.arrays, side, state, len({row for row, _ in fresh}), above, level)
    closed = parents.shut if level else parents.known
    parents.found = naive_rows.step_back(game, seen.material, fresh, closed, 1 - side)
    assert parents.found
    assert as_sets(seen, above) == parents
    assert as_sets(seen, state) == Sets()
    check_rows(above.predecessor_rows, found, above.predecessors)


@large_slices
def test_settling_wins(solved: Solved, game: Game, name: str) -> None:
    """`_settle_wins` makes all that was found a win of the distance, whatever captures would give, and nothing else."""
    rng = Random(0)
    seen = view(solved, game, name)
    here = set(seen.positions(0))
    found = scatter(rng, here, 0.3)
    known = scatter(rng, here - found, 0.3)
    values: dict[Address, naive.Pair] = dict.fromkeys(scatter(rng, here, 0.3), ("loss", 20))
    sets = Sets(known, scatter(rng, known, 0.5), known | scatter(rng, here, 0.3), found=found, values=values)
    state = as_state(seen, sets)
    fresh = bitrow._settle_wins(seen.arrays, state, len({row for row, _ in found}), 7)
    naive_rows.settle_wins(sets, 7)
    assert as_sets(seen, state) == sets
    check_rows(state.fresh_rows, fresh, state.fresh)


@both_sides
@large_slices
def test_settling_losses(solved: Solved, game: Game, name: str, side: int) -> None:
    """`_settle_losses` keeps who has a quiet move left, lets wait whose capture loses later, and decides the others."""
    rng = Random(side)
    seen = view(solved, game, name)
    here = set(seen.positions(side))
    won = some_positions(rng, seen, 1 - side, 0.9)
    found = scatter(rng, here, 0.7)
    values: dict[Address, naive.Pair] = {one: ("loss", rng.randrange(0, 20, 2)) for one in scatter(rng, here, 0.6)}
    ripe = scatter(rng, set(values) - found, 0.2)
    sets = Sets(shut=set(ripe), found=found, values=values)
    sets.wait(ripe)
    state, rivals = as_state(seen, sets), as_words(seen.arrays, won)
    fresh = bitrow._settle_losses(seen.arrays, side, state, rivals, len({row for row, _ in found}), 8)
    naive_rows.settle_losses(game, seen.material, side, sets, won, 8)
    assert as_sets(seen, state) == sets
    check_rows(state.fresh_rows, fresh, state.fresh)
    assert sets.fresh
    assert sets.ripe > ripe
    assert sets.fresh | sets.ripe < found | ripe


@both_sides
@large_slices
def test_finishing(solved: Solved, game: Game, name: str, side: int) -> None:
    """`_finish` makes a draw of all positions that are not known and void of all else that has an index."""
    rng = Random(side)
    seen = view(solved, game, name)
    here = set(seen.positions(side))
    values: dict[Address, naive.Pair] = dict.fromkeys(scatter(rng, here, 0.8), ("loss", 4))
    sets = Sets(scatter(rng, here, 0.5), values=values)
    state = as_state(seen, sets)
    bitrow._finish(seen.arrays, state, NARROW.void)
    naive_rows.finish(game, seen.material, side, sets)
    assert as_sets(seen, state) == sets


@all_slices
def test_each_distance_becomes_known_at_its_level(solved: Solved, game: Game, name: str) -> None:
    """After `_enter`, fresh is just what the naive solution decides at that distance, for both sides to move."""
    seen = view(solved, game, name)
    values = naive.solve(game, seen.material.kinds)
    states = [as_state(seen, Sets()) for _ in (0, 1)]
    for side in (0, 1):
        look(seen.arrays, side, states[side])
    fresh = [0, 0]
    for level in range(2 + max(distance or 0 for _, distance in values.values())):
        for side in (0, 1):
            fresh[side] = bitrow._enter(seen.arrays, states[side], fresh[side], level)
            decided = {address for address, position in seen.positions(side).items() if values[position][1] == level}
            assert as_addresses(states[side].fresh) == decided
        found = [bitrow._step_back(seen.arrays, side, states[side], fresh[side], states[1 - side], level) for side in (0, 1)]
        for side, other in ((0, 1), (1, 0)):
            if level % 2 == 0:
                fresh[side] = bitrow._settle_wins(seen.arrays, states[side], found[other], level + 1)
            else:
                fresh[side] = bitrow._settle_losses(seen.arrays, side, states[side], states[other].won, found[other], level + 1)
