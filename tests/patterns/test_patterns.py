"""Patterns against their definitions: gains, rules and trees are those that plain Python finds by looking at every position."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.program import Answer
from twins import patterns

from tablebase.catalog.catalog import Catalog
from tablebase.cli import run
from tablebase.features.common import features_of
from tablebase.mining.selection import select_by_name
from tablebase.patterns import pattern_search as searching
from tablebase.patterns import survey
from tablebase.patterns.gains import decided, entropy, information_gain
from tablebase.patterns.pattern_search import Search, Settings
from tablebase.patterns.survey import drawn
from tablebase.slices.material import parse_material
from tablebase.slices.mixed import Positions
from tablebase.tables.store import Store
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
Ask = Callable[..., Answer]
Rows = list[dict[str, Any]]

TENNIS = """
sunny hot high no, sunny hot high yes, overcast hot high no, rain mild high no, rain cool normal no, rain cool normal yes,
overcast cool normal yes, sunny mild high no, sunny cool normal no, rain mild normal no, sunny mild normal yes,
overcast mild high yes, overcast hot normal no, rain mild high yes
"""
"""Quinlan's Saturday mornings: outlook, temperature, humidity, windy."""
PLAYED = "NNPPPNPNPPPPPN"


@pytest.fixture(scope="session")
def searched(two_pieces: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All distinct two-piece slices of Dou Shou Qi with their patterns; to be read only."""
    folder = tmp_path_factory.mktemp("patterns") / "two"
    shutil.copytree(two_pieces, folder)
    assert run(["patterns", "doushouqi", "--pieces", "2", "--data", str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def pawns(hexapawns: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All slices of Hexapawn with their patterns; to be read only."""
    folder = tmp_path_factory.mktemp("patterns") / "pawns"
    shutil.copytree(hexapawns, folder)
    assert run(["patterns", "hexapawn", "--data", str(folder)]) == 0
    return folder


def told(folder: Path, statement: str) -> Rows:
    """What the catalog says."""
    with closing(Catalog(folder)) as catalog:
        columns, found = catalog.sql(statement)
    return [dict(zip(columns, row, strict=True)) for row in found]


def mined(ask: Ask, game: str, folder: Path, statement: str) -> Rows:
    """What the positions say."""
    answer = ask("mine", game, statement, "--data", folder, "--format", "json")
    assert answer.code == 0, answer.err
    rows: Rows = answer.json
    return rows


def column_names(ask: Ask, game: str, pieces: int) -> list[str]:
    """The columns in which patterns are searched, by the names that the guide gives them."""
    numbers = [str(number + 1) for number in range(pieces)]
    places = [f"p{number}_{what}" for number in numbers for what in ("file", "rank")]
    of = {"position": 0, "each piece": 1, "each pair": 2}
    for one in ask("features", game, "--format", "json").json:
        places += ["_".join([one["feature"], *some]) for some in combinations(numbers, of[one["of"]])]
    return places


def slice_rows(ask: Ask, game: str, folder: Path, material: str) -> Rows:
    """All positions of a slice with all columns that differ."""
    names = column_names(ask, game, len(material) - 1)
    found = mined(ask, game, folder, f"SELECT outcome, {', '.join(names)} FROM positions WHERE material = '{material}'")
    return patterns.with_classes(found, lambda row: str(row["outcome"]), names)


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
    """A fair coin has one bit, four like things two, one thing none, and nothing none."""
    counts = np.array([[5, 5, 0, 0], [3, 3, 3, 3], [7, 0, 0, 0], [0, 0, 0, 0]])
    assert entropy(counts).tolist() == [1, 2, 0, 0]


@pytest.mark.parametrize("material", ["RvC", "TvL"])
def test_gains_are_those_of_the_definition(material: str, searched: Path, ask: Ask) -> None:
    """Each single feature and each pair that is kept has the gain that counting by hand gives; no better pair is missing."""
    check_gains("doushouqi", material, searched, ask)


@pytest.mark.parametrize("material", ["PPvP", "PPPvPPP", "PPPvP"])
def test_gains_with_like_pieces(material: str, pawns: Path, ask: Ask) -> None:
    """The same in a game with identical pieces, and where all positions have one outcome."""
    check_gains("hexapawn", material, pawns, ask)


def check_gains(game: str, material: str, folder: Path, ask: Ask) -> None:
    """Compare what the catalog says of a slice with the definition."""
    rows = slice_rows(ask, game, folder, material)
    names = [name for name in rows[0] if name != "class"]
    whole = patterns.entropy([row["class"] for row in rows])
    found = told(folder, f"SELECT * FROM pattern_gains WHERE material = '{material}'")
    kept = {tuple(one["features"].split(", ")): one for one in found}
    assert {one[0] for one in kept if len(one) == 1} == set(names)
    for features, one in kept.items():
        gain, decides = patterns.gain(rows, features)
        assert (one["gain"], one["decides"]) == pytest.approx((gain, decides), abs=1e-9)
        assert one["explains"] == (pytest.approx(gain / whole, abs=1e-9) if whole else None)
        assert (one["positions"], one["number"], one["entropy"]) == (len(rows), len(features), pytest.approx(whole))
        assert one["commonest"] == max(Counter(row["class"] for row in rows).values()) / len(rows)
    pairs = sorted((patterns.gain(rows, pair)[0] for pair in combinations(names, 2)), reverse=True)
    kept_pairs = [one["gain"] for one in found if one["number"] == 2]
    assert kept_pairs == pytest.approx(pairs[: len(kept_pairs)], abs=1e-9)
    assert len(kept_pairs) == min(50, len(pairs))


def plain_rules(rows: Rows) -> dict[tuple[str, int], list[int]]:
    """Coverage of the widest rules of each outcome with one comparison, and with two, by trying all."""
    found, comparisons = {}, patterns.comparisons(rows)
    for outcome in ("win", "loss", "draw"):
        wrong = patterns.bits(row["class"] != outcome for row in rows)
        widest: list[int] = []
        for number, sets in enumerate(patterns.exact(comparisons, wrong, 2), start=1):
            fresh: list[int] = []
            for one in sorted(sets, key=int.bit_count, reverse=True):
                if number == 2 and len(fresh) == 5:
                    break
                if all(one & ~other for other in (*widest, *fresh)):
                    fresh.append(one)
            widest += fresh
            found[outcome, number] = [one.bit_count() for one in fresh[:5]]
    return found


@pytest.mark.parametrize("material", ["CvT", "RvR"])
def test_rules_are_the_widest(material: str, searched: Path, ask: Ask) -> None:
    """Trying all comparisons and all pairs of them finds no rule that is wider and new."""
    expected = plain_rules(slice_rows(ask, "doushouqi", searched, material))
    rules = told(searched, f"SELECT * FROM pattern_rules WHERE material = '{material}' ORDER BY positions DESC")
    for (outcome, number), covered in expected.items():
        assert [one["positions"] for one in rules if (one["outcome"], one["comparisons"]) == (outcome, number)] == covered
    assert len(rules) > 5


def test_rules_are_taken_as_they_are(searched: Path, ask: Ask) -> None:
    """Each rule of a slice, put to mine word for word, gives one outcome and as many positions as it says."""
    rules = told(searched, "SELECT * FROM pattern_rules WHERE material = 'CvT'")
    for one in rules:
        where = f"material = '{one['material']}' AND ({one['condition']})"
        found = mined(ask, "doushouqi", searched, f"SELECT outcome, count(*) AS n FROM positions WHERE {where} GROUP BY ALL")
        assert found == [{"outcome": one["outcome"], "n": one["positions"]}], one["condition"]
    assert len(rules) > 10


@pytest.mark.parametrize("game", ["doushouqi", "hexapawn"])
def test_every_rule_holds(game: str, searched: Path, pawns: Path, ask: Ask) -> None:
    """All rules of all slices have no exception and the coverage that they say."""
    folder = searched if game == "doushouqi" else pawns
    rules = told(folder, "SELECT * FROM pattern_rules")
    slices = told(folder, "SELECT material, positions FROM slice_counts WHERE NOT is_alias")
    assert {one["material"] for one in rules} == {one["material"] for one in slices}
    for slice_ in slices:
        own = [one for one in rules if one["material"] == slice_["material"]]
        check_rules(ask, game, folder, slice_["material"], [(one["condition"], one["outcome"], one["positions"]) for one in own])
        assert [one["share"] for one in own] == [one["positions"] / slice_["positions"] for one in own]


def check_rules(ask: Ask, game: str, folder: Path, material: str, rules: list[tuple[str, str, int]]) -> None:
    """See that conditions leave one outcome and the stated number of positions, all of them in one pass."""
    counts = ", ".join(f"count(*) FILTER ({condition}) AS n{number}" for number, (condition, _, _) in enumerate(rules))
    statement = f"SELECT outcome, {counts} FROM positions WHERE material = '{material}' GROUP BY outcome"
    found = {row["outcome"]: row for row in mined(ask, game, folder, statement)}
    for number, (condition, outcome, positions) in enumerate(rules):
        covered = {outcome: row[f"n{number}"] for outcome, row in found.items() if row[f"n{number}"]}
        assert covered == {outcome: positions}, condition


@pytest.mark.parametrize("game", ["doushouqi", "hexapawn"])
def test_every_tree_is_wrong_as_often_as_it_says(game: str, searched: Path, pawns: Path, ask: Ask) -> None:
    """The CASE expression of each tree guesses wrong exactly as often as the catalog says, and seldomer than without a tree."""
    folder = searched if game == "doushouqi" else pawns
    trees = told(folder, "SELECT * FROM pattern_trees")
    assert len(trees) == len(told(folder, "SELECT 1 FROM slices WHERE NOT is_alias"))
    guesses = " ".join(f"WHEN '{one['material']}' THEN {one['expression']}" for one in trees)
    statement = f"SELECT material, count(*) FILTER (outcome <> CASE material {guesses} END) AS n FROM distinct_positions GROUP BY 1"
    wrong = {row["material"]: row["n"] for row in mined(ask, game, folder, statement)}
    assert wrong == {one["material"]: one["errors"] for one in trees}
    for one in trees:
        assert one["error"] == one["errors"] / one["positions"]
        assert one["depth"] <= 3
        assert one["expression"].count("THEN") == one["leaves"] - 1 == one["tree"].count("else:")
        (without,) = told(folder, f"SELECT MAX(commonest) AS share FROM pattern_gains WHERE material = '{one['material']}'")
        assert one["error"] <= 1 - without["share"] + 1e-12


def test_a_pair_tells_no_less_than_its_features(searched: Path) -> None:
    """No pair gains less, or decides less, than either of its features by itself."""
    gains = told(searched, "SELECT * FROM pattern_gains")
    singles = {(one["material"], one["features"]): one for one in gains if one["number"] == 1}
    pairs = [one for one in gains if one["number"] == 2]
    for one in pairs:
        for name in one["features"].split(", "):
            single = singles[one["material"], name]
            assert one["gain"] >= single["gain"] - 1e-12
            assert one["decides"] >= single["decides"]
    assert len(pairs) == 17 * 50


def test_always_the_same_outcome(pawns: Path) -> None:
    """Where all positions have one outcome there is one rule, and the tree asks nothing."""
    assert told(pawns, "SELECT wins, positions FROM slice_counts WHERE material = 'PPPvP'") == [{"wins": 90, "positions": 90}]
    (rule,) = told(pawns, "SELECT * FROM pattern_rules WHERE material = 'PPPvP'")
    assert (rule["outcome"], rule["condition"], rule["comparisons"], rule["positions"]) == ("win", "true", 0, 90)
    (tree,) = told(pawns, "SELECT * FROM pattern_trees WHERE material = 'PPPvP'")
    assert (tree["expression"], tree["errors"], tree["depth"]) == ("'win'", 0, 0)


def search(folder: Path, material: str, threads: int = 2) -> searching.Patterns:
    """Search one slice with the library."""
    with closing(Store(folder)) as store:
        return Search(GAME, store, select_by_name(GAME, folder, [material], None), features_of(GAME), threads).run()


def test_large_slices_are_counted_exactly(two_pieces: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    """A slice that does not fit into the sample has the same gains, rules of full coverage, and a tree with its exact error."""
    whole = search(two_pieces, "RvC")
    for module in (survey, searching):
        monkeypatch.setattr(module, "SAMPLE", 700)
    sampled = search(two_pieces, "RvC")
    assert sampled.gains == whole.gains
    assert sampled.counts == whole.counts
    assert {one.value: one.positions for one in reversed(sampled.rules)} == {
        one.value: one.positions for one in reversed(whole.rules)
    }
    assert sampled.tree is not None
    assert 500 < sampled.tree.trained < 900
    statement = f"SELECT count(*) AS n FROM positions WHERE material = 'RvC' AND outcome <> {sampled.tree.sql}"
    assert mined(ask, "doushouqi", two_pieces, statement) == [{"n": sampled.tree.errors}]
    check_rules(ask, "doushouqi", two_pieces, "RvC", [(one.condition, one.value, one.positions) for one in sampled.rules])


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


def test_threads_change_nothing(two_pieces: Path) -> None:
    """One thread finds what four find."""
    assert search(two_pieces, "EvR", 1) == search(two_pieces, "EvR", 4)


def test_a_sample_does_not_depend_on_who_draws_it() -> None:
    """Which positions are drawn depends on their squares alone, and about as many are as was asked for."""
    squares = np.random.default_rng(1).integers(0, 63, (20_000, 3)).astype(np.int8)
    material = parse_material(GAME, "RCvW")
    whole = drawn(Positions(GAME, material, 0, squares), 0.25)
    parts = [drawn(Positions(GAME, material, 0, part), 0.25) for part in np.array_split(squares, 7)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert 4_700 < whole.sum() < 5_300
    more = drawn(Positions(GAME, material, 0, squares), 0.5)
    assert not (whole & ~more).any()


def test_searching_needs_scikit_learn_only_for_trees(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a tree nothing of scikit-learn is loaded."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with closing(Store(two_pieces)) as store:
        found = Search(
            GAME, store, select_by_name(GAME, two_pieces, ["CvC"], None), features_of(GAME), settings=Settings(depth=0)
        ).run()
    assert found.tree is None
    assert json.dumps([one.positions for one in found.rules])
