"""The kernel of the solver of groups against a naive twin, and what it reads."""

from random import Random
from typing import Any

import numpy as np
import pytest
from support import toys
from support.checks import before_release, thinned
from support.naive_codes import placements_of, same
from support.solved import Solved
from twins import naive

from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import locate, stored_materials
from tablebase.positions.material import Material, material_of, parse_material
from tablebase.solvers.groups import solve as groups
from tablebase.solvers.groups.arrays import compile_tables
from tablebase.solvers.groups.row_kernels import DIRTY, LATE, improve, new_scratch
from tablebase.solvers.groups.row_order import compile_rows
from tablebase.solvers.groups.row_scores import NOTHING, scores_of
from tablebase.solvers.problem import CompiledSlice, compile_slice
from tablebase.solvers.registry import solve_material
from tablebase.system.compute import threads
from tablebase.tables.values import DRAW, NARROW, NARROW_ANY, STALEMATE, Codes, Coding, Value


def test_threads_find_the_same(solved: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row by row, with three threads."""
    monkeypatch.setattr(groups, "GRAIN", 1)
    game, material = toys.twins(), parse_material(toys.twins(), "PKvPK")
    codes, _ = solved(game).table(material)
    with threads.use(3):
        found, _, _ = solve_material(game, material, solved(game).load, "groups")
    assert same(found, codes)


SLICES = [
    (toys.pond(), "RTvRL"),
    (toys.hunt(), "HHvFC"),
    (toys.twins(), "PPvPK"),
    (toys.rooks(), "RRvPP"),
    (toys.herd("reach"), None),
    (toys.herd("white"), None),
    (toys.herd("black"), None),
    (load_game("foxhounds-4x4"), "FvHH@2"),
    (toys.twins(), "PPKvPP"),
    (load_game("hexapawn-3x4"), "PPPvPP"),
]
all_slices = pytest.mark.parametrize(
    ("game", "name"),
    [*thinned(SLICES[:-2], 2), *before_release(*SLICES[-2:])],
    ids=[f"{game.name}-{name or 'largest'}" for game, name in SLICES],
)


def any_value(random: Random, coding: Coding) -> Value:
    code = random.choice([DRAW, *range(2, 60)])
    return coding.value(code)


class Case:
    """A slice whose other side to move, and whose children, hold values at random."""

    def __init__(self, game: Game, name: str | None, side: int) -> None:
        sizes = {material: layout_of(game, material).size for material in stored_materials(game, 3)}
        material = parse_material(game, name) if name else max(sizes, key=lambda material: sizes[material])
        self.game, self.side, self.coding = game, side, NARROW if game.escape is None else NARROW_ANY
        self.random = Random(name)
        self.material = locate(game, material, 0).material
        self.children: dict[tuple[Material, int], Codes] = {}
        self.problem: CompiledSlice = compile_slice(game, self.material, self.load)
        self.layout, self.scores = self.problem.layout, scores_of(game, self.coding)
        self.rows, self.tables = compile_rows(self.layout), compile_tables(game, self.layout)
        known = [groups._voids_and_draws(self.layout, self.rows, self.scores.draw, self.coding) for _ in (0, 1)]
        self.flags = [np.full(len(self.rows.image), DIRTY, dtype=np.uint8) for _ in (0, 1)]
        self.known, self.others = known[side], known[1 - side]
        legal = np.flatnonzero(self.others != NOTHING)
        self.others[legal] = [self.score(any_value(self.random, self.coding)) for _ in legal]
        # Mirror images have the same value.
        places = np.arange(len(self.others))
        images = self.rows.image[places // len(self.rows.turn)] * len(self.rows.turn) + self.rows.turn[places % len(self.rows.turn)]
        self.others[:] = self.others[np.minimum(places, images)]
        self.work = groups._compile(self.problem, self.tables, self.rows, self.scores, known, self.flags)

    def score(self, value: Value) -> int:
        """The score of a move into a position of this value."""
        return int(self.scores.of_code[self.coding.code(value)])

    def load(self, material: Material, side: int) -> tuple[Codes, Coding]:
        """Codes of a child at random."""
        child, mirror = layout_of(self.game, material), self.game.mirror
        if (material, side) not in self.children:
            codes = [self.coding.code(any_value(self.random, self.coding)) for _ in range(child.size)]
            if mirror is not None:
                squares, legal = child.squares_many(np.arange(child.size))
                images = child.index_many(np.array(mirror, dtype=np.int8)[squares])
                codes = [codes[min(i, j)] if fine else codes[i] for i, (j, fine) in enumerate(zip(images, legal, strict=True))]
            self.children[material, side] = np.array(codes, dtype=self.coding.dtype)
        return self.children[material, side], self.coding

    def place(self, squares: list[int]) -> int:
        """Row and cell of a position in one number, by the combinatorial numbers of its groups."""
        number = 0
        for group in self.layout.groups:
            number = number * group.size + group.rank(squares[group.slots.start : group.slots.stop])
        return number

    def positions(self) -> dict[int, Position]:
        """The positions with a place of their own, mirror images included."""
        found = (Position(pieces, self.side) for pieces in placements_of(self.game, self.material))
        return {self.place([one.pieces[i][1] for i in self.layout.slots]): one for one in found}

    def known_value(self, position: Position) -> naive.Pair:
        """What is known of a position that a move leads to."""
        if material_of(self.game, position) == self.material:
            place = self.place([position.pieces[i][1] for i in self.layout.slots])
            code = int(self.scores.codes[self.others[place]])
        else:
            location = locate(self.game, material_of(self.game, position), position.side)
            squares = [position.pieces[piece][1] for piece in location.pairing]
            image = self.game.swap if location.swapped and self.game.swap is not None else range(len(self.game.board))
            child = layout_of(self.game, location.material)
            code = int(self.load(location.material, location.side)[0][child.index([image[squares[i]] for i in child.slots])])
        value = self.coding.value(code)
        return str(value.outcome), value.distance

    def improve(self) -> None:
        """Let the kernel look at all rows."""
        rows = np.concatenate(self.rows.layers)
        scratch: Any = new_scratch(self.work.rules, self.known.dtype)
        view = self.work.views[self.side]
        improve(self.work.rules, self.work.escapes, view, self.work.worth, scratch, self.side, rows, 0, len(rows))


@pytest.mark.parametrize("side", [0, 1])
@all_slices
def test_the_best_move_of_each_cell(game: Game, name: str | None, side: int) -> None:
    """Whatever is known of the positions that moves lead to, each position gets what the twin finds; voids stay what they are."""
    case = Case(game, name, side)
    void = case.known == NOTHING
    case.improve()
    found = case.positions()
    assert sorted(found) == np.flatnonzero(~void).tolist()
    assert (case.known[void] == NOTHING).all()
    for place, position in found.items():
        outcome, distance = naive.best(game, position, case.known_value)
        code = STALEMATE if outcome == "stalemate" else case.coding.code(Value(Outcome(outcome), distance))
        assert case.scores.codes[case.known[place]] == code, position


def test_a_late_distance_is_noticed_only_where_it_stays() -> None:
    """A win in 253 is none in one byte, unless a better move is found before the end."""
    case = Case(toys.pond(), "RTvRL", 0)
    case.others[case.others != NOTHING] = case.score(Value(Outcome.LOSS, 252))
    case.improve()
    assert (case.flags[0] & LATE).any()
    case.others[case.others != NOTHING] = case.score(Value(Outcome.LOSS, 250))
    case.flags[0][:] |= DIRTY
    case.improve()
    assert not (case.flags[0] & LATE)[np.concatenate(case.rows.layers)].any()


@pytest.mark.parametrize("coding", [NARROW, NARROW_ANY, NARROW.wider, NARROW_ANY.wider], ids=str)
def test_scores_are_ordered_and_come_back(coding: Coding) -> None:
    """Better moves have larger scores, and each code is found again from that of a move into its position."""
    scores = scores_of(toys.pond(), coding)
    last = min(coding.reach, 400)
    values = [Value(Outcome.LOSS, d) for d in range(last + 1) if coding.stride == 2 or d % 2 == 0]
    values += [Value(Outcome.WIN, d) for d in range(1, last + 1) if coding.stride == 2 or d % 2 == 1]
    by_parent = sorted([*values, Value(Outcome.DRAW, None)], key=lambda value: value.reversed.later.merit)
    found = [int(scores.of_code[coding.code(value)]) for value in by_parent]
    assert found == sorted(set(found))
    assert [int(scores.codes[score]) for score in found] == [coding.code(value) for value in by_parent]
    assert scores.codes[NOTHING] == coding.void
    assert scores.codes[scores.of_code[STALEMATE]] == STALEMATE
