"""What tables of a game with chance say about leaves: the chances of all states of a folder, in memory."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np

from tablebase.compute import machine
from tablebase.errors import CapacityError
from tablebase.game.stochastic import StochasticGame
from tablebase.search.maxn import SHARE_BITS, Tables
from tablebase.stochastic.chances import UNIT
from tablebase.stochastic.files import LayerFile, built_regions, layer_path
from tablebase.tables.folder import check_folder

SHIFT = UNIT.bit_length() - 1 - SHARE_BITS
"""Bits of a chance in a file that are dropped, which makes it lower, if anything."""
BYTES = 8
"""In memory, for each state."""


def no_tables() -> Tables:
    """Nothing is known."""
    return Tables(np.zeros(0, np.int64), np.zeros((0, 3), np.int64), np.zeros((2, 0), np.int32))


def load_tables(folder: Path, game: StochasticGame) -> Tables:
    """Read all tables of a game that a folder has; there may be none, and no folder either.

    `CapacityError` if they do not fit into memory; `TablebaseError` if this is no folder of tables, or a file is damaged or was
    built under other rules.
    """
    check_folder(folder)
    # Those of generous tables cannot be forced.
    regions = [(region, layers) for region, layers in built_regions(folder, game, game.region) if not region.generous]
    if not regions:
        return no_tables()
    size = sum(region.size for region, _ in regions)
    # What is read of a layer takes eight bytes for each chance.
    largest = max(layer.end - layer.begin for _, layers in regions for layer in layers)
    needed = BYTES * size + 2 * BYTES * largest
    if needed > machine.memory():
        where = f"all tables of {game.name} in {folder}"
        raise CapacityError(where, "leave the tables out", needed=needed, allowed=machine.memory())
    chances = np.zeros((2, size), np.int32)
    spans, at, begin = [], 0, 0
    for region, layers in regions:
        spans.append((at, at + len(region.rules), begin))
        for layer in layers:
            with closing(LayerFile(layer_path(folder, game, region, layer), game, region, layer)) as file:
                read = np.empty((2, layer.end - layer.begin), np.int64)
                file.read(read)
                read >>= SHIFT
                chances[:, begin + layer.begin : begin + layer.end] = read
        at, begin = at + len(region.rules), begin + region.size
    return Tables(np.concatenate([region.rules for region, _ in regions]), np.array(spans, np.int64), chances)
