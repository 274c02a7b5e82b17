"""The columns of the tables of positions and of moves: names, types, and how to compute them, texts of positions among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tablebase.errors import ArgumentError, TablebaseError, did_you_mean
from tablebase.game import Game
from tablebase.game.features import KINDS, Feature
from tablebase.game.rules import Rules
from tablebase.mining.column import (
    HASH,
    MUTUAL_ZUGZWANG,
    OUTCOMES,
    POSITION,
    SLICE_COLUMNS,
    ZUGZWANG,
    Column,
    array_of,
    between,
    constant,
    one_of,
    small_integers,
    words_column,
)
from tablebase.mining.move_values import UNDECIDED, UNKNOWN, ListedMoves, move_texts, values_by_code
from tablebase.mining.rows import BITS, MoveRows, Named, Rows, mapped
from tablebase.mining.selection import hashes_of
from tablebase.positions.location import StoredSlice
from tablebase.positions.material import material_name, parse_material
from tablebase.positions.position_arrays import Positions
from tablebase.tables.values import FULL, STALEMATE, Codes, Coding

MIRROR, TWIN, CANONICAL = "mirror", "twin", "canonical"
TEXTS = POSITION, MIRROR, TWIN, CANONICAL
"""Columns that are positions as text."""
WAYS = Column("squares of move", pa.int16(), lambda rows: small_integers(rows.ways, rows.ways < 0))
"""Both squares of each move as a number; null if it ends the game."""
HASH_COLUMN = Column(HASH, pa.float64(), lambda rows: array_of(hashes_of(rows)), extra=True)


def columns(game: Game, slices: Sequence[StoredSlice], features: tuple[Feature, ...]) -> dict[str, Column]:
    """All columns of these slices by name; a column of a piece is null in slices without that piece.

    Raise `TablebaseError` if a feature has a column whose name is already taken.
    """
    piece_count = max(slice_.material.pieces for slice_ in slices)
    of_twin = [
        *_value_columns("twin_", lambda rows: (rows.coding, rows.other_codes)),
        Column(ZUGZWANG, pa.bool_(), partial(_zugzwang, -1)),
        Column(MUTUAL_ZUGZWANG, pa.bool_(), partial(_zugzwang, -2)),
    ]
    return by_name(
        [
            *_slice_columns(game, slices),
            *_value_columns("", lambda rows: (rows.coding, rows.codes), by_value=True),
            Column("stalemate", pa.bool_(), lambda rows: array_of(rows.codes == STALEMATE), by_value=True),
            *(column for piece in range(piece_count) for column in _piece_columns(game, piece)),
            *(Column(name, pa.string(), partial(board_texts, name), late=True) for name in TEXTS),
            *(replace(column, extra=True, of_twin=True) for column in of_twin),
            *_columns_from_moves(game),
            HASH_COLUMN,
            *(column for feature in features for column in feature_columns(feature, piece_count)),
        ]
    )


def by_name(columns: Iterable[Column]) -> dict[str, Column]:
    """Columns by name.

    Raise `TablebaseError` if a feature's column has the name of an earlier one; names in SQL are case-insensitive.
    """
    found: dict[str, Column] = {}
    seen: set[str] = set()
    for column in columns:
        if column.name.lower() in seen and column.feature is not None:
            error = f"the feature {column.feature.name} has a column named {column.name}, but another column already has this name"
            raise TablebaseError(f"{error}: rename the feature")
        seen.add(column.name.lower())
        found[column.name] = column
    return found


def chosen_columns(
    game: Rules[Any], names: Sequence[str] | None, offered: Mapping[str, Column], folders: Sequence[str] = SLICE_COLUMNS
) -> list[Column]:
    """Columns by name, without those in the names of `folders`; by default the columns of ``*``.

    Raise `TablebaseError` for an unknown column, or if no column remains to be written.
    """
    for name in names or ():
        if name not in offered:
            command = f"tablebase mine {game.name} 'DESCRIBE positions'"
            raise ArgumentError(f"unknown column {name!r}{did_you_mean(name, offered)}: run {command} to list the columns")
    wanted = [name for name, column in offered.items() if (column.in_star if names is None else name in names)]
    written = [offered[name] for name in wanted if name not in folders]
    if not written:
        left_out = f"no columns selected except {', '.join(folders)}" if folders else "no columns selected"
        raise ArgumentError(f"{left_out}: add another column")
    return written


def columns_of_moves(game: Game, positions: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of moves by name, from the columns of positions."""
    names, letters, cells = game.board.names, [kind.symbol for kind in game.kinds], np.array(game.board.cells)
    # [s, t]: whether there are squares between two squares.
    jumps = np.abs(cells[:, None] - cells[None]).max(axis=2) > 1

    def is_only(rows: MoveRows) -> pa.Array:
        return array_of(rows.steps == rows.only, rows.only == UNDECIDED)

    of_moves = [
        words_column("move", move_texts(game), lambda rows: rows.texts[rows.steps]),
        words_column("piece", letters, lambda rows: rows.kinds[rows.found.lister.slots[rows.steps]]),
        words_column("origin", names, lambda rows: rows.origins),
        words_column("target", names, lambda rows: rows.targets),
        words_column("captures", letters, lambda rows: rows.kinds[rows.listed.victims[rows.number]]),
        Column("jump", pa.bool_(), lambda rows: array_of(jumps[rows.origins, rows.targets])),
        Column("ends", pa.bool_(), lambda rows: array_of(rows.listed.ends[rows.number])),
        *_value_columns("", lambda rows: (FULL, rows.worth)),
        *_value_columns("position_", lambda rows: (FULL, rows.codes_before)),
        Column("is_best", pa.bool_(), lambda rows: array_of(rows.worth == rows.codes_before, rows.worth == UNKNOWN)),
        Column("is_only", pa.bool_(), is_only),
        Column("quiet", pa.bool_(), lambda rows: array_of(rows.listed.quiet[rows.number]), extra=True),
        Column("child", pa.string(), lambda rows: child_texts(rows.positions, rows.ways), late=True, made_of=WAYS),
    ]
    *every, child = (replace(column, of_moves=True) for column in of_moves)
    its_position = Column(POSITION, pa.string(), partial(board_texts, POSITION), late=True)
    return by_name([*(positions[name] for name in SLICE_COLUMNS), *every, its_position, child, HASH_COLUMN])


