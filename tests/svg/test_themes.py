"""Colours: contrast as WCAG 2.2 defines it, of every pair that meets, and themes of one's own."""

from dataclasses import replace
from typing import Any

import pytest

from tablebase import svg
from tablebase.errors import TablebaseError
from tablebase.svg import Theme, Tint

THEMES = {"light": svg.LIGHT, "dark": svg.DARK, "mono": svg.MONO}
LINES, LETTERS = 3.0, 4.5
"""Least contrast at level AA: of graphics, and of text."""


def luminance(colour: str) -> float:
    """Relative luminance, from 0 to 1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio, from 1 to 21."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def grounds(theme: Theme) -> dict[str, str]:
    """All colours that pieces, frames and arrows may lie on: squares of every terrain, and cells left out."""
    return {"page": theme.page.fill, "square": theme.square.fill, **{name: tint.fill for name, tint in theme.terrain.items()}}


def test_contrast_is_that_of_the_standard() -> None:
    """Its extremes, and the grey that is known to reach 4.5:1 on white just so."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#123456", "#123456") == 1
    assert contrast("#767676", "#ffffff") > 4.5 > contrast("#777777", "#ffffff")


@pytest.mark.parametrize("name", THEMES)
def test_text_and_pieces_stand_out(name: str) -> None:
    """Names on the page, figures on their tokens; tokens from every ground, by themselves or by their rim, and from each other."""
    theme = THEMES[name]
    assert all(contrast(*one) >= LETTERS for one in (theme.page, *theme.sides))
    for ground in grounds(theme).values():
        assert all(max(contrast(side.fill, ground), contrast(side.line, ground)) >= LINES for side in theme.sides)
    assert contrast(theme.sides[0].fill, theme.sides[1].fill) >= LETTERS
    assert luminance(theme.sides[0].fill) > luminance(theme.sides[1].fill)


@pytest.mark.parametrize("name", THEMES)
def test_lines_and_marks_stand_out(name: str) -> None:
    """Lines between squares, also at the page's edge, frames and arrows from every ground; textures from theirs."""
    theme = THEMES[name]
    for ground in grounds(theme).values():
        assert all(contrast(one, ground) >= LINES for one in (theme.square.line, theme.mark, *theme.arrows.values()))
    assert all(contrast(*tint) >= LINES for tint in theme.terrain.values())


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a name": ({"mark": "red"}, "invalid colour 'red' in a theme: expected #rrggbb"),
    "no text": ({"mark": 7}, "invalid colour '7'"),
    "markup": ({"square": Tint('#ffffff"/><b', "#000000")}, "invalid colour"),
    "an arrow": ({"arrows": {**svg.LIGHT.arrows, "red": "red"}}, "invalid colour 'red'"),
    "no tint": ({"page": ("#ffffff", "#000000")}, "must be Tint objects, as in"),
    "no second side": ({"sides": (svg.LIGHT.page,)}, "'sides' of a theme must be a pair"),
    "an unknown terrain": ({"terrain": {**svg.LIGHT.terrain, "sand": svg.LIGHT.page}}, "exactly the keys den, other, trap, water"),
    "a missing arrow": ({"arrows": {"green": "#00ff00"}}, "'arrows' of a theme must have exactly the keys blue"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_theme_is_refused(case: str) -> None:
    wrong, sentence = WRONG[case]
    with pytest.raises(TablebaseError, match=sentence):
        replace(svg.LIGHT, **wrong)
