"""The command `uci`, as a process of its own."""

from pathlib import Path

import pytest
from support.program import Ask, ask_fresh


def test_a_process_of_its_own(two_pieces: Path) -> None:
    """Bytes that are no text, and the end of the input in mid-search: an answer, exit code 0, nothing on standard error."""
    lines = "uci\nisready\n\udcff\udcfe\nposition startpos\ngo infinite\n"
    answer = ask_fresh("uci", "doushouqi", "--data", two_pieces, given=lines)
    said = answer.out.splitlines()
    assert (answer.code, "Traceback" in answer.err) == (0, False)
    assert f"option name TablebasePath type string default {two_pieces}" in said
    assert "readyok" in said
    assert any(line.startswith("info string error: ") and "xff" in line and "is no command" in line for line in said)
    assert said[-1].startswith("bestmove ")
    assert said[-1] != "bestmove 0000"


def test_lines_of_a_short_talk(typed: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tables where they are by default; what follows quit is not read."""
    monkeypatch.chdir("/")
    answer = typed(["uci", "quit", "uci"], "uci", "hexapawn", "--size", "4x4")
    assert (answer.code, answer.err, answer.out.count("uciok")) == (0, "", 1)
    assert "option name TablebasePath type string default <empty>\n" in answer.out
    assert "option name UCI_Variant type combo default hexapawn-4x4 var " in answer.out


def test_a_text_written_at_once(typed: Ask) -> None:
    """Commands that follow ``stop`` are for the next search."""
    answer = typed(["go infinite", "stop", "position fen 3/P1p/3 w", "go depth 4", "quit"], "uci", "hexapawn")
    assert (answer.code, answer.err, answer.out.count("bestmove")) == (0, "", 2)
    assert answer.out.endswith("bestmove a2a3\n")


def test_a_line_that_is_too_long(typed: Ask) -> None:
    """It is refused in a line, is not kept, and the next one is answered."""
    answer = typed([f"position startpos moves {'a2a3 ' * 1_000_000}", "isready", "quit"], "uci", "hexapawn", "--size", "4x4")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == "info string error: a line has more than 1,048,576 characters: send less\nreadyok\n"
