"""Sheets of probes and lines: which positions, with which arrows and captions; captions are read from what `sheet` is given."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.games import random_games
from support.pictures import SVG, parsed

import tablebase
from tablebase import svg
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import NotationError, RulesError, TablebaseError
from tablebase.game import load_game
from tablebase.game.installed import load_rules
from tablebase.game.types import Outcome
from tablebase.game.values import Value
from tablebase.probe.answers import Probe

START = "ppp/3/PPP w"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The pictures and captions of the sheets that are made."""
    found: list[tuple[str, str]] = []
    real = svg.sheet

    def sheet(boards: Sequence[Any], **options: Any) -> Any:
        found.extend(boards)
        return real(boards, **options)

    monkeypatch.setattr("tablebase.svg.sheets.sheet", sheet)
    return found


def is_only(probe: Probe) -> bool:
    """Whether only one of several moves keeps a win or a draw, by the values of the moves."""
    kept = [move for move in probe.moves if isinstance(move.value, Value) and move.value.outcome is probe.outcome]
    return probe.outcome is not Outcome.LOSS and len(probe.moves) > 1 and len(kept) == 1


def test_key_positions_of_a_line(pawn_tables: Tablebase, given: list[tuple[str, str]]) -> None:
    """The first and the last, captures, and each ply with an only move; with the moves before and after."""
    line = pawn_tables.line("hexapawn", START)
    sheet = line.sheet()
    assert [caption for _, caption in given] == [
        "0: start\nwon by Black in 6\nnext b1b2",
        "2: after a3b2, capture\nwon by Black in 4\nnext c1b2",
        "3: after c1b2, capture\nwon by Black in 3\nnext c3c2 (only move)",
        "5: after a1a2\nwon by Black in 1\nnext c2c1 (only move)",
        "6: after c2c1, end\nwon by Black",
    ]
    assert [is_only(probe) for probe in line] == [False, False, False, True, False, True]
    assert [len(probe.asked.pieces) for probe in line] == [6, 6, 5, 4, 4, 4]
    third = svg.board("hexapawn", line[2].position, last_move="a3b2", arrows=["c1b2"])
    assert given[1][0] == third
    assert sheet.title == "Hexapawn: 5 key positions of the best line\nfrom ppp/3/PPP w"
    given.clear()
    every = line.sheet(every=True, page="letter", theme="mono")
    assert len(given) == 7
    assert [caption.partition(":")[0] for _, caption in given] == [*"0123456"]
    assert given[4] == (svg.board("hexapawn", line[4].position, last_move="c3c2", arrows=["a1a2"], theme="mono"), given[4][1])
    assert every.title.startswith("Hexapawn: the best line, plies 0 to 6\n")


def test_moves_into_terrain(tables: Tablebase, given: list[tuple[str, str]]) -> None:
    """They are named by it; a line that is cut has a last position, which is no end."""
    line = tables.line("doushouqi", "7/7/7/7/7/7/7/R2c3/7 b")
    line.sheet()
    assert [caption for _, caption in given] == ["0: start\nwon by Black in 1\nnext d2d1", "1: after d2d1, den, end\nwon by Black"]
    given.clear()
    tables.line("doushouqi", "7/7/7/7/3c3/7/7/R6/7 w", 6).sheet()
    assert [caption.splitlines()[0] for _, caption in given] == ["0: start", "6: after d3d2, trap, last"]
    assert [caption.splitlines()[2] for _, caption in given] == ["next a2a1", "next a1a2"]


def test_every_only_move_is_marked(foxes: Path, given: list[tuple[str, str]]) -> None:
    """Also where a player has had no choice at the move before."""
    with tablebase.open(foxes) as tables:
        rules = load_game("foxhounds-4x4")
        runs = 0
        for position in random_games(rules, 1, 20):
            given.clear()
            line = tables.line(rules, position)
            line.sheet()
            only = {ply for ply, probe in enumerate(line) if is_only(probe)}
            assert {int(caption.partition(":")[0]) for _, caption in given if "only move" in caption} == only
            runs += sum(ply + 2 in only for ply in only)
        assert runs


def test_positions_with_values_and_best_moves(pawn_tables: Tablebase, given: list[tuple[str, str]]) -> None:
    """Numbered; also one after the last move, which has no arrow. One without an answer is an error, as in `answer`."""
    asked = [START, "ppp/1P1/P1P b", "1p1/PP1/2p w"]
    pawn_tables.probe_many("hexapawn", asked).sheet()
    assert [caption for _, caption in given] == [
        "1: won by Black in 6\nnext b1b2",
        "2: won by Black in 5\nnext a3b2",
        "3: won by Black",
    ]
    assert given[1][0] == svg.board("hexapawn", asked[1], arrows=["a3b2"])
    assert given[2][0] == svg.board("hexapawn", asked[2])
    with pytest.raises(NotationError, match="'x'"):
        pawn_tables.probe_many("hexapawn", [START, "x"]).sheet()
    with pytest.raises(TablebaseError, match="1 to 1,000 boards, not 0"):
        pawn_tables.probe_many("hexapawn", []).sheet()


def test_games_by_functions_are_shown_as_they_draw_themselves(tmp_path: Path) -> None:
    """Noughts and crosses with pictures of its own; Awari has none, and is refused."""
    tablebase.build("noughts", data=tmp_path)
    tablebase.build("awari", variant=["pits=2", "seeds=1"], data=tmp_path)
    with tablebase.open(tmp_path) as tables:
        line = tables.line("noughts", ".../.../...")
        root = parsed(line.sheet(every=True)[0])
        assert len(root.findall(f"{SVG}svg")) == 10
        assert tables.probe_many("noughts", ["x../.../..."]).sheet().title == "Noughts and crosses: 1 position"
        awari = "awari-pits=2-seeds=1"
        start = load_rules(awari).initial
        with pytest.raises(RulesError, match="not support pictures: use text or JSON"):
            tables.line(awari, start).sheet()
