"""Patterns against their definitions: gains, rules and trees are those that plain Python finds by looking at every position."""

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tablebase.catalog.catalog import Catalog
from tablebase.commands.program import run
from tablebase.game import Game, load_game
from tablebase.mining.patterns import pattern_search as searching
from tablebase.mining.patterns.gains import decided, entropy, information_gain
from tablebase.mining.patterns.pattern_search import PatternSettings, Search
from tablebase.mining.selection import select_by_name
from tablebase.positions.common_features import features_of
from tablebase.tables.store import Store
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Rows = list[dict[str, Any]]

TENNIS = """
sunny hot high no, sunny hot high yes, overcast hot high no, rain mild high no, rain cool normal no, rain cool normal yes,
overcast cool normal yes, sunny mild high no, sunny cool normal no, rain mild normal no, sunny mild normal yes,
overcast mild high yes, overcast hot normal no, rain mild high yes
"""
"""Quinlan's Saturday mornings: outlook, temperature, humidity, windy."""
PLAYED = "NNPPPNPNPPPPPN"


@pytest.fixture(scope="session")
def searched(two_pieces: Path, hexapawns: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two-piece tables of Dou Shou Qi, and those of Hexapawn, with patterns of some; to be read only."""
    folders = {}
    for game, tables, materials in (("doushouqi", two_pieces, ["TvL"]), ("hexapawn", hexapawns, ["PPvP", "PPPvP"])):
        options = [word for material in materials for word in ("--material", material)]
        folders[game] = tmp_path_factory.mktemp("patterns") / game
        shutil.copytree(tables, folders[game])
        assert run(["patterns", game, *options, "--data", str(folders[game])]) == 0
    return folders


def told(folder: Path, statement: str) -> Rows:
    """What the catalog says."""
    with closing(Catalog(folder)) as catalog:
        columns, found = catalog.sql(statement)
    return [dict(zip(columns, row, strict=True)) for row in found]


def search(folder: Path, material: str, threads: int = 2, game: Game = GAME, depth: int = 3) -> searching.Patterns:
    """Search one slice with the library."""
    with closing(Store(folder)) as store:
        known = select_by_name(game, folder, [material], None)
        return Search(game, store, known, features_of(game), threads, PatternSettings(depth=depth)).run()


@pytest.mark.parametrize(("feature", "bits"), [(0, 0.246), (1, 0.029), (2, 0.151), (3, 0.048)])
def test_gains_are_quinlans(feature: int, bits: float) -> None:
    """The example of Quinlan's paper has the gains printed there; he cut after, or rounded at, the third decimal."""
    values = [one.split()[feature] for one in TENNIS.replace("\n", " ").split(",")]
    table = np.array(
        [[sum(pair == (value, what) for pair in zip(values, PLAYED, strict=True)) for what in "PN"] for value in set(values)]
    )
    assert information_gain(table) == pytest.approx(bits, abs=0.001)
    assert decided(table) == sum(max(row) for row in table.tolist()) / 14


def test_entropy_by_hand() -> None:
    counts = np.array([[5, 5, 0, 0], [3, 3, 3, 3], [7, 0, 0, 0], [0, 0, 0, 0]])
    assert entropy(counts).tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize(("game", "material"), [("doushouqi", "TvL"), ("hexapawn", "PPvP"), ("hexapawn", "PPPvP")])
def test_the_catalog_has_the_gains_that_are_found(game: str, material: str, searched: dict[str, Path]) -> None:
    """All single features and the best pairs, which `test_pooled_patterns` compares with a twin; of one outcome, too."""
    folder = searched[game]
    found = search(folder, material, game=load_game(game))
    singles, pairs = ([one for one in found.gains if len(one.features) == number] for number in (1, 2))
    rows = told(folder, f"SELECT * FROM pattern_gains WHERE material = '{material}'")
    kept = {tuple(row["features"].split(", ")): row for row in rows}
    assert len(kept) == len(rows) == len(singles) + min(50, len(pairs))
    assert {one.features for one in singles} < set(kept)
    assert sorted(row["gain"] for row in rows if row["number"] == 2) == sorted(one.gain for one in pairs[:50])
    for one in found.gains:
        if row := kept.get(one.features):
            assert (row["gain"], row["decides"], row["number"]) == (one.gain, one.decides, len(one.features))
            assert row["explains"] == (pytest.approx(one.gain / found.entropy) if found.entropy else None)
            assert (row["positions"], row["entropy"]) == (found.positions, found.entropy)
            assert row["commonest"] == max(found.counts) / found.positions


def test_very_large_slices_have_pairs_of_the_best(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not all pairs are looked at, they are those of the twelve features that tell most, each as exact as ever."""
    whole = search(two_pieces, "TvL")
    monkeypatch.setattr(searching, "ALL_PAIRS", 0)
    some = search(two_pieces, "TvL")
    singles = [one for one in whole.gains if len(one.features) == 1]
    best = {one.features[0] for one in singles[:12]}
    assert [one for one in some.gains if len(one.features) == 1] == singles
    expected = [one for one in whole.gains if len(one.features) == 2 and set(one.features) <= best]
    assert [one for one in some.gains if len(one.features) == 2] == expected
    assert len(expected) == 66
