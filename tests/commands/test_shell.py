"""Commands that are made from functions: a new one is a file and a line of the registry."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.checks import at_least_one
from support.program import Ask, assert_one_sentence, every_command
from support.web import client_of

from tablebase.commands.registry import VERBS, Verb
from tablebase.commands.shell import command_of

COMMANDS = list(every_command())
"""Commands of the program, without the one for these tests."""
SOURCE = '''
from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from tablebase.commands.parameters import GameName, PYTHON_ONLY, Shell, Size, Variant


def echo(
    game: GameName,
    *,
    word: str = "hello",
    times: Annotated[int, Shell(metavar="N", least=1, most=8)] = 1,
    case: Literal["upper", "lower"] = "lower",
    loud: bool = False,
    also: list[str] | None = None,
    files: Annotated[Path | None, Shell(option="--file")] = None,
    size: Size = None,
    variant: Variant = None,
    tick: Annotated[object, PYTHON_ONLY] = None,
) -> list[dict[str, object]]:
    """Repeat a word. It is a test.

    Parameters
    ----------
    word : str
        The word
        to say.
    times, case : int
        How often, and how.
    loud : bool
        With a mark.
    """
    said = (word.upper() if case == "upper" else word) * times + "!" * loud
    return [{"game": game if isinstance(game, str) else game.name, "said": said, "also": also, "file": files and files.name}]
'''


@pytest.fixture(autouse=True)
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("tablebase.commands.echo")
    exec(SOURCE, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(VERBS, "echo", Verb("echo", "Ask", "echo", needs="counting", http=("game", "word", "times", "case")))


def test_it_is_a_command(ask: Ask) -> None:
    plain = {"game": "hexapawn", "said": "hello", "also": None, "file": None}
    assert ask("echo", "hexapawn", "--format", "json").json == [plain]
    words = ["--word", "ha", "--times", 2, "--case", "upper", "--loud", "--also", "a", "--also", "b", "--file", "x/y"]
    found = ask("echo", "hexapawn", *words, "--size", "4x4", "--format", "json").json
    assert found == [{"game": "hexapawn-4x4", "said": "HAHA!", "also": ["a", "b"], "file": "y"}]


def test_its_help(ask: Ask) -> None:
    assert "  echo         Repeat a word.\n" in ask("--help").out
    text = " ".join(ask("echo", "--help").out.split())
    assert text.startswith("Usage: tablebase echo [OPTIONS] GAME Repeat a word. It is a test. Arguments: GAME Name of")
    assert "--word TEXT The word to say. [default: hello]" in text
    assert "--times N How often, and how. [default: 1; 1<=x<=8] --case upper|lower How often, and how. [default: lower]" in text
    assert "--size 8x8 Board size" in text
    assert "tick" not in text


def test_many_options_stand_in_groups(ask: Ask) -> None:
    groups = re.split(r"\n(?=\S.*:\n)", ask("build", "--help").out)
    titles = [group.partition(":\n")[0].strip() for group in groups]
    assert titles[1:] == ["Arguments", "Options", "Game and tables", "Resources", "Output"]
    options = [name for group in groups for name in re.findall(r"^  (?:-h, )?(--[a-z-]+)", group, re.MULTILINE)]
    assert len(options) == len(set(options)) > 12
    for name in at_least_one(every_command()):
        assert not re.search(r"[<{]\w+[]>}|\[]", ask(name, "--help").out)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_what_happens_without_options_and_an_example(name: str, ask: Ask) -> None:
    """Each option has a text, examples have valid options and arguments, and no line is longer than 80 columns."""
    command, said = command_of(name), ask(name, "--help").out
    assert (command.help or "").strip().endswith(".")
    assert [one.name for one in command.params if not getattr(one, "help", None) and one.name != "help"] == []
    assert re.search(r"\n\n  (?:By default, |Without options, |With only --)", said.partition("\nOptions:\n")[0])
    assert max(map(len, said.splitlines())) <= 80
    lines = re.split(r"\n  Examples?:\n", said)[1].replace("\\\n", "").splitlines()
    calls = [shlex.split(line)[1:] for line in lines if "  tablebase " in line]
    assert calls[-1][0] == name
    for other, *words in calls:
        assert command_of(other).make_context(other, words).args == []


@pytest.mark.release
def test_examples_of_the_help_run(ask: Ask, tmp_path: Path) -> None:
    examples = {name: re.split(r"\n  Examples?:\n", ask(name, "--help").out)[1] for name in COMMANDS if name != "serve"}
    script = f'tablebase() {{ {sys.executable} -m tablebase "$@"; }}\n{examples.pop("build")}{"".join(examples.values())}'
    done = subprocess.run(
        ["bash", "-ec", script], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]


def test_commands_have_the_options_that_they_use(ask: Ask) -> None:
    assert "--catalog" in ask("stats", "--help").out
    assert "--data" in ask("probe", "--help").out
    assert "--catalog" not in ask("probe", "--help").out


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["echo"], "Missing argument 'GAME'."),
        (["echo", "pig"], "cannot use 'echo' with pig, which does not support counting"),
        (["echo", "hexapawn", "--times", "0"], "Invalid value for '--times': Input should be greater than or equal to 1"),
        (["echo", "hexapawn", "--times", "9"], "Invalid value for '--times': Input should be less than or equal to 8"),
        (["echo", "hexapawn", "--times", "x"], "Invalid value for '--times': Input should be a valid integer"),
        (["echo", "hexapawn", "--case", "Upper"], "Invalid value for '--case': 'Upper' is not one of 'upper', 'lower'."),
        (["echo", "hexapawn", "--tims", "2"], "No such option: --tims (Possible options: --times)"),
        (["echo", "hexapawn", "more"], "Got unexpected extra argument(s) (more)"),
        (["ech"], "No such command 'ech'. Did you mean 'echo'?"),
    ],
)
def test_refusals(words: list[str], error: str, ask: Ask) -> None:
    assert_one_sentence(ask(*words), error)


def test_it_answers_over_http(hexapawns: Path) -> None:
    with client_of(hexapawns) as client:
        described = client.get("/api/v1/openapi.json").json()["paths"]["/api/v1/echo"]["get"]
        refused = client.get("/api/v1/echo", params={"game": "pig"})
    assert described["summary"] == "Repeat a word. It is a test."
    found = {one["name"]: (one["required"], one["schema"].get("default")) for one in described["parameters"]}
    assert found == {"game": (True, None), "word": (False, "hello"), "times": (False, 1), "case": (False, "lower")}
    assert (refused.status_code, "which does not support counting" in refused.json()["detail"]) == (400, True)


@pytest.mark.parametrize(
    ("shell", "file", "start"),
    [("bash", ".bash_completions/tablebase.sh", ".bashrc"), ("fish", ".config/fish/completions/tablebase.fish", None)],
)
def test_completion_is_shown_and_installed(shell: str, file: str, start: str | None, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}
    call = [sys.executable, "-m", "tablebase"]
    shown = subprocess.run([*call, "--show-completion"], env=environment, capture_output=True, text=True, check=True).stdout
    assert "_TABLEBASE_COMPLETE" in shown
    for _ in range(2):
        subprocess.run([*call, "--install-completion"], env=environment, capture_output=True, text=True, check=True)
    assert (tmp_path / file).read_text() == shown[:-1]
    assert start is None or (tmp_path / start).read_text() == f"source '{tmp_path / file}'\n"


def test_an_unknown_shell_has_no_completion(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/csh")
    assert_one_sentence(ask("--show-completion"), "csh", "set SHELL")
