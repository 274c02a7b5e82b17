"""What can be forced and how players with faults fare: against plain Python node by node, and the numbers that are known."""

from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from support import toys
from support.builds import build
from support.checks import at_least_one, thinned
from twins import naive
from twins import walk as naive_walk
from twins.walk import Walk, walk

import tablebase
from tablebase.building import slice_work
from tablebase.building.plan import plan, start_material
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.graph import policies
from tablebase.graph.forcing import UNFORCEABLE, NodeValues, best_later, mark, plies_to_force, solve, values
from tablebase.graph.policies import PRECISION, Policy, chance_against, even_chance, keep_best, result_first
from tablebase.graph.reachable import reachable
from tablebase.graph.stages import DRAWN
from tablebase_rules.foxbox_players import FoxBoxes, fox_boxes
from tablebase_rules.foxhounds import foxbox
from tablebase_rules.foxhounds import game as foxhounds

FOX, HOUNDS = 0, 1
WALKED = ("foxhounds-4x4", "foxhounds-6x6", "hexapawn")
FUZZ_STEP = 2.0**-17
"""The article's fuzz factors are multiples of this."""
FUZZ_TABLE = """
    0.000000 0.000 0.000, 0.003906 0.326 0.150, 0.005859 0.444 0.215, 0.006836 0.495 0.245,
    0.006897 0.498 0.247, 0.006927 0.499 0.248, 0.006935 0.500 0.248, 0.006943 0.500 0.249,
    0.006958 0.501 0.249, 0.007080 0.507 0.253, 0.007324 0.518 0.260, 0.007812 0.541 0.275,
    0.015625 0.780 0.466, 0.031250 0.943 0.696, 0.062500 0.995 0.890, 0.125000 1.000 0.979,
    0.250000 1.000 0.997, 0.500000 1.000 0.998, 1.000000 1.000 0.999
"""
"""Leslie-Hurd's article: fuzz factor, fox wins from the start, hounds win from the opposite position."""
OPPOSITE = "8/3F4/8/8/8/8/6H1/1H1H3H f"
"""The article's picture."""


class Known:
    """A game's graph, its values from tables, its walk in plain Python, and the computer player of Fox & Hounds."""

    def __init__(self, game: Game, tables: Tablebase) -> None:
        self.game, self.graph = game, reachable(game)
        self.values: NodeValues = values(self.graph, tables.prober)

    @cached_property
    def twin(self) -> Walk:
        """The walk."""
        return walk(self.game)

    @cached_property
    def positions(self) -> list[Position]:
        """The position of each node."""
        return [self.graph.position(node) for node in range(len(self.graph))]

    @cached_property
    def naive_values(self) -> dict[Position, naive_walk.Pair]:
        """The walk's values."""
        return naive_walk.values(self.twin)

    @cached_property
    def boxes(self) -> FoxBoxes:
        """What the computer player of Fox & Hounds knows."""
        return fox_boxes(self.graph, self.values)

    @cached_property
    def policies(self) -> tuple[Policy, Policy]:
        """What the computer player keeps to as the fox, and as the hounds."""
        return self.boxes.policy(FOX), self.boxes.policy(HOUNDS)

    def as_walked(self, measure: NDArray[np.integer]) -> dict[Position, int | None]:
        """A measure of the nodes as plain Python has it."""
        return {one: None if value == UNFORCEABLE else value for one, value in zip(self.positions, measure.tolist(), strict=True)}

    def kept(self, policy: Policy) -> dict[Position, list[Position]]:
        """What a policy keeps: for each position of the player that goes on, what the moves lead to."""
        found: dict[Position, list[Position]] = {}
        for stage in self.graph.stages:
            assert (stage.first in policy.kept) <= bool(stage.edges)
            for some, keeps in zip(stage.edges, policy.kept.get(stage.first, []), strict=stage.first in policy.kept):
                for row, node, keep in zip(some.rows.tolist(), some.nodes.tolist(), keeps.tolist(), strict=True):
                    found.setdefault(self.positions[stage.first + row], []).extend([self.positions[node]] * keep)
        return {position: sorted(some) for position, some in found.items()}

    def random(self, seed: int, low: int, high: int) -> NDArray[np.int64]:
        """A number for each node."""
        return np.random.default_rng(seed).integers(low, high, len(self.graph))


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Known]:
    """Gives what is known of a game, as ``known("hexapawn")``, whose tables are built first."""

    @cache
    def known_of(name: str) -> Known:
        game, folder = load_game(name), tmp_path_factory.mktemp(name)
        material = start_material(game)
        assert material is not None
        for _ in build(game, plan(game, None, [material]), folder):
            pass
        with tablebase.open(folder) as tables:
            return Known(game, tables)

    return known_of


