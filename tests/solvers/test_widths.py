"""Where one byte is not enough, or just enough: children of different widths, and captures at the last distance."""

from dataclasses import replace
from functools import cache

import pytest
from support import toys
from support.program import SOLVERS
from support.solved import Solved
from twins import naive

from tablebase.game import Game, Kind, Outcome, Step
from tablebase.game.notation import parse
from tablebase.slices.conversions import conversions
from tablebase.slices.location import locate
from tablebase.slices.material import material_name, parse_material
from tablebase.tables.values import NARROW


@cache
def fork() -> Game:
    """An odometer whose hand may also leave the porch for y's yard, taking y if it stands there; that draws."""
    game = toys.odometer(10, 13, porch=True)
    hand, *others = game.kinds
    porch, yard = game.board.square("c3"), game.board.square("b3")
    way = Step(porch, yard, victims=frozenset("y"))
    kinds = (replace(hand, squares=tuple(sorted((*hand.squares, yard))), steps=(*hand.steps, way)), *others)
    return replace(game, name="fork", kinds=kinds)


@cache
def toll() -> Game:
    """An odometer that does not run before x on c3 has taken Z on d3, which is all that x can do there."""
    game = toys.odometer(7, 18)
    hand, gauge, *_ = game.kinds
    yard, booth, bar = game.board.squares("a3 c3 d3")
    ticks = tuple(replace(step, empty=step.empty | {booth}) for step in gauge.steps)
    takes = (Step(booth, bar, quiet=False, victims=frozenset("Z")), Step(bar, yard), Step(yard, bar))
    kinds = (hand, replace(gauge, steps=ticks), Kind("Z", "toll", 0, (bar,), ()), Kind("x", "keeper", 1, (yard, booth, bar), takes))
    return replace(game, name="toll", kinds=kinds, start="2xZ22/G25/6H19 b")


@pytest.mark.parametrize("engine", SOLVERS)
def test_one_wide_child_is_enough(solved: Solved, engine: str) -> None:
    """Taking y leads to a table of one byte and taking x to one of two, from which no value may be lost.

    If it were, a win in 263 would pass for a loss, which the draw beside it hides.
    """
    game = fork()
    material = parse_material(game, "HGvXY")
    children = {locate(game, conversion.child, conversion.side).material for conversion in conversions(game, material)}
    codings = {material_name(game, child): solved(game, engine).table(child)[1] for child in children}
    assert codings == {"HGvX": NARROW, "HGvY": NARROW.wider}
    assert solved(game, engine).table(material)[1] == NARROW.wider
    start = parse(game, "y1Hx22/G25/26 w")
    assert solved(game, engine).value(start) == naive.value(game, start) == (Outcome.WIN, 263)


@pytest.mark.parametrize("engine", SOLVERS)
def test_a_capture_may_enter_at_the_last_distance(solved: Solved, engine: str) -> None:
    """Black must take Z, and then White wins in 251, 7 * 18 moves: a loss in 252, the last that has a one-byte code."""
    game = toll()
    start = parse(game, game.start)
    assert NARROW.reach == 252
    assert solved(game, engine).value(start) == naive.value(game, start) == (Outcome.LOSS, 252)
    codes, coding = solved(game, engine).table(parse_material(game, "HGZvX"))
    assert coding == NARROW
    # Nothing else in the slice is decided as late, so that the capture alone takes the solver there.
    late = [(side, coding.value(code)) for side in (0, 1) for code in codes[side].tolist() if 252 <= code < coding.void]
    assert [(side, value.distance) for side, value in late if (value.distance or 0) >= 252] == [(1, 252)]
