"""Texts of many positions, read and written at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.notation import DIGITS, render_row
from tablebase.positions.position_arrays import NO_PIECE, Int8, Mixed, Rows, in_order, joined, mixed

LONGEST = 1 << 12
"""Characters of the longest text whose sums of `_Alphabet.weights` do not overflow."""
BLOCK = 1 << 11
"""Texts that are read at a time, so that they stay in the processor's cache."""
CELL, SLASH, PIECE, WRONG = 1, 1 << 20, 1 << 32, 1 << 44
"""Units of the four numbers that a sum of weights consists of."""


MOST_ROWS = 1 << 18
"""Rows whose texts are kept."""


class _Alphabet(NamedTuple):
    weights: NDArray[np.int64]  # (256,) cells covered, slashes, pieces, and errors
    kinds: Int8  # (256,)
    sides: Int8  # (256,) NO_PIECE unless the character names a side
    squares: Int8  # (cells,) the square of each cell, rows from the top; NO_PIECE where the board has none


@lru_cache(maxsize=64)
def _alphabet(game: Game) -> _Alphabet:
    weights = np.full(256, WRONG, dtype=np.int64)
    kinds, sides = np.full((2, 256), NO_PIECE, dtype=np.int8)
    squares = np.full(game.board.width * game.board.height, NO_PIECE, dtype=np.int8)
    weights[ord("/")] = SLASH
    for digit in DIGITS - {"0"}:
        weights[ord(digit)] = int(digit) * CELL
    for symbol, kind in game.by_symbol.items():
        if symbol.isascii():
            weights[ord(symbol)], kinds[ord(symbol)] = CELL + PIECE, kind
    for number, side in enumerate(game.sides):
        if side.letter.isascii():
            sides[ord(side.letter)] = number
    for (file, rank), square in game.board.numbers.items():
        squares[(game.board.height - 1 - rank) * game.board.width + file] = square
    return _Alphabet(weights, kinds, sides, squares)


def read_texts(game: Game, texts: Sequence[str]) -> tuple[Mixed, Rows]:
    """Read the texts that are written just as `tablebase.game.notation.render` writes them; return their ascending numbers as well.

    The positions may be any placements of pieces, even those in which the game is over. All other texts are left to
    `tablebase.game.notation.read`, which also takes other spellings, and names what is wrong.
    """
    blocks = [_read_block(game, texts[begin : begin + BLOCK]) for begin in range(0, len(texts), BLOCK)]
    if not blocks:
        return mixed([]), np.zeros(0, dtype=np.int64)
    rows = [number * BLOCK + rows for number, (_, rows) in enumerate(blocks)]
    return joined([read for read, _ in blocks]), np.concatenate(rows)


def _read_block(game: Game, texts: Sequence[str]) -> tuple[Mixed, Rows]:
    alphabet, height, width = _alphabet(game), game.board.height, game.board.width
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(lengths)
    # The shortest text has a character for each row, slashes between them, a space and the side.
    rows = np.flatnonzero((lengths >= 2 * height + 1) & (lengths <= LONGEST))
    text = np.frombuffer("".join(texts).encode("ascii", "replace"), dtype=np.uint8)
    rows = rows[(alphabet.sides[text[ends[rows] - 1]] != NO_PIECE) & (text[ends[rows] - 2] == ord(" "))]

    board = text.copy()
    # The space ends the last row.
    board[ends[rows] - 2] = ord("/")
    sums = np.zeros(len(board) + 1, dtype=np.int64)
    np.cumsum(_weights(alphabet, board, ends), out=sums[1:])
    total = sums[ends[rows] - 1] - sums[ends[rows] - lengths[rows]]
    rows = rows[(total % PIECE == height * SLASH + height * width * CELL) & (total < WRONG)]

    slashes, begin = np.flatnonzero(board == ord("/")), (ends - lengths)[rows]
    slashes = slashes[np.searchsorted(slashes, begin)[:, None] + np.arange(height)]
    filled = (sums[slashes] - sums[begin][:, None]) % SLASH
    rows = rows[(filled == width * np.arange(1, height + 1)).all(axis=1)]

    # Texts that were not read may have pieces, too.
    begin = (ends - lengths)[rows]
    places, counts = np.flatnonzero(alphabet.kinds[board] != NO_PIECE), (sums[ends[rows] - 1] - sums[begin]) // PIECE
    column = np.arange(counts.max(initial=0))
    there = column < counts[:, None]
    place = np.append(places, 0)[np.where(there, np.searchsorted(places, begin)[:, None] + column, len(places))]
    squares = alphabet.squares[np.where(there, (sums[place] - sums[begin][:, None]) % SLASH, 0)]
    # A piece may stand on a cell that is not a square.
    plain = ((squares != NO_PIECE) | ~there).all(axis=1)
    kinds = np.where(there, alphabet.kinds[np.append(board, 0)[place]], NO_PIECE)
    squares = np.where(there, squares, NO_PIECE)
    placed = in_order(kinds.astype(np.int8), squares.astype(np.int8), alphabet.sides[text[ends[rows] - 1]])
    return placed.take(np.flatnonzero(plain)), rows[plain]


class _RowTexts(dict[bytes, str]):
    """The text of each row of a board, given by a byte for each cell: 0, or one more than the number of the kind there."""

    def __init__(self, game: Game) -> None:
        self._symbols = [kind.symbol for kind in game.kinds]

    def __missing__(self, row: bytes) -> str:
        pieces = {file: self._symbols[cell - 1] for file, cell in enumerate(row) if cell}
        text = self[row] = render_row(pieces, len(row))
        return text


@lru_cache(maxsize=1)
def _row_texts(game: Game) -> _RowTexts:
    """Kept from call to call, since streams of positions are written in parts."""
    return _RowTexts(game)


def write_texts(game: Game, positions: Mixed) -> list[str]:
    """Positions as `tablebase.game.notation.render` writes them, even those in which the game is over."""
    width, size = game.board.width, game.board.width * game.board.height
    # One column more, for pieces that are not there.
    cell_of = np.full(NO_PIECE + 1, size, dtype=np.int64)
    cell_of[: len(game.board)] = [(game.board.height - 1 - rank) * width + file for file, rank in game.board.cells]
    cells = np.zeros((len(positions.sides), size + 1), dtype=np.uint8)
    cells[np.arange(len(cells))[:, None], cell_of[positions.squares]] = positions.kinds + 1
    rows, data, texts = _row_texts(game), cells.tobytes(), []
    if len(rows) > MOST_ROWS:
        rows.clear()
    letters = [f" {side.letter}" for side in game.sides]
    for begin, side in zip(range(0, len(data), size + 1), positions.sides.tolist(), strict=True):
        texts.append("/".join([rows[data[cell : cell + width]] for cell in range(begin, begin + size, width)]) + letters[side])
    return texts


def _weights(alphabet: _Alphabet, board: NDArray[np.uint8], ends: Rows) -> NDArray[np.int64]:
    """The weight of each character of the texts that end here; two digits are the number that they stand for."""
    weights = alphabet.weights[board]
    follows = (board >= ord("0")) & (board <= ord("9"))
    follows[1:] &= follows[:-1].copy()
    follows[:1] = follows[ends[ends < len(board)]] = False
    second = np.flatnonzero(follows)
    if len(second):
        weights[second - 1] *= 10
        weights[second] = np.where(board[second] == ord("0"), 0, weights[second])
        # No board is a hundred squares wide.
        weights[second[1:][np.diff(second) == 1]] = WRONG
    return weights
