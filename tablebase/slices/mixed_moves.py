"""All moves of positions of any materials at once, in NumPy; the vectorised twin of `tablebase.game.moves`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Step
from tablebase.slices.mixed import NO_PIECE, SQUARES, Int8, Mixed, Rows, in_order
from tablebase.slices.movegen import Flags, have_escaped


class Moves(NamedTuple):
    """Moves of positions; arrays of shape (moves,)."""

    rows: Rows  # the position that has the move, ascending
    pieces: Rows  # the column of the piece that moves
    origins: Int8  # the square from which it moves
    targets: Int8  # the square to which it moves
    victims: Int8  # kind of the captured piece, or `NO_PIECE`
    wins: Flags  # whether the move wins at once: it reaches a goal, or captures the last piece

    def take(self, moves: NDArray[Any] | slice) -> Moves:
        """The moves with these numbers, or for which this is true."""
        rows, pieces, origins, targets, victims, wins = self
        return Moves(rows[moves], pieces[moves], origins[moves], targets[moves], victims[moves], wins[moves])


class _Steps(NamedTuple):
    """The steps of all kinds; those of a kind from a square follow each other."""

    first: NDArray[np.int32]  # (kinds, squares)
    number: NDArray[np.int32]  # (kinds, squares)
    target: Int8  # (steps,)
    empty: NDArray[np.uint8]  # (steps, most) squares that must be empty; NO_PIECE where there are fewer
    captures: Flags  # (steps, SQUARES) whether it may capture each kind; of NO_PIECE, whether it may be quiet
    wins: Flags  # (steps,)
    repeated: bool  # whether several steps can be the same move


@lru_cache(maxsize=64)
def _steps(game: Game) -> _Steps:
    first, number_of = np.zeros((2, len(game.kinds), len(game.board)), dtype=np.int32)
    listed: list[tuple[int, Step]] = []
    for number, kind in enumerate(game.kinds):
        for origin, steps in kind.steps_from.items():
            first[number, origin], number_of[number, origin] = len(listed), len(steps)
            listed += [(number, step) for step in steps]
    empty = np.full((len(listed), max((len(step.empty) for _, step in listed), default=0)), NO_PIECE, dtype=np.uint8)
    captures = np.zeros((len(listed), SQUARES), dtype=bool)
    for place, (_, step) in enumerate(listed):
        empty[place, : len(step.empty)] = sorted(step.empty)
        captures[place, [game.by_symbol[symbol] for symbol in step.victims]] = True
        captures[place, NO_PIECE] = step.quiet
    target = np.array([step.target for _, step in listed], dtype=np.int8)
    wins = np.array([step.wins for _, step in listed], dtype=bool)
    ends = {(number, step.origin, step.target) for number, step in listed}
    return _Steps(first, number_of, target, empty, captures, wins, len(ends) < len(listed))


def moves_of(game: Game, positions: Mixed) -> Moves:
    """All legal moves of positions, as `tablebase.game.moves.legal_moves` lists them, each once."""
    steps = _steps(game)
    owners = np.array([*(kind.side for kind in game.kinds), *[NO_PIECE] * (SQUARES - len(game.kinds))], dtype=np.int8)
    owner = owners[positions.kinds]
    movers = owner == positions.sides[:, None]
    movers[_escaped(game, positions)] = False
    rows, pieces = np.nonzero(movers)
    kinds, origins = positions.kinds[rows, pieces], positions.squares[rows, pieces]

    # A line for each step that a piece may have.
    counts = steps.number[kinds, origins]
    step = np.arange(counts.sum()) + np.repeat(steps.first[kinds, origins] - (np.cumsum(counts) - counts), counts)
    rows, pieces, origins = np.repeat(rows, counts), np.repeat(pieces, counts), np.repeat(origins, counts)
    targets = steps.target[step]

    occupants = np.full((len(positions.sides), SQUARES), NO_PIECE, dtype=np.int8)
    occupants[np.arange(len(positions.sides))[:, None], positions.squares] = positions.kinds
    victims = occupants[rows, targets]
    legal = steps.captures[step, victims]
    for square in steps.empty.T:
        legal &= occupants[rows, square[step]] == NO_PIECE
    enemies = (owner == 1 - positions.sides[:, None]).sum(axis=1)
    wins = steps.wins[step] | ((victims != NO_PIECE) & (enemies[rows] == 1))
    moves = Moves(rows, pieces, origins, targets, victims, wins).take(legal)
    return _each_once(moves) if steps.repeated else moves


def after(positions: Mixed, moves: Moves) -> Mixed:
    """The positions that moves lead to, with the other side to move."""
    kinds, squares = positions.kinds[moves.rows], positions.squares[moves.rows]
    captured = squares == moves.targets[:, None]
    kinds[captured] = squares[captured] = NO_PIECE
    squares[np.arange(len(squares)), moves.pieces] = moves.targets
    return in_order(kinds, squares, 1 - positions.sides[moves.rows])


def _each_once(moves: Moves) -> Moves:
    """Moves without those that an earlier step between the same squares has made already."""
    keys = ((moves.rows * SQUARES + moves.pieces) * SQUARES + moves.targets) * 2 + moves.wins
    _, kept = np.unique(keys, return_index=True)
    kept.sort()
    return moves.take(kept)


def _escaped(game: Game, positions: Mixed) -> NDArray[np.int64]:
    """The positions in which a piece has escaped, so that there are no moves."""
    if game.escape is None:
        return np.zeros(0, dtype=np.int64)
    squares, none = len(game.board), len(game.kinds) * len(game.board)
    runners = positions.kinds == game.by_symbol[game.escape.runner]
    rows, columns = np.nonzero(runners & np.isin(positions.sides, list(game.escape.to_move))[:, None])
    pieces = positions.kinds[rows].astype(np.int64) * squares + positions.squares[rows]
    return rows[have_escaped(game, positions.squares[rows, columns], np.minimum(pieces, none).T)]
