"""Commands under ``PYTHONOPTIMIZE=2``, where Python removes docstrings and asserts."""

import json
from pathlib import Path

import pytest
from support.program import Answer, ask_fresh

from tablebase.commands.program import commands
from tablebase.game.installed import game_names

SEVERAL = (
    "import json, sys; from tablebase.commands.program import run; sys.exit(max(run(words) for words in json.loads(sys.argv[1])))"
)


def optimized(*commands: list[str], code: str = SEVERAL, level: str = "2") -> Answer:
    """Run commands, one after the other, in a new process without docstrings."""
    return ask_fresh(json.dumps(commands), program=code, environment={"PYTHONOPTIMIZE": level})


@pytest.mark.release
def test_tables_are_built_and_all_games_can_be_loaded(tmp_path: Path) -> None:
    """A game with features is built, verified, probed, and mined by one of them; each game is checked or described."""
    common = ["doushouqi", "--data", str(tmp_path)]
    answer = optimized(
        ["build", *common, "--material", "RvR"],
        ["verify", *common],
        ["probe", *common, "r6/7/7/7/7/7/7/7/6R w"],
        ["games"],
        ["features", "doushouqi"],
        ["check-rules", "hexapawn"],
        ["mine", *common, "SELECT count(*) AS number FROM positions WHERE distance_1_2 = 1", "--format", "csv"],
    )
    assert answer.code == 0, answer.err
    assert "Traceback" not in answer.err
    assert [name for name in game_names() if name not in answer.out] == []
    assert int(answer.out.split()[-1]) > 0


def test_help_stays() -> None:
    """The list of commands and the help of each command are the same with and without docstrings."""
    helps = [[name, "--help"] for name in commands()]
    assert len(helps) > 20
    without, with_docstrings = (optimized(["--help"], *helps, level=level) for level in ("2", ""))
    assert without.code == 0
    assert without.out == with_docstrings.out


@pytest.mark.full
def test_the_description_of_the_server_stays(tmp_path: Path) -> None:
    """The summary of each address of the API."""
    code = f"""
import json
from pathlib import Path
from tablebase.web.app import create_app
from tablebase.web.settings import Settings
paths = create_app(Settings(Path({str(tmp_path)!r}))).openapi()["paths"]
print(json.dumps([one["summary"] for path in paths.values() for one in path.values()]))
"""
    without, with_docstrings = (optimized(code=code, level=level) for level in ("2", ""))
    assert without.code == 0, without.err
    assert without.json == with_docstrings.json
    assert len(without.json) > 10
    assert all(without.json)
