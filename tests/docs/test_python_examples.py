"""The examples in Python of the pages, run as a reader would, and the stand-alone readers of docs/examples."""

import doctest
import json
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.checks import at_least_one, before_release
from support.program import random_position

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Game, load_game
from tablebase.game.notation import render
from tablebase.game.types import SHAPES, TEXTURES
from tablebase.positions.material import parse_material
from tablebase.testing import CHECKS, FUNCTION_CHECKS, STATE_CHECKS, check_rules

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOK = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))


@pytest.fixture
def beside_tables(three_pieces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the tables of two and three pieces in `data`."""
    (tmp_path / "data").symlink_to(three_pieces)
    monkeypatch.chdir(tmp_path)
    return tmp_path


WITH_PYTHON = [
    page for page in [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))] if "\n```pycon\n" in page.read_text("utf-8")
]
"""Pages with examples in Python."""
LONG = ("guide", "mining")
"""Those of them that take longer."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.full] * (page.stem in LONG), id=page.stem) for page in at_least_one(WITH_PYTHON)]
)
def test_examples_print_what_the_page_shows(page: Path, beside_tables: Path) -> None:
    """Each block where it stands, with what the blocks before it have defined."""
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, page.stem, str(beside_tables), 0)
    said: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(test, out=said.append).failed == 0, "".join(said)


def test_the_notebook_holds_no_results() -> None:
    """They would be out of date one day, and every run would change the file."""
    code = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


# The games of the pages about rules: their files, as they stand there

RULES = {
    "your-own-game": "take",
    "pieces-on-squares": "breakthrough",
    "functions": "nim",
    "rules-with-chance": "piglet",
    "compiled-functions": "mu_torere",
}


def rules_of(page: str, folder: Path) -> Any:
    """Write the file of a page's game, and load it."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    [rules] = re.findall(rf"`{RULES[page]}.py`:\n\n```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (folder / f"{RULES[page]}.py").write_text(rules, encoding="utf-8")
    return tablebase.load(str(folder / f"{RULES[page]}.py"))


@pytest.mark.parametrize("page", RULES)
def test_the_rules_of_a_page_pass_their_checks(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEBASE_RULES", "")
    rules = rules_of(page, tmp_path)
    assert [result for result in check_rules(rules, samples=200) if result.failure] == []
    if page == "functions":
        # The player to move loses exactly if the exclusive or of all heaps is 0.
        for heaps in product(range(4), repeat=3):
            after = rules.moves((*heaps, 0)).values()
            assert any(one[0] ^ one[1] ^ one[2] == 0 for one in after) == bool(heaps[0] ^ heaps[1] ^ heaps[2])


def test_every_check_has_its_line() -> None:
    page = (DOCS / "check-your-rules.md").read_text(encoding="utf-8")
    listed = {name for cell in re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)}
    assert listed == {check.name for check in (*CHECKS, *FUNCTION_CHECKS, *STATE_CHECKS)}


def test_every_look_has_its_name() -> None:
    page = (DOCS / "pieces-on-squares.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:shapes|textures) \| (.*) \|$", page, re.MULTILINE)
    assert {name for row in rows for name in re.findall("`([a-z]+)`", row)} == {*TEXTURES, *SHAPES}


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
COUNT = 60

with_node = pytest.mark.skipif(
    shutil.which("node") is None or not (EXAMPLES / "node_modules").is_dir(),
    reason="needs Node.js and 'npm install --prefix docs/examples'",
)


def answer_of(tables: Tablebase, game: Game, text: str) -> tuple[str, int | None]:
    """Outcome and distance of a position."""
    value = tables.probe_value(game, text)
    return str(value.outcome), value.distance


@with_node
@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "fixture"), [("doushouqi", "three_pieces"), *before_release(("hexapawn", "hexapawns"), ("foxhounds-4x4", "foxes"))]
)
def test_the_reader_in_javascript(name: str, fixture: str, request: pytest.FixtureRequest) -> None:
    """By the catalog alone it finds the table of any slice, aliases included, and the value of any position."""
    folder, game, random = request.getfixturevalue(fixture), load_game(name), Random(0)
    with tablebase.open(folder) as tables:
        catalog = Catalog(folder)
        names = [str(material) for (material,) in catalog.sql("SELECT DISTINCT material FROM slices ORDER BY material")[1]]
        catalog.close()
        chosen = [parse_material(game, random.choice(names)) for _ in range(COUNT)]
        # Random placements of a tier need not have its advance, so their own material is taken.
        texts = [render(game, random_position(game, material, random.randrange(2), random)) for material in chosen]
        texts = [text for text in texts if tables.get_value(game, text) is not None]
        assert len(texts) > COUNT / 2
        command = ["node", "read_table.mjs", str(folder), name, *texts]
        said = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=True).stdout
        answers = [json.loads(line) for line in said.splitlines()]
        expected = [answer_of(tables, game, text) for text in texts]
    assert [(answer["outcome"], answer["distance"]) for answer in answers] == expected
    assert len(set(expected)) > 2


@pytest.mark.parametrize("material", ["RCvW", *before_release("RvC", "CTvL")])
def test_the_reader_in_python(material: str, three_pieces: Path) -> None:
    """It reads a table under the table's own name."""
    game, random = load_game("doushouqi"), Random(material)
    path = three_pieces / "doushouqi" / str(len(material) - 1) / f"{material}.h5"
    with tablebase.open(three_pieces) as tables:
        for side in (0, 1):
            text = render(game, random_position(game, parse_material(game, material), side, random))
            command = [sys.executable, "read_table.py", str(path), text]
            said = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=True).stdout
            outcome, distance = answer_of(tables, game, text)
            expected = outcome if distance is None else f"{outcome} in {distance}"
            assert said.strip().endswith(f": {expected}")


@pytest.mark.full
def test_the_reader_of_a_tier(tmp_path: Path) -> None:
    """The lines in the page about files print the value that the page shows, and that of the start as a probe does."""
    section = (EXAMPLES.parent / "file-format.md").read_text(encoding="utf-8").partition("\n## Tiers of games")[2]
    [script] = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    [(path, text, value)] = re.findall(r'^\$ python read_tier.py (\S+) "(.*)"\n(.*)\n', section, re.MULTILINE)
    (tmp_path / "read_tier.py").write_text(script, encoding="utf-8")
    tablebase.build("mens_morris-men=3", data=tmp_path / "data")
    start = "......../........ w 6"
    with tablebase.open(tmp_path / "data") as tables:
        expected = [value, str(tables.probe("mens_morris-men=3", start).value.said)]
    for file, position, said in zip((path, "data/mens_morris-men=3/tiers/left6-0-0.h5"), (text, start), expected, strict=True):
        command = [sys.executable, "read_tier.py", file, position]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == (f"{said}\n", "")
