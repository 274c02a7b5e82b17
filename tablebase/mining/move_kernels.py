"""Kernels for the moves of many positions of one slice: what they are, what they are worth, and which is right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.compute.jit import inline, jit
from tablebase.slices.conversions import ENDS, ILLEGAL
from tablebase.solvers.compiled import NOBODY, Bool, Int8, Int32, Int64, SliceArrays
from tablebase.solvers.kernels import EMPTY, blocked, clear, has_escaped, index_of
from tablebase.tables import values

NONE = -1
"""No move, or no captured slot."""
UNDECIDED = -2
"""Instead of the only move: a move of unknown value may keep the outcome as well."""
UNKNOWN = np.iinfo(np.uint16).max
"""The code of a move whose value is unknown; all codes here are in the coding `tablebase.tables.values.FULL`."""
STRIDE = 2
WON, DRAWN, LOST = 0, 1, 2
Int16 = NDArray[np.int16]

is_win = inline(values.is_win)
is_loss = inline(values.is_loss)


class Terms(NamedTuple):
    """What pieces add to the index of the position that a move leads to; C destinations, P slots, S squares."""

    add_up: Bool  # (C,) whether the index is a sum: all pieces are of different kinds and without tiers
    lead: Int8  # (C,) the slot whose square decides whether the child is mirrored
    flips: Bool  # (C, S) for each square of that slot
    terms: Int64  # (C, 2, P, S) [c, f, p, s]: of slot p on square s, the child being mirrored or not


@jit
def list_moves(
    arrays: SliceArrays,
    terms_of: Terms,
    twin: Int32,
    side: int,
    squares: Int8,
    begin: Int64,
    steps: Int32,
    victims: Int8,
    destinations: Int32,
    numbers: Int64,
) -> int:
    """List the moves of positions, one after another, and return how many there are.

    Parameters
    ----------
    arrays : SliceArrays
        With layout 0 and child 0 of the table that holds the other side to move.
    terms_of : Terms
    twin : ndarray of int32, shape (steps,)
        An earlier step between the same squares, which is the same move; `NONE` if there is none.
    side : int
        The side to move.
    squares : ndarray of int8, shape (positions, slots)
    begin : ndarray of int64, shape (positions + 1,)
        Output: the moves of position i are ``begin[i]:begin[i + 1]``.
    steps : ndarray of int32
        Output: the step of each move.
    victims : ndarray of int8
        Output: the captured slot, or `NONE`.
    destinations : ndarray of int32
        Output: where it leads, the number of a conversion, `STAYS` or `ENDS`.
    numbers : ndarray of int64
        Output: the index there; 0 for a move that ends the game.
    """
    step_begin, step_target, step_destination, owner = arrays.step_begin, arrays.step_target, arrays.step_destination, arrays.side
    block, blockers, child_slot, child_square = arrays.step_block, arrays.blockers, arrays.child_slot, arrays.child_square
    layouts, child_slots, escape = arrays.layouts, arrays.child_slots, arrays.escape
    add_up, lead, flips, terms = terms_of.add_up, terms_of.lead, terms_of.flips, terms_of.terms
    may_escape = escape.runner != NOBODY
    board = np.full(child_square.shape[1], EMPTY, dtype=np.int8)
    child = np.empty(len(owner), dtype=np.int8)
    placed = np.empty(len(owner), dtype=np.int8)
    count = 0
    for row in range(len(squares)):
        begin[row] = count
        for slot in range(len(owner)):
            placed[slot] = squares[row, slot]
            board[placed[slot]] = slot
        if not may_escape or not has_escaped(escape, step_begin, step_target, side, placed):
            for slot in range(len(owner)):
                if owner[slot] != side:
                    continue
                origin, first = placed[slot], count
                for step in range(step_begin[slot, origin], step_begin[slot, origin + 1]):
                    target = step_target[step]
                    victim = board[target]
                    destination = step_destination[step, victim + 1]
                    if destination == ILLEGAL or blocked(block, blockers, step, board):
                        continue
                    if twin[step] != NONE and _listed(step_target, steps, first, count, target):
                        continue
                    if destination == ENDS:
                        numbers[count] = 0
                    elif add_up[destination]:
                        leading = lead[destination]
                        flip = np.int64(flips[destination, target if leading == slot else placed[leading]])
                        number = terms[destination, flip, slot, target]
                        for other in range(len(owner)):
                            # A captured piece adds nothing to the index of the child.
                            if other != slot:
                                number += terms[destination, flip, other, placed[other]]
                        numbers[count] = number
                    else:
                        for i in range(child_slots[destination]):
                            source = child_slot[destination, i]
                            child[i] = child_square[destination, target if source == slot else placed[source]]
                        numbers[count] = index_of(layouts, destination, child[: child_slots[destination]], False)
                    steps[count] = step
                    victims[count] = victim
                    destinations[count] = destination
                    count += 1
        clear(placed, board)
    begin[len(squares)] = count
    return count


@inline
def _listed(step_target: Int8, steps: Int32, first: int, count: int, target: int) -> bool:
    """Whether one of these moves leads to a square."""
    for move in range(first, count):
        if step_target[steps[move]] == target:
            return True
    return False


@jit
def look_up(destinations: Int32, numbers: Int64, wanted: int, codes: values.Codes, worth: values.Codes, out: values.Codes) -> None:
    """Set what moves to one destination are worth, given the codes there, and what a move to each code is worth."""
    for move in range(len(destinations)):
        if destinations[move] == wanted:
            out[move] = worth[codes[numbers[move]]]


@jit
def judge(
    begin: Int64,
    steps: Int32,
    worth: values.Codes,
    positions: values.Codes,
    wins: Int16,
    draws: Int16,
    losses: Int16,
    only: Int32,
) -> None:
    """Count the moves of positions by outcome, and find the only one that keeps the outcome.

    Parameters
    ----------
    begin, steps : ndarray
        As `list_moves` leaves them.
    worth : ndarray of uint16, shape (moves,)
        The value of each move, or `UNKNOWN`.
    positions : ndarray of uint16, shape (positions,)
        The value of each position.
    wins, draws, losses : ndarray of int16, shape (positions,)
        Output: the number of moves with each outcome, `NONE` in all three if some value is unknown.
    only : ndarray of int32, shape (positions,)
        Output: the step of the only move that keeps the outcome, `NONE` or `UNDECIDED`.
    """
    for place in range(len(positions)):
        wanted = _outcome(np.int64(positions[place]))
        won, drawn, lost, unknown, kept, right = 0, 0, 0, 0, 0, NONE
        for move in range(begin[place], begin[place + 1]):
            if worth[move] == UNKNOWN:
                unknown += 1
                continue
            outcome = _outcome(np.int64(worth[move]))
            won += outcome == WON
            drawn += outcome == DRAWN
            lost += outcome == LOST
            if outcome == wanted:
                kept += 1
                right = steps[move]
        only[place] = NONE if kept > 1 else UNDECIDED if unknown else right
        wins[place], draws[place], losses[place] = (NONE, NONE, NONE) if unknown else (won, drawn, lost)


@jit
def choose(
    begin: Int64,
    places: Int64,
    steps: Int32,
    worth: values.Codes,
    positions: values.Codes,
    order: Int32,
    best: Int32,
) -> None:
    """Find the best moves of some positions.

    Parameters
    ----------
    begin, steps, worth, positions : ndarray
        As in `judge`.
    places : ndarray of int64, shape (chosen positions,)
        The numbers of the positions.
    order : ndarray of int32, shape (steps,)
        Of moves with the same value, that with the lowest number is better.
    best : ndarray of int32, shape (chosen positions,)
        Output: the step of the best move; `NONE` without a move that is worth as much as the position.
    """
    for number in range(len(places)):
        place = places[number]
        best[number] = NONE
        for move in range(begin[place], begin[place + 1]):
            step = steps[move]
            if worth[move] == positions[place] and (best[number] == NONE or order[step] < order[best[number]]):
                best[number] = step


@inline
def _outcome(code: Any) -> int:
    """Whether a code is that of a win, a draw or a loss."""
    if is_win(code, STRIDE):
        return WON
    return LOST if is_loss(code, STRIDE) else DRAWN
