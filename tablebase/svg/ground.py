"""The ground of a picture: squares and their terrain, grid lines, names of files and ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import cycle
from xml.etree.ElementTree import Element

from tablebase.game import Board, Game
from tablebase.svg.markup import HEIGHT, STEP, WIDTH, element, lettering
from tablebase.svg.themes import OTHER, Theme, Tint

SQUARE = 100
MARGIN, EDGE = 44, 12
"""Margins: with names, to the left and below; and on the other sides."""
NAME_HEIGHT, NAME_ROOM = 22, 36
"""Of a capital letter; and how wide the name of a rank may be."""
TEXTURES = {
    "den": "M-24 34V-2Q-24-32 0-32Q24-32 24-2V34ZM-8 34V8Q-8-2 0-2Q8-2 8 8V34M-42-42H42V42H-42Z",
    "trap": "M-44-44L44 44M44-44L-44 44M-26-26H26V26H-26ZM0-37L37 0L0 37L-37 0Z",
    "water": "".join(f"M-44 {y}q11-13 22 0t22 0t22 0t22 0" for y in (-31, 0, 31)),
}
"""By the names in `tablebase.game.types.TEXTURES`: path data of lines, in hundredths of a square from its middle."""
MEANINGLESS = (
    "M-44-4L-4-44M-44 24L24-44M-24 44L44-24M4 44L44 4",
    "".join(f"M{x} {y}h4v4h-4z" for x in (-38, -2, 34) for y in (-38, -2, 34)),
    "M-44-40H44M-44 40H44M-40-44V44M40-44V44",
)
"""Textures of terrain that names none, one after the other."""


class Grid:
    """Grid of the squares of a board in its picture, in hundredths of a square."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.width = MARGIN + SQUARE * board.width + EDGE
        self.height = EDGE + SQUARE * board.height + MARGIN

    def centre(self, square: int) -> tuple[int, int]:
        """The middle of a square."""
        file, rank = self.board.cells[square]
        return self.file(file), self.rank(rank)

    def file(self, file: int) -> int:
        """The middle of a file."""
        return MARGIN + SQUARE * file + SQUARE // 2

    def rank(self, rank: int) -> int:
        """The middle of a rank."""
        return EDGE + SQUARE * (self.board.height - 1 - rank) + SQUARE // 2


def definitions(game: Game) -> list[Element]:
    """The texture of each terrain, to be used on its squares."""
    others = cycle(MEANINGLESS)
    textures = [next(others) if one.texture is None else TEXTURES[one.texture] for one in game.terrain]
    return [element("path", id=f"terrain-{number}", d=path) for number, path in enumerate(textures)]


def squares(game: Game, grid: Grid, theme: Theme) -> Iterator[Element]:
    """All squares, each terrain with its texture, and the lines around them."""
    everywhere = _outlines(grid, range(len(game.board)))
    width, height = SQUARE * grid.board.width, SQUARE * grid.board.height
    edge = f"M{MARGIN} {EDGE}h{width}v{height}h-{width}z"
    yield element("path", fill=theme.square.fill, d=everywhere)
    for number, one in enumerate(game.terrain):
        tint: Tint = theme.terrain[one.texture or OTHER]
        yield element("path", fill=tint.fill, d=_outlines(grid, one.squares))
        uses = [element("use", href=f"#terrain-{number}", x=x, y=y) for x, y in map(grid.centre, one.squares)]
        title = element("title", text=one.name)
        yield element("g", title, *uses, fill="none", stroke=tint.line, stroke_width=4, stroke_linecap="round")
    yield element("path", fill="none", stroke=theme.square.line, stroke_width=2.5, d=everywhere + edge)


def names(grid: Grid, theme: Theme) -> Element:
    """The letters of the files below the board, the numbers of the ranks to the left of it."""
    board = grid.board
    longest = len(str(board.height))
    height = min(NAME_HEIGHT, NAME_ROOM * HEIGHT / (STEP * (longest - 1) + WIDTH))
    files = [
        path
        for file in range(board.width)
        for path in lettering(chr(ord("a") + file), grid.file(file), grid.height - MARGIN / 2, NAME_HEIGHT)
    ]
    ranks = [path for rank in range(board.height) for path in lettering(str(rank + 1), MARGIN / 2, grid.rank(rank), height)]
    return element("g", *files, *ranks, stroke=theme.page.line, stroke_width=0.9)


def _outlines(grid: Grid, chosen: Iterable[int]) -> str:
    corners = [(x - SQUARE // 2, y - SQUARE // 2) for x, y in map(grid.centre, chosen)]
    return "".join(f"M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z" for x, y in corners)
