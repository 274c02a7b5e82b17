"""Bad input of every sort: one sentence on stderr, code 2, nothing on stdout, no traceback."""

import re
import sqlite3
from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence, assert_refused

from tablebase.commands.program import commands, made
from tablebase.web.problems import without_paths
from tablebase.web.settings import Settings

GOOD = "7/7/7/7/3c3/7/7/R6/7 w"


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


def test_reindexing_files_of_no_table(tmp_path: Path, ask: Ask) -> None:
    """A file whose name is not a material is refused; one of a game that is not installed is left alone, and named."""
    others = [tmp_path / "chess/2/KvK.h5", tmp_path / "doushouqi/2/notes.h5"]
    for path in others:
        path.parent.mkdir(parents=True)
        path.write_text("")
    assert_one_sentence(ask("reindex", "--data", tmp_path), "notes")
    others[1].unlink()
    answer = ask("reindex", "--data", tmp_path)
    assert (answer.code, others[0].exists()) == (0, True)
    assert answer.err.endswith("left out: chess/2/KvK.h5 is of a game that is not installed\n")


def test_help_names_options_that_exist() -> None:
    """An option in the help of a command is one of this command, or is named with the command that has it."""
    options = {name: {option for one in made(name).params for option in one.opts} for name in commands()}
    for name in commands():
        text = " ".join(str(getattr(one, "help", "")) for one in made(name).params)
        foreign = {f"{other} {option}" for other in commands() for option in options[other]}
        text = re.sub("|".join(map(re.escape, sorted(foreign, key=len, reverse=True))), "", text)
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)) <= options[name] | {"--help"}, name


@pytest.mark.parametrize("name", ["hexapawn", "hasenspiel", "noughts", "pig", "harehedgehog"])
def test_a_long_text_is_not_repeated(name: str, ask: Ask) -> None:
    """The sentence about a position, a move, a material or a word too many quotes only its beginning."""
    long = "p" * 100_000
    for words in (
        ["perft", name, long],
        ["check-rules", name, long],
        ["estimate", name, "--material", long],
        ["perft", f"{name}-{long}"],
    ):
        answer = ask(*words)
        assert_refused(answer, 2)
        assert len(answer.err) < 600, answer.err[:200]


def test_folders_in_suggested_commands_are_quoted(ask: Ask, tmp_path: Path) -> None:
    """A shell reads the folder of a command in a sentence as one word."""
    folder = tmp_path / "my tables"
    assert_one_sentence(ask("stats", "hexapawn", "--data", folder), f"'tablebase build GAME --data \"{folder}\"'")
    assert ask("build", "hexapawn", "--pieces", "2", "--data", folder).code == 0
    answer = ask("probe", "hexapawn", "ppp/3/PPP w", "--data", folder)
    assert f' --data "{folder}"' in answer.err
    table = next(folder.glob("hexapawn/*/*.h5"))
    table.unlink()
    assert f' --data "{folder}"' in ask("verify", "hexapawn", "--data", folder).err
    assert without_paths(f"run 'tablebase reindex --data \"{folder}\"'", Settings(folder)) == "run 'tablebase reindex'"


def test_a_variable_is_blamed_only_if_it_is_used(hexapawns: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert "TABLEBASE_DATA" not in ask("stats", "hexapawn", "--data", hexapawns).err
    monkeypatch.setenv("TABLEBASE_DATA", str(hexapawns))
    assert "TABLEBASE_DATA" in ask("stats", "hexapawn").err
