"""Standard input, output and error that are closed, full, abandoned or in another encoding: quiet, or one sentence."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.program import PROGRAM, Answer, Ask, ask_fresh, assert_one_sentence, contents, drafts, files_of_at_most

from tablebase.commands import process
from tablebase.errors import CapacityError
from tablebase.play.records import Record, write_record

NEEDS_FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
WORD = "ř…é𝄞"
"""One that Latin-1 has, two that it lacks, and one that even two bytes cannot number."""


def redirected(redirection: str, *words: object, program: str = PROGRAM) -> Answer:
    """Run a command in a process of its own, with a shell's redirections; what they do not concern is captured."""
    script = f'exec "$@" {redirection}'
    arguments = ["sh", "-c", script, "sh", sys.executable, "-c", program, *map(str, words)]
    result = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)
    return Answer(result.returncode, result.stdout, result.stderr)


def test_closed_streams_are_never_files(tmp_path: Path, hexapawns: Path) -> None:
    """A build without any standard stream says nothing, succeeds, and writes the same bytes as any other."""
    answer = redirected("<&- >&- 2>&-", "build", "hexapawn", "--pieces", "6", "--data", tmp_path)
    assert answer == Answer(0, "", "")
    assert len(contents(hexapawns)) == 6
    assert contents(tmp_path) == contents(hexapawns)
    assert drafts(tmp_path) == []


def test_closed_streams_are_open_in_children() -> None:
    """Where a worker's streams were closed, its first files would be taken for them."""
    child = "import os; [os.fstat(number) for number in range(3)]"
    program = "import subprocess, sys; from tablebase.commands import process; process.prepare_streams(); {}"
    call = f"sys.exit(subprocess.run([sys.executable, '-c', {child!r}]).returncode)"
    assert redirected("<&- >&- 2>&-", program=program.format(call)) == Answer(0, "", "")


@pytest.mark.parametrize(
    ("redirection", "words", "expected"),
    [
        (">&-", ["games"], Answer(0, "", "")),
        (">&-", ["probe", "chess", "x"], Answer(2, "", "error: there is no game 'chess'; installed: ")),
        ("2>/dev/full", ["probe", "chess", "x"], Answer(2, "", "")),
    ],
    ids=["output", "output and an error", "a full disk"],
)
def test_closed_streams_swallow(redirection: str, words: list[str], expected: Answer) -> None:
    """What is written to a closed stream is lost; the rest, and the exit code, are those of the command."""
    answer = redirected(redirection, *words)
    assert (answer.code, answer.out) == (expected.code, expected.out)
    assert answer.err[: len(expected.err) or 1] == expected.err


def test_a_closed_input_ends_a_game(hexapawns: Path) -> None:
    answer = redirected("<&-", "play", "hexapawn", "--data", hexapawns, "--seed", 5)
    assert (answer.code, answer.err) == (0, "")
    assert "White> \nend of input\ngame abandoned after 0 plies\n" in answer.out


@pytest.mark.parametrize(
    ("redirection", "word", "code", "reason"),
    [
        pytest.param("> /dev/full", "games", 3, "No space left on device", marks=NEEDS_FULL),
        pytest.param("> /dev/full", "--help", 3, "No space left on device", marks=NEEDS_FULL),
        ("1</dev/null", "games", 2, "Bad file descriptor"),
    ],
)
def test_an_output_that_cannot_be_written_is_a_sentence(redirection: str, word: str, code: int, reason: str) -> None:
    """Output that does not fit, or goes to what was opened for reading."""
    assert_one_sentence(redirected(redirection, word), f"standard output cannot be written ({reason})", code=code)


def test_an_output_that_may_not_grow_is_a_sentence(tmp_path: Path) -> None:
    """A limit on the size of files is want of space, as is a full disk."""
    with (tmp_path / "output").open("wb") as file, files_of_at_most(1):
        output = process._Output(file.fileno(), "wb", closefd=False)
        assert output.write(b"12") == 1
        with pytest.raises(CapacityError, match=r"^standard output cannot be written \(File too large\): free some space"):
            output.write(b"2")


@pytest.mark.full
def test_a_build_needs_no_readers(tmp_path: Path, hexapawns: Path) -> None:
    """Work goes on if nobody reads about it any more."""
    script = '"$@" 2>&1 | true; echo "${PIPESTATUS[0]}"'
    words = ["build", "hexapawn", "--pieces", "3", "--data", str(tmp_path)]
    arguments = ["bash", "-c", script, "bash", sys.executable, "-c", PROGRAM, *words]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=120).stdout == "0\n"
    assert len(contents(tmp_path)) == 2
    assert contents(tmp_path).items() <= contents(hexapawns).items()


