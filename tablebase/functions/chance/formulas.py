"""The chances of states that are alike, as a formula of the chances of the stored states that come next.

What lies between two stored states (a card, a choice in the middle of a turn) depends on the rules alone. So it is looked at
once and written down as a list of instructions; evaluating these again and again, as chances rise, takes a small part of the time.
States that are alike form a run and share one formula: the first and the last of them are expanded side by side, and the
numbers of what follows those between lie between.

States that no table stores are expanded in turn. Numba loses its way in recursive functions that are called by other cached
functions, so there is a frame for each level.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.game.kernels import CHANCE, DOUBT, OVER, STATE, WEIGHT, Kernels
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import borrowed

Int64 = NDArray[np.int64]

NUMBER, COUNT, STEP, SEEN, FORMULAS, RUN = 0, 1, 2, 3, 4, 8
"""Columns of a run: its first state, how many it has and the step between them, the time when it was computed last, and where
the formulas of the player to move and of the other one begin and end; they may be the same."""
CODE, FROM, INSTRUCTION = 0, 1, 2
"""Columns of an instruction: its kind, weight and stride in one number, and the first of the stored states that are taken."""
KIND_BITS, WEIGHT_BITS = 4, 12
AVERAGE, MOVERS, OTHERS, WORST = range(4)
"""Begin to combine what follows: by its weights, or for the player to move, the other one, or the defender to choose."""
TAKE, TAKE_TURNED = 4, 5
"""A stored chance: of the player who moves in the run's states, or in the other one's turn."""
WON, LOST, NOBODYS = 6, 7, 8
"""The game is over: the player to move has won, or the other one, or nobody."""
END = 9
"""End of the part begun last: it counts as one chance, with this weight, in the part begun before it."""
SPACE = 1 << 10
"""Instructions for which there is space at first."""
WHO, ROWS, ROW = range(3)
"""Fields of a frame: the results of `expand`, and the next row."""
FIRST, LAST = 0, 1
"""The first and the last state of a run."""


class FormulaSpace(NamedTuple):
    """Space for the states between stored ones; each thread needs its own."""

    states: Int64  # (2, fields) the first and the last state of a run
    rows: Int64  # (2, levels + 1, widest, STATE + fields) what follows each of them, and the states after it
    frames: Int64  # (levels + 1, 3)


class Formulas(NamedTuple):
    """The formulas of consecutive states."""

    runs: Int64  # (runs, RUN) the runs of the states; those with the highest numbers come first
    instructions: Int64  # (instructions, INSTRUCTION)

    @property
    def nbytes(self) -> int:
        """Memory that the formulas take."""
        return self.runs.nbytes + self.instructions.nbytes


def new_space(kernels: Kernels) -> FormulaSpace:
    """Space for one thread."""
    rows = np.zeros((2, kernels.deepest + 1, kernels.widest, STATE + kernels.fields), np.int64)
    return FormulaSpace(np.zeros((2, kernels.fields), np.int64), rows, np.zeros((kernels.deepest + 1, 3), np.int64))


def formulas_of(kernels: Kernels, rules: Int64, begin: int, end: int, space: FormulaSpace) -> Formulas:
    """The formulas of the states with these numbers, which must contain whole runs."""
    functions = kernels.expand, kernels.index, kernels.state_at, kernels.alike
    return Formulas(*_write_all(*functions, rules, begin, end, space))


def blocks_read(formulas: Formulas, block: int, marks: NDArray[np.bool_]) -> None:
    """Mark the blocks, by number, that stored chances are taken from."""
    _mark(*formulas, block, marks)


@jit
def _write_all(expand: Any, index: Any, state_at: Any, alike: Any, rules: Int64, begin: int, end: int, space: FormulaSpace) -> Any:
    """The runs and the instructions of some states."""
    rules, space = borrowed((rules, space))
    # The last row is for states that belong to a run that is complete.
    runs, written = np.zeros((end - begin + 1, RUN), np.int64), 0
    instructions, used = np.zeros((SPACE, INSTRUCTION), np.int64), 0
    for number in range(end - 1, begin - 1, -1):
        count, step = alike(rules, number)
        first = number - (count - 1) * step
        runs[written, NUMBER], runs[written, COUNT], runs[written, STEP] = first, count, step
        instructions, after = _write_run(expand, index, state_at, rules, runs[written], instructions, used, space)
        if after >= 0:
            written, used = written + 1, after
            continue
        # Not alike after all, or there are not all of them.
        for single in range(number, number - count * step, -step):
            runs[written, NUMBER], runs[written, COUNT], runs[written, STEP] = single, 1, 1
            instructions, after = _write_run(expand, index, state_at, rules, runs[written], instructions, used, space)
            if after >= 0:
                written, used = written + 1, after
    return runs[:written].copy(), instructions[:used].copy()


@jit
def _write_run(
    expand: Any, index: Any, state_at: Any, rules: Int64, run: Int64, instructions: Int64, used: int, space: FormulaSpace
) -> Any:
    """Write the formulas of a run; return the instructions and their number, -1 if its states are not alike."""
    number, count = run[NUMBER], run[COUNT]
    last = number + (count - 1) * run[STEP]
    if count == 0 or not state_at(rules, number, space.states[FIRST]) or not state_at(rules, last, space.states[LAST]):
        return instructions, -1
    _, player = index(rules, space.states[FIRST])
    end = used
    for role in range(2):
        begin = end
        attacker = player if role == 0 else 1 - player
        instructions, end = _write(expand, index, rules, count, player, attacker, instructions, begin, space)
        if end < 0:
            return instructions, -1
        run[FORMULAS + 2 * role], run[FORMULAS + 2 * role + 1] = begin, end
    # Whose chance is asked for rarely changes what follows.
    if 2 * begin == used + end and (instructions[used:begin] == instructions[begin:end]).all():
        run[FORMULAS + 2], run[FORMULAS + 3] = used, begin
        end = begin
    return instructions, end


@jit
def _write(
    expand: Any,
    index: Any,
    rules: Int64,
    count: int,
    player: int,
    attacker: int,
    instructions: Int64,
    end: int,
    space: FormulaSpace,
) -> Any:
    """Write one formula behind other instructions; return these and where it ends, -1 if the states are not alike."""
    states, rows, frames = space
    both = count > 1
    level = 0
    who, following = expand(rules, states[FIRST], attacker, rows[FIRST, 0])
    if both and expand(rules, states[LAST], attacker, rows[LAST, 0]) != (who, following):
        return instructions, -1
    instructions, end = _begin(who, following, player, 1, frames, level, instructions, end)
    while True:
        if frames[level, ROW] == frames[level, ROWS]:
            if level == 0:
                return instructions, end
            if frames[level, WHO] != OVER:
                weight = rows[FIRST, level - 1, frames[level - 1, ROW] - 1, WEIGHT]
                instructions, end = _append(instructions, end, END, weight, 0, 0)
            level -= 1
            continue
        row = frames[level, ROW]
        frames[level, ROW] += 1
        number, mover = index(rules, rows[FIRST, level, row, STATE:])
        weight = rows[FIRST, level, row, WEIGHT]
        last = number
        if both:
            last, mover_of_last = index(rules, rows[LAST, level, row, STATE:])
            if mover_of_last != mover or rows[LAST, level, row, WEIGHT] != weight:
                return instructions, -1
        if number >= 0:
            stride = (last - number) // (count - 1) if both else 0
            if number + stride * (count - 1) != last:
                return instructions, -1
            kind = TAKE if mover == player else TAKE_TURNED
            instructions, end = _append(instructions, end, kind, weight, number, stride)
            continue
        level += 1
        who, following = expand(rules, rows[FIRST, level - 1, row, STATE:], attacker, rows[FIRST, level])
        if both and expand(rules, rows[LAST, level - 1, row, STATE:], attacker, rows[LAST, level]) != (who, following):
            return instructions, -1
        instructions, end = _begin(who, following, player, weight, frames, level, instructions, end)


@inline
def _begin(who: int, count: int, player: int, weight: int, frames: Int64, level: int, instructions: Int64, end: int) -> Any:
    """Begin the frame of a state that has been expanded; where the game is over, nothing follows."""
    frames[level, WHO], frames[level, ROWS], frames[level, ROW] = who, count, 0
    if who == OVER:
        frames[level, ROWS] = 0
        return _append(instructions, end, NOBODYS if count < 0 else WON if count == player else LOST, weight, 0, 0)
    kind = AVERAGE if who == CHANCE else WORST if who == DOUBT else MOVERS if who == player else OTHERS
    return _append(instructions, end, kind, 1, 0, 0)


@inline
def _append(instructions: Int64, end: int, kind: int, weight: int, number: int, stride: int) -> Any:
    """Add an instruction, in a longer array if need be."""
    if end == len(instructions):
        instructions = np.concatenate((instructions, np.zeros_like(instructions)))
    instructions[end, CODE] = kind | weight << KIND_BITS | stride << KIND_BITS + WEIGHT_BITS
    instructions[end, FROM] = number
    return instructions, end + 1


@inline
def decoded(code: int) -> Any:
    """The kind of an instruction, its weight, and the stride that leads on from the first stored state."""
    kind = code & (1 << KIND_BITS) - 1
    weight = code >> KIND_BITS & (1 << WEIGHT_BITS) - 1
    return kind, weight, code >> KIND_BITS + WEIGHT_BITS


@jit
def _mark(runs: Int64, instructions: Int64, block: int, marks: NDArray[np.bool_]) -> None:
    """Mark the blocks that a run's instructions take chances from, and those between the first and the last."""
    for run in range(len(runs)):
        # The second formula follows the first, or is the same.
        for at in range(runs[run, FORMULAS], runs[run, FORMULAS + 3]):
            kind, _, stride = decoded(instructions[at, CODE])
            if kind in (TAKE, TAKE_TURNED):
                first = instructions[at, FROM]
                last = first + stride * (runs[run, COUNT] - 1)
                marks[min(first, last) // block : max(first, last) // block + 1] = True
