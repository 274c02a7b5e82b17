"""The moves of many positions at once, rated and in order."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.positions.movegen import Moves, after, moves_of
from tablebase.positions.position_arrays import Int8, Mixed, Rows
from tablebase.probe.slice_values import KNOWN, Int16, Slices, Values

FAR = 1 << 20
"""More than any distance."""


class Rated(NamedTuple):
    """The moves of positions, best first as in `tablebase.probe.answers.Probe`."""

    moves: Moves  # those of a position follow each other
    begin: Rows  # those of position i are begin[i]:begin[i + 1]
    children: Mixed  # the position after each move
    values: Values  # what each move is worth to the side that makes it

    def take(self, positions: slice) -> Rated:
        """The moves of some positions that follow each other."""
        first, last, _ = positions.indices(len(self.begin) - 1)
        moves, begin = slice(self.begin[first], self.begin[last]), self.begin[first : last + 1] - self.begin[first]
        return Rated(self.moves.take(moves), begin, self.children.take(moves), self.values.take(moves))

    def best(self, outcomes: Int8, distances: Int16) -> NDArray[np.bool_]:
        """Return whether the first move of each position, given with its value, is known to be best."""
        first = self.begin[:-1]
        there = np.flatnonzero(self.begin[1:] > first)
        best = np.zeros(len(first), dtype=bool)
        first = first[there]
        best[there] = (
            (self.values.reasons[first] == KNOWN)
            & (self.values.outcomes[first] == outcomes[there])
            & (self.values.distances[first] == distances[there])
        )
        return best


def rated_moves(slices: Slices, positions: Mixed) -> Rated:
    """The moves of positions in which the game is not over."""
    game = slices.game
    moves = moves_of(game, positions)
    children = after(positions, moves)
    values = _of_moves(slices, moves, children)
    plies = values.distances.astype(np.int32)
    merit = np.where(values.outcomes == 0, FAR, np.where(values.outcomes > 0, plies, 2 * FAR - plies))
    merit[values.reasons != KNOWN] = 3 * FAR
    order = np.lexsort((_text_order(game)[moves.origins, moves.targets], merit, moves.rows))
    moves = moves.take(order)
    begin = np.searchsorted(moves.rows, np.arange(len(positions.sides) + 1))
    return Rated(moves, begin, children.take(order), values.take(order))


def _of_moves(slices: Slices, moves: Moves, children: Mixed) -> Values:
    count = len(moves.rows)
    outcomes, distances = np.ones(count, dtype=np.int8), np.ones(count, dtype=np.int16)
    reasons = np.full(count, KNOWN, dtype=np.int32)
    inner = np.flatnonzero(~moves.wins)
    found = slices.values(children.take(inner))
    outcomes[inner] = -found.outcomes
    # A draw has no distance, before and after the move.
    distances[inner] = np.where(found.outcomes == 0, -1, found.distances + 1)
    reasons[inner] = found.reasons
    return Values(outcomes, distances, reasons, found.errors)


@lru_cache(maxsize=16)
def _text_order(game: Game) -> NDArray[np.int32]:
    """[origin, target]: the place of a move among all, ordered by their texts."""
    names = game.board.names
    texts = np.array([[origin + target for target in names] for origin in names])
    order = np.empty(texts.size, dtype=np.int32)
    order[np.argsort(texts, axis=None, kind="stable")] = np.arange(texts.size)
    return order.reshape(texts.shape)
