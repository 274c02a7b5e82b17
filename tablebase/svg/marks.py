"""Marks over a board: frames around the squares of the last move, and arrows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, degrees, hypot
from typing import Any, NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

from tablebase.errors import ArgumentError, NotationError, quoted
from tablebase.game import Game
from tablebase.game.moves import Move
from tablebase.game.notation import read_move
from tablebase.svg.ground import Grid
from tablebase.svg.markup import element
from tablebase.svg.themes import ARROWS, Theme

AnyMove: TypeAlias = str | Move | tuple[str, str]
"""The text of a move, a move, or the names of two squares."""
AnyArrow: TypeAlias = AnyMove | tuple[AnyMove, str]
"""A move, perhaps with the name of a colour behind it."""

FRAME, FRAME_WIDTH = 45, 7
START, END = 34, 22
"""Distance of an arrow from the middle of the squares that it leads from and to."""
SHAFT, HEAD, HEAD_WIDTH = 7, 26, 20
"""Half the width of an arrow's shaft, the length of its head, and half the head's width."""
CASING = 4
INLAYS: dict[str, dict[str, Any] | None] = {
    "green": None,
    "red": {},
    "blue": {"stroke_dasharray": "0 8"},
    "orange": {"stroke_dasharray": "7 9"},
}
"""The line along an arrow's shaft by which its colour is known where there are no colours."""


class Arrow(NamedTuple):
    """An arrow from square to square."""

    origin: int
    target: int
    # One of `tablebase.svg.themes.ARROWS`.
    colour: str


def as_ends(game: Game, given: Any) -> tuple[int, int]:
    """Origin and target of a move, given in any form; it need not be legal. Raise `NotationError` if it is none."""
    if isinstance(given, Move):
        ends = given.origin, given.target
    elif isinstance(given, tuple) and len(given) == 2 and all(isinstance(name, str) for name in given):
        ends = game.board.square(given[0].lower()), game.board.square(given[1].lower())
    elif isinstance(given, str):
        ends = read_move(game, given)
    else:
        raise NotationError(f"{quoted(repr(given))} is not a move: pass a string such as 'a1a2', or two squares")
    if not set(ends) <= set(range(len(game.board))) or ends[0] == ends[1]:
        raise NotationError(f"{quoted(str(given))} is not a move: write two different squares of the board")
    return ends


def as_arrows(game: Game, given: Any) -> list[Arrow]:
    """Arrows, given in any form.

    Raise `NotationError` if one of them is not a move, and `TablebaseError` if they are not a list, or there is no such colour.
    """
    if isinstance(given, str | Move) or not isinstance(given, Iterable):
        raise ArgumentError("arrows must be a list of moves, such as ['a1a2']")
    arrows = []
    for one in given:
        move, colour = one, ARROWS[0]
        if isinstance(one, tuple) and len(one) == 2 and str(one[1]).lower() not in game.board.names:
            move, colour = one
        if colour not in ARROWS:
            raise ArgumentError(f"{quoted(str(colour))} is neither a square nor a colour: use a square or {', '.join(ARROWS)}")
        arrows.append(Arrow(*as_ends(game, move), colour))
    return arrows


def frames(ends: tuple[int, int], grid: Grid, theme: Theme) -> Element:
    """Frames around the squares of the last move."""
    corners = [(x - FRAME, y - FRAME) for x, y in map(grid.centre, ends)]
    path = "".join(f"M{x} {y}h{2 * FRAME}v{2 * FRAME}h-{2 * FRAME}z" for x, y in corners)
    return element("path", element("title", text="last move"), fill="none", stroke=theme.mark, stroke_width=FRAME_WIDTH, d=path)


def drawn_arrow(arrow: Arrow, grid: Grid, theme: Theme) -> Element:
    """An arrow with an edge in the colour of the page, so that it stands out from whatever it crosses."""
    (x, y), (to_x, to_y) = grid.centre(arrow.origin), grid.centre(arrow.target)
    length = hypot(to_x - x, to_y - y) - START - END
    neck = length - HEAD
    outline = f"M0-{SHAFT}H{neck:.2f}V-{HEAD_WIDTH}L{length:.2f} 0L{neck:.2f} {HEAD_WIDTH}V{SHAFT}H0z"
    edge: dict[str, Any] = {
        "fill": theme.arrows[arrow.colour],
        "stroke": theme.page.fill,
        "stroke_width": CASING,
        "stroke_linejoin": "round",
    }
    parts = [element("title", text=in_words(arrow, grid.board.names)), element("path", d=outline, paint_order="stroke", **edge)]
    inlay = INLAYS[arrow.colour]
    if inlay is not None:
        line: dict[str, Any] = {"stroke": theme.page.fill, "stroke_width": SHAFT / 1.75, "stroke_linecap": "round"}
        parts.append(element("path", d=f"M{SHAFT} 0H{neck:.2f}", **line, **inlay))
    turn = f"translate({x} {y}) rotate({degrees(atan2(to_y - y, to_x - x)):.2f}) translate({START} 0)"
    return element("g", *parts, transform=turn)


def in_words(arrow: Arrow, names: Sequence[str]) -> str:
    """An arrow as its squares and colour."""
    return f"{names[arrow.origin]}{names[arrow.target]} ({arrow.colour})"
