"""Kernels that solve tiers of a game by compiled functions: from solved tiers forwards, then from decided positions backwards.

A *shelf* is an array of the codes of some tiers, one after the other; `places` has two numbers for each tier: where it begins,
and how many ranks it has (0: the tier is not there). Codes have stride 2, see `tablebase.tables.values`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.game.compiled import DRAWN, WON
from tablebase.game.native import Native, rank, tier, to_move
from tablebase.system.compute.jit import inline, jit
from tablebase.tables.values import DRAW, STALEMATE, distance_of, loss_code, merit, next_code, win_code
from tablebase.tables.values import is_loss as is_loss_code
from tablebase.tables.values import is_win as is_win_code

Ints = NDArray[np.int64]
Codes = NDArray[Any]
STRIDE = 2
DRAWN_EXIT = 255
"""Instead of a number of moves left: some move leads to a draw outside the group, so the position is not lost."""
FEW = 8
"""Moves among which repeated ones are found by comparing all of them."""
STRIPE = 12
"""Threads that write codes at the same time take turns after 2 to this power."""
SOUND, CONTRADICTION, CROWDED = 0, 1, 2
"""Results of a kernel: the functions contradict each other, or a position has too many moves for the counts."""

win, loss, distance = inline(win_code), inline(loss_code), inline(distance_of)
is_win, is_loss = inline(is_win_code), inline(is_loss_code)
after_move, merit_of = inline(next_code), inline(merit)


def locate(rules: Any, places: Any, position: int) -> int:
    """Return twice the place of a position's code on the shelf, plus the player to move; -1 for a tier or rank that is not there.

    To be compiled with `derived`.
    """
    number = tier(rules, position)
    if number < 0 or 2 * number >= len(places):
        return -1
    index = rank(rules, position)
    if index < 0 or index >= places[2 * number + 1]:
        return -1
    return (places[2 * number] + index) << 1 | to_move(rules, position)  # type: ignore[no-any-return]


@inline
def value_of_move(code: Any, same: bool) -> int:
    """Return the code of a move for its player, from the code of the position after it, in which the same player may move."""
    if not same or code < 2:
        return after_move(code, STRIDE)
    plies = distance(code, STRIDE) + 1
    return win(plies, STRIDE) if is_win(code, STRIDE) else loss(plies, STRIDE)


@inline
def distinct(seen: Ints, count: int, marks: Ints) -> int:
    """Drop repeated numbers among the first ones; return how many are left.

    `marks` is a hash table of -1, and is again afterwards; its second half notes the slots in use.
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
        slot = (number ^ number >> 9) & (size - 1)
        while marks[slot] != -1 and marks[slot] != number:
            slot = (slot + 1) & (size - 1)
        if marks[slot] == -1:
            marks[slot] = number
            marks[size + kept] = slot
            seen[kept] = number
            kept += 1
    for place in range(kept):
        marks[marks[size + place]] = -1
    return kept


