"""Regions and parts of them, solved in memory."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tablebase.functions.chance.iteration import TOLERANCE, Blocks, solve_layer
from tablebase.game.kernels import Int64, Kernels, Region, counts_alike
from tablebase_rules import harehedgehog_kernels


def solve(kernels: Kernels, region: Region, threads: int = 1) -> Int64:
    """The chances of all states in units, shape (2, region.size), as `solve_layer` leaves them."""
    chances = np.zeros((2, region.size), np.int64)
    for layer in region.layers:
        for _ in solve_layer(kernels, region, layer, chances, threads):
            pass
    return chances


def settled(
    kernels: Kernels, region: Region, blocks: Iterable[int], chances: Int64 | None = None, tolerance: int = TOLERANCE
) -> Int64:
    """The chances from some blocks alone, or from others that are known beside them, which are changed."""
    chances = np.zeros((2, region.size), np.int64) if chances is None else chances
    Blocks(kernels, region, chances, None).settle(list(blocks), tolerance)
    return chances


@counts_alike
def too_many(rules: Any, number: Any) -> Any:
    """That all states of Hare & Hedgehog with the same squares are alike, whatever the mover has, which is wrong."""
    block = (rules[harehedgehog_kernels.CAP] + 1) ** 2
    return block if number % block == block - 1 else 0, 1
