"""Hasenspiel: each rule on a small position under each reading; its published numbers are counted in a graph."""

import pytest
from support.games import placed

from tablebase.game import Outcome, load_game
from tablebase.game.moves import decided, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase_rules.hasenspiel import game as hasenspiel

WHITE, BLACK = 0, 1
GAME = hasenspiel()
READINGS = ("default", "article", "none")


def test_the_start() -> None:
    """The rabbit on d8, the pawns on the dark squares of the first rank, and White moves."""
    assert parse(GAME, GAME.start) == placed(GAME, "Rd8 pa1 pc1 pe1 pg1", WHITE)


@pytest.mark.parametrize(("square", "number"), [("a1", 0), ("g1", 3), ("b2", 4), ("a3", 8), ("c5", 17), ("h8", 31)])
def test_square_numbers(square: str, number: int) -> None:
    """The article numbers the dark squares row by row, four a row, from the pawns' corner."""
    assert GAME.board.square(square) == number
    assert len(GAME.board) == 32


@pytest.mark.parametrize(
    ("pieces", "side", "expected"),
    [
        pytest.param("Rd8 pa1 pc1 pe1 pg1", WHITE, "d8c7 d8e7", id="the rabbit at the start"),
        pytest.param("Re5 pa1 pc1 pe1 pg1", WHITE, "e5d4 e5f4 e5d6 e5f6", id="the rabbit goes all ways, one step"),
        pytest.param("Rh4 pa1 pc1 pe1 pg1", WHITE, "h4g3 h4g5", id="the rabbit on the edge"),
        pytest.param("Re5 pd4 pf6 pe1 pg1", WHITE, "e5f4 e5d6", id="nothing is taken or jumped over"),
        pytest.param("Rd8 pa1 pc1 pe1 pg1", BLACK, "a1b2 c1b2 c1d2 e1d2 e1f2 g1f2 g1h2", id="pawns go up the board, one step"),
        pytest.param("Re5 pd4 pb6 ph6 pf8", BLACK, "d4c5 b6a7 b6c7 h6g7", id="pawns take nothing either"),
    ],
)
def test_moves(pieces: str, side: int, expected: str) -> None:
    """Where the pieces may go: each case is one line of the rules."""
    assert {render_move(GAME, move) for move in legal_moves(GAME, placed(GAME, pieces, side))} == set(expected.split())


@pytest.mark.parametrize("early", READINGS)
@pytest.mark.parametrize(
    ("side", "pieces"),
    [
        *((WHITE, pieces) for pieces in ("Rh8 pa3 pc3 pe3 pg7", "Ra7 pb6 pb8 pe3 pg3", "Re5 pd4 pf4 pd6 pf6")),
        *((BLACK, pieces) for pieces in ("Rc3 pb8 pd8 pf8 ph8", "Rh8 pb8 pd8 pf8 pg7")),
    ],
)
def test_who_cannot_move_has_lost(side: int, pieces: str, early: str) -> None:
    assert decided(hasenspiel(early=early), placed(GAME, pieces, side)) is Outcome.LOSS


@pytest.mark.parametrize(
    ("rabbit", "over"),
    [
        # The lowest pawn stands on a5, square 16.
        pytest.param("c1", "default-b article-w article-b none-w none-b", id="on the first row, 1"),
        pytest.param("b2", "default-b article-w article-b", id="below all pawns, 4"),
        pytest.param("e5", "default-b article-w article-b", id="two squares on, 18"),
        pytest.param("g5", "default-b", id="three squares on, 19"),
        pytest.param("h6", "", id="above, 23"),
    ],
)
def test_early_wins(rabbit: str, over: str) -> None:
    """When White has won before the pawns are stuck, by the rabbit's square and the lowest pawn's, for either side to move."""
    found = {}
    for early in READINGS:
        for side, outcome in ((WHITE, Outcome.WIN), (BLACK, Outcome.LOSS)):
            position = placed(GAME, f"R{rabbit} pa5 pb6 pd6 pf6", side)
            found[f"{early}-{'wb'[side]}"] = decided(hasenspiel(early=early), position)
            assert found[f"{early}-{'wb'[side]}"] in (None, outcome)
    assert {reading for reading, outcome in found.items() if outcome is not None} == set(over.split())


@pytest.mark.parametrize(("name", "pawns"), [("hasenspiel-6x6", 3), ("hasenspiel-10x8", 5), ("hasenspiel-6x6-pawns=2", 2)])
def test_pawns_fill_the_first_row_unless_told(name: str, pawns: int) -> None:
    """A board of other width starts with a pawn on each dark square of the first rank, or with as many as asked for."""
    game = load_game(name)
    assert game.start.rpartition("/")[2].count("p") == pawns == game.kinds[1].limit == game.max_pieces - 1
