"""The engine: against the tables, its interface and limits, and with rules that tables do not know."""

import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from support import toys
from support.games import GAMES, after, drawn, sampled
from twins import minimax

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Evaluation, Outcome, load_game
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.search import Analysis, Engine, Options, Repetition
from tablebase.search.frames import MOST_DEPTH
from tablebase.search.transposition import REPEATER_LOSES
from tablebase.tables.values import Value

JUNGLE = load_game("doushouqi")
SMALL = Options(hash_bytes=1 << 20, table_bytes=1 << 22)
EXACT = replace(SMALL, exact=True)
ALONE = parse(JUNGLE, "7/2c4/7/7/7/7/3C3/7/7 w")


def analysed(engine: Engine, position: Position, **limits: int) -> list[Analysis]:
    """All answers of a search."""
    return list(engine.analyse(position, **limits))  # type: ignore[arg-type]


def test_exact_searches_agree_with_tables(more_tables: Tablebase) -> None:
    """To the ply, for every position of two and three pieces that is decided within the depth."""
    engine, decided = Engine(JUNGLE, options=EXACT), 0
    for position in drawn(JUNGLE, 2, 40) + drawn(JUNGLE, 3, 20):
        value = more_tables.probe_value(JUNGLE, position)
        answers = analysed(engine, position, depth=6)
        assert [answer.depth for answer in answers] == ([1, 2, 3, 4, 5, 6] if legal_moves(JUNGLE, position) else [0])
        for answer in answers:
            within = value.distance is not None and value.distance <= answer.depth
            assert answer.value == (value if within else None)
            decided += within
    assert decided > 50


def test_what_play_proves_is_true(more_tables: Tablebase) -> None:
    """A selective search never claims what tables deny, and the distance that it claims, of a win or a loss, is no shorter."""
    engine, claims = Engine(JUNGLE, options=SMALL), set()
    for position in drawn(JUNGLE, 3, 50, seed=2):
        value = more_tables.probe_value(JUNGLE, position)
        for answer in analysed(engine, position, depth=8):
            if answer.value is not None and legal_moves(JUNGLE, position):
                assert answer.value.outcome == value.outcome
                assert answer.value.distance is not None
                assert value.distance is not None
                assert answer.value.distance >= value.distance
                claims.add(value.outcome)
    assert claims == {Outcome.WIN, Outcome.LOSS}


def test_null_moves_do_not_hide_zugzwang() -> None:
    """A mirrored pair of lost positions, which a null move that cuts off by itself takes for won at depth 8."""
    game = load_game("hexapawn-5x4")
    for text in ("ppp1p/3p1/1P3/P1PPP w", "p1ppp/1p3/3P1/PPP1P w"):
        position = parse(game, text)
        [*_, exact] = Engine(game, options=EXACT).analyse(position, depth=12)
        assert exact.value == Value(Outcome.LOSS, 12)
        found = [answer.value for answer in Engine(game, options=SMALL).analyse(position, depth=18)]
        assert {value.outcome for value in found if value} == {Outcome.LOSS}


def test_limits() -> None:
    """By nodes to the node, by time to a fraction of a second, and by another thread's word; what was found so far is kept."""
    start = parse(JUNGLE, JUNGLE.start)
    engine = Engine(JUNGLE, options=SMALL)
    one, other = (analysed(each, start, nodes=5_000) for each in (Engine(JUNGLE, options=SMALL), Engine(JUNGLE, options=SMALL)))
    assert [replace(answer, seconds=0.0) for answer in one] == [replace(answer, seconds=0.0) for answer in other]
    assert 0 < one[-1].nodes <= 5_000
    begin = time.monotonic()
    answers = analysed(engine, start, seconds=0.3)  # type: ignore[arg-type]
    assert answers
    assert time.monotonic() - begin < 5
    timer = threading.Timer(0.3, engine.stop)
    timer.start()
    assert analysed(engine, start, depth=60)[-1].depth < 60
    timer.join()
    first = analysed(Engine(JUNGLE, options=SMALL), start, nodes=1)
    assert [(answer.depth, answer.value, len(answer.line)) for answer in first] == [(0, None, 1)]
    assert first[0].best in {render_move(JUNGLE, move) for move in legal_moves(JUNGLE, start)}


def test_threads_change_no_exact_score() -> None:
    """Three threads that share a table, each with its own board."""
    alone, together = Engine(JUNGLE, options=EXACT), Engine(JUNGLE, options=replace(EXACT, threads=3))
    for position in sampled(JUNGLE, 5):
        scores = [[answer.score for answer in analysed(engine, position, depth=5)] for engine in (alone, together)]
        assert scores[0] == scores[1]


def test_lines_lead_to_their_scores() -> None:
    """The last position of an exact line has the score of the line by the evaluation alone, or ends the game."""
    engine, evaluation = Engine(JUNGLE, options=EXACT), JUNGLE.evaluation
    assert evaluation is not None
    for position in sampled(JUNGLE, 5):
        for answer in analysed(engine, position, depth=4):
            ends = after(JUNGLE, position, answer.line)
            if answer.value is None:
                assert len(ends) == answer.depth
                assert answer.score == minimax.minimax(JUNGLE, evaluation, ends[-1], 0) * (-1) ** answer.depth
            else:
                assert len(ends) == answer.value.distance


