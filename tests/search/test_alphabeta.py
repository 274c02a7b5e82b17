"""Exact searches against plain minimax, whatever must not change the score; counts of lines; and the transposition table."""

import math
import threading
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support import toys
from support.checks import thinned
from support.games import GAMES, sampled
from support.program import random_position
from twins import minimax, naive

from tablebase.game import Duel, Evaluation, Game, load_game
from tablebase.game.moves import Position, legal_moves, play, wins_at_once
from tablebase.game.notation import parse
from tablebase.positions.bit_board import count_moves, set_up
from tablebase.positions.material import materials
from tablebase.positions.rule_arrays import compile_rules
from tablebase.search import Engine, Options, RepeatedLines, leaves, leaves_by_depth, leaves_by_move
from tablebase.search import transposition as table
from tablebase.search.evaluation import EvaluationArrays, compile_evaluation, evaluate, material_and_mobility
from tablebase.search.frames import SearchSettings
from tablebase.search.searcher import Searcher, SearchLimits
from tablebase.search.table_cache import TableCache
from tablebase.search.transposition import (
    BUCKET,
    DECIDED,
    ENTRY_BYTES,
    GENERATIONS,
    LOWER,
    NO_MOVE,
    UPPER,
    WIN,
    from_node,
    from_root,
    new_table,
)

JUNGLE = load_game("doushouqi")
LEAST = BUCKET * ENTRY_BYTES
"""Bytes of a transposition table with a single bucket, which is always full."""
EXACT = {
    "plain": SearchSettings(exact=True, transpositions=False, ordering=False),
    "ordered": SearchSettings(exact=True, transpositions=False),
    "table": SearchSettings(exact=True),
}
NO_LIMITS = SearchLimits(None, math.inf, threading.Event())


def searcher(game: Game, evaluation: Evaluation | None = None, size: int = 1 << 16) -> Searcher:
    """A searcher without tables."""
    return Searcher(game, compile_evaluation(game, evaluation), new_table(size), TableCache(game, None))


def score(game: Game, position: Position, depth: int, settings: SearchSettings, *, size: int = 1 << 16) -> int:
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
    assert score(JUNGLE, threatened, 1, SearchSettings()) == 2 - WIN


START = parse(JUNGLE, JUNGLE.start)
CORNERS = toys.corners(3, 4).name
PATHS = [24, 576, 12_240, 260_100, 5_111_725, 100_459_989]
"""Lines of legal moves from the start, by their length."""


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
    assert leaves(JUNGLE, START, 7, RepeatedLines.LEAF, threads=2) == 1_890_415_534
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


def entry(depth: int, generation: int = 0) -> int:
    """Data with this depth."""
    return int(table.pack(7, depth, table.EXACT, generation, -5))


def test_an_entry_keeps_all_that_is_packed_into_it() -> None:
    """Extreme numbers of every field, for keys of either sign."""
    entries = table.new_table(1 << 12)
    for key in (0, 1, -1, 2**63 - 1, -(2**63)):
        for fields in ((0, 0, table.EXACT, 0, 0), (NO_MOVE, 127, UPPER, GENERATIONS - 1, -WIN), (513, 1, LOWER, 1, WIN - 1)):
            table.store(entries, np.int64(key), table.pack(*fields))
            data = table.find(entries, np.int64(key))
            assert (table.move_of(data), table.depth_of(data), table.bound_of(data), table.score_of(data)) == (
                *fields[:3],
                fields[4],
            )


