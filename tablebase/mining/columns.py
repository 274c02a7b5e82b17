"""The columns of the tables of positions and of moves: names, types, and how to compute them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.features import KINDS, Feature
from tablebase.mining.arrow_arrays import array_of
from tablebase.mining.block import worth_of_codes
from tablebase.mining.board_text import TEXTS, board_texts
from tablebase.mining.column import (
    HASH,
    MUTUAL_ZUGZWANG,
    TEXT,
    ZUGZWANG,
    Column,
    constant,
    distances,
    of_dictionary,
    of_outcomes,
    outcomes,
    small_integers,
    words_array,
)
from tablebase.mining.move_columns import columns_from_moves, move_columns
from tablebase.mining.rows import Named, Rows
from tablebase.mining.sample import hashes_of
from tablebase.mining.word_checks import Check, between, one_of
from tablebase.positions.location import StoredSlice
from tablebase.positions.material import material_name, parse_material
from tablebase.tables.values import STALEMATE, Coding

HASH_COLUMN = Column(HASH, pa.float64(), lambda rows: array_of(hashes_of(rows)), extra=True)


def columns(game: Game, slices: Sequence[StoredSlice], features: tuple[Feature, ...]) -> dict[str, Column]:
    """All columns of these slices by name; a column of a piece is null in slices without that piece.

    Raise `TablebaseError` if a feature has a column whose name is already taken.
    """
    piece_count = max(slice_.material.pieces for slice_ in slices)
    every_column = [*_slice_columns(game, slices), *_value_columns()]
    for piece in range(piece_count):
        every_column += _piece_columns(game, piece)
    every_column += [Column(name, pa.string(), partial(_text, name), late=True) for name in TEXTS]
    every_column += [*_twin_columns(), *columns_from_moves(game), HASH_COLUMN]
    every_column += [column for feature in features for column in feature_columns(feature, piece_count)]
    check_names(every_column)
    return {column.name: column for column in every_column}


def columns_of_moves(game: Game, slices: Sequence[StoredSlice], positions: Mapping[str, Column]) -> dict[str, Column]:
    """All columns of the moves of these slices by name, given those of the positions."""
    every_column = move_columns(game, [positions[column.name] for column in _slice_columns(game, slices)])
    return {**every_column, HASH: HASH_COLUMN}


def check_names(every_column: Sequence[Column]) -> None:
    """Raise `TablebaseError` if a feature's column has the name of an earlier one; names in SQL are case-insensitive."""
    seen: set[str] = set()
    for column in every_column:
        if column.name.lower() in seen and column.feature is not None:
            error = f"the feature {column.feature.name} has a column named {column.name}, but that name is already taken"
            raise TablebaseError(f"{error}: rename the feature")
        seen.add(column.name.lower())


def _slice_columns(game: Game, slices: Sequence[StoredSlice]) -> list[Column]:
    names = {slice_.material: material_name(game, slice_.material) for slice_ in slices}
    material, mover = constant(list(names.values())), constant([side.letter for side in game.sides])
    its_pieces, its_side = between("pieces", 2, game.max_pieces), one_of("side", [side.letter for side in game.sides])
    if game.swap is not None:
        its_side = one_of("side", [game.sides[0].letter], " (with the other side to move, a row has colours exchanged)")

    def pieces(rows: Rows) -> pa.Array:
        return small_integers(np.full(len(rows), rows.slice.material.pieces))

    def named(rows: Rows) -> pa.Array:
        return material(rows, names[rows.slice.material])

    return [
        Column("material", TEXT, named, by_value=True, check=partial(_check_material, game)),
        Column("pieces", pa.int16(), pieces, by_value=True, check=its_pieces),
        Column("side", TEXT, lambda rows: mover(rows, game.sides[rows.slice.side].letter), by_value=True, check=its_side),
    ]


def _check_material(game: Game, text: str) -> None:
    """Raise `TablebaseError` unless this is the name of a material."""
    name = material_name(game, parse_material(game, text))
    if name != text:
        raise TablebaseError(f"the material {text} is written {name}")


def _value_columns() -> list[Column]:
    outcome, distance, stalemate = "outcome", "distance", "stalemate"
    return [
        Column(outcome, TEXT, lambda rows: outcomes(rows.coding, rows.codes), by_value=True, check=of_outcomes(outcome)),
        Column(distance, pa.int16(), lambda rows: distances(rows.coding, rows.codes), by_value=True),
        Column(stalemate, pa.bool_(), lambda rows: array_of(rows.codes == STALEMATE), by_value=True),
    ]


