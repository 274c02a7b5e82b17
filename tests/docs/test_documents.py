"""The page about the documents' claims: its commands are run, and its figures must occur in what they print."""

import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
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
PAGE = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
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


def rows() -> list[Row]:
    """The rows of all tables with five columns."""
    found = []
    for section in PAGE.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        table = section.partition("| claim | command | figure | run | verdict |\n|---|---|---|---|---|\n")[2]
        for line in table.partition("\n\n")[0].splitlines():
            claim, command, figure, when, verdict = line.removeprefix("| ").removesuffix(" |").split(" | ")
            present, absent = (re.findall("`([^`]+)`", part) for part in figure.partition(", and not ")[::2])
            found.append(Row(title, claim, command.strip("` "), present, absent, when, verdict))
    return found


ROWS = rows()


def marked(when: str) -> list[Row]:
    """The rows that are run at this time."""
    return [row for row in ROWS if row.run == when]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to run commands in, with the tables that the page builds first."""
    folder = tmp_path_factory.mktemp("documents")
    make(folder, 0)
    return folder


@pytest.fixture(scope="module")
def full_folder(folder: Path) -> Path:
    """The same with the tables of the costly rows."""
    make(folder, 1)
    return folder


def make(folder: Path, block: int) -> None:
    """Run the builds of one of the page's two blocks."""
    for line in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[block].splitlines():
        assert run([*shlex.split(line)[1:], "--data", str(folder / "data")]) == 0


@pytest.fixture
def names() -> dict[str, object]:
    """What Python expressions of the page know."""
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
    for command, faults in (
        (row.command, ["136", "not 134"]),
        (">>> 135 + 1", ["135,65"]),
        ("tablebase count nothing", row.figures),
    ):
        asked = row._replace(command=command)
        assert wrong([asked], {command: output(command, ask, names)}) == {"Hexapawn: so many": faults}


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


def test_rows_are_counted() -> None:
    """The table at the end has the number of rows of each document, by verdict."""
    last = PAGE.partition("\n## Where we differ\n")[2]
    for document in dict.fromkeys(row.document for row in ROWS):
        verdicts = Counter(row.verdict.split()[0].strip(",:;") for row in ROWS if row.document == document)
        assert f"| {document} | {verdicts.total()} | {' | '.join(str(verdicts[one]) for one in VERDICTS)} |" in last
