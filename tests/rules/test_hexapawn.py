"""Hexapawn: each rule on a small position, and the published numbers of small boards."""

import pytest

from tablebase.game import Outcome
from tablebase.game.moves import decided, legal_moves, wins_at_once
from tablebase.game.notation import parse, render_move
from tablebase_rules.hexapawn import game as hexapawn

WHITE, BLACK = 0, 1
GAME = hexapawn()


def moves(text: str, size: tuple[int, int] = (3, 3)) -> set[str]:
    """All moves of a position; ``x`` marks a capture, ``#`` a move that ends the game."""
    game = hexapawn(size)
    position = parse(game, text)
    return {
        "x" * (move.captured is not None) + "#" * wins_at_once(game, position, move) + render_move(game, move)
        for move in legal_moves(game, position)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("ppp/3/PPP w", "a1a2 b1b2 c1c2", id="one step straight ahead, never two"),
        # The article's figure: the two outer pawns step or take, the one between them can do nothing.
        pytest.param("ppp/1P1/P1P b", "a3a2 c3c2 xa3b2 xc3b2", id="Black goes down the board and takes slantwise"),
        pytest.param("1pp/p2/PPP w", "b1b2 c1c2 xb1a2", id="White goes up the board and takes slantwise"),
        pytest.param("pp1/2p/PPP w", "a1a2 b1b2 xb1c2", id="nobody takes straight ahead"),
        pytest.param("ppp/PP1/2P b", "c3c2 xa3b2 xb3a2 xc3b2", id="nobody takes beside or behind himself"),
        pytest.param("p1p/1P1/2P w", "#b2b3 x#b2a3 x#b2c3 c1c2", id="White has won on the far rank"),
        pytest.param("2p/p2/1PP b", "#a2a1 x#a2b1 c3c2", id="Black has won on the far rank"),
        pytest.param("p2/P2/3 w", "", id="White is blocked"),
        pytest.param("p2/P2/3 b", "", id="Black is blocked"),
        pytest.param("pp1/P2/3 w", "x#a2b3", id="a blocked pawn may still take"),
    ],
)
def test_moves(text: str, expected: str) -> None:
    """Where the pawns may go: each case is one line of the rules."""
    assert moves(text) == set(expected.split())


def test_taking_the_last_pawn_wins() -> None:
    """On the way to the far rank too, but not if another pawn is left."""
    assert moves("3/3/1p1/P2 w", (3, 4)) == {"a1a2", "x#a1b2"}
    assert moves("1p1/3/1p1/P2 w", (3, 4)) == {"a1a2", "xa1b2"}
    assert moves("1p1/P2/3/3 b", (3, 4)) == {"b4b3", "x#b4a3"}


@pytest.mark.parametrize("side", "wb")
def test_who_has_no_move_has_lost(side: str) -> None:
    assert decided(GAME, parse(GAME, f"p2/P2/3 {side}")) is Outcome.LOSS
