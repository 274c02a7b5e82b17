"""One thread's search: its board, its memory, and the chunks of tables that it has read."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from tablebase.errors import RulesError
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.positions.bit_board import KEY, BitBoard, set_up
from tablebase.positions.rule_arrays import Int64, RuleArrays, compile_rules
from tablebase.search.alphabeta import LACKS_TABLE, PAUSED, run
from tablebase.search.evaluation import EvaluationArrays
from tablebase.search.frames import MOST_PLIES, NODES, PLY, TABLE_HITS, VALUE, Memory, SearchSettings, Task, new_memory
from tablebase.search.table_cache import TableCache
from tablebase.search.transposition import INFINITY, MOST_STEPS

SLICE = 20_000
"""Nodes between two looks at the clock."""


@dataclass
class SearchLimits:
    """When a search ends before its depth is reached."""

    nodes: int | None  # nodes that one thread may enter
    deadline: float  # on the clock `time.monotonic`
    stopped: threading.Event  # set from any thread to stop all of them

    def left(self, entered: int) -> int:
        """Nodes to enter before the next look; 0 if the search is over."""
        if self.stopped.is_set() or time.monotonic() >= self.deadline:
            return 0
        return SLICE if self.nodes is None else max(0, min(SLICE, self.nodes - entered))


class DepthResult(NamedTuple):
    """The result of a search to one depth."""

    score: int  # seen from the side to move
    line: tuple[int, ...]  # the best moves, as numbers of steps


class Searcher:
    """Searches one position after another, in one thread; the transposition table is shared.

    `nodes` and `table_hits` are the nodes entered and positions found in tables since `start`.
    """

    def __init__(self, game: Game, evaluation: EvaluationArrays, table: Int64, cache: TableCache) -> None:
        self.rules: RuleArrays = compile_rules(game)
        if len(self.rules.target) > MOST_STEPS:
            steps = len(self.rules.target)
            raise RulesError(f"{game.name} has {steps:,} different steps of pieces, but a search supports at most {MOST_STEPS:,}")
        self.evaluation, self.table, self.cache = evaluation, table, cache
        self.memory: Memory = new_memory(self.rules)
        self.nodes = self.table_hits = 0
        self._position, self._past = Position((), 0), np.zeros(0, dtype=np.int64)

    def prepare(self) -> None:
        """Compile the kernels, if that has not been done on this machine, before any clock runs."""
        self._run(set_up(self.rules, self._position, self.evaluation.values), SearchSettings(), 0)

    def start(self, position: Position, past: Sequence[Position] = ()) -> None:
        """Set up a position that came after the positions of `past`, the first one first."""
        pieces = len(position.pieces)
        # Nothing from before the last capture can come back.
        quiet = list(takewhile(lambda each: len(each.pieces) == pieces, reversed(past)))[::-1]
        self._position = position
        self._past = np.array([set_up(self.rules, each).numbers[KEY] for each in quiet], dtype=np.int64)
        self.memory = self.memory._replace(keys=np.concatenate([self._past, np.zeros(MOST_PLIES, dtype=np.int64)]))
        self.memory.history[:] >>= 3
        self.nodes = self.table_hits = 0

    def search(
        self,
        settings: SearchSettings,
        limits: SearchLimits,
        depth: int,
        window: tuple[int, int] = (-INFINITY, INFINITY),
        excluded: Sequence[int] = (),
    ) -> DepthResult | None:
        """Search to a depth; None if the limits ended the search.

        What concerns the position is filled in in the settings. Scores outside the window are bounds; moves of the position that
        are `excluded` are left out.
        """
        memory, board = self.memory, set_up(self.rules, self._position, self.evaluation.values)
        settings = settings._replace(side=self._position.side, past=len(self._past), excluded=len(excluded))
        memory.excluded[: len(excluded)] = excluded
        memory.state[:] = 0
        root = memory.frames[0]
        root["alpha"], root["beta"] = window
        root["depth"], root["quiet_plies"], root["after_null"] = depth, len(self._past), 1
        before = self.nodes, self.table_hits
        while True:
            nodes = limits.left(self.nodes)
            if nodes == 0:
                return None
            status = self._run(board, settings, nodes)
            self.nodes = before[0] + int(memory.state[NODES])
            self.table_hits = before[1] + int(memory.state[TABLE_HITS])
            if status == LACKS_TABLE:
                self.cache.load(board, settings.side ^ (int(memory.state[PLY]) & 1))
            elif status != PAUSED:
                break
        return DepthResult(int(memory.state[VALUE]), tuple(memory.lines[0, : memory.lengths[0]].tolist()))

    def _run(self, board: BitBoard, settings: SearchSettings, nodes: int) -> int:
        task = Task(self.rules, self.evaluation, self.cache.arrays, board, self.table, self.memory, settings)
        return int(run(task, nodes))
