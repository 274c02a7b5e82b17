"""Expected results of positions: the squashed sum of weights, one for each small group of pieces.

A group is of one piece, two, or more up to the *order*. It counts twice: by the squares that its pieces stand on, and by how they
stand to each other, wherever on the board. The side to move has weights of its own. This works for any game of pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.play.learning.matchboxes import representative

MOST_WEIGHTS = 1_048_573
"""Weights of each way to count groups, a prime number; if there are more groups, some share a weight."""
LARGEST_ORDER = 5


class ValueFunction:
    """Expects a result from -1 (the second side wins) to 1 (the first one does): the hyperbolic tangent of a sum of weights.

    The weights are by side to move, and all 0 before anything is learned.
    """

    def __init__(self, game: Game, order: int) -> None:
        self.game, self.order = game, order
        width, height, squares = game.board.width, game.board.height, len(game.board)
        self._cells = np.array([*game.board.cells, (0, 0)])
        self._span = 2 * height - 1, 2 * width - 1
        self._placed = _Numbering(1 + len(game.kinds) * squares, order)
        self._related = _Numbering(1 + len(game.kinds) * self._span[0] * self._span[1], order)
        self.weights = np.zeros((2, self._placed.size + self._related.size), dtype=np.float32)

    def expected(self, positions: Sequence[Position]) -> NDArray[np.float32]:
        """The result expected of each of some positions, none of which ends the game, with the same mover and as many pieces."""
        weights = self.weights[positions[0].side, self.groups(positions)]
        return np.asarray(np.tanh(weights.sum(axis=1)))

    def learn(self, position: Position, result: float, rate: float) -> None:
        """Take a step towards a result: down the gradient of the cross-entropy by the sum of weights, which is the error itself."""
        groups = self.groups([position])[0]
        weights = self.weights[position.side]
        error = result - float(np.tanh(weights[groups].sum()))
        np.add.at(weights, groups, rate * error / len(groups))

    def groups(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """The weights of each position, by number, shape (positions, weights of one); all have as many pieces."""
        pieces = np.array([(*representative(self.game, position).pieces, (0, -1)) for position in positions])
        members, related = _members(pieces.shape[1] - 1, self.order)
        kinds, squares = pieces[:, :, 0], pieces[:, :, 1]
        # The last piece is none, with which small groups are filled up.
        placed = (kinds * len(self.game.board) + squares + 1)[:, members]
        distances = self._cells[squares][:, related] - self._cells[squares][:, related[:, :1]]
        height, width = self._span
        shifted = (distances[..., 0] + width // 2) * height + distances[..., 1] + height // 2
        among = np.where(related < pieces.shape[1] - 1, kinds[:, related] * width * height + shifted + 1, 0)
        return np.concatenate([self._placed.keys(placed), self._placed.size + self._related.keys(among)], axis=1)


class _Numbering:
    """Numbers groups of up to `order` members, each of which is a number below `base`, and 0 if there are fewer."""

    def __init__(self, base: int, order: int) -> None:
        self.size = min(base**order, MOST_WEIGHTS)
        self._powers = np.array([pow(base, place, self.size) for place in range(order)])

    def keys(self, groups: NDArray[np.int64]) -> NDArray[np.int64]:
        """The weight of each group, by number."""
        return np.asarray(groups @ self._powers % self.size)


@cache
def _members(pieces: int, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The pieces of each group, by number, filled up with the number of pieces; and those of groups of two or more."""
    groups = [group for size in range(1, order + 1) for group in combinations(range(pieces), size)]
    members = np.array([[*group, *[pieces] * (order - len(group))] for group in groups])
    return members, members[pieces:]
