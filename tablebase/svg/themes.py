"""Colours of pictures.

The figure of a piece contrasts with its token, what is drawn on a square with the square, and so on, as WCAG 2.2 asks at
level AA: at least 4.5:1 for letters and figures, 3:1 for lines. Nothing is said by colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tablebase.errors import ArgumentError, quoted
from tablebase.game.types import TEXTURES

ARROWS = ("green", "red", "blue", "orange")
"""Names of the colours of arrows; without one, an arrow is of the first."""
OTHER = "other"
"""The tint of terrain without a texture of its own."""
_COLOUR = re.compile("#[0-9a-fA-F]{6}")


class Tint(NamedTuple):
    """Two contrasting colours, each as ``#rrggbb``.

    Parameters
    ----------
    fill : str
        Colour of an area.
    line : str
        Colour of the area's edge and of drawings on the area.
    """

    fill: str
    line: str


@dataclass(frozen=True)
class Theme:
    """The colours of a picture, each as ``#rrggbb``.

    Parameters
    ----------
    page : Tint
        Colours of the margin, which shows the names of files and ranks; arrows are outlined in the margin's fill colour.
    square : Tint
        Colours of squares without terrain.
    terrain : mapping of str to Tint
        Colours of terrain squares, by texture name; the key ``other`` is for terrain without a texture.
    sides : tuple of Tint
        Colours of the pieces of side 0 (light) and side 1 (dark); symbols on pieces are drawn in their `Tint.line`.
    mark : str
        Colour of the frames around the squares of the last move.
    arrows : mapping of str to str
        Colours of arrows, with the keys ``green``, ``red``, ``blue`` and ``orange``.

    Raises
    ------
    TablebaseError
        If a colour is missing or invalid.
    """

    page: Tint
    square: Tint
    terrain: Mapping[str, Tint]
    sides: tuple[Tint, Tint]
    mark: str
    arrows: Mapping[str, str]

    def __post_init__(self) -> None:
        for field, names in (("terrain", {*TEXTURES, OTHER}), ("arrows", set(ARROWS))):
            given = getattr(self, field)
            if not isinstance(given, Mapping) or set(given) != names:
                raise ArgumentError(f"{field!r} of a theme must have exactly the keys {', '.join(sorted(names))}")
        if not isinstance(self.sides, tuple) or len(self.sides) != 2:
            raise ArgumentError("'sides' of a theme must be a pair of Tint objects, one for each side")
        tints = (self.page, self.square, *self.terrain.values(), *self.sides)
        if not all(isinstance(tint, Tint) for tint in tints):
            raise ArgumentError("page, square, terrain and sides of a theme must be Tint objects, as in Tint('#ffffff', '#000000')")
        for colour in (*(colour for tint in tints for colour in tint), self.mark, *self.arrows.values()):
            if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
                raise ArgumentError(f"invalid colour {quoted(str(colour))} in a theme: expected #rrggbb")


LIGHT = Theme(
    page=Tint("#ffffff", "#333333"),
    square=Tint("#f5ecd8", "#86704d"),
    terrain={
        "den": Tint("#e6d9f2", "#6a3d94"),
        "trap": Tint("#f7dcc0", "#8f4512"),
        "water": Tint("#cfe6f6", "#2a6a9c"),
        OTHER: Tint("#dde8d0", "#4f6a38"),
    },
    sides=(Tint("#ffffff", "#1b1b1b"), Tint("#23262d", "#ffffff")),
    mark="#b25000",
    arrows={"green": "#0e6b30", "red": "#b3201f", "blue": "#1f4fc4", "orange": "#a04600"},
)
DARK = Theme(
    page=Tint("#15171c", "#d8dbe2"),
    square=Tint("#2d323c", "#8d97a8"),
    terrain={
        "den": Tint("#3a2450", "#c59bf0"),
        "trap": Tint("#4a3218", "#e2a55a"),
        "water": Tint("#12344f", "#70b5ea"),
        OTHER: Tint("#2b3c25", "#a2c685"),
    },
    sides=(Tint("#f6f5f0", "#15171c"), Tint("#0b0c0f", "#f6f5f0")),
    mark="#ffb454",
    arrows={"green": "#4fdc86", "red": "#ff8d84", "blue": "#7fc4ff", "orange": "#ffb454"},
)
_BLACK_ON_WHITE = Tint("#ffffff", "#000000")
MONO = Theme(
    page=_BLACK_ON_WHITE,
    square=Tint("#e6e6e6", "#000000"),
    terrain=dict.fromkeys((*TEXTURES, OTHER), _BLACK_ON_WHITE),
    sides=(_BLACK_ON_WHITE, Tint("#000000", "#ffffff")),
    mark="#000000",
    arrows=dict.fromkeys(ARROWS, "#000000"),
)
THEMES = {"light": LIGHT, "dark": DARK, "mono": MONO}


def as_theme(theme: str | Theme) -> Theme:
    """A theme by its name, or the theme itself; raise `TablebaseError` if there is no such theme."""
    if isinstance(theme, Theme):
        return theme
    if not isinstance(theme, str) or theme not in THEMES:
        raise ArgumentError(f"unknown theme {quoted(str(theme))}: choose {', '.join(THEMES)}, or pass a Theme object")
    return THEMES[theme]
