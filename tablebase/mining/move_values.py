"""The moves of many positions, and what they are worth.

Moves are listed once for all slices and mirror images that are read from the same codes: an image of a position has the
images of its moves.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import MissingTableError
from tablebase.game import Game, Outcome
from tablebase.mining.column import BY_SIGN, NO_OUTCOME
from tablebase.positions.conversions import ENDS
from tablebase.positions.indexing import Squares
from tablebase.positions.material import Material
from tablebase.positions.move_lists import MoveLister
from tablebase.probe.slice_values import by_code
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.store import Store
from tablebase.tables.values import FULL, Codes, Coding, Value

KEPT_BYTES = 1 << 28
"""Of whole sides in memory."""


class StoredCodes:
    """Looks up codes by their indices. Safe to use from several threads."""

    def __init__(self, game: Game, store: Store) -> None:
        self.game, self.store, self._kept = game, store, CachedChunks(KEPT_BYTES)

    def at(self, material: Material, side: int, indices: NDArray[np.int64]) -> Codes:
        """Codes of a stored material with this side to move, at indices in any order; see `Store.table` for the errors."""
        table = self.store.table(self.game, material)
        if table.layout.size * np.dtype(table.coding.dtype).itemsize > KEPT_BYTES // 2:
            return table.at(side, indices)
        return self._kept.get((material, side), partial(table.between, side, 0, table.layout.size)).take(indices)


Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

UNKNOWN = np.iinfo(FULL.dtype).max
"""The code of a move whose value is unknown."""
NONE, UNDECIDED = -1, -2
"""No only move, and none for certain: a move of unknown value may keep the outcome as well."""


@dataclass(frozen=True)
class ListedMoves:
    """Moves of positions; those of position i are ``begin[i]:begin[i + 1]``."""

    # Shape (positions + 1,).
    begin: Int64
    # Numbers of steps of `MoveLister`. Shape (moves,).
    steps: Int32
    # The captured slot, or -1.
    victims: NDArray[np.int8]
    # Whether the move ends the game.
    ends: NDArray[np.bool_]
    # The value for the mover in the coding `FULL`, or `UNKNOWN`.
    worth: Codes
    # The values of the positions in the same coding. Shape (positions,).
    codes: Codes

    @property
    def quiet(self) -> NDArray[np.bool_]:
        """True if each move neither captures nor ends the game. Shape (moves,)."""
        return (self.victims < 0) & ~self.ends

    @cached_property
    def loud_counts(self) -> Int64:
        """For each position the number of moves that are not quiet."""
        return self._count(~self.quiet)

    @cached_property
    def best_counts(self) -> Int64:
        """For each position the number of moves that are worth as much as it; -1 if the value of a move is unknown."""
        as_good = self.worth == np.repeat(self.codes, np.diff(self.begin))
        return np.where(self.judged[0][0] < 0, NONE, self._count(as_good))

    def _count(self, chosen: NDArray[np.bool_]) -> Int64:
        """For each position the number of its chosen moves."""
        return np.diff(np.append(0, np.cumsum(chosen))[self.begin])

    @cached_property
    def judged(self) -> tuple[list[Int16], Int32]:
        """For each position the numbers of winning, drawing and losing moves, and the step of the only one that keeps the outcome.

        The numbers are -1 if the value of a move is unknown; the step may be `NONE` or `UNDECIDED`.
        """
        signs, own = (values_by_code(FULL)[0].take(codes) for codes in (self.worth, self.codes))
        *by_outcome, unknown = (self._count(signs == sign) for sign in (1, 0, -1, NO_OUTCOME))
        kept = np.choose(1 - own, by_outcome)
        single = (kept == 1) & (unknown == 0)
        only = np.where((kept <= 1) & (unknown > 0), UNDECIDED, NONE).astype(np.int32)
        only[single] = self.steps[(signs == np.repeat(own, np.diff(self.begin))) & np.repeat(single, np.diff(self.begin))]
        return [np.where(unknown > 0, NONE, count).astype(np.int16) for count in by_outcome], only


slice_moves = lru_cache(maxsize=1 << 10)(MoveLister)
"""The moves of a stored material with one side to move, cached."""


def list_moves(moves: MoveLister, squares: Squares, codes: Codes, stored_codes: StoredCodes) -> ListedMoves:
    """List the moves of positions, given by the square of each slot, and their values in the coding `FULL`."""
    begin, steps, victims, destinations, numbers = moves.list(squares)
    worth = np.full(len(destinations), UNKNOWN, dtype=FULL.dtype)
    worth[destinations == ENDS] = FULL.code(Value(Outcome.WIN, 1))
    for number, (location, side) in enumerate(zip(moves.locations, moves.sides_to_move, strict=True)):
        reached = np.flatnonzero(destinations == number)
        # The values of moves without a table stay unknown.
        with suppress(MissingTableError):
            if side != moves.side and len(reached):
                its_codes = stored_codes.at(location.material, location.side, numbers[reached])
                worth[reached] = worth_of_move(stored_codes.store.table(stored_codes.game, location.material).coding)[its_codes]
    return ListedMoves(begin, steps.copy(), victims.copy(), destinations == ENDS, worth, codes)


@cache
def values_by_code(coding: Coding) -> tuple[NDArray[np.int8], Int16, Int16]:
    """Outcome (1, 0, -1), its place in `OUTCOMES`, and distance (-1 for a draw) of each code.

    The void code, or `UNKNOWN`, has `NO_OUTCOME`, and no place.
    """
    outcomes, distances = by_code(coding)
    signs = np.append(outcomes, np.int8(NO_OUTCOME))
    return signs, BY_SIGN.take(signs, mode="wrap"), np.append(distances, np.int16(-1))


@cache
def worth_of_move(coding: Coding) -> Codes:
    """For each code what a move to a position with that code is worth, in the coding `FULL`."""
    # A distance that has no code is as good as unknown.
    codes = [min(FULL.code(coding.value(code).reversed.later), FULL.void) for code in range(coding.void)]
    return np.array([*codes, 0], dtype=FULL.dtype)


@cache
def move_texts(game: Game) -> tuple[str, ...]:
    """All moves of a game as text, ascending."""
    names = game.board.names
    return tuple(sorted({names[step.origin] + names[step.target] for kind in game.kinds for step in kind.steps}))


@cache
def text_numbers(game: Game) -> Int32:
    """[s, t]: the place in `move_texts` of the move from square s to square t."""
    names, places = game.board.names, {text: place for place, text in enumerate(move_texts(game))}
    numbers = [[places.get(origin + target, -1) for target in names] for origin in names]
    return np.array(numbers, dtype=np.int32)
