"""Chances that are forced: between true bounds, equal to those known otherwise, with any executor and in any order."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one
from support.deterministic import GOES_ON, DeterministicGame
from support.faults import EveryDistance, StoppedError
from support.pigs import Listed
from support.regions import settled, solve, too_many
from support.solved import Solved
from twins import pig as pig_twin

from tablebase.checking.chances import chances_error
from tablebase.functions.chance import iteration
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.compiled import Compiled, compiled
from tablebase.functions.chance.formulas import blocks_read, formulas_of, new_space
from tablebase.functions.chance.iteration import TOLERANCE, solve_layer
from tablebase.game import Game, Outcome, load_game
from tablebase.game.kernels import Int64, Layer, Region, alone, call_compiled
from tablebase.tables.checkpoints import discard
from tablebase_rules import pig
from tablebase_rules.harehedgehog import game

TINY = 1e-9
STRICT = {"carrots": 2, "cap": "strict"}
"""So small a cap that a table of the whole board takes a second."""
STRICT_WIDTH = 3
"""Numbers of carrots under it."""


def bounds(form: Compiled, chances: Int64, region: Region, text: str) -> tuple[float, float]:
    """L and U of the player to move in a stored state."""
    row = form.row(form.game.parse(text))
    assert row is not None
    number, player = call_compiled(form.kernels.index, region.rules, row)
    assert player == form.game.to_move(form.game.parse(text))
    return chances[0, number] / UNIT, (UNIT - chances[1, number]) / UNIT


# Pig


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        (pig.game(die=2, target=2), [0, 1]),
        (pig.game(die=2, target=3), [0, 1]),
        (pig.game(die=3, target=5), [0, 2, 3]),
        (Listed(3, 5, 2), [0, 2, 3]),
        (pig.game(die=6, target=12), [0, 2, 3, 4, 5, 6]),
    ],
    ids=["2-2", "2-3", "3-5", "listed", "6-12"],
)
def test_pig_is_solved_exactly(rules: pig.Pig, points: list[int]) -> None:
    """Every state that has a number; L and U enclose the twin's fraction, and nearly touch."""
    form = compiled(rules)
    region = form.region({})
    chances = solve(form.kernels, region)
    exact = pig_twin.win(points, rules.target)
    for (mine, other, total), chance in at_least_one(exact.items()):
        for text in (f"{mine},{other} 1 {total}", f"{other},{mine} 2 {total}"):
            if form.listed is None or rules.parse(text) in form.listed.numbers:
                lower, upper = bounds(form, chances, region, text)
                assert Fraction(lower) <= chance <= Fraction(upper)
                assert upper - lower < TINY
    if len(points) == 2:
        assert exact[0, 0, 0] == {2: Fraction(4, 7), 3: Fraction(6, 11)}[rules.target]


def test_pig_has_the_chances_that_it_always_had() -> None:
    """To the bit: of small blocks, each chance is computed from the latest ones, those of the same state included."""
    form = compiled(pig.game(die=3, target=8))
    digest = sha256(solve(form.kernels, form.region({})).tobytes()).hexdigest()
    assert digest[:16] == "8d7fd3d0d6c9df7d"


# The same with any executor


@cache
def race() -> tuple[Compiled, Region]:
    """Hare & Hedgehog with very few carrots."""
    form = compiled(game())
    return form, form.region(STRICT)


def solved_part(threads: int = 1, **given: Any) -> Int64:
    """The chances of the part in which somebody waits, or the mover stands on one of the last squares, as far as they go."""
    form, region = race()
    layer = Layer("late", (64 * 63 + 1 - 6 * 63) * region.block, region.size)
    chances = np.zeros((2, region.size), np.int64)
    list(solve_layer(form.kernels, region, layer, chances, threads, **given))
    return chances


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """One and three of them, also where blocks are so few that a thread has none."""
    monkeypatch.setattr(iteration, "GRAIN", 1)
    one, three = map(solved_part, (1, 3))
    assert len(np.unique(one)) > 5
    assert (one == three).all()


class Seldom(EveryDistance):
    """Saves after every few batches."""

    every = 1
    batches = 0

    def due(self) -> bool:
        """Now and then."""
        self.batches += 1
        return self.batches % self.every == 0


def with_checkpoints(table: Path, every: int, most: int | None = None) -> tuple[Int64, int]:
    """The chances of the part, with a checkpoint now and then, and how many batches they took; stopped after some checkpoints."""
    checkpoint = Seldom(table, most)
    checkpoint.every = every
    return solved_part(checkpoint=checkpoint), checkpoint.batches


