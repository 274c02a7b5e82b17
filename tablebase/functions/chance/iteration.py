"""Value iteration: for every state of a region, the chance of winning that each of two players can force.

All chances begin at 0 and only rise. Each is computed from chances that are not too high, in arithmetic that rounds down, so
it is never too high itself, whenever the iteration stops. The states are solved block by block, and blocks that depend on one
another together, after all others that they depend on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.functions.chance.chances import (
    UNIT,
    UNSEEN,
    Evaluating,
    Int64,
    improve,
    improve_at_once,
    new_evaluating,
    new_rises,
    store,
)
from tablebase.functions.chance.formulas import Formulas, FormulaSpace, blocks_read, formulas_of, new_space
from tablebase.game.kernels import Kernels, Layer, Region
from tablebase.system.compute.circles import circles
from tablebase.tables.checkpoints import NO_CHECKPOINT, TableCheckpoint

BATCH = 8
"""Blocks that are computed from the same chances; a constant, so that results do not depend on the number of threads."""
GRAIN = 4096
"""Fewer states than this are not worth another thread, nor being computed from the same chances."""
KEPT = 1 << 31
"""Bytes of formulas that are kept; others are written anew whenever they are needed."""
TOLERANCE = UNIT >> 42
"""A chance that has risen by no more than this is not worth computing others again."""
COARSE = tuple(UNIT >> bits for bits in range(4, 42, 6))
"""Tolerances that come first, since small improvements are not worth reading one by one."""


def solve_layer(
    kernels: Kernels,
    region: Region,
    layer: Layer,
    chances: Int64,
    threads: int = 1,
    tolerance: int = TOLERANCE,
    checkpoint: TableCheckpoint = NO_CHECKPOINT,
) -> Iterator[int]:
    """Raise the chances of one layer until they stay as they are; yield now and then how many blocks will not rise any more.

    The layers before it must be solved. `chances` has shape (2, region.size): for each state, what the player to move can force
    in units, and what the other one can; those of the layer are changed. A chance that has risen by no more than `tolerance`
    units is not worth computing others again; in a generous region chances must stay as they are to the unit, or they would
    prove nothing. The checkpoint says what to go on from, and saves how far it is.
    """
    tolerance = 0 if region.generous else tolerance
    first, count = layer.begin // region.block, (layer.end - layer.begin) // region.block
    saved = checkpoint.load()
    numbers: dict[str, int] = saved.numbers if saved else {"circle": 0, "done": 0}
    done = numbers["done"]
    own = [row[layer.begin : layer.end] for row in chances]
    with ThreadPoolExecutor(threads) as pool:
        blocks = Blocks(kernels, region, chances, pool if threads > 1 else None)
        reads = blocks.reads(range(first, first + count))
        for number, circle in enumerate(circles(reads)):
            if number < numbers["circle"]:
                continue
            if len(circle) * region.block < GRAIN:
                blocks.settle([first + block for block in circle], tolerance)
            else:
                passes = Passes(reads, circle, tolerance)
                if saved and number == numbers["circle"]:
                    passes.at = Place(*saved.numbers["at"])
                    saved.fill([*own, passes.gained, passes.seen])
                for batch in passes.batches():
                    passes.gained[batch] += blocks.improve([first + circle[place] for place in batch])
                    yield done
                    if checkpoint.due():
                        place = {"circle": number, "done": done, "at": passes.at}
                        checkpoint.save(place, [*own, passes.gained, passes.seen])
            done += len(circle)
            yield done


class Place(NamedTuple):
    """Place of the passes over a circle, between two batches."""

    level: int = 0  # which tolerance
    first: int = 0  # the first block of the next batch
    improving: bool = False  # whether this pass has computed anything


class Passes:
    """The blocks of a circle, which are computed again as long as they read chances that have risen.

    A chance rises by no more than the chances that it is computed from. First only blocks are computed again that can rise by
    much, then those that can rise by less.
    """

    def __init__(self, reads: Sequence[NDArray[np.int64]], circle: list[int], tolerance: int) -> None:
        places = {block: place for place, block in enumerate(circle)}
        others = len(circle)
        self._inside = [
            np.array([others, *(places[after] for after in reads[block].tolist() if after in places)]) for block in circle
        ]
        self._tolerances = (*(least for least in COARSE if least > tolerance), tolerance)
        self.at = Place()
        # All that each block has gained. The last place stands for all other blocks, which a block may read alone: they gain
        # nothing from the first time on.
        self.gained = np.zeros(len(circle) + 1, np.int64)
        ends = np.cumsum([len(after) for after in self._inside])
        # What those that a block reads had gained when it was computed, one block after another.
        self.seen = np.full(ends[-1], -UNIT)
        self._seen_by = np.split(self.seen, ends[:-1])

    def batches(self) -> Iterator[list[int]]:
        """Batches of blocks to compute, by their places in the circle, until none of them can rise any more.

        A block mostly reads those right before it. So blocks of one batch lie far apart, and each reads the latest chances.
        """
        stride = -(-len(self._inside) // BATCH)
        while self.at.level < len(self._tolerances):
            while self.at.first < stride:
                batch = self._rising(range(self.at.first, len(self._inside), stride))
                self.at = self.at._replace(first=self.at.first + 1, improving=self.at.improving or bool(batch))
                if batch:
                    yield batch
            self.at = Place(self.at.level + (not self.at.improving))

    def _rising(self, places: range) -> list[int]:
        """List blocks that can rise by more than the tolerance; note the gains they read now as seen."""
        least = self._tolerances[self.at.level]
        batch = [place for place in places if (self.gained[self._inside[place]] - self._seen_by[place]).max() > least]
        for place in batch:
            self._seen_by[place][:] = self.gained[self._inside[place]]
        return batch


class Blocks:
    """The blocks of a region, computed in several threads."""

    def __init__(self, kernels: Kernels, region: Region, chances: Int64, pool: ThreadPoolExecutor | None) -> None:
        self._kernels, self._region, self._chances, self._pool = kernels, region, chances, pool
        self._risen = np.zeros((BATCH, 2, region.block), np.int64)
        self._rises = new_rises(region.size)
        self._now = UNSEEN
        self._kept: dict[int, Formulas] = {}
        self._room = KEPT
        self._local = threading.local()

    def reads(self, blocks: range) -> list[NDArray[np.int64]]:
        """For each of some blocks of a layer, which of these its states read, counted from the first."""

        def read_by(block: int) -> NDArray[np.int64]:
            marks = np.zeros(self._region.size // self._region.block, bool)
            blocks_read(self._formulas(block), self._region.block, marks)
            return np.flatnonzero(marks[blocks.start : blocks.stop])

        return self._map(read_by, blocks)

    def improve(self, batch: list[int]) -> list[int]:
        """Compute blocks from the same chances; return the largest improvement in each, in units."""
        self._now += 1
        formulas = self._map(lambda place: self._formulas(batch[place]), range(len(batch)))

        def compute(place: int) -> int:
            known = self._chances, self._risen[place], self._rises, self._now
            return improve(formulas[place], *known, self._evaluating(), up=self._region.generous)

        def keep(place: int) -> None:
            store(formulas[place], self._chances, self._risen[place], self._rises, self._now, up=self._region.generous)

        gains = self._map(compute, range(len(batch)))
        self._map(keep, range(len(batch)))
        return gains

    def settle(self, circle: list[int], tolerance: int) -> None:
        """Compute a few small blocks, each from the latest chances, until they stay as they are."""
        gain = tolerance + 1
        while gain > tolerance:
            gain = 0
            for block in circle:
                self._now += 1
                known = self._chances, self._risen[0], self._rises, self._now
                formulas, up = self._formulas(block), self._region.generous
                gain = max(gain, improve_at_once(formulas, *known, self._evaluating(), up=up))

    def _formulas(self, block: int) -> Formulas:
        if block in self._kept:
            return self._kept[block]
        begin = block * self._region.block
        formulas = formulas_of(self._kernels, self._region.rules, begin, begin + self._region.block, self._space())
        if formulas.nbytes <= self._room:
            self._room -= formulas.nbytes
            self._kept[block] = formulas
        return formulas

    def _map(self, work: Callable[[int], Any], numbers: range) -> list[Any]:
        """The results of some work for each number, in threads if they are worth it."""
        if self._pool is None or len(numbers) * self._region.block < GRAIN:
            return [work(number) for number in numbers]
        return list(self._pool.map(work, numbers))

    def _space(self) -> FormulaSpace:
        if not hasattr(self._local, "space"):
            self._local.space = new_space(self._kernels)
        space: FormulaSpace = self._local.space
        return space

    def _evaluating(self) -> Evaluating:
        if not hasattr(self._local, "evaluating"):
            self._local.evaluating = new_evaluating(self._kernels.deepest, self._region.block)
        evaluating: Evaluating = self._local.evaluating
        return evaluating
