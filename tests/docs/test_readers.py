"""The stand-alone readers of docs/examples, which share no code with the package, against its probes."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from support.program import random_position

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.commands.tablebase import Tablebase
from tablebase.game import Game, load_game
from tablebase.game.notation import render
from tablebase.slices.material import parse_material

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
@pytest.mark.parametrize(
    ("name", "fixture"), [("doushouqi", "three_pieces"), ("hexapawn", "hexapawns"), ("foxhounds-4x4", "foxes")]
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


@pytest.mark.parametrize("material", ["RvC", "RCvW", "CTvL"])
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
