"""Tables that must never change: SHA-256 of the values of all two-piece tables and of three with three pieces.

`golden.json` was written once every position of these tables had been checked one ply deep and two engines agreed on
every byte. The digests are those of the values; files may differ with the version of the compressor. If rules, index
or coding change on purpose, write it anew from the folder `tests`, and say why in the change:

    python -c "import test_golden; test_golden.regenerate()"
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from rules.doushouqi import game as doushouqi
from tablebase.build import build
from tablebase.material import material_name, parse_material
from tablebase.planning import plan
from tablebase.store import Table, table_path

GAME = doushouqi()
GOLDEN = Path(__file__).with_name("golden.json")
ENGINES = ("bitrow", "reference")
WITH_THREE = ("RCvW", "CTvT", "REvT")


def digests(folder: Path, engine: str) -> dict[str, str]:
    """Build the tables with an engine; the digest of each one's values, as its file says."""
    planned = plan(GAME, 2, [parse_material(GAME, name) for name in WITH_THREE])
    assert {built.engine for built in build(GAME, planned, folder, engine=engine)} == {engine}
    found = {}
    for material in planned:
        table = Table(table_path(folder, GAME, material), GAME, material)
        assert table.values_digest({side: table.read(side) for side in table.header.summaries}) == table.header.values_sha256
        found[material_name(GAME, material)] = table.header.values_sha256
        table.close()
    return found


def regenerate() -> None:
    """Write `golden.json` anew, if the engines agree."""
    found = []
    for engine in ENGINES:
        with TemporaryDirectory() as folder:
            found.append(digests(Path(folder), engine))
    assert found[0] == found[1]
    GOLDEN.write_text(json.dumps(found[0], indent=2) + "\n", encoding="utf-8")


@pytest.mark.parametrize("engine", ENGINES)
def test_values_are_the_golden_ones(engine: str, tmp_path: Path) -> None:
    """Built from nothing, thirteen tables hold the values that are on record, and are those asked for."""
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert digests(tmp_path, engine) == expected
    assert len(expected) == 10 + len(WITH_THREE)
    assert set(WITH_THREE) < set(expected)
