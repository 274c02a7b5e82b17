"""The command `match`."""

import sys
from pathlib import Path
from typing import Any

import pytest
from support import odd_engine
from support.program import Ask, assert_refused, files_of_at_most

from tablebase.game.installed import load_rules
from tablebase.play.records import records_in
from tablebase.play.standings import of_rounds
from tablebase.play.tournament import Conditions, tournament

WORDS = ("hexapawn", "--player", "engine:nodes=60", "--player", "engine:level=1", "--games", 6, "--opening", 1, "--data", "nowhere")


def test_a_match_of_pairs(ask: Ask, tmp_path: Path) -> None:
    """The same seed gives the same games; the rows add up, and the games are in the file."""
    files = [tmp_path / name for name in ("one", "other")]
    rows, again = (ask("match", *WORDS, "--output", file, "--format", "json").json for file in files)
    assert rows == again
    assert files[0].read_text() == files[1].read_text()
    first, second = rows
    assert [row["player"] for row in rows] == ["engine:nodes=60", "engine:level=1"]
    assert first["games"] == first["wins"] + first["draws"] + first["losses"] == 6
    assert (first["wins"], first["losses"]) == (second["losses"], second["wins"])
    assert first["share"] == pytest.approx((first["wins"] + first["draws"] / 2) / 6)
    assert first["share"] + second["share"] == pytest.approx(1)
    assert first["share_from"] + second["share_to"] == pytest.approx(1)
    texts = list(records_in(files[0]))
    won = sum(text.winner is not None and text.players[text.winner] == "engine:nodes=60" for text in texts)
    assert (len(texts), won) == (6, first["wins"])
    table = ask("match", *WORDS)
    assert table.out.split()[:7] == ["player", "games", "wins", "draws", "losses", "share", "forfeits"]


def test_a_full_disk_is_said_of_the_record(ask: Ask, tmp_path: Path) -> None:
    """The sentence names the file, though what is left of a game is written again when it is closed."""
    with files_of_at_most(100):
        answer = ask("match", *WORDS, "--output", tmp_path / "games")
    assert_refused(answer, 3, f"no space left for {tmp_path / 'games'}")


def test_forfeits_are_named(ask: Ask) -> None:
    engine = f"uci:{sys.executable} {odd_engine.__file__} illegal"
    answer = ask("match", *WORDS[:3], "--player", engine, "--games", 2, "--opening", 1, "--data", "nowhere", "--format", "json")
    assert [row["forfeits"] for row in answer.json] == [0, 2]
    assert "game 1: White wins: the engine " in answer.err
    assert "which is not a legal move" in answer.err


def test_a_match_in_rounds(ask: Ask) -> None:
    """What the standings say, in each format; the same seed gives the same."""
    names = ["computer:depth=1", "random"]
    words = ["harehedgehog", "55:30:0,52:30:0 1", "--player", names[0], "--player", names[1], "--games", 4, "--seed", 9]
    words += ["--opening", 2, "--data", "nowhere"]
    rules: Any = load_rules("harehedgehog")
    start = rules.parse("55:30:0,52:30:0 1")
    expected = of_rounds(names, list(tournament(rules, names, 4, Conditions(start, 2, 9, Path("nowhere")))))
    assert ask("match", *words, "--format", "json").json == expected
    found = ask("match", *words, "--format", "csv").csv
    assert [row["share"] for row in found] == [str(row["share"]) for row in expected]
    table = ask("match", *words)
    assert (table.code, table.err) == (0, "")
    assert table.out.splitlines()[0].split() == ["player", "games", "wins", "rank", "place", "share", "broken", "off"]
    for name, digits in (("rank", 0), ("place", 2), ("share", 3)):
        number, low, high = (f"{expected[0][name + bound]:.{digits}f}" for bound in ("", "_from", "_to"))
        assert f"{number} ({low} to {high})" in table.out
