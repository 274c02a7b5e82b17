"""Positions of one material given as an array of squares: which rows are positions, and why the others are not."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import NotationError, SquaresError
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces
from tablebase.positions.indexing import Squares, apart
from tablebase.positions.material import Material, levels_of, make_material, material_name, material_of, tiered_kinds


def checked_squares(game: Game, material: Material, side: int, squares: Any) -> Squares:
    """The squares as an array of int8.

    Raise `SquaresError` if a row is not a position of the material in which the game is not over, and `NotationError` if the
    squares do not have the shape or the type of an array of positions.
    """
    given = _as_numbers(material_name(game, material), material.pieces, squares)
    unsound = np.flatnonzero(~sound_rows(game, material, given))
    if len(unsound):
        row = int(unsound[0])
        raise SquaresError(row, row_error(game, material, side, given[row].tolist()), len(unsound), len(given))
    return given.astype(np.int8, copy=False)


def _as_numbers(name: str, pieces: int, squares: Any) -> NDArray[np.integer[Any]]:
    try:
        given = np.asarray(squares)
    except ValueError:
        raise NotationError(f"rows of different lengths in the squares array: give {pieces} squares in each row") from None
    if given.ndim != 2 or given.shape[1] != pieces:
        raise NotationError(f"invalid shape {given.shape} of the squares array for {name}: expected (positions, {pieces})")
    if given.dtype.kind not in "iu":
        raise NotationError(f"invalid type {given.dtype} for the squares array: expected integers")
    return given


def sound_rows(game: Game, material: Material, squares: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return whether each row, an integer for each piece, is a position of the material in which the game is not over."""
    last = len(game.board) - 1
    if squares.size and not 0 <= squares.min() <= squares.max() <= last:
        inside = ((squares >= 0) & (squares <= last)).all(axis=1)
        return inside & sound_rows(game, material, squares.clip(0, last))
    sound = apart(squares.astype(np.int8, copy=False))
    for piece, homes in enumerate(_homes(game, material)):
        sound &= homes[squares[:, piece]]
    for kind, advance in zip(tiered_kinds(game, material.kinds), material.advance, strict=True):
        levels = _levels(game, kind)
        sound &= sum(levels[squares[:, piece]] for piece, one in enumerate(material.kinds) if one == kind) == advance
    return sound


def row_error(game: Game, material: Material, side: int, row: list[int]) -> str:
    """Return why a row is not a position of the material in which the game is not over."""
    last = len(game.board) - 1
    outside = [square for square in row if not 0 <= square <= last]
    if outside:
        return f"the squares of {game.name} are numbered from 0 to {last}, but the row contains {outside[0]}"
    position = Position(tuple(sorted(zip(material.kinds, row, strict=True))), side)
    try:
        check_pieces(game, position)
    except NotationError as error:
        return str(error)
    own = make_material(game, material.kinds, material_of(game, position).advance)
    return f"the row belongs to {material_name(game, own)}, not to {material_name(game, material)}"


@cache
def _homes(game: Game, material: Material) -> tuple[NDArray[np.bool_], ...]:
    squares = range(len(game.board))
    return tuple(np.array([square in game.kinds[kind].homes for square in squares]) for kind in material.kinds)


@cache
def _levels(game: Game, kind: int) -> NDArray[np.int64]:
    known = levels_of(game, kind)
    return np.array([known.get(square, 0) for square in range(len(game.board))])