def _value_columns(prefix: str, coded: Callable[[Any], tuple[Coding, Codes]], **more: Any) -> list[Column]:
    """The columns of values that are given as codes."""

    def outcomes(rows: Rows) -> NDArray[np.int16]:
        coding, codes = coded(rows)
        return values_by_code(coding)[1].take(codes)

    def distances(rows: Rows) -> pa.Array:
        coding, codes = coded(rows)
        plies = values_by_code(coding)[2].take(codes)
        return small_integers(plies, plies < 0)

    return [
        words_column(f"{prefix}outcome", OUTCOMES, outcomes, **more),
        Column(f"{prefix}distance", pa.int16(), distances, **more),
    ]


def _columns_from_moves(game: Game) -> list[Column]:
    """The columns of positions that their legal moves decide."""

    def move(name: str, choose: Callable[[Rows], NDArray[np.int32]]) -> Column:
        def numbers(rows: Rows) -> NDArray[np.int32]:
            steps = choose(rows)
            return np.where(steps < 0, -1, rows.texts[steps])

        return words_column(name, move_texts(game), numbers, extra=True, of_moves=True)

    def number(name: str, count: Callable[[ListedMoves], NDArray[np.integer]]) -> Column:
        def array(rows: Rows) -> pa.Array:
            counts = count(rows.found.listed).take(rows.every)
            return small_integers(counts, counts < 0)

        return Column(name, pa.int16(), array, extra=True, of_moves=True)

    def quiet(rows: Rows) -> pa.Array:
        return array_of(rows.found.listed.loud_counts.take(rows.every) == 0)

    return [
        move("best", lambda rows: rows.best),
        number("best_moves", lambda listed: listed.best_counts),
        number("winning_moves", lambda listed: listed.judged[0][0]),
        number("drawing_moves", lambda listed: listed.judged[0][1]),
        number("losing_moves", lambda listed: listed.judged[0][2]),
        move("only_move", lambda rows: rows.only),
        Column("quiet", pa.bool_(), quiet, extra=True, of_moves=True),
    ]


def _slice_columns(game: Game, slices: Sequence[StoredSlice]) -> list[Column]:
    numbers = {material: number for number, material in enumerate(dict.fromkeys(slice_.material for slice_ in slices))}
    names, letters = [material_name(game, material) for material in numbers], [side.letter for side in game.sides]
    its_side = one_of("side", letters)
    if game.swap is not None:
        its_side = one_of("side", letters[:1], " (other positions are stored with colours exchanged)")

    def check_material(text: str) -> None:
        name = material_name(game, parse_material(game, text))
        if name != text:
            raise TablebaseError(f"invalid material {text}: expected {name}")

    def material(rows: Rows) -> NDArray[np.int16]:
        return constant(rows, numbers[rows.slice.material])

    def pieces(rows: Rows) -> pa.Array:
        return array_of(constant(rows, rows.slice.material.pieces))

    return [
        words_column("material", names, material, check_material, by_value=True),
        Column("pieces", pa.int16(), pieces, by_value=True, check=between("pieces", 2, game.max_pieces)),
        words_column("side", letters, lambda rows: constant(rows, rows.slice.side), its_side, by_value=True),
    ]


def _zugzwang(most: int, rows: Rows) -> pa.Array:
    """Check whether the outcomes of both sides to move (1, 0, -1) sum to at most this: -1 if both do worse, -2 if both lose."""
    signs, _, plies = values_by_code(rows.coding)
    over = plies == 0
    over[STALEMATE] = True
    both = signs.take(rows.codes) + signs.take(rows.other_codes)
    return array_of(both <= most, over.take(rows.codes) | over.take(rows.other_codes))


