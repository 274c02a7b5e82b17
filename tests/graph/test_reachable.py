"""Graphs of reachable positions: by the rules node by node, and in their order."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import toys
from support.checks import thinned

from tablebase.errors import CapacityError, TablebaseError
from tablebase.features import Positions
from tablebase.game import Board, Game, Kind, Outcome, Step, load_game
from tablebase.game.moves import Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import parse, read
from tablebase.graph import reachable as graphs
from tablebase.graph.counting import count
from tablebase.graph.reachable import reachable
from tablebase.graph.stages import DRAWN, NOWHERE, ONGOING, Graph
from tablebase.positions.material import Material


def turned_hunt() -> Game:
    """The hunt with the sides exchanged, so that the pieces that come back are side 0's."""
    hunt = toys.hunt()
    return replace(
        hunt, sides=hunt.sides[::-1], kinds=tuple(replace(hunt.kinds[n], side=1 - hunt.kinds[n].side) for n in (1, 2, 0))
    )


TOYS = {
    "hunt": toys.hunt,
    "hunt-turned": turned_hunt,
    "shelter-win": lambda: toys.shelter("win"),
    "shelter-loss": lambda: toys.shelter("loss"),
    "shelter-gate": lambda: toys.shelter("gate"),
    "march-gate": lambda: toys.shelter("gate", files=6, march=4),
}
# The runner and the pursuers each on either side, identical pieces and single ones, captures by both, goals, escapes.
SOLVED = (
    *("foxhounds-2x2", "foxhounds-4x4", "foxhounds-6x6"),
    *("hasenspiel-6x6", "hasenspiel-6x6-early=article", "hasenspiel-6x6-early=none", "hasenspiel-4x8-pawns=1"),
    *("hexapawn", "hexapawn-4x3", "hexapawn-3x4", "hunt", "hunt-turned", "shelter-win", "shelter-loss"),
)
WITH_DRAWS = ("shelter-gate", "march-gate")
SMALL = ("foxhounds-4x4", "hasenspiel-4x8-pawns=1", "hexapawn", "hexapawn-4x3", *WITH_DRAWS, "shelter-win", "shelter-loss")


@cache
def game_of(name: str) -> Game:
    """A toy, or an installed game."""
    return TOYS[name]() if name in TOYS else load_game(name)


@cache
def graph_of(name: str) -> Graph:
    """The graph from the initial position."""
    return reachable(game_of(name))


def positions(graph: Graph) -> list[Position]:
    """The position of each node, stage by stage."""
    found = []
    for stage in graph.stages:
        kinds, slots = stage.layout.material.kinds, stage.layout.slots
        for squares in stage.squares().tolist():
            pieces = sorted((kinds[piece], square) for piece, square in zip(slots, squares, strict=True))
            found.append(Position(tuple(pieces), stage.side))
    return found


def followers(graph: Graph) -> list[list[int]]:
    """The nodes that the moves of each node lead to."""
    found: list[list[int]] = [[] for _ in range(len(graph))]
    for stage in graph.stages:
        for some in stage.edges:
            for row, node in zip(some.rows.tolist(), some.nodes.tolist(), strict=True):
                found[stage.first + row].append(node)
    return found


def finals(graph: Graph) -> list[bool]:
    """Whether a move that won led to each node."""
    return [stage.final for stage in graph.stages for _ in range(len(stage))]


def assert_as_the_rules_say(graph: Graph, game: Game, start: Position) -> None:
    """Each position is one node, the start first; moves and results are those of the rules; all but the start are led to."""
    known, moves, final, results = positions(graph), followers(graph), finals(graph), graph.results().tolist()
    assert known[0] == start
    assert len(set(zip(known, final, strict=True))) == len(graph)
    assert {child for some in moves for child in some} == set(range(1, len(graph)))
    for node, position in enumerate(known):
        ways = [] if final[node] else legal_moves(game, position)
        expected = sorted((play(position, move), wins_at_once(game, position, move)) for move in ways)
        assert sorted((known[child], final[child]) for child in moves[node]) == expected
        outcome = Outcome.LOSS if final[node] else decided(game, position)
        winners = {Outcome.LOSS: 1 - position.side, Outcome.WIN: position.side, Outcome.DRAW: DRAWN, None: ONGOING}
        assert results[node] == winners[outcome]


@pytest.mark.parametrize("name", [*thinned(SOLVED, 2), *WITH_DRAWS])
def test_each_node_is_what_the_rules_say(name: str) -> None:
    """Games with and without draws, in plain Python."""
    graph, game = graph_of(name), game_of(name)
    assert_as_the_rules_say(graph, game, parse(game, game.start))
    assert (DRAWN in graph.results()) is (name in WITH_DRAWS)


