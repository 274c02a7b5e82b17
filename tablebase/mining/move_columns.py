"""Columns that are made from legal moves: those of the table `moves`, and some of `positions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.mining.arrow_arrays import array_of
from tablebase.mining.board_text import POSITION, board_texts, child_texts
from tablebase.mining.column import TEXT, Column, distances, of_dictionary, of_outcomes, outcomes, small_integers, words_array
from tablebase.mining.move_values import UNKNOWN, ListedMoves, RowMoves, move_texts
from tablebase.mining.rows import MoveRows, Rows
from tablebase.mining.word_checks import one_of
from tablebase.tables.values import DRAW, FULL, Codes

NO_PIECE = -1
WAYS = Column("squares of move", pa.int16(), lambda rows: small_integers(rows.ways, rows.ways < 0))
"""Both squares of each move as a number; null if it ends the game."""


def columns_from_moves(game: Game) -> list[Column]:
    """The columns of positions that their legal moves decide."""

    def move(name: str, choose: Callable[[RowMoves], NDArray[np.int32]]) -> Column:
        def array(rows: Rows) -> pa.Array:
            steps = choose(rows.moves)
            return of_dictionary(rows.moves.numbers[steps], words_array(move_texts(game)), steps < 0)

        return Column(name, TEXT, array, extra=True, of_moves=True, check=one_of(name, move_texts(game)))

    def number(name: str, count: Callable[[ListedMoves], NDArray[np.integer]]) -> Column:
        def array(rows: Rows) -> pa.Array:
            counts = count(rows.moves.listed).take(rows.moves.places)
            return small_integers(counts, counts < 0)

        return Column(name, pa.int16(), array, extra=True, of_moves=True)

    def quiet(rows: Rows) -> pa.Array:
        return array_of(rows.moves.listed.loud_counts.take(rows.moves.places) == 0)

    return [
        move("best", lambda moves: moves.best),
        number("best_moves", lambda listed: listed.best_counts),
        number("winning_moves", lambda listed: listed.judged[0][0]),
        number("drawing_moves", lambda listed: listed.judged[0][1]),
        number("losing_moves", lambda listed: listed.judged[0][2]),
        move("only_move", lambda moves: moves.only),
        Column("quiet", pa.bool_(), quiet, extra=True, of_moves=True),
    ]


def move_columns(game: Game, slice_columns: Sequence[Column]) -> dict[str, Column]:
    """All columns of the table of moves by name, given those that name the slice."""
    names, symbols = words_array(tuple(game.board.names)), words_array(tuple(kind.symbol for kind in game.kinds))
    texts, jumps = words_array(move_texts(game)), _jumps(game)
    made: dict[str, tuple[pa.DataType, Callable[[MoveRows], pa.Array]]] = {
        "move": (TEXT, lambda rows: of_dictionary(rows.of_rows.numbers[rows.steps], texts)),
        "piece": (TEXT, lambda rows: of_dictionary(rows.of_rows.kinds[rows.of_rows.moves.slots[rows.steps]], symbols)),
        "origin": (TEXT, lambda rows: of_dictionary(rows.origins, names)),
        "target": (TEXT, lambda rows: of_dictionary(rows.targets, names)),
        "captures": (TEXT, lambda rows: of_dictionary(rows.of_rows.kinds[rows.victims], symbols, rows.victims == NO_PIECE)),
        "jump": (pa.bool_(), lambda rows: array_of(jumps[rows.origins, rows.targets])),
        "ends": (pa.bool_(), lambda rows: array_of(rows.ends)),
        "outcome": (TEXT, lambda rows: _outcomes(_worth(rows))),
        "distance": (pa.int16(), lambda rows: _distances(_worth(rows))),
        "position_outcome": (TEXT, lambda rows: _outcomes(_of_positions(rows))),
        "position_distance": (pa.int16(), lambda rows: _distances(_of_positions(rows))),
        "is_best": (pa.bool_(), _is_best),
        "is_only": (pa.bool_(), _is_only),
    }
    letters = [kind.symbol for kind in game.kinds]
    words = {
        "move": move_texts(game),
        "piece": letters,
        "captures": letters,
        "origin": game.board.names,
        "target": game.board.names,
    }
    checks = {name: one_of(name, its) for name, its in words.items()}
    checks |= {name: of_outcomes(name) for name in ("outcome", "position_outcome")}
    columns = [
        *slice_columns,
        *(Column(name, type_, array, of_moves=True, check=checks.get(name)) for name, (type_, array) in made.items()),
    ]
    columns.append(
        Column("quiet", pa.bool_(), lambda rows: array_of(rows.of_rows.listed.quiet[rows.number]), extra=True, of_moves=True)
    )
    columns.append(Column(POSITION, pa.string(), lambda rows: board_texts(POSITION, rows.positions), late=True))
    child = Column(
        "child", pa.string(), lambda rows: child_texts(rows.positions, rows.ways), late=True, of_moves=True, made_of=WAYS
    )
    return {column.name: column for column in [*columns, child]}


def _worth(rows: MoveRows) -> Codes:
    """The values of moves in the coding `FULL`."""
    worth: Codes = rows.of_rows.listed.worth[rows.number]
    return worth


def _of_positions(rows: MoveRows) -> Codes:
    """The values of their positions in the coding `FULL`."""
    codes: Codes = rows.of_rows.listed.codes[rows.of_rows.places[rows.row]]
    return codes


def _outcomes(codes: Codes) -> pa.Array:
    return outcomes(FULL, _known(codes), codes == UNKNOWN)


def _distances(codes: Codes) -> pa.Array:
    return distances(FULL, _known(codes))


def _known(codes: Codes) -> Codes:
    """Codes with that of a draw, which has no distance, for unknown ones."""
    return np.where(codes == UNKNOWN, DRAW, codes)


def _is_best(rows: MoveRows) -> pa.Array:
    """Return whether a move is worth as much as its position."""
    return array_of(_worth(rows) == _of_positions(rows), _worth(rows) == UNKNOWN)


def _is_only(rows: MoveRows) -> pa.Array:
    """Return whether a move is the only one that keeps the outcome."""
    only = rows.of_rows.only[rows.row]
    return array_of(rows.steps == only, only < NO_PIECE)


def _jumps(game: Game) -> NDArray[np.bool_]:
    """[s, t]: whether there are squares between two squares."""
    cells = np.array(game.board.cells)
    jumps: NDArray[np.bool_] = np.abs(cells[:, None] - cells[None]).max(axis=2) > 1
    return jumps