@pytest.mark.parametrize("encoding", [pytest.param("latin-1", marks=pytest.mark.full), "ascii"])
def test_encodings(encoding: str, two_pieces: Path) -> None:
    """JSON means the same in every encoding; elsewhere, what an encoding lacks is written as an escape."""
    select = ["sql", f"SELECT '{WORD}' AS word", "--data", str(two_pieces), "--format"]
    probe = ["probe", "doushouqi", "7/3C3/7/7/7/7/7/7/c6 w", "--data", str(two_pieces)]
    calls = [[*select, "json"], [*select, "table"], [*select, "csv"], probe]
    imports = "from tablebase.commands import process; from tablebase.commands.program import run"
    program = f"{imports}; process.prepare_streams(); [print(run(call)) for call in {calls}]"
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    arguments = [sys.executable, "-c", program]
    result = subprocess.run(arguments, capture_output=True, encoding=encoding, env=environment, check=True, timeout=120)
    assert result.stderr == ""
    data, table, plain, board = result.stdout.split("0\n", 3)
    assert json.loads(data) == [{"word": WORD}]
    shown = WORD.encode(encoding, "backslashreplace").decode(encoding)
    assert table == f"word\n{'-' * len(WORD)}\n{shown}\n"
    assert plain == f"word\n{shown}\n"
    assert "White to move: win in 1 ply" in board
    assert "\n----------" in board
    assert board.endswith("\n0\n")
    assert "\\" not in board


@NEEDS_FULL
def test_the_first_error_is_reported() -> None:
    """If a command fails and its output cannot be written either, its own sentence and exit code are given."""
    program = """
import sys
from tablebase.commands import program
from tablebase.commands import output
from tablebase.errors import TablebaseError

def fail(*_, **__):
    sys.stdout.write("some output")
    raise TablebaseError("first")

output.write_rows = fail
program.main(["games", "--format", "csv"])
"""
    assert redirected(">/dev/full", program=program) == Answer(2, "", "error: first\n")


@pytest.mark.parametrize(("status", "code", "said"), [(None, 0, ""), (0, 0, ""), (7, 7, ""), ("no way", 1, "error: no way\n")])
def test_an_exit_is_not_success(status: object, code: int, said: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that is not ours and exits the program, such as a rules module's, decides on the exit code."""

    def leave(*_: object) -> None:
        raise SystemExit(status)

    monkeypatch.setattr("tablebase.game.game_arguments.load_rules", leave)
    answer = ask("stats", "doushouqi")
    assert (answer.code, answer.out, answer.err) == (code, "", said)


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_line_is_written_at_once(unbuffered: bool, tmp_path: Path) -> None:
    """What is written to a file shows how far long work has come, also where Python was asked not to buffer anything."""
    path = tmp_path / "log"
    with path.open("wb") as log:
        raw = log.raw if unbuffered else log
        given = io.TextIOWrapper(raw, write_through=unbuffered, line_buffering=not unbuffered)
        stream = process._text(given, process._Status, log.fileno())
        stream.write("half done\n")
        assert path.read_text() == "half done\n"
        given.detach()


@pytest.mark.parametrize(
    ("words", "text", "said"),
    [
        (["probe", "hexapawn", "-"], "ppp/3/PPP w", "loss"),
        pytest.param(["sql", "-"], "select 7 as number", "7", marks=pytest.mark.full),
        pytest.param(["play", "hexapawn"], "moves", "a1a2 b1b2 c1c2", marks=pytest.mark.full),
        pytest.param(["uci", "hexapawn"], "uci", "uciok", marks=pytest.mark.full),
    ],
)
def test_a_byte_order_mark_before_standard_input(words: list[str], text: str, said: str, hexapawns: Path) -> None:
    """PowerShell writes one into a pipe."""
    answer = ask_fresh(*words, "--data", hexapawns, given=f"\ufeff{text}\n")
    assert (answer.code, said in answer.out, "\ufeff" in answer.out) == (0, True, False)


def test_a_byte_order_mark_in_files(ask: Ask, tmp_path: Path, hexapawns: Path) -> None:
    """Of positions, of statements and of games."""
    game = write_record(Record("hexapawn", 1, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "goal"))
    texts = {"probe hexapawn @": "ppp/3/PPP w", "sql @": "select 7 as number", "match-stats ": game}
    for number, (words, text) in enumerate(texts.items()):
        path = tmp_path / str(number)
        path.write_text(text, encoding="utf-8-sig")
        data = [] if number == 2 else ["--data", hexapawns]
        assert ask(*f"{words}{path}".split(), *data).code == 0


def test_quiet_commands_print_only_results_and_errors(hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    """Also the follow-up commands of a batch; without the option each of these has messages."""
    file, build = tmp_path / "night.toml", '[[build]]\ngame = "hexapawn"\nmaterial = "PvP"\n'
    file.write_text(f'workers = 1\n{build}[[then]]\ncommand = ["verify", "hexapawn"]\n')
    tables = tmp_path / "tables"
    assert redirected("", "batch", file, "--quiet", "--data", tables) == Answer(0, "", "")
    (table,) = tables.rglob("*.h5")
    table.write_bytes(table.read_bytes()[:-1])
    answer = ask("verify", "--quick", "--quiet", "--data", tables)
    assert (answer.code, answer.err.splitlines()) == (1, answer.errors)
    assert len(answer.errors) == 1
    assert ask("copy", "hexapawn", "--to", tmp_path / "copy", "--data", hexapawns, "--quiet") == Answer(0, "", "")
    assert "copied to" in ask("copy", "hexapawn", "--to", tmp_path / "again", "--data", hexapawns).err
