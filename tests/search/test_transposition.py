"""The transposition table: what it keeps, what it gives up, and that it changes no exact score."""

import math
import threading
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from support.games import GAMES, sampled

from tablebase.errors import TablebaseError
from tablebase.game.moves import legal_moves, play, wins_at_once
from tablebase.search import Engine, Options
from tablebase.search import transposition as table
from tablebase.search.evaluation import compile_evaluation
from tablebase.search.frames import Settings
from tablebase.search.searcher import Limits, Searcher
from tablebase.search.table_cache import TableCache
from tablebase.search.transposition import (
    BUCKET,
    DECIDED,
    ENTRY_BYTES,
    EXACT,
    GENERATIONS,
    LOWER,
    NO_MOVE,
    UPPER,
    WIN,
    from_node,
    from_root,
)

ONE_BUCKET = BUCKET * ENTRY_BYTES


def entry(depth: int, generation: int = 0) -> int:
    """Data with this depth."""
    return int(table.pack(7, depth, EXACT, generation, -5))


def test_an_entry_keeps_all_that_is_packed_into_it() -> None:
    """Extreme numbers of every field, for keys of either sign."""
    entries = table.new_table(1 << 12)
    for key in (0, 1, -1, 2**63 - 1, -(2**63)):
        for fields in ((0, 0, EXACT, 0, 0), (NO_MOVE, 127, UPPER, GENERATIONS - 1, -WIN), (513, 1, LOWER, 1, WIN - 1)):
            table.store(entries, np.int64(key), table.pack(*fields))
            data = table.find(entries, np.int64(key))
            assert (table.move_of(data), table.depth_of(data), table.bound_of(data), table.score_of(data)) == (
                *fields[:3],
                fields[4],
            )


def test_what_is_replaced() -> None:
    """The same position; else an entry of an earlier search; else that of the least depth."""
    entries = table.new_table(ONE_BUCKET)
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
    entries = table.new_table(ONE_BUCKET)
    table.store(entries, 1, entry(3))
    entries[entries[:, 1] != 0, 1] = entry(4)
    assert table.find(entries, 1) == 0


@pytest.mark.parametrize(("size", "count"), [(64, 4), (127, 4), (128, 8), (1 << 20, 1 << 16), ((1 << 20) - 1, 1 << 15)])
def test_sizes(size: int, count: int) -> None:
    """The largest power of two of buckets that fits."""
    assert table.new_table(size).shape == (count, 2)
    with pytest.raises(TablebaseError, match="at least 64 bytes, not 63"):
        table.new_table(63)


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
    evaluation, cache, limits = compile_evaluation(game), TableCache(game, None), Limits(None, math.inf, threading.Event())
    one, other = (Searcher(game, evaluation, table.new_table(1 << 22), cache) for _ in range(2))
    for position in sampled(game, 5, 30):
        one.start(position)
        other.start(position)
        for depth in (3, 4):
            exact = other.search(Settings(exact=True, transpositions=False), limits, depth)
            assert exact is not None
            for beta in random.choices(range(exact.score - 30, exact.score + 32), k=40):
                found = one.search(Settings(exact=True), limits, depth, (beta - 1, beta))
                assert found is not None
                assert (found.score >= beta) == (exact.score >= beta)
                assert found.score <= exact.score if found.score >= beta else found.score >= exact.score
                compared += 1
    assert compared == 400
