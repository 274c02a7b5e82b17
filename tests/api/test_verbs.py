"""The list of verbs, compared with the command line, with Python, and with the answers over HTTP."""

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from support.checks import at_least_one
from support.program import Ask
from support.web import client_of

import tablebase
from tablebase.api.tablebase import Tablebase
from tablebase.api.verbs import VERBS, Verb, check_verb, commands_for
from tablebase.charts.figures import CHARTS
from tablebase.cli import COMMANDS, program
from tablebase.errors import RulesError
from tablebase.game.installed import load_rules
from tablebase.patterns.pattern_search import Settings

LISTED = [verb for verb in VERBS if verb.is_command]
OF_PYTHON = {"format"}
"""Options that say how rows are written."""
OF_TABLEBASE = {"data", "catalog", "size", "variant"}
"""An open tablebase has a folder, and takes a variant as part of the name of a game."""


MORE = {
    "patterns": {one.name for one in fields(Settings)},
    "plot": {name for chart in CHARTS.values() for name in inspect.signature(chart).parameters} - {"threads"},
}
"""Arguments that are passed on by name."""


def options_of(name: str) -> set[str]:
    """The arguments and options of a command, as Python would call them."""
    params = [one for one in program(name).commands[name].params if not getattr(one, "hidden", False)]
    names = [one.name if one.param_type_name == "argument" else max(one.opts, key=len) for one in params]
    return {name.lstrip("-").replace("-", "_") for name in names}


def form_of(verb: Verb) -> Any:
    """The function of Python."""
    owner, _, name = verb.python.partition(".")
    return getattr(Tablebase if owner == "Tablebase" else tablebase, name)


def test_all_commands_are_listed() -> None:
    assert [verb.name for verb in LISTED] == list(COMMANDS)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_python_has_them_with_the_same_words(verb: Verb) -> None:
    """Each has a function of the same name with the same arguments; all differences are listed with a reason, and no others."""
    if not verb.python:
        assert verb.why
        return
    parameters = inspect.signature(form_of(verb)).parameters
    if not verb.is_command:
        return
    assert verb.python.rpartition(".")[2] == verb.name.replace("-", "_")
    left_out = OF_PYTHON | (OF_TABLEBASE if verb.python.startswith("Tablebase.") else set())
    known = set(parameters) | MORE.get(verb.name, set())
    assert options_of(verb.name) - left_out - known == set(verb.differs)
    assert all(verb.differs.values())


def test_what_games_lists(ask: Ask) -> None:
    """The column `commands` has the verbs without an objection."""
    rows = {row["game"]: row["commands"] for row in ask("games", "--format", "json").json}
    assert rows["hexapawn"] == "all"
    assert rows["pig"].split() == list(commands_for(load_rules("pig")))
    assert "mine" not in rows["pig"].split()


def test_one_sentence_everywhere(two_pieces: Path) -> None:
    """Python and HTTP refuse a game with the objection that the list has, as commands do."""
    rules = load_rules("pig")
    given = {"statement": "SELECT 1", "material": "RvC", "pieces": 2}
    with Tablebase(two_pieces) as tables, client_of(two_pieces, mine=True) as client:
        for verb in at_least_one([one for one in VERBS if (one.http_objection or one.objection)(rules) is not None]):
            with pytest.raises(RulesError, match="because it has no pieces on squares") as fault:
                check_verb(verb.name, rules, over_http=True)
            sent = {name: value for name, value in given.items() if verb.name in NEEDS.get(name, ())}
            answer = client.post("/api/v1/mine", json={"game": "pig", **sent}) if verb.name == "mine" else None
            if verb.name in OVER_HTTP:
                answer = client.get(f"/api/v1/{verb.name}", params={"game": "pig", **sent})
            if answer is not None:
                assert (answer.status_code, answer.json()["detail"]) == (400, str(fault.value))
            if verb.name in ("count", "prove"):
                with pytest.raises(RulesError) as said:
                    form_of(verb)("pig")
                assert str(said.value) == str(fault.value)
            if verb.name in ("features", "patterns"):
                with pytest.raises(RulesError) as said:
                    form_of(verb)(tables, "pig")
                assert str(said.value) == str(fault.value)


OVER_HTTP = ("count", "estimate", "materials", "material", "records")
NEEDS = {"statement": ("mine",), "material": ("material",), "pieces": ("estimate",)}


def test_functions_of_python(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """They return the rows that commands write as JSON."""
    assert tablebase.games() == ask("games", "--format", "json").json
    counted = ask("count", "hexapawn", "--format", "json").json[0]
    assert tablebase.count("hexapawn") == {name: value for name, value in counted.items() if name != "seconds"}
    divided = ask("perft", "hexapawn", "--depth", 2, "--divide", "--format", "json").json
    assert tablebase.perft("hexapawn", depth=2, divide=True) == divided
    words = ("match", "hexapawn", "--player", "ranking", "--player", "random", "--games", 4)
    games = tmp_path / "games"
    rows = tablebase.match("hexapawn", player=["ranking", "random"], games=4, output=games, data=two_pieces)
    assert list(rows) == ask(*words, "--data", two_pieces, "--format", "json").json
    assert len(rows.played) == 4
    assert tablebase.match_stats(games, by="seat") == ask("match-stats", games, "--by", "seat", "--format", "json").json
    proved = ask("prove", "hexapawn", "--format", "json").json[0]
    found = tablebase.prove("hexapawn")
    assert {**found, "seconds": 0} == {**proved, "seconds": 0}
    assert not [result for result in tablebase.check_rules("pig", variant="target=4") if result.failure]


def test_mine_is_query(two_pieces: Path) -> None:
    with Tablebase(two_pieces) as tables:
        statement = "SELECT count(*) FROM positions WHERE material = 'RvC'"
        assert tables.mine("doushouqi", statement).fetchall() == tables.query("doushouqi", statement).fetchall()
        assert "first" in [feature.name for feature in tables.features("doushouqi")]
