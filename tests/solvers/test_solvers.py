"""Engines against each other, against naive twins, and on games built to mislead them."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one
from support.program import SOLVERS
from support.solved import Solved, Tables
from twins import naive

from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import stored_materials
from tablebase.slices.material import Material, materials, parse_material
from tablebase.solvers import reference, sweep
from tablebase.solvers.reference import NONE
from tablebase.solvers.registry import CompiledSlice, compile_slice, find_solver, solve_material, solver_for
from tablebase.tables.values import DRAW, NARROW, STALEMATE, Codes, Coding, Value, recode
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
TOYS = [toys.pond(), toys.hunt(), toys.twins(), toys.sisters()]
OTHERS = [engine for engine in SOLVERS if engine != "reference"]
SLICES = [(toys.pond(), "RTvRL"), (toys.hunt(), "HHvFC"), (toys.twins(), "PPvPP"), (toys.twins(), "PKvPK")]
SLICE_IDS = ["pond", "hunt", "twins-pawns", "twins"]
VOID = NARROW.void


def code(pair: naive.Pair) -> int:
    """One-byte code of a naive value."""
    return NARROW.code(Value(Outcome(pair[0]), pair[1]))


@cache
def naive_codes(game: Game, material: Material, side: int) -> Codes:
    """What the table of a material should hold, from the naive solution."""
    home = layout_of(game, material)
    codes = np.full(home.size, VOID, dtype=NARROW.dtype)
    for index in range(home.size):
        position = home.position(index, side)
        if position is not None:
            stuck = not naive.moves(game, position) and game.no_move is Outcome.DRAW
            codes[index] = STALEMATE if stuck else code(naive.value(game, position))
    return codes


def solve_with(engine: str, problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Both sides' codes by an engine's own `solve`."""
    found: tuple[Codes, Codes] | None = solver_for(problem.game, problem.layout.material, engine).solve(problem)
    return found


def agree(first: Tables, second: Tables, material: Material) -> None:
    """Both engines give the same bytes in the same coding."""
    (codes, coding), (other_codes, other_coding) = first.table(material), second.table(material)
    assert coding == other_coding
    assert len(codes) == len(other_codes)
    for one, other in zip(codes, other_codes, strict=True):
        assert one.dtype == other.dtype == np.dtype(coding.dtype)
        assert np.array_equal(one, other)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("game", TOYS, ids=lambda game: game.name)
def test_engines_agree_on_toys(solved: Solved, game: Game, engine: str) -> None:
    """Byte for byte on every table of every toy, up to all its pieces."""
    for pieces in range(2, game.max_pieces + 1):
        for table in stored_materials(game, pieces):
            agree(solved(game), solved(game, engine), table)


@pytest.mark.parametrize("engine", OTHERS)
def test_engines_agree_on_dou_shou_qi(solved: Solved, engine: str) -> None:
    """Byte for byte on all two-piece tables and, where it is quick, two of three, with two jumpers in one and none in the other."""
    larger = [parse_material(GAME, name) for name in ("CTvT", "CWvC") if engine != "sweep"]
    for table in (*stored_materials(GAME, 2), *larger):
        agree(solved(GAME), solved(GAME, engine), table)


