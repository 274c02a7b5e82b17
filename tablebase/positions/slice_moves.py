"""The moves of many positions of one slice, listed on a board of bits; `tablebase.positions.move_lists` calls the kernel."""

from __future__ import annotations

import numpy as np

from tablebase.positions.bit_board import EMPTY, BitBoard, has_escaped, is_legal, put, take
from tablebase.positions.conversions import ENDS, ILLEGAL
from tablebase.positions.index_arrays import ListedSlice
from tablebase.positions.index_kernels import index_of
from tablebase.positions.slice_arrays import Int8, Int32, Int64
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import borrowed

NONE = -1
"""No earlier step, or no captured slot."""


@jit
def list_slice_moves(
    listed: ListedSlice,
    board: BitBoard,  # empty, and left so
    squares: Int8,  # (positions, slots)
    begin: Int64,  # output: the moves of position i are begin[i]:begin[i + 1]
    steps: Int32,  # output: the step of the slice that each move is
    victims: Int8,  # output: the captured slot, or `NONE`
    destinations: Int32,  # output: where it leads, the number of a conversion, `STAYS` or `ENDS`
    numbers: Int64,  # output: the index there; 0 for a move that ends the game
) -> int:
    """List the moves of positions, one after another, and return how many there are."""
    rules, arrays, layouts, child_slots, terms_of, kinds, twin, side = borrowed(listed)
    board = borrowed(board)
    step_begin, step_target, step_destination, owner = arrays.step_begin, arrays.step_target, arrays.step_destination, arrays.side
    child_slot, child_square = arrays.child_slot, arrays.child_square
    add_up, lead, flips, terms = terms_of.add_up, terms_of.lead, terms_of.flips, terms_of.terms
    child = np.empty(len(owner), dtype=np.int8)
    placed = np.empty(len(owner), dtype=np.int8)
    slot_on = np.empty(child_square.shape[1], dtype=np.int8)
    count = 0
    for row in range(len(squares)):
        begin[row] = count
        for slot in range(len(owner)):
            placed[slot] = squares[row, slot]
            slot_on[placed[slot]] = slot
            put(board, owner[slot], kinds[slot], placed[slot])
        if not has_escaped(rules, board, side):
            for slot in range(len(owner)):
                if owner[slot] != side:
                    continue
                origin, first = placed[slot], count
                step_of_kind = rules.step_begin[kinds[slot], origin]
                for step in range(step_begin[slot, origin], step_begin[slot, origin + 1]):
                    legal = is_legal(rules, board, step_of_kind)
                    step_of_kind += 1
                    if not legal:
                        continue
                    target = step_target[step]
                    victim = slot_on[target] if board.squares[target] != EMPTY else NONE
                    destination = step_destination[step, victim + 1]
                    if destination == ILLEGAL or (twin[step] != NONE and _listed(step_target, steps, first, count, target)):
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
                        numbers[count] = index_of(layouts, destination, child[: child_slots[destination]])
                    steps[count] = step
                    victims[count] = victim
                    destinations[count] = destination
                    count += 1
        for slot in range(len(owner)):
            take(board, owner[slot], kinds[slot], placed[slot])
    begin[len(squares)] = count
    return count


@inline
def _listed(step_target: Int8, steps: Int32, first: int, count: int, target: int) -> bool:
    for move in range(first, count):
        if step_target[steps[move]] == target:
            return True
    return False
