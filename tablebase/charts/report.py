"""Patterns as a page of HTML that needs nothing else: tables, and charts of the same numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tablebase.charts.bars import Bar, Fill, draw_bars
from tablebase.charts.colours import COLOURS
from tablebase.errors import TablebaseError, system_error
from tablebase.game import Outcome
from tablebase.patterns.findings import gain_rows, rule_rows
from tablebase.patterns.search import Patterns, Profile
from tablebase.patterns.targets import OUTCOME
from tablebase.patterns.wording import class_rows, counts_text, entropy_text, title, tree_text
from tablebase.pictures.markup import element

PLAIN = COLOURS[Outcome.WIN]
"""The colour of what is no outcome."""


def check_place(file: Path) -> None:
    """Raise `TablebaseError` unless a file can be written there, as far as can be seen before."""
    if not file.parent.is_dir():
        raise TablebaseError(f"there is no folder {file.parent}: make it, or name another file with --html")
    if file.is_dir():
        raise TablebaseError(f"{file} is a folder: name a file with --html")


def write_report(file: Path, found: Sequence[Patterns], top: int, style: str) -> None:
    """Write a page.

    Parameters
    ----------
    file : Path
    found : sequence of Patterns
        Of one game.
    top : int
        Number of features, and of pairs of features, to show.
    style : str
        The style sheet.

    Raises
    ------
    TablebaseError
        If the file cannot be written.
    """
    heading = f"Patterns in {found[0].game.title}"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", text=heading),
        element("style", text=style),
    )
    sections = [section for number, each in enumerate(found) for section in _sections(each, top, number)]
    page = element("html", head, element("body", element("main", element("h1", text=heading), *sections)), lang="en")
    try:
        file.write_text(f"<!DOCTYPE html>\n{_html(page)}\n", encoding="utf-8")
    except OSError as fault:
        raise system_error(fault, file, "name another file with --html") from fault


def patterns_html(patterns: Patterns, top: int) -> str:
    """Patterns of one set of positions, without a page around them, for notebooks."""
    return _html(element("div", *_sections(patterns, top, 0)))


def _html(root: Element) -> str:
    return ElementTree.tostring(root, encoding="unicode", method="html")


def _sections(patterns: Patterns, top: int, number: int) -> list[Element]:
    """All that was found in one set of positions."""
    heading, identifier = title(patterns), f"set-{number + 1}"
    parts = [
        element("h2", text=heading, id=identifier),
        element("p", text=f"{counts_text(patterns)}."),
        element("p", text=f"{entropy_text(patterns)}."),
        *_profile(patterns, heading),
        *_gains(patterns, top, heading),
        *_rules(patterns, heading),
        *_tree(patterns),
    ]
    section = element("section", *parts)
    section.set("aria-labelledby", identifier)
    return [section]


def _fills(patterns: Patterns) -> list[Fill]:
    """A colour for each class: those of outcomes, or shades from light to dark."""
    if patterns.target == OUTCOME:
        return [Fill(COLOURS[Outcome(word)]) for word in patterns.classes]
    return [Fill(PLAIN, (number + 1) / len(patterns.classes)) for number in range(len(patterns.classes))]


def _profile(patterns: Patterns, heading: str) -> Iterable[Element]:
    """The classes, in all positions and for each level of the most informative feature."""
    profile = patterns.profile or Profile("", (), ())
    rows = [("all positions", patterns.counts), *zip(profile.levels, profile.counts, strict=True)]
    what = f"{patterns.target.words} by {profile.feature}" if patterns.profile else patterns.target.words
    fills = _fills(patterns)
    bars = [
        Bar(label, f"{sum(counts):,}", [(count / sum(counts), fill) for count, fill in zip(counts, fills, strict=True)])
        for label, counts in rows
    ]
    yield _chart(f"Share of each {what}: {heading}", [_legend(patterns, fills), draw_bars(f"Bars of the {what}", bars)])
    named = [{profile.feature or "positions": label, **dict(zip(patterns.classes, counts, strict=True))} for label, counts in rows]
    yield _table(f"Positions by {what}", named)


def _legend(patterns: Patterns, fills: Sequence[Fill]) -> Element:
    """What the colours mean."""
    entries = []
    for row, fill in zip(class_rows(patterns), fills, strict=True):
        swatch = element("svg", element("rect", width=12, height=12, fill=fill.colour, fill_opacity=fill.opacity))
        for name, value in (("width", "12"), ("height", "12"), ("aria-hidden", "true")):
            swatch.set(name, value)
        swatch.tail = f" {row['class']}"
        entries.append(element("span", swatch))
        entries[-1].tail = " "
    return element("p", *entries, **{"class": "legend"})


def _gains(patterns: Patterns, top: int, heading: str) -> Iterable[Element]:
    """Features and pairs."""
    rows = list(gain_rows(patterns, top, top))
    if not rows:
        return
    shown = [{name: row[name] for name in ("features", "gain", "explains", "decides")} for row in rows]
    explained = [(row["features"], row["explains"]) for row in rows if row["explains"] is not None]
    if explained:
        bars = [Bar(name, _percent(share), [(share, Fill(PLAIN))]) for name, share in explained]
        yield _chart(f"What explains the {patterns.target.words}: {heading}", [draw_bars("Bars of what features explain", bars)])
    yield _table("Features, and pairs of features", shown)


def _rules(patterns: Patterns, heading: str) -> Iterable[Element]:
    """Rules without exceptions."""
    rows = list(rule_rows(patterns))
    if not rows:
        yield element("p", text="There is no rule without exceptions.")
        return
    name, fills = patterns.target.name, dict(zip(patterns.classes, _fills(patterns), strict=True))
    bars = [
        Bar(f"{number}: {row[name]}", _percent(row["share"]), [(row["share"], fills[row[name]])])
        for number, row in enumerate(rows, start=1)
    ]
    yield _chart(f"Share of the positions that each rule covers: {heading}", [draw_bars("Bars of what rules cover", bars)])
    fields = (name, "positions", "share", "condition")
    numbered = [{"no.": number, **{field: row[field] for field in fields}} for number, row in enumerate(rows, start=1)]
    yield _table("Rules without exceptions", numbered)


def _tree(patterns: Patterns) -> Iterable[Element]:
    """The tree for people, and as SQL."""
    if patterns.tree is not None:
        yield element("h3", text="A small decision tree")
        yield element("pre", text=patterns.tree.text)
        yield element("p", text=tree_text(patterns, patterns.tree))
        yield element("pre", text=patterns.tree.sql)


def _chart(caption: str, drawn: Sequence[Element]) -> Element:
    return element("figure", element("figcaption", text=caption), *drawn, **{"class": "card"})


def _table(caption: str, rows: Sequence[Mapping[str, Any]]) -> Element:
    """Rows as a table with a caption; the first column names a row."""
    numeric = {name for name in rows[0] if all(isinstance(row[name], int | float | None) for row in rows)}

    def cell(tag: str, name: str, text: str, **attributes: str) -> Element:
        return element(tag, text=text, **attributes, **({"class": "n"} if name in numeric else {}))

    heads = [cell("th", name, name, scope="col") for name in rows[0]]
    body = [
        element(
            "tr",
            *(
                cell("th", name, _text(value), scope="row") if place == 0 else cell("td", name, _text(value))
                for place, (name, value) in enumerate(row.items())
            ),
        )
        for row in rows
    ]
    table = element("table", element("caption", text=caption), element("thead", element("tr", *heads)), element("tbody", *body))
    scroll = element("div", table, tabindex="0", role="region", **{"class": "scroll"})
    scroll.set("aria-label", caption)
    return scroll


def _text(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
