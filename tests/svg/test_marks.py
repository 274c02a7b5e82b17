"""Frames and arrows: where they are, in whatever form they are given, and how their colours differ without colours."""

import re
from math import cos, hypot, radians, sin
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from support.pictures import centre, corners, every, parsed, title_of

from tablebase import svg
from tablebase.game import load_game
from tablebase.game.moves import Move
from tablebase.game.notation import read_move

JUNGLE = load_game("doushouqi")
PAIR = "7/7/3t3/7/7/R6/4E2/7/7 w"
A4, A5 = JUNGLE.board.squares("a4 a5")
FORMS = ["a4a5", "A4-A5", ("a4", "a5"), ("A4", "A5"), Move(0, A4, A5, None, False)]


def arrows(picture: str) -> list[Element]:
    """The arrows of a picture."""
    return [node for node in every(parsed(picture), "g") if re.search(r" \((green|red|blue|orange)\)$", title_of(node) or "")]


@pytest.mark.parametrize("form", FORMS, ids=map(str, FORMS))
def test_a_move_may_be_given_in_any_form(form: Any) -> None:
    """As a text, as two squares, as a move; with a colour or without."""
    assert svg.board(JUNGLE, PAIR, last_move=form) == svg.board(JUNGLE, PAIR, last_move="a4a5") != svg.board(JUNGLE, PAIR)
    assert svg.board(JUNGLE, PAIR, arrows=[form]) == svg.board(JUNGLE, PAIR, arrows=[("a4a5", "green")])
    assert svg.board(JUNGLE, PAIR, arrows=[(form, "red")]) == svg.board(JUNGLE, PAIR, arrows=(("a4a5", "red"),))


@pytest.mark.parametrize("move", ["a4a5", "e3d3", "d7c8", "a1g9", "g9a1", "b1a1", "d2d3"])
def test_an_arrow_points_from_square_to_square(move: str) -> None:
    """It begins in its origin and ends in its target, whatever the direction; also if the squares are neighbours."""
    (arrow,) = arrows(svg.board(JUNGLE, PAIR, arrows=[move]))
    origin, target = (centre(JUNGLE.board, square) for square in read_move(JUNGLE, move))
    x, y, angle, begin, _ = map(float, re.findall(r"-?[0-9.]+", arrow.attrib["transform"]))
    assert (x, y) == origin
    tip = max(across for across, _ in corners(arrow[1].attrib["d"]))
    end = x + (begin + tip) * cos(radians(angle)), y + (begin + tip) * sin(radians(angle))
    assert 15 < hypot(end[0] - target[0], end[1] - target[1]) < 30
    assert 0 < begin < 41
    assert min(across for across, _ in corners(arrow[1].attrib["d"])) == 0
    assert title_of(arrow) == f"{move} (green)"
