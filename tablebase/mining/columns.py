"""The columns of the table `positions`: names, types, and how to compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.features import KINDS, Feature
from tablebase.slices.location import StoredSlice
from tablebase.slices.material import material_name
from tablebase.slices.positions import Positions
from tablebase.values import FIRST, STALEMATE, Codes, Coding

OUTCOMES = tuple(Outcome)
POSITION = "position"
TEXT = pa.dictionary(pa.int16(), pa.string())


class Rows:
    """Positions of one slice under its own name.

    Parameters
    ----------
    slice_ : StoredSlice
    place : tuple of int
        Numbers that tell these rows from others of the slice.
    codes : ndarray
    coding : Coding
    positions : callable
        Gives their squares, if they are asked for.
    """

    def __init__(
        self, slice_: StoredSlice, place: tuple[int, ...], codes: Codes, coding: Coding, positions: Callable[[], Positions]
    ) -> None:
        self.slice, self.place, self.codes, self.coding, self._positions = slice_, place, codes, coding, positions

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def positions(self) -> Positions:
        """Their squares."""
        return self._positions()

    def take(self, where: NDArray[np.int64]) -> Rows:
        """Some of these rows."""
        return Rows(self.slice, self.place, self.codes[where], self.coding, lambda: self.positions.take(where))


@dataclass(frozen=True)
class Column:
    """A column.

    Parameters
    ----------
    name : str
    type : pyarrow.DataType
    compute : callable
        Of `Rows`; an Arrow array.
    feature : Feature or None
        The feature that it is of.
    late : bool
        Whether a question computes it from others, for the rows that are left; it takes long.
    """

    name: str
    type: pa.DataType
    compute: Callable[[Rows], pa.Array]
    feature: Feature | None = None
    late: bool = False

    @property
    def in_star(self) -> bool:
        """Whether it is among the columns that ``*`` stands for."""
        return self.feature is None and not self.late


def columns(game: Game, slices: Sequence[StoredSlice], features: tuple[Feature, ...]) -> dict[str, Column]:
    """All columns of some slices, by name; a column of a piece that a slice has not is null there.

    Raises
    ------
    TablebaseError
        If a feature gives a column of a name that another has.
    """
    pieces = max(one.material.pieces for one in slices)
    found = [*_slice_columns(game, slices), *_value_columns()]
    for place in range(pieces):
        found += _piece_columns(game, place)
    found.append(Column(POSITION, pa.string(), _position, late=True))
    found += [column for feature in features for column in _feature_columns(feature, pieces)]
    # SQL does not tell capitals from small letters.
    seen: set[str] = set()
    for column in found:
        if column.name.lower() in seen and column.feature is not None:
            fault = f"the feature {column.feature.name} gives a column {column.name}, of which name there is one already"
            raise TablebaseError(f"{fault}: call it something else")
        seen.add(column.name.lower())
    return {column.name: column for column in found}


def sql_type(column: Column) -> str:
    """The column's type in SQL."""
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        return "VARCHAR"
    return {pa.bool_(): "BOOLEAN", pa.int16(): "SMALLINT", pa.float64(): "DOUBLE"}[column.type]


def _constant(names: Sequence[str]) -> Callable[[Rows, str], pa.Array]:
    """Makes arrays of one of some words, sharing their dictionary."""
    numbers = {name: number for number, name in enumerate(names)}
    dictionary = pa.array(names, type=pa.string())

    def make(rows: Rows, name: str) -> pa.Array:
        return pa.DictionaryArray.from_arrays(np.full(len(rows), numbers[name], dtype=np.int16), dictionary)

    return make


def _slice_columns(game: Game, slices: Sequence[StoredSlice]) -> list[Column]:
    names = {one.material: material_name(game, one.material) for one in slices}
    material, side = _constant(list(names.values())), _constant([one.letter for one in game.sides])
    return [
        Column("material", TEXT, lambda rows: material(rows, names[rows.slice.material])),
        Column("pieces", pa.int16(), lambda rows: _numbers(np.full(len(rows), rows.slice.material.pieces))),
        Column("side", TEXT, lambda rows: side(rows, game.sides[rows.slice.side].letter)),
    ]


