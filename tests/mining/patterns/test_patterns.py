"""Patterns against their definitions: gains, rules and trees are those that plain Python finds by looking at every position."""

import shutil
from collections import Counter
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import at_least_one

from tablebase.catalog.catalog import Catalog
from tablebase.commands.program import run
from tablebase.game import Game, load_game
from tablebase.mining.column import OUTCOMES, Column
from tablebase.mining.patterns import pattern_search as searching
from tablebase.mining.patterns.contingency import count, decided, empty_tables, entropy, information_gain, rules
from tablebase.mining.patterns.levels import Levels, levels_of
from tablebase.mining.patterns.pattern_search import PatternSettings, Search
from tablebase.mining.patterns.trees import Split, judge
from tablebase.mining.rows import Rows
from tablebase.mining.selection import select_by_name
from tablebase.positions.common_features import features_of
from tablebase.tables.store import Store
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()

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


def told(folder: Path, statement: str) -> list[dict[str, Any]]:
    with closing(Catalog(folder)) as catalog:
        columns, found = catalog.sql(statement)
    return [dict(zip(columns, row, strict=True)) for row in found]


def search(folder: Path, material: str, threads: int = 2, game: Game = GAME, depth: int = 3) -> searching.Patterns:
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


def column(kind: pa.DataType) -> Column:
    """A column of a type, which nobody computes."""

    def none(_: Rows) -> pa.Array:
        raise AssertionError("nobody asks for values")

    return Column("odd", kind, none)


@pytest.mark.parametrize("values", [[-20_000, 7, 20_000], [-32_768, 0], [0, 32_767], [-32_768, -1, 32_767]])
def test_whole_numbers_that_are_far_apart(values: list[int]) -> None:
    """Levels are numbered in ascending order, also where a difference is no int16."""
    present = np.array(values, dtype=np.int16)
    assert Levels("odd", "int", present).codes(present[::-1]).tolist() == list(range(len(values)))[::-1]


def test_words_are_quoted() -> None:
    words = ("don't", "''", "plain")
    levels = Levels("odd", "text", np.arange(3, dtype=np.int16), words)
    with duckdb.connect() as connection:
        for number, condition in enumerate(at_least_one(levels.conditions)):
            query = f"SELECT list({condition.sql} ORDER BY place) FROM (SELECT unnest($1) AS odd, unnest([0, 1, 2]) AS place)"
            assert connection.execute(query, [words]).fetchall() == [([place == number for place in range(3)],)]


def test_ranges_in_words() -> None:
    ranges = Levels("odd", "range", np.array([4, 9], dtype=np.int16))
    assert [ranges.label(level) for level in range(3)] == ["up to 4", "5 to 9", "10 or more"]


@pytest.mark.parametrize("whole", [True, False], ids=["whole numbers", "fractions"])
@pytest.mark.parametrize(("number", "levels"), [(31, 31), (32, 32), (33, 16)])
def test_numbers_have_a_level_each_up_to_32(number: int, levels: int, whole: bool) -> None:
    """More of them are divided into 16 ranges; fractions have ranges only."""
    values = np.arange(number, dtype=np.int16) if whole else np.arange(number) / 8
    found = levels_of(column(pa.int16() if whole else pa.float64()), values if whole else values[:0], np.tile(values, 16))
    assert (found.kind, len(found)) == ("int" if whole and number <= 32 else "range", levels)


SIZES = (3, 1, 5, 2)
CLASSES = 4
ROW = st.tuples(*(st.integers(0, size - 1) for size in (*SIZES, CLASSES)))


@given(st.lists(ROW, max_size=60), st.integers(1, 70))
def test_tables_count_every_combination(rows: list[tuple[int, ...]], chunk: int) -> None:
    """Of no feature, one, two and three, in chunks of any size."""
    every = [some for number in range(4) for some in combinations(range(len(SIZES)), number)]
    *codes, classes = [np.array([row[place] for row in rows], dtype=np.intp) for place in range(len(SIZES) + 1)]
    tables = empty_tables(SIZES, every, CLASSES)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tablebase.mining.patterns.contingency.CHUNK", chunk)
        count(tables, codes, classes)
    assert list(tables) == every
    for places, table in tables.items():
        expected = Counter((*(row[place] for place in places), row[-1]) for row in rows)
        assert {cell: number for cell, number in np.ndenumerate(table) if number} == expected


ODD = Levels("odd", "int", np.arange(3, dtype=np.int16))
WORDS = tuple(map(str, OUTCOMES))
OUTCOME = {str(outcome): number for number, outcome in enumerate(OUTCOMES)}


def leaf_counts(*leaves: dict[str, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Positions that reach each leaf, by outcome."""
    return np.array([[leaf.get(outcome, 0) for outcome in OUTCOME] for leaf in leaves], dtype=np.int64)


def test_a_question_that_changes_nothing_is_not_asked() -> None:
    """Leaves that predict the same are one leaf, also where one of them was two."""
    tree = Split(0, ODD.compare("=", 0), 0, Split(0, ODD.compare("=", 1), 1, 2))
    one = judge(tree, leaf_counts({"win": 9, "loss": 2}, {"win": 3, "draw": 1}, {"win": 5}), WORDS, 20)
    assert (one.leaves, one.depth, one.errors, one.sql) == (1, 0, 3, "'win'")
    assert one.text == "win (85.0 % of 20)"
    two = judge(tree, leaf_counts({"loss": 9, "win": 2}, {"win": 3, "draw": 1}, {"win": 5}), WORDS, 20)
    assert (two.leaves, two.depth, two.errors, two.sql) == (2, 1, 3, "CASE WHEN odd = 0 THEN 'loss' ELSE 'win' END")


def test_rules_that_the_sample_does_not_show() -> None:
    """A rule of positions that are not in the sample is kept, for nothing shows that a broader one contains it."""
    values = np.repeat([0, 1, 1, 2], [50, 3, 4, 5])
    outcomes = np.repeat([OUTCOME[name] for name in ("win", "win", "loss", "win")], [50, 3, 4, 5])
    tables = empty_tables((3,), [(), (0,)], len(WORDS))
    count(tables, [values], outcomes)
    found = rules([ODD], WORDS, tables, [values[values != 2]])
    assert [(one.value, one.condition, one.positions) for one in found] == [("win", "odd = 0", 50), ("win", "odd = 2", 5)]
