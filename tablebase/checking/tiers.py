"""The check of tiers of a game by compiled functions: each position once more, as the best of its moves.

Of the solver it shares only the author's functions and the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.functions.exact.files import counts_of
from tablebase.functions.exact.tier_files import TierFile, position_of
from tablebase.game.compiled import DRAWN, LOST
from tablebase.game.key_lists import find_places, with_lists
from tablebase.game.native import TABLE, WORDS, derived, has_overflowed, room, rules_of, step, stored, tier, to_move, unrank
from tablebase.system.compute import threads
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.messages import reach
from tablebase.tables.values import FULL, NARROW_ANY, Codes

BLOCK = 1 << 16  # ranks that are checked at a time
FAR = 1 << 20  # more than any distance
UNKNOWN = 1 << 30  # more than any score
TOGETHER = 1 << 9  # positions that are located at a time, about
GAP = -9  # instead of the result of `moves`, for an invalid rank
Ints = NDArray[np.int64]
LISTS = types.int64(types.int64, types.int64, types.int64, types.boolean, WORDS, TABLE, TABLE, WORDS)
"""Types of `list_some`."""
NONE: Mapping[int, Ints] = {}


def verify_tier(
    file: TierFile, others: Sequence[TierFile], tick: Callable[[], object] = lambda: None, listed: Mapping[int, Ints] = NONE
) -> None:
    """Compare each value with the values after each move.

    Raise `CorruptTableError` for bytes that cannot be read, and for the first position that is wrong.

    Parameters
    ----------
    file : TierFile
    others : sequence of TierFile
        Of all other tiers that moves lead to; their bytes are known to be right.
    tick : function
        Called now and then.
    listed : mapping
        Positions of other tiers, if they have been listed.
    """
    game, files = file.game, (file, *others)
    wide = any(one.coding is FULL for one in files)
    values = np.zeros(sum(one.size for one in files), (FULL if wide else NARROW_ANY).dtype)
    lists: dict[int, Ints] = {}
    where, at = np.full((1 + max(one.tier for one in files), 2), -1), 0
    for one in files:
        where[one.tier] = at, one.size
        part, keys = values[at : at + one.size], listed.get(one.tier)
        at += one.size
        if one is file:
            keys = one.read(part)
        else:
            one.fill(part)
            keys = one.keys() if keys is None and not game.is_ranked else keys
        if keys is not None:
            lists[one.tier] = keys
    lister, kinds = derived(game, list_some, LISTS), file.coding.void + 1
    rules = with_lists(game.rules, lists) if lists else rules_of(game)

    def work(begin: int, end: int) -> tuple[int, Ints, Ints]:
        out, counts, first = room(game), np.zeros(kinds, np.int64), np.full(kinds, -1)
        span, noted = (begin, end), (counts, first)
        wrong = int(_check(lister, rules, where.ravel(), values, file.tier, span, out, noted, game.is_ranked))
        return begin if has_overflowed(game, out) else wrong, counts, first

    def report(end: int) -> None:
        tick()
        reach("verifying", end, file.size)

    def text_at(rank: int) -> str:
        return game.format(position_of(game, file.tier, rank, lists.get(file.tier)))

    number, start = game.place(game.start)
    if number == file.tier and number in lists and not (lists[number] == start).any():
        raise CorruptTableError(f"does not contain the initial position of {game.name}", file.path)
    counts, first = np.zeros(kinds, np.int64), np.full(kinds, -1)
    for wrong, some, places in threads.spread(work, file.size, BLOCK, BLOCK, report):
        if wrong >= 0:
            said = f"{text_at(wrong)} has a value that contradicts its moves and the values after them"
            raise CorruptTableError(f"contains an error ({said})", file.path)
        first = np.where(first < 0, places, first)
        counts += some
    known = [(code, int(first[code]), int(counts[code])) for code in np.flatnonzero(counts).tolist()]
    if counts_of(known, file.coding, text_at) != file.counts:
        raise CorruptTableError("contains statistics that do not match its values", file.path)


@inline
def score(code: Any) -> Any:
    """Return a number that is larger for better codes: 0 for draws, and more for faster wins and slower losses."""
    return (FAR - code // 2) * (1 - 2 * (code % 2)) * (code > 1)


def list_some(tier_number: int, begin: int, end: int, has_ranks: bool, rules: Any, found: Any, ends: Any, out: Any) -> int:
    """List positions of a tier, each before those after it; return how many of the range. To be compiled with `derived`."""
    most, taken, count = len(out) // 2, 0, 0
    while begin + taken < end and taken < TOGETHER and count < TOGETHER:
        position = unrank(rules, tier_number, begin + taken)
        index, number = stored(rules, position), tier(rules, position)
        found[0, count], found[1, count], found[2, count] = index, number, to_move(rules, position)
        is_gap = has_ranks and (index != begin + taken or number != tier_number)
        result = GAP if is_gap else step(rules, position, out)
        count += 1
        for move in range(result if result <= most else 0):
            after = out[move]
            found[0, count], found[1, count], found[2, count] = stored(rules, after), tier(rules, after), to_move(rules, after)
            count += 1
        ends[0, taken], ends[1, taken] = result, count
        taken += 1
    return taken


@jit
def _check(
    lister: Any, rules: Ints, where: Ints, values: Codes, number: int, span: Any, out: Ints, noted: Any, has_ranks: bool
) -> int:
    """Return the first index that is wrong, or -1; note the counts of the codes of valid ranks, and the first index of each."""
    (begun, end), (counts, first) = span, noted
    base, most = where[2 * number], len(out) // 2
    found, ends = np.empty((5, TOGETHER + 2 * most), np.int64), np.empty((2, TOGETHER), np.int64)
    places, players = found[0], found[2]
    while begun < end:
        # First all positions are listed, and then all are located: the memory is asked for many at a time.
        taken, own = lister(number, begun, end, has_ranks, rules, found, ends, out), 0
        _locate(rules, where, found, ends[1, taken - 1], has_ranks)
        for index in range(begun, begun + taken):
            result, behind = ends[0, index - begun], ends[1, index - begun]
            if result != GAP:
                code = np.int64(values[base + index])
                if places[own] != base + index or result == 0 or result > most:
                    return index
                if result < 0:
                    # A draw at the end has a code that other draws do not have.
                    if code != (1 if result == DRAWN else 3 if result == LOST else 2):
                        return index
                elif code == 1 or best_of(values, places, players, own, behind) != score(code):
                    return index
                counts[code] += 1
                if first[code] < 0:
                    first[code] = index
            own = behind
        begun += taken
    return -1


@jit
def _locate(rules: Ints, where: Ints, arrays: Ints, count: int, has_ranks: bool) -> None:
    """Replace ranks or canonical positions, with their tiers, by the places of codes; -1 without one."""
    keys, tiers = arrays[0], arrays[1]
    if not has_ranks:
        find_places(rules, tiers, keys, count, arrays[3], arrays[4])
    for number in range(count):
        row, index = 2 * tiers[number], keys[number]
        is_there = 0 <= row < len(where) and where[row] >= 0 and 0 <= index < where[row + 1]
        keys[number] = where[row] + index if is_there else -1


@inline
def best_of(values: Codes, places: Ints, players: Ints, own: int, behind: int) -> int:
    """Return the score of a position's best move; `UNKNOWN` if it leads to a position without a value."""
    best = -2 * FAR
    for move in range(own + 1, behind):
        if places[move] < 0:
            return UNKNOWN
        worth = score(np.int64(values[places[move]]))
        worth += (worth < 0) - (worth > 0)
        best = max(best, worth if players[move] == players[own] else -worth)
    return best
