"""The pages that a newcomer reads first: their length, their links, and that the index lists every page."""

import re
from pathlib import Path

import pytest
from support.checks import at_least_one

ROOT = Path(__file__).parents[2]
BUDGETS = {
    "README.md": 600,
    "CHANGELOG.md": 1000,
    "SECURITY.md": 250,
    "data/README.md": 180,
    "docs/README.md": 250,
    "docs/charts.md": 600,
    "docs/first-tables.md": 900,
    "docs/glossary.md": 860,
    "docs/install.md": 300,
    "docs/related-programs.md": 900,
    "docs/values-and-metrics.md": 600,
}
"""The largest number of words of each page, as `wc -w` counts them."""


def links(page: Path) -> list[str]:
    """Return the relative links of a page, without its code blocks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith("http")]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, formed as code hosts do."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", BUDGETS)
def test_a_page_keeps_to_its_budget(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").split()) <= BUDGETS[name]


@pytest.mark.parametrize("name", [*BUDGETS, "CONTRIBUTING.md", "docs/five-pieces.md", "docs/games.md", "docs/guide.md"])
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for link in at_least_one(links(page)):
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), link


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / link).resolve() for link in links(index)}
    assert {page for page in index.parent.glob("*.md") if page != index} <= listed
