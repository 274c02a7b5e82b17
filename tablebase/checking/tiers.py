"""The check of tiers of a game by compiled functions: each position once more, as the best of its moves.

Of the solver it shares only the author's functions and the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.functions.exact.files import counts_of
from tablebase.functions.exact.tier_files import TierFile, position_of
from tablebase.game.compiled import DRAWN, LOST
from tablebase.game.key_lists import with_lists
from tablebase.game.native import Native, derived, has_overflowed, native, rank, room, rules_of, tier, to_move
from tablebase.system.compute import threads
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.messages import reach
from tablebase.tables.values import FULL, NARROW_ANY, Codes

BLOCK = 1 << 16
"""Ranks that are checked at a time."""
FAR = 1 << 20
"""More than any distance."""
Ints = NDArray[np.int64]
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
    functions, locate, kinds = native(game), derived(game, place), file.coding.void + 1
    rules = with_lists(game.rules, lists) if lists else rules_of(game)

    def work(begin: int, end: int) -> tuple[int, Ints, Ints]:
        out, counts, first = room(game), np.zeros(kinds, np.int64), np.full(kinds, -1)
        found = np.zeros(len(out), np.int64)
        wrong = int(
            _check(
                functions, locate, rules, where.ravel(), values, file.tier, begin, end, out, found, counts, first, game.is_ranked
            )
        )
        return begin if has_overflowed(game, out) else wrong, counts, first

    def report(end: int) -> None:
        tick()
        reach("verifying", end, file.size)

    def text_at(rank: int) -> str:
        return game.format(position_of(game, file.tier, rank, lists.get(file.tier)))

    number, start = game.place(game.start)
    if number == file.tier and number in lists and not (lists[number] == start).any():
        raise CorruptTableError(f"does not hold the start of {game.name}", file.path)
    counts, first = np.zeros(kinds, np.int64), np.full(kinds, -1)
    for wrong, some, places in threads.spread(work, file.size, BLOCK, BLOCK, report):
        if wrong >= 0:
            raise CorruptTableError(f"is wrong: {text_at(wrong)} is stored with a value that its moves contradict", file.path)
        first = np.where(first < 0, places, first)
        counts += some
    known = [(code, int(first[code]), int(counts[code])) for code in np.flatnonzero(counts).tolist()]
    if counts_of(known, file.coding, text_at) != file.counts:
        raise CorruptTableError("is wrong: its counts do not match its positions", file.path)


@inline
def score(code: Any) -> Any:
    """Return a number that is larger for better codes: 0 for draws, and more for faster wins and slower losses."""
    if code < 2:
        return 0
    plies = code // 2 - 1
    return FAR - plies if code % 2 == 0 else plies - FAR


def place(rules: Any, where: Any, position: int) -> int:
    """Return the place of a position's code with the player to move as its last bit; -1 without one. See `derived`."""
    number = tier(rules, position)
    if number < 0 or 2 * number >= len(where) or where[2 * number] < 0:
        return -1
    index = rank(rules, position)
    if index < 0 or index >= where[2 * number + 1]:
        return -1
    return 2 * (where[2 * number] + index) + to_move(rules, position)  # type: ignore[no-any-return]


@jit
def _check(
    functions: Native,
    place: Any,
    rules: Ints,
    where: Ints,
    values: Codes,
    number: int,
    begin: int,
    end: int,
    out: Ints,
    found: Ints,
    counts: Ints,
    first: Ints,
    has_gaps: bool,
) -> int:
    """Return the first index that is wrong, or -1; count the codes of valid ranks, and note the first index of each."""
    base, most = where[2 * number], len(out) // 2
    for index in range(begin, end):
        position = functions.unrank(rules, number, index)
        own = place(rules, where, position)
        if own >> 1 != base + index:
            if has_gaps:
                continue
            return index
        code = np.int64(values[base + index])
        count = functions.moves(rules, position, out)
        if count < 0:
            # A draw at the end has a code that other draws do not have.
            if code != (1 if count == DRAWN else 3 if count == LOST else 2):
                return index
        elif count == 0 or count > most or code == 1:
            return index
        else:
            # First all places, then all codes: the memory is then asked for several at a time.
            for move in range(count):
                found[move] = place(rules, where, out[move])
                if found[move] < 0:
                    return index
            best = -2 * FAR
            for move in range(count):
                worth = score(np.int64(values[found[move] >> 1]))
                worth += 1 if worth < 0 else -1 if worth > 0 else 0
                if (found[move] ^ own) & 1:
                    worth = -worth
                best = max(best, worth)
            if best != score(code):
                return index
        counts[code] += 1
        if first[code] < 0:
            first[code] = index
    return -1
