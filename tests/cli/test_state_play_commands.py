"""The commands `play` and `match` for games of chance or of several players."""

import re
from pathlib import Path
from typing import Any

import pytest
from support.program import Ask

from tablebase.game.installed import load_rules
from tablebase.play.standings import of_rounds
from tablebase.play.tournament import Conditions, tournament

SEED = "the seed was {0}: with --seed {0} the same options and moves give the same game\n"
HOME = "63:1:0,62:3:0,50:68:0 1"


@pytest.fixture
def play(typed: Ask) -> Ask:
    """Plays with one word of input per line: ``play(["5", "quit"], "--players", 3)``."""
    return lambda words, *options: typed(words, "play", "harehedgehog", "--data", "nowhere", *options)


# play


def test_a_game_of_three(play: Ask) -> None:
    """The person is the first player, and the computer all others; places and the seed stand at the end."""
    answer = play(["1"], HOME, "--players", 3, "--seed", 7)
    # The first game on a machine also says that kernels are compiled.
    assert (answer.code, answer.errors) == (0, [])
    greeting = "Hare & Hedgehog: you play player 1, the computer at depth 4 plays player 2 and player 3"
    begin = f"{greeting}; type help for a list of commands\n"
    assert answer.out.startswith(f"{begin}\n{HOME}\nplayer 1> \nplayer 1: 1 (1 square ahead)\n\nplayer 2: 2 (2 squares ahead)\n")
    end = "64:0:0#1,64:0:0#2,50:68:0 3\n\nplayer 1 is 1st, player 2 is 2nd, player 3 is 3rd, after 2 turns\n"
    assert answer.out.endswith(end + SEED.format(7))
    assert "it expects 10,000.0, 9,000.0, " in answer.out


def test_commands_of_a_game(play: Ask) -> None:
    """Listing moves, taking back, hints, the position, help, and words that are none of these."""
    words = ["moves", "help", "hint", "board", "undo", "4", "undo", "99", "fly", "", "+4", "quit"]
    out = play(words, "--variant", "cards=none", "--player", "computer:depth=1", "--seed", 1).out
    moves, rest = out.split("player 1> ")[1:3]
    assert "move   meaning" in moves
    assert "10     10 squares ahead   10:13:3,0:68:3 2\n" in moves
    assert rest.startswith("a move, such as 1\n")
    parts = out.split("player 1> ")
    hint = r"player 1 to move: it expects [0-9.]+, [0-9.]+ points after [\d ]+, best move \d+ \(\d+ squares ahead\), by a search\n"
    assert re.fullmatch(hint, parts[3])
    assert parts[4] == "\n0:68:3,0:68:3 1\n"
    assert parts[5] == "you have no move to take back\n"
    assert parts[6].startswith("\nplayer 1: 4 (4 squares ahead)\n\nplayer 2: ")
    assert parts[7] == "\n0:68:3,0:68:3 1\n"
    assert parts[8] == "99 is not a legal move here: type moves to list the legal ones\n"
    assert parts[9] == "'fly' is neither a move nor a command: type a move such as 1, or help\n"
    assert parts[10] == "nothing was typed: type a move such as 1, or help\n"
    assert parts[11].startswith("\nplayer 1: 4 (4 squares ahead)\n")
    assert parts[12] == f"game abandoned after 2 turns\n{SEED.format(1)}"


def test_other_seats_and_players(play: Ask) -> None:
    """The person may be any player; players are named in order, and the last one has all further seats."""
    answer = play(["quit"], "--players", 4, "--side", 3, "--player", "computer:depth=1", "--player", "random", "--seed", 1)
    seats = "you play player 3, the computer at depth 1 plays player 1, random moves play player 2 and player 4"
    assert answer.out.startswith(f"Hare & Hedgehog: {seats}; ")
    assert "\nplayer 1: " in answer.out.partition("player 3> ")[0].partition(";")[2]


def test_blocked_games_end(play: Ask) -> None:
    """Where nobody can ever move again, and a game that is over from the start."""
    answer = play([], "4:0:0,3:2:0 1", "--seed", 1)
    assert "won by player 1 in 0 turns: nobody can move again\n" in answer.out
    assert "won by player 1 in 0 turns\n" in play([], "64:0:0#1,3:2:0 2", "--seed", 1).out


def test_people_in_a_race(play: Ask) -> None:
    """Two of three players are people, asked by the names of their players; and nobody resigns for others."""
    words = ["4", "resign", "2", "quit"]
    out = play(words, "--players", 3, "--side", 1, "--side", 2, "--player", "computer:depth=1", "--seed", 1).out
    assert out.startswith("Hare & Hedgehog: people play player 1 and player 2, the computer at depth 1 plays player 3; ")
    prompts = [line.partition(">")[0] for line in out.splitlines() if ">" in line]
    assert prompts == ["player 1", "player 2", "player 2", "player 1"]
    assert "'resign' is neither a move nor a command" in out


# match


def test_a_match(ask: Ask) -> None:
    """What the standings say, in each format; the same seed gives the same."""
    names = ["computer:depth=1", "random"]
    words = ["harehedgehog", "55:30:0,52:30:0 1", "--player", names[0], "--player", names[1], "--games", 4, "--seed", 9]
    words += ["--opening", 2, "--data", "nowhere"]
    rules: Any = load_rules("harehedgehog")
    start = rules.parse("55:30:0,52:30:0 1")
    expected = of_rounds(names, list(tournament(rules, names, 4, Conditions(start, 2, 9, Path("nowhere")))))
    assert ask("match", *words, "--format", "json").json == expected
    found = ask("match", *words, "--format", "csv").csv
    assert [row["share"] for row in found] == [str(row["share"]) for row in expected]
    table = ask("match", *words)
    assert (table.code, table.err) == (0, "")
    assert table.out.splitlines()[0].split() == ["player", "games", "wins", "place", "share", "elo", "broken", "off"]
    low, high = expected[0]["share_from"], expected[0]["share_to"]
    assert f"{expected[0]['share']:.3f} ({low:.3f} to {high:.3f})" in table.out
