"""The script of tournaments and measurements of Hare & Hedgehog, in small."""

from __future__ import annotations

from pathlib import Path

import hare_tournaments as script
import pytest
from support.checks import at_least_one

from tablebase.play.state_players import open_state_player
from tablebase.search.lookahead import Lookahead


@pytest.mark.parametrize("name", sorted(script.MEETINGS))
def test_meetings_can_be_played(name: str) -> None:
    """Games, starts and players are such as there are; those of tables alone need tables."""
    for meeting in at_least_one(script.MEETINGS[name]()):
        game = script.rules(meeting.game)
        assert not meeting.start or game.to_move(game.parse(meeting.start)) == 0
        for player in meeting.players:
            if player != "tables":
                open_state_player(player, game, Path("nowhere")).close()


def test_parts_of_workers_are_the_tournament() -> None:
    """The games and the standings are the same, whichever process plays them."""
    meeting = script.Meeting("late", "harehedgehog", ("computer:depth=2", "random"), script.ENDGAME, 1)
    nowhere = Path("nowhere")
    alone = script.compare(meeting, 4, nowhere, 1)
    parts = [game for number in (0, 1) for game in script.play(meeting, 4, nowhere, 2, number)]
    assert sorted(parts, key=lambda game: game.fixture.number) == script.play(meeting, 4, nowhere, 1, 0)
    assert set(script.COLUMNS) == set(alone[0])


def test_nodes_are_counted_and_moves_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alpha-beta and sorting look at fewer states; a setting that changed a move would be noticed."""
    plain, sorting, pruned, both, cut = script.count_nodes(6, 3)
    assert plain["nodes"] == sorting["nodes"] > pruned["nodes"] > both["nodes"] >= cut["nodes"]
    assert [row["same moves"] for row in (plain, sorting, pruned, both)] == ["6 of 6"] * 4
    assert both["times fewer"] == plain["nodes"] / both["nodes"]
    search = Lookahead.search

    def other(self: Lookahead, state: tuple[int, ...], seed: int = 0) -> object:
        return search(self, state, seed + self.foresight.sort)

    monkeypatch.setattr(Lookahead, "search", other)
    with pytest.raises(SystemExit, match="sorting changes a move, a value or a line"):
        script.count_nodes(6, 3)


def test_speed_is_measured() -> None:
    """Beside what the article says."""
    article, *rows = script.measure_speed(3)
    assert (article["positions"], article["ms"], article["positions/s"]) == (100_000, 300, 333_333)
    assert len(at_least_one(rows)) == 5
    assert all(row["positions"] > 1 and row["ms"] > 0 for row in rows)
