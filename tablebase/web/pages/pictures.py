"""Pictures of boards and of single pieces."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from tablebase.errors import NotationError, TablebaseError, quoted
from tablebase.game import Game, load_game
from tablebase.game.capabilities import part
from tablebase.game.installed import load_rules
from tablebase.game.moves import Position
from tablebase.game.notation import read_move
from tablebase.game.rules import Rules
from tablebase.svg import tokens
from tablebase.svg.ground import SQUARE, Grid
from tablebase.svg.markup import element, picture
from tablebase.svg.pictures import board as drawn_board
from tablebase.svg.pictures import in_words
from tablebase.svg.themes import as_theme
from tablebase.web.pages.addresses import named_position
from tablebase.web.pages.rendering import HEADERS
from tablebase.web.pages.words import drawn_as

MOST_ARROWS = 20
KEPT = {"Cache-Control": "public, max-age=86400"}
"""The same address always gives the same picture."""

router = APIRouter()


@router.get("/{game}/board/{position:path}.svg")
def board(game: str, position: str, theme: str = "light", last: str | None = None, arrows: str = "") -> Response:
    """The picture of a position; of pieces on squares with the last move and arrows, whose moves are separated by commas."""
    rules = load_rules(game)
    chosen = [arrow for arrow in arrows.split(",") if arrow]
    if len(chosen) > MOST_ARROWS:
        raise TablebaseError(f"too many arrows ({len(chosen)}): give at most {MOST_ARROWS} arrows")
    return _response(drawn_board(rules, named_position(rules, position), last_move=last or None, arrows=chosen, theme=theme))


@router.get("/{game}/piece/{symbol}.svg")
def piece(game: str, symbol: str, theme: str = "light") -> Response:
    """The picture of a piece, on nothing."""
    rules = load_game(game)
    if symbol not in rules.by_symbol:
        known = "".join(kind.symbol for kind in rules.kinds)
        raise NotationError(f"{quoted(symbol)} is not a piece of {rules.name}: use one of the letters {known}")
    kind = rules.by_symbol[symbol]
    defined = tokens.definitions(rules, Position(((kind, 0),), 0), as_theme(theme))
    use = element("use", href=f"#piece-{kind}", x=SQUARE // 2, y=SQUARE // 2)
    root = element("svg", element("defs", *defined), use, viewBox=f"0 0 {SQUARE} {SQUARE}", width=SQUARE, height=SQUARE)
    return _response(picture(root))


def drawing(rules: Rules[Any], position: Any, last: str | None = None) -> dict[str, Any]:
    """Return a page's view of a position: a board, another picture, or only the text."""
    shown: dict[str, Any] = part(rules, "page")(rules, position, last)
    return {"text": rules.format(position), **shown}


def of_rules(rules: Rules[Any], position: Any, _last: str | None) -> dict[str, Any]:
    """The picture that the rules draw, if they do."""
    return {"board": None, "picture": drawn_as(rules, position), "alt": rules.described(position)}


def on_squares(game: Game, position: Position, last: str | None) -> dict[str, Any]:
    """A board with its data for a page's script; places are in hundredths of the picture's width and height."""
    moved = None if last is None else read_move(game, last)
    words = f"{in_words(game, position, moved, [])} {game.sides[position.side].name} to move."
    grid = Grid(game.board)
    corners = [(x - SQUARE / 2, y - SQUARE / 2) for x, y in map(grid.centre, range(len(game.board)))]
    board = {
        "width": game.board.width,
        "height": game.board.height,
        "side": game.sides[position.side].letter,
        "size": [100 * SQUARE / grid.width, 100 * SQUARE / grid.height],
        "squares": [
            {"name": name, "cell": cell, "left": 100 * left / grid.width, "top": 100 * top / grid.height}
            for name, cell, (left, top) in zip(game.board.names, game.board.cells, corners, strict=True)
        ],
        "pieces": {game.board.names[square]: game.kinds[kind].symbol for kind, square in position.pieces},
        "kinds": {kind.symbol: f"{game.sides[kind.side].name} {kind.name}" for kind in game.kinds},
    }
    return {"board": board, "picture": "", "alt": words}


def _response(drawn: str) -> Response:
    return Response(drawn, media_type="image/svg+xml", headers={**HEADERS, **KEPT})
