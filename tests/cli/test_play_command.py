"""Playing against the tables at the command line, and lines of a few plies."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from support import toys
from support.program import PROGRAM, Answer

from rules.hexapawn import game as hexapawn
from tablebase.api.tablebase import Tablebase
from tablebase.build import tables as building
from tablebase.build.plan import plan
from tablebase.cli.play import reason
from tablebase.game import load_game, registry
from tablebase.game.notation import read
from tablebase.play.match import Ending, EndReason, Match

Ask = Callable[..., Answer]
PAWNS = hexapawn()
WHITE_MOVES = [f"{a}{r}{b}{r + 1}" for r in (1, 2) for a in "abc" for b in "abc"]
START = """\

 3 p p p
 2 . . .
 1 P P P
   a b c
   White to move
"""
AFTER_B2 = """\

White: b1b2

 3 p p p
 2 . P .
 1 P . P
   a b c
   Black to move
"""
GREETING = "Hexapawn: you play White, the tables play Black; type help for what can be typed\n"
SEED = "the seed was {0}: with --seed {0} the same options and moves give the same game\n"


@pytest.fixture
def play(hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Plays Hexapawn with words typed one a line: ``play(["a1a2", "quit"], "--seed", 1)``."""

    def play_on(words: list[str], *options: object) -> Answer:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{word}\n" for word in words)))
        return ask("play", "hexapawn", "--data", hexapawns, *options)

    return play_on


def any_moves(seed: int) -> list[str]:
    """So many random moves, most of them illegal when they are typed, that they end a game of Hexapawn."""
    random = Random(seed)
    return [random.choice(WHITE_MOVES) for _ in range(500)]


@pytest.mark.parametrize("seed", range(8))
def test_black_wins_hexapawn_whatever_is_typed(seed: int, play: Ask) -> None:
    """The tables' perfect Black wins within six plies against random moves; the last lines say so, and why."""
    answer = play(any_moves(seed), "--seed", seed)
    assert (answer.code, answer.err) == (0, "")
    *_, board, _, result, last = answer.out.splitlines()
    assert board == "   a b c"
    assert re.fullmatch(r"won by Black in [246] plies: (the pawn has reached [abc]1|no (move|piece) is left to White)", result)
    assert f"{last}\n" == SEED.format(seed)


def test_a_game_against_a_weak_opponent_can_be_won(play: Ask) -> None:
    """With fuzz 1 the tables lose some games, and then the person has won in an odd number of plies."""
    results = [play(any_moves(seed), "--seed", seed, "--fuzz", 1).out.splitlines()[-2] for seed in range(12)]
    lost = [result for result in results if result.startswith("won by White")]
    assert 0 < len(lost) < 12
    assert all(re.match(r"won by White in [357] plies: .* (Black|[abc]3)$", result) for result in lost)


def test_a_game_word_by_word(play: Ask) -> None:
    """Every command does what it says, and the whole output is this."""
    words = ["moves", "hint", "a1a2", "undo", "board", "help", "c1c2", "quit"]
    answer = play(words, "--seed", 1)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        f"{GREETING}{START}"
        "White> a1a2 b1b2 c1c2\n"
        "White> White to move: loss in 6 plies, best move b1b2\n"
        "White> \nBlack: b3a2\n\n 3 p . p\n 2 p . .\n 1 . P P\n   a b c\n   White to move\n"
        f"White> {START}"
        f"White> {START}"
        "White> a move, such as a1a2\n"
        "moves   list the legal moves\n"
        "hint    what the tables say of the position, and their best move\n"
        "undo    take back your last move and the answer to it\n"
        "board   draw the board\n"
        "help    this list\n"
        "quit    leave the game\n"
        "White> \nBlack: b3c2\n\n 3 p . p\n 2 . . p\n 1 P P .\n   a b c\n   White to move\n"
        "White> the game is left after 2 plies\n"
        f"{SEED.format(1)}"
    )


def test_the_other_side_can_be_played(play: Ask) -> None:
    """As Black the tables move first, from a board that is shown; words may be in capitals and among spaces."""
    answer = play(["undo", "  MOVES ", "A3B2", "quit"], "--side", "b", "--seed", 0)
    assert answer.code == 0
    title, rest = answer.out.split("\n", 1)
    assert title == "Hexapawn: you play Black, the tables play White; type help for what can be typed"
    assert rest.startswith(
        f"{START}{AFTER_B2}Black> there is no move of yours to take back\nBlack> a3a2 a3b2 c3b2 c3c2\nBlack> \nWhite: "
    )
    assert rest.endswith(f"Black> the game is left after 3 plies\n{SEED.format(0)}")


