"""The claims of the documents: their commands are run, and their figures must occur in the output."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from tomllib import loads
from typing import NamedTuple

import pytest
from support.program import Ask

import tablebase
from tablebase.commands import game_requests as commands
from tablebase.commands.program import run
from tablebase.game.installed import load_rules
from tablebase.search.choices import Foresight, Objective
from tablebase.search.lookahead import Lookahead

ROOT = Path(__file__).parents[2]
CLAIMS = loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))
VERDICTS = ("same", "differs", "open")


class Row(NamedTuple):
    """A claim of a document; `command` is without its quotes.

    `figures` must occur in its output, and `absent` must not.
    """

    document: str
    claim: str
    command: str
    figures: list[str]
    absent: list[str]
    run: str
    verdict: str

    def __str__(self) -> str:
        return f"{self.document}: {self.claim}"


def row(document: str, claim: dict[str, str]) -> Row:
    """Read a claim of a document."""
    present, absent = (re.findall("`([^`]+)`", part) for part in claim["figure"].partition(", but not ")[::2])
    return Row(document, claim["claim"], claim["held"], present, absent, claim["run"], claim["verdict"])


ROWS = [row(document["title"], claim) for document in CLAIMS["document"] for claim in document["claims"]]


def marked(when: str) -> list[Row]:
    """The rows that are run at this time."""
    return [row for row in ROWS if row.run == when]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to run commands in, with the tables that the commands need."""
    folder = tmp_path_factory.mktemp("documents")
    make(folder, "always")
    return folder


@pytest.fixture(scope="module")
def full_folder(folder: Path) -> Path:
    """The same with the tables of the costly rows."""
    make(folder, "release")
    return folder


def make(folder: Path, when: str) -> None:
    """Build the tables that commands run at a time need."""
    for line in CLAIMS["tables"][when]:
        assert run([*shlex.split(line), "--data", str(folder / "data")]) == 0


@pytest.fixture
def names() -> dict[str, object]:
    """What Python expressions of claims know."""
    return {
        "tablebase": tablebase,
        "commands": commands,
        "load_rules": load_rules,
        "Foresight": Foresight,
        "Lookahead": Lookahead,
        "Objective": Objective,
    }


def occurs(figure: str, output: str) -> bool:
    """Whether a figure occurs as a whole: not 12 in 123. A decimal number at its end may be rounded: 0.12 occurs in 0.1234."""
    text, number = re.fullmatch(r"(.*?)(\d+\.\d+)?", figure, re.DOTALL).groups()
    begin = r"(?<![\w.-])" if figure[0].isalnum() else ""
    end = r"(\d+\.\d+)" if number else r"(?!\w|\.\d)" if figure[-1].isalnum() else ""
    found = re.finditer(begin + re.escape(text) + end, output)
    return any(not number or round(float(one[1]), len(number.partition(".")[2])) == float(number) for one in found)


def wrong(asked: list[Row], outputs: dict[str, str]) -> dict[str, list[str]]:
    """The figures that do not occur in the output of their commands, or that should not, by row."""
    found = {
        str(row): [
            *(figure for figure in row.figures if not occurs(figure, outputs[row.command])),
            *(f"not {figure}" for figure in row.absent if occurs(figure, outputs[row.command])),
        ]
        for row in asked
    }
    return {row: figures for row, figures in found.items() if figures}


def output(command: str, ask: Ask, names: dict[str, object]) -> str:
    """What a command or an expression says; nothing if it fails."""
    if command.startswith(">>> "):
        return str(eval(command.removeprefix(">>> "), names))
    if command.startswith("python -m "):
        words = [sys.executable, *shlex.split(command)[1:]]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    answer = ask(*shlex.split(command)[1:])
    return answer.out + answer.err if answer.code == 0 else ""


def compare(when: str, place: Path, ask: Ask, names: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the rows, each command with the tables of a folder."""
    monkeypatch.chdir(place)
    found = {command: output(command, ask, names) for command in {row.command: None for row in marked(when)}}
    assert wrong(marked(when), found) == {}


@pytest.mark.full
def test_figures_are_printed(folder: Path, ask: Ask, names: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    compare("always", folder, ask, names, monkeypatch)


@pytest.mark.release
def test_costly_figures_are_printed(full_folder: Path, ask: Ask, names: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    compare("release", full_folder, ask, names, monkeypatch)


def test_another_figure_is_noticed(ask: Ask, names: dict[str, object]) -> None:
    row = Row("Hexapawn", "so many", "tablebase count hexapawn --format csv", ["135,65", "136"], ["134", "13"], "always", "same")
    for command, errors in (
        (row.command, ["136", "not 134"]),
        (">>> 135 + 1", ["135,65"]),
        ("tablebase count nothing", row.figures),
    ):
        asked = row._replace(command=command)
        assert wrong([asked], {command: output(command, ask, names)}) == {"Hexapawn: so many": errors}


def test_figures_occur_as_a_whole() -> None:
    shown = "fuzz,side,chance\n0.006935,f,0.49979,e8f7\n-5,1\n"
    for figure in ("0.006935,f,0.500", "0.006935,f,0.4998", "f,0.49979", "-5,1", "e8f7", "fuzz,"):
        assert occurs(figure, shown), figure
    for figure in ("0.006935,f,0.499", "6935,f,0.500", "5,1", "e8f", "8f7", "0.00693,f,0.500", "f,0", "f,0.51"):
        assert not occurs(figure, shown), figure


def test_there_are_enough_rows() -> None:
    assert len(ROWS) >= 150
    assert len({row.command for row in marked("always")}) >= 40
    assert len(set(map(str, ROWS))) == len(ROWS)
    for row in ROWS:
        assert row.verdict.split()[0].strip(",:;") in VERDICTS, row
        assert row.run in ("always", "release", "test", "once", "no"), row
        if row.run in ("always", "release"):
            assert row.command.startswith(("tablebase ", ">>> ", "python -m scripts.")), row
            assert row.figures, row


def test_named_tests_exist() -> None:
    for row in marked("test"):
        path, _, name = row.command.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not name or f"\ndef {name}(" in text, row