def _piece_columns(game: Game, piece: int) -> list[Column]:
    name, board = f"p{piece + 1}", game.board
    files, ranks = (np.array([cell[i] + 1 for cell in board.cells], dtype=np.int16) for i in (0, 1))

    def squares(rows: Rows) -> NDArray[np.int8]:
        return rows.positions.squares[:, piece]

    def kind(rows: Rows) -> NDArray[np.int16]:
        return constant(rows, rows.slice.material.kinds[piece])

    def coordinate(what: str, values: NDArray[np.int16], most: int) -> Column:
        of_piece = f"{name}_{what}"
        return Column(of_piece, pa.int16(), lambda rows: array_of(values.take(squares(rows))), check=between(of_piece, 1, most))

    every = [
        words_column(name, [kind.symbol for kind in game.kinds], kind, by_value=True),
        words_column(f"{name}_square", board.names, squares),
        coordinate("file", files, board.width),
        coordinate("rank", ranks, board.height),
    ]
    return [_of_piece(piece, column) for column in every]


def feature_columns(feature: Feature, piece_count: int) -> list[Column]:
    """The columns of a feature, of positions with at most so many pieces."""

    def column(name: str, pieces: tuple[int, ...]) -> Column:
        def values(rows: Rows) -> NDArray[Any]:
            return feature.values(rows.positions, pieces)

        if feature.words:
            made = words_column(name, feature.words, values, feature=feature)
        else:
            made = Column(name, pa.from_numpy_dtype(KINDS[feature.kind]), lambda rows: array_of(values(rows)), feature)
        return _of_piece(max(pieces), made) if pieces else made

    return [column(name, pieces) for name, pieces in feature.columns(piece_count)]


def _of_piece(piece: int, column: Column) -> Column:
    """A column that is null in slices without this piece, counted from 0."""

    def array(rows: Rows) -> pa.Array:
        return column.compute(rows) if piece < rows.slice.material.pieces else pa.nulls(len(rows), column.type)

    return replace(column, compute=array)


def board_texts(name: str, rows: Rows | Named) -> pa.Array:
    """One of the columns `TEXTS` of rows; null where the game has no such symmetry.

    ``position``; ``mirror``, its mirror image; ``twin``, the same placement with the other side to move, colours exchanged; or
    ``canonical``, the lesser text of the position and its mirror image.
    """
    positions = rows.positions
    game, squares = positions.game, positions.squares
    if name == POSITION or (name == CANONICAL and game.mirror is None):
        return texts(game, positions.kinds, squares, positions.side)
    if name == TWIN:
        if game.swap is None:
            return pa.nulls(len(positions), pa.string())
        return texts(game, [game.twins[kind] for kind in positions.kinds], mapped(game.swap, squares), positions.side)
    if game.mirror is None:
        return pa.nulls(len(positions), pa.string())
    mirrored = texts(game, positions.kinds, mapped(game.mirror, squares), positions.side)
    if name == MIRROR:
        return mirrored
    return pc.min_element_wise(texts(game, positions.kinds, squares, positions.side), mirrored)


def child_texts(positions: Positions, ways: NDArray[np.integer]) -> pa.Array:
    """The positions after moves as text, as their rows have them: where the game has colour swap, with colours exchanged.

    Each way has both squares of a move, or is -1 for a move that ends the game, after which there is no position.
    """
    game, kinds = positions.game, positions.kinds
    origins, targets = ways >> BITS, ways & (1 << BITS) - 1
    # A piece that stands on the target is captured.
    squares = np.where(positions.squares == origins[:, None], targets[:, None], positions.squares).astype(np.int8)
    # Written last, the piece that moved hides the one that it captured.
    order = sorted(range(len(kinds)), key=lambda piece: game.side_of(kinds[piece]) == positions.side)
    kinds, squares = tuple(kinds[piece] for piece in order), squares[:, order]
    if game.swap is None:
        written = texts(game, kinds, squares, 1 - positions.side)
    else:
        written = texts(game, [game.twins[kind] for kind in kinds], mapped(game.swap, squares), positions.side)
    return pc.if_else(array_of(ways < 0), pa.nulls(len(written), pa.string()), written)


def texts(game: Game, kinds: Sequence[int], squares: NDArray[np.int8], side: int) -> pa.Array:
    """Positions as text, given the kind of each piece, and squares of shape (positions, pieces).

    The twin of `tablebase.game.notation.render`.
    """
    board = game.board
    width = board.width + 1
    empty = "/".join(["." * board.width] * board.height) + f" {game.sides[side].letter}"
    letters = np.tile(np.frombuffer(empty.encode(), dtype=np.uint8), (len(squares), 1))
    offsets = np.array([(board.height - 1 - rank) * width + file for file, rank in board.cells])
    for kind, column in zip(kinds, squares.T, strict=True):
        letters[np.arange(len(letters)), offsets.take(column)] = ord(game.kinds[kind].symbol)
    buffers = [None, pa.py_buffer(letters)]
    written = pa.FixedSizeBinaryArray.from_buffers(pa.binary(len(empty)), len(letters), buffers).cast(pa.binary()).cast(pa.string())
    # Longest runs first, so that no shorter run is replaced inside a longer one.
    for run in range(board.width, 0, -1):
        written = pc.replace_substring(written, "." * run, str(run))
    return written