@pytest.mark.parametrize("pieces", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", TOYS, ids=lambda game: game.name)
def test_tables_hold_the_naive_solution(solved: Solved, game: Game, pieces: int) -> None:
    """Every position of this many pieces, under its own name, with either side to move, has the naive value."""
    for material in at_least_one(materials(game, pieces)):
        for position, (outcome, distance) in naive.solve(game, material.kinds).items():
            assert solved(game).value(position) == (Outcome(outcome), distance), position


@pytest.mark.parametrize("name", ["RvC", "CvW", "LvT"])
def test_dou_shou_qi_holds_the_naive_solution(solved: Solved, name: str) -> None:
    """The same for two-piece Dou Shou Qi: rat and cat, cat and stronger wolf, two jumpers."""
    for position, (outcome, distance) in at_least_one(naive.solve(GAME, parse_material(GAME, name).kinds).items()):
        assert solved(GAME).value(position) == (Outcome(outcome), distance), position


@pytest.mark.parametrize("engine", SOLVERS)
@pytest.mark.parametrize(("game", "name"), SLICES, ids=SLICE_IDS)
def test_codes_are_the_naive_ones(solved: Solved, game: Game, name: str, engine: str) -> None:
    """Codes, stalemates and voids included, of a material and both sides to move, in one byte and in two."""
    material = parse_material(game, name)
    solver = find_solver(engine)
    if solver is not None and solver.refuses(game, material) is not None:
        pytest.skip("like pieces have no rows")
    # Words know wins from losses by parity, which is stride 1.
    for coding in (Coding(1, "uint8"), Coding(1 if engine in ("planes", "lean", "bitrow") else 2, "uint16")):
        codes = solve_with(engine, compile_slice(game, material, solved(game).load, coding))
        assert codes is not None
        for side in (0, 1):
            assert np.array_equal(codes[side], recode(naive_codes(game, material, side), NARROW, coding))


@pytest.mark.parametrize(
    ("engine", "game", "name", "sentence"),
    [
        ("magic", toys.pond(), "RvR", "no engine 'magic': choose .*reference.*sweep"),
        ("bitrow", toys.hunt(), "HHvF", "the engine bitrow cannot solve this table, for it has like pieces"),
    ],
)
def test_a_wrong_engine_is_refused(solved: Solved, engine: str, game: Game, name: str, sentence: str) -> None:
    """The sentence names the engine and what to do."""
    with pytest.raises(TablebaseError, match=sentence):
        solve_material(game, parse_material(game, name), solved(game).load, engine)


# Positions by hand


@pytest.mark.parametrize("engine", SOLVERS)
@pytest.mark.parametrize(
    ("ending", "outcome", "distance"),
    [
        # Taking x is one ply; then seven steps a2-b1-...-h1 with an answer before each.
        ("win", "win", 15),
        ("gate", "win", 15),
        # Taking x saves the draw where the quiet step loses at once.
        ("draw", "draw", None),
        # Taking x is one ply; y then needs h2-g2-...-c2-b2, six steps with an answer between: 1 + 11.
        ("loss", "loss", 12),
    ],
)
def test_a_late_capture_outlasts_early_losses(solved: Solved, ending: str, outcome: str, distance: int | None, engine: str) -> None:
    """The runner's quiet step b1 loses in 2 to the threat; what counts is the capture, decided much later."""
    game = toys.shelter(ending)
    start = parse(game, "x6y/A7 w")
    assert solved(game, engine).value(start) == (Outcome(outcome), distance)
    assert naive.value(game, start) == (outcome, distance)
    quiet = parse(game, "x6y/1A6 b")
    expected = ("draw", None) if ending == "gate" else ("win", 1)
    assert solved(game, engine).value(quiet) == (Outcome(expected[0]), expected[1])


@pytest.mark.parametrize("engine", SOLVERS)
def test_a_loss_in_10_is_overtaken_by_a_capture_that_wins_in_41(solved: Solved, engine: str) -> None:
    """Quiet moves lose to a march of five steps; taking x first is one ply, and then 20 steps with answers win: 1 + 40."""
    game = toys.shelter("win", files=21, march=5)
    start = parse(game, game.start)
    quiet = parse(game, "x19y/1A19 b")
    assert solved(game, engine).value(quiet) == (Outcome.WIN, 9)
    assert solved(game, engine).value(start) == (Outcome.WIN, 41)
    assert naive.value(game, start) == ("win", 41)


@pytest.mark.parametrize("engine", SOLVERS)
def test_a_slice_may_begin_late(solved: Solved, engine: str) -> None:
    """With the gate shut nothing is decided at any distance below 15, when taking x wins; all else is drawn."""
    game = toys.shelter("gate")
    material = parse_material(game, "AvXY")
    (white, black), coding = solved(game, engine).table(material)
    wins, losses = (Counter(codes.tolist()) for codes in (white, black))
    # y stands on g2 or h2; the runner on a1; on b1 to g1, on g1 without a move; or on a2, where x stands.
    assert wins == {coding.code(Value(Outcome.WIN, 15)): 2, DRAW: 10, STALEMATE: 2, coding.void: 2}
    assert losses == {coding.code(Value(Outcome.LOSS, 16)): 2, DRAW: 12, coding.void: 2}


@pytest.mark.parametrize("engine", SOLVERS)
def test_distances_beyond_one_byte_widen_the_codes(solved: Solved, engine: str) -> None:
    """A gauge of 13 steps with a hand that runs over 10 squares between them takes 130 moves: loss in 260, win in 259."""
    game = toys.odometer(10, 13)
    material = parse_material(game, "HGvY")
    problem = compile_slice(game, material, solved(game).load)
    assert problem.coding == NARROW
    assert solve_with(engine, problem) is None
    codes, coding = solved(game, engine).table(material)
    assert coding == NARROW.wider
    assert all(one.dtype == np.uint16 for one in codes)
    for position, (outcome, distance) in naive.solve(game, material.kinds).items():
        assert solved(game, engine).value(position) == (Outcome(outcome), distance)
    for side, expected in ((0, ("win", 259)), (1, ("loss", 260))):
        worst = parse(game, f"y25/G25/9H16 {'wb'[side]}")
        assert solved(game, engine).value(worst) == (Outcome(expected[0]), expected[1])


@pytest.mark.parametrize("engine", SOLVERS)
def test_wide_children_make_wide_parents(solved: Solved, engine: str) -> None:
    """Capturing into a loss in 262 (10 * 13 moves and one off the porch, both ways) is a win in 263."""
    game = toys.odometer(10, 13, porch=True)
    position = parse(game, "y1Hx22/G25/26 w")
    assert solved(game, engine).value(position) == (Outcome.WIN, 263)
    assert solved(game, engine).table(parse_material(game, "HGvXY"))[1] == NARROW.wider


@pytest.mark.parametrize("engine", SOLVERS)
def test_one_byte_is_kept_where_it_suffices(solved: Solved, engine: str) -> None:
    """A longest loss of 250 plies, 5 * 25 moves of White, still has a one-byte code."""
    codes, coding = solved(toys.odometer(5, 25), engine).table(parse_material(toys.odometer(5, 25), "HGvY"))
    assert coding == NARROW
    assert max(coding.value(int(one)).distance or 0 for side in codes for one in side[side != VOID]) == 250


def test_engines_widen_alike(solved: Solved) -> None:
    """One byte exactly if the longest distance fits: 252 with and without a move that leads there, 254 no more."""
    for hand, gauge, porch, fits in [(7, 18, False, True), (5, 25, True, True), (7, 18, True, False)]:
        game = toys.odometer(hand, gauge, porch)
        codings = {engine: solved(game, engine).table(parse_material(game, "HGvY"))[1] for engine in SOLVERS}
        assert codings == dict.fromkeys(SOLVERS, NARROW if fits else NARROW.wider)


def test_a_capture_just_beyond_one_byte(solved: Solved) -> None:
    """Capturing into a loss in 252, which has a one-byte code, is a win in 253, which has none."""
    game = toys.odometer(5, 25, porch=True)
    position = parse(game, "y1Hx22/G25/26 w")
    assert {engine: solved(game, engine).value(position) for engine in SOLVERS} == dict.fromkeys(SOLVERS, (Outcome.WIN, 253))


# Kernels against naive twins


def compiled(solved: Solved, game: Game, name: str) -> CompiledSlice:
    """A toy slice in one byte at stride 1."""
    return compile_slice(game, parse_material(game, name), solved(game).load, NARROW)


def blank(problem: CompiledSlice, fill: int = DRAW, dtype: str = "uint8") -> Codes:
    """An array with an entry for each index."""
    return np.full(problem.layout.size, fill, dtype=dtype)


def quiet_children(problem: CompiledSlice, position: Position) -> list[Position]:
    """Where the moves that take nothing and do not win lead, by the naive move generator."""
    moves = naive.moves(problem.game, position)
    return [naive.after(position, move) for move in moves if move.captured is None and not move.wins]


def numbered(problem: CompiledSlice, side: int) -> list[tuple[int, Position]]:
    """All indices that are positions."""
    found = [(index, problem.layout.position(index, side)) for index in range(problem.layout.size)]
    return [(index, position) for index, position in found if position is not None]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(("game", "name"), SLICES, ids=SLICE_IDS)
def test_the_first_look(solved: Solved, game: Game, name: str, side: int) -> None:
    """`_look` counts the quiet moves and keeps the best of captures, winning moves and having no move."""
    problem = compiled(solved, game, name)
    codes, early, quiet = blank(problem), blank(problem, NONE, "int32"), blank(problem, 0, "uint16")
    last = reference._look(problem.arrays, side, codes, early, quiet, NARROW.stride, VOID)
    longest = 0
    for index, position in numbered(problem, side):
        moves = naive.moves(game, position)
        children = quiet_children(problem, position)
        best: naive.Pair | None = None if moves else (game.no_move.value, 0 if game.no_move is Outcome.LOSS else None)
        for move in moves:
            if naive.after(position, move) not in children:
                worth = ("win", 1) if move.wins else naive.parent(naive.value(game, naive.after(position, move)))
                assert worth is not None
                best = worth if best is None or naive.better(worth, best) else best
        stalemate = not moves and game.no_move is Outcome.DRAW
        assert quiet[index] == len(children)
        assert early[index] == (NONE if best is None else STALEMATE if stalemate else code(best))
        assert codes[index] == (STALEMATE if stalemate else DRAW)
        longest = max(longest, best[1] or 0 if best else 0)
    assert np.array_equal(codes == VOID, ~problem.layout.squares_many(np.arange(problem.layout.size))[1])
    assert last == longest


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(("game", "name"), SLICES, ids=SLICE_IDS)
def test_taking_back_finds_every_move_once(solved: Solved, game: Game, name: str, side: int) -> None:
    """At each distance, each parent is told of a decided position once for each quiet move that leads there."""
    problem = compiled(solved, game, name)
    codes = naive_codes(game, problem.layout.material, side)
    parents_of = numbered(problem, 1 - side)
    leads_to = [Counter(naive.value(game, child) for child in quiet_children(problem, position)) for _, position in parents_of]
    for level in range(24):
        outcome = "win" if level % 2 else "loss"
        parents, early, quiet = blank(problem), blank(problem, NONE, "int32"), blank(problem, 1000, "uint16")
        reference._take_back(problem.arrays, side, codes, parents, early, quiet, level, NARROW.stride, VOID)
        for (index, _), leads in zip(parents_of, leads_to, strict=True):
            count = leads[outcome, level]
            assert quiet[index] == 1000 - (count if outcome == "win" else 0)
            assert parents[index] == (code(("win", level + 1)) if outcome == "loss" and count else DRAW)


WIN_3, LOSS_2, LOSS_4, LOSS_8, WIN_41 = (code(pair) for pair in [("win", 3), ("loss", 2), ("loss", 4), ("loss", 8), ("win", 41)])


@pytest.mark.parametrize(
    ("before", "capture", "moves", "news", "after", "left"),
    [
        pytest.param(WIN_3, NONE, 2, LOSS_4, WIN_3, 2, id="already decided"),
        pytest.param(DRAW, NONE, 2, WIN_3, WIN_3, 2, id="a winning move"),
        pytest.param(DRAW, LOSS_2, 2, WIN_3, WIN_3, 2, id="a winning move and a losing capture"),
        pytest.param(DRAW, NONE, 2, LOSS_4, DRAW, 1, id="one of two moves loses"),
        pytest.param(DRAW, NONE, 1, LOSS_4, LOSS_4, 0, id="the last move loses"),
        pytest.param(DRAW, LOSS_2, 1, LOSS_4, LOSS_4, 0, id="captures lose earlier"),
        pytest.param(DRAW, LOSS_4, 1, LOSS_4, LOSS_4, 0, id="captures lose at the same time"),
        pytest.param(DRAW, LOSS_8, 1, LOSS_4, DRAW, 0, id="a capture loses later"),
        pytest.param(DRAW, DRAW, 1, LOSS_4, DRAW, 0, id="a capture draws"),
        pytest.param(DRAW, WIN_41, 1, LOSS_4, DRAW, 0, id="a capture wins later"),
    ],
)
def test_telling_a_parent(before: int, capture: int, moves: int, news: int, after: int, left: int) -> None:
    """`_update_parent` decides a parent that wins, or that has lost by every quiet move and has no better or later capture."""
    parents, early, quiet = (np.array([one], dtype=kind) for one, kind in ((before, "u1"), (capture, "i4"), (moves, "u2")))
    reference._update_parent(parents, early, quiet, 0, news, 3 if news == LOSS_4 else 2, NARROW.stride)
    assert (parents[0], quiet[0]) == (after, left)


def test_captures_enter_at_their_distance() -> None:
    """`_enter` decides wins of its level, and losses of its level where no quiet move is left; nothing twice."""
    early = np.array([WIN_3, LOSS_4, LOSS_4, WIN_3, DRAW, NONE, LOSS_2], dtype="i4")
    quiet = np.array([5, 0, 1, 0, 0, 0, 0], dtype="u2")
    start = np.array([DRAW, DRAW, DRAW, LOSS_2, DRAW, DRAW, DRAW], dtype="u1")
    for level, expected in [(3, {0: WIN_3}), (4, {1: LOSS_4}), (2, {6: LOSS_2}), (5, {})]:
        codes = start.copy()
        reference._enter(codes, early, quiet, level, NARROW.stride)
        assert codes.tolist() == [expected.get(place, int(one)) for place, one in enumerate(start)]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(("game", "name"), SLICES, ids=SLICE_IDS)
def test_a_sweep_decides_its_distance(solved: Solved, game: Game, name: str, side: int) -> None:
    """From `_mark`, or from all that is decided before a distance, the sweep decides just what the naive solution does."""
    problem = compiled(solved, game, name)
    whole, others = (naive_codes(game, problem.layout.material, one) for one in (side, 1 - side))

    def up_to(codes: Codes, level: int) -> Codes:
        return np.where((codes != VOID) & (codes > code(("loss", 0)) + level), DRAW, codes).astype(codes.dtype)

    codes = blank(problem)
    sweep._mark(problem.arrays, side, codes, VOID, NARROW.stride)
    assert np.array_equal(codes, up_to(whole, 0))
    for level in range(1, 24):
        changed = sweep._sweep(problem.arrays, side, codes, up_to(others, level - 1), level, NARROW.stride)
        assert changed == np.count_nonzero(up_to(whole, level) != up_to(whole, level - 1))
        assert np.array_equal(codes, up_to(whole, level))
