"""The examples in Python of the pages, run one after another as a reader would, over the tables that the pages use."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

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