def test_threats_at_the_horizon_are_answered() -> None:
    """A cat that will be in the den: seen at depth 1, since replies to a threat are searched beyond the depth."""
    position = parse(JUNGLE, "7/2C4/7/7/7/7/3d3/7/7 w")
    assert analysed(Engine(JUNGLE, options=SMALL), position, depth=1)[-1].value == Value(Outcome.WIN, 3)
    assert analysed(Engine(JUNGLE, options=EXACT), position, depth=1)[-1].value is None


def test_repetitions() -> None:
    """A side that is behind repeats if that draws, does not if it loses, and need not care if there is no such rule."""
    start = parse(JUNGLE, "7/7/7/7/3e3/7/7/7/R6 w")
    past = [start, *after(JUNGLE, start, ("a1a2", "d5d6", "a2a1", "d6d5", "a1a2", "d5d6", "a2a1", "d6d5"))][:-1]
    found = {}
    for rule in Repetition:
        [*_, found[rule]] = Engine(JUNGLE, options=replace(EXACT, repetition=rule)).analyse(start, depth=1, past=past)
    assert found[Repetition.NONE].score < 0
    assert (found[Repetition.DRAW].score, found[Repetition.DRAW].best) == (0, "a1a2")
    assert found[Repetition.LOSS].score < 0
    assert found[Repetition.LOSS].best != "a1a2"
    # Once before is not enough, nor is a repetition of what was before a capture.
    [*_, second] = Engine(JUNGLE, options=replace(EXACT, repetition=Repetition.DRAW)).analyse(start, depth=1, past=past[4:])
    assert second.score == found[Repetition.NONE].score


def test_the_second_time_within_a_search_is_enough() -> None:
    """Two pieces that can only go to and fro are back after four plies, by a move of the second side."""
    game = toys.pacers()
    one = parse(game, game.start)
    evaluation = Evaluation({"A": (100,) * 4, "b": (50,) * 4})
    scores = {}
    for rule in Repetition:
        engine = Engine(game, options=replace(EXACT, repetition=rule), evaluation=evaluation)
        scores[rule] = [answer.score for answer in engine.analyse(one, depth=5)]
    assert scores[Repetition.NONE] == [50] * 5
    assert scores[Repetition.DRAW] == [50] * 3 + [0] * 2
    assert scores[Repetition.LOSS] == [50] * 3 + [REPEATER_LOSES] * 2


def test_the_limit_of_progress_draws() -> None:
    """A win that takes more plies without a capture than the limit allows is none."""
    position = parse(JUNGLE, "7/7/2C4/7/7/7/7/6d/7 w")
    scores = {}
    for limit in (0, 3, 4, 5, 10**30):
        [*_, last] = Engine(JUNGLE, options=replace(EXACT, progress=limit)).analyse(position, depth=5)
        scores[limit] = last.value
    won = Value(Outcome.WIN, 5)
    assert scores == {0: won, 3: None, 4: None, 5: won, 10**30: won}


@pytest.mark.parametrize(
    ("options", "limits", "sentence"),
    [
        ({}, {}, "give a depth, a time or a number of nodes"),
        ({}, {"depth": 0}, "the depth must be at least 1 ply, not 0"),
        ({}, {"seconds": -1.0}, "the time must be positive, not -1"),
        ({}, {"seconds": float("nan")}, "the time must be positive, not nan"),
        ({}, {"nodes": 0}, "the number of nodes must be positive, not 0"),
        ({}, {"depth": 3, "lines": 0}, "the number of lines must be positive, not 0"),
        ({}, {"depth": MOST_DEPTH + 1}, f"{MOST_DEPTH} plies that can be used"),
        ({"hash_bytes": 63}, {}, "at least 64 bytes, not 63"),
        ({"hash_bytes": 1 << 50}, {}, "transposition table"),
        ({"threads": 0}, {}, "at least one thread, not 0"),
        ({"table_bytes": -1}, {}, "the memory for tables must not be negative"),
        ({"table_bytes": 1 << 50}, {}, "the memory for tables needs"),
        ({"table_pieces": -1}, {}, "the number of pieces to look up must not be negative"),
        ({"progress": -1}, {}, "the number of plies without a capture must not be negative"),
        *(({"repetition": word}, {}, f"no rule of repetition '{word}': choose none, draw or loss") for word in ("xyz", None)),
    ],
)
def test_what_makes_no_sense_or_does_not_fit(options: dict[str, Any], limits: dict[str, Any], sentence: str) -> None:
    """Before the first answer, so that a caller that writes answers as they come has written nothing yet."""
    with pytest.raises(TablebaseError, match=sentence) as fault:
        Engine(JUNGLE, options=replace(SMALL, **options)).analyse(ALONE, **limits)
    assert isinstance(fault.value, CapacityError) == bool({1 << 50, MOST_DEPTH + 1}.intersection((options | limits).values()))


PAWNS = load_game("hexapawn")
PAWNS_START = parse(PAWNS, PAWNS.start)


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
    answers = list(engine.analyse(PAWNS_START, nodes=10**9, lines=lines))
    assert answers[-1].depth <= 9
    assert [answer.rank for answer in answers[-lines:]] == list(range(1, lines + 1))
    assert all(answer.value for answer in answers[-lines:])
    assert list(engine.analyse(PAWNS_START, depth=20, lines=lines))[-1].depth == 20


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
