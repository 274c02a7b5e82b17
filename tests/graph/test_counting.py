"""Exact counts: against walks in plain Python, how they are computed, known ones, and the command."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import isqrt, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import toys
from support.checks import before_release
from support.program import Ask
from twins.walk import games, walk

from tablebase.functions.exact.paths import GameCounts
from tablebase.game import Board, Escape, Game, Kind, Outcome, Step, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.graph import counting as walks
from tablebase.graph import pursuit as counting_kernels
from tablebase.graph.counting import combine, count, count_graph, count_pursuit, games_from, primes
from tablebase.graph.forcing import solve
from tablebase.graph.reachable import game_bits, reachable
from tablebase.graph.stages import ONGOING
from tablebase.positions.material import material_of
from tablebase.positions.pursuit import pursuit_error
from tablebase.system.compute import threads

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


@cache
def naive_count(game: Game, start: Position | None = None) -> GameCounts:
    """All numbers by the walk in plain Python."""
    walked = walk(game, start)
    return GameCounts(len(walked.children), len(walked.results), *games(walked))


def both_counts(game: Game, start: Position | None = None) -> set[GameCounts]:
    """What is counted in a graph and tier after tier; one element if both say the same."""
    start = parse(game, game.start) if start is None else start
    assert pursuit_error(game, material_of(game, start)) is None
    return {count_graph(reachable(game, start), game_bits(game, start)), count_pursuit(game, start)}


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


@pytest.mark.parametrize("sort", ["open", "reach", "white", "black"])
def test_squares_that_only_one_side_can_use(sort: str) -> None:
    """Runner and pursuers may have squares that the other cannot go to; the runner may be of the second side; either begins."""
    game = toys.herd(sort)
    for side in (0, 1):
        start = parse(game, game.start)._replace(side=side)
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
    assert pursuit_error(game, material_of(game, parse(game, game.start))) is not None
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
    """All digits are right."""
    game = load_game("hasenspiel-6x8")
    assert naive_count(game).games > 2**63
    assert both_counts(game) == {naive_count(game)}


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


FIELDS = ["game", "reachable", "final", "games"]


@pytest.mark.release
def test_fox_and_hounds_on_ten_by_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest board of the article; its games by one prime only, since all that are needed take half a minute."""
    monkeypatch.setattr(walks, "primes", lambda _: PRIMES[:1])
    with threads.use(2):
        found = count(load_game("foxhounds-10x10"))
    assert found.reachable == 69_575_678
    assert found.games == 70297467696717584052559348316424667585035088022072598144 % PRIMES[0]


@pytest.mark.parametrize(
    ("early", "states", "possible", "share"),
    [
        ("default", 778_341, 2_479_385_048_689_677_432_127_960_469_169, 1.49),
        pytest.param("article", 776_247, 1_101_226_120_421_767_687_787_600_873_400, 3.44, marks=pytest.mark.full),
        pytest.param("none", 895_280, 1_586_542_365_057_189_311_556_076_565_896_156, 0.006, marks=pytest.mark.full),
    ],
)
def test_hasenspiel(early: str, states: int, possible: int, share: float) -> None:
    """States, possible games and the percentage of them that Black wins, under each reading of the early win."""
    found = count(load_game(f"hasenspiel-early={early}"))
    assert (found.reachable, found.games) == (states, possible)
    assert sum(found.won) == possible
    assert round(100 * found.won[1] / possible, 3 if early == "none" else 2) == share


@pytest.mark.full
def test_black_wins_hasenspiel_in_44_plies() -> None:
    """White to move loses the start, and 7.57 % of the states are won for Black."""
    found = solve(reachable(load_game("hasenspiel")))
    assert (found.winner[0], found.distance[0]) == (1, 44)
    assert round(100 * float((found.winner == 1).mean()), 2) == 7.57


@pytest.mark.parametrize(
    ("size", "positions", "possible", "winner", "plies"),
    [
        ("3x3", 135, 134, 1, 6),
        ("4x3", 1_128, 3_610, 0, 5),
        ("3x4", 987, 5_022, 1, 8),
        pytest.param("4x4", 20_286, 2_330_356, 0, 11, marks=pytest.mark.full),
        *before_release(
            ("5x3", 8_698, 141_000, 0, 7),
            ("3x5", 3_708, 153_612, 0, 11),
            ("6x3", 64_074, 7_675_682, 1, 8),
            ("5x4", 359_894, 2_209_023_762, 1, 14),
            ("4x5", 118_133, 1_993_598_240, 1, 16),
        ),
    ],
)
def test_hexapawn(size: str, positions: int, possible: int, winner: int, plies: int) -> None:
    """Reachable positions, possible games, and who wins in how many plies on nine boards."""
    game = load_game(f"hexapawn-{size}")
    found, result = count(game), solve(reachable(game))
    assert (found.reachable, found.games) == (positions, possible)
    assert (result.winner[0], result.distance[0]) == (winner, plies)


@pytest.mark.full
@pytest.mark.parametrize(
    ("reading", "positions"),
    [
        pytest.param(None, 957_529, id="no escape at all"),
        pytest.param({"room": False}, 701_218, id="an area of one square is enough"),
        pytest.param({"to_move": frozenset({1})}, 765_021, id="only with the hounds to move"),
    ],
)
def test_misread_escapes(reading: dict[str, Any] | None, positions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each other reading of the escape reaches its own number of positions on 8×8, and not the article's; games are not counted."""
    monkeypatch.setattr(walks, "primes", lambda _: [])
    game = load_game("foxhounds")
    assert game.escape is not None
    escape: Escape | None = None if reading is None else replace(game.escape, **reading)
    assert count(replace(game, escape=escape)).reachable == positions != 709_868


def test_the_command_counts(ask: Ask) -> None:
    """One row with the promised fields, exact to the last digit, as JSON, as CSV and as a table for people."""
    arguments = ["count", "foxhounds", "--size", "6x6", "--workers", "2"]
    (row,) = ask(*arguments, "--format", "json").json
    assert list(row) == [*FIELDS, "won_f", "won_h", "seconds"]
    assert (row["game"], row["reachable"], row["games"]) == ("foxhounds-6x6", 8_175, 982_462_133_247)
    assert row["won_f"] + row["won_h"] == row["games"]
    (as_text,) = ask(*arguments, "--format", "csv").csv
    assert all(as_text[field] == str(row[field]) for field in row if field != "seconds")
    header, _, line = ask(*arguments).out.splitlines()
    assert header.split()[: len(FIELDS)] == FIELDS
    assert line.split()[:-1] == ["foxhounds-6x6", *(f"{row[field]:,}" for field in list(row)[1:-1])]


@pytest.mark.parametrize(
    ("name", "text"), [("hexapawn", "p2/P2/3 b"), ("foxhounds-6x6", "6/6/2F3/6/H1H3/3H2 h"), ("hasenspiel-4x4-early=none", None)]
)
def test_the_command_counts_from_a_position(name: str, text: str | None, ask: Ask) -> None:
    """From a position in the middle of a game, or from the start of a variant, the numbers are those of the twin."""
    game = load_game(name)
    start = text or game.start
    expected = naive_count(game, parse(game, start))
    (row,) = ask("count", name, "--from", start, "--format", "json").json
    assert [row[field] for field in list(row)[1:-1]] == [*expected[:3], *expected.won]
