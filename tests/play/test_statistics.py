"""Statistics of recorded games: by hand, and against a plain recount of random games of every kind."""

import gc
import statistics as plain
import tracemalloc
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.checks import at_least_one
from support.recorded import KINDS, records

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.installed import load_rules
from tablebase.game.rules import CHANCE, Rules
from tablebase.play import statistics
from tablebase.play.records import Record, record_of, records_in, replayed, write_record
from tablebase.play.statistics import ROWS, Spread, Statistics, spread


def collected(*games: Record, with_opening: bool = False) -> Statistics:
    """The statistics of games."""
    found = Statistics(with_opening=with_opening)
    for game in games:
        found.add(game)
    return found


def rows(found: Statistics, by: str) -> list[dict[str, Any]]:
    """Rows as data."""
    return [asdict(row) for row in found.rows(by)]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_spread_is_that_of_the_numbers(numbers: list[int]) -> None:
    found = spread(Counter(numbers))
    assert found.mean == pytest.approx(plain.fmean(numbers))
    assert found.deviation == pytest.approx(plain.pstdev(numbers))
    assert (found.least, found.median, found.most) == (min(numbers), plain.median(numbers), max(numbers))
    assert spread({}) == Spread(None, None, None, None, None)


PAWNS: Any = load_rules("hexapawn")
# A capture of a pawn by the second player, who then has reached the other side.
SHORT = Record("hexapawn", 1, ("a", "b"), "ppp/3/PPP w", 2, ("b1b2", "a3b2", "c1b2", "c3b2"), (1, 1), "draw: broken off")
WON = Record("hexapawn", 2, ("a", "b"), "3/P1p/3 w", 0, ("a2a3",), (1, 2), "White wins: goal")


def test_two_games_by_hand() -> None:
    """Of the first one, the two plies of its opening are left out, or counted."""
    [row] = rows(collected(SHORT, WON), "game")
    assert (row["game"], row["players"], row["games"], row["drawn"], row["opening"]) == ("hexapawn", 2, 2, 1, 1.0)
    assert [row[f"plies{name}"] for name in ("", "_sd", "_min", "_median", "_max")] == [1.5, 0.5, 1, 1.5, 2]
    assert [row[f"turns{name}"] for name in ("", "_sd", "_min", "_median", "_max")] == [1.5, 0.5, 1, 1.5, 2]
    # White takes or steps with either pawn; Black takes back or steps; in the other game, one pawn steps.
    assert row["choices"] == pytest.approx((4 + 2 + 1) / 3)
    assert (row["choices_min"], row["choices_median"], row["choices_max"]) == (1, 2.0, 4)
    assert (row["captures"], row["pieces_left"], row["chance"]) == (1.0, 2.5, 0.0)
    [whole] = rows(collected(SHORT, WON, with_opening=True), "game")
    assert (whole["opening"], whole["plies"], whole["turns"], whole["captures"]) == (0.0, 2.5, 2.5, 1.5)


def test_other_rows_by_hand() -> None:
    found = collected(SHORT, WON)
    assert rows(found, "seat") == [
        {"game": "hexapawn", "players": 2, "seat": 1, "side": "White", "games": 2, "wins": 1, "shared": 1}
        | {"win_share": 0.5, "place": 1.0},
        {"game": "hexapawn", "players": 2, "seat": 2, "side": "Black", "games": 2, "wins": 0, "shared": 1}
        | {"win_share": 0.0, "place": 1.5},
    ]
    assert [(row["ending"], row["games"], row["share"]) for row in rows(found, "ending")] == [
        ("broken off", 1, 0.5),
        ("goal", 1, 0.5),
    ]
    squares = rows(found, "square")
    assert [(row["square"], row["moves"], row["captures"]) for row in squares[:3]] == [("b2", 2, 2), ("a3", 1, 0), ("a1", 0, 0)]
    assert (len(squares), squares[0]["share"]) == (9, pytest.approx(2 / 3))
    assert [(row["piece"], row["name"], row["moves"], row["captures"], row["captured"]) for row in rows(found, "piece")] == [
        ("P", "White pawn", 2, 1, 1),
        ("p", "Black pawn", 1, 1, 1),
    ]
    assert rows(found, "chance") == []


