"""`probe --output` and `line --to`: the files, the messages, and what is refused before anything is overwritten."""

from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence, files_of_at_most

import tablebase
from tablebase.api.tablebase import Tablebase

LOST = "7/7/7/7/3c3/7/7/R6/7 w"
RACE = "0:68:3,0:68:3 1"


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
    """A file for each row, to the end of the game, in a folder that may be there if it is empty."""
    words = ["line", "doushouqi", LOST, "--data", tables.folder]
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new" / "line", tmp_path / "empty"):
        answer = ask(*words, "--to", folder)
        assert (answer.code, answer.out, answer.err) == (0, ask(*words).out, f"wrote 9 pictures to {folder}\n")
        written = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
        assert list(written) == [f"{ply:03}.svg" for ply in range(9)]
        assert list(written.values()) == tables.line("doushouqi", LOST).pictures()
    assert "Last move: d2d1" in written["008.svg"]


REFUSED = {
    "no picture": (
        ["probe", LOST, "--output", "{tmp}/a.png"],
        "is not the name of a picture of a board: use the suffix .svg",
    ),
    "two positions": (["probe", LOST, LOST, "--output", "{tmp}/a.svg"], "--output draws one position"),
    "no position": (["probe", "@/dev/null", "--output", "{tmp}/a.svg"], "--output draws one position"),
    "no folder": (["probe", LOST, "--output", "{tmp}/no/a.svg"], "no: make it, or name another file with --output"),
    "a folder with files": (["line", LOST, "--to", "{tmp}"], "is not empty: name a new folder with --to"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_is_refused(case: str, tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    """In one sentence, with no answer, and nothing is lost."""
    (command, *words), sentence = REFUSED[case]
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert_one_sentence(
        ask(command, "doushouqi", *(word.format(tmp=tmp_path) for word in words), "--data", tables.folder), sentence
    )
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(("command", "option"), [("probe", "--output"), ("line", "--to")])
def test_want_of_space_has_its_own_code(command: str, option: str, tables: Tablebase, tmp_path: Path, ask: Ask) -> None:
    with files_of_at_most(1000):
        answer = ask(command, "doushouqi", LOST, "--data", tables.folder, option, tmp_path / "a.svg")
    assert answer.code == 3
    assert "there is no space left" in answer.err


@pytest.mark.parametrize(("command", "option"), [("probe", "--output"), ("line", "--to")])
def test_games_of_chance_have_no_pictures(command: str, option: str, tmp_path: Path, ask: Ask) -> None:
    """They have no squares; this is said before anything else."""
    answer = ask(command, "harehedgehog", RACE, option, tmp_path / "a.svg")
    assert_one_sentence(answer, "harehedgehog has no pieces on squares", f"leave out {option}")
