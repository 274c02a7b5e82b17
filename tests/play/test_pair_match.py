"""Matches of pieces on squares: pairs of games, seeds, tables, and programs of their own that fail."""

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support import odd_engine

from tablebase.api.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import Outcome, load_game
from tablebase.game.notation import parse
from tablebase.play.comparison import SequentialTest
from tablebase.play.match import Match
from tablebase.play.pair_match import Conditions, PlayedGame, enough, opening, pair_points, play_match
from tablebase.play.records import Record, places_of, replayed
from tablebase.probe.prober import Prober
from tablebase.protocol.client import Budget

PAWNS = load_game("hexapawn")
WIDE = load_game("hexapawn-4x4")
JUNGLE = load_game("doushouqi")
NOWHERE = Path("nowhere")
HERE = Conditions(parse(PAWNS, PAWNS.start), opening=1, folder=NOWHERE)
ODD = f"uci:{sys.executable} {odd_engine.__file__}"


def games(*names: str, count: int = 4, conditions: Conditions = HERE, game: str = "hexapawn") -> list[PlayedGame]:
    """The games of a match."""
    return list(play_match(load_game(game), names, count, conditions))


def test_pairs_and_seeds() -> None:
    """Both games of a pair have one opening, with colours swapped; the same seed gives the same games, another one others."""
    wide = replace(HERE, start=parse(WIDE, WIDE.start), opening=3)
    one, other = (games("engine:level=1", "engine:nodes=40", count=6, conditions=wide, game=WIDE.name) for _ in range(2))
    assert one == other
    assert one != games("engine:level=1", "engine:nodes=40", count=6, conditions=replace(wide, seed=2), game=WIDE.name)
    assert [game.sides for game in one] == [(0, 1), (1, 0)] * 3
    assert [game.text.number for game in one] == [1, 2, 3, 4, 5, 6]
    for first, second in zip(one[::2], one[1::2], strict=True):
        assert first.text.moves[:3] == second.text.moves[:3]
        assert first.text.players == second.text.players[::-1] == ("engine:level=1", "engine:nodes=40")
    assert len({game.text.moves[:3] for game in one}) > 1
    assert not any(game.forfeit for game in one)


def test_results_are_those_of_the_moves() -> None:
    """Each game's moves, replayed by the rules, end as the text says; the first player's points are counted from its side."""
    for game in games("engine:nodes=60", "engine:level=1", count=8):
        match = Match(PAWNS, parse(PAWNS, game.text.start))
        for move in game.text.moves:
            match.play(match.legal()[move])
        ending = match.ending()
        assert ending is not None
        assert (ending.winner, f"{('White', 'Black')[ending.winner or 0]} wins: {ending.why}") == (game.text.winner, game.text.why)
        assert game.points == (game.sides[ending.winner or 0] == 0)


def test_tables_end_games(two_pieces: Path) -> None:
    """As soon as a move leads into them, with the result of perfect play; without them, games go on."""
    start = parse(JUNGLE, "7/7/7/7/3c3/3C3/3d3/7/7 w")
    into = replace(HERE, start=start, opening=0, folder=two_pieces, most_plies=30)
    for game in games("engine:level=1", "engine:level=1", conditions=into, game="doushouqi"):
        positions = [moment.position for moment in replayed(JUNGLE, game.text)]
        assert game.text.why.endswith("by the tables")
        with closing(Prober(two_pieces)) as prober:
            value = prober.value(JUNGLE, positions[-1])
        assert game.text.winner == (positions[-1].side if value.outcome is Outcome.WIN else 1 - positions[-1].side)
        assert [sum(map(len, position.pieces)) for position in positions[-2:]] == [6, 4]
    longer = games("engine:level=1", "engine:level=1", conditions=replace(into, adjudicated=False), game="doushouqi")
    assert any(len(game.text.moves) > 1 for game in longer)


