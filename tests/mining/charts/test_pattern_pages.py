"""Patterns as a page: one file with all that the command prints, in tables with a bar in each row."""

import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from support.html import addresses, classed, parsed, rows_of, said
from support.program import Ask

from tablebase.commands.tablebase import Tablebase
from tablebase.mining.charts.report import WIDTH


@pytest.fixture(scope="module")
def pawns(hexapawns: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of Hexapawn, in whose catalog patterns of slices may be stored."""
    return Path(shutil.copytree(hexapawns, tmp_path_factory.mktemp("pages") / "pawns"))


def page_of(ask: Ask, folder: Path, file: Path, *arguments: object) -> tuple[Element, list[dict[str, Any]]]:
    """The page that a command writes, and the JSON that it prints."""
    answer = ask("patterns", "hexapawn", *arguments, "--output", file, "--data", folder, "--format", "json")
    assert answer.code == 0, answer.err
    assert f"wrote {file}: " in answer.err
    return parsed(file.read_text(encoding="utf-8")), answer.json


def table(section: Element, caption: str) -> tuple[list[list[str]], list[list[float]]]:
    """The rows of the table whose caption begins so, and the parts of the bar in the last column of each, as shares."""
    (found,) = [one for one in section.iter("table") if said(one[0]).startswith(caption)]
    assert found[0].tag == "caption"
    assert all(cell.get("scope") == "col" for cell in found.findall("./thead/tr/th"))
    assert all(row[0].get("scope") == "row" for row in found.findall("./tbody/tr"))
    bars = [[one for one in row[-1].iter("rect") if one.get("stroke") is None] for row in found.findall("./tbody/tr")]
    shares = [[float(one.get("width", "nan")) / WIDTH for one in bar] for bar in bars]
    for bar, its in zip(bars, shares, strict=True):
        lefts = [float(one.get("x", "nan")) / WIDTH for one in bar]
        assert lefts == pytest.approx([sum(its[:place]) for place in range(len(its))], abs=0.001)
    return [row[:-1] for row in rows_of(found)], shares


@pytest.mark.parametrize("arguments", [("--target", "outcome"), ("--target", "distance"), ("--target", "only_move")])
def test_a_page_has_all_that_is_printed(arguments: tuple[str, ...], pawns: Path, tmp_path: Path, ask: Ask) -> None:
    """Gains, rules and the tree, each with its bar, of all slices together."""
    root, (found,) = page_of(ask, pawns, tmp_path / "p.html", "--pieces", "4", "--pool", "--conditions", "3", *arguments)
    (section,) = root.iter("section")
    gains, explained = table(section, "Features")
    assert [row[0] for row in gains] == [gain["features"] for gain in found["gains"]]
    assert [[float(cell) for cell in row[1:]] for row in gains] == [
        pytest.approx([gain[name] for name in ("gain", "explains", "decides")], abs=0.0005) for gain in found["gains"]
    ]
    assert [sum(parts) for parts in explained] == pytest.approx([gain["explains"] for gain in found["gains"]], abs=0.001)
    rules, covered = table(section, "Rules without exceptions")
    assert [(row[1], row[2].replace(",", ""), row[4]) for row in rules] == [
        (rule[found["target"]], str(rule["positions"]), rule["condition"]) for rule in found["rules"]
    ]
    assert [sum(parts) for parts in covered] == pytest.approx([rule["share"] for rule in found["rules"]], abs=0.001)
    tree, sql = section.findall("pre")
    assert ("".join(tree.itertext()), "".join(sql.itertext())) == (found["tree"]["tree"], found["tree"]["expression"])


def test_the_best_feature_is_shown_with_its_classes(pawns: Path, tmp_path: Path, ask: Ask) -> None:
    """For each of its levels, the counts of the classes, which sum up to all positions; bars have the same shares."""
    root, (found,) = page_of(ask, pawns, tmp_path / "p.html", "--pieces", "5", "--pool")
    (section,) = root.iter("section")
    best = found["gains"][0]["features"]
    rows, shares = table(section, f"Positions by outcome by {best}")
    (whole, *levels) = [[int(cell.replace(",", "")) for cell in row[1:]] for row in rows]
    assert whole == [found["wins"], found["losses"], found["draws"]] == [sum(column) for column in zip(*levels, strict=True)]
    statement = f"SELECT {best} AS level, count(*) AS n FROM distinct_positions WHERE pieces = 5 GROUP BY ALL ORDER BY 1"
    counted = ask("mine", "hexapawn", statement, "--data", pawns, "--format", "json").json
    assert [sum(row) for row in levels] == [row["n"] for row in counted]
    for parts, counts in zip(shares, [whole, *levels], strict=True):
        assert parts == pytest.approx([count / sum(counts) for count in counts], abs=0.001)


def test_a_page_needs_nothing_else(pawns: Path, tmp_path: Path, ask: Ask) -> None:
    """No address of anything elsewhere, no script; it adapts to the width and to a dark ground, and has one heading a slice."""
    file = tmp_path / "p.html"
    root, found = page_of(ask, pawns, file)
    text = file.read_text(encoding="utf-8")
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert addresses(root) == set()
    assert not re.search(r"https?:|//|url\(|@import|<script|<link|src=", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    (style,) = root.iter("style")
    assert "prefers-color-scheme: dark" in said(style)
    assert {one.get("name"): one.get("content") for one in root.iter("meta") if one.get("name")} == {
        "viewport": "width=device-width, initial-scale=1",
        "color-scheme": "light dark",
    }
    assert [said(one) for one in root.iter("h1")] == ["Patterns in Hexapawn"]
    headings = list(root.iter("h2"))
    assert [said(one).partition(",")[0] for one in headings] == [each["material"] for each in found]
    assert len({one.get("id") for one in headings}) == len(found) == len(list(root.iter("section")))
    assert {one.get("aria-labelledby") for one in root.iter("section")} == {one.get("id") for one in headings}
    for one in classed(root, "scroll"):
        assert one.get("tabindex") == "0"


def test_a_page_of_one_outcome(pawns: Path, tmp_path: Path, ask: Ask) -> None:
    """Where nothing is uncertain, nothing explains it, and the page says what there is."""
    root, (found,) = page_of(ask, pawns, tmp_path / "p.html", "--material", "PPPvP")
    assert found["entropy"] == 0
    assert [row[1:] for row in table(root, "Rules")[0]] == [["win", "90", "1", "true"]]
    gains, explained = table(root, "Features")
    assert ({row[2] for row in gains}, {sum(parts) for parts in explained}) == ({"–"}, {0.0})


def test_a_page_without_rules_and_trees(pawns: Path, tmp_path: Path, ask: Ask) -> None:
    root, (found,) = page_of(ask, pawns, tmp_path / "p.html", "--material", "PvP", "--support", "1", "--depth", "0")
    assert found["rules"] == []
    assert "There is no rule without exceptions." in said(root)
    assert list(root.iter("pre")) == []


def test_notebooks_show_patterns(pawn_tables: Tablebase) -> None:
    """As tables and charts, without a page around them; the library finds what the command finds."""
    found = pawn_tables.patterns("hexapawn", pieces=4, pool=True, target="only_move", conditions=3, support=0.05)
    assert repr(found) == "Findings(PPPvP, PPvPP, PvPPP, White to move, won or drawn)"
    (patterns,) = found
    shown = parsed(found._repr_html_())
    assert shown.tag == "div"
    assert len(table(shown, "Rules")[0]) == len(patterns.rules) > 0
    assert len(table(shown, "Features")[0]) == 20 < len(patterns.gains)
    assert len(pawn_tables.patterns("hexapawn", pieces=4, depth=0)) == 3
