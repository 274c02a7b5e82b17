"""What an engine takes, and in which order it answers; what it finds is in test_engine.py and test_engine_tables.py."""

from dataclasses import replace

import pytest
from support import toys
from support.games import GAMES, after, sampled

from tablebase.game import load_game
from tablebase.game.moves import legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.search import Engine, Options, Repetition

SMALL = Options(hash_bytes=1 << 20, table_bytes=1 << 22)
PAWNS = load_game("hexapawn")
START = parse(PAWNS, PAWNS.start)


def test_ways_of_the_same_move_are_one_line() -> None:
    """Where two steps go from one square to another, each move has one line all the same."""
    game, doubled = GAMES["corners"], 0
    engine = Engine(game, options=SMALL)
    for position in sampled(game, 12):
        moves = legal_moves(game, position)
        texts = sorted({render_move(game, move) for move in moves})
        answers = [answer for answer in engine.analyse(position, depth=2, lines=99) if answer.depth == 2]
        assert sorted(str(answer.best) for answer in answers) == texts
        doubled += len(moves) > len(texts)
    assert doubled


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_a_search_without_a_depth_ends_when_all_is_proved(lines: int) -> None:
    """All lines of Hexapawn, which is over after seven plies; a search to a depth goes on."""
    engine = Engine(PAWNS, options=SMALL)
    answers = list(engine.analyse(START, nodes=10**9, lines=lines))
    assert answers[-1].depth <= 9
    assert [answer.rank for answer in answers[-lines:]] == list(range(1, lines + 1))
    assert all(answer.value for answer in answers[-lines:])
    assert list(engine.analyse(START, depth=20, lines=lines))[-1].depth == 20


def test_verdicts_on_repetitions() -> None:
    """Two pieces that go to and fro: the second side is the first to repeat a position, unless the first has done so before."""
    game = toys.pacers()
    start = parse(game, game.start)
    engine = Engine(game, options=replace(SMALL, exact=True, repetition=Repetition.LOSS))
    [*_, won] = engine.analyse(start, depth=4)
    assert (won.verdict, won.value) == ("win by repetition", None)
    past = [start, *after(game, start, ["a1b1", "a2b2", "b1a1", "b2a2"] * 2)]
    [lost] = engine.analyse(past[-1], depth=1, past=past[:-1])
    assert (lost.verdict, lost.value) == ("loss by repetition", None)
