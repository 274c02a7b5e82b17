"""Patterns as a page of HTML that needs nothing else: tables, and charts of the same numbers.

Charts are bars as SVG, which need no Matplotlib. Text and lines have the colour of the text around them, so that bars suit a
light ground and a dark one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tablebase.game import Outcome
from tablebase.mining.charts.style import COLOURS
from tablebase.mining.patterns.kept_patterns import class_rows, counts_text, entropy_text, gain_rows, rule_rows, title, tree_text
from tablebase.mining.patterns.pattern_search import Patterns, Profile
from tablebase.mining.patterns.targets import OUTCOME
from tablebase.svg.markup import element
from tablebase.system.compute.messages import cell_text, in_percent
from tablebase.system.files.outputs import write_text

WIDTH, LINE, BAR = 300, 15, 12
"""A row is a line of text above a bar; this is narrow enough to be legible on a telephone."""
FONT = 12
INK = "currentColor"


class Bar(NamedTuple):
    """A row of a chart."""

    label: str  # text above its bar, to the left
    amount: str  # the same, to the right
    parts: Sequence[tuple[float, str]]  # the parts side by side, as shares of the whole width, and their colours


def draw_bars(about: str, rows: Sequence[Bar]) -> Element:
    """Bars, one below the other, as SVG; `about` is what they show, for readers who do not see it."""
    drawn = [each for place, row in enumerate(rows) for each in _draw(row, place * (LINE + BAR + LINE // 2))]
    height = len(rows) * (LINE + BAR + LINE // 2)
    picture = element("svg", *drawn, viewBox=f"0 0 {WIDTH} {height}", role="img", font_size=FONT, fill=INK)
    picture.set("aria-label", about)
    picture.set("style", "display: block; width: 100%; max-width: 30rem; height: auto; font-family: sans-serif")
    return picture


def _draw(row: Bar, top: int) -> list[Element]:
    made = [
        element("text", text=row.label, x=0, y=top + FONT),
        element("text", text=row.amount, x=WIDTH, y=top + FONT, text_anchor="end"),
    ]
    left = 0.0
    for share, fill in row.parts:
        if share:
            width = share * WIDTH
            made.append(element("rect", x=left, y=top + LINE, width=width, height=BAR, fill=fill))
            left += width
    # A bar of no width is still seen to be one.
    made.append(element("rect", x=0, y=top + LINE, width=WIDTH, height=BAR, fill="none", stroke=INK, stroke_width=0.5))
    return made


PLAIN = COLOURS[Outcome.WIN]
"""The colour of what is no outcome."""
HINT = "choose another file for --output"


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
        _profile(patterns),
        *_gains(patterns, top),
        _rules(patterns),
        *_tree(patterns),
    )
    section.set("aria-labelledby", identifier)
    return section


def _fills(patterns: Patterns) -> list[str]:
    """A colour for each class: those of outcomes, or shades from light to dark."""
    if patterns.target == OUTCOME:
        return [COLOURS[Outcome(word)] for word in patterns.classes]
    return [f"{PLAIN}{255 * number // len(patterns.classes):02x}" for number in range(1, len(patterns.classes) + 1)]


def _profile(patterns: Patterns) -> Element:
    """The classes, in all positions and for each level of the most informative feature."""
    profile = patterns.profile or Profile("positions", (), ())
    rows = [("all positions", patterns.counts), *zip(profile.levels, profile.counts, strict=True)]
    what = f"{patterns.target.words} by {profile.feature}" if patterns.profile else patterns.target.words
    fills = _fills(patterns)
    bars = [
        Bar(label, f"{sum(counts):,}", [(count / sum(counts), fill) for count, fill in zip(counts, fills, strict=True)])
        for label, counts in rows
    ]
    numbers = [{profile.feature: label, **dict(zip(patterns.classes, counts, strict=True))} for label, counts in rows]
    return _shown(f"Share of each {what}", bars, f"Positions by {what}", numbers, [_legend(patterns, fills)])


def _legend(patterns: Patterns, fills: Sequence[str]) -> Element:
    entries = []
    for row, fill in zip(class_rows(patterns), fills, strict=True):
        swatch = element("svg", element("rect", width=12, height=12, fill=fill), width=12, height=12, aria_hidden="true")
        swatch.tail = f" {row['class']}"
        entries.append(element("span", swatch))
        entries[-1].tail = " "
    return element("p", *entries, **{"class": "legend"})


def _gains(patterns: Patterns, top: int) -> Iterable[Element]:
    rows = list(gain_rows(patterns, top, top))
    if rows:
        bars = [Bar(row["features"], _percent(row["explains"]), [(row["explains"] or 0, PLAIN)]) for row in rows]
        numbers = [{name: row[name] for name in ("features", "gain", "explains", "decides")} for row in rows]
        yield _shown(f"What explains the {patterns.target.words}", bars, "Features, and pairs of features", numbers)


def _rules(patterns: Patterns) -> Element:
    rows = list(enumerate(rule_rows(patterns), start=1))
    if not rows:
        return element("p", text="There is no rule without exceptions.")
    name, fills = patterns.target.name, dict(zip(patterns.classes, _fills(patterns), strict=True))
    bars = [Bar(f"{number}: {row[name]}", _percent(row["share"]), [(row["share"], fills[row[name]])]) for number, row in rows]
    fields = name, "positions", "share", "condition"
    numbers = [{"no.": number, **{field: row[field] for field in fields}} for number, row in rows]
    return _shown("Share of the positions that each rule covers", bars, "Rules without exceptions", numbers)


def _tree(patterns: Patterns) -> Iterable[Element]:
    if patterns.tree is not None:
        yield element("h3", text="A small decision tree")
        yield element("pre", text=patterns.tree.text)
        yield element("p", text=tree_text(patterns, patterns.tree))
        yield element("pre", text=patterns.tree.sql)


def _shown(
    caption: str, bars: Sequence[Bar], of_table: str, rows: Sequence[Mapping[str, Any]], legend: Sequence[Element] = ()
) -> Element:
    """A chart beside the table of its numbers, or above it where there is no room."""
    chart = element("figure", element("figcaption", text=caption), *legend, draw_bars(caption, bars), **{"class": "card"})
    return element("div", chart, _table(of_table, rows), style="margin-bottom: 1.2rem", **{"class": "pair"})


def _table(caption: str, rows: Sequence[Mapping[str, Any]]) -> Element:
    """Rows as a table with a caption; the first column names a row."""
    numeric = {name for name in rows[0] if all(isinstance(row[name], int | float | None) for row in rows)}

    def cell(tag: str, name: str, text: str, **attributes: str) -> Element:
        return element(tag, text=text, **attributes, **({"class": "n"} if name in numeric else {}))

    heads = [cell("th", name, name, scope="col") for name in rows[0]]
    body = []
    for row in rows:
        (first, name), *others = ((cell_text(value, "–"), name) for name, value in row.items())
        body.append(element("tr", cell("th", name, first, scope="row"), *(cell("td", name, text) for text, name in others)))
    table = element("table", element("caption", text=caption), element("thead", element("tr", *heads)), element("tbody", *body))
    scroll = element("div", table, tabindex="0", role="region", **{"class": "scroll"})
    scroll.set("aria-label", caption)
    return scroll


def _percent(share: float | None) -> str:
    return "–" if share is None else in_percent(share)
