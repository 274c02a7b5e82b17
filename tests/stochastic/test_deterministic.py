"""Games of pieces on squares as games without chance: the same moves, lines and ends."""

from __future__ import annotations

import pytest
from support.checks import at_least_one
from support.deterministic import DeterministicGame
from support.games import GAMES, random_games

from tablebase.game import load_game
from tablebase.game.moves import decided, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.search import leaves
from tablebase.stochastic.paths import count_paths
from tablebase.testing import check_rules

PAWNS = DeterministicGame(load_game("hexapawn"))
FOX = DeterministicGame(load_game("foxhounds-6x6"))


@pytest.mark.parametrize("name", ["hexapawn", "foxhounds-6x6", "hasenspiel", "doushouqi"])
def test_they_pass_the_checks(name: str) -> None:
    """Also with captures, escapes and steps that win."""
    results = check_rules(DeterministicGame(load_game(name)), samples=60)
    assert [result.failure for result in results if result.failure] == []


@pytest.mark.parametrize("name", ["hexapawn-4x4", "pond", "hunt"])
def test_as_many_lines(name: str) -> None:
    """Every ply is a turn."""
    game = GAMES[name]
    same = DeterministicGame(game)
    for depth in (1, 3, 5):
        assert count_paths(same, same.start, depth) == leaves(game, parse(game, game.start), depth)


def test_moves_in_notation() -> None:
    """In the order of legal moves."""
    game = load_game("foxhounds-6x6")
    positions = [position for position in random_games(game, 3, 10) if decided(game, position) is None]
    for position in at_least_one(positions):
        codes = FOX.moves(FOX.state(position))
        assert [FOX.code_text(code) for code in codes] == [render_move(game, move) for move in legal_moves(game, position)]
        assert FOX.position(FOX.state(position)) == position


@pytest.mark.parametrize(
    ("text", "written", "places"),
    [
        ("p2/P2/3 w", "p2/P2/3 w 0-1", (2, 1)),
        ("P2/3/2p b 1-0", "P2/3/2p b 1-0", (1, 2)),
        ("2p/2P/3 b", "2p/2P/3 b 1-0", (1, 2)),
    ],
)
def test_ends_by_hand(text: str, written: str, places: tuple[int, ...]) -> None:
    """No legal move, also where the text does not say so, and a pawn on the far rank, which only the text can say."""
    state = PAWNS.parse(text)
    assert PAWNS.format(state) == written
    assert PAWNS.places(state) == places
    assert PAWNS.moves(state) == {}