def test_undo_goes_back_to_the_first_move(play: Ask) -> None:
    """Moves can be taken back one by one, with their answers, and then there is none left; the plies are those that stay."""
    words = ["a1a2", "moves", "undo", "c1c2", "undo", "moves", "undo", "quit"]
    out = play(words, "--seed", 3).out
    assert "White> b1a2 b1b2 c1c2\n" in out
    assert "White> a1a2 b1b2 c1c2\nWhite> there is no move of yours to take back\nWhite> the game is left after 0 plies\n" in out


def test_a_seed_repeats_a_game(play: Ask) -> None:
    """The same seed gives the same game to the letter; without one, the seed that was used is told and repeats it."""
    moves = any_moves(1)
    games = [play(moves, "--fuzz", 1, "--seed", seed).out for seed in (*range(10), *range(10))]
    assert games[:10] == games[10:]
    assert len({game.partition("the seed")[0] for game in games}) > 1
    drawn = play(moves, "--fuzz", 1).out
    seed = int(re.search(r"the seed was (\d+):", drawn)[1])  # type: ignore[index]
    assert play(moves, "--fuzz", 1, "--seed", seed).out == drawn


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("a1a3", "a1a3 is not a legal move here: type moves for those that are"),
        ("a3a2", "a3a2 is not a legal move here: type moves for those that are"),
        ("z9z9", "z9z9 is not a legal move here: type moves for those that are"),
        ("", "nothing was typed: type a move such as a1a2, or help"),
        ("   ", "nothing was typed: type a move such as a1a2, or help"),
        ("a1", "'a1' is neither a move nor a command: type a move such as a1a2, or help"),
        ("a1a2a3", "'a1a2a3' is neither a move nor a command: type a move such as a1a2, or help"),
        ("help me", "'help me' is neither a move nor a command: type a move such as a1a2, or help"),
        ("\x1b[A", "'\\x1b[a' is neither a move nor a command: type a move such as a1a2, or help"),
        ("a" * 99_999, f"'{'a' * 12}...{'a' * 13}' is neither a move nor a command: type a move such as a1a2, or help"),
    ],
    ids=["illegal", "not one's own", "off the board", "nothing", "spaces", "half", "too long", "two words", "a key", "endless"],
)
def test_what_cannot_be_played_is_asked_again(word: str, sentence: str, play: Ask) -> None:
    """One sentence says what is wrong, nothing changes, and the next word is asked for."""
    answer = play([word, "quit"], "--seed", 0)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"{GREETING}{START}White> {sentence}\nWhite> the game is left after 0 plies\n{SEED.format(0)}"


def test_bytes_that_are_no_text_are_asked_again(hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Input in another encoding is refused like any word, and what comes after it is still read."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xffa1a2\na1a2\nquit\n"), encoding="utf-8"))
    answer = ask("play", "hexapawn", "--data", hexapawns)
    assert (answer.code, answer.err) == (0, "")
    assert "xffa1a2' is neither a move nor a command" in answer.out
    assert "the game is left after 2 plies\n" in answer.out


@pytest.mark.parametrize("words", [[], ["a1a2"], ["fly", "moves"]], ids=["at once", "after a move", "after other words"])
def test_the_end_of_the_input_leaves_the_game(words: list[str], play: Ask) -> None:
    """Where there is nothing more to read, two lines say that the game is left and how to repeat it, and all is well."""
    answer = play(words, "--seed", 5)
    assert (answer.code, answer.err) == (0, "")
    plies = 2 * ("a1a2" in words)
    assert answer.out.endswith(f"White> \nthe input has ended\nthe game is left after {plies} plies\n{SEED.format(5)}")


