"""The reference that scripts/docs generates: it leaves nothing out, and names nothing that does not exist."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
from support.program import every_command

import tablebase
from scripts.docs import python, reference
from tablebase.building import batch, records
from tablebase.building.estimate import SliceEstimate
from tablebase.catalog.schema import METADATA, VIEW
from tablebase.commands import row_types
from tablebase.game import load_game
from tablebase.mining.columns import columns, columns_of_moves
from tablebase.play.learning.self_play import Measure
from tablebase.play.players import all_players
from tablebase.play.statistics import GAME, ROWS
from tablebase.positions.location import slices

ROOT = Path(__file__).parents[2]


def names_in_code() -> dict[str, set[str]]:
    """Return the names of fields, columns, keys and variables by section."""
    game = load_game("hexapawn")
    positions = columns(game, slices(game, 2), ())
    package = "".join(path.read_text(encoding="utf-8") for path in ROOT.joinpath("tablebase").rglob("*.py"))
    return {
        "rows.estimate": {one.name for one in fields(SliceEstimate)},
        "rows.train": {one.name for one in fields(Measure)},
        "mine.positions": {name for name, column in positions.items() if column.feature is None} | {"features"},
        "mine.moves": set(columns_of_moves(game, positions)),
        "environment.variables": {*re.findall(r'"(TABLEBASE_[A-Z]+|FORWARDED_\w+|NUMBA_DISABLE\w+)"', package)},
        "batch.file": {*batch.TOP},
        "batch.build": {*batch.BUILD},
        "batch.then": {*batch.THEN},
        f"catalog.{VIEW}": {*row_types.SliceRow.__annotations__},
        **{f"catalog.{name}": {*map(str, one.columns.keys())} for name, one in METADATA.tables.items()},
        **{
            f"log.{name}": {one.name for one in fields(kind)} - {"game"} | {"event", "time"}
            for kind, name in records.EVENTS.items()
        },
        **{f"statistics.{by}": {*row, *(GAME if by == "game" else ())} for by, row in ROWS.items()},
    }


def sections() -> dict[str, set[str]]:
    """Return the names that have a meaning, by section; a text about the section is none."""
    parts = {f"{page}.{part}": rows for page, tables in reference.MEANINGS.items() for part, rows in tables.items()}
    return {name: {one for names in rows for one in names.split(", ") if names != "about"} for name, rows in parts.items()}


@pytest.mark.parametrize("section", names_in_code())
def test_every_name_has_a_meaning(section: str) -> None:
    assert sections()[section] == names_in_code()[section]


def test_python_is_complete() -> None:
    """Every public name, and every method of an open tablebase, inherited ones included."""
    listed = python.reference()["python"]
    assert set(re.findall(r"^\.\. auto\w+:: tablebase\.(\w+)$", listed, re.MULTILINE)) == set(tablebase.__all__)
    [members] = re.findall(r"^\.\. autoclass:: tablebase\.Tablebase\n   :members: (.*)$", listed, re.MULTILINE)
    assert set(members.split(", ")) == {name for name in dir(tablebase.Tablebase) if not name.startswith("_")}


def test_commands_are_complete() -> None:
    """With all their options."""
    parts = dict(re.findall(r"^### tablebase (\S+)\n(.*?)(?=^##|\Z)", reference.commands(), re.MULTILINE | re.DOTALL))
    commands = every_command()
    assert parts.keys() == commands.keys()
    for name, text in parts.items():
        options = {option.opts[0] for option in commands[name].params if option.param_type_name == "option" and not option.hidden}
        assert set(re.findall(r"^\| `(--[a-z-]+)", text, re.MULTILINE)) == options


def test_players_and_routes_are_there() -> None:
    assert {one.name for one in all_players()} <= set(re.findall(r"^\| `(\w+)` \|", reference.players(), re.MULTILINE))
    assert "### POST /api/v1/mine" in reference.http()