def test_a_stopped_layer_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it was stopped, and however often, with the same bits in the end, and without computing anything twice."""
    monkeypatch.setattr(iteration, "GRAIN", 1)
    table = tmp_path / "late.h5"
    expected = solved_part()
    whole, batches = with_checkpoints(table, 10**9)
    assert (whole == expected).all()
    assert batches > 20
    for every, stops in ((1, 2), (batches // 2, 1)):
        for _ in range(stops):
            with pytest.raises(StoppedError):
                with_checkpoints(table, every, 1)
        found, left = with_checkpoints(table, 10**9)
        assert (found == expected).all()
        assert left == batches - stops * every
        discard(table)


def test_a_stopped_layer_goes_on_at_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two batches of a circle, not at its beginning, where other blocks might be computed first."""
    monkeypatch.setattr(iteration, "GRAIN", 1)
    begun: list[tuple[int, ...]] = []
    batches = iteration.Passes.batches
    monkeypatch.setattr(iteration.Passes, "batches", lambda self: begun.append(self.at) or batches(self))
    with pytest.raises(StoppedError):
        with_checkpoints(tmp_path / "late.h5", 1, 1)
    with_checkpoints(tmp_path / "late.h5", 10**9)
    # The second run begins with the first batch done.
    assert begun[:3] == [(0, 0, False), (0, 1, True), (0, 0, False)]


