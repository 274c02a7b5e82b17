"""The command `patterns`: what it prints, what it stores in the catalog, and what it refuses."""

import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.builds import register
from support.catalogs import rows
from support.program import Answer, Ask
from support.tablebases import copy_of

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()
TABLES = ("pattern_gains", "pattern_rules", "pattern_trees")

FEATURE_FILE = '''
import numpy as np
from tablebase.features import feature

@feature(kind="float")
def order(positions):
    """A number with a fraction, under a name that SQL reserves."""
    return positions.squares.mean(axis=1) + 1 / 3

@feature()
def product(positions):
    """An integer of many values, some of them negative."""
    return np.prod(positions.squares.astype(np.int64), axis=1) % 4001 - 2000

@feature(words=("it's", "other"))
def mark(positions):
    """A text with a quotation mark."""
    return positions.squares[:, 0] // 9 == 3
'''


def snapshot(folder: Path) -> list[list[dict[str, Any]]]:
    tables = [rows(folder, f"SELECT * FROM {table} ORDER BY id") for table in TABLES]
    return [[{name: value for name, value in row.items() if name != "id"} for row in table] for table in tables]


def search(ask: Ask, folder: Path, *arguments: object) -> Answer:
    answer = ask("patterns", "doushouqi", *arguments, "--data", folder)
    assert answer.code == 0, answer.err
    return answer


def test_a_second_search_replaces_the_first(copied: Path, ask: Ask) -> None:
    search(ask, copied, "--material", "CvW", "--material", "RvC")
    before = snapshot(copied)
    search(ask, copied, "--material", "CvW")
    after = snapshot(copied)
    assert [sorted(map(str, table)) for table in after] == [sorted(map(str, table)) for table in before]
    search(ask, copied, "--material", "CvW", "--depth", "0")
    assert rows(copied, "SELECT material FROM pattern_trees") == [{"material": "RvC"}]


def test_patterns_go_with_their_table(copied: Path, ask: Ask) -> None:
    """Registering a table again deletes its patterns, which were found in the old one; others stay."""
    search(ask, copied, "--material", "CvW", "--material", "WvC", "--material", "RvC")
    material = parse_material(GAME, "CvW")
    with (
        closing(Catalog(copied, create=True)) as catalog,
        closing(Table(table_path(copied, GAME, material), GAME, material)) as table,
    ):
        register(catalog, GAME, table)
    for name in TABLES:
        assert rows(copied, f"SELECT DISTINCT material FROM {name}") == [{"material": "RvC"}]
    table_path(copied, GAME, parse_material(GAME, "RvC")).unlink()
    assert ask("reindex", "--data", copied).code == 0
    assert snapshot(copied) == [[], [], []]


pawns = copy_of("hexapawns")


def test_without_options_all_distinct_slices_are_searched(pawns: Path, ask: Ask) -> None:
    answer = ask("patterns", "hexapawn", "--data", pawns)
    distinct = {row["material"] for row in rows(pawns, "SELECT material FROM slices WHERE NOT is_alias")}
    assert {line.split()[0] for line in answer.out.splitlines()[2:]} == distinct
    assert {row["material"] for row in rows(pawns, "SELECT material FROM pattern_trees")} == distinct
    few = ask("patterns", "hexapawn", "--pieces", "5", "--format", "json", "--data", pawns).json
    assert {row["material"] for row in few} == {name for name in distinct if len(name) == 6}


def test_what_programs_get(copied: Path, ask: Ask) -> None:
    objects = search(ask, copied, "--material", "RvC", "--material", "CvR", "--top", "3", "--format", "json").json
    assert [patterns["material"] for patterns in objects] == ["RvC", "CvR"]
    for patterns in objects:
        assert patterns["wins"] + patterns["losses"] + patterns["draws"] == patterns["positions"]
        of_slice = f"WHERE material = '{patterns['material']}'"
        rules = rows(copied, f"SELECT outcome, condition, positions, share FROM pattern_rules {of_slice}")
        assert [{name: rule[name] for name in rules[0]} for rule in patterns["rules"]] == rules
        (tree,) = rows(copied, f"SELECT expression, errors FROM pattern_trees {of_slice}")
        assert {name: patterns["tree"][name] for name in tree} == tree
        assert [gain["number"] for gain in patterns["gains"]] == [1, 1, 1, 2, 2, 2]
    lines = search(ask, copied, "--material", "RvC", "--top", "3", "--format", "csv").csv
    assert [float(line["gain"]) for line in lines] == [gain["gain"] for gain in objects[0]["gains"]]


