"""The functions of SQL that find the row of a position, however it is written, and that write what a row says as it was asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb

from tablebase.errors import NotationError
from tablebase.game import Game
from tablebase.game.moves import Position, swapped
from tablebase.game.notation import parse, read_move, render
from tablebase.positions.location import aliases, locate, own_position
from tablebase.positions.material import material_of

AS_ROW, AS_DISTINCT_ROW, AS_ASKED = "as_row", "as_distinct_row", "as_asked"
MOST_LOCATED = 6
"""Pieces up to which distinct rows are found; materials of more take long to locate."""


def as_row(game: Game, text: str) -> str:
    """Text of a position as its row in `positions` has it: with side 0 to move if the game has colour swap.

    Any other text stays as it is.
    """
    position = _parsed(game, text)
    return text if position is None else render(game, _of_row(game, position))


def as_distinct_row(game: Game, text: str) -> str:
    """Text of an equivalent position as its row in `distinct_positions` has it; of more than six pieces, that of `as_row`.

    Any other text stays as it is.
    """
    position = _parsed(game, text)
    if position is None:
        return text
    row = _of_row(game, position)
    if len(row.pieces) > MOST_LOCATED:
        return render(game, row)
    location = locate(game, material_of(game, row), row.side)
    image = game.swap if location.swapped and game.swap is not None else range(len(game.board))
    pieces = ((kind, image[row.pieces[own][1]]) for kind, own in zip(location.material.kinds, location.pairing, strict=True))
    stored = Position(tuple(sorted(pieces)), location.side)
    distinct = next(slice_ for slice_ in aliases(game, location.material, location.side) if slice_.distinct)
    return render(game, own_position(game, distinct, stored))


def as_asked(game: Game, text: str, asked: str) -> str:
    """A position or move of a row, in the colours of the position that was asked.

    A position must have the same side to move as the row's; `as_row` has turned the position that was asked into that of the
    row.
    """
    position = _parsed(game, asked)
    if position is None or _of_row(game, position) == position or game.swap is None:
        return text
    own = _parsed(game, text)
    if own is not None:
        return render(game, swapped(game, own))
    try:
        return "".join(game.board.names[game.swap[square]] for square in read_move(game, text))
    except NotationError:
        return text


FUNCTIONS: dict[str, tuple[Callable[..., str], str]] = {
    AS_ROW: (as_row, "a"),
    AS_DISTINCT_ROW: (as_distinct_row, "a"),
    AS_ASKED: (as_asked, "a, b"),
}
"""The functions by name, with the parameters that they have in SQL."""


def declare_functions(connection: duckdb.DuckDBPyConnection) -> None:
    """Let statements be planned that call the functions; a transaction that is rolled back forgets them."""
    for name, (_, parameters) in FUNCTIONS.items():
        connection.execute(f"CREATE MACRO {name}({parameters}) AS concat({parameters})")


def register_functions(connection: duckdb.DuckDBPyConnection, game: Game) -> None:
    """Let statements call the functions, which are null where an argument is."""
    for name, (function, parameters) in FUNCTIONS.items():
        types: list[Any] = ["VARCHAR" for _ in parameters.split(", ")]
        connection.create_function(name, partial(function, game), types, "VARCHAR")


def _parsed(game: Game, text: str) -> Position | None:
    """A position; None if the text is none."""
    try:
        return parse(game, text)
    except NotationError:
        return None


def _of_row(game: Game, position: Position) -> Position:
    """The position that a row has."""
    return swapped(game, position) if position.side and game.swap is not None else position
