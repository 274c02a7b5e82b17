"""Max^n, compiled: every player takes what is best for himself, with any number of players and with chance.

A node of the tree is a state. Its value is a vector, one number for each player, in thousandths of a point. There is a frame
for each state on the way from the root, since Numba loses its way in recursive functions that are called by other cached
functions; so a search can also be interrupted, and goes on where it was.

Of moves that are equally good for a player, the first one of the rules counts, in whatever order they are looked at. This is
why neither sorting nor alpha-beta changes a value, a move or a line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game.kernels import BEGINS, CHANCE, LABEL, NOBODY, OVER, STATE, WEIGHT, WIN, Int64, Kernels
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import borrowed

FAR = 1 << 60
"""Beyond every value."""
MULTIPLIER = 6364136223846793005
"""Of Knuth's generator MMIX, *The Art of Computer Programming*, vol. 2, 3.3.4."""
LOW, POINT_BITS = (1 << 32) - 1, 40
SHARE_BITS = 30
"""Chances of tables are multiples of 2 to the power of minus this."""
FRAME = np.dtype([(name, np.int64) for name in ("who", "count", "next", "best", "score", "weights", "left", "alpha", "beta")])
"""Record of a state on the way from the root.

`who` is to move, as `expand` returns it; `count` are the rows that are looked at, `next` and `best` two of them, `score` that of
the best one so far; `weights` is their sum, and `left` the number of turns.
"""
LEVEL, NODES, POSITIONS, LEAVES, SORTED, COUNTS = range(6)
"""Counters of a search: its level; states, those that begin a turn or end the game, leaves, and states evaluated to order moves."""
RESULT_SEEN, RESULT_VALUES = 0, 1
"""Columns of the results of root moves: `NOT_SEEN`, `EXACT` or `BOUND`, then the values."""
NOT_SEEN, EXACT, BOUND = 0, 1, 2
DONE, PAUSED, TOO_DEEP = 0, 1, 2


class LookaheadSettings(NamedTuple):
    """Search settings."""

    turns: int  # the depth
    lead: bool  # whether players compare themselves with the best of the others, or look at their own value alone
    stop: bool  # whether a state in which another player has finished is a leaf
    alpha_beta: bool  # for two players who compare themselves
    sort: bool  # whether moves are looked at in the order of the static values that they lead to
    average: bool  # whether chance is averaged, or one outcome is drawn
    seed: int  # decides, together with the state, which one
    finished: int  # what the evaluation says of the root about who has finished


class LeafTables(NamedTuple):
    """Data of tables on the states of a game of two players."""

    rules: Int64  # those of all regions, one after the other
    spans: Int64  # (regions, 3) where the rules of a region begin and end, and where its chances begin
    # (2, states) the chances that the player to move and the other one can force, in units of `SHARE_BITS`. Where a table is
    # missing they are 0: nothing is certain for either.
    chances: NDArray[np.int32]


class LookaheadTask(NamedTuple):
    """Input of a search, which changes none of it."""

    expand: Any  # the first three are compiled functions of `Kernels` and `StateEvaluation`
    index: Any
    evaluate: Any
    rules: Int64  # what they are given
    parameters: Int64  # what `evaluate` is given beside the rules
    tables: LeafTables
    settings: LookaheadSettings
    # For each turn, and the last one for all later ones: how many of the moves that seem best are looked at, 0 for all.
    cuts: Int64


class LookaheadSpace(NamedTuple):
    """Space for a search."""

    rows: Int64  # (levels, widest, STATE + fields) what follows the state of each level
    frames: Any  # (levels,) records of type `FRAME`
    order: Int64  # (levels, widest) the rows in the order in which they are looked at
    values: Int64  # (levels, players) the best vector so far, or the sum of weighted ones
    static: Int64  # (2, max(widest, players)) for sorting: the values of one state, and the scores of all rows
    lines: Int64  # (levels, levels) the best line from each level: labels of rows
    lengths: Int64  # (levels,)
    results: Int64  # (widest, 1 + players) of the moves in the root
    counts: Int64  # (COUNTS,)


def new_space(kernels: Kernels, players: int, levels: int) -> LookaheadSpace:
    """Space for as many states, one after the other, as `levels` says."""
    widest = kernels.widest
    return LookaheadSpace(
        rows=np.zeros((levels, widest, STATE + kernels.fields), np.int64),
        frames=np.zeros(levels, FRAME).view(np.recarray),
        order=np.zeros((levels, widest), np.int64),
        values=np.zeros((levels, players), np.int64),
        static=np.zeros((2, max(widest, players)), np.int64),
        lines=np.zeros((levels, levels), np.int64),
        lengths=np.zeros(levels, np.int64),
        results=np.zeros((widest, RESULT_VALUES + players), np.int64),
        counts=np.zeros(COUNTS, np.int64),
    )