def _twin_columns() -> list[Column]:
    outcome, distance = "twin_outcome", "twin_distance"

    def outcome_of_twin(rows: Rows) -> pa.Array:
        return outcomes(rows.coding, rows.other_codes)

    return [
        Column(outcome, TEXT, outcome_of_twin, extra=True, of_twin=True, check=of_outcomes(outcome)),
        Column(distance, pa.int16(), lambda rows: distances(rows.coding, rows.other_codes), extra=True, of_twin=True),
        Column(ZUGZWANG, pa.bool_(), partial(_zugzwang, -1), extra=True, of_twin=True),
        Column(MUTUAL_ZUGZWANG, pa.bool_(), partial(_zugzwang, -2), extra=True, of_twin=True),
    ]


@cache
def _is_over(coding: Coding) -> NDArray[np.bool_]:
    """For each code whether the game is over."""
    return np.array([code == STALEMATE or coding.value(code).distance == 0 for code in range(coding.void)], dtype=bool)


def _zugzwang(most: int, rows: Rows) -> pa.Array:
    """Check whether the outcomes of both sides to move (1, 0, -1) sum to at most this: -1 if both do worse, -2 if both lose."""
    worth, over = worth_of_codes(rows.coding), _is_over(rows.coding)
    both = worth.take(rows.codes) + worth.take(rows.other_codes)
    return array_of(both <= most, over.take(rows.codes) | over.take(rows.other_codes))


def _text(name: str, rows: Rows | Named) -> pa.Array:
    return board_texts(name, rows.positions)


def _piece_columns(game: Game, piece: int) -> list[Column]:
    number = piece + 1
    kinds, names = constant([kind.symbol for kind in game.kinds]), words_array(tuple(game.board.names))
    files, ranks = (np.array([cell[i] + 1 for cell in game.board.cells], dtype=np.int16) for i in (0, 1))

    def squares(rows: Rows) -> NDArray[np.int8]:
        return rows.positions.squares[:, piece]

    def named(rows: Rows) -> pa.Array:
        return of_dictionary(squares(rows), names)

    def letter(rows: Rows) -> pa.Array:
        return kinds(rows, game.kinds[rows.slice.material.kinds[piece]].symbol)

    def coordinate(values: NDArray[np.int16]) -> Callable[[Rows], pa.Array]:
        return lambda rows: small_integers(values.take(squares(rows)))

    name = f"p{number}"
    every = [
        Column(name, TEXT, letter, by_value=True, check=one_of(name, [kind.symbol for kind in game.kinds])),
        Column(f"{name}_square", TEXT, named, check=one_of(f"{name}_square", game.board.names)),
        Column(f"{name}_file", pa.int16(), coordinate(files), check=between(f"{name}_file", 1, game.board.width)),
        Column(f"{name}_rank", pa.int16(), coordinate(ranks), check=between(f"{name}_rank", 1, game.board.height)),
    ]
    return [_of_piece(piece, column) for column in every]


def feature_columns(feature: Feature, piece_count: int) -> list[Column]:
    """The columns of a feature, of positions with at most so many pieces."""
    type_ = TEXT if feature.kind == "text" else pa.from_numpy_dtype(KINDS[feature.kind])

    def compute(pieces: tuple[int, ...]) -> Callable[[Rows], pa.Array]:
        def array(rows: Rows) -> pa.Array:
            values = feature.values(rows.positions, pieces)
            return of_dictionary(values, words_array(feature.words)) if feature.words else array_of(values)

        return array

    def of_words(name: str) -> Check | None:
        return one_of(name, feature.words) if feature.words else None

    return [
        _of_piece(max(pieces), column) if pieces else column
        for name, pieces in feature.columns(piece_count)
        for column in [Column(name, type_, compute(pieces), feature, check=of_words(name))]
    ]


def _of_piece(piece: int, column: Column) -> Column:
    """A column that is null in slices without this piece, counted from 0."""

    def array(rows: Rows) -> pa.Array:
        return column.compute(rows) if piece < rows.slice.material.pieces else pa.nulls(len(rows), column.type)

    return replace(column, compute=array)
