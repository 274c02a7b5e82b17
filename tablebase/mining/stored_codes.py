"""Codes of tables at any indices: whole sides to move are kept in memory while they are being read."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from tablebase.game import Game
from tablebase.positions.material import Material
from tablebase.tables.store import Store
from tablebase.tables.values import Codes

KEPT_BYTES = 1 << 28
"""Of whole sides in memory."""


class StoredCodes:
    """Looks up codes by their indices. Safe to use from several threads."""

    def __init__(self, game: Game, store: Store) -> None:
        self.game, self.store = game, store
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Material, int], Codes] = OrderedDict()

    def at(self, material: Material, side: int, indices: NDArray[np.int64]) -> Codes:
        """Codes of a stored material with this side to move, at indices in any order; see `Store.table` for the errors."""
        table = self.store.table(self.game, material)
        if table.layout.size * np.dtype(table.coding.dtype).itemsize > KEPT_BYTES // 2:
            return table.at(side, indices)
        with self._lock:
            codes = self._kept.get((material, side))
            if codes is None:
                codes = self._kept[material, side] = table.between(side, 0, table.layout.size)
            self._kept.move_to_end((material, side))
            while sum(each.nbytes for each in self._kept.values()) > KEPT_BYTES:
                self._kept.popitem(last=False)
        found: Codes = codes.take(indices)
        return found
