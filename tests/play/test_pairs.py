"""Matches of pairs of games: openings and seeds, results by tables, and programs of their own that fail."""

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support import odd_engine

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position
from tablebase.game.rules import Ending
from tablebase.play.match import Match
from tablebase.play.schedules import Fixture, Pairs
from tablebase.play.standings import of_pairs, pair_points
from tablebase.play.tournament import Conditions, Played, recorded, tournament
from tablebase.probe.prober import Prober
from tablebase.protocol.client import Budget

PAWNS = load_game("hexapawn")
WIDE = load_game("hexapawn-4x4")
JUNGLE = load_game("doushouqi")
NOWHERE = Path("nowhere")
HERE = Conditions(PAWNS.initial, opening=1, folder=NOWHERE)
ODD = f"uci:{sys.executable} {odd_engine.__file__}"


def games(*names: str, count: int = 4, conditions: Conditions[Position] = HERE, game: str = "hexapawn") -> list[Played]:
    """The games of a match."""
    return list(tournament(load_game(game), names, count, conditions))


def moves_of(game: Played) -> list[str]:
    """The moves of a game, those of its opening included."""
    return [text for text, _ in game.happened]


def match_of(game: Played, rules: Game = PAWNS) -> Match[Position]:
    """A game as it stands after its moves, each of which is legal."""
    match = Match(rules, rules.parse(game.start))
    for move in moves_of(game):
        match.play(move)
    return match


def test_pairs_and_seeds() -> None:
    """Both games of a pair have one opening, with colours swapped; the same seed gives the same games, another one others."""
    wide = replace(HERE, start=WIDE.initial, opening=3)
    one, other = (games("engine:level=1", "engine:nodes=40", count=6, conditions=wide, game=WIDE.name) for _ in range(2))
    assert one == other
    assert one != games("engine:level=1", "engine:nodes=40", count=6, conditions=replace(wide, seed=2), game=WIDE.name)
    assert [game.fixture.seats for game in one] == [(0, 1), (1, 0)] * 3
    assert [game.fixture.number for game in one] == [0, 1, 2, 3, 4, 5]
    for first, second in zip(one[::2], one[1::2], strict=True):
        assert moves_of(first)[:3] == moves_of(second)[:3]
    assert len({tuple(moves_of(game)[:3]) for game in one}) > 1
    assert not any(game.forfeit for game in one)


def test_results_are_those_of_the_moves() -> None:
    """Each game's moves, replayed by the rules, end as is said, also in its text; turns are those behind the opening."""
    names = ("engine:nodes=60", "engine:level=1")
    for game in games(*names, count=8):
        match, winner = match_of(game), game.ending.winner
        assert match.ending() == game.ending
        assert winner is not None
        assert game.turns == len(moves_of(game)) - 1
        text = recorded(PAWNS, names, game)
        assert text.players == (names if game.fixture.seats == (0, 1) else names[::-1])
        assert (text.number, text.start, text.opening) == (game.fixture.number + 1, PAWNS.start, 1)
        assert (list(text.moves), text.winner) == (moves_of(game), winner)
        assert text.why == f"{('White', 'Black')[winner]} wins: {game.ending.why}"


def test_tables_end_games(two_pieces: Path) -> None:
    """As soon as a move leads into them, with the result of perfect play; without them, games go on."""
    start = JUNGLE.parse("7/7/7/7/3c3/3C3/3d3/7/7 w")
    into = replace(HERE, start=start, opening=0, folder=two_pieces, most_plies=30)
    for game in games("engine:level=1", "engine:level=1", conditions=into, game="doushouqi"):
        positions = match_of(game, JUNGLE).positions
        assert game.ending.why == "by the tables"
        with closing(Prober(two_pieces)) as prober:
            value = prober.slices(JUNGLE).look_up(positions[-1])
        assert game.ending.winner == (positions[-1].side if value.outcome is Outcome.WIN else 1 - positions[-1].side)
        assert [sum(map(len, position.pieces)) for position in positions[-2:]] == [6, 4]
    longer = games("engine:level=1", "engine:level=1", conditions=replace(into, adjudicated=False), game="doushouqi")
    assert any(len(moves_of(game)) > 1 for game in longer)


