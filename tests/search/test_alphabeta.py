"""Exact searches against plain minimax, whatever must not change the score; and counts of lines."""

import math
import threading
from random import Random

import pytest
from support import toys
from support.checks import thinned
from support.games import GAMES, sampled
from support.program import random_position
from twins import minimax, naive

from tablebase.game import Duel, Evaluation, Game, load_game
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import parse
from tablebase.search import RepeatedLines, leaves, leaves_by_depth, leaves_by_move
from tablebase.search.evaluation import EvaluationArrays, compile_evaluation, evaluate, material_and_mobility
from tablebase.search.frames import Settings
from tablebase.search.searcher import Limits, Searcher
from tablebase.search.table_cache import TableCache
from tablebase.search.transposition import BUCKET, ENTRY_BYTES, WIN, new_table
from tablebase.slices.bit_board import count_moves, set_up
from tablebase.slices.material import materials
from tablebase.slices.rule_arrays import compile_rules

JUNGLE = load_game("doushouqi")
LEAST = BUCKET * ENTRY_BYTES
"""Bytes of a transposition table with a single bucket, which is always full."""
EXACT = {
    "plain": Settings(exact=True, transpositions=False, ordering=False),
    "ordered": Settings(exact=True, transpositions=False),
    "table": Settings(exact=True),
}
NO_LIMITS = Limits(None, math.inf, threading.Event())


def searcher(game: Game, evaluation: Evaluation | None = None, size: int = 1 << 16) -> Searcher:
    """A searcher without tables."""
    return Searcher(game, compile_evaluation(game, evaluation), new_table(size), TableCache(game, None))


def score(game: Game, position: Position, depth: int, settings: Settings, *, size: int = 1 << 16) -> int:
    """The score after searches of all depths up to this one."""
    one = searcher(game, size=size)
    one.start(position)
    found = [one.search(settings, NO_LIMITS, plies) for plies in range(1, depth + 1)]
    last = found[-1]
    assert last is not None
    return last.score


def assert_evaluated(game: Game, evaluation: Evaluation, arrays: EvaluationArrays, positions: list[Position]) -> None:
    """All have the value of the definition, with either side to move."""
    rules = compile_rules(game)
    for turn in [Position(position.pieces, side) for position in positions for side in (0, 1)]:
        board = set_up(rules, turn, arrays.values)
        found = evaluate(rules, arrays, board, turn.side, count_moves(rules, board, turn.side))
        assert found == minimax.evaluate(game, evaluation, turn)


@pytest.mark.parametrize("name", GAMES)
def test_evaluations_are_those_of_the_definition(name: str) -> None:
    """The game's own, or material and mobility, for either side to move."""
    game = GAMES[name]
    assert_evaluated(game, game.evaluation or material_and_mobility(game), compile_evaluation(game), sampled(game, 20))


def test_all_terms_of_an_evaluation() -> None:
    """Random values of pieces, duels in both directions and races, in a game in which pawns run and take each other."""
    game = load_game("hexapawn-5x5")
    random = Random(3)
    squares = {symbol: tuple(random.choices(range(-99, 999), k=25)) for symbol in "Pp"}
    duels = (Duel("P", "p", (0, 7, 11, 13)), Duel("p", "P", (0, 3)))
    evaluation = Evaluation(squares, mobility=17, duels=duels, race=(0, 900, 500, 100))
    positions = [random_position(game, random.choice(materials(game, pieces)), 0, random) for pieces in (2, 3, 4, 6) * 30]
    assert_evaluated(game, evaluation, compile_evaluation(game, evaluation), positions)
    alone = Evaluation(dict.fromkeys("Pp", (0,) * 25), race=(0, 1, 2, 3))
    turns = [Position(position.pieces, side) for position in positions for side in (0, 1)]
    assert {minimax.evaluate(game, alone, turn) for turn in turns} >= {-1, 0, 1, 2}


