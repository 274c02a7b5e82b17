"""Patterns as a page: one file with all that the command prints, in tables and in charts of the same numbers."""

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
    folder = tmp_path_factory.mktemp("pages") / "pawns"
    shutil.copytree(hexapawns, folder)
    return folder


def page_of(ask: Ask, folder: Path, file: Path, *arguments: object) -> tuple[Element, list[dict[str, Any]]]:
    """The page that a command writes, and the JSON that it prints."""
    answer = ask("patterns", "hexapawn", *arguments, "--output", file, "--data", folder, "--format", "json")
    assert answer.code == 0, answer.err
    assert f"wrote {file}: " in answer.err
    return parsed(file.read_text(encoding="utf-8")), answer.json


def table(section: Element, caption: str) -> list[list[str]]:
    """The rows of the table whose caption begins so."""
    (found,) = [one for one in section.iter("table") if said(one[0]).startswith(caption)]
    assert found[0].tag == "caption"
    assert all(cell.get("scope") == "col" for cell in found.findall("./thead/tr/th"))
    assert all(row[0].get("scope") == "row" for row in found.findall("./tbody/tr"))
    return rows_of(found)


def bars(section: Element, caption: str) -> list[tuple[str, str, list[float]]]:
    """The rows of a chart: texts to the left and to the right, and the widths of the parts."""
    (figure,) = [one for one in section.iter("figure") if said(one[0]).startswith(caption)]
    (picture,) = [one for one in figure.findall("svg") if one.get("role") == "img"]
    assert picture.get("aria-label")
    found: list[tuple[str, str, list[float]]] = []
    for one in picture:
        if one.tag == "text" and one.get("text-anchor") is None:
            found.append((said(one), "", []))
        elif one.tag == "text":
            found[-1] = (found[-1][0], said(one), found[-1][2])
        elif one.get("stroke") is None:
            found[-1][2].append(float(one.get("width", "nan")))
    return found


@pytest.mark.parametrize("arguments", [("--target", "outcome"), ("--target", "distance"), ("--target", "only_move")])
def test_a_page_has_all_that_is_printed(arguments: tuple[str, ...], pawns: Path, tmp_path: Path, ask: Ask) -> None:
    """Gains, rules and the tree, each with its chart, of all slices together."""
    root, (found,) = page_of(ask, pawns, tmp_path / "p.html", "--pieces", "4", "--pool", "--conditions", "3", *arguments)
    (section,) = root.iter("section")
    gains = table(section, "Features")
    assert [row[0] for row in gains] == [gain["features"] for gain in found["gains"]]
    assert [[float(cell) for cell in row[1:]] for row in gains] == [
        pytest.approx([gain[name] for name in ("gain", "explains", "decides")], abs=0.0005) for gain in found["gains"]
    ]
    drawn = bars(section, "What explains the")
    assert [row[:2] for row in drawn] == [(gain["features"], f"{100 * gain['explains']:.1f} %") for gain in found["gains"]]
    for (*_, widths), gain in zip(drawn, found["gains"], strict=True):
        assert sum(widths) == pytest.approx(gain["explains"] * WIDTH, abs=0.01)
    rules = table(section, "Rules without exceptions")
    assert [(row[1], row[2].replace(",", ""), row[4]) for row in rules] == [
        (rule[found["target"]], str(rule["positions"]), rule["condition"]) for rule in found["rules"]
    ]
    covered = bars(section, "Share of the positions that each rule covers")
    assert [row[0] for row in covered] == [f"{row[0]}: {row[1]}" for row in rules]
    assert [sum(row[2]) for row in covered] == pytest.approx([rule["share"] * WIDTH for rule in found["rules"]], abs=0.01)
    tree, sql = section.findall("pre")
    assert ("".join(tree.itertext()), "".join(sql.itertext())) == (found["tree"]["tree"], found["tree"]["expression"])


def test_the_best_feature_is_shown_with_its_classes(pawns: Path, tmp_path: Path, ask: Ask) -> None:
    """For each of its levels, the counts of the classes, which sum up to all positions; bars have the same shares."""
    root, (found,) = page_of(ask, pawns, tmp_path / "p.html", "--pieces", "5", "--pool")
    (section,) = root.iter("section")
    best = found["gains"][0]["features"]
    (whole, *levels) = [
        [int(cell.replace(",", "")) for cell in row[1:]] for row in table(section, f"Positions by outcome by {best}")
    ]
    assert whole == [found["wins"], found["losses"], found["draws"]] == [sum(column) for column in zip(*levels, strict=True)]
    statement = f"SELECT {best} AS level, count(*) AS n FROM distinct_positions WHERE pieces = 5 GROUP BY ALL ORDER BY 1"
    counted = ask("mine", "hexapawn", statement, "--data", pawns, "--format", "json").json
    assert [sum(row) for row in levels] == [row["n"] for row in counted]
    for (_, amount, widths), counts in zip(bars(section, f"Share of each outcome by {best}"), [whole, *levels], strict=True):
        assert amount == f"{sum(counts):,}"
        assert widths == pytest.approx([count / sum(counts) * WIDTH for count in counts if count], abs=0.01)


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
    assert [row[1:] for row in table(root, "Rules")] == [["win", "90", "1", "true"]]
    assert {amount for _, amount, _ in bars(root, "What explains")} == {"–"}


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
    assert len(table(shown, "Rules")) == len(patterns.rules) > 0
    assert len(bars(shown, "What explains the only move")) == len(table(shown, "Features"))
    assert len(pawn_tables.patterns("hexapawn", pieces=4, depth=0)) == 3
