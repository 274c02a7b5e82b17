"""The tables of columns and fields in the documents name those that there are, and no others."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from tablebase.api.row_types import SliceRow
from tablebase.building.estimate import Estimate
from tablebase.building.records import EVENTS
from tablebase.catalog.schema import VIEW, Base

DOCS = Path(__file__).parents[2] / "docs"
OF_EVENTS = {"event", "time", "game"}
"""Fields of every line of the log, which the guide lists once."""
OF_SLICES = {"id", "slice_id", "game", "material", "side", "pieces"}
"""Columns of all three tables of patterns, which are listed once."""


def names_below(page: str, beginning: str) -> set[str]:
    """What the first table below a text names in its first column."""
    found = (DOCS / page).read_text(encoding="utf-8").partition(beginning)
    assert found[1], beginning
    table = found[2].partition("|---|---|\n")[2].partition("\n\n")[0]
    names = [name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split(" | ")[0])]
    assert len(names) == len(set(names)) > 2
    return set(names)


@pytest.mark.parametrize(
    ("page", "name"),
    [
        *(("guide.md", name) for name in ("games", "tables", "solutions", "slices", "distances")),
        *(("mining.md", name) for name in ("pattern_gains", "pattern_rules", "pattern_trees")),
    ],
)
def test_columns_of_the_catalog(page: str, name: str) -> None:
    """Each table of the catalog has the columns that are listed."""
    shared = OF_SLICES if name.startswith("pattern") else set()
    assert names_below(page, f"**{name}** — ") | shared == set(Base.metadata.tables[name].columns.keys())


def test_columns_of_the_view() -> None:
    """Those of the view are the fields of a slice, in answers, too."""
    assert names_below("guide.md", f"**{VIEW}** — ") == SliceRow.__annotations__.keys()


def test_fields_of_an_estimate() -> None:
    """Those of `estimate --format json`."""
    assert names_below("guide.md", "\n## Build\n") == {one.name for one in fields(Estimate)}


@pytest.mark.parametrize("kind", EVENTS, ids=EVENTS.get)
def test_fields_of_a_log(kind: type[object]) -> None:
    """Each sort of lines of `--json-log` has the fields that are listed."""
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    [line] = re.findall(rf"^\| `{EVENTS[kind]}` \| (.*) \|$", text, re.MULTILINE)
    # In brackets are values.
    listed = set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", line)))
    assert listed | OF_EVENTS == {one.name for one in fields(kind)} | {"event", "time"}  # type: ignore[arg-type]
