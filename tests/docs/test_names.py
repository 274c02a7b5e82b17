"""Pages name every player, and no option that does not exist."""

import re
from pathlib import Path
from typing import Any

from support.program import every_command

from tablebase.game.installed import load_rules
from tablebase.play.players import all_players, find_player, player_names

DOCS = Path(__file__).parents[2] / "docs"


def first_cells(page: str, heading: str) -> list[list[str]]:
    """Return the names in the first cell of each row below a heading, and whether the row says that tables are needed."""
    section = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return [[*re.findall(r"`([\w-]+)`", row.split(" | ")[0]), "needs tables" if "needs tables" in row else ""] for row in rows]


def test_every_player_has_its_line() -> None:
    """With its need of tables; settings are in the generated reference."""
    needs = {name: bool(needed) for *names, needed in first_cells("play.md", "Players") for name in names}
    assert needs == {record.name: record.needs_tables for record in all_players()}


def test_the_settings_of_the_computer_have_their_lines() -> None:
    """On the page about its game, with the names of all who can play that."""
    rules: Any = load_rules("harehedgehog")
    listed = [name for *names, _ in first_cells("harehedgehog.md", "Players") for name in names]
    assert sorted(listed) == sorted([*player_names(rules), *find_player("computer").settings_in(rules)])


def test_pages_name_no_other_option() -> None:
    """What looks like an option of the program, in any example of any page, is one."""
    commands: dict[str, Any] = every_command()
    known = {word for command in commands.values() for option in command.params for word in option.opts} | {"--help"}
    # The limits of tables are options of `build` and `estimate`.
    known |= {f"--{limit}" for name in ("harehedgehog", "mens_morris") for limit in load_rules(name).limits}
    examples = [line for page in sorted(DOCS.rglob("*.md")) for line in page.read_text(encoding="utf-8").splitlines()]
    runs = [line for line in examples if line.startswith("$ tablebase ")]
    assert len(runs) > 50
    assert {word for line in runs for word in re.findall(r"(?<=\s)--[a-z-]+", line.partition("|")[0])} <= known
