"""The commands `play` and `line`."""

import io
import os
import pty
import re
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.program import PROGRAM, Ask, assert_one_sentence

from tablebase.commands.tablebase import Tablebase
from tablebase.game import Outcome, load_game
from tablebase.game.installed import load_rules
from tablebase.positions.location import locate
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.values import Value

START = """\

 3 p p p
 2 . . .
 1 P P P
   a b c
   White to move
"""
SEED = "to repeat this game, use --seed {0} with the same options and moves\n"
JUNGLE = load_game("doushouqi")
HOME = "63:1:0,62:3:0,50:68:0 1"
AFTER_B2 = "\n 3 p p p\n 2 .[P].\n 1 P[.]P\n   a b c\n   Black to move\n"
GREETING = "Hexapawn: you play White, the tables play Black; type help for a list of commands\n"


@pytest.fixture
def play(hexapawns: Path, typed: Ask) -> Ask:
    """Plays Hexapawn with one word of input per line: ``play(["a1a2", "quit"], "--seed", 1)``."""
    return lambda words, *options: typed(words, "play", "hexapawn", "--data", hexapawns, *options)


@pytest.fixture
def play_without(typed: Ask, tmp_path: Path) -> Ask:
    """Plays any game without tables: ``play_without(["a1a2"], "hexapawn", "--player", "matchboxes")``."""
    return lambda words, *options: typed(words, "play", *options, "--data", tmp_path / "nowhere")


@pytest.fixture
def race(play_without: Ask) -> Ask:
    """Plays Hare & Hedgehog: ``race(["5", "quit"], "--players", 3)``."""
    return lambda words, *options: play_without(words, "harehedgehog", *options)


def test_a_game_word_by_word(play: Ask) -> None:
    words = ["moves", "hint", "a1a2", "undo", "board", "help", "c1-c2", "quit"]
    answer = play(words, "--seed", 1)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        f"{GREETING}{START}"
        "White> a1a2 b1b2 c1c2\n"
        "White> White to move: loss in 6 plies, best move b1b2\n"
        "White> \nBlack: b3a2\n\n 3 p[.]p\n 2[p]. .\n 1 . P P\n   a b c\n   White to move\n"
        f"White> {START}"
        f"White> {START}"
        "White> a move, such as a1a2\n"
        "moves   list the legal moves\n"
        "hint    show the best move from the tables, or the move that a search would play\n"
        "undo    take back your last move and all later moves\n"
        "board   draw the board\n"
        "help    show this list\n"
        "resign  resign the game\n"
        "quit    leave the game\n"
        "White> \nBlack: b3c2\n\n 3 p[.]p\n 2 . .[p]\n 1 P P .\n   a b c\n   White to move\n"
        "White> game abandoned after 2 plies\n"
        f"{SEED.format(1)}"
    )


def test_the_other_side_can_be_played(play: Ask) -> None:
    answer = play(["undo", "  MOVES ", "A3B2", "quit"], "--side", "b", "--seed", 0)
    assert answer.code == 0
    title, rest = answer.out.split("\n", 1)
    assert title == "Hexapawn: you play Black, the tables play White; type help for a list of commands"
    assert rest.startswith(
        f"{START}\nWhite: b1b2\n{AFTER_B2}Black> you have no move to take back\nBlack> a3a2 a3b2 c3b2 c3c2\nBlack> \nWhite: "
    )
    assert rest.endswith(f"Black> game abandoned after 3 plies\n{SEED.format(0)}")


def test_a_seed_repeats_a_game(play: Ask) -> None:
    # Most of them are illegal when typed, but enough to end a game.
    moves = Random(1).choices([f"{a}{r}{b}{r + 1}" for r in (1, 2) for a in "abc" for b in "abc"], k=500)
    games = [play(moves, "--fuzz", 1, "--seed", seed).out for seed in (*range(4), *range(4))]
    assert games[:4] == games[4:]
    assert len({game.partition("the seed")[0] for game in games}) > 1
    drawn = play(moves, "--fuzz", 1).out
    assert drawn.startswith("Hexapawn: you play White, the tables with fuzz 1 play Black;")
    seed = int(re.search(r"use --seed (\d+) ", drawn)[1])  # type: ignore[index]
    assert play(moves, "--fuzz", 1, "--seed", seed).out == drawn


BAD_INPUT = {
    "a1a3": "a1a3 is not a legal move here: type moves",
    "a3a2": "a3a2 is not a legal move here: type moves",
    "   ": "the line is empty: type a move such as a1a2, or help",
    "a1": "'a1' is neither a move nor a command: type a move such as a1a2, or help",
    "\x1b[A": "'\\x1b[a' is neither a move nor a command",
    "a" * 99_999: f"'{'a' * 12}...{'a' * 13}' is neither a move nor a command",
}


