"""Pages name every player and setting, and no option that does not exist."""

import re
from pathlib import Path
from typing import Any

from support.program import every_command

from tablebase.game.installed import load_rules
from tablebase.play.players import all_players, find_player, player_names

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "guide.md").read_text(encoding="utf-8")


def commands() -> dict[str, Any]:
    """The commands of the program, by name."""
    found: dict[str, Any] = every_command()
    assert len(found) > 10
    return found


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
    known |= {f"--{limit}" for game in ("harehedgehog", "mens_morris") for limit in load_rules(game).limits}
    examples = [line for page in sorted(DOCS.rglob("*.md")) for line in page.read_text(encoding="utf-8").splitlines()]
    runs = [line for line in examples if line.startswith("$ tablebase ")]
    assert len(runs) > 50
    assert {word for line in runs for word in re.findall(r"(?<=\s)--[a-z-]+", line.partition("|")[0])} <= known
