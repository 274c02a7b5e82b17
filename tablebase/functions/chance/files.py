"""The file of a layer: for each stored state, the chance of winning that the player to move can force, and its upper bound.

Like a table's, it is an HDF5 file with a seal, made under a temporary name, and never modified. Its datasets ``lower`` and
``upper`` are indexed by the numbers of the states, from the layer's first one. They are multiples of 2^-52, so that reading
them loses nothing. In a generous region they hold what these bounds cannot pass, however much a table knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.functions.chance.chances import UNIT
from tablebase.game.kernels import Int64, Kernels, Layer, Region
from tablebase.game.stochastic import StochasticGame
from tablebase.system.compute.jit import jit
from tablebase.tables import hdf5 as parts
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.flat_files import FlatFile, Head, head_of, opened_hdf5, write_flat
from tablebase.tables.folder import SUFFIX
from tablebase.tables.reader import ERRORS, NO_TABLE, hdf5, read_error
from tablebase.tables.values import LazyValues

FORMAT_VERSION = 1
BOUND = np.dtype("<f8")
BOUNDS = "lower", "upper"
"""The datasets, those of the player to move and of the other one."""
EXACT = 1e-9
"""Bounds that are closer than this count as exact."""
COUNTS = ("states", "wins", "losses", "exact", "open", "stalling")


@dataclass(frozen=True)
class LayerCounts:
    """Precision of the chances of a layer's states."""

    states: int
    # States in which the player to move is certain to win, or to lose, under best play.
    wins: int
    losses: int
    exact: int  # states whose bounds differ by less than `EXACT`, wins and losses included
    open: int  # states whose bounds are 0 and 1
    stalling: int  # in a generous region, the only number beside `states`: those in which nobody can force a part of the chance


def layer_path(folder: Path, game: StochasticGame, region: Region, layer: Layer) -> Path:
    """The path of a layer's file in a tablebase."""
    return folder / game.name / region.name / (layer.name + SUFFIX)


def write_layer(path: Path, game: StochasticGame, kernels: Kernels, region: Region, layer: Layer, chances: Int64) -> Path:
    """Write a layer under a temporary name next to `path`, sync it to disk, and return that name.

    `chances` are those of the whole region, as `tablebase.functions.chance.iteration.solve_layer` leaves them.
    """
    own = chances[:, layer.begin : layer.end]
    head = _head(game, region, layer, count(kernels, region, layer, own))

    def bounds(player: int, begin: int, end: int) -> NDArray[np.float64]:
        return _bounds(player, own[player, begin:end])

    datasets = {name: LazyValues(own.shape[1], BOUND, partial(bounds, player)) for player, name in enumerate(BOUNDS)}
    return write_flat(path, head, datasets)


def _bounds(player: int, chances: Int64) -> NDArray[np.float64]:
    """Convert a player's chances to bounds for the player to move: his own are lower, the other's upper ones."""
    return (chances if player == 0 else UNIT - chances) / UNIT


def _chances(player: int, bounds: NDArray[np.float64]) -> Int64:
    """The inverse; exact, since bounds are multiples of a unit."""
    units = (bounds * UNIT).astype(np.int64)
    return units if player == 0 else UNIT - units


def _head(game: StochasticGame, region: Region, layer: Layer, counts: LayerCounts) -> Head:
    more = {"region": region.name, "layer": layer.name, "limits": json.dumps(region.limits), **vars(counts)}
    return head_of(game, f"{region.name} {layer.name}", "tablebase chances", FORMAT_VERSION, **more)


