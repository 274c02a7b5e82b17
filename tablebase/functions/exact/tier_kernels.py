"""Kernels that solve tiers of a game by compiled functions: from solved tiers forwards, then from decided positions backwards.

A *shelf* is an array of the codes of some tiers, one after the other; `places` has two numbers for each tier: where it begins,
and how many ranks it has (0: the tier is not there). Codes have stride 2, see `tablebase.tables.values`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from tablebase.game.compiled import DRAWN, WON, CompiledGame
from tablebase.game.key_lists import find_places
from tablebase.game.native import TABLE, WORDS, derived, room, step, stored, tier, to_move, unrank
from tablebase.system.compute.jit import inline, jit
from tablebase.tables.values import DRAW, STALEMATE, distance_of, loss_code, win_code
from tablebase.tables.values import is_loss as is_loss_code
from tablebase.tables.values import is_win as is_win_code

Ints = NDArray[np.int64]
Codes = NDArray[Any]
STRIDE = 2
DRAWN_EXIT = 255
"""Instead of a number of moves left: some move leads to a draw outside the group, so the position is not lost."""
FAR = 1 << 20
"""More than any distance."""
UNKNOWN = -FAR
"""Worth of the best move where none leads out of the group."""
TOGETHER = 1 << 9
"""Positions of a block, and those after or before them, about."""
VOID = -9
"""Instead of the result of `moves`, for an invalid rank."""
LISTED, RANKED, VALID = 0, 1, 2
"""Ranks are places in lists; some ranks may be invalid; all are known to be valid."""
FEW = 8
"""Moves among which repeated ones are found by comparing all of them."""
STRIPE = 12
"""Threads that write codes at the same time take turns after 2 to this power."""
SOUND, CONTRADICTION, CROWDED = 0, 1, 2
"""Results of a kernel: the functions contradict each other, or a position has too many moves for the counts."""

win, loss, distance = inline(win_code), inline(loss_code), inline(distance_of)
is_win, is_loss = inline(is_win_code), inline(is_loss_code)


class Block(NamedTuple):
    """Some positions, with the positions after or before them."""

    results: Ints  # of the function that has listed these
    ends: Ints  # where the moves of each position begin, and where the last moves end
    found: Ints  # their ranks and later entries, their tiers, and 1 if the same player is to move; two rows are room
    out: Ints  # room for the positions after one


class Lister(NamedTuple):
    """Lists the positions after or before those of a tier."""

    steps: Any  # see `stepper`
    rules: Ints
    places: Ints  # of the shelf
    kind: int  # `LISTED`, `RANKED` or `VALID`


Room = tuple[Block, Ints, Ints]
"""For a block, for the entries of a position, and to find repeated ones."""


def new_room(game: CompiledGame) -> Room:
    """Make room for a thread."""
    found = np.empty((5, TOGETHER + game.most_moves), np.int64)
    block = Block(np.empty(TOGETHER, np.int64), np.zeros(TOGETHER + 1, np.int64), found, room(game))
    buckets = 1 << (2 * game.most_moves).bit_length()
    return block, np.empty(game.most_moves, np.int64), np.full(2 * buckets, -1)


def stepper(game: CompiledGame, moves: str) -> Any:
    """Compile `list_block` for `moves` or `unmoves` of a game."""
    signature = types.int64(types.int64, WORDS, types.boolean, WORDS, WORDS, WORDS, TABLE, WORDS)
    return derived(game, list_block, signature, moves)


def list_block(number: int, ranks: Any, has_gaps: bool, rules: Any, results: Any, ends: Any, found: Any, out: Any) -> int:
    """List the positions that `step` fills in for the first of some ranks of a tier; return how many ranks. See `stepper`."""
    most, taken, count = len(out) // 2, 0, 0
    while taken < min(len(ranks), TOGETHER) and count < TOGETHER:
        position = unrank(rules, number, ranks[taken])
        player = to_move(rules, position)
        if has_gaps and (stored(rules, position) != ranks[taken] or tier(rules, position) != number):
            result = VOID
        else:
            result = step(rules, position, out)
        for move in range(result if result <= most else 0):
            found[0, count], found[1, count] = stored(rules, out[move]), tier(rules, out[move])
            found[2, count] = to_move(rules, out[move]) == player
            count += 1
        results[taken] = result
        taken += 1
        ends[taken] = count
    return taken


@jit
def gather(lister: Lister, number: int, ranks: Ints, block: Block) -> int:
    """Fill a block with entries, twice the place on the shelf, plus 1 if the same player is to move; -1 for one that is not there.

    All positions are listed first, and then all are located: the memory is then asked for many at a time.
    """
    steps, rules, places, kind = lister
    taken = steps(number, ranks, kind == RANKED, rules, block.results, block.ends, block.found, block.out)
    count, entries, tiers = block.ends[taken], block.found[0], block.found[1]
    if kind == LISTED:
        find_places(rules, tiers, entries, count, block.found[3], block.found[4])
    for place in range(count):
        tier, index = tiers[place], entries[place]
        is_known = tier >= 0 and 2 * tier < len(places) and 0 <= index < places[2 * tier + 1]
        entries[place] = (places[2 * tier] + index) << 1 | block.found[2, place] if is_known else -1
    return int(taken)


@inline
def worth(code: Any, same: int) -> Any:
    """Return a number that is larger for better moves, from the code after one; `same` is 1 if the same player is to move there."""
    is_won = code & 1 ^ same
    return (2 * is_won - 1) * (FAR - (code >> 1)) * (code > 1)


@inline
def code_of(worth: int) -> int:
    """Return the code of a position, from that of its best move."""
    return win(FAR - worth, STRIDE) if worth > 0 else loss(FAR + worth, STRIDE) if worth < 0 else DRAW


@inline
def distinct(seen: Ints, count: int, marks: Ints) -> int:
    """Drop repeated numbers among the first ones; return how many are left.

    `marks` is a hash table of -1, and is again afterwards; its second half notes the buckets in use.
    """
    kept = 0
    if count <= FEW:
        for place in range(count):
            number, other = seen[place], 0
            while other < kept and seen[other] != number:
                other += 1
            if other == kept:
                seen[kept] = number
                kept += 1
        return kept
    size = len(marks) // 2
    for place in range(count):
        number = seen[place]
        bucket = (number ^ number >> 9) & (size - 1)
        while marks[bucket] != -1 and marks[bucket] != number:
            bucket = (bucket + 1) & (size - 1)
        if marks[bucket] == -1:
            marks[bucket] = number
            marks[size + kept] = bucket
            seen[kept] = number
            kept += 1
    for place in range(kept):
        marks[marks[size + place]] = -1
    return kept


@jit
def look_forward(
    lister: Lister,
    number: int,
    ranks: tuple[int, int],
    group: tuple[int, int],
    codes: Codes,
    void: int,
    left: NDArray[np.uint8],
    space: Room,
) -> tuple[int, int]:
    """Give some ranks of a tier the best of their moves to solved tiers, and count the different moves that stay in the group.

    `group` is the part of the shelf that is being solved. Outside of it everything is solved, so without moves that stay in it
    these codes are final. `left` has a number for each code of the group, or is empty if no move stays. Invalid ranks get the
    code `void`.

    Returns
    -------
    error, index
        `SOUND`, or what is wrong with an index.
    """
    block, seen, marks = space
    entries = block.found[0]
    begin, most, first = lister.places[2 * number], len(seen), ranks[0]
    while first < ranks[1]:
        some = np.arange(first, min(first + TOGETHER, ranks[1]))
        taken = gather(lister, number, some, block)
        for place in range(taken):
            at, result = begin + first + place, block.results[place]
            if result < 0:
                ended = STALEMATE if result == DRAWN else win(0, STRIDE) if result == WON else loss(0, STRIDE)
                codes[at] = void if result == VOID else ended
                continue
            if result == 0 or result > most:
                return CONTRADICTION, first + place
            best, inside = UNKNOWN, 0
            for move in range(block.ends[place], block.ends[place + 1]):
                entry = entries[move]
                if group[0] <= entry >> 1 < group[1]:
                    seen[inside] = entry
                    inside += 1
                    continue
                if entry < 0 or codes[entry >> 1] == void:
                    return CONTRADICTION, first + place
                best = max(best, worth(np.int64(codes[entry >> 1]), entry & 1))
            codes[at] = DRAW if best == UNKNOWN else code_of(best)
            if inside:
                if len(left) == 0:
                    return CONTRADICTION, first + place
                inside = distinct(seen, inside, marks)
                if inside >= DRAWN_EXIT:
                    return CROWDED, first + place
            if len(left):
                left[at - group[0]] = DRAWN_EXIT if best == 0 else inside
        first += taken
    return SOUND, 0


@jit
def visit(lister: Lister, number: int, ranks: Ints, block: Block) -> None:
    """Locate the positions after each of some ranks, to measure how long that takes."""
    first = 0
    while first < len(ranks):
        first += gather(lister, number, ranks[first:], block)


@jit
def look_back(
    lister: Lister, number: int, ranks: Ints, group: tuple[int, int], codes: Codes, space: Room, told: Ints
) -> tuple[int, int, int]:
    """Find the predecessors of decided positions of a tier: what `tell` is given.

    `told` is filled with twice the place of each predecessor, plus 1 if its player wants to move here. When it is nearly full,
    the kernel returns early.

    Returns
    -------
    error, done, count
        As for `look_forward`; ranks that have been looked at, and numbers in `told`.
    """
    block, seen, marks = space
    entries = block.found[0]
    begin, most, first, count = lister.places[2 * number], len(seen), 0, 0
    while first < len(ranks):
        taken = gather(lister, number, ranks[first:], block)
        for place in range(taken):
            if block.results[place] > most:
                return CONTRADICTION, first + place, count
            if count + most > len(told):
                return SOUND, first + place, count
            lost, inside = np.int64(codes[begin + ranks[first + place]]) & 1, 0
            for move in range(block.ends[place], block.ends[place + 1]):
                if group[0] <= entries[move] >> 1 < group[1]:
                    seen[inside] = entries[move] ^ lost
                    inside += 1
            for move in range(distinct(seen, inside, marks)):
                told[count] = seen[move]
                count += 1
        first += taken
    return SOUND, first, count


@jit
def look_back_in_lists(
    ends: Ints, parents: NDArray[np.int32], decided: Ints, group: tuple[int, int], codes: Codes, told: Ints
) -> tuple[int, int, int]:
    """Do the same as `look_back` with the lists that `list_parents` has made, for places on the shelf."""
    count = 0
    for done in range(len(decided)):
        own = decided[done] - group[0]
        if count + ends[own + 1] - ends[own] > len(told):
            return SOUND, done, count
        lost = np.int64(codes[decided[done]]) & 1
        for place in range(ends[own], ends[own + 1]):
            told[count] = np.int64(parents[place]) + 2 * group[0] ^ lost
            count += 1
    return SOUND, len(decided), count


@jit
def list_parents(
    lister: Lister, number: int, ranks: Ints, group: tuple[int, int], space: Room, ends: Ints, parents: NDArray[np.int32]
) -> None:
    """Count the different moves from a tier to each position of the group, in `ends`; or, given room in `parents`, list them.

    Between both, the counts are added up; then each list is filled from its end to its beginning, at which `ends` is afterwards.
    """
    block, seen, marks = space
    entries = block.found[0]
    begin, first = lister.places[2 * number], 0
    while first < len(ranks):
        taken = gather(lister, number, ranks[first:], block)
        for place in range(taken):
            inside = 0
            for move in range(block.ends[place], block.ends[place + 1]):
                if group[0] <= entries[move] >> 1 < group[1]:
                    seen[inside] = entries[move]
                    inside += 1
            for move in range(distinct(seen, inside, marks)):
                child = (seen[move] >> 1) - group[0]
                if len(parents):
                    ends[child] -= 1
                    parents[ends[child]] = 2 * (begin + ranks[first + place] - group[0]) + (seen[move] & 1)
                else:
                    ends[child] += 1
        first += taken


@jit
def tell(
    told: Ints, share: tuple[int, int], group: tuple[int, int], codes: Codes, void: int, left: NDArray[np.uint8], plies: int
) -> int:
    """Pass decisions on to predecessors; return the place of one that contradicts them, or -1.

    `share` is the number of a thread, and how many there are: each tells its own stripes of the shelf.

    A predecessor whose player wants a decided position is won; another one has one move less, and is lost when none is left, in
    the longest of all ways. The order in which they are told makes no difference.
    """
    for place in range(len(told)):
        before = told[place] >> 1
        if (before >> STRIPE) % share[1] != share[0]:
            continue
        known: Any = np.int64(codes[before])
        moves = left[before - group[0]]
        if known == void:
            return int(before)
        if told[place] & 1:
            if not (is_win(known, STRIDE) and distance(known, STRIDE) <= plies + 1):
                codes[before] = win(plies + 1, STRIDE)
        elif not is_win(known, STRIDE) and moves != DRAWN_EXIT:
            if moves == 0:
                return int(before)
            left[before - group[0]] = moves - 1
            if moves == 1:
                codes[before] = max(known, loss(plies + 1, STRIDE))
    return -1


@jit
def draw_open(codes: Codes, void: int, left: NDArray[np.uint8]) -> None:
    """Make draws of positions of a solved group that seem lost outside of it, but have moves left."""
    for at in range(len(codes)):
        if codes[at] != void and is_loss(codes[at], STRIDE) and left[at]:
            codes[at] = DRAW
