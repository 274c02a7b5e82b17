"""The check of chases (see `tablebase.slices.pursuit`), in NumPy, many rows at a time.

As in `general`, a position's moves must give what its code says. Here the positions of one placement of the chasers
are looked at together: a chaser's step takes the whole row to another row, and only the runner's steps go from
place to place. Values are *scores*, bytes that grow with how good a value is for the side to move: a loss in d is d, a
win in d is 255 - d, and 0 is also what a side without a move has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.threads import spread
from tablebase.game import Game, Outcome
from tablebase.slices.indexing import Layout, Squares, layout
from tablebase.slices.material import Material
from tablebase.slices.pursuit import NOWHERE, Chase, chase_fault
from tablebase.tables.summary import Summary, Tally
from tablebase.values import NARROW_ANY, Codes, Coding
from tablebase.verify.general import Load, contradiction

ROWS_AT_ONCE = 1 << 11
BLOCK = 1 << 22
STUCK, LOST, WON = 0, 0, 255
IMPOSSIBLE = 128
"""No code of a position here has this score: there are no draws."""

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]


def applies(game: Game, material: Material, coding: Coding) -> bool:
    """Whether a table is that of a chase, one byte a position."""
    return chase_fault(game, material) is None and coding == NARROW_ANY


def verify_codes(game: Game, material: Material, codes: dict[int, Codes], coding: Coding, load: Load) -> dict[int, Summary]:
    """Check the codes of a table one ply deep; see `tablebase.verify.general.verify_codes`."""
    own = layout(game, material)
    chase = Chase(own)
    ahead = _scores_ahead(chase, load)
    checkers: dict[int, _Rows] = {
        chase.chaser.side: _Chasers(chase, codes[chase.chaser.side], ahead),
        chase.runner.side: _Runner(chase, codes[chase.runner.side], codes[chase.chaser.side]),
    }
    return {side: _check_side(own, side, codes[side], coding, checkers[side]) for side in sorted(codes)}


def _scores_ahead(chase: Chase, load: Load) -> Bytes:
    """What stepping into each position of the next tier is worth to the chasers."""
    if chase.next_tier is None:
        return np.zeros((0, chase.length), dtype=np.uint8)
    codes, coding = load(chase.next_tier.material, chase.runner.side)
    return _look_up(_worth(coding), codes).reshape(-1, chase.length)


def _look_up(table: Bytes, codes: Codes) -> Bytes:
    found = np.empty(codes.shape, dtype=np.uint8)
    for begin in range(0, len(codes), BLOCK):
        np.take(table, codes[begin : begin + BLOCK], out=found[begin : begin + BLOCK])
    return found


def _score(coding: Coding, code: int, plies: int) -> int:
    """The score of a code for who is to move, `plies` before."""
    value = coding.value(code)
    if value.distance is None:
        return IMPOSSIBLE
    distance = value.distance + plies
    won = (value.outcome is Outcome.WIN) == (plies % 2 == 0)
    return WON - distance if won else distance


def _worth(coding: Coding) -> Bytes:
    """For each code the score of a move into a position that has it."""
    return np.array([min(_score(coding, code, 1), WON) for code in range(coding.void)] + [STUCK]).astype(np.uint8)


def _own(coding: Coding) -> Bytes:
    """For each code its own score."""
    return np.array([_score(coding, code, 0) for code in range(coding.void)] + [IMPOSSIBLE]).astype(np.uint8)


class _Rows(ABC):
    """What both sides to move have in common."""

    @abstractmethod
    def scores(self, begin: int, end: int) -> tuple[Bytes, Flags]:
        """What the moves of these rows give, and where the runner cannot stand."""

    def __init__(self, chase: Chase, codes: Codes) -> None:
        self.chase = chase
        self.codes = codes.reshape(-1, chase.length)
        self.group = chase.own.groups[0]
        self.places = chase.runner_places
        self.home = list(chase.runner.squares)
        self.guards = chase.guards[:, self.home]
        self.targets = chase.targets(chase.runner)[self.home]

    def set_up(self, begin: int, end: int) -> tuple[Squares, Flags]:
        """Squares of the chasers, and where the runner cannot stand, of these rows."""
        chasers = self.group.unrank_many(np.arange(begin, end))
        taken = np.zeros((end - begin, len(self.places) + 1), dtype=bool)
        taken[np.arange(end - begin)[:, None], chasers] = True
        return chasers, taken[:, self.home]

    def escaped(self, chasers: Squares) -> Flags:
        """Where the runner has got away."""
        unguarded: Flags = np.logical_not(self.guards[chasers].any(axis=1))
        if not self.chase.needs_room or not unguarded.any():
            return unguarded
        room = np.zeros_like(unguarded)
        for place, targets in enumerate(self.targets):
            for target in targets[targets != NOWHERE]:
                if self.places[target] != NOWHERE:
                    room[:, place] |= unguarded[:, self.places[target]]
        return unguarded & room


class _Chasers(_Rows):
    """The chasers to move: their steps lead into the next tier."""

    def __init__(self, chase: Chase, codes: Codes, ahead: Bytes) -> None:
        super().__init__(chase, codes)
        self.ahead = ahead
        self.steps = chase.targets(chase.chaser)

    def scores(self, begin: int, end: int) -> tuple[Bytes, Flags]:
        chasers, taken = self.set_up(begin, end)
        best = np.full(taken.shape, STUCK, dtype=np.uint8)
        for slot in range(chasers.shape[1]):
            for nth in self.steps.T:
                self._step(best, chasers, slot, nth[chasers[:, slot]])
        if self.chase.escape_counts(self.chase.chaser.side):
            best[self.escaped(chasers)] = LOST
        return best, taken

    def _step(self, best: Bytes, chasers: Squares, slot: int, target: Squares) -> None:
        """Raise `best` where this chaser can go there."""
        rows = np.flatnonzero((target != NOWHERE) & (chasers != target[:, None]).all(axis=1))
        if not len(rows) or self.chase.next_tier is None:
            return
        after = chasers[rows]
        after[:, slot] = target[rows]
        worth = self.ahead[self.chase.next_tier.groups[0].rank_many(after)]
        place = self.places[target[rows]]
        met = place != NOWHERE
        # A runner on the target is in the way.
        worth[np.flatnonzero(met), place[met]] = STUCK
        best[rows] = np.maximum(best[rows], worth)


class _Runner(_Rows):
    """The runner to move: its steps stay in the row."""

    def __init__(self, chase: Chase, codes: Codes, others: Codes) -> None:
        super().__init__(chase, codes)
        self.others = others.reshape(-1, chase.length)
        self.worth = _worth(NARROW_ANY)

    def scores(self, begin: int, end: int) -> tuple[Bytes, Flags]:
        chasers, taken = self.set_up(begin, end)
        worth = np.where(taken, STUCK, self.worth[self.others[begin:end]]).astype(np.uint8)
        best = np.full(taken.shape, STUCK, dtype=np.uint8)
        for place, targets in enumerate(self.targets):
            for target in targets[targets != NOWHERE]:
                if self.places[target] != NOWHERE:
                    np.maximum(best[:, place], worth[:, self.places[target]], out=best[:, place])
        if self.chase.escape_counts(self.chase.runner.side):
            best[self.escaped(chasers) & (best != STUCK)] = WON
        return best, taken


def _check_side(own: Layout, side: int, codes: Codes, coding: Coding, rows: _Rows) -> Summary:
    """Check one side to move and count its codes."""
    wanted = _own(coding)
    length = own.row_length

    def check(first: int, last: int) -> Tally:
        tally = Tally(coding)
        for begin, end in pairwise([*range(first, last, ROWS_AT_ONCE), last]):
            scores, taken = rows.scores(begin, end)
            found = rows.codes[begin:end]
            wrong = (wanted[found] != scores) & ~taken
            if wrong.any():
                raise contradiction(own, side, begin * length + int(np.argmax(wrong)), codes, coding)
            legal = np.flatnonzero(~taken)
            tally.add(found.reshape(-1)[legal], legal + begin * length, 1)
        return tally

    whole = Tally(coding)
    for part in spread(check, len(rows.codes), ROWS_AT_ONCE):
        whole.merge(part)
    return whole.summary()