@jit
def look_forward(
    functions: Native,
    locate: Any,
    rules: Ints,
    places: Ints,
    number: int,
    ranks: tuple[int, int],
    group: tuple[int, int],
    codes: Codes,
    void: int,
    left: NDArray[np.uint8],
    room: tuple[Ints, Ints, Ints],
    has_gaps: bool,
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
    out, seen, marks = room
    begin, most = places[2 * number], len(out) // 2
    for index in range(ranks[0], ranks[1]):
        at = begin + index
        position = functions.unrank(rules, number, index)
        entry = locate(rules, places, position) if has_gaps else at << 1 | functions.to_move(rules, position)
        if entry >> 1 != at:
            codes[at] = void
            continue
        count = functions.moves(rules, position, out)
        if count < 0:
            codes[at] = STALEMATE if count == DRAWN else win(0, STRIDE) if count == WON else loss(0, STRIDE)
            continue
        if count == 0 or count > most:
            return CONTRADICTION, index
        player, best, inside = entry & 1, -1, 0
        # First all places, then all codes: the memory is then asked for several at a time.
        for move in range(count):
            entry = locate(rules, places, out[move])
            if entry < 0:
                return CONTRADICTION, index
            # Now the last bit says whether the same player moves again.
            seen[move] = entry ^ player ^ 1
        for move in range(count):
            child, same = seen[move] >> 1, seen[move] & 1 == 1
            if group[0] <= child < group[1]:
                seen[inside] = seen[move]
                inside += 1
                continue
            if codes[child] == void:
                return CONTRADICTION, index
            code = value_of_move(np.int64(codes[child]), same)
            if best < 0 or merit_of(code, STRIDE) > merit_of(best, STRIDE):
                best = code
        codes[at] = max(best, DRAW)
        if inside:
            if len(left) == 0:
                return CONTRADICTION, index
            inside = distinct(seen, inside, marks)
            if inside >= DRAWN_EXIT:
                return CROWDED, index
        if len(left):
            left[at - group[0]] = DRAWN_EXIT if best == DRAW else inside
    return SOUND, 0


@jit
def visit(functions: Native, locate: Any, rules: Ints, places: Ints, number: int, ranks: Ints, out: Ints) -> int:
    """Locate the positions after each of some ranks, to measure how long that takes; return any number."""
    total = 0
    for index in ranks:
        position = functions.unrank(rules, number, index)
        total += locate(rules, places, position)
        for move in range(min(functions.moves(rules, position, out), len(out))):
            total += locate(rules, places, out[move])
    return total


@jit
def look_back(
    functions: Native,
    locate: Any,
    rules: Ints,
    places: Ints,
    number: int,
    ranks: tuple[int, int],
    group: tuple[int, int],
    codes: Codes,
    left: NDArray[np.uint8],
    plies: int,
    room: tuple[Ints, Ints, Ints],
    told: Ints,
) -> tuple[int, int, int, int]:
    """Find the predecessors of positions of a tier that are decided in this number of plies: what `tell` is given.

    Such a win is final, and so is a loss without moves left. `told` is filled with twice the place of each predecessor, plus 1
    if its player wants to move here. When it is nearly full, the kernel returns early.

    Returns
    -------
    error, index, decided, count
        As for `look_forward`, or the first index that was not looked at; decided positions, and numbers in `told`.
    """
    out, seen, marks = room
    begin, most = places[2 * number], len(out) // 2
    won, lost, decided, count = win(plies, STRIDE), loss(plies, STRIDE), 0, 0
    for index in range(ranks[0], ranks[1]):
        at = begin + index
        code: Any = np.int64(codes[at])
        if code != won and (code != lost or left[at - group[0]]):
            continue
        if count + most > len(told):
            return SOUND, index, decided, count
        decided += 1
        position = functions.unrank(rules, number, index)
        player, moves, inside = functions.to_move(rules, position), functions.unmoves(rules, position, out), 0
        if moves > most:
            return CONTRADICTION, index, decided, count
        for move in range(moves):
            entry = locate(rules, places, out[move])
            if group[0] <= entry >> 1 < group[1]:
                # Now the last bit says whether the same player moves again.
                seen[inside] = entry ^ player ^ 1
                inside += 1
        for move in range(distinct(seen, inside, marks)):
            told[count] = seen[move] if code == won else seen[move] ^ 1
            count += 1
    return SOUND, ranks[1], decided, count


@jit
def look_back_in_lists(
    ends: Ints,
    parents: NDArray[np.int32],
    ranks: tuple[int, int],
    group: tuple[int, int],
    codes: Codes,
    left: NDArray[np.uint8],
    plies: int,
    told: Ints,
) -> tuple[int, int, int, int]:
    """Do the same as `look_back` with the lists that `list_parents` has made; `ranks` are places on the shelf."""
    won, lost, decided, count = win(plies, STRIDE), loss(plies, STRIDE), 0, 0
    for at in range(ranks[0], ranks[1]):
        own = at - group[0]
        code: Any = np.int64(codes[at])
        if code != won and (code != lost or left[own]):
            continue
        if count + ends[own + 1] - ends[own] > len(told):
            return SOUND, at, decided, count
        decided += 1
        for place in range(ends[own], ends[own + 1]):
            parent = np.int64(parents[place]) + 2 * group[0]
            told[count] = parent if code == won else parent ^ 1
            count += 1
    return SOUND, ranks[1], decided, count


@jit
def list_parents(
    functions: Native,
    locate: Any,
    rules: Ints,
    places: Ints,
    number: int,
    group: tuple[int, int],
    codes: Codes,
    void: int,
    room: tuple[Ints, Ints, Ints],
    ends: Ints,
    parents: NDArray[np.int32],
) -> None:
    """Count the different moves from a tier to each position of the group, in `ends`; or, given room in `parents`, list them.

    Between both, the counts are added up; then each list is filled from its end to its beginning, at which `ends` is afterwards.
    """
    out, seen, marks = room
    begin, size = places[2 * number], places[2 * number + 1]
    for index in range(size):
        if codes[begin + index] == void:
            continue
        position, inside = functions.unrank(rules, number, index), 0
        player = functions.to_move(rules, position)
        for move in range(functions.moves(rules, position, out)):
            entry = locate(rules, places, out[move])
            if group[0] <= entry >> 1 < group[1]:
                seen[inside] = entry ^ player ^ 1
                inside += 1
        for move in range(distinct(seen, inside, marks)):
            child = (seen[move] >> 1) - group[0]
            if len(parents):
                ends[child] -= 1
                parents[ends[child]] = 2 * (begin + index - group[0]) + (seen[move] & 1)
            else:
                ends[child] += 1


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