def test_a_game_of_chance_by_hand() -> None:
    """Three players; a turn of two rolls, one of a lost roll, and one of holding, of which the first is the opening."""
    pig: Any = load_rules("pig-target=9-players=3")
    events = [("1", False), ("2", True), ("1", False), ("3", True), ("0", False), ("1", False), ("1", True), ("0", False)]
    game = record_of(pig, 1, "abc", pig.start, events, (1, 2, 2), "broken off", opening=1)
    [row] = rows(collected(game), "game")
    assert (row["players"], row["opening"], row["plies"], row["turns"], row["chance"]) == (3, 3.0, 2.0, 2.0, 1.0)
    assert (row["choices"], row["captures"], row["pieces_left"]) == (2.0, None, None)
    [whole] = rows(collected(game, with_opening=True), "game")
    assert (whole["opening"], whole["plies"], whole["turns"], whole["chance"]) == (0.0, 5.0, 3.0, 3.0)
    labels = rows(collected(game, with_opening=True), "chance")
    assert [(one["label"], one["meaning"], one["times"]) for one in labels] == [("2", "2", 1), ("3", "3", 1), ("1", "1", 1)]
    assert [row["place"] for row in rows(collected(game), "seat")] == [1.0, 2.0, 2.0]
    assert rows(collected(game), "square") == rows(collected(game), "piece") == []


@pytest.mark.parametrize("name", KINDS)
def test_random_games_are_as_a_plain_recount_says(name: str) -> None:
    games = records(name, 8)
    rules: Rules[Any] = load_rules(name)
    plies, turns, choices, chance, left = [], [], [], 0, 0
    for game in games:
        moments = list(replayed(rules, game))
        begin = next((place for place, moment in enumerate(moments) if moment.turn >= game.opening), len(moments) - 1)
        own = moments[begin:]
        moved = [moment for moment in own if moment.event is not None and moment.mover != CHANCE]
        plies.append(len(moved))
        turns.append(sum(rules.begins_turn(moment.position) for moment in own[1:]))
        choices += [len(rules.moves(moment.position)) for moment in moved]
        chance += sum(moment.mover == CHANCE for moment in own[:-1])
        left += len(moments[-1].position.pieces) if isinstance(rules, Game) else 0
    [row] = rows(collected(*games), "game")
    for key, numbers in (("plies", plies), ("turns", turns), ("choices", choices)):
        assert row[key] == pytest.approx(plain.fmean(at_least_one(numbers)))
        assert row[f"{key}_sd"] == pytest.approx(plain.pstdev(numbers))
        assert row[f"{key}_median"] == plain.median(numbers)
    assert row["chance"] == pytest.approx(chance / 8)
    assert row["pieces_left"] == (left / 8 if isinstance(rules, Game) else None)
    found = collected(*games)
    assert sum(row["share"] for row in rows(found, "ending")) == pytest.approx(1)
    for by in ("chance", "square", "piece"):
        assert not rows(found, by) or sum(row["share"] for row in rows(found, by)) == pytest.approx(1)


def test_kinds_of_games_are_apart() -> None:
    """Each game and number of players has rows of its own, whatever the order of the games."""
    one, three = records("harehedgehog", 2), records("harehedgehog-players=3", 1)
    found = collected(one[0], three[0], one[1])
    assert [(row["game"], row["players"], row["games"]) for row in rows(found, "game")] == [
        ("harehedgehog", 2, 2),
        ("harehedgehog-players=3", 3, 1),
    ]
    for by, kind in ROWS.items():
        assert all(isinstance(row, kind) for row in found.rows(by))
    with pytest.raises(TablebaseError, match="there is no game 'chess'"):
        collected(replace(WON, game="chess"))


@pytest.mark.release
def test_memory_does_not_grow_with_games(tmp_path: Path) -> None:
    """After some games, hundreds more need no memory worth mentioning, though their text has 100 kB."""
    file = tmp_path / "games"
    file.write_text("".join(map(write_record, records("hexapawn", 20))) * 25)
    found, used = Statistics(), []
    tracemalloc.start()
    for _ in range(2):
        for record in records_in(file):
            found.add(record)
        gc.collect()
        used.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert used[1] - used[0] < 10_000 < file.stat().st_size / 5
    assert rows(found, "game")[0]["games"] == 1000


def test_endings_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs may fail in any number of ways."""
    monkeypatch.setattr(statistics, "MOST_ENDINGS", 2)
    found = collected(*(replace(WON, why=f"White wins: {why}") for why in "abacad"))
    assert [(row["ending"], row["games"]) for row in rows(found, "ending")] == [("a", 3), ("others", 2), ("b", 1)]