@pytest.mark.parametrize("name", thinned(GAMES, 4))
def test_exact_scores_are_those_of_minimax(name: str) -> None:
    """Whatever is switched on, to as many plies as plain Python can look ahead."""
    game = GAMES[name]
    evaluation = game.evaluation or material_and_mobility(game)
    for position in sampled(game, 4):
        moves = len(legal_moves(game, position))
        depth = 2 if moves > 8 else 4 if moves > 5 else 5
        expected = minimax.minimax(game, evaluation, position, depth)
        assert {score(game, position, depth, settings) for settings in EXACT.values()} == {expected}
        assert score(game, position, depth, EXACT["table"], size=LEAST) == expected


def test_mates_in_the_horizon() -> None:
    """A win is found at the depth of its distance and not before, and counts its plies, for both sides."""
    # The cat is two steps from the den, and the dog too far away.
    position = parse(JUNGLE, "7/7/2C4/7/7/7/7/6d/7 w")
    scores = [score(JUNGLE, position, depth, EXACT["table"]) for depth in range(1, 6)]
    assert [WIN - found if found > WIN / 2 else None for found in scores] == [None, None, None, None, 5]
    threatened = parse(JUNGLE, "2C4/7/7/7/7/7/7/6d/7 b")
    assert score(JUNGLE, threatened, 2, EXACT["table"]) == 2 - WIN
    assert score(JUNGLE, threatened, 1, Settings()) == 2 - WIN


START = parse(JUNGLE, JUNGLE.start)
CORNERS = toys.corners(3, 4).name
PATHS = [24, 576, 12_240, 260_100, 5_111_725, 100_459_989]
"""Lines of legal moves from the start, by their length."""
PAPER = [24, 576, 12_240, 260_100, 5_098_477, 99_860_517, 1_890_415_534]
"""Leaves in the paper's Table 1."""


def twin_leaves(game: Game, line: list[Position], depth: int) -> int:
    """Leaves below the last position of a line, by the paper's convention; the line must not be over."""
    total = 0
    for move in naive.moves(game, line[-1]):
        child = naive.after(line[-1], move)
        if depth == 1 or child in line:
            total += 1
        elif not move.wins and not naive.escaped(game, child):
            total += twin_leaves(game, [*line, child], depth - 1)
    return total


@pytest.mark.release
def test_the_papers_last_row() -> None:
    """1.9 thousand million leaves at depth 7, in two threads; all paths of six plies; shorter ones are counted by the command."""
    assert leaves(JUNGLE, START, 7, RepeatedLines.LEAF, threads=2) == PAPER[6]
    assert [count.leaves for count in leaves_by_depth(JUNGLE, START, 6)] == PATHS


@pytest.mark.parametrize("name", GAMES)
def test_other_games_have_as_many_paths_as_the_twin_counts(name: str) -> None:
    """From the start, as deep as plain Python can go in a moment."""
    game = GAMES[name]
    start = parse(game, game.start)
    depth = 3 if name == "doushouqi" else 5
    assert [count.leaves for count in leaves_by_depth(game, start, depth)] == [
        naive.perft(game, start, plies + 1) for plies in range(depth)
    ]


@pytest.mark.parametrize("name", ["pond", CORNERS, "twins", "hasenspiel"])
def test_repeated_lines_are_leaves(name: str) -> None:
    """The same leaves as the twin that keeps all positions of a line."""
    game = GAMES[name]
    start = parse(game, game.start)
    expected = [twin_leaves(game, [start], plies) for plies in range(1, 6)]
    assert [count.leaves for count in leaves_by_depth(game, start, 5, RepeatedLines.LEAF)] == expected
    # Pawns never come back, so neither do lines of one rabbit.
    assert (expected[4] < naive.perft(game, start, 5)) == (name != "hasenspiel")


def test_divide_adds_up() -> None:
    """The leaves below all moves are those of the position, in any number of threads."""
    below = leaves_by_move(JUNGLE, START, 4, threads=2)
    assert len(below) == PATHS[0]
    assert list(below) == sorted(below)
    assert sum(below.values()) == PATHS[3]
    assert leaves_by_move(JUNGLE, START, 4) == below
    assert leaves_by_move(JUNGLE, START, 1) == dict.fromkeys(below, 1)
