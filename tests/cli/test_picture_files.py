"""`probe --output` and `line --to`: the files, the messages, and what is refused before anything is overwritten."""

from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence, files_of_at_most

import tablebase
from tablebase.api.tablebase import Tablebase

LOST = "7/7/7/7/3c3/7/7/R6/7 w"


@pytest.mark.parametrize("style", ["table", "json", "csv"])
def test_probe_draws_the_position(style: str, tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    """With the best move as an arrow; the answer is what it is without, and a file that was there is replaced."""
    words = ["probe", "doushouqi", LOST, "--data", tables.folder, "--format", style]
    path = tmp_path / "lost.svg"
    path.write_text("old", encoding="utf-8")
    answer = ask(*words, "--output", path)
    assert (answer.code, answer.out, answer.err) == (0, ask(*words).out, f"wrote {path}\n")
    assert path.read_text(encoding="utf-8") == tablebase.svg.board("doushouqi", LOST, arrows=["a2a1"])


def test_line_draws_every_ply(tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    """A file for each row, to the end of the game, in a folder that is new or empty; one with files is left as it is."""
    words = ["line", "doushouqi", LOST, "--data", tables.folder]
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new" / "line", tmp_path / "empty"):
        answer = ask(*words, "--to", folder)
        assert (answer.code, answer.out, answer.err) == (0, ask(*words).out, f"wrote 9 pictures to {folder}\n")
        written = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
        assert list(written) == [f"{ply:03}.svg" for ply in range(9)]
        assert list(written.values()) == tables.line("doushouqi", LOST).pictures()
    assert "Last move: d2d1" in written["008.svg"]
    (tmp_path / "empty" / "000.svg").write_text("mine", encoding="utf-8")
    assert_one_sentence(ask(*words, "--to", tmp_path / "empty"), "is not empty: name a new folder with --to")
    assert (tmp_path / "empty" / "000.svg").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(("command", "option"), [("probe", "--output"), ("line", "--to")])
def test_want_of_space_has_its_own_code(command: str, option: str, tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    with files_of_at_most(1000):
        answer = ask(command, "doushouqi", LOST, "--data", tables.folder, option, tmp_path / "a.svg")
    assert answer.code == 3
    assert "there is no space left" in answer.err
