"""The reference solver: the one-ply step in NumPy, repeated until nothing changes.

It is short and obviously right rather than fast. At first every position counts as a draw; each round gives it the value of its
best move. Those are the values of a game that is drawn after so many rounds, so they are right once a round changes nothing.
Values are merits (`tablebase.tables.values.merit`), since before the last round a distance may be larger than any code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.compute.stages import reach
from tablebase.game import Outcome
from tablebase.slices.conversions import ENDS, STAYS
from tablebase.slices.indexing import Squares, layout_of
from tablebase.slices.movegen import MoveGenerator
from tablebase.solvers.compiled import CompiledSlice
from tablebase.tables.values import DRAW, STALEMATE, Codes, Value, merit

NO_MOVE = np.iinfo(np.int32).min
"""The merit of a position without a move out of the slice."""


def solve(problem: CompiledSlice) -> tuple[Codes, Codes] | None:
    """Codes of both sides to move, or None if a distance does not fit the coding."""
    moves = [_list_moves(problem, side) for side in (0, 1)]
    merits, rounds, changed = np.zeros((2, problem.layout.size), dtype=np.int32), 0, True
    while changed:
        before = merits.copy()
        for side, (best, origins, begin, targets, _) in enumerate(moves):
            merits[side] = np.where(best == NO_MOVE, 0, best)
            if len(origins):
                merits[side, origins] = np.maximum(best[origins], np.maximum.reduceat(_next(merits[1 - side])[targets], begin))
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
    """All moves of a side to move.

    By index the merit of the best move out of the slice, or of the result if the game is over; the indices with moves within the
    slice, where the moves of each begin among all, and the indices that these lead to; by index the code of void and stalemate.
    """
    layout, game = problem.layout, problem.game
    squares, legal = layout.squares_many(np.arange(layout.size))
    indices, generator = np.flatnonzero(legal), MoveGenerator(layout, side)
    best, stuck, escaped = np.full(layout.size, NO_MOVE, dtype=np.int32), legal.copy(), np.zeros_like(legal)
    inside = [np.zeros((2, 0), dtype=np.int64)]
    for batch in generator.moves(squares[legal]):
        movers = indices[batch.rows]
        stuck[movers] = False
        if batch.destination == STAYS:
            inside.append(np.stack([movers, layout.index_many(batch.squares)]))
        else:
            best[movers] = np.maximum(best[movers], _worth(problem, batch.destination, batch.squares))
    escaped[indices] = generator.escaped(squares[legal])
    if game.escape is not None:
        winner = game.side_of(game.by_symbol[game.escape.runner])
        best[escaped] = Value(Outcome.WIN if winner == side else Outcome.LOSS, 0).merit
    best[stuck] = Value(game.no_move, None if game.no_move is Outcome.DRAW else 0).merit
    fixed = np.where(stuck & (game.no_move is Outcome.DRAW), STALEMATE, DRAW)
    fixed[~legal] = problem.coding.void
    found = np.concatenate(inside, axis=1)
    found = found[:, ~escaped[found[0]]]
    origins, targets = found[:, np.argsort(found[0], kind="stable")]
    return best, *np.unique(origins, return_index=True), targets, fixed.astype(problem.coding.dtype)


def _worth(problem: CompiledSlice, destination: int, squares: Squares) -> Any:
    """The merit of moves out of the slice, given the squares afterwards."""
    if destination == ENDS:
        return Value(Outcome.WIN, 1).merit
    arrays, child = problem.arrays, layout_of(problem.game, problem.locations[destination - 1].material)
    after = arrays.child_square[destination][squares[:, arrays.child_slot[destination, : len(child.slots)]]]
    codes = problem.children[problem.offset[destination] + child.index_many(after)]
    return _next(np.array([merit(code, problem.coding.stride) for code in range(problem.coding.void + 1)])[codes])


def _next(merits: Any) -> Any:
    """The merit of moves into positions of these merits."""
    return np.sign(merits) - merits
