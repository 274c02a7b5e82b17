"""`probe` of many positions: each line of a file or of standard input has its own answer, or its own reason."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.games import random_texts
from support.program import Ask

from tablebase.commands import probe as reading
from tablebase.commands.tablebase import Tablebase
from tablebase.game import load_game

GAME = load_game("doushouqi")
KNOWN_WIN = "7/3C3/7/7/7/7/7/7/c6 w"
THREE = "7/7/3t3/7/7/R6/4E2/7/7 w"
IN_THE_DEN = "3R3/7/7/7/7/7/7/7/c6 b"
WRONG = "7/7/7/1C5/7/7/7/7/c6 w"


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """Positions, of which some have no answer, and empty lines."""
    path = tmp_path / "positions.txt"
    path.write_bytes(
        "\n".join([KNOWN_WIN, "", WRONG, f"  {IN_THE_DEN}  ", THREE]).encode() + b"\n\n\xff\xfe\n" + KNOWN_WIN.encode()
    )
    return path


def test_a_file_with_bad_lines_is_answered(lines: Path, two_pieces: Path, ask: Ask) -> None:
    """Answers come in order, with their lines; those without one have a code and a sentence, and the exit code is 2."""
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
    """The sentence names the line and the file, and what is wrong with the position."""
    answer = ask("probe", "doushouqi", f"@{lines}", "--strict", "--data", two_pieces, "--format", "csv")
    assert answer.code == 2
    assert f"line 3 of {lines}" in answer.err
    assert "cannot stand" in answer.err
    assert KNOWN_WIN in answer.out
    assert IN_THE_DEN not in answer.out


def test_a_line_is_answered_before_the_next_one_is_written(two_pieces: Path) -> None:
    """A program can ask, read the answer, and ask again."""
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
    texts = random_texts(GAME, 2, 200, 1)
    path = tmp_path / "positions.txt"
    path.write_text("\n".join(texts))
    words = ["probe", "doushouqi", f"@{path}", "--data", two_pieces, "--format", "csv"]
    whole = ask(*words)
    monkeypatch.setattr(reading, "READ_BYTES", 37)
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
