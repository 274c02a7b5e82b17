"""The examples in Python of the pages, run as a reader would, and the stand-alone readers of docs/examples."""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random

import pytest
from support.checks import before_release
from support.program import random_position
from twins.graphs import Place, explored, values

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Game, load_game
from tablebase.game.notation import render
from tablebase.game.types import SHAPES, TEXTURES
from tablebase.slices.material import parse_material
from tablebase.testing import CHECKS, FUNCTION_CHECKS, STATE_CHECKS, check_rules

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOK = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))


@pytest.fixture
def beside_tables(three_pieces: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the tables of two and three pieces in `data`."""
    (tmp_path / "data").symlink_to(three_pieces)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("../README", 1),
        ("first-tables", 1),
        pytest.param("guide", 4, marks=pytest.mark.full),
        pytest.param("mining", 4, marks=pytest.mark.full),
        ("charts", 1),
        ("harehedgehog", 2),
        ("pictures", 3),
    ],
)
def test_examples_print_what_the_page_shows(page: str, least: int, beside_tables: Path) -> None:
    """Each block where it stands, with what the blocks before it have defined."""
    blocks = re.findall(r"^```pycon\n(.*?)^```$", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= least
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, page, str(beside_tables), 0)
    said: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(test, out=said.append).failed == 0, "".join(said)


def test_the_notebook_holds_no_results() -> None:
    """They would be out of date one day, and every run would change the file."""
    code = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


# The games by functions of the page about new games: their files, run as they stand there

PAGE = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")
WITHOUT, WITH = (PAGE.partition(f"\n## A game {title}\n")[2].partition("\n## ")[0] for title in ("by functions", "with chance"))


def run_example(section: str, name: str, tmp_path: Path) -> list[str]:
    """Run the file of a section's game and its check, which print what the page shows; return that in lines."""
    rules, check = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    [shown] = re.findall(rf"^```console\n\$ python check_{name}.py\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    (tmp_path / f"{name}.py").write_text(rules, encoding="utf-8")
    (tmp_path / f"check_{name}.py").write_text(check, encoding="utf-8")
    done = subprocess.run([sys.executable, f"check_{name}.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (shown, "")
    return str(shown).splitlines()


@pytest.mark.full
@pytest.mark.parametrize(
    ("title", "name", "known"),
    [
        # 20 counters, a multiple of 4, are lost.
        ("From an empty file to a table", "take", "\n1      win             11   20 1\n"),
        # As Marcia Ascher counts.
        ("A game by compiled functions", "mu_torere", "1 of 1 tables, 46 positions\n"),
    ],
)
def test_commands_about_a_file_print_what_is_shown(title: str, name: str, known: str, tmp_path: Path) -> None:
    """The section's file is used as it stands."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    [rules] = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    [shown] = re.findall(r"^```console\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert known in shown
    (tmp_path / f"{name}.py").write_text(rules, encoding="utf-8")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for part in shown.split("$ ")[1:]:
        command, _, printed = part.partition("\n")
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        # Whether kernels have to be compiled depends on what ran before.
        said = [line for line in done.stderr.splitlines() if ": compiling, " not in line]
        assert "\n".join([*said, done.stdout]).strip() == printed.strip()


@pytest.mark.parametrize(
    ("section", "name", "last", "number"),
    # The last line has counts by hand: a turn of Piglet has 7 paths; of 119 triples of heaps, 17 have the exclusive or 0.
    [(WITHOUT, "nim", "won: {} of 238", 238 - 2 * 17), (WITH, "piglet", "{} 42 216", 7)],
)
def test_the_example_prints_what_the_page_shows(section: str, name: str, last: str, number: int, tmp_path: Path) -> None:
    *checks, counted = run_example(section, name, tmp_path)
    assert all(re.fullmatch("[a-z]+: [0-9]+", line) for line in checks)
    assert counted == last.format(number)


def test_every_check_has_its_line() -> None:
    own = PAGE.partition("\n## Check the rules\n")[2].partition("\n## ")[0]
    every, pieces = own.split("For pieces on squares, these come next")
    own_checks = [section.partition("come these:")[2] for section in (WITHOUT, WITH)]
    listed = [re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) for part in (every, pieces, *own_checks)]
    assert [*listed[0], *listed[1]] == [check.name for check in CHECKS]
    assert [*listed[0], *listed[2]] == [check.name for check in FUNCTION_CHECKS]
    assert [*listed[0], *listed[3]] == [check.name for check in STATE_CHECKS]


def test_a_game_written_from_the_page() -> None:
    """It needs no more than the page names, passes its checks, and is won by the first player, as is known."""
    path = Path(__file__).with_name("dodgem.py")
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 80
    assert set(re.findall(r"^from (tablebase\S*)", text, re.MULTILINE)) == {"tablebase.errors", "tablebase.game.functions"}
    specification = spec_from_file_location("dodgem", path)
    assert specification is not None
    assert specification.loader is not None
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    sys.modules["dodgem"] = module
    rules = module.game()
    assert [result for result in check_rules(rules, samples=500) if result.failure] == []
    start = rules.format(rules.start)

    def look(text: str) -> Place:
        position = rules.parse(text)
        ending = rules.result(position)
        if ending is not None:
            return Place(None, {}, ending.winner)
        return Place(rules.to_move(position), {move: rules.format(after) for move, after in rules.moves(position).items()})

    graph = explored(start, look)
    assert (len(graph), values(graph)[start]) == (1963, (0, 19))


def test_every_look_has_its_name() -> None:
    section = PAGE.partition("\n## The look of the board\n")[2].partition("\n## ")[0]
    lines = [line.split(" | ")[1] for line in section.splitlines() if re.match(r"\| `(Kind|Terrain)", line)]
    assert {name for line in lines for name in re.findall("`([a-z]+)`", line)} == {*TEXTURES, *SHAPES}


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