def test_what_is_replaced() -> None:
    """The same position; else an entry of an earlier search; else that of the least depth."""
    entries = table.new_table(LEAST)
    assert len(entries) == BUCKET
    for key, depth in ((1, 6), (2, 3), (3, 9), (4, 5)):
        table.store(entries, key, entry(depth, 1))
    table.store(entries, 3, entry(2, 1))
    assert [table.depth_of(table.find(entries, key)) for key in (1, 2, 3, 4)] == [6, 3, 2, 5]
    table.store(entries, 5, entry(1, 1))
    assert [bool(table.find(entries, key)) for key in (1, 2, 3, 4, 5)] == [True, True, False, True, True]
    table.store(entries, 6, entry(1, 2))
    table.store(entries, 7, entry(1, 2))
    # Of the earlier search, the deepest are left.
    assert [bool(table.find(entries, key)) for key in (1, 2, 4, 5, 6, 7)] == [True, False, True, False, True, True]
    for key in (8, 9):
        table.store(entries, key, entry(8, 2))
    assert [bool(table.find(entries, key)) for key in (1, 4, 6, 7, 8, 9)] == [False, False, True, True, True, True]


def test_an_entry_that_two_threads_wrote_at_once_is_not_found() -> None:
    """Its key is that of one, and its data are the other's."""
    entries = table.new_table(LEAST)
    table.store(entries, 1, entry(3))
    entries[entries[:, 1] != 0, 1] = entry(4)
    assert table.find(entries, 1) == 0


@pytest.mark.parametrize(("size", "count"), [(64, 4), (127, 4), (128, 8), (1 << 20, 1 << 16), ((1 << 20) - 1, 1 << 15)])
def test_sizes(size: int, count: int) -> None:
    """The largest power of two of buckets that fits."""
    assert table.new_table(size).shape == (count, 2)


def test_distances_are_those_of_the_position() -> None:
    """A win in 3 from a node at ply 5 is a win in 8 from the root, in 7 from another node at ply 4; other scores stay."""
    assert from_node(WIN - 8, 5) == WIN - 3
    assert from_root(WIN - 3, 4) == WIN - 7
    assert from_node(8 - WIN, 5) == 3 - WIN
    assert from_root(3 - WIN, 4) == 7 - WIN
    assert {from_node(score, 9) - score for score in (0, 50, -50, DECIDED, -DECIDED)} == {0}


@pytest.mark.parametrize("name", ["doushouqi", "pond", "hexapawn-4x4"])
def test_what_other_searches_left_behind_changes_no_exact_score(name: str) -> None:
    """Deeper entries, bounds for other windows, and entries of the same positions at other plies."""
    game, random, compared = GAMES[name], Random(1), 0
    options = Options(exact=True, hash_bytes=1 << 22)
    engine, without = Engine(game, options=options), Engine(game, options=replace(options, transpositions=False))
    for position in sampled(game, 8, 30):
        assert list(engine.analyse(position, depth=5))
        for _ in range(4):
            later = position
            for _ in range(2):
                moves = [move for move in legal_moves(game, later) if not wins_at_once(game, later, move)]
                later = play(later, random.choice(moves)) if moves else later
            scores = [[answer.score for answer in each.analyse(later, depth=4)] for each in (engine, without)]
            assert scores[0] == scores[1]
            compared += len(scores[0])
    assert compared > 30


@pytest.mark.parametrize("name", ["doushouqi", "pond", "hexapawn-4x4"])
def test_bounds_of_one_window_serve_another(name: str) -> None:
    """Searches with windows of one, in any order, fail high and low around the score of a search without a table."""
    game, random, compared = GAMES[name], Random(2), 0
    evaluation, cache, limits = compile_evaluation(game), TableCache(game, None), SearchLimits(None, math.inf, threading.Event())
    one, other = (Searcher(game, evaluation, table.new_table(1 << 22), cache) for _ in range(2))
    for position in sampled(game, 5, 30):
        one.start(position)
        other.start(position)
        for depth in (3, 4):
            exact = other.search(SearchSettings(exact=True, transpositions=False), limits, depth)
            assert exact is not None
            for beta in random.choices(range(exact.score - 30, exact.score + 32), k=40):
                found = one.search(SearchSettings(exact=True), limits, depth, (beta - 1, beta))
                assert found is not None
                assert (found.score >= beta) == (exact.score >= beta)
                assert found.score <= exact.score if found.score >= beta else found.score >= exact.score
                compared += 1
    assert compared == 400
