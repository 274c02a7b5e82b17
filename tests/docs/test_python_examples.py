"""The examples in Python of the pages, run one after another as a reader would, over the tables that the pages use."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tablebase.game.types import SHAPES, TEXTURES
from tablebase.testing import CHECKS, STATE_CHECKS

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOK = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))


@pytest.fixture
def beside_tables(three_pieces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the tables of two and three pieces in `data`."""
    (tmp_path / "data").symlink_to(three_pieces)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("page", "least"), [("guide", 4), pytest.param("mining", 4, marks=pytest.mark.full), ("harehedgehog", 2), ("pictures", 3)]
)
def test_examples_print_what_the_page_shows(page: str, least: int, beside_tables: Path) -> None:
    """Each block where it stands, with what the blocks before it have defined."""
    blocks = re.findall(r"^```pycon\n(.*?)^```$", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= least
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, page, str(beside_tables), 0)
    said: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(test, out=said.append).failed == 0, "".join(said)


@pytest.mark.full
@pytest.mark.usefixtures("beside_tables")
def test_the_notebook_runs() -> None:
    """All cells in order; `.ci/run` executes it with Jupyter, too, whose kernel shows what is at the end of a cell."""
    cells = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile(cell, "cell", "exec"), names)
    assert len(names["sample"]) == 11_147  # type: ignore[arg-type]


def test_the_notebook_holds_no_results() -> None:
    """They would be out of date one day, and every run would change the file."""
    code = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


# The game with chance of the page about new games: its files, run as they stand there

PAGE = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## A game with chance\n")[2].partition("\n## ")[0]


def test_the_example_prints_what_the_page_shows(tmp_path: Path) -> None:
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
    own = PAGE.partition("\n## Check the rules\n")[2].partition("\n## ")[0]
    every, pieces = own.split("Then come those of pieces on squares")
    listed = [re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) for part in (every, pieces, SECTION.partition("come these:")[2])]
    assert [*listed[0], *listed[1]] == [check.name for check in CHECKS]
    assert [*listed[0], *listed[2]] == [check.name for check in STATE_CHECKS]


def test_every_look_has_its_name() -> None:
    section = PAGE.partition("\n## The look of the board\n")[2].partition("\n## ")[0]
    lines = [line.split(" | ")[1] for line in section.splitlines() if re.match(r"\| `(Kind|Terrain)", line)]
    assert {name for line in lines for name in re.findall("`([a-z]+)`", line)} == {*TEXTURES, *SHAPES}
