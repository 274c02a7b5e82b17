"""Positions, moves and boards as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import toys

from tablebase.errors import NotationError
from tablebase.game import Board, Game, Kind, Outcome, Step, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, parse, read, read_move, render
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


def cross() -> Game:
    board = Board(13, 2, Board.full(13, 2).cells[1:])
    kinds = (Kind("A", "piece", 0, (0, 1, 2), (Step(0, 1),)), Kind("b", "piece", 1, (0, 1, 24), ()))
    return Game("cross", "Cross", board, toys.SIDES, kinds, "12b/1A11 w", Outcome.DRAW, 2)


@given(st.sampled_from([GAME, toys.twins()]).flatmap(lambda game: st.tuples(st.just(game), toys.positions(game))))
def test_a_position_survives_writing_and_reading(pair: tuple[Game, Position]) -> None:
    """Parse is the inverse of render on random positions of up to 16 pieces, identical ones among them."""
    game, position = pair
    assert parse(game, render(game, position)) == position


def test_a_small_position_by_hand() -> None:
    """A rat on b2 and an enemy cat on d5, Black to move, in both directions; spaces around words do not matter."""
    text = "7/7/7/7/3c3/7/7/1R5/7 b"
    position = Position(((GAME.by_symbol["R"], 8), (GAME.by_symbol["c"], 31)), 1)
    assert render(GAME, position) == text
    assert parse(GAME, text) == parse(GAME, "  7/7/7/7/3c3/7/7/1R5/7 \t b\n") == position


def test_runs_of_more_than_nine_and_missing_cells() -> None:
    """Twelve empty cells are one number, and a cell that is not played on counts as empty."""
    game = cross()
    position = Position(((0, 0), (1, 24)), 0)
    assert render(game, position) == "12b/1A11 w"
    assert parse(game, "12b/1A11 w") == position
    with pytest.raises(NotationError, match="'A' on rank 1 is outside the board: move the piece"):
        parse(game, "12b/A12 w")


BAD_TEXTS = {
    "empty": ("", "the position is empty"),
    "no side": ("7/7/7/7/2r4/7/7/R6/7", "not a position: write the ranks from top to bottom, "),
    "a digit of another script": ("7/7/7/7/2r4/7/7/R\N{ARABIC-INDIC DIGIT SIX}/7 w", "is not a piece of doushouqi"),
    "too many digits for Python": (f"{'9' * 5000}/7/7/7/2r4/7/7/R6/7 w", "rank 9"),
    "three words": ("7/7/7/7/2r4/7/7/R6/7 w b", "not a position: write the ranks from top to bottom, "),
    "unknown side": ("7/7/7/7/2r4/7/7/R6/7 x", "invalid side to move 'x': expected 'w' or 'b'"),
    "a run of nothing": ("7/7/7/7/2r04/7/7/R6/7 w", r"'2r04'\) contains the invalid number 04: begin the number with"),
    "eight rows": ("7/7/7/2r4/7/7/R6/7 w", "has 8 ranks, but the board of doushouqi has 9"),
    "ten rows": ("7/7/7/7/7/2r4/7/7/R6/7 w", "has 10 ranks, but the board of doushouqi has 9"),
    "unknown letter": ("7/7/7/7/2r4/7/7/X6/7 w", "'X' is not a piece of doushouqi: use only the letters RCWDPTLErcwdptle"),
    "sign": ("7/7/7/7/2r4/7/7/R-6/7 w", "'-' is not a piece of doushouqi"),
    "short row": ("7/7/7/7/2r4/7/7/R5/7 w", r"rank 2 \('R5'\) has 6 squares instead of 7"),
    "long row": ("7/7/7/7/2r4/7/7/R7/7 w", r"rank 2 \('R7'\) has 8 squares instead of 7"),
    "piece off the board": ("7/7/7/7/2r4/7/7/7R/7 w", r"rank 2 \('7R'\) has 8 squares instead of 7"),
    "empty row": ("7/7/7/7/2r4/7/7/R6/ w", r"rank 1 \(''\) has 0 squares"),
    "two rats": ("7/7/7/7/2r4/7/7/RR5/7 w", r"too many 'R' pieces \(White rat\) on the board \(2\): use at most 1"),
    "in the water": ("7/7/7/7/1cR4/7/7/7/7 w", r"'c' \(Black cat\) cannot stand on b5"),
    "in the den": ("7/7/7/7/2r4/7/7/7/3R3 w", r"'R' \(White rat\) cannot stand on d1 while the game continues"),
    "no pieces": ("7/7/7/7/7/7/7/7/7 w", "White has no pieces: place at least one piece of each side"),
    "White alone": ("7/7/7/7/7/7/7/R6/7 w", "Black has no pieces"),
    "Black alone": ("7/7/7/7/7/7/7/r6/7 w", "White has no pieces"),
}


@pytest.mark.parametrize(("text", "sentence"), BAD_TEXTS.values(), ids=BAD_TEXTS)
def test_a_bad_text_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        parse(GAME, text)


@given(st.text("RCr1679/ wb\0é", max_size=40))
def test_no_text_breaks_the_parser(text: str) -> None:
    """Whatever the text, the answer is a position that can be written again, or NotationError."""
    try:
        position = parse(GAME, text)
    except NotationError:
        return
    assert parse(GAME, render(GAME, position)) == position


@pytest.mark.parametrize("text", ["a1b1", "A1B1", "a1-b1", "A1-b1"])
def test_a_move_can_be_read(text: str) -> None:
    """Whether or not there is a piece that could make it; all games write it in the same way."""
    assert read_move(GAME, text) == (0, 1)
    assert read_move(load_game("foxhounds-12x12"), "b1k12") == (0, 71)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a1", "'a1' is not a move: write the start and end squares of the move, as in a1g9"),
        ("", "'' is not a move"),
        ("a1b1c1", "'a1b1c1' is not a move"),
        ("a1 b1", "'a1 b1' is not a move"),
        ("a1h1", "unknown square 'h1': choose a square from a1 to g9"),
        ("a1b\N{ARABIC-INDIC DIGIT SIX}", "is not a move"),
    ],
)
def test_what_is_no_move_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        read_move(GAME, text)


def test_a_placement_may_be_over() -> None:
    """As a text or as an object, which must hold pieces of the game on squares of their own."""
    over = Position(((0, 59), (8, 0)), 1)
    assert GAME.given(over) == over._replace(won="goal")
    assert render(GAME, over) == "3R3/7/7/7/7/7/7/7/r6 b"
    with pytest.raises(NotationError, match="cannot stand on d9"):
        check_pieces(GAME, over)
    assert read(GAME, "3R3/7/7/7/7/7/7/7/r6 b") == over
    for wrong in (Position(((0, 63),), 0), Position(((16, 0),), 0), Position(((0, 1), (0, 0)), 0), Position(((0, 1), (1, 1)), 0)):
        with pytest.raises(NotationError):
            GAME.given(wrong)
