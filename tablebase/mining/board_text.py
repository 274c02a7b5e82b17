"""Positions as text, many at a time: as they stand, and as their images under the symmetries of the game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.mining.arrow_arrays import array_of
from tablebase.mining.rows import BITS, mapped
from tablebase.positions.position_arrays import Positions

POSITION = "position"
TEXTS = POSITION, MIRROR, TWIN, CANONICAL = POSITION, "mirror", "twin", "canonical"
"""Columns that are positions as text."""
Squares = NDArray[np.int8]


def board_texts(name: str, positions: Positions) -> pa.Array:
    """One of the columns `TEXTS` of positions; null where the game has no such symmetry.

    ``position``; ``mirror``, its mirror image; ``twin``, the same placement with the other side to move, colours exchanged; or
    ``canonical``, the lesser text of the position and its mirror image.
    """
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


def texts(game: Game, kinds: Sequence[int], squares: Squares, side: int) -> pa.Array:
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
