"""Pieces: tokens with the shape or the letter of their kind.

Those of side 0 are round and light, those of side 1 are square and dark, so that sides differ without colours, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from tablebase.game import Game, Kind
from tablebase.game.moves import Position
from tablebase.svg.foreign import read_picture
from tablebase.svg.ground import MARGIN, Grid
from tablebase.svg.markup import element, lettering
from tablebase.svg.themes import Theme, Tint

_DRAWN = read_picture(Path(__file__).with_name("shapes.svg").read_text("utf-8"))
SHAPES = {
    group.attrib["id"]: [element("path", **path.attrib) for path in group] for group in _DRAWN.iter("g") if "id" in group.attrib
}
"""By the names in `tablebase.game.types.SHAPES`, the paths of each; later ones lie above."""
RADIUS = 41
"""Of round tokens."""
HALF, CORNER = 37, 13
"""Half the width of square tokens, and the radius of their corners."""
RIM = 3
FIGURE = 0.88
"""Size of a shape on its token, so that much of the token is seen."""
LETTER_HEIGHT, LETTER_LINE = 44, 0.9
"""In hundredths of a square, and in units of glyphs."""
STROKES = {"stroke_linecap": "round", "stroke_linejoin": "round"}
MARKER = 0.32
"""Size of the token beside the board that shows the side to move."""


def definitions(game: Game, position: Position, theme: Theme) -> list[Element]:
    """The shapes of the kinds on the board, and a token for each kind, with its shape in the colours of its side."""
    kinds = {number: game.kinds[number] for number, _ in position.pieces}
    shapes = {_shape_id(kind): _shape(kind) for kind in kinds.values()}
    return [*shapes.values(), *(_token(number, kind, theme) for number, kind in kinds.items())]


def pieces(game: Game, position: Position, grid: Grid) -> list[Element]:
    """The pieces on their squares, each with its name as a title."""
    made = []
    for number, square in position.pieces:
        kind, (x, y) = game.kinds[number], grid.centre(square)
        title = f"{game.sides[kind.side].name} {kind.name} {game.board.names[square]}"
        made.append(element("use", element("title", text=title), href=f"#piece-{number}", x=x, y=y))
    return made


def side_to_move(game: Game, position: Position, grid: Grid, theme: Theme) -> Element:
    """An empty token of the side to move, in the corner between the names of files and ranks."""
    title = element("title", text=f"{game.sides[position.side].name} to move")
    place = f"translate({MARGIN / 2:g} {grid.height - MARGIN / 2:g}) scale({MARKER})"
    return element("g", title, _blank(position.side, theme.sides[position.side], RIM / MARKER), transform=place)


def _token(number: int, kind: Kind, theme: Theme) -> Element:
    tint = theme.sides[kind.side]
    paint = {"fill": tint.line, "stroke": tint.line, "color": tint.fill}
    figure = element("use", href=f"#{_shape_id(kind)}", transform=f"scale({FIGURE})", **paint)
    return element("g", _blank(kind.side, tint, RIM), figure, id=f"piece-{number}")


def _blank(side: int, tint: Tint, rim: float) -> Element:
    paint: dict[str, Any] = {"fill": tint.fill, "stroke": tint.line, "stroke_width": rim}
    if side == 0:
        return element("circle", r=RADIUS, **paint)
    return element("rect", x=-HALF, y=-HALF, width=2 * HALF, height=2 * HALF, rx=CORNER, **paint)


def _shape_id(kind: Kind) -> str:
    # A letter's character code, since not every letter may stand in an identifier.
    return kind.shape or f"letter-{ord(kind.symbol.upper()[0])}"


def _shape(kind: Kind) -> Element:
    if kind.shape is not None:
        return element("g", *SHAPES[kind.shape], id=_shape_id(kind), stroke_width=4, **STROKES)
    letter = lettering(kind.symbol.upper(), 0, 0, LETTER_HEIGHT)
    return element("g", *letter, id=_shape_id(kind), stroke_width=LETTER_LINE, **STROKES)
