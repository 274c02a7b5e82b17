"""Zugzwang as a column: rows that are read for it alone, or looked up; its values are those of the twin in `test_mining`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.queries import mined

from tablebase.game import Game, load_game
from tablebase_rules.doushouqi import game as doushouqi

JUNGLE = doushouqi()
PAWNS = load_game("hexapawn")


def test_zugzwang_of_positions_by_name(hexapawns: Path) -> None:
    """A position that is looked up has the column, too."""
    found = mined(PAWNS, hexapawns, "SELECT position, zugzwang FROM positions WHERE zugzwang IS NOT NULL")
    assert {value for _, value in found} <= {True, False}
    named = ", ".join(f"'{text}'" for text, _ in found[::50])
    again = mined(PAWNS, hexapawns, f"SELECT position, zugzwang FROM positions WHERE position IN ({named})")
    assert sorted(again) == sorted(found[::50])


ON_ZUGZWANG = [
    *("zugzwang", "zugzwang AND outcome = 'loss'", "t.zugzwang AND t.distance > 2 AND t.side = 'w'"),
    *("zugzwang OR outcome = 'win'", "NOT zugzwang", "zugzwang IS NULL", "zugzwang = (outcome = 'draw')"),
]


@pytest.mark.parametrize("table", ["positions", pytest.param("distinct_positions", marks=pytest.mark.full)])
@pytest.mark.parametrize(("game", "fixture"), [(JUNGLE, "two_pieces"), (PAWNS, "hexapawns")], ids=["doushouqi", "hexapawn"])
def test_only_zugzwang_is_read(game: Game, fixture: str, table: str, request: pytest.FixtureRequest) -> None:
    """A condition that leaves out rows before they are made leaves the rows for which it holds, also beside other references."""
    folder = request.getfixturevalue(fixture)
    counts = ", ".join(f"count(*) FILTER (WHERE {one}), sum(distance) FILTER (WHERE {one})" for one in ON_ZUGZWANG)
    [every] = mined(game, folder, f"SELECT {counts} FROM {table} AS t")
    for place, condition in enumerate(ON_ZUGZWANG):
        some = f"SELECT count(*), sum(distance) FROM {table} AS t WHERE {condition}"
        assert mined(game, folder, some) == [every[2 * place : 2 * place + 2]], condition
    rest = f"SELECT count(*) FROM {table} WHERE distance >= 0"
    beside = ", ".join(f"(SELECT count(*) FROM {table} AS t WHERE {condition})" for condition in ON_ZUGZWANG)
    assert mined(game, folder, f"SELECT {beside}, ({rest})") == [(*every[::2], *mined(game, folder, rest)[0])]
