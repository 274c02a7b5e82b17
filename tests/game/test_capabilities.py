"""Capabilities and parts: what games support is data, kinds deliver the rest, and a further kind needs no change elsewhere."""

from copy import copy
from pathlib import Path
from typing import Any

import pytest
from support.checks import at_least_one

from tablebase.building.exact_kind import ExactTables
from tablebase.building.kind import table_kind
from tablebase.commands.registry import VERBS, check_verb, commands_for
from tablebase.errors import RulesError
from tablebase.game.capabilities import CAPABILITIES, OWNED, missing, part, refuse
from tablebase.game.installed import game_names, load_rules
from tablebase.play.players import all_players, player_names
from tablebase.probe.from_codes import CodesSource
from tablebase.probe.prober import Prober
from tablebase.web.pages.pictures import drawing

NOUGHTS = load_rules("noughts")


class Tables(ExactTables):
    """Tables of another kind."""


class Values(CodesSource[Any]):
    """Values of another kind."""


def on_page(_rules: Any, _position: Any, last: str | None) -> dict[str, Any]:
    return {"board": None, "picture": False, "alt": f"after {last}"}


def another() -> Any:
    rules = copy(NOUGHTS)
    own = {"tables": f"{__name__}:Tables", "values": f"{__name__}:Values", "page": f"{__name__}:on_page"}
    vars(rules).update(can=frozenset({"patterns", "search"}), parts={**NOUGHTS.parts, **own})
    return rules


def test_a_further_kind_needs_no_change_elsewhere(tmp_path: Path) -> None:
    """Verbs and players take it by its capabilities; tables, values and pages are its own."""
    rules = another()
    assert {"mine", "export", "plot", "analyse", "uci"} <= set(commands_for(rules))
    assert not {"count", "boxes"} & set(commands_for(rules))
    assert set(player_names(rules)) - set(player_names(NOUGHTS)) == {"engine"}
    assert type(table_kind(rules)) is Tables
    assert type(Prober(tmp_path).of(rules)) is Values
    assert drawing(rules, rules.initial, "1")["alt"] == "after 1"


def test_capabilities_are_known_and_used() -> None:
    """Games have no others, something needs each or asks for it, and each game lacks one."""
    games = [load_rules(name) for name in at_least_one(game_names())]
    needed = {verb.needs for verb in VERBS.values()} | {verb.http_needs for verb in VERBS.values()}
    needed |= {record.needs for record in all_players()}
    assert needed - {""} <= CAPABILITIES.keys()
    assert set().union(*(game.can for game in games)) == CAPABILITIES.keys()
    assert all(any(missing(game, name) for game in games) for name in CAPABILITIES)


@pytest.mark.parametrize("name", game_names())
def test_parts_are_there(name: str) -> None:
    rules = load_rules(name)
    assert {"tables", "values", "checks", "counts", "lines", "picture", "terminal", "page"} <= rules.parts.keys()
    for one in rules.parts:
        part(rules, one)


@pytest.mark.parametrize("name", game_names())
def test_refusals_name_the_capability(name: str) -> None:
    """A verb takes a game exactly if the game has the capability that it needs."""
    rules = load_rules(name)
    for verb in VERBS.values():
        if verb.needs in {"", *rules.can}:
            check_verb(verb.name, rules)
        else:
            with pytest.raises(RulesError, match=rf"which (does not support|has no) ({verb.needs}|{OWNED.get(verb.needs)}): "):
                check_verb(verb.name, rules)


def test_arguments_that_mean_nothing_are_refused() -> None:
    refuse(NOUGHTS, "chance", turns=None, strict=False)
    refuse(load_rules("pig"), "chance", turns=3)
    with pytest.raises(RulesError, match=r"^cannot use turns with noughts, which has no chance moves: leave out turns$"):
        refuse(NOUGHTS, "chance", turns=3)


def test_moves_in_words() -> None:
    """A board shows the pieces; a number has its meaning; a word that says it all stands alone."""
    for name, move, words in [("hexapawn", "a1a2", "a1a2"), ("pig", "1", "1 (roll)")]:
        rules = load_rules(name)
        assert rules.words(rules.initial, move) == words
    first = next(iter(NOUGHTS.moves(NOUGHTS.initial)))
    assert NOUGHTS.words(NOUGHTS.initial, str(first)) == str(first)


def test_what_a_move_does() -> None:
    """It captures, or enters terrain; of games by functions nothing is said."""
    game = load_rules("doushouqi")
    position = game.parse("7/7/7/7/7/3r3/3C3/7/7 w")
    assert [*game.made_by(position, "d3d4")] == ["capture"]
    assert [*game.made_by(game.parse("7/7/7/7/7/7/2R4/7/7 w"), "c3c2")] == []
    assert "trap" in game.made_by(game.parse("7/7/7/7/7/7/7/2R4/7 w"), "c2c1")
    assert [*NOUGHTS.made_by(NOUGHTS.initial, "1")] == []