@inline
def _score(values: Int64, who: int, lead: bool) -> Any:
    """Score a vector for a player: his own value, or his least lead over the others."""
    if not lead:
        return values[who]
    others = -FAR
    for player in range(len(values)):
        if player != who:
            others = max(others, values[player])
    return values[who] - others


# Leaves


@inline
def _lead_in_tables(index: Any, tables: LeafTables, state: Int64) -> Any:
    """The first player's certain chance minus the second one's, by the best bounds of any table; 0 if no table has the state."""
    first, second = np.int64(0), np.int64(0)
    for region in range(len(tables.spans)):
        begin, end, states = tables.spans[region, 0], tables.spans[region, 1], tables.spans[region, 2]
        number, player = index(tables.rules[begin:end], state)
        if number >= 0:
            mine, others = np.int64(tables.chances[0, states + number]), np.int64(tables.chances[1, states + number])
            first = max(first, mine if player == 0 else others)
            second = max(second, others if player == 0 else mine)
    return first - second


@inline
def _value(task: LookaheadTask, left: int, state: Int64, rows: Int64, values: Int64) -> None:
    """Fill in the values of a leaf.

    A player who has finished since the root gets a thousandth of a point for each turn that is left, lest he should put it off.
    Where chances are known, because somebody has won or by a table, the difference of both players' chances counts as much as
    having won, for the one and against the other.
    """
    tables = task.tables
    finished = task.evaluate(task.rules, task.parameters, state, values)
    if finished < 0:
        who, winner = task.expand(task.rules, state, NOBODY, rows)
        finished = 0
        if who == OVER and winner >= 0:
            finished = 1 << winner
            values[winner] = WIN
    for player in range(len(values)):
        if (finished & ~task.settings.finished) >> player & 1:
            values[player] += left
    if len(tables.spans) > 0:
        lead = np.int64(1 << SHARE_BITS) if finished == 1 else -np.int64(1 << SHARE_BITS)
        if finished == 0:
            lead = _lead_in_tables(task.index, tables, state)
        known = lead * WIN >> SHARE_BITS
        values[0] += known
        values[1] -= known


# What a node looks at


@inline
def _drawn(seed: int, state: Int64, rows: Int64, count: int) -> Any:
    """The outcome of chance that a state has in this search: the same one whenever it is reached, so that order is no matter."""
    mixed = np.int64(seed)
    for number in state:
        mixed = (mixed ^ number) * MULTIPLIER
        mixed ^= mixed >> 32 & LOW
    total = np.int64(0)
    for row in range(count):
        total += rows[row, WEIGHT]
    point = (mixed >> 64 - POINT_BITS & (1 << POINT_BITS) - 1) * total >> POINT_BITS
    row = 0
    while point >= rows[row, WEIGHT]:
        point -= rows[row, WEIGHT]
        row += 1
    return row


@inline
def _arrange(task: LookaheadTask, keep: int, who: int, count: int, space: LookaheadSpace, level: int) -> Any:
    """Order the rows by the static scores of what they lead to, if need be, and return how many are looked at.

    In the last turn, ordering would evaluate all leaves to save some of them.
    """
    rows, order = space.rows[level], space.order[level]
    if not (task.settings.sort and space.frames[level].left > 1) and not 0 < keep < count:
        for row in range(count):
            order[row] = row
        return count
    values, scores = space.static[0, : space.values.shape[1]], space.static[1]
    space.counts[SORTED] += count
    for row in range(count):
        task.evaluate(task.rules, task.parameters, rows[row, STATE:], values)
        score = _score(values, who, task.settings.lead)
        place = row
        while place > 0 and scores[place - 1] < score:
            scores[place] = scores[place - 1]
            order[place] = order[place - 1]
            place -= 1
        scores[place] = score
        order[place] = row
    return min(keep, count) if keep > 0 else count


@inline
def _expand(task: LookaheadTask, state: Int64, space: LookaheadSpace, level: int) -> Any:
    """Fill in the frame of a state, and return whether something follows it."""
    settings, cuts = task.settings, task.cuts
    frames, rows, order = space.frames, space.rows[level], space.order[level]
    who, count = task.expand(task.rules, state, NOBODY, rows)
    if who == OVER:
        return False
    frames[level].who = who
    frames[level].next = frames[level].weights = 0
    frames[level].best = -1
    space.lengths[level] = 0
    if who == CHANCE:
        if not settings.average:
            order[0] = _drawn(settings.seed, state, rows, count)
            frames[level].count = 1
            return True
        for row in range(count):
            order[row] = row
        frames[level].count = count
        space.values[level] = 0
        return True
    turn = min(settings.turns - frames[level].left, len(cuts) - 1)
    frames[level].count = _arrange(task, cuts[turn], who, count, space, level)
    return True


