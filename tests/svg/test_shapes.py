"""Shapes, textures and letters: all that rules modules may name are there, different, and within their squares."""

import string
from math import hypot

import pytest
from support.pictures import corners

from tablebase.game import types
from tablebase.svg.ground import MEANINGLESS, TEXTURES
from tablebase.svg.markup import GLYPHS
from tablebase.svg.tokens import FIGURE, RADIUS, SHAPES


def test_every_name_has_its_drawing() -> None:
    """And every drawing its name, in the order of the alphabet."""
    assert tuple(SHAPES) == types.SHAPES == tuple(sorted(types.SHAPES))
    assert tuple(TEXTURES) == types.TEXTURES == tuple(sorted(types.TEXTURES))


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_lies_within_its_token(name: str) -> None:
    """At the size that shapes have on tokens, all its points; and it fills at least half of the height."""
    points = [point for path in SHAPES[name] for point in corners(path.attrib["d"])]
    assert all(hypot(x, y) * FIGURE <= RADIUS and max(abs(x), abs(y)) <= 40 for x, y in points)
    heights = [y for _, y in points]
    assert max(heights) - min(heights) > 40


@pytest.mark.parametrize("path", [*TEXTURES.values(), *MEANINGLESS])
def test_a_texture_lies_within_its_square_and_shows_around_a_token(path: str) -> None:
    """All its points within 48 hundredths of the middle, and some of them beyond a round token."""
    points = corners(path)
    assert max(max(abs(x), abs(y)) for x, y in points) <= 48
    assert any(hypot(x, y) > RADIUS + 2 for x, y in points)


def test_letters_are_complete() -> None:
    """Letters of kinds and files and digits of ranks, each within its box, and signs of captions."""
    assert set(GLYPHS) == {*string.digits, *string.ascii_letters, *" .,:;-+=/%&×?!'()"}
    for sign in set(GLYPHS) - {" "}:
        assert all(-0.5 <= x <= 4.5 and -1 <= y <= 8 for x, y in corners(GLYPHS[sign])), sign
