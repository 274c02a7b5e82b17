"""Bad input of every sort: one sentence on stderr, code 2, nothing on stdout, no traceback."""

import os
import sqlite3
from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence

GOOD = "7/7/7/7/3c3/7/7/R6/7 w"

POSITIONS = {
    "a rank too long": "7/7/7/7/3c4/7/7/R6/7 w",
    "a run that wraps": "7/7/7/7/3c3/7/7/R6/18446744073709551623 w",
    "a number too long to be one": f"7/7/7/7/3c3/7/7/R6/{'9' * 5000} w",
    "a letter outside ASCII": "7/7/7/7/3ř3/7/7/R6/7 w",
    "digits of another script": "7/7/7/7/3c3/7/7/R6/٧ w",
    "a superscript": "7/7/7/7/3c3/7/7/R6/⁷ w",
    "a piece on the other den": "3R3/7/7/7/3c3/7/7/7/7 w",
    "nothing": "",
    "a line break in the side": "7/7/7/7/3c3/7/7/R6/7\nw\nw",
    "bytes that are not text": "7/7/7/7/3c3/7/7/\udcff6/7 w",
    "a chess position": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
}

MATERIALS = {
    "no v": "RC",
    "no White": "vC",
    "an unknown letter": "RXvC",
    "a space": "R vC",
}

COMMANDS = {
    "an unknown command": ["fly"],
    "an empty game": ["stats", ""],
    "an unknown option of the program": ["--fast"],
    "no position": ["probe", "doushouqi"],
    "one good position and one bad": ["probe", "doushouqi", GOOD, "7 w"],
    "two positions for a line": ["line", "doushouqi", GOOD, GOOD],
    "one word too many": ["games", "all"],
    "an unknown grouping": ["stats", "doushouqi", "--by", "colour"],
    "neither pieces nor material": ["build", "doushouqi"],
    "neither to estimate": ["estimate", "doushouqi"],
    "one piece": ["build", "doushouqi", "--pieces", "1"],
    "99 pieces": ["build", "doushouqi", "--pieces", "99"],
    "no workers": ["build", "doushouqi", "--pieces", "2", "--workers", "0"],
    "workers that are too many digits": ["build", "doushouqi", "--pieces", "2", "--workers", "9" * 5000],
    "memory of 400 nines": ["build", "doushouqi", "--pieces", "2", "--memory", "9" * 400],
    "memory of another script": ["build", "doushouqi", "--pieces", "2", "--memory", "٨G"],
    "a variant of 5,000 digits": ["build", "hasenspiel", "--pieces", "2", "--variant", f"pawns={'9' * 5000}"],
    "a size of 5,000 digits": ["build", "foxhounds", "--pieces", "2", "--size", f"{'9' * 5000}x8"],
    "a tier of 5,000 digits": ["build", "foxhounds", "--material", f"FvHHHH@{'9' * 5000}"],
    "an unknown solver, and nothing to do": ["build", "doushouqi", "--pieces", "2", "--solver", "nonsense", "--data", "{two}"],
    "a material that is not built": ["verify", "doushouqi", "--material", "RCvW", "--data", "{two}"],
    "no folder to copy to": ["copy", "doushouqi", "--data", "{two}"],
    "a folder to merge that is missing": ["merge", "{two}/nowhere", "--data", "{two}"],
    "a file to unpack": ["unpack", "{two}/catalog.sqlite", "--to", "{two}/new"],
    "a strength of nothing": ["pack", "doushouqi", "--strength", "0", "--data", "{two}", "--to", "{two}/new"],
    "a strength beyond the strongest": ["pack", "doushouqi", "--strength", "23", "--data", "{two}", "--to", "{two}/new"],
    "SQL over an unknown table": ["sql", "SELECT * FROM nowhere", "--data", "{two}"],
    "empty SQL": ["sql", "", "--data", "{two}"],
    "SQL with a parameter": ["sql", "SELECT ?", "--data", "{two}"],
    "SQL of bytes that are not text": ["sql", "SELECT '\udcff'", "--data", "{two}"],
}

