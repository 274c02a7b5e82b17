"""All layers of a region, solved in memory."""

from __future__ import annotations

import numpy as np

from tablebase.game.kernels import Int64, Kernels, Region
from tablebase.stochastic.iteration import solve_layer


def solve(kernels: Kernels, region: Region, threads: int = 1) -> Int64:
    """The chances of all states in units, shape (2, region.size), as `solve_layer` leaves them."""
    chances = np.zeros((2, region.size), np.int64)
    for layer in region.layers:
        for _ in solve_layer(kernels, region, layer, chances, threads):
            pass
    return chances
