"""Tables that must never change: SHA-256 of the values of small tables of every game.

`golden.json` was written once every position of these tables had been checked one ply deep and two engines agreed on
every byte. The digests are those of the values; files may differ with the version of the compressor. If rules, index
or coding change on purpose, write it anew from the root of the project, and say why in the change:

    PYTHONPATH=tests/solvers python -c "import test_golden; test_golden.regenerate()"
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.builds import build

from tablebase.building.plan import plan, start_material, with_dependencies
from tablebase.game import load_game
from tablebase.positions.material import Material, material_name, parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table

GOLDEN = Path(__file__).with_name("golden.json")
WITH_THREE = ("RCvW", "CTvT", "REvT")
SOLVERS = {
    "doushouqi": ("planes", "lean", "groups"),
    "foxhounds-6x6": ("pursuit", "groups"),
    "hasenspiel-6x6": ("pursuit", "groups"),
    "hexapawn": ("groups", "reference"),
}
"""Two engines for each game, or more; the reference engine is compared with those of pursuits tier by tier."""


def planned(name: str) -> tuple[Material, ...]:
    """The two-piece tables of Dou Shou Qi and three more; all that the start leads to of other games."""
    game = load_game(name)
    if name == "doushouqi":
        return plan(game, 2, [parse_material(game, one) for one in WITH_THREE])
    start = start_material(game)
    assert start is not None
    return with_dependencies(game, [start])


def digests(name: str, folder: Path, engine: str) -> dict[str, str]:
    """Build the tables with an engine; the digest of each one's values, as its file says."""
    game, tables = load_game(name), planned(name)
    assert {built.engine for built in build(game, tables, folder, solver=engine)} == {"planes" if engine == "lean" else engine}
    found = {}
    for material in tables:
        table = Table(table_path(folder, game, material), game, material)
        table.check_values({side: table.read(side) for side in table.header.summaries})
        found[material_name(game, material)] = table.header.values_sha256
        table.close()
    return found


def regenerate() -> None:
    """Write `golden.json` anew, if the engines agree."""
    found = {}
    for name, engines in SOLVERS.items():
        with TemporaryDirectory() as one, TemporaryDirectory() as other:
            found[name] = digests(name, Path(one), engines[0])
            assert found[name] == digests(name, Path(other), engines[-1])
    GOLDEN.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        *((name, engines[0]) for name, engines in SOLVERS.items()),
        *(pytest.param(name, engine, marks=pytest.mark.release) for name, engines in SOLVERS.items() for engine in engines[1:]),
    ],
)
def test_values_are_the_golden_ones(name: str, engine: str, tmp_path: Path) -> None:
    """Built from nothing, the tables hold the values that are on record, and are those asked for."""
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert set(expected) == set(SOLVERS)
    assert digests(name, tmp_path, engine) == expected[name]
    assert len(expected["doushouqi"]) == 10 + len(WITH_THREE)
    assert set(WITH_THREE) < set(expected["doushouqi"])