@pytest.mark.parametrize("alike", [alone, too_many])
def test_what_is_alike_changes_nothing(alike: Any) -> None:
    """States have the chances that they have alone, and those that a game wrongly says are alike are noticed."""
    form, region = race()
    blocks = at_least_one(range(0, region.size // region.block, 29))
    expected = settled(form.kernels, region, blocks)
    assert expected.any()
    assert (settled(replace(form.kernels, alike=alike), region, blocks) == expected).all()


# Caps


MERGED: dict[str, int | str] = {"carrots": 20, "cap": "merged"}


def near(text: str, distance: int, limits: Mapping[str, int | str]) -> list[int]:
    """The blocks that can be met from a state's within some steps; they have the same numbers under any cap."""
    form = compiled(game())
    region, kernels = form.region(limits), form.kernels
    row = form.row(game().parse(text))
    number, _ = call_compiled(kernels.index, region.rules, row)
    blocks = {int(number) // region.block}
    space = new_space(kernels)
    for _ in range(distance):
        marks = np.zeros(region.size // region.block, bool)
        for block in blocks:
            begin = block * region.block
            blocks_read(formulas_of(kernels, region.rules, begin, begin + region.block, space), region.block, marks)
        blocks |= set(np.flatnonzero(marks).tolist())
    return sorted(blocks)


def test_caps_are_the_tighter_the_higher_they_are() -> None:
    """Bounds with more carrots lie within those with fewer, and bounds under a merged cap within those under a strict one."""
    blocks = near("61:2:0,59:3:0 1", 2, MERGED)
    caps = [{"carrots": 6, "cap": "strict"}, {"carrots": 20, "cap": "strict"}, MERGED]
    form = race()[0]
    found = [settled(form.kernels, form.region(limits), blocks) for limits in caps]
    widths = [7, 21, 22]
    tables = [chances.reshape(2, -1, width, width) for chances, width in zip(found, widths, strict=True)]
    assert len({table.shape[1] for table in tables}) == 1
    for (wide, narrow), width in zip(pairwise(tables), widths, strict=False):
        common = narrow[:, :, :width, :width]
        assert (wide <= common + 100 * TOLERANCE).all()
        assert (wide < common).any()


@cache
def generous() -> tuple[Region, Int64]:
    """What nobody can force more than, whatever lies above the cap."""
    form, _ = race()
    region = form.region({**STRICT, "cap": "generous"})
    return region, solve(form.kernels, region)


def test_limits_contain_what_tables_with_more_carrots_can_force() -> None:
    """Under a generous cap, chances are no lower than those under a strict cap, be it the same or a higher one."""
    form, strict = race()
    region, most = generous()
    higher = form.region({"carrots": 4, "cap": "strict"})
    forced = solve(form.kernels, higher, 2).reshape(2, -1, 5, 5)[:, :, :STRICT_WIDTH, :STRICT_WIDTH]
    most = most.reshape(2, -1, STRICT_WIDTH, STRICT_WIDTH)
    assert (solve(form.kernels, strict).reshape(most.shape) <= forced).all()
    assert (forced <= most).all()
    assert (forced < most).any()
    # Limits are of use: many of them are not 1.
    assert (most.sum(axis=0) < 2 * UNIT).any()
    assert chances_error(form.kernels, region, region.layers[0], most.reshape(2, -1)) is None


@pytest.mark.parametrize(("text", "stalling"), [("4:0:0,3:2:0 1", 1), ("61:0:0,63:1:0 2", 0)])
def test_what_nobody_can_force(text: str, stalling: int) -> None:
    """Nobody can ever move; one step leads home."""
    region, most = generous()
    lower, upper = bounds(race()[0], most, region, text)
    assert max(upper - lower, 0) == stalling


def test_limits_tolerate_nothing() -> None:
    """Under a generous cap, chances rise to the last unit, whatever is tolerated elsewhere."""
    form, _ = race()
    region, most = generous()
    chances = np.zeros_like(most)
    for layer in region.layers:
        list(solve_layer(form.kernels, region, layer, chances, tolerance=UNIT >> 4))
    assert (chances == most).all()


# Layers


def test_the_first_layer_is_a_region_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has no lettuces does not depend on what has some, and its chances have the same numbers."""
    # Many blocks of few states are fastest in one call.
    monkeypatch.setattr(iteration, "GRAIN", 1 << 40)
    form = compiled(game())
    without, region = (form.region({"carrots": 1, "cap": "strict", "lettuces": number}) for number in (0, 1))
    assert [layer.name for layer in region.layers] == ["0-0", "1-0", "1-1"]
    assert region.layers[0] == without.layers[0]
    found, expected = (np.zeros((2, one.size), np.int64) for one in (region, without))
    for one, chances in ((region, found), (without, expected)):
        list(solve_layer(form.kernels, one, one.layers[0], chances))
    assert expected.any()
    assert (found[:, : without.size] == expected).all()
    assert not found[:, without.size :].any()


@pytest.mark.parametrize("grain", [1, iteration.GRAIN])
def test_later_layers_are_computed_from_earlier_ones(grain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mover is stuck; the other eats his last lettuce, and with the carrots for it he comes home.

    The block reads no other of its own layer, however large it is.
    """
    monkeypatch.setattr(iteration, "GRAIN", grain)
    text, limits = "1:0:0,62:0:1e 1", {**MERGED, "lettuces": 1}
    form = compiled(game())
    region, kernels = form.region(limits), form.kernels
    first, second, _ = region.layers
    blocks = near(text, 2, limits)
    earlier = at_least_one(block for block in blocks if block * region.block < first.end)
    number, _ = call_compiled(kernels.index, region.rules, form.row(game().parse(text)))
    assert second.begin <= number < second.end
    begin = number // region.block * region.block
    part = Layer("part", begin, begin + region.block)
    chances = np.zeros((2, region.size), np.int64)
    assert list(solve_layer(kernels, region, part, chances))[-1] == 1
    assert bounds(form, chances, region, text) == (0, 1)
    settled(kernels, region, earlier, chances)
    assert bounds(form, chances, region, text) == (0, 1)
    # A copy of all chances would take 200 MB.
    cells = np.flatnonzero(chances.any(axis=0))
    before = chances[:, cells]
    list(solve_layer(kernels, region, part, chances))
    assert bounds(form, chances, region, text) == (0, 0)
    changed = np.union1d(np.setdiff1d(np.flatnonzero(chances.any(axis=0)), cells), cells[(chances[:, cells] != before).any(axis=0)])
    assert part.begin <= changed.min() <= changed.max() < part.end


# Games without chance


@pytest.mark.parametrize(
    "rules",
    [
        *map(load_game, ("hexapawn", "foxhounds-4x4", "hasenspiel-4x4")),
        toys.shelter("draw"),
        # Minutes, mostly for the list of their states.
        *(pytest.param(load_game(name), marks=pytest.mark.full) for name in ("foxhounds-6x6", "hexapawn-4x4")),
    ],
    ids=lambda rules: rules.name,
)
def test_games_without_chance_have_the_values_of_their_tables(rules: Game, solved: Solved) -> None:
    """Win, loss and draw, which is endless play, are [1, 1], [0, 0] and [0, 1], for every position that can be reached."""
    same = DeterministicGame(rules)
    form = compiled(same)
    tables, chances = solved(rules), solve(form.kernels, form.region({}))
    assert form.listed is not None
    seen = set()
    expected = {Outcome.WIN: (UNIT, 0), Outcome.LOSS: (0, UNIT), Outcome.DRAW: (0, 0)}
    for number, state in at_least_one((n, s) for n, s in enumerate(form.listed.states) if s[0] == GOES_ON):
        outcome = tables.value(same.position(state)).outcome
        assert tuple(chances[:, number].tolist()) == expected[outcome], same.format(state)
        seen.add(outcome)
    assert (Outcome.DRAW in seen) == (rules.name == "shelter-draw")