@pytest.mark.parametrize("plies", [0, 1])
def test_tables_that_know_the_opening_end_no_game(plies: int, pawn_tables: Tablebase) -> None:
    """Otherwise both games of every pair would end there, and every match would be even."""
    known = replace(HERE, folder=pawn_tables.prober.store.folder, opening=plies)
    for game in games("engine:level=1", "engine:level=1", conditions=known):
        assert len(moves_of(game)) > plies
        assert game.ending.why != "by the tables"


def test_long_games_are_drawn() -> None:
    start = replace(HERE, start=JUNGLE.initial, opening=2, most_plies=5)
    for game in games("engine:nodes=30", "engine:nodes=30", count=2, conditions=start, game="doushouqi"):
        assert (len(moves_of(game)), game.ending) == (7, Ending((1, 1), "not decided within 5 plies"))
        assert recorded(JUNGLE, ["a", "b"], game).why == "draw: not decided within 5 plies"


def test_a_last_game_without_its_twin_is_no_pair() -> None:
    def played(seats: tuple[int, int], winner: int) -> Played:
        return Played(Fixture(0, seats, "", "", ("", "")), "", 0, (), 30, Ending.of_two(winner, "goal"), False)

    assert pair_points([played((0, 1), 0), played((1, 0), 1)] * 3 + [played((0, 1), 0)]) == [2.0] * 3


PATIENCE = 4.0
"""Seconds: more than a process needs to start on a busy machine."""
FAILURES = {
    "crash": "has ended with exit code 3",
    "hang": f"has not answered within {PATIENCE:g} s",
    "illegal": "has answered 'a1a1', which is not a legal move",
    "empty": "has answered without a move",
    "close": "has closed its output",
    "talk": f"has not answered within {PATIENCE:g} s",
    "mumble": "has written a line of more than 65,536 bytes",
}
COSTLY = ("hang", "talk", "close", "empty", "mumble")
"""Failures that take a time limit to notice, and others that a default run can do without."""


@pytest.mark.release
def test_an_engine_that_plays_well() -> None:
    """A program of its own makes the moves that it says, with the same games for the same seed."""
    one, other = (games(f"{ODD} none", "engine:nodes=40", conditions=replace(HERE, seed=5)) for _ in range(2))
    assert one == other
    assert not any(game.forfeit for game in one)
    for game in one:
        match = Match(PAWNS, PAWNS.initial)
        for ply, move in enumerate(moves_of(game)):
            assert ply < 1 or game.fixture.seats[match.player] == 1 or move == min(match.legal())
            match.play(move)


@pytest.mark.parametrize("how", [pytest.param(how, marks=pytest.mark.full) if how in COSTLY else how for how in FAILURES])
def test_engines_that_fail_lose(how: str) -> None:
    """With a sentence, whichever side they play; the next game is played by a new process."""
    [first, second] = games("engine:level=1", f"{ODD} {how}", count=2, conditions=replace(HERE, patience=PATIENCE))
    for game in (first, second):
        assert game.forfeit
        assert game.ending.winner is not None
        assert game.fixture.seats[game.ending.winner] == 0
        assert game.ending.why.startswith(f"the engine '{ODD.removeprefix('uci:')} {how}"[:50])
        assert game.ending.why.endswith(FAILURES[how])
    rows = of_pairs(["engine", "odd"], [first, second])
    assert [(row["wins"], row["losses"], row["forfeits"]) for row in rows] == [(2, 0, 0), (0, 2, 2)]


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


def test_an_engine_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its command is no shell's, but ``~`` stands for the home folder."""
    (tmp_path / "python").symlink_to(sys.executable)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(TablebaseError, match="has ended with exit code 3"):
        games("uci:~/python -c exit(3)", "engine", count=2)


def test_what_a_move_may_take() -> None:
    assert Budget(500, None).command == "go nodes 500"
    assert Budget(None, 0.25).command == "go movetime 250"
    assert Budget(None, 0.0001).command == "go movetime 1"


def test_openings_that_end_the_game() -> None:
    """Those that do are drawn again; a number of plies after which all do is refused."""
    pairs = Pairs(PAWNS, 2, 60, seed=1)
    for fixture in pairs:
        match = pairs.begun(PAWNS, fixture, PAWNS.initial, 3)
        assert (match.plies, match.ending()) == (3, None)
    with pytest.raises(TablebaseError, match="8 random plies end the game again and again"):
        pairs.begun(PAWNS, fixture, PAWNS.initial, 8)