def test_people_read_shares_in_percent(copied: Path, ask: Ask) -> None:
    """Those that JSON has between 0 and 1, in a report and in the lines of several; trees name their criterion."""
    [found] = search(ask, copied, "--material", "RvC", "--format", "json").json
    report = search(ask, copied, "--material", "RvC").out
    gain, rule = found["gains"][0], found["rules"][0]
    assert f"{gain['features']}   " in report
    assert f"{100 * gain['explains']:.1f} %    {100 * gain['decides']:.1f} %\n" in report
    assert f"{rule['positions']:,}   {100 * rule['share']:.1f} %   {rule['condition']}\n" in report
    assert f"grown by information gain (criterion entropy); wrong in {found['tree']['errors']:,} positions, " in report
    line = search(ask, copied, "--material", "RvC", "--material", "CvR").out.splitlines()[2]
    assert f" {100 * found['commonest']:.1f} % " in line
    assert line.endswith(f" {100 * found['tree']['error']:.1f} %")


def test_without_scikit_learn_there_are_no_trees(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    answer = search(ask, copied, "--material", "CvW", "--format", "json")
    assert "trees need scikit-learn: run pip install 'endgame-tablebase[patterns]'\n" in answer.err
    assert answer.json[0]["tree"] is None
    assert answer.json[0]["rules"]
    assert rows(copied, "SELECT * FROM pattern_trees") == []


def test_features_of_a_file(copied: Path, tmp_path: Path, ask: Ask) -> None:
    file = tmp_path / "own.py"
    file.write_text(FEATURE_FILE)
    search(ask, copied, "--material", "CvT", "--features", file, "--depth", "8")
    with tablebase.open(copied) as tables:
        assert [one.name for one in tables.features("doushouqi", file)][-3:] == ["order", "product", "mark"]
    names = {row["features"] for row in rows(copied, "SELECT features FROM pattern_gains WHERE number = 1")}
    assert {"order", "product", "mark"} <= names
    rules = rows(copied, "SELECT * FROM pattern_rules")
    rules = [rule for rule in rules if any(word in rule["condition"] for word in ('"order"', "product", "mark"))]
    assert rules
    for rule in rules:
        statement = f"SELECT outcome, count(*) AS n FROM positions WHERE material = 'CvT' AND ({rule['condition']}) GROUP BY ALL"
        mined = ask("mine", "doushouqi", statement, "--features", file, "--data", copied, "--format", "json").json
        assert mined == [{"outcome": rule["outcome"], "n": rule["positions"]}], rule["condition"]
    (tree,) = rows(copied, "SELECT * FROM pattern_trees")
    statement = f"SELECT count(*) AS n FROM positions WHERE material = 'CvT' AND outcome <> {tree['expression']}"
    wrong = ask("mine", "doushouqi", statement, "--features", file, "--data", copied, "--format", "json").json
    assert wrong == [{"n": tree["errors"]}]


def test_what_is_not_stored(copied: Path, ask: Ask) -> None:
    search(ask, copied, "--material", "CvW")
    before = (copied / FILE_NAME).read_bytes()
    search(ask, copied, "--material", "CvW", "--material", "RvC", "--pool")
    search(ask, copied, "--material", "CvW", "--target", "distance")
    assert (copied / FILE_NAME).read_bytes() == before
    search(ask, copied, "--material", "CvW", "--pool", "--depth", "0")
    assert rows(copied, "SELECT * FROM pattern_trees") == []


def test_slices_without_such_positions_are_left_out(hexapawns: Path, ask: Ask) -> None:
    words = ["patterns", "hexapawn", "--target", "distance", "--outcome", "loss", "--data", hexapawns]
    assert "none of the requested slices of hexapawn has a lost position" in ask(*words, "--material", "PPPvP").errors[0]
    found = ask(*words, "--pieces", "4", "--pool", "--format", "json").json
    assert [row["material"] for row in found[0]["slices"]] == ["PPvPP", "PvPPP"]
