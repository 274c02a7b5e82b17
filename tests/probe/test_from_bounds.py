"""Games with chance from Python: the same functions and answers as for pieces; chunks are unpacked once, tables come and go."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.program import Ask

import tablebase
from tablebase.errors import MissingTableError, TablebaseError
from tablebase.functions.chance.files import LayerFile
from tablebase.game.installed import load_rules
from tablebase.game.rules import legal
from tablebase.game.values import Bounds

PIG = "pig-die=2-target=3"
START = "0,0 1 0"


def test_a_chunk_is_unpacked_once(piglet_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked: Counter[Any] = Counter()
    unpack = LayerFile.chunk

    def counted(file: LayerFile, name: str, number: int) -> Any:
        unpacked[name, number] += 1
        return unpack(file, name, number)

    monkeypatch.setattr(LayerFile, "chunk", counted)
    with tablebase.open(piglet_tables) as tables:
        answers = [tables.probe(PIG, START).to_dict() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert set(unpacked.values()) == {1}


def test_tables_come_and_go(piglet_tables: Path, tmp_path: Path) -> None:
    """One that is built while others are open is asked, and one that is gone is missing."""
    folder = tmp_path / "tables"
    shutil.copytree(piglet_tables, folder, ignore=shutil.ignore_patterns("*.h5"))
    with tablebase.open(folder) as tables:
        for _ in range(2):
            with pytest.raises(MissingTableError):
                tables.probe(PIG, START)
            shutil.copytree(piglet_tables, folder, dirs_exist_ok=True)
            assert tables.probe(PIG, START).value.lower > 0
            for path in folder.rglob("*.h5"):
                path.unlink()


def test_every_function_takes_a_game_with_chance(piglet_tables: Path, ask: Ask) -> None:
    """Value, moves, many positions and the likeliest line; what commands write of them is the same."""
    with tablebase.open(piglet_tables) as tables:
        answer = tables.probe(PIG, START, turns=2)
        assert isinstance(answer.value, Bounds)
        assert tables.probe_value(PIG, START) == tables.get_value(PIG, START) == answer.value
        assert answer.within is not None
        assert answer.within.bounds.lower <= answer.value.lower
        [shown] = ask("probe", PIG, START, "--turns", "2", "--data", piglet_tables, "--format", "json").json
        assert shown == json.loads(json.dumps(answer.to_dict()))
        assert answer.value.said in answer.verdict
        line = tables.line(PIG, START, 6)
        assert [row["ply"] for row in line.to_dict()] == list(range(7))
        assert line[1].step is not None
        assert line[1].step[0] in {draw.label for draw in line[1].draws}
        answers = tables.probe_many(PIG, [START, "nonsense", START])
        assert list(answers.errors) == []
        assert [answer.to_dict() for answer in answers] == list(answers.to_dicts())
        assert list(answers.errors) == [1]
        assert answers[::2] == [tables.probe(PIG, START)] * 2
        assert all("moves" not in fields for fields in answers.to_dicts(moves=False))


def test_what_a_game_with_chance_has_not(piglet_tables: Path) -> None:
    """Positions that are no text; and other games have no chances within turns."""
    with tablebase.open(piglet_tables) as tables:
        assert tables.probe(PIG, START)._repr_html_().count("<svg ") == 1
        for refused in (
            lambda: tables.probe(PIG, (0, 0, 1, 0)),
            lambda: tables.probe("hexapawn", "ppp/3/PPP w", turns=2),
            lambda: tables.probe_many("hexapawn", ["ppp/3/PPP w"], turns=2),
        ):
            with pytest.raises(TablebaseError):
                refused()


def test_a_move_in_words() -> None:
    """Of pieces, which one moves and what it takes; of functions, what their author says."""
    game = load_rules("doushouqi")
    position = game.parse("7/7/7/7/7/R6/r6/7/7 w")
    assert game.move_text(position, "a4a5") == "rat"
    assert game.move_text(position, "a4a3") == "rat takes rat"
    pig = load_rules(PIG)
    assert [pig.move_text(pig.initial, move) for move in legal(pig, pig.initial)] == ["hold", "roll"]
