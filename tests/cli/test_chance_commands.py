"""Games with chance on the command line: what they are listed with, which commands take them, and what the others say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import typer
from support.checks import at_least_one
from support.program import Answer

from tablebase.cli import app
from tablebase.cli.options import FOR_ALL_GAMES
from tablebase.game.registry import load_rules
from tablebase.stochastic.paths import count_paths
from tablebase_rules import pig

Ask = Callable[..., Answer]
REST: dict[str, list[str]] = {
    "build": ["--pieces", "2"],
    "estimate": ["--pieces", "2"],
    "probe": ["0,0 1 0"],
    "mine": ["SELECT 1"],
    "export": ["--parquet", "new"],
    "plot": ["--output", "new.svg"],
}
"""What commands need beside a game."""
REFUSED = "error: pig is a game of chance or of several players, and has no pieces on squares: not possible here\n"
PIGLET = ["--variant", "die=2", "--variant", "target=2"]


def commands_of_games() -> dict[str, Any]:
    """The commands that take a game."""
    found: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return {name: one for name, one in found.items() if any(parameter.metavar == "GAME" for parameter in one.params)}


def words(name: str) -> list[str]:
    """A command about Pig."""
    chart = ["distances"] if name == "plot" else []
    return [name, *chart, "pig", *REST.get(name, [])]


def test_all_other_commands_refuse(ask: Ask, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence, whatever else they are asked."""
    monkeypatch.chdir(tmp_path)
    others = [name for name in commands_of_games() if name not in FOR_ALL_GAMES]
    for name in at_least_one(others):
        assert ask(*words(name)) == Answer(2, "", REFUSED), name
    assert len(others) > 10
    assert not list(tmp_path.iterdir())


def test_commands_that_take_all_games(ask: Ask) -> None:
    """Those that are listed, and no others."""
    assert set(FOR_ALL_GAMES) <= commands_of_games().keys()
    for name in at_least_one(FOR_ALL_GAMES):
        depth = ["--depth", "1"] if name == "perft" else []
        assert ask(name, "pig", *PIGLET, *depth).code == 0


def test_games_say_what_can_be_asked(ask: Ask) -> None:
    """No squares and no pieces, the start as text, and the commands; the other games can be asked everything."""
    listed = {row["game"]: row for row in ask("games", "--format", "json").json}
    assert listed["pig"] == {
        "game": "pig",
        "title": "Pig",
        "variants": "die=6 target=100 players=2",
        "squares": None,
        "pieces": "",
        "start": "0,0 1 0",
        "commands": "check-rules perft",
    }
    assert listed["hexapawn"]["commands"] == "all"


def test_check_rules_takes_a_variant(ask: Ask) -> None:
    """Kernels are checked where there are any."""
    two, three = (ask("check-rules", "pig", *PIGLET, "--variant", f"players={n}", "--format", "json") for n in (2, 3))
    for answer in (two, three):
        assert answer.code == 0
        assert {row["result"] for row in answer.json} == {"ok"}
    assert {row["check"] for row in two.json} - {row["check"] for row in three.json} == {"kernels", "index", "layers"}


def test_perft_counts_turns(ask: Ask) -> None:
    """In the format of the other games."""
    found = ask("perft", "pig", *PIGLET, "--depth", 3, "--format", "json").json
    assert [list(row) for row in found] == [["depth", "leaves", "seconds"]] * 3
    # By hand, in tests/stochastic/test_paths.py.
    assert [row["leaves"] for row in found] == [5, 20, 72]
    divided = ask("perft", "pig", *PIGLET, "--depth", 1, "--divide", "--format", "json").json
    assert divided == [{"move": "0", "leaves": 1}, {"move": "1", "leaves": 4}]


def test_perft_from_a_state_with_more_players(ask: Ask) -> None:
    """--players is short for a variant."""
    game = load_rules("pig-die=2-target=2-players=3")
    assert isinstance(game, pig.Pig)
    text = "1,0,1 3 0"
    expected = [count_paths(game, game.parse(text), depth) for depth in (1, 2)]
    for option in (["--players", 3], ["--variant", "players=3"]):
        found = ask("perft", "pig", text, *PIGLET, *option, "--depth", 2, "--workers", 2, "--format", "json").json
        assert [row["leaves"] for row in found] == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pig", "--players", "7"], "players of pig must be a number from 2 to 6, not 7"),
        (["pig", "--players", "-1"], "must be a whole number"),
        (["pig", "--players", "2", "--variant", "players=2"], "sets players twice"),
        (["hexapawn", "--players", "2"], "hexapawn has no variant 'players=2'"),
        (["pig", "1,2"], "'1,2' is not a state of pig"),
        (["pig", ""], "'' is not a state of pig"),
        (["pig", "0,0 1 0", "--from", "0,0 1 0"], "two positions to start from"),
        (["pig", "--repetitions", "leaf"], "leave out --repetitions"),
    ],
)
def test_what_perft_refuses(arguments: list[str], said: str, ask: Ask) -> None:
    """One sentence, with code 2."""
    answer = ask("perft", *arguments, "--depth", 1)
    assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
    assert said in answer.err
