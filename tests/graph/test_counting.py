"""Exact counts: against walks in plain Python, and how they are computed."""

from collections.abc import Callable
from dataclasses import replace
from math import isqrt, prod
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import toys
from support.counts import naive_count, walked_through
from twins.walk import walk

from tablebase.compute import threads
from tablebase.errors import TablebaseError
from tablebase.game import Board, Game, Kind, Outcome, Step, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.graph import pursuit as counting_kernels
from tablebase.graph.counting import combine, count, count_graph, count_pursuit, games_from, primes
from tablebase.graph.reachable import game_bits, reachable
from tablebase.graph.stages import ONGOING
from tablebase.slices.material import material_of
from tablebase.slices.pursuit import pursuit_fault
from tablebase.states.paths import GameCounts

PURSUITS = (
    "foxhounds-2x2",
    "foxhounds-4x4",
    "foxhounds-6x6",
    "hasenspiel-6x6",
    "hasenspiel-6x6-early=article",
    "hasenspiel-6x6-early=none",
    "hasenspiel-6x6-pawns=2",
    "hasenspiel-4x8",
)
PRIMES = primes(272)


def both_counts(game: Game, start: Position | None = None) -> set[GameCounts]:
    """What is counted in a graph and tier after tier; one element if both say the same."""
    start = parse(game, game.start) if start is None else start
    assert pursuit_fault(game, material_of(game, start)) is None
    return {count_graph(reachable(game, start), game_bits(game, start)), count_pursuit(game, start)}


def turned(game: Game) -> Game:
    """A pursuit with the sides exchanged, so that the runner is on side 1 and still moves first."""
    runner, pursuer = game.kinds
    assert game.escape is not None
    escape = replace(game.escape, to_move=frozenset(1 - side for side in game.escape.to_move))
    return replace(game, sides=game.sides[::-1], kinds=(replace(pursuer, side=0), replace(runner, side=1)), escape=escape)


def fenced(game: Game, escape: bool) -> Game:
    """A pursuit in which the runner stays off the first rank and a square of the middle, the pursuers off the last rank."""
    runner, pursuer = game.kinds
    cells, middle = game.board.cells, len(game.board) // 2
    open_to_runner = tuple(square for square in runner.squares if cells[square][1] > 0 and square != middle)
    open_to_chaser = tuple(square for square in pursuer.squares if cells[square][1] < game.board.height - 1)
    kinds = tuple(
        replace(kind, squares=squares, steps=tuple(step for step in kind.steps if {step.origin, step.target} <= set(squares)))
        for kind, squares in ((runner, open_to_runner), (pursuer, open_to_chaser))
    )
    assert game.escape is not None
    zones = {square: zone for square, zone in game.escape.guarded[pursuer.symbol].items() if square in open_to_chaser}
    return replace(game, kinds=kinds, escape=replace(game.escape, guarded={pursuer.symbol: zones}) if escape else None)


def ladder(rungs: int) -> Game:
    """A climber that has two ways at each of its steps and a dancer that has four, neither ever in the other's way."""
    floor = [(file, 0) for file in range(5)]
    board = Board(5, rungs + 2, (*floor, *((file, rank) for rank in range(1, rungs + 2) for file in (0, 1))))
    climbs = [
        Step(board.numbers[a, rank], board.numbers[b, rank + 1]) for rank in range(1, rungs + 1) for a in (0, 1) for b in (0, 1)
    ]
    dances = [Step(a, b) for a in range(5) for b in range(5) if a != b]
    kinds = (
        Kind("D", "dancer", 0, tuple(range(5)), tuple(dances)),
        Kind("c", "climber", 1, tuple(range(5, len(board))), tuple(climbs), tiered=True),
    )
    start = "/".join([*["5"] * rungs, "c4", "D4"])
    return Game("ladder", "Ladder", board, toys.SIDES, kinds, f"{start} w", Outcome.LOSS, 2)


@pytest.mark.parametrize("name", ["foxhounds-4x4", "hexapawn", "hexapawn-3x4"])
def test_games_from_every_position(name: str) -> None:
    """From each node, all ways to an end and those to each side's wins are as many as plain Python finds."""
    walked = walk(load_game(name))
    graph = reachable(walked.game)
    results = graph.results()
    found = [games_from(graph, ends) for ends in (results != ONGOING, results == 0, results == 1)]
    ways = {position: [0, 0] for position in walked.children}
    for position, children in walked.children.items():
        if position in walked.results:
            ways[position][walked.winner(position)] = 1
        for child in children:
            ways[position] = [mine + more for mine, more in zip(ways[position], ways[child], strict=True)]
    for node in range(len(graph)):
        won = ways[graph.position(node)]
        assert [numbers[node] for numbers in found] == [sum(won), *won]
    assert found[0][0] == count(walked.game).games


@settings(max_examples=25)
@given(st.sampled_from(PURSUITS[1:]).flatmap(lambda name: st.tuples(st.just(load_game(name)), toys.positions(load_game(name)))))
def test_pursuits_from_any_position(case: tuple[Game, Position]) -> None:
    """From any placement of any number of pursuers with either side to move, though it may be over: both counts are the twin's."""
    assert both_counts(*case) == {naive_count(*case)}