class LayerFile(FlatFile):
    """The file of a layer, open for reading; its values are its bounds, the lower ones first.

    The region may have other layers, too. `CorruptTableError` if the file is not one of this layer, `StaleTableError` if it was
    built under other rules or in another format.
    """

    def __init__(self, path: Path, game: StochasticGame, region: Region, layer: Layer) -> None:
        self.game, self.region, self.layer = game, region, layer
        super().__init__(path)

    def _check(self, root: Any) -> None:
        game, region, layer = self.game, self.region, self.layer
        self.counts = LayerCounts(*(parts.number(root, name) for name in COUNTS))
        self.head = _head(game, region, layer, self.counts)
        table = f"{region.name} {layer.name} of {game.name}"
        self._compare(root, table, ("format", "game", "region", "layer"), ("format_version", "rules_digest"))
        for name in BOUNDS:
            self._expect(root, name, self.layer.end - self.layer.begin, BOUND)

    def read(self, chances: Int64 | None = None) -> None:
        """Read all chances in units into an array of shape (2, states of the layer); without it, they are only checked.

        `CorruptTableError` if they cannot be read, or are not those that were written.
        """

        def noted(name: str, states: slice, bounds: NDArray[Any]) -> None:
            if chances is not None:
                player = BOUNDS.index(name)
                chances[player, states] = _chances(player, bounds)

        self.check_values(noted)

    def chances_at(self, number: int, chunks: CachedChunks) -> tuple[int, int]:
        """The chances in units of the player to move, and of the other one, in the state of this number."""
        chunk, place = divmod(number - self.layer.begin, self.chunk_values(BOUNDS[0]))
        lower, upper = (float(self.cached(chunks, name, chunk)[place]) for name in BOUNDS)
        if not (0 <= lower <= 1 and 0 <= upper <= 1 and (lower <= upper or self.region.generous)):
            raise CorruptTableError("contains invalid probability bounds", self.path)
        return int(lower * UNIT), UNIT - int(upper * UNIT)


def built_regions(
    folder: Path, game: StochasticGame, region_of: Callable[[Mapping[str, int | str]], Region]
) -> Iterator[tuple[Region, list[Layer]]]:
    """The regions of which a folder has files, each as large as its largest file says, with the layers that are there.

    `region_of` gives the region with some limits.
    """
    home = folder / game.name
    for place in sorted(path for path in home.iterdir() if path.is_dir()) if home.is_dir() else []:
        files = sorted(place.glob(f"*{SUFFIX}"))
        if files:
            region = max((region_of(limits_of(path)) for path in files), key=lambda region: region.size)
            yield region, [layer for layer in region.layers if layer_path(folder, game, region, layer) in files]


def limits_of(path: Path) -> Mapping[str, int | str]:
    """The limits of the region that a layer's file was built with; `CorruptTableError` if it does not say."""
    with hdf5:
        file = opened_hdf5(path)
        try:
            limits: Any = json.loads(parts.text(file.id, "limits"))
            parts.require(isinstance(limits, dict), "its limits are invalid")
        except ERRORS as error:
            raise read_error(path, error, NO_TABLE) from error
        finally:
            file.close()
    return dict(limits)


def count(kernels: Kernels, region: Region, layer: Layer, chances: Int64) -> LayerCounts:
    """Count the states of a layer by their chances, an array of shape (2, states of the layer)."""
    state = np.zeros(kernels.fields, np.int64)
    counted = _count(kernels.state_at, region.rules, layer.begin, chances, int(EXACT * UNIT), state)
    known = ("states", "stalling") if region.generous else COUNTS[:-1]
    return LayerCounts(**{name: number if name in known else 0 for name, number in zip(COUNTS, counted.tolist(), strict=True)})


@jit
def _count(state_at: Any, rules: Int64, begin: int, chances: Int64, exact: int, state: Int64) -> Int64:
    """The numbers of `LayerCounts`."""
    counts = np.zeros(6, np.int64)
    for place in range(chances.shape[1]):
        if state_at(rules, begin + place, state):
            mine, others = chances[0, place], chances[1, place]
            counts[0] += 1
            counts[1] += mine == UNIT
            counts[2] += others == UNIT
            counts[3] += UNIT - mine - others < exact
            counts[4] += mine == 0 and others == 0
            counts[5] += UNIT - mine - others >= exact
    return counts
