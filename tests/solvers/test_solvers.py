"""Engines against each other, against naive twins, and on games built to mislead them or to need wide codes."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one, before_release, thinned
from support.naive_codes import agree, naive_codes
from support.program import SOLVERS
from support.solved import Solved
from twins import naive

from tablebase.errors import TablebaseError
from tablebase.game import Game, Kind, Outcome, Step, load_game
from tablebase.game.notation import parse
from tablebase.positions.conversions import conversions
from tablebase.positions.location import locate, stored_materials
from tablebase.positions.material import Material, material_name, materials, parse_material
from tablebase.solvers.registry import choose_solver, compile_slice, find_solver, solve_material, solver_for
from tablebase.tables.values import DRAW, NARROW, STALEMATE, Coding, Value, recode
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
TOYS = [toys.pond(), toys.hunt(), toys.twins(), toys.sisters()]
LADDERS = [toys.ladder(away) for away in ("b", "w", "wb")]
"""Wins and losses in 0 by escapes, captures, stalemates and draws together."""
OTHERS = [engine for engine in SOLVERS if engine != "reference"]
SLICES = [(toys.pond(), "RTvRL"), (toys.hunt(), "HHvFC"), (toys.twins(), "PPvPP"), (toys.twins(), "PKvPK")]
SLICE_IDS = ["pond", "hunt", "twins-pawns", "twins"]


def same_bytes(engines: Iterable[str], game: Game, *names: str, most: int | None = None, marks: Any = ()) -> list[Any]:
    """Cases of solvers whose bytes are those of the reference: tables with these names, or all of up to so many pieces."""
    tables = [parse_material(game, name) for name in names]
    if not names or most:
        tables += [one for count in range(2, (most or game.max_pieces) + 1) for one in stored_materials(game, count)]
    listed = "-".join([game.name, *names])
    return [pytest.param(engine, game, tables, id=f"{engine}-{listed}", marks=marks) for engine in engines]


FULL, RELEASE = pytest.mark.full, pytest.mark.release
BOTH, GROUPS = ("planes", "lean"), ("groups",)
ALIKE = [
    # Small games up to all their pieces, and two jumpers or none among three.
    *(same_bytes(OTHERS, game, marks=RELEASE if number % 2 else ()) for number, game in enumerate(TOYS)),
    same_bytes(OTHERS, GAME, "CTvT", "CWvC", most=2),
    # Escapes, also of pieces that are stuck, with either side to move.
    *(same_bytes(GROUPS, game, most=3) for game in LADDERS),
    *(same_bytes(GROUPS, game) for game in (*map(toys.herd, ("reach", "white", "black")), load_game("foxhounds-4x4"))),
    # What lead, file piece and row piece can be: a tiger that lead and row may block; a rat as row piece of the first side;
    # jumpers of both sides, or of one, that the row blocks; a jumper as file piece, as lead, and everywhere.
    *(same_bytes(BOTH, GAME, name) for name in ("RTvR", "RCvW", "RLvT", "TLvR", "CTvW", "TLvC", "TLvT")),
    # Steps need a square empty, also those of the row piece, with a jumper in it.
    *(same_bytes(BOTH, game) for game in (toys.skaters(3, 4), toys.skaters(4, 3), toys.skaters(5, 3), toys.brook())),
    # 64 squares fill rows and planes; boards of more than one word, and tiers, are only for groups.
    *(same_bytes(BOTH, toys.skaters(8, 8), name) for name in ("AvC", "BvC")),
    *(same_bytes(GROUPS, toys.skaters(*size), "AvC") for size in ((13, 5), (16, 7))),
    same_bytes(GROUPS, toys.tiered(toys.hunt(), "H"), "HHvFC@3"),
    # Identical pieces: the nine boards that are known, rooks that walkers block.
    *(same_bytes(GROUPS, load_game(f"hexapawn-{size}")) for size in ("3x3", "4x3", "3x4", "4x4")),
    *(same_bytes(GROUPS, load_game(f"hexapawn-{size}"), marks=FULL) for size in ("5x3", "3x5", "6x3")),
    *(same_bytes(GROUPS, load_game(f"hexapawn-{size}"), marks=RELEASE) for size in ("4x5", "5x4")),
    same_bytes(GROUPS, toys.rooks()),
]


@pytest.mark.parametrize(("engine", "game", "tables"), [case for cases in ALIKE for case in cases])
def test_bytes_are_those_of_the_reference(solved: Solved, engine: str, game: Game, tables: list[Material]) -> None:
    for table in at_least_one(tables):
        assert agree(solved(game), solved(game, engine), table), table


@pytest.mark.parametrize(
    ("game", "name", "chosen"),
    [
        (toys.skaters(8, 8), "AvC", "planes"),
        (toys.skaters(13, 5), "AvC", "groups"),
        (toys.tiered(toys.hunt(), "H"), "HHvFC@3", "groups"),
    ],
    ids=["64 squares", "65 squares", "tiers"],
)
def test_who_solves(game: Game, name: str, chosen: str) -> None:
    """Planes take boards of one word, groups the others, and tiers."""
    assert choose_solver(game, parse_material(game, name))[0].name == chosen


@pytest.mark.parametrize("pieces", [2, 3, pytest.param(4, marks=pytest.mark.full)])
@pytest.mark.parametrize("game", [*TOYS, *thinned(LADDERS, 3)], ids=lambda game: game.name)
def test_tables_hold_the_naive_solution(solved: Solved, game: Game, pieces: int) -> None:
    """Every position of this many pieces, under its own name, with either side to move, has the naive value."""
    for kinds in at_least_one({material.kinds for material in materials(game, pieces)}):
        for position, (outcome, distance) in naive.solve(game, kinds).items():
            assert solved(game).value(position) == (Outcome(outcome), distance), position


@pytest.mark.parametrize("name", ["RvC", "CvW", "LvT"])
def test_dou_shou_qi_holds_the_naive_solution(solved: Solved, name: str) -> None:
    """The same for two-piece Dou Shou Qi: rat and cat, cat and stronger wolf, two jumpers."""
    for position, (outcome, distance) in at_least_one(naive.solve(GAME, parse_material(GAME, name).kinds).items()):
        assert solved(GAME).value(position) == (Outcome(outcome), distance), position


@pytest.mark.parametrize("engine", thinned(SOLVERS, 2))
@pytest.mark.parametrize(("game", "name"), [*SLICES[:2], *before_release(*SLICES[2:])], ids=SLICE_IDS)
def test_codes_are_the_naive_ones(solved: Solved, game: Game, name: str, engine: str) -> None:
    """Codes, stalemates and voids included, of a material and both sides to move, in one byte and in two."""
    material = parse_material(game, name)
    solver = find_solver(engine)
    if solver is not None and solver.refuses(game, material) is not None:
        pytest.skip("identical pieces have no rows")
    # Words know wins from losses by parity, which is stride 1.
    for coding in (Coding(1, "uint8"), Coding(1 if engine in ("planes", "lean") else 2, "uint16")):
        codes = solver_for(game, material, engine).solve(compile_slice(game, material, solved(game).load, coding))
        assert codes is not None
        for side in (0, 1):
            assert np.array_equal(codes[side], recode(naive_codes(game, material, side), NARROW, coding))


@pytest.mark.parametrize(
    ("engine", "game", "name", "sentence"),
    [
        ("magic", toys.pond(), "RvR", "unknown solver 'magic': choose auto, .*reference$"),
        ("planes", toys.hunt(), "HHvF", "identical pieces, which planes does not support: use --solver groups$"),
        ("planes", toys.skaters(13, 5), "AvC", "because the board has more than 64 squares: use --solver groups$"),
    ],
)
def test_a_wrong_engine_is_refused(solved: Solved, engine: str, game: Game, name: str, sentence: str) -> None:
    """The sentence names the engine and what to do."""
    with pytest.raises(TablebaseError, match=sentence):
        solve_material(game, parse_material(game, name), solved(game).load, engine)


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
def test_a_slice_may_begin_late(solved: Solved, engine: str) -> None:
    """With the gate shut nothing is decided at any distance below 15, when taking x wins; all else is drawn."""
    game = toys.shelter("gate")
    material = parse_material(game, "AvXY")
    (white, black), coding = solved(game, engine).table(material)
    wins, losses = (Counter(codes.tolist()) for codes in (white, black))
    # y stands on g2 or h2; the runner on a1; on b1 to g1, on g1 without a move; or on a2, where x stands.
    assert wins == {coding.code(Value(Outcome.WIN, 15)): 2, DRAW: 10, STALEMATE: 2, coding.void: 2}
    assert losses == {coding.code(Value(Outcome.LOSS, 16)): 2, DRAW: 12, coding.void: 2}


def test_engines_widen_alike(solved: Solved) -> None:
    """One byte exactly if the longest distance fits: 252 with and without a move that leads there, 254 no more."""
    for hand, gauge, porch, fits in [(7, 18, False, True), (5, 25, True, True), (7, 18, True, False)]:
        game = toys.odometer(hand, gauge, porch)
        codings = {engine: solved(game, engine).table(parse_material(game, "HGvY"))[1] for engine in SOLVERS}
        assert codings == dict.fromkeys(SOLVERS, NARROW if fits else NARROW.wider)


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