def test_no_input_at_all_leaves_the_game(hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program whose standard input is closed leaves the game as well."""
    monkeypatch.setattr(sys, "stdin", None)
    answer = ask("play", "hexapawn", "--data", hexapawns, "--seed", 5)
    assert (answer.code, answer.out) == (0, f"{GREETING}{START}the game is left after 0 plies\n{SEED.format(5)}")


def read_until(terminal: int, count: int) -> str:
    """What a terminal shows until the prompt has come up so often, or until its program has ended."""
    shown = b""
    with suppress(OSError):
        while shown.count(b"White> ") < count:
            assert select.select([terminal], [], [], 60)[0], f"nothing more after {shown!r}"
            shown += os.read(terminal, 1000)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("key", "code"), [(b"\x03", 130), (b"\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
def test_keys_that_end_a_game_at_a_terminal(key: bytes, code: int, hexapawns: Path) -> None:
    """At a terminal, Ctrl-C at the prompt is the exit code of an interruption, and Ctrl-D the end of the input."""
    terminal, line = pty.openpty()
    # Who opens a terminal first in a new session gets its keys as signals.
    script = f"import os; os.close(os.open(os.ttyname(0), os.O_RDWR)); {PROGRAM}"
    arguments = [sys.executable, "-c", script, "play", "hexapawn", "--data", str(hexapawns)]
    process = subprocess.Popen(arguments, stdin=line, stdout=line, stderr=line, start_new_session=True)
    os.close(line)
    try:
        assert read_until(terminal, 1) == f"{GREETING}{START}White> "
        os.write(terminal, b"a1a2\n")
        assert read_until(terminal, 1).startswith("a1a2\n\nBlack: b3a2\n")
        for _ in range(30):
            # A signal that comes after the prompt but before the program reads is only seen with the next one.
            os.write(terminal, key)
            with suppress(subprocess.TimeoutExpired):
                assert process.wait(timeout=2) == code
                break
        rest = read_until(terminal, 2)
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    assert ("the game is left after 2 plies\n" if code == 0 else "error: interrupted;") in rest
    assert "Traceback" not in rest


@pytest.mark.parametrize(
    "options",
    [
        ["hexapawn", "--fuzz", "-0.1"],
        ["hexapawn", "--fuzz", "1.1"],
        ["hexapawn", "--fuzz", "nan"],
        ["hexapawn", "--fuzz", "much"],
        ["hexapawn", "--side", "x"],
        ["hexapawn", "--side", "W"],
        ["hexapawn", "--side", ""],
        ["hexapawn", "--seed", "-1"],
        ["hexapawn", "--seed", "1.5"],
        ["hexapawn", "--from", "ppp/PPP w"],
        ["hexapawn", "--from", "3/3/PPP w"],
        ["hexapawn", "--from", ""],
        ["hexapawn", "--data", "nowhere"],
        ["hexapawn-4x4"],
        ["doushouqi"],
        ["chess"],
        [],
    ],
    ids=" ".join,
)
def test_bad_options(options: list[str], hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes no sense, or has no tables, is one sentence and code 2 before anything is drawn or asked."""
    monkeypatch.setenv("TABLEBASE_DATA", str(hexapawns))
    monkeypatch.setattr(sys, "stdin", io.StringIO("a1a2\n"))
    answer = ask("play", *options)
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert answer.err.startswith("error: ")
    assert sys.stdin.read() == "a1a2\n"


def test_a_missing_table_is_named_before_the_first_move(two_pieces: Path, ask: Ask) -> None:
    """The sentence is the one that a probe gives, with the command that builds the table."""
    asked = ask("play", "doushouqi", "--data", two_pieces)
    assert asked == ask("probe", "doushouqi", load_game("doushouqi").start, "--data", two_pieces)
    assert (asked.code, "has not been built: run 'tablebase build doushouqi --material" in asked.err) == (2, True)


def test_a_game_from_a_position(two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The person has the side to move there; the tables hurry to the den, which ends the game by a picture and a sentence."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("a1b1\n"))
    answer = ask("play", "doushouqi", "--from", "7/3C3/7/7/7/7/7/7/c6 b", "--data", two_pieces, "--seed", 0)
    assert answer.code == 0
    end = " 2 . . . . . . .\n 1 . c . . . . .\n   a b c d e f g\n\nwon by White in 2 plies: the cat has reached d9\n"
    assert answer.out.startswith("Dou Shou Qi: you play Black, the tables play White;")
    assert "Black> \nWhite: d8d9\n\n 9 . . . C . . .\n" in answer.out
    assert answer.out.endswith(f"{end}{SEED.format(0)}")


def test_a_game_that_is_over_at_once(play: Ask) -> None:
    """From a position without a move nothing is asked."""
    answer = play([], "--from", "1p1/1P1/3 w", "--seed", 0)
    board = " 3 . p .\n 2 . P .\n 1 . . .\n   a b c\n"
    assert answer.out == f"{GREETING}\n{board}\nwon by Black in 0 plies: no move is left to White\n{SEED.format(0)}"


def test_a_game_that_goes_round_is_a_draw(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the same position comes up for the third time the game ends as a draw and says so."""
    for module in (building, registry):
        monkeypatch.setattr(module, "load_game", lambda _: toys.pacers())
    assert len(list(building.build(toys.pacers(), plan(toys.pacers(), 2, []), tmp_path))) == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("a1b1\nb1a1\n" * 9))
    answer = ask("play", "pacers", "--data", tmp_path, "--seed", 0)
    assert answer.code == 0
    assert answer.out.endswith(f"a draw in 8 plies: the same position has come up three times\n{SEED.format(0)}")
    assert sys.stdin.read() == "a1b1\nb1a1\n" * 7


REASONS = {
    "goal": ("hexapawn", "3/P1p/3 w", "a2a3", "the pawn has reached a3"),
    "last piece": ("doushouqi", "7/7/7/7/7/7/cW5/7/7 w", "b3a3", "no piece is left to Black"),
    "no move": ("hexapawn", "1p1/3/1P1 w", "b1b2", "no move is left to Black"),
    "fox": ("foxhounds", "8/8/8/5H1H/4F3/1H1H4/8/8 f", "e4f3", "the fox has escaped"),
    "rabbit": ("hasenspiel", "8/8/8/8/8/2R5/8/2p1p1p1 w", "c3b2", "the rabbit has escaped"),
}


@pytest.mark.parametrize(("name", "start", "move", "expected"), REASONS.values(), ids=REASONS)
def test_reasons(name: str, start: str, move: str, expected: str, tmp_path: Path) -> None:
    """Each way to win is said in the words of its game."""
    game = load_game(name)
    with Tablebase(tmp_path) as tables:
        match = Match(game, tables.prober, read(game, start))
        match.play(match.legal()[move])
        ending = match.ending()
    assert ending is not None
    assert reason(match, ending) == expected
    assert reason(match, Ending(None, EndReason.REPEATED)) == "the same position has come up three times"


@pytest.mark.parametrize("plies", range(9))
def test_a_line_stops_after_some_plies(plies: int, hexapawns: Path, ask: Ask) -> None:
    """A line of so many plies is the beginning of the whole line, the end of the game included only when it is reached."""
    arguments = ["line", "hexapawn", PAWNS.start, "--data", hexapawns, "--format", "json"]
    whole = ask(*arguments).json
    assert [row["distance"] for row in whole] == [6, 5, 4, 3, 2, 1, 0]
    assert ask(*arguments, "--plies", plies).json == whole[: plies + 1]


def test_a_short_line_in_pictures(hexapawns: Path, ask: Ask) -> None:
    """With --boards each ply that is asked for is drawn, and what is left out is not."""
    answer = ask("line", "hexapawn", "--data", hexapawns, "--boards", "--plies", "1")
    first, second = " 3 p p p\n 2 . . .\n 1 P P P\n", " 3 p p p\n 2 . P .\n 1 P . P\n"
    assert answer.out == (
        f"{first}   a b c\n   White to move\n   loss in 6, b1b2\n\n{second}   a b c\n   Black to move\n   win in 5, a3b2\n\n"
    )


def test_a_line_begins_at_the_start(hexapawns: Path, ask: Ask) -> None:
    """Without a position the line is that of the game's first position."""
    arguments = ["--data", hexapawns, "--format", "csv"]
    assert ask("line", "hexapawn", *arguments) == ask("line", "hexapawn", PAWNS.start, *arguments)
    assert ask("line", "hexapawn", *arguments).csv[0]["position"] == PAWNS.start


@pytest.mark.parametrize("plies", ["-1", "two", "1.5"])
def test_plies_that_are_no_number(plies: str, hexapawns: Path, ask: Ask) -> None:
    """Fewer than none, and what is no whole number, is refused in a sentence."""
    answer = ask("line", "hexapawn", "--data", hexapawns, "--plies", plies)
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert "--plies" in answer.err
