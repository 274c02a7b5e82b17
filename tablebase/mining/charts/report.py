"""Patterns as a page of HTML that needs nothing else: tables, with a bar in each row.

Bars are SVG, which needs no Matplotlib. Their outlines have the colour of the text around them, so that they suit a light ground
and a dark one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tablebase.game import Outcome
from tablebase.mining.charts.style import COLOURS
from tablebase.mining.patterns.kept_patterns import counts_text, entropy_text, gain_rows, rule_rows, title, tree_text
from tablebase.mining.patterns.levels import OUTCOME
from tablebase.mining.patterns.pattern_search import Patterns, Profile
from tablebase.svg.markup import element
from tablebase.system.compute.messages import cell_text
from tablebase.system.files.outputs import write_text

WIDTH, HEIGHT = 160, 12
"""Of a bar, in pixels; a table is then narrow enough for a telephone."""
PLAIN = COLOURS[Outcome.WIN]
"""The colour of bars that do not stand for an outcome."""
HINT = "choose another file for --output"
Bar = Sequence[tuple[float, str]]
"""Parts side by side, as shares of the whole width, and their colours."""


def write_report(file: Path, found: Sequence[Patterns], top: int, style: str) -> None:
    """Write a page about patterns of one game, with the best `top` features and pairs of features, and with this style sheet."""
    heading = f"Patterns in {found[0].game.title}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", text=heading),
        element("style", text=style),
    )
    sections = [_section(each, top, number) for number, each in enumerate(found, start=1)]
    page = element("html", head, element("body", element("main", element("h1", text=heading), *sections)), lang="en")
    write_text(file, f"<!DOCTYPE html>\n{_html(page)}\n", HINT)


def patterns_html(patterns: Patterns, top: int) -> str:
    """Patterns of one set of positions, without a page around them, for notebooks."""
    return _html(element("div", _section(patterns, top, 1)))


def _html(root: Element) -> str:
    return ElementTree.tostring(root, encoding="unicode", method="html")


def _section(patterns: Patterns, top: int, number: int) -> Element:
    identifier, uncertainty = f"set-{number}", entropy_text(patterns)
    section = element(
        "section",
        element("h2", text=title(patterns), id=identifier),
        element("p", text=f"{counts_text(patterns)}."),
        element("p", text=f"{uncertainty[0].upper()}{uncertainty[1:]}."),
        *_profile(patterns),
        *_gains(patterns, top),
        _rules(patterns),
        *_tree(patterns),
    )
    section.set("aria-labelledby", identifier)
    return section


def _fills(patterns: Patterns) -> Mapping[str, str]:
    """A colour for each class: those of outcomes, or shades from light to dark."""
    if patterns.target == OUTCOME:
        return {word: COLOURS[Outcome(word)] for word in patterns.classes}
    return {word: f"{PLAIN}{255 * number // len(patterns.classes):02x}" for number, word in enumerate(patterns.classes, start=1)}


def _profile(patterns: Patterns) -> Iterable[Element]:
    """The classes, in all positions and for each level of the most informative feature, with a legend of their colours."""
    profile, fills = patterns.profile or Profile("positions", (), ()), _fills(patterns)
    every = [("all positions", patterns.counts), *zip(profile.levels, profile.counts, strict=True)]
    rows = [{profile.feature: label, **dict(zip(fills, counts, strict=True))} for label, counts in every]
    bars = [[(count / sum(counts), fill) for count, fill in zip(counts, fills.values(), strict=True)] for _, counts in every]
    entries = []
    for word, fill in fills.items():
        swatch = element("svg", element("rect", width=12, height=12, fill=fill), width=12, height=12, aria_hidden="true")
        swatch.tail = f" {word} "
        entries.append(element("span", swatch))
    yield element("p", *entries, **{"class": "legend"})
    words = patterns.target.words
    yield _table(f"Positions by {words} by {profile.feature}" if patterns.profile else f"Positions by {words}", rows, bars)


def _gains(patterns: Patterns, top: int) -> Iterable[Element]:
    rows = [{name: row[name] for name in ("features", "gain", "explains", "decides")} for row in gain_rows(patterns, top, top)]
    if rows:
        bars = [[(row["explains"] or 0.0, PLAIN)] for row in rows]
        yield _table(f"Features, and pairs of features, and the share of the {patterns.target.words} that they explain", rows, bars)


def _rules(patterns: Patterns) -> Element:
    name, fills = patterns.target.name, _fills(patterns)
    fields = name, "positions", "share", "condition"
    rows = [{"no.": no, **{field: row[field] for field in fields}} for no, row in enumerate(rule_rows(patterns), start=1)]
    if not rows:
        return element("p", text="There is no rule without exceptions.")
    bars = [[(row["share"], fills[row[name]])] for row in rows]
    return _table("Rules without exceptions, and the share of the positions that they cover", rows, bars)


def _tree(patterns: Patterns) -> Iterable[Element]:
    if patterns.tree is not None:
        yield element("h3", text="A small decision tree")
        yield element("pre", text=patterns.tree.text)
        yield element("p", text=tree_text(patterns, patterns.tree))
        yield element("pre", text=patterns.tree.sql)


def _table(caption: str, rows: Sequence[Mapping[str, Any]], bars: Sequence[Bar]) -> Element:
    """Rows as a table with a caption, each with its bar; the first column names a row."""
    numeric = {name for name in rows[0] if all(isinstance(row[name], int | float | None) for row in rows)}

    def cell(tag: str, name: str, text: str, **attributes: str) -> Element:
        return element(tag, text=text, **attributes, **({"class": "n"} if name in numeric else {}))

    heads = [*(cell("th", name, name, scope="col") for name in rows[0]), element("th", text="bar", scope="col")]
    body = []
    for row, bar in zip(rows, bars, strict=True):
        (first, name), *others = ((cell_text(value, "–"), name) for name, value in row.items())
        cells = [cell("th", name, first, scope="row"), *(cell("td", name, text) for text, name in others)]
        body.append(element("tr", *cells, element("td", _drawn(bar))))
    table = element("table", element("caption", text=caption), element("thead", element("tr", *heads)), element("tbody", *body))
    scroll = element("div", table, tabindex="0", role="region", **{"class": "scroll"})
    scroll.set("aria-label", caption)
    return scroll


def _drawn(bar: Bar) -> Element:
    parts, left = list[Element](), 0.0
    for share, fill in bar:
        parts.append(element("rect", x=left, width=share * WIDTH, height=HEIGHT, fill=fill))
        left += share * WIDTH
    # A bar of no width is still seen to be one.
    outline = element("rect", width=WIDTH, height=HEIGHT, fill="none", stroke="currentColor")
    return element("svg", *parts, outline, width=WIDTH, height=HEIGHT, aria_hidden="true")