@pytest.mark.parametrize("word", BAD_INPUT, ids=range(len(BAD_INPUT)))
def test_bad_input_is_prompted_again(word: str, play: Ask) -> None:
    answer = play([word, "quit"], "--seed", 0)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"{GREETING}{START}White> {BAD_INPUT[word]}")
    assert answer.out.partition("White> ")[2].partition("\n")[2] == f"White> game abandoned after 0 plies\n{SEED.format(0)}"


def test_bytes_that_are_not_text_are_prompted_again(hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Input in another encoding is refused like any unknown word, and the following input is still read."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xffa1a2\na1a2\nquit\n"), encoding="utf-8"))
    answer = ask("play", "hexapawn", "--data", hexapawns)
    assert (answer.code, answer.err) == (0, "")
    assert "xffa1a2' is neither a move nor a command" in answer.out
    assert "game abandoned after 2 plies\n" in answer.out


@pytest.mark.parametrize("words", [[], ["a1a2"]], ids=["at once", "after a move"])
def test_the_end_of_the_input_ends_the_game(words: list[str], play: Ask) -> None:
    answer = play(words, "--seed", 5)
    assert (answer.code, answer.err) == (0, "")
    plies = 2 * ("a1a2" in words)
    assert answer.out.endswith(f"White> \nend of input\ngame abandoned after {plies} plies\n{SEED.format(5)}")