@pytest.mark.parametrize("plies", [0, 1])
def test_tables_that_know_the_opening_end_no_game(plies: int, pawn_tables: Tablebase) -> None:
    """Otherwise both games of every pair would end there, and every match would be even."""
    known = replace(HERE, folder=pawn_tables.prober.store.folder, opening=plies)
    for game in games("engine:level=1", "engine:level=1", conditions=known):
        assert len(game.text.moves) > plies
        assert "by the tables" not in game.text.why


def test_long_games_are_drawn() -> None:
    start = replace(HERE, start=parse(JUNGLE, JUNGLE.start), opening=2, most_plies=5)
    for game in games("engine:nodes=30", "engine:nodes=30", count=2, conditions=start, game="doushouqi"):
        assert (len(game.text.moves), game.text.winner) == (7, None)
        assert game.text.why == "draw: not decided within 5 plies"
        assert game.points == 0.5


def test_the_sequential_test_ends_matches() -> None:
    """After whole pairs only, and once a hypothesis is accepted."""
    seated = ((0, (0, 1)), (1, (1, 0)))
    won = [PlayedGame(Record("", 1, ("", ""), "", 0, (), places_of(side), ""), sides, False) for side, sides in seated]
    test = SequentialTest(-50, 50)
    assert pair_points(won * 3 + won[:1]) == [2.0] * 3
    assert enough(test, won * 60)
    assert not enough(test, won * 60 + won[:1])
    assert not enough(test, won)
    assert not enough(None, won * 60)


# Programs of their own


FAILURES = {
    "crash": "has ended with exit code 3",
    "hang": "has not answered within 1 s",
    "illegal": "has answered 'a1a1', which is not a legal move",
    "empty": "has answered without a move",
    "close": "has closed its output",
    "talk": "has not answered within 1 s",
    "mumble": "has written a line of more than 65,536 bytes",
}
COSTLY = ("talk", "close")
"""Failures that take a time limit to notice, as `hang` does."""


def test_an_engine_that_plays_well() -> None:
    """A program of its own makes the moves that it says, with the same games for the same seed."""
    one, other = (games(f"{ODD} none", "engine:nodes=40", conditions=replace(HERE, seed=5)) for _ in range(2))
    assert one == other
    assert not any(game.forfeit for game in one)
    for game in one:
        match = Match(PAWNS, parse(PAWNS, game.text.start))
        for ply, move in enumerate(game.text.moves):
            legal = match.legal()
            assert ply < 1 or game.sides[match.side] == 1 or move == min(legal)
            match.play(legal[move])


@pytest.mark.parametrize("how", [pytest.param(how, marks=pytest.mark.full) if how in COSTLY else how for how in FAILURES])
def test_engines_that_fail_lose(how: str) -> None:
    """With a sentence, whichever side they play; the next game is played by a new process."""
    [first, second] = games("engine:level=1", f"{ODD} {how}", count=2, conditions=replace(HERE, patience=1.0))
    for game in (first, second):
        assert game.forfeit
        assert game.text.winner is not None
        assert game.sides[game.text.winner] == 0
        assert game.points == 1
        assert game.text.why.endswith(FAILURES[how])
        assert f"wins: the engine '{ODD.removeprefix('uci:')} {how}"[:60] in game.text.why


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("", "the command is empty"),
        ("'", "cannot be started"),
        ("/nowhere/engine", "cannot be started"),
        (f"{sys.executable} -c pass", "has ended with exit code 0"),
    ],
)
def test_what_is_no_engine(command: str, said: str) -> None:
    """Before the first game, that is an error and no loss."""
    with pytest.raises(TablebaseError, match=said):
        games(f"uci:{command}", "engine", count=2)


def test_what_a_move_may_take() -> None:
    assert Budget(500, None).command == "go nodes 500"
    assert Budget(None, 0.25).command == "go movetime 250"
    assert Budget(None, 0.0001).command == "go movetime 1"


def test_openings_that_end_the_game() -> None:
    """Those that do are drawn again; a number of plies after which all do is refused."""
    for pair in range(30):
        assert opening(PAWNS, replace(HERE, opening=3), pair).plies == 3
    with pytest.raises(TablebaseError, match="8 random plies end the game again and again"):
        opening(PAWNS, replace(HERE, opening=8), 0)