@pytest.mark.parametrize("name", ["foxhounds-6x6", "hasenspiel-6x6-early=article"])
def test_the_runner_may_be_the_second_side(name: str) -> None:
    """With the sides exchanged, the games won are exchanged too and all else is the same."""
    game = load_game(name)
    other = turned(game)
    assert both_counts(other) == {naive_count(other)}
    assert count(other) == count(game)._replace(won=count(game).won[::-1])
    hunted = Position(tuple(sorted((1 - kind, square) for kind, square in parse(game, game.start).pieces)), 0)
    assert both_counts(other, hunted) == {naive_count(other, hunted)}


@pytest.mark.parametrize("escape", [True, False])
@pytest.mark.parametrize("name", ["foxhounds-6x6", "hasenspiel-6x6"])
def test_squares_that_only_one_side_can_use(name: str, escape: bool) -> None:
    """Runner and pursuers may have squares that the other cannot go to."""
    game = fenced(load_game(name), escape)
    assert both_counts(game) == {naive_count(game)}
    (start,) = Random(0).sample(list(walked_through(game).children), 1)
    assert both_counts(game, start) == {naive_count(game, start)}


@pytest.mark.parametrize("side", "fh")
@pytest.mark.parametrize("escape", [True, False])
def test_boards_of_more_than_64_squares(escape: bool, side: str) -> None:
    """Where the squares of a board do not fit into one word the counts are the twin's too."""
    game = load_game("foxhounds-12x12")
    game = game if escape else replace(game, escape=None)
    start = parse(game, f"12/1F10/12/12/12/1H3H6/12/12/12/12/12/12 {side}")
    assert len(game.board) == 72
    expected = naive_count(game, start)
    assert expected.reachable > 1_000
    assert both_counts(game, start) == {expected}


@pytest.mark.parametrize("make", [toys.hunt, lambda: toys.shelter("win"), lambda: toys.shelter("loss")])
def test_games_that_are_no_pursuits(make: Callable[[], Game]) -> None:
    """Captures, goals and different kinds are counted in a graph."""
    game = make()
    assert pursuit_fault(game, material_of(game, parse(game, game.start))) is not None
    assert count(game) == naive_count(game)


@settings(max_examples=20)
@given(toys.positions(load_game("hexapawn-3x4")))
def test_hexapawn_from_any_position(start: Position) -> None:
    """From any placement of pawns Hexapawn's count is the twin's, and fits into the bits that are reckoned with."""
    game = load_game("hexapawn-3x4")
    found = count(game, start)
    assert found == naive_count(game, start)
    assert found.games <= 2 ** game_bits(game, start)


def test_draws_are_nobody_s() -> None:
    """A game that ends without a move where that is a draw is a game, but won by neither side."""
    board = Board.full(3, 2)
    walker = Kind("A", "walker", 0, (0, 1, 2), (Step(0, 1), Step(0, 2), Step(2, 1)))
    pacer = Kind("y", "pacer", 1, (3, 4), (Step(3, 4), Step(4, 3)))
    game = Game("stroll", "Stroll", board, toys.SIDES, (walker, pacer), "y2/A2 w", Outcome.DRAW, 2)
    # White walks by one step or by two, Black paces after each of them, and then White has no move.
    assert count(game) == GameCounts(reachable=7, final=2, games=2, won=(0, 0))


def test_more_games_than_bits_of_a_float() -> None:
    """Where it is plain how many games there are, forty-one dances of four ways and forty climbs of two, all digits are right."""
    game, possible = ladder(40), 4**41 * 2**40
    # Dancer to move: 1 + 4 * 2 + 39 * 5 * 2 positions; climber to move: 4 + 40 * 5 * 2, of which the last ten are over.
    assert both_counts(game) == {GameCounts(399 + 404, 10, possible, (possible, 0))}


@pytest.mark.parametrize("bits", [1, 30, 31, 62, 63, 272, 700])
def test_primes_are_the_largest_and_enough(bits: int) -> None:
    """The primes are those below 2^31, none left out; their product exceeds the bits asked for, but not without the last."""
    found = primes(bits)
    tried = range(2**31 - 1, found[-1] - 1, -2)
    assert found == [one for one in tried if all(one % divisor for divisor in range(3, isqrt(one) + 1, 2))]
    assert prod(found) > 2**bits
    assert prod(found[:-1]) < 2**bits


@given(st.integers(min_value=0, max_value=2**272))
def test_residues_give_the_number_back(number: int) -> None:
    """Any number of that many bits is found from its residues."""
    moduli = PRIMES
    assert combine([number % modulus for modulus in moduli], moduli) == number


@pytest.mark.parametrize(("workers", "grain"), [(1, 1), (3, 7), (2, 10**9)])
@pytest.mark.parametrize("start", ["2F3/6/6/6/6/1H1H1H f", "6/6/2F3/6/H1H3/3H2 h"])
def test_counts_do_not_depend_on_threads(start: str, workers: int, grain: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the rows are divided among threads, the numbers are the twin's."""
    game = load_game("foxhounds-6x6")
    expected = naive_count(game, parse(game, start))
    monkeypatch.setattr(counting_kernels, "GRAIN", grain)
    with threads.use(workers):
        assert count_pursuit(game, parse(game, start)) == expected


@pytest.mark.parametrize("game", [load_game("doushouqi"), toys.twins(), toys.shelter("draw")], ids=lambda game: game.name)
def test_games_that_may_go_on_for_ever_are_not_counted(game: Game) -> None:
    """An endless number of games is an error that names the game."""
    with pytest.raises(TablebaseError, match=f"^{game.name} can go on for ever"):
        count(game)