def read_until(terminal: int, count: int) -> str:
    """The output at a terminal until the prompt has appeared `count` times, or until the program has ended."""
    shown = b""
    with suppress(OSError):
        while shown.count(b"White> ") < count:
            assert select.select([terminal], [], [], 60)[0], f"nothing more after {shown!r}"
            shown += os.read(terminal, 1000)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("key", "code"), [(b"\x03", 130), (b"\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
def test_keys_that_end_a_game_at_a_terminal(key: bytes, code: int, hexapawns: Path) -> None:
    terminal, line = pty.openpty()
    # The process that first opens a terminal in a new session receives its keys as signals.
    script = f"import os; os.close(os.open(os.ttyname(0), os.O_RDWR)); {PROGRAM}"
    arguments = [sys.executable, "-c", script, "play", "hexapawn", "--data", str(hexapawns)]
    # Without colours, and without what a library writes to set up its editing of lines.
    plain = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
    process = subprocess.Popen(arguments, stdin=line, stdout=line, stderr=line, start_new_session=True, env=plain)
    os.close(line)
    try:
        assert read_until(terminal, 1) == f"{GREETING}{START}White> "
        os.write(terminal, b"a1a2\n")
        assert read_until(terminal, 1).startswith("a1a2\n\nBlack: b3a2\n")
        for _ in range(30):
            # A signal between the prompt and the read is noticed only together with the next one.
            os.write(terminal, key)
            with suppress(subprocess.TimeoutExpired):
                assert process.wait(timeout=2) == code
                break
        rest = read_until(terminal, 2)
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert ("game abandoned after 2 plies\n" if code == 0 else "error: interrupted;") in rest
    assert "Traceback" not in rest


def test_the_engine_plays_without_tables(play_without: Ask) -> None:
    """It says what it thinks of its moves, and the same seed gives the same game; a hint comes from a search."""
    words = ["hexapawn", "--player", "engine", "--level", 3, "--seed", 1]
    games = [play_without(["hint", "b1b2", "a1a2", "quit"], *words) for _ in range(2)]
    assert games[0].out == games[1].out
    # By then, everything is compiled.
    assert (games[1].code, games[1].err) == (0, "")
    assert games[0].out.startswith("Hexapawn: you play White, the engine at level 3 plays Black; type help")
    assert re.search(r"White to move: loss in 6; a search would play [abc]1[abc]2\n", games[0].out)
    assert re.search(r"\nBlack: [ac]3b2\nwin in 5\n", games[0].out)


def test_matchboxes_game_after_game(play_without: Ask, tmp_path: Path) -> None:
    """The person plays several games in a row and sees the beads; this is the complete output of two."""
    words = ["b1b2", "b2c3", "boxes", "b1b2", "hint", "help", "quit"]
    options = ["hexapawn", "--player", "matchboxes", "--seed", 6, "--boxes", tmp_path / "boxes.json"]
    answer = play_without(words, *options)
    assert (answer.code, answer.err) == (0, "")
    first, second = answer.out.split("\nnew game; type quit to leave\n")
    assert first == (
        f"Hexapawn: you play White, the matchboxes play Black; type help for a list of commands\n{START}"
        "White> \nBlack: a3a2\ndrawn from a box of 2 beads: a3a2 a3b2\n"
        "\n 3[.]p p\n 2[p]P .\n 1 P . P\n   a b c\n   White to move\n"
        "White> \n 3 . p[P]\n 2 p[.].\n 1 P . P\n   a b c\n"
        "\nwon by White in 3 plies: the pawn has reached c3\n"
        "the bead a3a2 is removed from the box ppp/1P1/P1P b, which still contains 1 bead\n"
        "games won: White 1, Black 0; beads left: 44 of 45 in 19 boxes\n"
    )
    start, boxes, reply, hint, help_, end = second.split("White> ")
    assert start == START
    assert boxes.splitlines()[0] == "games won: White 1, Black 0; beads left: 44 of 45 in 19 boxes"
    assert "\nppp/1P1/P1P b  a3a2 0, a3b2 1\n" in boxes
    assert reply.startswith("\nBlack: a3b2\ndrawn from a box of 1 bead: a3b2\n")
    assert hint.startswith("White to move: ")
    assert re.search(r"; a search would play [abc][12][abc][23]\n$", hint)
    assert "\nboxes   show the matchboxes with their beads\nquit    leave the game\n" in help_
    assert end == f"game abandoned after 2 plies\n{SEED.format(6)}"
    # What was learned is there the next time.
    assert "games won: White 1, Black 0; beads left: 44 of 45" in play_without(["boxes"], *options).out


def test_matchboxes_resign_at_an_empty_box(play_without: Ask) -> None:
    """On 1x5 the only bead loses, so that in the second game its box is empty."""
    out = play_without(["a1a2", "a2a3", "a1a2"], "hexapawn", "--size", "1x5", "--player", "matchboxes", "--seed", 0).out
    assert "won by White in 3 plies: Black has no legal move\nthe bead a5a4 is removed from the box" in out
    assert "\nBlack: resigns\nthe box is empty\n" in out
    assert "\nwon by White in 1 ply: Black resigns\nno bead is removed\n" in out
    assert "games won: White 2, Black 0; beads left: 0 of 1 in 1 box\n" in out


def test_a_missing_table_is_named_before_the_first_move(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """The error is the same as for a probe; tables that captures lead to are needed, too, and the command builds them all."""
    answer = ask("play", "doushouqi", "--data", two_pieces)
    for words in (["probe", "doushouqi", JUNGLE.start], ["line", "doushouqi"]):
        assert ask(*words, "--data", two_pieces) == answer
    # No command could build its table, so none is named.
    assert_one_sentence(answer, "RCWDPTLEvRCWDPTLE is too large", "tables of doushouqi have at most 7 pieces")
    assert "build" not in answer.err
    # A capture of the wolf leads to RvC, which no table of three pieces can do without.
    (tmp_path / "doushouqi/3").mkdir(parents=True)
    (tmp_path / "doushouqi/3/RCvW.h5").touch()
    answer = ask("play", "doushouqi", "7/7/7/7/7/7/wC5/6R/7 b", "--data", tmp_path)
    assert_one_sentence(answer, "RvC of doushouqi", f"'tablebase build doushouqi --material RCvW --data {tmp_path}'")


def test_two_people_at_one_terminal(play_without: Ask) -> None:
    options = ["hexapawn", "--side", "w", "--side", "b", "--seed", 1]
    answer = play_without(["b1b2", "a3b2", "undo", "a1b2", "resign"], *options)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        f"Hexapawn: people play White and Black; type help for a list of commands\n{START}"
        f"White> {AFTER_B2}"
        "Black> \n 3[.]p p\n 2 .[p].\n 1 P . P\n   a b c\n   White to move\n"
        f"White> {START}"
        "White> a1b2 is not a legal move here: type moves to list the legal moves\n"
        "White> \n 3 p p p\n 2 . . .\n 1 P P P\n   a b c\n\n"
        f"won by Black in 0 plies: White resigns\n{SEED.format(1)}"
    )


def test_the_only_move_that_draws(typed: Ask, ask: Ask, tables: Tablebase, two_pieces: Path) -> None:
    text = "4t2/7/7/7/7/7/7/4R2/7 w"
    [kept] = [move.move for move in tables.probe(JUNGLE, text).moves if move.value == Value(Outcome.DRAW, None)]
    said = f"White to move: draw, best move {kept}\n"
    assert said in typed(["hint", "quit"], "play", "doushouqi", text, "--player", "random", "--data", two_pieces).out
    assert said in ask("probe", "doushouqi", text, "--data", two_pieces).out


def test_hints_that_nobody_can_give(typed: Ask, copied: Path) -> None:
    """A damaged table is named instead of a search, and so is why no program can look ahead."""
    path = table_path(copied, JUNGLE, locate(JUNGLE, parse_material(JUNGLE, "CvD"), 0).material)
    path.write_bytes(path.read_bytes()[:-100])
    options = ["7/7/7/7/3d3/7/7/3C3/7 w", "--player", "random", "--data", copied]
    assert f"no hint: {path} " in typed(["hint", "quit"], "play", "doushouqi", *options).out
    out = typed(["hint"], "play", "pig", "--players", 3, "--data", copied).out
    assert "no hint: the player computer cannot play pig-players=3, because the rules are not compiled" in out


def test_a_game_of_three(race: Ask) -> None:
    answer = race(["1"], HOME, "--players", 3, "--seed", 7)
    # The first game on a machine also says that kernels are compiled.
    assert (answer.code, answer.errors) == (0, [])
    greeting = "Hare & Hedgehog: you play player 1, the computer at depth 4 plays player 2 and player 3"
    rules: Any = load_rules("harehedgehog-players=3")
    begin = f"{greeting}; type help for a list of commands\n{rules.legend()}\n\n{rules.drawn(rules.parse(HOME))}\n"
    assert answer.out.startswith(f"{begin}player 1> \nplayer 1: 1 (1 square ahead)\n\nplayer 2: 2 (2 squares ahead)\n")
    last = rules.drawn(rules.parse("64:0:0#1,64:0:0#2,50:68:0 3"))
    end = f"{last}\n\nplayer 1 is 1st, player 2 is 2nd, player 3 is 3rd, after 2 turns\n"
    assert answer.out.endswith(end + SEED.format(7))
    assert "the computer expects 10,000.0, 9,000.0, " in answer.out


def test_commands_of_a_game(race: Ask) -> None:
    words = ["moves", "help", "hint", "board", "undo", "4", "undo", "99", "fly", "", "+4", "quit"]
    out = race(words, "--variant", "cards=none", "--player", "computer:depth=1", "--seed", 1).out
    moves, rest = out.split("player 1> ")[1:3]
    assert "move   meaning" in moves
    assert "10     10 squares ahead   10:13:3,0:68:3 2\n" in moves
    assert rest.startswith("a move, such as 1\n")
    parts, rules = out.split("player 1> "), load_rules("harehedgehog-cards=none")
    begin = f"\n{rules.drawn(rules.initial)}\n"
    hint = r"player 1 to move: the computer expects [\d.]+, [\d.]+ points after [\d ]+; a search would play \d+ .*\n"
    assert re.fullmatch(hint, parts[3])
    assert parts[4] == begin
    assert parts[5] == "you have no move to take back\n"
    assert parts[6].startswith("\nplayer 1: 4 (4 squares ahead)\n\nplayer 2: ")
    assert parts[7] == begin
    assert parts[8] == "99 is not a legal move here: type moves to list the legal moves\n"
    assert parts[9] == "'fly' is neither a move nor a command: type a move such as 1, or help\n"
    assert parts[10] == "the line is empty: type a move such as 1, or help\n"
    assert parts[11].startswith("\nplayer 1: 4 (4 squares ahead)\n")
    assert parts[12] == f"game abandoned after 2 turns\n{SEED.format(1)}"


def test_people_in_a_race(race: Ask) -> None:
    """Two of three players are people, asked by the names of their players; and nobody resigns for others."""
    words = ["4", "resign", "2", "quit"]
    out = race(words, "--players", 3, "--side", 1, "--side", 2, "--player", "computer:depth=1", "--seed", 1).out
    assert out.startswith("Hare & Hedgehog: people play player 1 and player 2, the computer at depth 1 plays player 3; ")
    prompts = [line.partition(">")[0] for line in out.splitlines() if re.match("player .>", line)]
    assert prompts == ["player 1", "player 2", "player 2", "player 1"]
    assert "'resign' is neither a move nor a command" in out


@pytest.mark.parametrize("plies", [0, 1, 6, 7])
def test_a_line_stops_after_n_plies(plies: int, hexapawns: Path, ask: Ask) -> None:
    arguments = ["line", "hexapawn", "ppp/3/PPP w", "--data", hexapawns, "--format", "json"]
    whole = ask(*arguments).json
    assert [row["distance"] for row in whole] == [6, 5, 4, 3, 2, 1, 0]
    assert ask(*arguments, "--plies", plies).json == whole[: plies + 1]