Knows = Callable[[str], Known]


@pytest.mark.parametrize("name", thinned(WALKED, 2))
def test_values_are_those_of_the_twin(known: Knows, name: str) -> None:
    """At each node the winner and the plies from the tables are those that plain Python finds, won games included."""
    one = known(name)
    expected = [one.naive_values[position] for position in one.positions]
    winners = [
        position.side if outcome == "win" else 1 - position.side
        for position, (outcome, _) in zip(one.positions, expected, strict=True)
    ]
    assert one.values.winner.tolist() == winners
    assert one.values.distance.tolist() == [plies for _, plies in expected]


@pytest.mark.parametrize("name", [*WALKED, pytest.param("foxhounds-8x8", marks=pytest.mark.full)])
def test_values_without_tables_are_those_of_the_tables(known: Knows, name: str) -> None:
    """What the graph alone forces is what the tables say, winners and plies at every node."""
    one = known(name)
    found = solve(one.graph)
    assert np.array_equal(found.winner, one.values.winner)
    assert np.array_equal(found.distance, one.values.distance)


@pytest.mark.parametrize("ending", ["gate", "win", "loss"])
def test_values_of_a_game_with_draws(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where having no move is a draw the values are those of plain Python, and a draw has no plies."""
    game = toys.shelter(ending)
    monkeypatch.setattr(slice_work, "load_game", lambda _: game)
    for _ in build(game, plan(game, range(2, game.max_pieces + 1), []), tmp_path):
        pass
    graph = reachable(game)
    with tablebase.open(tmp_path) as opened:
        found = values(graph, opened.prober)
    alone = solve(graph)
    assert np.array_equal(alone.winner, found.winner)
    assert np.array_equal(alone.distance, found.distance)
    for stage in graph.stages:
        for node in range(stage.first, stage.first + len(stage)):
            position = graph.position(node)
            outcome, plies = ("loss", 0) if stage.final else naive.value(game, position)
            winner = {"win": position.side, "loss": 1 - position.side, "draw": DRAWN}[outcome]
            assert (found.winner[node], found.distance[node]) == (winner, -1 if plies is None else plies)
    assert (DRAWN in found.winner) is (ending == "gate")


def test_values_need_tables(pawn_tables: Tablebase) -> None:
    """A game of which nothing has been built is an error that names the table."""
    with pytest.raises(MissingTableError, match="hexapawn-3x4"):
        values(reachable(load_game("hexapawn-3x4")), pawn_tables.prober)


def test_marks_see_pieces_in_the_order_of_the_material(known: Knows) -> None:
    """A predicate gets a column for each piece, White's first, so that it can tell whose they are, also once the game is over."""
    one = known("hexapawn")
    seen = []

    def white_is_ahead(squares: NDArray[np.int8]) -> NDArray[np.bool_]:
        seen.append(squares.shape)
        return squares[:, 0] >= squares[:, -1]

    found = mark(one.graph, white_is_ahead)
    assert found.tolist() == [position.pieces[0][1] >= position.pieces[-1][1] for position in one.positions]
    assert 0 < found.sum() < len(found)
    assert seen == [(len(stage), stage.layout.material.pieces) for stage in one.graph.stages]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("share", [0, 30, 100])
@pytest.mark.parametrize("name", WALKED)
def test_what_can_be_forced_is_that_of_the_twin(known: Knows, name: str, share: int, side: int) -> None:
    """For any set of positions, none and all among them, the plies in which a side forces one are the twin's."""
    one = known(name)
    wanted = one.random(share, 0, 100) < share
    expected = naive_walk.force(one.twin, side, {position for position, flag in zip(one.positions, wanted, strict=True) if flag})
    found = plies_to_force(one.graph, side, wanted)
    assert one.as_walked(found) == expected


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("most", [3, 1_000])
@pytest.mark.parametrize("name", WALKED)
def test_the_best_to_come_is_that_of_the_twin(known: Knows, name: str, most: int, side: int) -> None:
    """For any measure, with many ties or few, the most that a side can still reach and the plies until then are the twin's."""
    one = known(name)
    # A value in five is the largest that there is.
    measure = np.where(one.random(most, 0, 5) == 0, UNFORCEABLE, one.random(most + 1, 0, most))
    expected = naive_walk.best_later(one.twin, side, one.as_walked(measure))
    found = best_later(one.graph, side, measure)
    pairs = [(np.inf if value == UNFORCEABLE else value, plies) for value, plies in zip(found.value, found.plies, strict=True)]
    assert pairs == [expected[position] for position in one.positions]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", WALKED)
def test_the_best_moves_are_kept_with_all_ties(known: Knows, name: str, side: int) -> None:
    """By score, or by result and then score, just the moves are kept that no other exceeds; no score outweighs a result."""
    one = known(name)
    scores = [one.random(1, -1, 2), np.where(one.random(2, 0, 3) == 0, one.random(3, -(2**60) + 1, 2**60), 7)]
    winner = one.random(4, -1, 2).astype(np.int8)
    rank = {side: 2, DRAWN: 1, 1 - side: 0}
    for score in at_least_one(scores):
        by_score = dict(zip(one.positions, score.tolist(), strict=True))
        by_result = {p: (rank[who], by_score[p]) for p, who in zip(one.positions, winner.tolist(), strict=True)}
        for policy, worth in (
            (keep_best(one.graph, side, score), by_score),
            (keep_best(one.graph, side, result_first(side, winner, score)), by_result),
        ):
            assert one.kept(policy) == {
                position: sorted(child for child in children if worth[child] == max(worth[other] for other in children))
                for position, children in one.twin.children.items()
                if position.side == side and children
            }


def test_even_chance_is_found_by_bisection() -> None:
    """The fuzz found is at most the precision below the one at which the chance is even, also at either end."""
    for even in (0.0, 0.006935, 0.5, 1.0):
        for precision in (PRECISION, 0.1, 1e-9):
            found = even_chance(lambda fuzz, even=even: 0.5 + fuzz - even, precision)
            assert 0 <= even - found <= precision
    assert 1 - even_chance(lambda _: 0.0) <= PRECISION
    assert even_chance(lambda _: 1.0) == 0


@pytest.mark.full
def test_the_literal_prose_is_another_policy(known: Knows, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the player drew any move with probability p, and else one that it keeps, the chance would be even at 0.038383."""
    drawn = policies._after_random_move
    monkeypatch.setattr(
        policies,
        "_after_random_move",
        lambda stage, kept, chance, fuzz: fuzz * drawn(stage, kept, chance, 1) + (1 - fuzz) * drawn(stage, kept, chance, 0),
    )
    assert round(known("foxhounds-8x8").boxes.fair_fuzz(), 6) == 0.038383


@pytest.mark.full
def test_the_fuzz_table(known: Knows) -> None:
    """All nineteen rows of the article's table in both columns, to three decimals, of positions won by the hounds and the fox."""
    one = known("foxhounds-8x8")
    other = one.graph.node(parse(one.game, OPPOSITE))
    assert (one.values.winner[other], one.values.distance[other]) == (FOX, 29)
    assert (one.values.winner[0], one.values.distance[0]) == (HOUNDS, 44)
    rows = []
    article = [row.strip() for row in FUZZ_TABLE.split(",")]
    for row in article:
        fuzz = round(float(row.split()[0]) / FUZZ_STEP) * FUZZ_STEP
        fox = chance_against(one.policies[HOUNDS], fuzz)[0]
        hounds = chance_against(one.policies[FOX], fuzz)[other]
        rows.append(f"{fuzz:.6f} {fox:.3f} {hounds:.3f}")
    assert len(rows) == 19
    assert rows == article


@given(toys.positions(foxhounds((10, 10))))
def test_boxes_anywhere(position: Position) -> None:
    """So is any placement of a fox and one to five hounds on 10×10, whichever side is to move."""
    game = foxhounds((10, 10))
    squares = np.array([[square for _, square in position.pieces]], dtype=np.int8)
    assert foxbox(game, squares).tolist() == [naive_walk.foxbox(game, position)]