@pytest.mark.parametrize("name", [*SOLVED, *WITH_DRAWS])
def test_every_move_leads_ahead(name: str) -> None:
    """Stages are different and numbered one after another; each move leads to one later stage, and none goes on from the end."""
    graph = graph_of(name)
    assert [stage.first for stage in graph.stages] == np.cumsum([0, *map(len, graph.stages[:-1])]).tolist()
    assert len(graph.stages[0]) == 1
    assert len({(stage.layout.material, stage.side, stage.final) for stage in graph.stages}) == len(graph.stages)
    edges = np.cumsum([len(stage) for stage in graph.stages])
    for stage in graph.stages:
        assert (np.diff(stage.index) > 0).all()
        for some in stage.edges:
            assert len(some.rows) == len(some.nodes) > 0
            assert len(np.unique(some.rows)) == len(some.rows)
            assert (stage.result[some.rows] == ONGOING).all()
            assert some.nodes.min() >= stage.first + len(stage)
            assert len(np.unique(np.searchsorted(edges, some.nodes, side="right"))) == 1


@pytest.mark.parametrize("name", ["foxhounds-4x4", "hexapawn-4x3"])
def test_stages_may_be_followed_in_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is the same if a stage is looked at a few positions at a time."""
    whole = graph_of(name)
    monkeypatch.setattr(graphs, "BLOCK", 7)
    parts = reachable(game_of(name))
    assert max(map(len, parts.stages)) > 7
    assert positions(parts) == positions(whole)
    assert parts.results().tolist() == whole.results().tolist()
    assert [sorted(some) for some in followers(parts)] == [sorted(some) for some in followers(whole)]


@pytest.mark.parametrize("name", SMALL)
def test_node_and_position_are_inverse(name: str) -> None:
    """Each node has its position, and each position its node, found only if asked for as what it is, final or not."""
    graph = graph_of(name)
    assert [graph.position(node) for node in range(len(graph))] == positions(graph)
    for node, (position, final) in enumerate(zip(positions(graph), finals(graph), strict=True)):
        assert graph.node(position, final=final) == node
        with pytest.raises(KeyError):
            graph.node(position, final=not final)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("foxhounds-6x6", "2F3/6/6/6/6/1H1H1H h", id="the other side to move"),
        pytest.param("foxhounds-6x6", "6/6/6/6/2F3/1H1H1H f", id="a square too far"),
        pytest.param("foxhounds-6x6", "6/6/2F3/6/6/1H1H2 h", id="a hound less"),
        pytest.param("foxhounds-6x6", "H1H1H1/6/6/1F4/6/6 h", id="further than hounds come before it is over"),
        pytest.param("hexapawn", "1pp/p2/PPP b", id="an advance that no position has"),
        pytest.param("hexapawn", "P2/3/1p1 b", id="a square where no pawn stands while the game goes on"),
        pytest.param("hunt", "fc1/3/3/HH1 b", id="fewer pieces than can be"),
    ],
)
def test_no_node_for_what_cannot_be_reached(name: str, text: str) -> None:
    """Asking for the node of a position that cannot come up is a KeyError, never the node of another."""
    game = game_of(name)
    position = read(game, text)
    assert position not in positions(graph_of(name))
    with pytest.raises(KeyError):
        graph_of(name).node(position)


@pytest.mark.parametrize("name", ["hunt", "hunt-turned"])
def test_no_node_behind_a_move_that_has_won(name: str) -> None:
    """Where the last hound has been taken, or the fox has come home, there is no node to ask for either."""
    graph = graph_of(name)
    over = [position for position, final in zip(positions(graph), finals(graph), strict=True) if final]
    assert {len({game_of(name).side_of(kind) for kind, _ in position.pieces}) for position in over} == {1, 2}
    for position in over:
        with pytest.raises(KeyError):
            graph.node(position)
        material = Material(*(tuple(kind for kind, _ in position.pieces if graph.game.side_of(kind) == side) for side in (0, 1)))
        squares = np.array([[square for _, square in position.pieces]], dtype=np.int8)
        assert graph.nodes(Positions(graph.game, material, position.side, squares)).tolist() == [NOWHERE]


def test_a_place_may_be_won_by_one_way_and_played_on_by_another() -> None:
    """Where coming to a square from one side wins and from the other does not, it is the end as well as a position."""
    board = Board.full(4, 2)
    walker = Kind("A", "walker", 0, (0, 1, 2, 3), (Step(0, 1), Step(1, 2, wins=True), Step(0, 3), Step(3, 2)))
    pacer = Kind("y", "pacer", 1, (4, 5), (Step(4, 5), Step(5, 4)))
    game = Game("detour", "Detour", board, toys.SIDES, (walker, pacer), "y3/A3 w", Outcome.LOSS, 2)
    graph = reachable(game)
    there = Position(((0, 2), (1, 5)), 1)
    nodes = [node for node in range(len(graph)) if graph.position(node) == there]
    assert len(graph) == 8
    assert [(finals(graph)[node], graph.results()[node]) for node in nodes] == [(False, ONGOING), (True, 0)]
    assert graph.node(there) == nodes[0]


def test_the_largest_boards_are_refused() -> None:
    """On 9×9 the placements of eighteen pawns exceed 64 bits: an error that says so, not numbers that have wrapped."""
    game = load_game("hexapawn-9x9")
    # All pawns are blocked in pairs but the white one on i8 that wins.
    start = parse(game, "9/8P/8p/9/p1p1p1p2/P1P1P1P2/1p1p1p1p1/1P1P1P1P1/9 w")
    with pytest.raises(CapacityError, match=r"indices in one slice, .*: choose a smaller board"):
        reachable(game, start)


def test_a_graph_may_be_limited() -> None:
    """As many positions as there are fit, and one less does not; the error has the limit as data."""
    game, size = game_of("hexapawn"), len(graph_of("hexapawn"))
    assert len(reachable(game, limit=size)) == size
    with pytest.raises(CapacityError, match="hexapawn needs more than the supported 134 positions") as refused:
        reachable(game, limit=size - 1)
    assert (refused.value.allowed, refused.value.exit_code) == (size - 1, 3)


@settings(max_examples=12)
@given(st.sampled_from(["hunt", "hexapawn-3x4"]).flatmap(lambda name: st.tuples(st.just(name), toys.positions(game_of(name)))))
def test_any_start(case: tuple[str, Position]) -> None:
    """From any placement a toy with captures, goals and two kinds of runner, and Hexapawn, are walked as the rules say."""
    name, start = case
    assert_as_the_rules_say(reachable(game_of(name), start), game_of(name), start)


@pytest.mark.parametrize(
    ("name", "text", "winner"),
    [
        pytest.param("foxhounds-2x2", None, 1, id="the fox is shut in from the start"),
        pytest.param("foxhounds", "2F1H3/1H1H4/4H3/8/8/8/8/8 f", 1, id="the fox is blocked"),
        pytest.param("foxhounds", "H3H1H1/8/8/8/6F1/7H/8/8 h", 0, id="the hounds are stuck"),
        pytest.param("foxhounds", "8/8/8/1H3H2/8/1F1H1H2/8/8 f", 0, id="the fox has escaped and is to move"),
        pytest.param("foxhounds", "8/8/8/1H3H2/8/1F1H1H2/8/8 h", 0, id="the fox has escaped and the hounds are to move"),
        pytest.param("hasenspiel-early=article", "8/8/8/8/8/8/1p6/R7 w", 1, id="behind the pawn, but blocked: that comes first"),
        pytest.param("hexapawn", "p2/P2/3 b", 0, id="no move"),
    ],
)
def test_a_start_that_is_over(name: str, text: str | None, winner: int) -> None:
    """A start in which the game is over is the only node, and no move leads away from it."""
    game = game_of(name)
    graph = reachable(game, None if text is None else parse(game, text))
    assert len(graph) == len(graph.stages) == 1
    assert graph.results().tolist() == [winner]
    assert followers(graph) == [[]]
    assert graph.node(graph.position(0)) == 0


@pytest.mark.parametrize(
    "game",
    [
        load_game("doushouqi"),
        *(toys.pond(), toys.sisters(), toys.skaters(3, 3), toys.corners(3, 3), toys.odometer(3, 3)),
        # Of both sides some kinds never come back, which is not enough.
        *(toys.shelter("draw"), toys.twins()),
    ],
    ids=lambda game: game.name,
)
def test_games_that_may_go_on_for_ever_are_refused(game: Game) -> None:
    """If each side has a kind that can come back there is an error that names the game, though some of its pawns cannot."""
    with pytest.raises(TablebaseError, match=rf"^games of {game.name} may never end") as refused:
        reachable(game)
    assert refused.value.exit_code == 2
    with pytest.raises(TablebaseError, match=f"^games of {game.name} may never end"):
        count(game)


def test_two_ways_from_a_square_to_another_are_refused() -> None:
    """Where a piece could go to a square in two ways it is not plain which games are different, and the error names the piece."""
    board = Board.full(3, 2)
    walker = Kind("A", "walker", 0, (0, 1, 2), (Step(0, 2, frozenset({1})), Step(0, 2, frozenset({4})), Step(2, 1)))
    pacer = Kind("y", "pacer", 1, (3, 5), (Step(3, 5), Step(5, 3)))
    game = Game("fork", "Fork", board, toys.SIDES, (walker, pacer), "y2/A2 w", Outcome.LOSS, 2)
    for walk_from in (reachable, count):
        with pytest.raises(TablebaseError, match=r"^cannot count the games of fork, because the walker has two ways"):
            walk_from(game)
