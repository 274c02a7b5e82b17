"""Scripts around the engine: games, the paper's section 3, and the fit of the evaluation's weights."""

from __future__ import annotations

from pathlib import Path
from random import Random

import engine_games
import numpy as np
import paper_engine
import pytest
import search_rates
import tune_evaluation

from tablebase.game import Outcome, load_game
from tablebase.game.notation import parse
from tablebase_rules.doushouqi_evaluation import WEIGHTS

JUNGLE = load_game("doushouqi")


def test_games_end_as_the_rules_say() -> None:
    """A step into the den wins for the side that makes it; no move is a draw; the third occurrence draws."""
    into_den = engine_games.by_text
    white = parse(JUNGLE, "7/3C3/7/7/7/7/7/6d/7 w")
    black = parse(JUNGLE, "6D/7/7/7/7/7/7/3c3/7 b")
    for start, move, expected in ((white, "d8d9", 1.0), (black, "d2d1", 0.0)):
        result, positions = engine_games.play_game(JUNGLE, start, (lambda seen, move=move: into_den(JUNGLE, seen[-1], move),) * 2)
        assert (result, positions) == (expected, [start])
    assert engine_games.points(Outcome.WIN, 1) == 0.0
    walks = iter(["a1a2", "g9g8", "a2a1", "g8g9"] * 9)
    start = parse(JUNGLE, "6e/7/7/7/7/7/7/7/E6 w")
    result, positions = engine_games.play_game(JUNGLE, start, (lambda seen: into_den(JUNGLE, seen[-1], next(walks)),) * 2)
    assert (result, len(positions)) == (0.5, 9)


def test_pairs_of_games_repeat() -> None:
    """The same seed gives the same points, from 0 to 2 a pair."""
    duel = engine_games.Duel(None, (60, 30), None)
    scores = engine_games.play_pairs(duel, 2, seed=1)
    assert scores == engine_games.play_pairs(duel, 2, seed=1)
    assert all(0 <= score <= 2 for score in scores)
    assert len(scores) == 2


@pytest.mark.parametrize(("share", "difference"), [(0.5, 0), (10 / 11, 400), (1 / 11, -400)])
def test_elo(share: float, difference: float) -> None:
    """Ten to one is 400 points."""
    assert engine_games.elo(share) == pytest.approx(difference)


def test_nothing_is_thrown_away_and_searches_agree(
    three_pieces: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The experiments in small, with tables of up to three pieces only: positions of four are left out."""
    random = engine_games.random_position
    monkeypatch.setattr(engine_games, "random_position", lambda game, generator, pieces: random(game, generator, min(pieces, 3)))
    monkeypatch.setattr(engine_games, "SEARCHES", 40)
    assert engine_games.check_kept(three_pieces, 2) == 0
    assert engine_games.check_exact(three_pieces, 2) == 0
    assert "2 positions decided within 9 plies: 0 searches differ" in capsys.readouterr().out


def test_the_rate_of_look_ups(three_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From undecided positions of one piece more than there are tables of, over which captures lead to tables."""
    for name, number in (("ROOTS", 2), ("ROOT_PIECES", 4), ("ROOT_DEPTH", 5)):
        monkeypatch.setattr(search_rates, name, number)
    row = search_rates.look_up_rate(JUNGLE, three_pieces)
    assert row["depth"] == 5
    assert row["nodes_a_second"] > row["look_ups_a_second"] > 0


def test_the_papers_table() -> None:
    """Leaves are the paper's, and scores those of equal play."""
    rows = paper_engine.table_1(4)
    assert [row["leaves"] for row in rows] == [row["paper's leaves"] for row in rows]
    assert [row["score"] > 0 for row in rows] == [True, False, True, False]
    assert paper_engine.most_moves() == 32
    played = paper_engine.position_rows(1)
    assert all(row["moves"] <= row["most moves"] <= 32 for row in played)


def test_weights_are_found_again() -> None:
    """From results that follow other weights than the present ones, those are found."""
    random = np.random.default_rng(1)
    counted = random.normal(scale=0.3, size=(10_000, len(WEIGHTS)))
    present = np.array(list(WEIGHTS.values()))
    wanted = present * random.uniform(0.5, 1.5, len(WEIGHTS))
    labels = 1 / (1 + np.exp(-counted @ wanted / tune_evaluation.SCALE))
    found = np.array(list(tune_evaluation.fit(counted, labels).values()))
    assert np.abs(found - wanted).max() < 25
    assert np.abs(present - wanted).max() > 200


def test_terms_add_up_to_the_evaluation() -> None:
    """The terms of a position, weighted, are its evaluation."""
    from tablebase.search.evaluation import compile_evaluation, evaluate
    from tablebase.slices.bit_board import count_moves, set_up
    from tablebase.slices.rule_arrays import compile_rules

    openings = tune_evaluation.varied_openings(JUNGLE, Random(1))
    positions = [next(openings) for _ in range(20)]
    weighted = tune_evaluation.terms(JUNGLE, positions) @ np.array(list(WEIGHTS.values()))
    rules, arrays = compile_rules(JUNGLE), compile_evaluation(JUNGLE)
    for position, expected in zip(positions, weighted, strict=True):
        board = set_up(rules, position, arrays.values)
        assert evaluate(rules, arrays, board, position.side, count_moves(rules, board, position.side)) == expected
