"""The checker of pursuits (see `tablebase.positions.pursuit`), in NumPy, many rows at a time.

As in `general`, a position's code must be the value that its moves imply. Here all positions of one placement of the
pursuers are checked together: a pursuer's step maps the whole row onto another row, and only the runner's steps lead
from place to place. Values are *scores*, bytes that are the larger the better for the side to move: a loss in d is d, a
win in d is 255 - d, and 0 is also the score of a side without a move.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tablebase.checking.general import Load, contradiction
from tablebase.game import Game, Outcome
from tablebase.positions.indexing import Layout, Squares, layout_of
from tablebase.positions.material import Material
from tablebase.positions.pursuit import NOWHERE, Pursuit, pursuit_error, pursuit_of
from tablebase.system.compute.messages import reports
from tablebase.system.compute.threads import spread
from tablebase.tables.summary import CodeTally, Summary
from tablebase.tables.values import NARROW_ANY, Codes, Coding

ROWS_AT_ONCE = 1 << 11
STRETCH = 1 << 16
"""The most rows that are checked without a word about how far it is."""
BLOCK = 1 << 22
STUCK, LOST, WON = 0, 0, 255
IMPOSSIBLE = 128
"""The score of draws and void, which no position of a pursuit has."""

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]


def applies(game: Game, material: Material, coding: Coding) -> bool:
    """Return whether a table is that of a pursuit, with one byte per position."""
    return pursuit_error(game, material) is None and coding == NARROW_ANY


def verify_codes(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; see `tablebase.checking.general.verify_codes`."""
    pursuit = pursuit_of(layout_of(game, material))
    ahead = _scores_ahead(pursuit, load)
    checkers: dict[int, _Rows] = {
        pursuit.pursuer.side: _Pursuers(pursuit, codes[pursuit.pursuer.side], ahead),
        pursuit.runner.side: _Runner(pursuit, codes[pursuit.runner.side], codes[pursuit.pursuer.side]),
    }
    total = pursuit.rows * len(codes)
    summaries = {}
    for number, side in enumerate(sorted(codes)):
        report = reports("verifying", number * pursuit.rows, total)
        summaries[side] = _check_side(pursuit.layout, side, codes[side], coding, checkers[side], report)
    return summaries


def _scores_ahead(pursuit: Pursuit, load: Load) -> Bytes:
    """The score for the pursuers of a step into each position of the next tier, shape (rows, length)."""
    if pursuit.next_tier is None:
        return np.zeros((0, pursuit.length), dtype=np.uint8)
    codes, coding = load(pursuit.next_tier.material, pursuit.runner.side)
    return _look_up(_scores(coding, 1), codes).reshape(-1, pursuit.length)


def _look_up(scores: Bytes, codes: Codes) -> Bytes:
    looked_up = np.empty(codes.shape, dtype=np.uint8)
    for begin in range(0, len(codes), BLOCK):
        np.take(scores, codes[begin : begin + BLOCK], out=looked_up[begin : begin + BLOCK])
    return looked_up


def _score(coding: Coding, code: int, plies: int) -> int:
    value = coding.value(code)
    if value.distance is None:
        return IMPOSSIBLE
    distance = value.distance + plies
    won = (value.outcome is Outcome.WIN) == (plies % 2 == 0)
    return WON - distance if won else distance


@cache
def _scores(coding: Coding, plies: int) -> Bytes:
    """For each code the score of a position with that code (0 plies), or of a move into it (1)."""
    void = STUCK if plies else IMPOSSIBLE
    return np.array([min(_score(coding, code, plies), WON) for code in range(coding.void)] + [void]).astype(np.uint8)