FOLDERS = {
    "a file": "file",
    "below a file": "file/below",
    "missing": "missing",
    "empty": "empty",
    "a catalog that is a text": "text",
    "a catalog that is empty": "blank",
    "a catalog of something else": "other",
    "a catalog that is a folder": "folder",
}

NOBODYS = pytest.param("/proc/self", marks=pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc"))
"""A folder without permission to write."""

QUESTIONS = {
    "probe": ["probe", "doushouqi", GOOD],
    "line": ["line", "doushouqi", GOOD],
    "stats": ["stats", "doushouqi"],
    "verify": ["verify", "doushouqi"],
    "sql": ["sql", "SELECT 1"],
}


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Folders that are not tablebases, each in a different way."""
    (tmp_path / "file").write_text("This is a file.\n")
    for name in ("empty", "text", "blank", "other", "folder"):
        (tmp_path / name).mkdir()
    (tmp_path / "text" / "catalog.sqlite").write_text("This is no database.\n" * 100)
    (tmp_path / "blank" / "catalog.sqlite").write_text("")
    connection = sqlite3.connect(tmp_path / "other" / "catalog.sqlite")
    connection.execute("CREATE TABLE contacts (name)")
    connection.close()
    (tmp_path / "folder" / "catalog.sqlite").mkdir()
    return tmp_path


@pytest.mark.parametrize("text", POSITIONS.values(), ids=POSITIONS)
def test_bad_positions(text: str, two_pieces: Path, ask: Ask) -> None:
    """Text that is not a position, or a position in which the game is over, is refused; notation has its own tests."""
    assert_one_sentence(ask("probe", "doushouqi", text, "--data", two_pieces))


@pytest.mark.parametrize("command", ["build", "estimate", "verify"])
@pytest.mark.parametrize("text", MATERIALS.values(), ids=MATERIALS)
def test_bad_materials(text: str, command: str, two_pieces: Path, ask: Ask) -> None:
    """Text that is not a material of the game is refused before anything is done."""
    assert_one_sentence(ask(command, "doushouqi", "--material", text, "--data", two_pieces))


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_bad_commands(words: list[str], two_pieces: Path, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown commands and options, and senseless numbers, are refused and leave no tables."""
    monkeypatch.setenv("TABLEBASE_DATA", str(tmp_path / "data"))
    assert_one_sentence(ask(*(word.format(two=two_pieces) for word in words)))
    assert not list(tmp_path.rglob("*.h5"))


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("name", FOLDERS.values(), ids=FOLDERS)
def test_bad_folders(name: str, question: list[str], folders: Path, ask: Ask) -> None:
    """A folder that is not a tablebase is named, and nothing in it is changed."""
    before = {path: path.stat().st_mtime_ns for path in folders.rglob("*")}
    assert_one_sentence(ask(*question, "--data", folders / name), folders / name)
    assert {path: path.stat().st_mtime_ns for path in folders.rglob("*")} == before


@pytest.mark.parametrize("command", [["build", "doushouqi", "--pieces", "2"], ["reindex"]], ids=lambda words: words[0])
@pytest.mark.parametrize("name", ["file", "file/below", "folder", NOBODYS])
def test_bad_folders_to_build_in(name: str, command: list[str], folders: Path, ask: Ask) -> None:
    """Where no tablebase can be created, none is begun, and the error names the folder."""
    assert_one_sentence(ask(*command, "--data", folders / name), folders / name)
    assert not list(folders.rglob("*.h5"))


def test_a_table_of_a_game_that_is_not_installed(tmp_path: Path, ask: Ask) -> None:
    """Reindexing names the game that is not installed, or the file whose name is not a material."""
    for name, said in (("chess/2/KvK.h5", "chess"), ("doushouqi/2/notes.h5", "notes")):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("")
        assert_one_sentence(ask("reindex", "--data", tmp_path), said)
        path.unlink()


def test_no_permission(tmp_path: Path, ask: Ask) -> None:
    """A folder that this user may not write to is reported in a sentence."""
    if os.geteuid() == 0:
        pytest.skip("the superuser may write anywhere")
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert_one_sentence(ask("build", "doushouqi", "--pieces", "2", "--data", locked))