def _numbers(values: NDArray[np.generic], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    return pa.array(values.astype(np.int16, copy=False), mask=missing)


def _value_columns() -> list[Column]:
    return [
        Column("outcome", TEXT, _outcome),
        Column("distance", pa.int16(), _distance),
        Column("stalemate", pa.bool_(), lambda rows: pa.array(rows.codes == STALEMATE)),
    ]


@cache
def _by_code(coding: Coding) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Number of the outcome, and distance, of each code."""
    values = [coding.value(code) for code in range(coding.void)]
    return (
        np.array([OUTCOMES.index(value.outcome) for value in values], dtype=np.int16),
        np.array([value.distance or 0 for value in values], dtype=np.int16),
    )


def _outcome(rows: Rows) -> pa.Array:
    return pa.DictionaryArray.from_arrays(_by_code(rows.coding)[0].take(rows.codes), _words(tuple(map(str, OUTCOMES))))


def _distance(rows: Rows) -> pa.Array:
    return _numbers(_by_code(rows.coding)[1].take(rows.codes), rows.codes < FIRST)


@cache
def _words(words: tuple[str, ...]) -> pa.Array:
    return pa.array(words, type=pa.string())


def _position(rows: Rows) -> pa.Array:
    return position_texts(rows.positions)


def position_texts(positions: Positions) -> pa.Array:
    """Positions as text; the twin of `tablebase.game.notation.render`."""
    board = positions.game.board
    width = board.width + 1
    empty = "/".join(["." * board.width] * board.height) + f" {positions.game.sides[positions.side].letter}"
    letters = np.tile(np.frombuffer(empty.encode(), dtype=np.uint8), (len(positions), 1))
    places = np.array([(board.height - 1 - rank) * width + file for file, rank in board.cells])
    for kind, squares in zip(positions.kinds, positions.squares.T, strict=True):
        letters[np.arange(len(letters)), places.take(squares)] = ord(positions.game.kinds[kind].symbol)
    lines = pa.FixedSizeBinaryArray.from_buffers(pa.binary(len(empty)), len(letters), [None, pa.py_buffer(letters)])
    found = lines.cast(pa.binary()).cast(pa.string())
    # The longest runs first: then no shorter one is a part of one.
    for run in range(board.width, 0, -1):
        found = pc.replace_substring(found, "." * run, str(run))
    return found


def _piece_columns(game: Game, place: int) -> list[Column]:
    number = place + 1
    kinds, names = _constant([kind.symbol for kind in game.kinds]), _words(tuple(game.board.names))
    files, ranks = (np.array([cell[i] + 1 for cell in game.board.cells], dtype=np.int16) for i in (0, 1))

    def squares(rows: Rows) -> NDArray[np.int8]:
        return rows.positions.squares[:, place]

    return [
        _of_piece(place, f"p{number}", TEXT, lambda rows: kinds(rows, game.kinds[rows.slice.material.kinds[place]].symbol)),
        _of_piece(
            place,
            f"p{number}_square",
            TEXT,
            lambda rows: pa.DictionaryArray.from_arrays(squares(rows).astype(np.int16), names),
        ),
        _of_piece(place, f"p{number}_file", pa.int16(), lambda rows: _numbers(files.take(squares(rows)))),
        _of_piece(place, f"p{number}_rank", pa.int16(), lambda rows: _numbers(ranks.take(squares(rows)))),
    ]


def _feature_columns(feature: Feature, pieces: int) -> list[Column]:
    type_ = TEXT if feature.kind == "text" else pa.from_numpy_dtype(KINDS[feature.kind])

    def compute(places: tuple[int, ...]) -> Callable[[Rows], pa.Array]:
        def values(rows: Rows) -> pa.Array:
            found = feature.values(rows.positions, places)
            return pa.DictionaryArray.from_arrays(found, _words(feature.words)) if feature.words else pa.array(found, type=type_)

        return values

    return [_of_piece(max(places, default=0), name, type_, compute(places), feature) for name, places in feature.columns(pieces)]


def _of_piece(
    place: int, name: str, type_: pa.DataType, compute: Callable[[Rows], pa.Array], feature: Feature | None = None
) -> Column:
    """A column that is null where a slice has no piece at that place."""

    def values(rows: Rows) -> pa.Array:
        return compute(rows) if place < rows.slice.material.pieces else pa.nulls(len(rows), type_)

    return Column(name, type_, values, feature)
