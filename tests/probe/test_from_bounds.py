"""Probers of states that stay open: chunks are unpacked once, and tables that come and go are noticed."""

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tablebase
from tablebase.errors import MissingTableError
from tablebase.stochastic.files import LayerFile

PIG = "pig-die=2-target=3"
START = "0,0 1 0"


def test_a_chunk_is_unpacked_once(piglet_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked: Counter[Any] = Counter()
    unpack = LayerFile._chunk_of

    def counted(file: LayerFile, player: int, number: int) -> Any:
        unpacked[player, number] += 1
        return unpack(file, player, number)

    monkeypatch.setattr(LayerFile, "_chunk_of", counted)
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
