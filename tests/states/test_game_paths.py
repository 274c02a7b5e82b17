"""Counts of games and of lines of moves by functions, against the twin and published numbers."""

import pytest
from support.functions import Misere, Rows, circle
from twins import exact as twin

from tablebase.errors import RulesError
from tablebase.states import paths
from tablebase.states.paths import count_games, leaves_by_depth, leaves_by_move


def test_noughts_and_crosses() -> None:
    """5,478 positions, 958 of them final, and 255,168 games: 131,184 are won by the first, 77,904 by the second player."""
    assert count_games(Rows(), Rows().start) == (5478, 958, 255168, (131184, 77904))


@pytest.mark.parametrize("stones", range(1, 9))
def test_games_are_those_of_the_twin(stones: int) -> None:
    game = Misere(stones)
    counts, games = count_games(game, game.start), twin.games(game, game.start)
    assert (counts.games, *counts.won) == (len(games), games.count(0), games.count(1))
    assert counts.reachable == len(twin.values(game))


def test_a_circle_is_refused() -> None:
    """Wherever it is; from behind it, the games can be counted."""
    with pytest.raises(RulesError, match="circle can go on for ever, since a can come up again"):
        count_games(circle(), "a")
    assert count_games(circle(), "c").games == 3


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "TICK", 1000)
    told: list[int] = []
    count_games(Rows(), Rows().start, lambda done, _: told.append(done))
    assert len(told) > 2
    assert told == sorted(told)


def test_lines_of_moves() -> None:
    """9, 72, 504, … and no longer all of them as soon as games end; by move, they add up."""
    counts = [depth.leaves for depth in leaves_by_depth(Rows(), Rows().start, 9)]
    assert counts[:5] == [9, 72, 504, 3024, 15120]
    assert counts[5:] == [54720, 148176, 200448, 127872]
    assert sum(leaves_by_move(Rows(), Rows().start, 6).values()) == 54720
    assert leaves_by_move(circle(), "b", 1) == {"a": 1, "y": 1, "c": 1}
    assert leaves_by_move(circle(), "b", 2) == {"a": 2, "y": 0, "c": 2}
