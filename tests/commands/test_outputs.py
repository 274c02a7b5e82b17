"""Every option of every command that names an output: what is refused before any work, also for root."""

from pathlib import Path
from typing import Any

import pytest
from support.program import Ask, assert_one_sentence, contents, every_command

from tablebase.commands.parameters import Output
from tablebase.commands.registry import VERBS
from tablebase.commands.shell import verb_parameters

OUTPUTS = {
    (verb.name, one.name): one.shell.output
    for verb in VERBS.values()
    if verb.group
    for one in verb_parameters(verb)
    if one.shell.output is not None
}
"""By command and by the name of its parameter."""
INPUTS = {
    ("batch", "file"),
    ("boxes", "boxes"),
    ("line", "replay"),
    ("merge", "place"),
    ("prove", "check"),
    ("unpack", "place"),
    ("serve", "unix_socket"),
    ("verify", "published"),
}
"""Parameters that name files and folders that are read, or a socket."""
COMMON = {"data", "features", "rules"}
"""Parameters of several commands; the folder of the tables is their own to write."""
NEEDED = {
    ("match", "output"): ["--player", "tables", "--player", "tables", "--games", "2"],
    ("match-stats", "curve"): ["games.txt"],
    ("play", "boxes"): ["--player", "matchboxes"],
    ("plot", "csv"): ["--output", "other.svg", "distances"],
    ("plot", "output"): ["distances"],
    ("probe", "sheet"): ["ppp/3/PPP w"],
    ("probe", "svg"): ["ppp/3/PPP w"],
    ("train", "curve"): ["--games", "1", "--output", "hexapawn.learner"],
    ("train", "output"): ["--games", "1"],
    ("unpack", "to"): ["{data}"],
}
"""What commands need beside a game, a folder and their output."""

NAMED = {
    ("build", "log"),
    ("build", "json_log"),
    ("line", "sheet"),
    ("play", "boxes"),
    ("probe", "sheet"),
    ("match-stats", "curve"),
    ("plot", "csv"),
    ("train", "curve"),
}
"""Outputs whose options have a name of their own."""


def option_of(output: tuple[str, str]) -> str:
    """The option for an output."""
    [option] = next(one.opts for one in every_command()[output[0]].params if one.name == output[1])
    return str(option)


def command_of(output: tuple[str, str], target: Path, data: Path) -> list[str]:
    """A command that would write to a place."""
    name = output[0]
    words = [word.format(data=data) for word in NEEDED.get(output, [])]
    game = ["hexapawn"] * VERBS[name].takes_game
    folder = [] if name in ("boxes", "unpack", "match-stats") else ["--data", str(data)]
    return [name, *(words + game if name == "plot" else game + words), option_of(output), str(target), *folder]


def test_all_outputs_are_known() -> None:
    """Whatever parameter names a file or a folder is an input or an output."""
    commands: dict[str, Any] = every_command()
    named = {
        (name, one.name)
        for name, command in commands.items()
        for one in command.params
        if one.metavar in ("FILE", "DIR") and one.name not in COMMON
    }
    assert named == INPUTS | OUTPUTS.keys()


def test_outputs_are_named_alike() -> None:
    """`--output` for a file and `--to` for a folder; logs, boxes, sheets and curves beside what a command writes have names."""
    for (name, parameter), kind in OUTPUTS.items():
        if (name, parameter) not in NAMED:
            assert option_of((name, parameter)) == ("--to" if kind in (Output.FOLDER, Output.NEW_FOLDER) else "--output")


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_folder_of_a_tablebase_is_left_alone(output: tuple[str, str], hexapawns: Path, tmp_path: Path, ask: Ask) -> None:
    """Neither a table nor the catalog nor a new file in it is written, by whatever name the folder is called."""
    (tmp_path / "link").symlink_to(hexapawns)
    before = contents(hexapawns)
    for name in ("hexapawn/2/new.svg", "new.svg", "catalog.sqlite", next(iter(sorted(before)))):
        for folder in (hexapawns, tmp_path / "link"):
            assert_one_sentence(ask(*command_of(output, folder / name, hexapawns)), name)
    assert contents(hexapawns) == before
