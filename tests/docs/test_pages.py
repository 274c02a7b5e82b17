"""Pages: their length and links, and that they name every command, option, column and field, and none that there is not."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from support.checks import at_least_one
from support.program import every_command

from tablebase.building.estimate import Estimate
from tablebase.building.records import EVENTS
from tablebase.catalog.schema import METADATA, VIEW
from tablebase.commands.row_types import SliceRow
from tablebase.game.installed import load_rules
from tablebase.play.players import all_players, find_player, player_names
from tablebase.play.statistics import ROWS

ROOT = Path(__file__).parents[2]
BUDGETS = {
    "README.md": 600,
    "CHANGELOG.md": 1000,
    "SECURITY.md": 250,
    "data/README.md": 180,
    "docs/README.md": 250,
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


DOCS = ROOT / "docs"
GUIDE = (DOCS / "guide.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("\n## Commands and options\n")[2].partition("\n## ")[0]


def commands() -> dict[str, Any]:
    """The commands of the program, by name."""
    found: dict[str, Any] = every_command()
    assert len(found) > 10
    return found


def options_of(command: Any) -> list[Any]:
    """The options of a command that its help shows, except the one of all commands."""
    found = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    assert found.pop(next(place for place, one in enumerate(found) if one.name == "quiet"))
    return found


def rows() -> list[list[str]]:
    """The cells of the section's tables, headings left out."""
    lines = [line for line in SECTION.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_every_command_has_its_line() -> None:
    listed = [row for row in rows() if len(row) == 3]
    assert {row[0].strip("`").split()[0] for row in listed} == set(commands())
    for usage, _, options in listed:
        command = commands()[usage.strip("`").split()[0]]
        arguments = [parameter.metavar for parameter in command.params if parameter.param_type_name == "argument"]
        assert usage.strip("`") == " ".join([command.name, *arguments])
        assert set(re.findall(r"`(--[a-z-]+)`", options)) == {option.opts[0] for option in options_of(command)}


def test_every_option_has_its_line() -> None:
    """Each option once, with a value exactly if it takes one; `--log` of one command takes one, and that of another does not."""
    listed = [(words[0], len(words) == 1) for words in (row[0].strip("`").split() for row in rows() if len(row) == 2)]
    options = [one for command in commands().values() for one in options_of(command)]
    assert sorted(listed) == sorted({(option.opts[0], option.is_flag) for option in options})


def test_every_player_has_its_line() -> None:
    """Whether it needs tables, and its settings as options."""
    section = GUIDE.partition("\n### Players\n")[2].partition("\n#")[0]
    listed = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line.startswith("| `")]
    by_name = {row[0].strip("`"): row for row in listed}
    assert by_name.keys() == set(player_names())
    for record in all_players():
        row = by_name[record.name]
        assert row[3] == ("yes" if record.needs_tables else "no")
        options, _, others = row[4].partition("as settings")
        shown = {*re.findall(r"`--([a-z-]+)`", options), *re.findall(r"`([a-z]+)`", others)}
        assert shown == (set() if "harehedgehog.md#players" in row[4] else set(record.settings))


def test_the_settings_of_the_computer_have_their_lines() -> None:
    """On the page about its game, with the names of all who can play that."""
    page = (DOCS / "harehedgehog.md").read_text(encoding="utf-8")
    section = page.partition("\n## Players\n")[2].partition("\n## ")[0]
    listed = {line.split(" | ")[0].strip("| `") for line in section.splitlines() if line.startswith("| `")}
    rules: Any = load_rules("harehedgehog")
    assert listed == {*player_names(rules), *find_player("computer").settings_in(rules)}


def test_pages_name_no_other_option() -> None:
    """What looks like an option of the program, in any example of any page, is one."""
    known = {word for command in commands().values() for option in command.params for word in option.opts} | {"--help"}
    # The limits of tables are options of `build` and `estimate`.
    known |= {f"--{limit}" for limit in load_rules("harehedgehog").limits}  # type: ignore[union-attr]
    examples = [line for page in sorted(DOCS.rglob("*.md")) for line in page.read_text(encoding="utf-8").splitlines()]
    runs = [line for line in examples if line.startswith("$ tablebase ")]
    assert len(runs) > 50
    assert {word for line in runs for word in re.findall(r"(?<=\s)--[a-z-]+", line.partition("|")[0])} <= known


# Columns and fields

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
    shared = OF_SLICES if name.startswith("pattern") else set()
    assert names_below(page, f"**{name}** — ") | shared == set(METADATA.tables[name].columns.keys())


def test_columns_of_the_view() -> None:
    """Those of the view are the fields of a slice, in answers, too."""
    assert names_below("guide.md", f"**{VIEW}** — ") == SliceRow.__annotations__.keys()


@pytest.mark.parametrize("by", ROWS)
def test_fields_of_statistics(by: str) -> None:
    """Those that all rows have are listed once."""
    shared = set() if by == "game" else {"game", "players"}
    beginning = "which has these fields as JSON and CSV" if by == "game" else f"\n`--by {by}`: "
    assert names_below("guide.md", beginning) | shared == {one.name for one in fields(ROWS[by])}


def test_fields_of_an_estimate() -> None:
    assert names_below("guide.md", "\n## Build\n") == {one.name for one in fields(Estimate)}


@pytest.mark.parametrize("kind", EVENTS, ids=EVENTS.get)
def test_fields_of_a_log(kind: type[object]) -> None:
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    [line] = re.findall(rf"^\| `{EVENTS[kind]}` \| (.*) \|$", text, re.MULTILINE)
    # In brackets are values.
    listed = set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", line)))
    assert listed | OF_EVENTS == {one.name for one in fields(kind)} | {"event", "time"}  # type: ignore[arg-type]
