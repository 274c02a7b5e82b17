"""The features of a position, as `probe`, Python and the page of the position show them."""

from pathlib import Path

import pytest
from support.html import said, shown
from support.program import Ask
from support.web import client_of
from twins.walk import box_measures

from tablebase.commands.tablebase import Tablebase
from tablebase.game import load_game
from tablebase.game.notation import parse

GAME = load_game("foxhounds-4x4")
WON, LOST = "2F1/4/4/1H1H f", "4/1H1H/2F1/4 f"


@pytest.mark.parametrize("text", [WON, LOST])
def test_probes_have_the_features_of_the_twin(foxes: Path, ask: Ask, text: str) -> None:
    """`Probe.features`, and `probe --with-features` in all three formats."""
    expected = box_measures(GAME, parse(GAME, text))
    with Tablebase(foxes) as tables:
        assert tables.probe(GAME, text).features() == expected
    words = ("probe", "foxhounds-4x4", text, "--with-features", "--data", foxes)
    assert ask(*words, "--format", "json").json[0]["features"] == expected
    (row,) = ask(*words, "--format", "csv").csv
    cells = {name: str(value).lower() for name, value in expected.items()}
    assert {name: row[name] for name in expected} == cells
    lines = ask(*words).out.splitlines()
    assert [line for line in lines if line.partition(":")[0] in cells] == [f"{name}: {value}" for name, value in cells.items()]


def test_only_those_who_ask_see_them(foxes: Path, ask: Ask) -> None:
    """What else is written of a position does not change."""
    words = ("probe", "foxhounds-4x4", WON, "--data", foxes)
    (answer,) = ask(*words, "--format", "json").json
    (more,) = ask(*words, "--format", "json", "--with-features").json
    assert {name: value for name, value in more.items() if name != "features"} == answer
    assert "foxbox" not in ask(*words).out


def test_a_position_without_an_answer_has_none(foxes: Path, ask: Ask) -> None:
    """Others beside it have theirs."""
    answer = ask("probe", "foxhounds-4x4", WON, "F3/4/4/4 f", "--with-features", "--format", "json", "--data", foxes)
    first, second = answer.json
    assert (answer.code, first["features"]["b"]) == (2, 0)
    assert set(second) == {"game", "position", "error"}


def test_features_are_words_where_they_have_them(two_pieces: Path) -> None:
    """The first to reach a den in an unobstructed race is named; what describes pieces is left out."""
    with Tablebase(two_pieces) as tables:
        assert tables.probe("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w").features() == {"first": "other"}


@pytest.mark.parametrize("game", ["hexapawn", "harehedgehog"])
def test_games_without_features(game: str, ask: Ask, tmp_path: Path) -> None:
    """Nothing is looked up first."""
    answer = ask("probe", game, "x", "--with-features", "--data", tmp_path)
    assert answer.errors == [f"error: {game} has no features that describe a whole position: leave out --with-features"]


def test_the_page_of_a_position(foxes: Path) -> None:
    """Each feature with what it tells and its value, also where the table is missing; nothing of a game without features."""
    with client_of(foxes) as client:

        def rows(address: str, status: int) -> list[list[str]]:
            page = shown(client, address, status)
            return [[said(cell) for cell in row] for row in page.iter("tr") if row.find("th/code") is not None]

        features = {feature.name: feature.about for feature in GAME.features}
        for address, status, values in (
            ("/foxhounds-4x4/position/2F1/4/4/1H1H_f", 200, ["yes", "0", "2", "4"]),
            ("/foxhounds-6x6/position/2F3/6/6/6/6/1H1H1H_f", 404, ["yes", "-1", "-1", "-1"]),
        ):
            expected = [[name, about, value] for (name, about), value in zip(features.items(), values, strict=True)]
            assert rows(address, status) == expected
        assert not rows("/hexapawn/position/ppp/3/PPP_w", 404)