@inline
def _open_window(settings: LookaheadSettings, frames: Int64, level: int, row: int) -> None:
    """The window of the next level: what still matters of the first player's lead there.

    A row before the best one so far may also be just as good, any other one must be better.
    """
    alpha, beta = frames[level].alpha, frames[level].beta
    who, best = frames[level].who, frames[level].best
    if who == CHANCE and settings.average:
        alpha, beta = -FAR, FAR
    elif who >= 0 and best >= 0:
        tied = 1 if row < best else 0
        if who == 0:
            alpha = max(alpha, frames[level].score - tied)
        else:
            beta = min(beta, tied - frames[level].score)
    frames[level + 1].alpha, frames[level + 1].beta = alpha, beta


# What comes back


@inline
def _take(settings: LookaheadSettings, space: LookaheadSpace, level: int) -> None:
    frames, mine, after = space.frames, space.values[level], space.values[level + 1]
    row = space.order[level, frames[level].next - 1]
    who = frames[level].who
    if who == CHANCE and settings.average:
        weight = space.rows[level, row, WEIGHT]
        frames[level].weights += weight
        for player in range(len(mine)):
            mine[player] += weight * after[player]
        return
    score, best = np.int64(0), frames[level].best
    if who >= 0:
        score = _score(after, who, settings.lead)
    if best < 0 or score > frames[level].score or (score == frames[level].score and row < best):
        frames[level].best, frames[level].score = row, score
        mine[:] = after
        lines, lengths = space.lines, space.lengths
        lines[level, 0] = space.rows[level, row, LABEL]
        lines[level, 1 : 1 + lengths[level + 1]] = lines[level + 1, : lengths[level + 1]]
        lengths[level] = 1 + lengths[level + 1]
    if not settings.alpha_beta or who < 0:
        return
    if (who == 0 and frames[level].score >= frames[level].beta) or (who == 1 and -frames[level].score <= frames[level].alpha):
        frames[level].next = frames[level].count


@inline
def _record(settings: LookaheadSettings, space: LookaheadSpace) -> None:
    row = space.order[0, space.frames[0].next - 1]
    after = space.values[1]
    seen = EXACT
    if settings.alpha_beta:
        ahead = after[0] - after[1]
        if ahead <= space.frames[1].alpha or ahead >= space.frames[1].beta:
            seen = BOUND
    space.results[row, RESULT_SEEN] = seen
    for player in range(len(after)):
        space.results[row, RESULT_VALUES + player] = after[player]


@jit
def begin(task: LookaheadTask, root: Int64, space: LookaheadSpace) -> None:
    """Set up the search of a state in which a player is to move."""
    space.counts[:] = 0
    space.counts[NODES] = space.counts[POSITIONS] = 1
    space.results[:] = 0
    space.frames[0].left = task.settings.turns
    space.frames[0].alpha, space.frames[0].beta = -FAR, FAR
    _expand(task, root, space, 0)


@jit
def run(task: LookaheadTask, space: LookaheadSpace, most: int) -> int:
    """Go on with a search, and look at most at `most` states before a pause.

    Returns `DONE`, with the values and the line of level 0, `PAUSED`, or `TOO_DEEP` if the space has too few levels.
    """
    task, space = borrowed(task), borrowed(space)
    settings, frames, counts = task.settings, space.frames, space.counts
    level = counts[LEVEL]
    looked = 0
    while True:
        place = frames[level].next
        if place < frames[level].count:
            if looked == most:
                counts[LEVEL] = level
                return PAUSED
            if level + 1 == len(frames):
                return TOO_DEEP
            looked += 1
            row = space.order[level, place]
            frames[level].next = place + 1
            state = space.rows[level, row, STATE:]
            begins = space.rows[level, row, BEGINS]
            _open_window(settings, frames, level, row)
            level += 1
            frames[level].left = frames[level - 1].left - begins
            counts[NODES] += 1
            counts[POSITIONS] += begins
            ends = frames[level].left == 0
            if settings.stop and begins and not ends:
                finished = task.evaluate(task.rules, task.parameters, state, space.values[level])
                ends = finished >= 0 and finished != settings.finished
            if ends or not _expand(task, state, space, level):
                counts[LEAVES] += 1
                _value(task, frames[level].left, state, space.rows[level], space.values[level])
                frames[level].who, frames[level].count, frames[level].next = OVER, 0, 0
                space.lengths[level] = 0
            continue
        if frames[level].who == CHANCE and settings.average:
            for player in range(space.values.shape[1]):
                space.values[level, player] //= frames[level].weights
        if level == 0:
            return DONE
        level -= 1
        if level == 0:
            _record(settings, space)
        _take(settings, space, level)
