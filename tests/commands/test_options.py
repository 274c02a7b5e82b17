"""Options and arguments that several commands share, what is forgiven in them, and files of positions."""

import io
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from support.checks import at_least_one
from support.games import random_texts
from support.program import Answer, Ask, assert_one_sentence

import tablebase
from tablebase.building.options import chosen_limits
from tablebase.commands import probe
from tablebase.commands.calls import without_passwords
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game, plain_arguments
from tablebase.game.plain_arguments import end_of_work, parse_duration, parse_time
from tablebase.positions.indexing import is_buildable, most_pieces
from tablebase.positions.location import stored_materials
from tablebase.positions.material import compositions
from tablebase.system.compute.machine import cores
from tablebase.system.executors.executor import Limits

FIRST, SECOND = "7/7/7/7/3c3/7/7/R6/7 w", "7/7/5c1/R6/7/7/7/7/7 b"


def test_the_version(ask: Ask) -> None:
    expected = f"tablebase {tablebase.__version__}\n"
    assert ask("--version") == Answer(0, expected, "")
    done = subprocess.run([sys.executable, "-m", "tablebase", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


def test_a_shell_completes_games() -> None:
    environment = {**os.environ, "_TABLEBASE_COMPLETE": "bash_complete", "COMP_WORDS": "tablebase probe ha", "COMP_CWORD": "2"}
    done = subprocess.run([sys.executable, "-m", "tablebase"], capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == ["plain,harehedgehog", "plain,hasenspiel"]


def test_pieces_mean_the_same_everywhere(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """A number is exactly this number; only `build` and `estimate` add what these depend on."""
    assert "correct tables: 10 of 10\n" in ask("verify", "doushouqi", "--pieces", "2", "--data", three_pieces).err
    found = ask("estimate", "doushouqi", "--pieces", "3", "--data", three_pieces, "--format", "json").json
    assert [(line["pieces"], line["tables"]) for line in found] == [(2, 10), (3, 42)]
    ranged = ask("estimate", "doushouqi", "--pieces", "2-3", "--data", three_pieces, "--format", "json").json
    assert found == ranged
    built = ask("build", "hexapawn", "--pieces", "3", "--data", tmp_path)
    assert "solving 2 tables: 1 requested, 1 dependencies\n" in built.err
    assert sorted(path.stem for path in tmp_path.rglob("*.h5")) == ["PPvP", "PvP"]


def test_letters_are_forgiven(two_pieces: Path, ask: Ask) -> None:
    expected = ask("probe", "doushouqi", FIRST, "--data", two_pieces)
    assert expected.code == 0
    assert ask("probe", "DouShouQi", f"{FIRST[:-1]}W", "--data", two_pieces) == expected
    assert ask("verify", "DOUSHOUQI", "--material", "rvc", "--data", two_pieces).err == "correct tables: 1 of 1\n"
    assert load_game("FoxHounds-6X6") is load_game("foxhounds-6x6")


def test_positions_are_read_from_input_and_files(
    two_pieces: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "list").write_text(f"{SECOND}\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{FIRST}\n\n{SECOND}\n".encode())))
    options = ["--data", two_pieces, "--format", "csv"]
    rows = ask("probe", "doushouqi", "-", FIRST, f"@{tmp_path / 'list'}", *options).csv
    assert [row["position"] for row in rows] == [FIRST, SECOND, FIRST, SECOND]


@pytest.mark.parametrize("command", [["mine", "doushouqi"], ["sql"]])
def test_statements_are_read_from_input_and_files(
    command: list[str], two_pieces: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = "positions WHERE material = 'RvC'" if command[0] == "mine" else "tables"
    statement = f"SELECT count(*) AS n\nFROM {table}\n"
    expected = ask(*command, statement, "--data", two_pieces)
    assert expected.code == 0
    (tmp_path / "q.sql").write_text(statement)
    monkeypatch.setattr(sys, "stdin", io.StringIO(statement))
    for word in ("-", f"@{tmp_path / 'q.sql'}"):
        assert ask(*command, word, "--data", two_pieces) == expected


@pytest.mark.parametrize("command", ["line", "play", "count"])
def test_a_start_is_an_argument_or_an_option(command: str, hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    start = "p1p/1P1/P1P b"
    options = ["--seed", "1", "--data", hexapawns] if command == "play" else ["--data", hexapawns] if command == "line" else []
    said = []
    for words in ([start], ["--from", start]):
        monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
        answer = ask(command, "hexapawn", *words, *options, *(["--format", "json"] if command == "line" else []))
        assert answer.code == 0
        # Black, who is to move there.
        assert command != "play" or "you play Black" in answer.out
        said.append(answer.json if command == "line" else answer.out.partition("seconds")[0])
    assert said[0] == said[1]
    assert_one_sentence(ask(command, "hexapawn", start, "--from", start, *options), "cannot use POSITION with --from")


def test_moves_of_unknown_value(three_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """They come last, with the table that is missing; a note names the command that builds it. --strict refuses them."""
    (tmp_path / "doushouqi/3").mkdir(parents=True)
    shutil.copy(three_pieces / "doushouqi/3/RCvW.h5", tmp_path / "doushouqi/3")
    position = "wC5/7/7/1R5/7/7/7/7/7 b"
    command = f"tablebase build doushouqi --material RvW --data {tmp_path}"
    shown = ask("probe", "doushouqi", position, "--data", tmp_path)
    assert (shown.code, shown.err) == (0, f"the values of some moves are unknown: run '{command}'\n")
    assert "a9b9   unknown without RvW          -   1w5/7/7/1R5/7/7/7/7/7 w\n" in shown.out
    (found,) = ask("probe", "doushouqi", position, "--data", tmp_path, "--format", "json").json
    (whole,) = ask("probe", "doushouqi", position, "--data", three_pieces, "--format", "json").json
    unknown = {"move": "a9b9", "position": "1w5/7/7/1R5/7/7/7/7/7 w", "outcome": None, "distance": None, "missing": "RvW"}
    assert found["moves"] == [*(move for move in whole["moves"] if move["move"] != "a9b9"), unknown]
    # The best move is the capture, and no other one is as good.
    assert whole["best"] == "a9b9"
    assert found == {**whole, "best": None, "moves": found["moves"]}
    strict = ask("probe", "doushouqi", position, "--strict", "--data", tmp_path)
    assert_one_sentence(strict, "the table RvW of doushouqi", command)
    assert ask("line", "doushouqi", position, "--data", tmp_path) == strict


@pytest.mark.parametrize("name", ["foxhounds", "hexapawn-4x4", "hexapawn", pytest.param("doushouqi", marks=pytest.mark.full)])
def test_the_most_pieces_of_a_table(name: str) -> None:
    game = load_game(name)
    most = most_pieces(game)
    assert any(is_buildable(game, material) for material in stored_materials(game, most)[-2000:])
    if most < game.max_pieces:
        assert not any(is_buildable(game, material) for material in at_least_one(compositions(game, most + 1)[:200]))


@pytest.mark.parametrize(
    ("text", "seconds"), [("90min", 5400), ("90m", 5400), ("1h30min", 5400), ("0.5s", 0.5), ("1d 2H", 93600), ("1.5h", 5400)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((parse_duration, text) for text in ("", "8", "h", "8 hours", "8h 30", "-8h", "1ms", "8h,30min", "١h")),
        *((parse_time, text) for text in ("", "noon", "7", "24:00", "12:60", "2030-13-01", "7:00:00:00")),
    ],
)
def test_what_is_no_duration_and_no_time(read: Callable[[str], float], text: str) -> None:
    with pytest.raises(TablebaseError, match=r"is not a (duration: write numbers with|time: write a time such as 07:00)"):
        read(text)


@pytest.fixture
def evening(monkeypatch: pytest.MonkeyPatch) -> Iterator[datetime]:
    """A clock that stands at half past ten in the evening, the day before summer time begins in Berlin."""
    now = datetime(2030, 3, 30, 22, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # noqa: ARG003
            return now

    monkeypatch.setattr(plain_arguments, "datetime", Clock)
    yield now
    monkeypatch.delenv("TZ")
    time.tzset()


def test_times_are_the_next_ones(evening: datetime) -> None:
    """A time that has passed today is meant for tomorrow, by the clock on the wall; a full date is taken as it is."""
    assert parse_time("22:31") == evening.timestamp() + 60
    # The night is an hour shorter.
    assert parse_time("07:00") == evening.timestamp() + 7.5 * 3600
    assert parse_time("22:30") == evening.timestamp() + 23 * 3600
    assert parse_time("2030-03-30T22:31") == evening.timestamp() + 60
    assert parse_time("2030-03-30T21:31:00+00:00") == evening.timestamp() + 60
    with pytest.raises(TablebaseError, match="2030-03-30T22:30 has passed"):
        parse_time("2030-03-30T22:30")


def test_the_earlier_end_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_arguments.clock, "time", lambda: 1000.0)
    assert end_of_work(None, None) is None
    assert end_of_work(1500.0, None) == 1500.0
    assert end_of_work(None, 60.0) == 1060.0
    assert end_of_work(1500.0, 60.0) == 1060.0
    assert end_of_work(1030.0, 60.0) == 1030.0


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("build --catalog postgresql://me:secret@host/db --data x", "build --catalog postgresql://me@host/db --data x"),
        ("--catalog=postgresql://me:se:cr@et@host:5432/db", "--catalog=postgresql://me@host:5432/db"),
        ("postgresql://:secret@/db?host=/tmp", "postgresql://@/db?host=/tmp"),
        ("postgresql://host/db?password=secret&sslpassword=more", "postgresql://host/db?"),
        ("postgresql://me@host:5432/db?user=a@b", "postgresql://me@host:5432/db?user=a@b"),
        ("probe doushouqi 7/7 --data /a:b/c@d", "probe doushouqi 7/7 --data /a:b/c@d"),
    ],
)
def test_commands_are_shown_without_passwords(words: str, shown: str) -> None:
    assert without_passwords(words) == shown


@pytest.mark.parametrize(
    "words",
    [
        ("build", "doushouqi", "--pieces", 2),
        ("verify", "doushouqi", "--quick"),
        ("mine", "doushouqi", "SELECT 1"),
        ("patterns", "doushouqi", "--material", "RvC", "--depth", 0),
    ],
    ids=lambda words: words[0],
)
def test_no_more_workers_than_processors(words: tuple[object, ...], copied: Path, ask: Ask) -> None:
    answer = ask(*words, "--workers", 1000, "--data", copied)
    assert (answer.code, answer.errors) == (0, [])
    assert answer.err.count(f"using {cores()} workers instead of 1000") == answer.err.count("1000") == 1


def test_a_table_must_fit_into_one_worker(tmp_path: Path, ask: Ask) -> None:
    """What two workers of a cluster have together is not enough, and no worker is started to find that out."""
    words = ["--executor", "dask", "--workers", 2, "--memory", "500M", "--data", tmp_path]
    answer = ask("build", "doushouqi", "--material", "CvC", *words)
    assert_one_sentence(answer, "only 262,144,000 are available: use fewer workers", code=3)


def test_memory_is_divided_among_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker of a cluster has its own; those of this machine share it."""
    monkeypatch.setattr("tablebase.system.compute.machine.cores", lambda: 4)
    assert chosen_limits(4, "8G", "dask") == Limits(4, 2 * 2**30, each=True)
    assert chosen_limits(4, "8G") == Limits(4, 8 * 2**30)


KNOWN_WIN = "7/3C3/7/7/7/7/7/7/c6 w"
THREE = "7/7/3t3/7/7/R6/4E2/7/7 w"
IN_THE_DEN = "3R3/7/7/7/7/7/7/7/c6 b"
WRONG = "7/7/7/1C5/7/7/7/7/c6 w"


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "positions.txt"
    path.write_bytes(
        "\n".join([KNOWN_WIN, "", WRONG, f"  {IN_THE_DEN}  ", THREE]).encode() + b"\n\n\xff\xfe\n" + KNOWN_WIN.encode()
    )
    return path


def test_a_file_with_bad_lines_is_answered(lines: Path, two_pieces: Path, ask: Ask) -> None:
    answer = ask("probe", "doushouqi", f"@{lines}", "--data", two_pieces, "--format", "json")
    rows = answer.json
    assert answer.code == 2
    assert "3 of 6" in answer.err
    assert [(row["line"], row.get("outcome"), row.get("error", {}).get("code")) for row in rows] == [
        (1, "win", None),
        (3, None, "bad_notation"),
        (4, "loss", None),
        (5, None, "missing_table"),
        (7, None, "bad_notation"),
        (8, "win", None),
    ]
    assert rows[2]["winner"] == "w"
    assert "REvT" in rows[3]["error"]["message"]
    with Tablebase(two_pieces) as tables:
        assert rows[0] == {**tables.probe("doushouqi", KNOWN_WIN).to_dict(), "line": 1}
    listed = ask("probe", "doushouqi", f"@{lines}", "--data", two_pieces, "--format", "csv").csv
    assert [(int(row["line"]), row["best"], row["error"].partition(":")[0]) for row in listed] == [
        (row["line"], row.get("best") or "", row.get("error", {}).get("code", "")) for row in rows
    ]
    shown = ask("probe", "doushouqi", f"@{lines}", "--data", two_pieces).out
    heading, _, *shown_rows = [line.split() for line in shown.splitlines()]
    assert heading == ["line", "outcome", "distance", "best", "position"]
    for row, cells in zip(rows, shown_rows, strict=True):
        error = row.get("error", {}).get("message")
        assert cells[0] == str(row["line"])
        assert cells[1:4] == ["-" if row.get(name) is None else str(row[name]) for name in heading[1:4]]
        assert " ".join(cells[4:]) == " ".join(f"{row['position']}{f': {error}' if error else ''}".split())


def test_strict_stops_at_the_first_line_without_an_answer(lines: Path, two_pieces: Path, ask: Ask) -> None:
    answer = ask("probe", "doushouqi", f"@{lines}", "--strict", "--data", two_pieces, "--format", "csv")
    assert answer.code == 2
    assert f"line 3 of {lines}" in answer.err
    assert "cannot stand" in answer.err
    assert KNOWN_WIN in answer.out
    assert IN_THE_DEN not in answer.out


def test_a_line_is_answered_before_the_next_one_is_written(two_pieces: Path) -> None:
    command = [sys.executable, "-m", "tablebase", "probe", "doushouqi", "-", "--data", str(two_pieces), "--format", "csv"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, text in enumerate((KNOWN_WIN, "nonsense"), start=1):
            process.stdin.write(text + "\n")
            process.stdin.flush()
            found = process.stdout.readline()
            row = process.stdout.readline() if number == 1 else found
            assert row.rstrip().endswith(f",{number}")
        process.stdin.close()
        assert process.wait() == 2


def test_a_file_is_read_in_parts(tmp_path: Path, two_pieces: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that is cut by the end of a part is one line; the answers are those of all lines together."""
    texts = random_texts(load_game("doushouqi"), 2, 200, 1)
    path = tmp_path / "positions.txt"
    path.write_text("\n".join(texts))
    words = ["probe", "doushouqi", f"@{path}", "--data", two_pieces, "--format", "csv"]
    whole = ask(*words)
    monkeypatch.setattr(probe, "READ_BYTES", 37)
    assert ask(*words) == whole
    assert [row["position"] for row in whole.csv] == texts


def test_a_line_without_end_is_refused(two_pieces: Path) -> None:
    """A program that writes no end of line does not fill the memory; a device is in tests/commands/test_refusals.py."""
    with open("/dev/zero", "rb") as endless:
        command = [sys.executable, "-m", "tablebase", "probe", "doushouqi", "-", "--data", str(two_pieces)]
        done = subprocess.run(command, stdin=endless, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "too long" in done.stderr
    assert "Traceback" not in done.stderr
