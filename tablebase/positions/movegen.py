"""All moves of many positions at once, in NumPy: positions of one slice, or of any materials.

This is the vectorised twin of `tablebase.game.moves`, independent of the solvers' kernels. Positions are arrays with a column for
each piece. The pieces of a column all move by their first step, then all by their second, and so on. Which step that is, is looked
up by the *place* of a piece: in a slice its square, as all pieces of a column are of one kind; elsewhere its kind and square.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game, Step
from tablebase.positions.conversions import ENDS, ILLEGAL, STAYS, step_destinations
from tablebase.positions.indexing import Layout, Squares
from tablebase.positions.position_arrays import NO_PIECE, SQUARES, Int8, Mixed, Rows, in_order

NOWHERE = -1
Flags = NDArray[np.bool_]
Int32 = NDArray[np.int32]


class _NthStep(NamedTuple):
    """The n-th step from each place, for a fixed n."""

    targets: Int8  # (places,) NOWHERE where there are fewer steps
    empty: Int8  # (most, places) squares that must be empty, NOWHERE where there are fewer
    destinations: Int32  # (places, victims + 1) [p, v] if it captures v, which is 1 or more; [p, 0] if it captures nothing


class _Batch(NamedTuple):
    """One move each of several positions, by pieces of one column; arrays of shape (moves,)."""

    rows: Rows
    targets: Int8
    victims: Int8  # 0 if nothing is captured
    destinations: Int32


def _nth_steps(steps: Sequence[Sequence[Step]], destinations: Int32) -> tuple[_NthStep, ...]:
    """The first, second, … step from each place, given all steps by place, and a row of destinations for each of them."""
    first = np.cumsum([0, *map(len, steps)])
    found = []
    for n in range(max(map(len, steps))):
        there = {place: listed[n] for place, listed in enumerate(steps) if n < len(listed)}
        places = list(there)
        nth_step = _NthStep(
            targets=np.full(len(steps), NOWHERE, dtype=np.int8),
            empty=np.full((max(len(step.empty) for step in there.values()), len(steps)), NOWHERE, dtype=np.int8),
            destinations=np.full((len(steps), destinations.shape[1]), ILLEGAL, dtype=np.int32),
        )
        nth_step.targets[places] = [step.target for step in there.values()]
        nth_step.destinations[places] = destinations[first[places] + n]
        for place, step in there.items():
            nth_step.empty[: len(step.empty), place] = sorted(step.empty)
        found.append(nth_step)
    return tuple(found)


def _batches(squares: Int8, victims: Int8, places: Rows, steps: Iterable[_NthStep]) -> Iterator[_Batch]:
    """The moves of the pieces of one column, which are in these places, shape (positions,).

    `squares` are those of all pieces, shape (pieces, positions); `victims`, of the same shape or (pieces, 1), tells what steps
    see in them.
    """
    for step in steps:
        targets = step.targets[places]
        # A piece without an n-th step has no later one.
        if (targets == NOWHERE).all():
            return
        captured = np.zeros(len(places), dtype=np.int8)
        for column, victim in zip(squares, victims, strict=True):
            captured |= (column == targets) * victim
        # Indexing with two arrays takes twice as long.
        destinations = step.destinations.take(places * step.destinations.shape[1] + captured)
        legal = destinations != ILLEGAL
        for needed in step.empty:
            square = needed[places]
            for column in squares:
                legal &= column != square
        rows = np.flatnonzero(legal)
        yield _Batch(rows, targets[rows], captured[rows], destinations[rows])


# Positions of one slice


class MoveBatch(NamedTuple):
    """One move each of several positions, all with the same destination."""

    rows: Rows  # the positions that have the move; a position may be in several batches
    destination: int  # where the moves lead: `STAYS`, `ENDS` or the number of a conversion
    squares: Squares  # (rows, slots) the squares afterwards; that of a captured piece is meaningless
    victim: int | None  # the captured slot


class MoveGenerator:
    """The moves of one side in one slice."""

    def __init__(self, layout: Layout, side: int) -> None:
        self.layout, self.side = layout, side
        self._kinds = [layout.material.kinds[piece] for piece in layout.slots]

    def moves(self, squares: Squares) -> Iterator[MoveBatch]:
        """All moves of these positions, even of those in which a piece has escaped."""
        columns, victims = np.ascontiguousarray(squares.T), np.arange(1, len(self._kinds) + 1, dtype=np.int8)[:, None]
        for slot, kind in enumerate(self._kinds):
            if self.layout.game.side_of(kind) == self.side:
                for batch in _batches(columns, victims, columns[slot].astype(np.int64), _slice_steps(self.layout, kind)):
                    yield from self._by_destination(squares, slot, batch)

    def _by_destination(self, squares: Squares, slot: int, batch: _Batch) -> Iterator[MoveBatch]:
        victims = len(self._kinds) + 1
        numbers = (batch.destinations - ENDS) * victims + batch.victims
        for number in np.flatnonzero(np.bincount(numbers)).tolist():
            movers = numbers == number
            after = squares.take(batch.rows[movers], axis=0)
            after[:, slot] = batch.targets[movers]
            victim = number % victims
            yield MoveBatch(batch.rows[movers], number // victims + ENDS, after, victim - 1 if victim else None)

    def escaped(self, squares: Squares) -> Flags:
        """Return whether a piece has escaped in each position."""
        return _escaped(self.layout.game, np.array(self._kinds)[:, None], np.ascontiguousarray(squares.T), self.side)


# Blocks of one slice follow each other, and so do both sides of a table.
@lru_cache(maxsize=64)
def _slice_steps(layout: Layout, kind: int) -> tuple[_NthStep, ...]:
    """The steps of a kind; places are squares, and victim v is slot v - 1; read-only."""
    steps_from = layout.game.kinds[kind].steps_from
    return _nth_steps([steps_from.get(square, ()) for square in range(len(layout.game.board))], step_destinations(layout, kind))


# Positions of any materials


class Moves(NamedTuple):
    """Moves of positions; arrays of shape (moves,)."""

    rows: Rows  # the position that has the move, in any order
    pieces: Int8  # the column of the piece that moves
    origins: Int8  # the square from which it moves
    targets: Int8  # the square to which it moves
    victims: Int8  # kind of the captured piece, or `NO_PIECE`
    wins: Flags  # whether the move wins at once: it reaches a goal, or captures the last piece

    def take(self, moves: NDArray[Any] | slice) -> Moves:
        """The moves with these numbers, or for which this is true."""
        rows, pieces, origins, targets, victims, wins = self
        return Moves(rows[moves], pieces[moves], origins[moves], targets[moves], victims[moves], wins[moves])


NONE = np.zeros(0, dtype=np.int8)
NO_MOVES = Moves(np.zeros(0, dtype=np.int64), NONE, NONE, NONE, NONE, np.zeros(0, dtype=bool))


def moves_of(game: Game, positions: Mixed) -> Moves:
    """All legal moves of positions, as `tablebase.game.moves.legal_moves` lists them, each once."""
    kinds, squares = np.ascontiguousarray(positions.kinds.T), np.ascontiguousarray(positions.squares.T)
    sides = np.array([*(kind.side for kind in game.kinds), *[NO_PIECE] * (SQUARES - len(game.kinds))], dtype=np.int8)[kinds]
    enemies = (sides == 1 - positions.sides).sum(axis=0)
    places = _places(game, kinds, squares)
    own = (sides == positions.sides) & ~_escaped(game, kinds, squares, positions.sides)
    # That of no piece overflows, but nothing moves to where it stands.
    capturable = kinds + 1
    found = [NO_MOVES]
    for piece, origins in enumerate(squares):
        # Pieces that do not move have no steps, as if they were not there.
        movers = np.where(own[piece], places[piece], len(game.kinds) * len(game.board)).astype(np.int64)
        for rows, targets, victims, destinations in _batches(squares, capturable, movers, _mixed_steps(game)):
            wins = (destinations == ENDS) | ((victims > 0) & (enemies[rows] == 1))
            pieces = np.full(len(rows), piece, dtype=np.int8)
            found.append(Moves(rows, pieces, origins[rows], targets, np.where(victims, victims - 1, NO_PIECE), wins))
    moves = Moves(*map(np.concatenate, zip(*found, strict=True)))
    if not _repeats(game):
        return moves
    # Without those that an earlier step between the same squares has made already.
    keys = ((moves.rows * SQUARES + moves.pieces) * SQUARES + moves.targets) * 2 + moves.wins
    return moves.take(np.unique(keys, return_index=True)[1])


def after(positions: Mixed, moves: Moves) -> Mixed:
    """The positions that moves lead to, with the other side to move."""
    kinds, squares = positions.kinds.take(moves.rows, axis=0), positions.squares.take(moves.rows, axis=0)
    captured = squares == moves.targets[:, None]
    kinds[captured] = squares[captured] = NO_PIECE
    squares[np.arange(len(squares)), moves.pieces] = moves.targets
    return in_order(kinds, squares, 1 - positions.sides[moves.rows])


@lru_cache(maxsize=64)
def _mixed_steps(game: Game) -> tuple[_NthStep, ...]:
    """The steps of all kinds; places are those of `_places`, and victim v is kind v - 1; read-only."""
    board = range(len(game.board))
    steps = [*(kind.steps_from.get(square, ()) for kind in game.kinds for square in board), ()]
    listed = [step for some in steps for step in some]
    destinations = np.full((len(listed), len(game.kinds) + 1), ILLEGAL, dtype=np.int32)
    for row, step in zip(destinations, listed, strict=True):
        victims = [0] * step.quiet + [game.by_symbol[symbol] + 1 for symbol in step.victims]
        row[victims] = ENDS if step.wins else STAYS
    return _nth_steps(steps, destinations)


@cache
def _repeats(game: Game) -> bool:
    return any(len({(step.origin, step.target) for step in kind.steps}) < len(kind.steps) for kind in game.kinds)


# Escapes


def _places(game: Game, kinds: NDArray[Any], squares: Int8) -> NDArray[np.int16]:
    """The place of each piece among all kinds and squares; that of no piece is the last one."""
    places: NDArray[np.int16] = kinds.astype(np.int16) * len(game.board) + squares
    return np.minimum(places, len(game.kinds) * len(game.board))


def _escaped(game: Game, kinds: NDArray[Any], squares: Int8, sides: Int8 | int) -> Flags:
    """Check for an escaped piece in each position, with these sides to move; the twin of `tablebase.game.moves.has_escaped`."""
    escaped = np.zeros(squares.shape[1], dtype=bool)
    if game.escape is None:
        return escaped
    places, board, runner = _places(game, kinds, squares), len(game.board), game.by_symbol[game.escape.runner]
    to_move = np.array([side in game.escape.to_move for side in (0, 1)])
    runners = (places // board == runner) & to_move[sides]
    rows = np.flatnonzero(runners.any(axis=0))
    spots = (places * runners).sum(axis=0)[rows] - runner * board
    guarded = np.zeros((len(rows), board), dtype=bool)
    for column in places:
        guarded |= _guards(game).take(column[rows], axis=0)
    free = ~guarded[np.arange(len(rows)), spots]
    if game.escape.room:
        free &= (_near(game).take(spots, axis=0) & ~guarded).any(axis=1)
    escaped[rows[free]] = True
    return escaped


@cache
def _guards(game: Game) -> Flags:
    """[p, t]: whether a piece in place p guards square t; read-only."""
    squares = len(game.board)
    guards = np.zeros((len(game.kinds) * squares + 1, squares), dtype=bool)
    for symbol, zones in game.escape.guarded.items() if game.escape else ():
        for square, zone in zones.items():
            guards[game.by_symbol[symbol] * squares + square, list(zone)] = True
    return guards


@cache
def _near(game: Game) -> Flags:
    """[s, t]: whether a step of the runner leads from square s to square t; read-only."""
    near = np.zeros((len(game.board),) * 2, dtype=bool)
    for step in game.kinds[game.by_symbol[game.escape.runner]].steps if game.escape else ():
        near[step.origin, step.target] = True
    return near
