"""Pursuits: which slices are some, and the engine for them against the others, naive solutions and itself with more threads."""

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from support import toys
from support.checks import at_least_one, before_release, thinned
from support.naive_codes import agree, naive_codes, noisy, same
from support.solved import Solved, Tables

from tablebase.errors import TablebaseError
from tablebase.game import Board, Escape, Game, Kind, Outcome, Step, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.positions.indexing import layout_of
from tablebase.positions.material import Material, material_name, parse_material, parse_materials
from tablebase.positions.pursuit import pursuit_error
from tablebase.solvers import pursuit as pursuit
from tablebase.solvers.registry import choose_solver, compile_slice, solve_material
from tablebase.system.compute import threads
from tablebase.tables.values import FULL, NARROW, NARROW_ANY, Value, recode

HERDS = [(toys.herd(sort), name) for sort in ("open", "reach", "white", "black") for name in ("DvW", "DDvW")]
FOXES = [(load_game(f"foxhounds-{size}"), name) for size, name in (("2x2", "FvH"), ("4x4", "FvHH"), ("6x6", "FvHHH"))]
READINGS = ("", "-early=none", "-early=article")
RABBITS = [(load_game(f"hasenspiel-6x6{early}"), "RvPPP") for early in READINGS]
SMALL_ONES = [(load_game(f"hasenspiel-6x4{early}"), "RvPPP") for early in READINGS]
ODD_BOARDS = [(load_game("hasenspiel-4x7-pawns=1"), "RvP"), (load_game("hasenspiel-6x5-pawns=2"), "RvPP")]
MANY_SQUARES = [(load_game("foxhounds-12x12"), "FvH"), (load_game("foxhounds-12x12"), "FvHH")]
WORDS = [(toys.gates(squares, room), "DvW") for squares in (63, 64, 65, 127) for room in (False, True) if room or squares < 100]
# Of these only as many tiers as are small.
LARGE_ONES = [(load_game(f"foxhounds-{n}x{n}"), "Fv" + "H" * (n // 2)) for n in (8, 10, 12)]
LONG_ONES = [(toys.marathon(12, 2), "DDvW"), (toys.marathon(12, 2, escape=True), "DDvW")]
PURSUITS = [*HERDS, *FOXES[:2], *RABBITS[:1], *ODD_BOARDS, *WORDS[1:5:2], *LONG_ONES]
MORE = [*FOXES[2:], *RABBITS[1:], *MANY_SQUARES, *WORDS[::2], *LARGE_ONES]
NAIVE = [*HERDS, *FOXES[:2], *SMALL_ONES[:1], *ODD_BOARDS[:1], *LONG_ONES]
NAIVE_MORE = [*FOXES[2:], *SMALL_ONES[1:], *ODD_BOARDS[1:]]

TIERS, SIZE = 31, 80_000
"""Fewer tiers of a material are looked at, with no more indices together."""


def pursuits(pairs: list[tuple[Game, str]], more: list[tuple[Game, str]] | None = None) -> Callable[..., Any]:
    """Tests for a third of these games and names, and before a release for all and for some more."""
    cases, others = ([pytest.param(game, name, id=f"{game.name}-{name}") for game, name in some or ()] for some in (pairs, more))
    cases = [*thinned(cases, 3), *before_release(*others)]
    return pytest.mark.parametrize(("game", "name"), cases)


def tiers(game: Game, name: str) -> list[Material]:
    """The tiers of a material, the last one first, in which order they can be solved; not all if they are many or large."""
    found = parse_materials(game, name)[:-TIERS:-1]
    sizes = accumulate(layout_of(game, tier).size for tier in found)
    return [tier for tier, size in zip(found, sizes, strict=True) if size <= SIZE]


def pursuer(**changes: Any) -> Kind:
    """A dog that goes up a line of four squares."""
    steps = tuple(Step(s, s + 1) for s in range(3))
    return Kind(
        **{"symbol": "D", "name": "dog", "side": 0, "squares": (0, 1, 2, 3), "steps": steps, "limit": 2, "tiered": True} | changes
    )


def runner(**changes: Any) -> Kind:
    """A wolf that goes to and fro on it."""
    steps = tuple(Step(a, b) for a in range(4) for b in (a - 1, a + 1) if 0 <= b < 4)
    return replace(Kind("w", "wolf", 1, (0, 1, 2, 3), steps), **changes)


def pursuit_game(*kinds: Kind, **changes: Any) -> Game:
    fields = {"board": Board.full(4, 1), "kinds": kinds, "start": "D2w w", "no_move": Outcome.LOSS, "max_pieces": 3}
    return toys.small(**fields | changes)


def step_changed(kind: Kind, **changes: Any) -> Kind:
    return replace(kind, steps=(replace(kind.steps[0], **changes), *kind.steps[1:]))


LIKE = "one side must have identical pieces that only step forwards and are tiered"
ALONE = "the other side must have one piece, the board no mirror, and a side without a move must lose"
PLAIN = "its pieces must only step to neighbouring empty squares"
FREE = "the piece that escapes must be the runner"
NEXT = "each step forwards must lead to the next tier"
OTHER = Kind("E", "other dog", 0, (0, 1, 2, 3), (), tiered=True)
CUB = Kind("x", "cub", 1, (0, 1, 2, 3), ())
NO_PURSUIT: dict[str, tuple[Game, str, str]] = {
    "no tiers": (pursuit_game(pursuer(tiered=False), runner()), "DDvW", LIKE),
    "two tiered sides": (pursuit_game(pursuer(), runner(steps=(Step(3, 2),), tiered=True)), "DvW@0,0", LIKE),
    "unlike pursuers": (pursuit_game(pursuer(), OTHER, runner()), "DEvW@0,0", LIKE),
    "two runners": (pursuit_game(pursuer(), runner(limit=2)), "DvWW@1", ALONE),
    "unlike runners": (pursuit_game(pursuer(), runner(), CUB), "DvWX@1", ALONE),
    "a mirror": (pursuit_game(pursuer(steps=()), runner(), mirror=(3, 2, 1, 0)), "DvW@0", ALONE),
    "a draw without a move": (pursuit_game(pursuer(), runner(), no_move=Outcome.DRAW), "DvW@1", ALONE),
    "a blocker": (pursuit_game(pursuer(), step_changed(runner(), empty=frozenset({2}))), "DvW@1", PLAIN),
    "a pursuer's blocker": (pursuit_game(step_changed(pursuer(), empty=frozenset({2})), runner()), "DvW@1", PLAIN),
    "a goal": (pursuit_game(pursuer(), step_changed(runner(), wins=True)), "DvW@1", PLAIN),
    "a pursuer's goal": (pursuit_game(step_changed(pursuer(), wins=True), runner()), "DvW@1", PLAIN),
    "only captures": (pursuit_game(pursuer(), step_changed(runner(), quiet=False)), "DvW@1", PLAIN),
    "a capture": (pursuit_game(pursuer(), step_changed(runner(), victims=frozenset("D"))), "DvW@1", PLAIN),
    "a pursuer's capture": (pursuit_game(step_changed(pursuer(), victims=frozenset("w")), runner()), "DvW@1", PLAIN),
    "a long step": (pursuit_game(pursuer(steps=(*pursuer().steps, Step(0, 2))), runner()), "DvW@1", NEXT),
    "a pursuer that escapes": (pursuit_game(pursuer(limit=1), runner(), escape=Escape("D", {})), "DvW@1", FREE),
    "a cub that escapes": (pursuit_game(pursuer(), runner(), CUB, escape=Escape("x", {})), "DvW@1", FREE),
}


@pytest.mark.parametrize(("game", "name", "error"), NO_PURSUIT.values(), ids=NO_PURSUIT)
def test_what_is_no_pursuit(game: Game, name: str, error: str) -> None:
    """Each condition has its sentence; the engine refuses such a slice with it, and another one is chosen."""
    material = parse_material(game, name)
    assert pursuit_error(game, material) == error
    best = choose_solver(game, material)[0].name
    assert best != "pursuit"
    with pytest.raises(TablebaseError) as caught:
        solve_material(game, material, Tables(game, "reference").load, "pursuit")
    assert str(caught.value) == f"the solver pursuit cannot solve the table, because {error}: use --solver {best}"


@pytest.mark.parametrize(
    "game",
    [
        pursuit_game(pursuer(), runner()),
        # What other materials of the game have is no matter.
        pursuit_game(pursuer(), OTHER, runner(), CUB),
        pursuit_game(pursuer(), runner(), step_changed(replace(CUB, steps=(Step(0, 1),)), victims=frozenset("D"))),
        pursuit_game(pursuer(), runner(), escape=Escape("w", {})),
    ],
    ids=["plain", "other kinds", "a cub that captures", "an escape"],
)
def test_what_is_a_pursuit(game: Game) -> None:
    """One piece against one or two like ones, and the engine for it is chosen with a reason."""
    for name in at_least_one(("DvW", "DDvW")):
        for material in parse_materials(game, name):
            assert pursuit_error(game, material) is None
            solver, reason = choose_solver(game, material)
            assert (solver.name, reason) == ("pursuit", "one piece runs and the others only step forwards")


@pursuits(PURSUITS, MORE)
def test_engines_agree(solved: Solved, game: Game, name: str) -> None:
    """Byte for byte on every tier."""
    for material in at_least_one(tiers(game, name)):
        for engine in ("groups", "reference"):
            assert agree(solved(game, "pursuit"), solved(game, engine), material), (engine, material_name(game, material))


@pursuits(NAIVE, NAIVE_MORE)
def test_codes_are_the_naive_ones(solved: Solved, game: Game, name: str) -> None:
    """Codes of every index of every tier, voids included."""
    for material in at_least_one(tiers(game, name)):
        codes, coding = solved(game, "pursuit").table(material)
        assert coding == (NARROW if game.escape is None else NARROW_ANY)
        assert same(codes, [naive_codes(game, material, side, coding) for side in (0, 1)]), material_name(game, material)


@pytest.mark.parametrize(
    ("size", "outcome", "distance"), [("2x2", "loss", 0), ("4x4", "loss", 8), ("6x6", "win", 21), ("8x8", "loss", 44)]
)
def test_the_values_that_are_known(solved: Solved, size: str, outcome: str, distance: int) -> None:
    """Who wins Fox & Hounds in how many plies, as Leslie-Hurd's article has it for these boards."""
    game = load_game(f"foxhounds-{size}")
    tables = solved(game, "pursuit")
    for material in parse_materials(game, "Fv" + "H" * (int(size[0]) // 2))[::-1]:
        tables.table(material)
    assert tables.value(parse(game, game.start)) == (Outcome(outcome), distance)


@pursuits([*HERDS, *FOXES[1:2], *LONG_ONES])
def test_any_coding_gives_the_same_values(solved: Solved, game: Game, name: str) -> None:
    """Compiled for one byte or two, with parity or without where no piece can escape, codes are the same values."""
    codings = [NARROW_ANY, FULL, *([NARROW, NARROW.wider] if game.escape is None else [])]
    for material in at_least_one(tiers(game, name)):
        expected, own = solved(game).table(material)
        for coding in codings:
            found = pursuit.solve(compile_slice(game, material, solved(game).load, coding))
            assert found is not None
            assert same(found, [recode(codes, own, coding) for codes in expected]), coding


@pytest.mark.parametrize(("length", "dogs", "escape", "wide"), [(60, 1, True, False), (64, 1, True, True), (66, 2, False, True)])
def test_distances_beyond_one_byte_widen_the_codes(solved: Solved, length: int, dogs: int, escape: bool, wide: bool) -> None:
    """With n steps of the dogs left White to move loses in 2 n, Black to move wins in 2 n + 1; two bytes where they are needed."""
    game = toys.marathon(length, dogs, escape)
    tables = solved(game, "pursuit")
    narrow = NARROW_ANY if escape else NARROW
    for material in parse_materials(game, f"{'D' * dogs}vW")[::-1]:
        codes, coding = tables.table(material)
        # All dogs end at the end of the line, one behind the other.
        left = sum(range(length - dogs, length)) - material.advance[0]
        assert coding == (narrow if 2 * left + 1 <= narrow.reach else narrow.wider)
        for side, value in ((0, Value(Outcome.LOSS, 2 * left)), (1, Value(Outcome.WIN, 2 * left + 1))):
            assert set(np.unique(codes[side]).tolist()) <= {coding.code(value), coding.void}
            assert coding.code(value) in codes[side]
    assert (coding == narrow.wider) == wide


@pursuits([*HERDS, *FOXES[1:], *RABBITS[:1], *MANY_SQUARES[:1]])
def test_what_void_cells_of_children_hold_does_not_matter(solved: Solved, game: Game, name: str) -> None:
    """Files hold a neighbour's code where there is no position; with any code at all there, tables come out the same."""
    tables = solved(game, "pursuit")
    for material in at_least_one(tiers(game, name)):
        expected, _ = tables.table(material)
        codes, _, engine = solve_material(game, material, noisy(tables.load))
        assert engine == "pursuit"
        assert same(codes, expected), material_name(game, material)


@pursuits([*HERDS[::3], *FOXES, *RABBITS[:1], *MANY_SQUARES[:1]])
def test_threads_change_nothing(solved: Solved, game: Game, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Divided into as many ranges of rows as three threads take, each tier comes out as from one thread."""
    parts = []

    def spread(*arguments: Any) -> list[int]:
        found: list[int] = threads.spread(*arguments)
        parts.append(len(found))
        return found

    monkeypatch.setattr(pursuit, "GRAIN", 1)
    monkeypatch.setattr(pursuit, "spread", spread)
    for material in at_least_one(tiers(game, name)):
        expected, coding = solved(game, "pursuit").table(material)
        parts.clear()
        with threads.use(3):
            codes, other, _ = solve_material(game, material, solved(game, "pursuit").load, "pursuit")
        assert other == coding
        assert same(codes, expected), material_name(game, material)
        assert parts == [min(12, layout_of(game, material).radices[0])]


def test_a_wide_distance_in_any_thread_widens_the_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest distance of all ranges counts: where any row needs two bytes, all have them."""
    game = toys.marathon(66, 1, escape=True)
    # From a1 the dog may also go to b1, a dead end; the way on is by c1.
    ways = [(0, 1), (0, 2), *((s, s + 1) for s in range(2, 65))]
    dog = replace(game.kinds[0], steps=tuple(Step(*way) for way in ways))
    game = replace(game, name="marathon-fork", kinds=(dog, game.kinds[1]))
    monkeypatch.setattr(pursuit, "GRAIN", 1)
    tables = Tables(game, "pursuit")
    with threads.use(3):
        codings = {material.advance[0]: tables.table(material)[1] for material in parse_materials(game, "DvW")[::-1]}
    # From c1, in tier 1, there are 63 steps; 2 n + 1 plies fit into a byte up to n = 62.
    assert codings == {advance: NARROW_ANY.wider if advance < 2 else NARROW_ANY for advance in range(65)}
    b1, c1 = (tables.value(Position(((0, square), (1, 66)), 1)) for square in (1, 2))
    assert (b1, c1) == ((Outcome.WIN, 1), (Outcome.WIN, 127))
