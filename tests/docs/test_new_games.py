"""The game with chance of the page about new games: its files, run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tablebase.game.types import SHAPES, TEXTURES
from tablebase.testing import STATE_CHECKS

PAGE = (Path(__file__).parents[2] / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## A game with chance\n")[2].partition("\n## ")[0]


def test_the_example_prints_what_the_page_shows(tmp_path: Path) -> None:
    """The rules pass all checks."""
    rules, check = re.findall(r"^```python\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
    [shown] = re.findall(r"^```console\n\$ python check_piglet.py\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
    (tmp_path / "piglet.py").write_text(rules, encoding="utf-8")
    (tmp_path / "check_piglet.py").write_text(check, encoding="utf-8")
    done = subprocess.run([sys.executable, "check_piglet.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (shown, "")
    # Each line is a check with its number of cases, but for the last one, with counts by hand: a turn has 7 paths.
    *checks, paths = shown.splitlines()
    assert all(re.fullmatch("[a-z]+: [0-9]+", line) for line in checks)
    assert paths.split()[0] == "7"


def test_every_check_has_its_line() -> None:
    """The page lists all that run."""
    listed = {line.split("`")[1] for line in SECTION.splitlines() if re.match(r"\| `\w+` \|", line)}
    assert listed >= {check.name for check in STATE_CHECKS}


def test_every_look_has_its_name() -> None:
    """The page lists the shapes and textures that there are."""
    section = PAGE.partition("\n## The look of the board\n")[2].partition("\n## ")[0]
    lines = [line.split(" | ")[1] for line in section.splitlines() if re.match(r"\| `(Kind|Terrain)", line)]
    assert {name for line in lines for name in re.findall("`([a-z]+)`", line)} == {*TEXTURES, *SHAPES}