class _Rows(ABC):
    @abstractmethod
    def scores(self, begin: int, end: int) -> tuple[Bytes, Flags]:
        """The scores that the moves of these rows imply, and where the runner cannot stand."""

    def __init__(self, pursuit: Pursuit, codes: Codes) -> None:
        self.pursuit = pursuit
        self.codes = codes.reshape(-1, pursuit.length)
        self.group = pursuit.layout.groups[0]
        self.places = pursuit.runner_places
        self.home = list(pursuit.runner.squares)
        self.guards = pursuit.guards[:, self.home]
        self.targets = pursuit.runner_targets[self.home]

    def set_up(self, begin: int, end: int) -> tuple[Squares, Flags]:
        """Squares of the pursuers in these rows, and where the runner cannot stand."""
        pursuers = self.group.unrank_many(np.arange(begin, end))
        occupied = np.zeros((end - begin, len(self.places) + 1), dtype=bool)
        occupied[np.arange(end - begin)[:, None], pursuers] = True
        return pursuers, occupied[:, self.home]

    def escaped(self, pursuers: Squares) -> Flags:
        """Return where the runner has escaped."""
        unguarded: Flags = np.logical_not(self.guards[pursuers].any(axis=1))
        if not self.pursuit.needs_room or not unguarded.any():
            return unguarded
        room = np.zeros_like(unguarded)
        for place, targets in enumerate(self.targets):
            for target in targets[targets != NOWHERE]:
                if self.places[target] != NOWHERE:
                    room[:, place] |= unguarded[:, self.places[target]]
        return unguarded & room


class _Pursuers(_Rows):
    """Rows with the pursuers to move: their steps lead into the next tier."""

    def __init__(self, pursuit: Pursuit, codes: Codes, ahead: Bytes) -> None:
        super().__init__(pursuit, codes)
        self.ahead = ahead
        self.steps = pursuit.pursuer_targets

    def scores(self, begin: int, end: int) -> tuple[Bytes, Flags]:
        pursuers, occupied = self.set_up(begin, end)
        best = np.full(occupied.shape, STUCK, dtype=np.uint8)
        for slot in range(pursuers.shape[1]):
            for targets in self.steps.T:
                self._step(best, pursuers, slot, targets[pursuers[:, slot]])
        if self.pursuit.escape_counts(self.pursuit.pursuer.side):
            best[self.escaped(pursuers)] = LOST
        return best, occupied

    def _step(self, best: Bytes, pursuers: Squares, slot: int, target: Squares) -> None:
        """Raise `best` where this pursuer can step to its target."""
        rows = np.flatnonzero((target != NOWHERE) & (pursuers != target[:, None]).all(axis=1))
        if not len(rows) or self.pursuit.next_tier is None:
            return
        after = pursuers[rows]
        after[:, slot] = target[rows]
        worth = self.ahead[self.pursuit.next_tier.groups[0].rank_many(after)]
        place = self.places[target[rows]]
        in_row = place != NOWHERE
        # A runner on the target is in the way.
        worth[np.flatnonzero(in_row), place[in_row]] = STUCK
        best[rows] = np.maximum(best[rows], worth)


class _Runner(_Rows):
    """Rows with the runner to move: its steps stay in the row."""

    def __init__(self, pursuit: Pursuit, codes: Codes, others: Codes) -> None:
        super().__init__(pursuit, codes)
        self.others = others.reshape(-1, pursuit.length)
        self.move_scores = _scores(NARROW_ANY, 1)

    def scores(self, begin: int, end: int) -> tuple[Bytes, Flags]:
        pursuers, occupied = self.set_up(begin, end)
        worth = np.where(occupied, STUCK, self.move_scores[self.others[begin:end]]).astype(np.uint8)
        best = np.full(occupied.shape, STUCK, dtype=np.uint8)
        for place, targets in enumerate(self.targets):
            for target in targets[targets != NOWHERE]:
                if self.places[target] != NOWHERE:
                    np.maximum(best[:, place], worth[:, self.places[target]], out=best[:, place])
        if self.pursuit.escape_counts(self.pursuit.runner.side):
            best[self.escaped(pursuers) & (best != STUCK)] = WON
        return best, occupied


def _check_side(layout: Layout, side: int, codes: Codes, coding: Coding, rows: _Rows, report: Callable[[int], None]) -> Summary:
    code_scores = _scores(coding, 0)
    length = layout.row_length

    def check(first: int, last: int) -> CodeTally:
        tally = CodeTally(coding)
        for begin, end in pairwise([*range(first, last, ROWS_AT_ONCE), last]):
            scores, occupied = rows.scores(begin, end)
            stored = rows.codes[begin:end]
            wrong = (code_scores[stored] != scores) & ~occupied
            if wrong.any():
                raise contradiction(layout, side, begin * length + int(np.argmax(wrong)), codes, coding)
            legal = np.flatnonzero(~occupied)
            tally.add(stored.reshape(-1)[legal], legal + begin * length, 1)
        return tally

    whole = CodeTally(coding)
    for part in spread(check, len(rows.codes), ROWS_AT_ONCE, STRETCH, report):
        whole.merge(part)
    return whole.summary()
