"""The pages: their number of words, their links, and the list of them all."""

import re
from pathlib import Path
from tomllib import loads

import pytest
from support.checks import at_least_one

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUDGETS = {
    (DOCS / name).resolve(): most
    for pages in loads((DOCS / "pages.toml").read_text("utf-8")).values()
    for name, most in pages.items()
}
"""The largest number of words of each page."""
PAGES = [page for page in BUDGETS if page.suffix == ".md"]
RUN = ("empty", "root", "three", "tests")
"""Marks of pages with examples: where `.ci/run` runs them, or by a test."""


def text_of(page: Path) -> str:
    """Return a page without the marks before its first line."""
    return re.sub(r"\A---\n.*?\n---\n", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def links(page: Path) -> list[str]:
    """Return the relative links of a page, without its code."""
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith("http")]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, formed as code hosts do."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def name_of(page: Path) -> str:
    """Return the path of a page in the repository."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", BUDGETS, ids=name_of)
def test_a_page_keeps_to_its_budget(page: Path) -> None:
    assert len(text_of(page).split()) <= BUDGETS[page]


def test_every_page_is_listed() -> None:
    """The navigation is made from the list; generated pages are not in it."""
    found = {*ROOT.glob("*.md"), *ROOT.glob("data/*.md"), *DOCS.rglob("*.md"), *DOCS.glob("*.ipynb")}
    generated = {page for folder in ("generated", "project", "examples") for page in DOCS.joinpath(folder).rglob("*.md")}
    assert found - generated == BUDGETS.keys()
    assert not {DOCS / "search.md", DOCS / "genindex.md"} & found  # Sphinx writes pages with these names


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    """As files, too; those of the site are checked when it is built."""
    for link in links(page):
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), link


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == DOCS], ids=name_of)
def test_examples_are_marked(page: Path) -> None:
    """No page with commands is forgotten."""
    marks = re.findall(r"\A---\nexamples: (\w+)\n---\n", page.read_text(encoding="utf-8"))
    assert marks in [[one] for one in RUN] or (marks == [] and "\n```console\n" not in text_of(page))


def test_the_index_lists_every_page() -> None:
    index = DOCS / "index.md"
    listed = {(index.parent / link).resolve() for link in at_least_one(links(index))}
    assert {page for page in DOCS.glob("*.md") if page != index} <= listed
