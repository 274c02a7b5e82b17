"""The player ``engine``: it wins what is won, errs at weak levels only, and repeats its games."""

from pathlib import Path
from random import Random

import pytest
from support.program import open_files, opened_since, random_position

from tablebase.commands.tablebase import Tablebase
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position
from tablebase.play.engine_player import SURE, EnginePlayer
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.slices.material import materials

JUNGLE = load_game("doushouqi")
NOWHERE = Path("nowhere")


def seated(game: Game, text: str, level: int, folder: Path = NOWHERE) -> EnginePlayer:
    """A player for the side to move."""
    position = game.parse(text)
    return EnginePlayer(Seat(game, position, position.side, folder), level)


def test_a_seed_repeats_a_game() -> None:
    """At a weak level, and another seed gives another game; at the others, chance plays no part."""
    start = JUNGLE.initial

    def opening(level: int, seed: int) -> list[str]:
        random, match = Random(seed), Match(JUNGLE, start)
        with EnginePlayer(Seat(JUNGLE, start, 0, NOWHERE), level) as player:
            for _ in range(8):
                match.play(player.choose(match, random))
        return [event.text for event in match.events]

    weak = [opening(2, seed) for seed in (0, 1, 2, 0, 1, 2)]
    assert weak[:3] == weak[3:]
    assert len({tuple(moves) for moves in weak}) > 1
    assert opening(SURE, 0) == opening(SURE, 1)


def test_every_win_of_the_tables_is_won_in_time(three_pieces: Path, more_tables: Tablebase) -> None:
    """At the weakest level, against the tables, in as many plies as they say."""
    random, games = Random(1), 0
    while games < 5:
        position = random_position(JUNGLE, random.choice(materials(JUNGLE, 3)), 0, random)
        value = more_tables.probe_value(JUNGLE, position)
        if value.outcome is not Outcome.WIN or value.distance < 10:  # type: ignore[operator]
            continue
        match, games = Match(JUNGLE, position), games + 1
        with EnginePlayer(Seat(JUNGLE, position, 0, three_pieces), 1) as player:
            while (ending := match.ending()) is None:
                if match.player == 1:
                    match.play(more_tables.probe(JUNGLE, match.position).moves[0].move)
                    continue
                left = more_tables.probe_value(JUNGLE, match.position)
                match.play(player.choose(match, random))
                assert player.remark == f"win in {left.distance} by the table"
        assert (ending.winner, match.plies) == (0, value.distance)


def test_it_knows_the_game_so_far() -> None:
    """A side that is behind makes the move that brings a position about for the third time, however little it searches."""
    text = "7/7/7/7/3e3/7/7/7/1R5 w"
    match: Match[Position] = Match(JUNGLE, JUNGLE.parse(text))
    for move in ("b1a1", "d5d6", "a1a2", "d6d5", "a2a1", "d5d6", "a1a2", "d6d5"):
        match.play(move)
    with seated(JUNGLE, text, 1) as player:
        assert {player.choose(match, Random(seed)) for seed in range(5)} == {"a2a1"}
        assert player.remark.startswith("+0.00 at depth ")
        player.choose(Match(JUNGLE, match.position), Random(0))
        assert player.remark.startswith("-")


def test_a_search_that_sees_nothing_makes_any_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """A legal one, by chance."""
    monkeypatch.setattr("tablebase.play.engine_player.LINES", 1)
    monkeypatch.setattr("tablebase.play.engine_player.NODES", (1,))
    match = Match(JUNGLE, JUNGLE.initial)
    with seated(JUNGLE, JUNGLE.start, 1) as player:
        moves = {player.choose(match, Random(seed)) for seed in range(20)}
        assert player.remark == "any move"
    assert len(moves) > 5
    assert moves <= set(match.legal())


def test_closing_closes_the_tables(three_pieces: Path) -> None:
    """A player that has looked something up holds files until it is closed."""
    before = open_files(three_pieces)
    text = "7/7/3t3/7/7/R6/4E2/7/7 w"
    with seated(JUNGLE, text, 2, three_pieces) as player:
        player.choose(Match(JUNGLE, JUNGLE.parse(text)), Random(0))
        assert opened_since(before, three_pieces)
    assert opened_since(before, three_pieces) == []
