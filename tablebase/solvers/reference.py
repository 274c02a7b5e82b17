"""The reference solver: the one-ply step in NumPy, repeated until nothing changes.

At first every position counts as a draw; each round gives it the value of its best move. Those are the values of a game that is
drawn after so many rounds, so they are right once a round changes nothing. Values are merits (`tablebase.tables.values.merit`),
since before the last round a distance may be larger than any code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.game import Outcome
from tablebase.positions.conversions import ENDS, STAYS
from tablebase.positions.indexing import Squares, layout_of
from tablebase.positions.movegen import MoveGenerator
from tablebase.solvers.problem import CompiledSlice
from tablebase.system.compute.messages import reach
from tablebase.tables.values import DRAW, STALEMATE, Codes, Value, merit, next_code

NO_MOVE = np.int32(np.iinfo(np.int32).min)  # the merit of a position without a move out of the slice


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    moves = [_list_moves(problem, side) for side in (0, 1)]
    merits, rounds, changed = np.zeros((2, problem.layout.size), dtype=np.int32), 0, True
    while changed:
        before = merits.copy()
        for side, (best, origins, begin, targets, _) in enumerate(moves):
            merits[side] = best
            worth = np.sign(merits[1 - side]) - merits[1 - side]
            merits[side, origins] = np.maximum(best[origins], np.maximum.reduceat(worth[targets], begin))
        rounds, changed = rounds + 1, not np.array_equal(merits, before)
        reach("solving", rounds)
    code_of = {problem.coding.value(code).merit: code for code in range(problem.coding.void) if code != STALEMATE}
    found, places = np.unique(merits, return_inverse=True)
    if not code_of.keys() >= set(found.tolist()):
        return None
    codes = np.array([code_of[one] for one in found.tolist()], dtype=problem.coding.dtype)[places].reshape(merits.shape)
    first, second = (np.where(fixed != DRAW, fixed, codes[side]) for side, (*_, fixed) in enumerate(moves))
    return first, second


def _list_moves(problem: CompiledSlice, side: int) -> tuple[Any, ...]:
    """By index the merit of the best move of a side to move out of the slice, or of the result if the game is over.

    Then the indices with moves within the slice, where the moves of each begin among all, and the indices that these lead to; last
    by index the code of void and stalemate.
    """
    layout, game = problem.layout, problem.game
    squares, legal = layout.squares_many(np.arange(layout.size))
    indices, generator = np.flatnonzero(legal), MoveGenerator(layout, side)
    best, stuck, escaped = np.where(legal, NO_MOVE, 0), legal.copy(), legal & generator.escaped(squares)
    inside = [np.zeros((2, 0), dtype=np.int64)]
    for batch in generator.moves(squares[legal]):
        movers = indices[batch.rows]
        stuck[movers] = False
        if batch.destination == STAYS:
            inside.append(np.stack([movers, layout.index_many(batch.squares)])[:, ~escaped[movers]])
        else:
            best[movers] = np.maximum(best[movers], _worth(problem, batch.destination, batch.squares))
    best[escaped] = Value(Outcome.WIN if game.runner_side == side else Outcome.LOSS, 0).merit
    best[stuck] = Value(game.no_move, None if game.no_move is Outcome.DRAW else 0).merit
    fixed = np.where(stuck & (game.no_move is Outcome.DRAW), STALEMATE, DRAW)
    fixed[~legal] = problem.coding.void
    found = np.concatenate(inside, axis=1)
    origins, targets = found[:, np.argsort(found[0], kind="stable")]
    return best, *np.unique(origins, return_index=True), targets, fixed.astype(problem.coding.dtype)


def _worth(problem: CompiledSlice, destination: int, squares: Squares) -> Any:
    """The merit of moves out of the slice, given the squares afterwards."""
    if destination == ENDS:
        return Value(Outcome.WIN, 1).merit
    arrays, child = problem.arrays, layout_of(problem.game, problem.locations[destination - 1].material)
    after = arrays.child_square[destination][squares[:, arrays.child_slot[destination, : len(child.slots)]]]
    codes, stride = problem.children[problem.offset[destination] + child.index_many(after)], problem.coding.stride
    return np.array([merit(next_code(code, stride), stride) for code in range(problem.coding.void + 1)])[codes]
