"""Exact counts of real boards, as they are known and as the command shows them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.checks import before_release
from support.counts import naive_count
from support.program import Answer

from tablebase.compute import threads
from tablebase.game import Escape, load_game
from tablebase.game.notation import parse
from tablebase.graph import counting as walks
from tablebase.graph.counting import count, primes
from tablebase.graph.forcing import solve
from tablebase.graph.reachable import reachable

Ask = Callable[..., Answer]
PRIMES = primes(272)
FIELDS = ["game", "reachable", "final", "games"]


@pytest.mark.release
def test_fox_and_hounds_on_ten_by_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest board of the article; its games by one prime only, since all that are needed take half a minute."""
    monkeypatch.setattr(walks, "primes", lambda _: PRIMES[:1])
    with threads.use(2):
        found = count(load_game("foxhounds-10x10"))
    assert found.reachable == 69_575_678
    assert found.games == 70297467696717584052559348316424667585035088022072598144 % PRIMES[0]


@pytest.mark.parametrize(
    ("early", "states", "possible", "share"),
    [
        ("default", 778_341, 2_479_385_048_689_677_432_127_960_469_169, 1.49),
        pytest.param("article", 776_247, 1_101_226_120_421_767_687_787_600_873_400, 3.44, marks=pytest.mark.full),
        pytest.param("none", 895_280, 1_586_542_365_057_189_311_556_076_565_896_156, 0.006, marks=pytest.mark.full),
    ],
)
def test_hasenspiel(early: str, states: int, possible: int, share: float) -> None:
    """States, possible games and the percentage of them that Black wins, under each reading of the early win."""
    found = count(load_game(f"hasenspiel-early={early}"))
    assert (found.reachable, found.games) == (states, possible)
    assert sum(found.won) == possible
    assert round(100 * found.won[1] / possible, 3 if early == "none" else 2) == share


@pytest.mark.full
def test_black_wins_hasenspiel_in_44_plies() -> None:
    """White to move loses the start, and 7.57 % of the states are won for Black."""
    found = solve(reachable(load_game("hasenspiel")))
    assert (found.winner[0], found.distance[0]) == (1, 44)
    assert round(100 * float((found.winner == 1).mean()), 2) == 7.57


@pytest.mark.parametrize(
    ("size", "positions", "possible", "winner", "plies"),
    [
        ("3x3", 135, 134, 1, 6),
        ("4x3", 1_128, 3_610, 0, 5),
        ("3x4", 987, 5_022, 1, 8),
        pytest.param("4x4", 20_286, 2_330_356, 0, 11, marks=pytest.mark.full),
        *before_release(
            ("5x3", 8_698, 141_000, 0, 7),
            ("3x5", 3_708, 153_612, 0, 11),
            ("6x3", 64_074, 7_675_682, 1, 8),
            ("5x4", 359_894, 2_209_023_762, 1, 14),
            ("4x5", 118_133, 1_993_598_240, 1, 16),
        ),
    ],
)
def test_hexapawn(size: str, positions: int, possible: int, winner: int, plies: int) -> None:
    """Reachable positions, possible games, and who wins in how many plies on nine boards."""
    game = load_game(f"hexapawn-{size}")
    found, result = count(game), solve(reachable(game))
    assert (found.reachable, found.games) == (positions, possible)
    assert (result.winner[0], result.distance[0]) == (winner, plies)


@pytest.mark.full
@pytest.mark.parametrize(
    ("reading", "positions"),
    [
        pytest.param(None, 957_529, id="no escape at all"),
        pytest.param({"room": False}, 701_218, id="an area of one square is enough"),
        pytest.param({"to_move": frozenset({1})}, 765_021, id="only with the hounds to move"),
    ],
)
def test_misread_escapes(reading: dict[str, Any] | None, positions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each other reading of the escape reaches its own number of positions on 8×8, and not the article's; games are not counted."""
    monkeypatch.setattr(walks, "primes", lambda _: [])
    game = load_game("foxhounds")
    assert game.escape is not None
    escape: Escape | None = None if reading is None else replace(game.escape, **reading)
    assert count(replace(game, escape=escape)).reachable == positions != 709_868


def test_the_command_counts(ask: Ask) -> None:
    """One row with the promised fields, exact to the last digit, as JSON, as CSV and as a table for people."""
    arguments = ["count", "foxhounds", "--size", "6x6", "--workers", "2"]
    (row,) = ask(*arguments, "--format", "json").json
    assert list(row) == [*FIELDS, "won_f", "won_h", "seconds"]
    assert (row["game"], row["reachable"], row["games"]) == ("foxhounds-6x6", 8_175, 982_462_133_247)
    assert row["won_f"] + row["won_h"] == row["games"]
    (as_text,) = ask(*arguments, "--format", "csv").csv
    assert all(as_text[field] == str(row[field]) for field in row if field != "seconds")
    header, _, line = ask(*arguments).out.splitlines()
    assert header.split()[: len(FIELDS)] == FIELDS
    assert line.split()[:-1] == ["foxhounds-6x6", *(f"{row[field]:,}" for field in list(row)[1:-1])]


@pytest.mark.parametrize(
    ("name", "text"), [("hexapawn", "p2/P2/3 b"), ("foxhounds-6x6", "6/6/2F3/6/H1H3/3H2 h"), ("hasenspiel-4x4-early=none", None)]
)
def test_the_command_counts_from_a_position(name: str, text: str | None, ask: Ask) -> None:
    """From a position in the middle of a game, or from the start of a variant, the numbers are those of the twin."""
    game = load_game(name)
    start = text or game.start
    expected = naive_count(game, parse(game, start))
    (row,) = ask("count", name, "--from", start, "--format", "json").json
    assert [row[field] for field in list(row)[1:-1]] == [*expected[:3], *expected.won]
