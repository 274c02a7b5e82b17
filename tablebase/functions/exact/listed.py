"""All positions that can come up in a game by functions, with the moves between them as flat arrays."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CapacityError
from tablebase.game.functions import FunctionGame
from tablebase.game.guards import contradiction
from tablebase.game.rules import OVER, Ending
from tablebase.game.symmetry import has_symmetries
from tablebase.system.compute import machine

P = TypeVar("P")
DRAWN, OPEN = -1, -2
"""Instead of the player who wins: nobody does, or it is not known."""
PLACES = ((1, 2), (2, 1), (1, 1))
"""Endings of a game of two players."""
MOST_POSITIONS = 20_000_000
BYTES_BESIDE = 1 << 27
"""The program itself."""
BYTES_A_POSITION = 200
"""In lists and dictionaries, without the object that is the position."""
BYTES_A_MOVE = 24
TICK = 1 << 12
"""Positions between two reports."""
REMEMBERED = 1 << 16
"""Positions whose canonical ones are kept."""


@dataclass(frozen=True)
class Listed(Generic[P]):
    """The positions of a game; those that are alike are one."""

    positions: list[P]
    movers: NDArray[np.int8]  # who moves; `OVER` where the game is over
    winners: NDArray[np.int8]  # where the game is over: the winner or `DRAWN`; `OPEN` elsewhere
    counts: NDArray[np.int32]  # of different positions that the moves of each position lead to
    after: NDArray[np.int32]  # these positions, one after the other
    memory: int  # bytes that it takes to solve and to check them


def list_positions(rules: FunctionGame[P], allowed: int, tick: Callable[[int], object] = lambda _: None) -> Listed[P]:
    """List what can be reached from the start; `tick` is called now and then with the number of positions found.

    Raises
    ------
    CapacityError
        If there are more than `MOST_POSITIONS`, or they need more than `allowed` bytes of memory.
    RulesError
        If a function of the rules fails, or says what cannot be.
    """
    # Many moves lead to the same position.
    canonical = lru_cache(REMEMBERED)(rules.canonical) if has_symmetries(rules) else None
    first = rules.canonical(rules.initial)
    positions, numbers = [first], {first: 0}
    movers, winners, counts, after = array("b"), array("b"), array("i"), array("i")
    bytes_each = sampled = 0
    for place, position in enumerate(positions):
        if place % TICK == 0:
            sampled += 1
            bytes_each += size_of(position)
            check_size(rules, len(positions), _memory(len(positions), len(after), bytes_each // sampled), allowed)
            tick(len(positions))
        ending = rules.result(position)
        if ending is not None:
            winners.append(winner_of(rules, position, ending))
            counts.append(0)
            movers.append(OVER)
            continue
        moves = rules.moves(position).values()
        reached = set(moves) if canonical is None else set(map(canonical, moves))
        for child in reached:
            number = numbers.setdefault(child, len(positions))
            if number == len(positions):
                positions.append(child)
            after.append(number)
        counts.append(len(reached))
        winners.append(OPEN)
        movers.append(mover_of(rules, position, reached))
    memory = _memory(len(positions), len(after), bytes_each // sampled)
    check_size(rules, len(positions), memory, allowed)
    return Listed(
        positions,
        np.frombuffer(movers, np.int8),
        np.frombuffer(winners, np.int8),
        np.frombuffer(counts, np.int32),
        np.frombuffer(after, np.int32),
        memory,
    )


def winner_of(rules: FunctionGame[P], position: P, ending: Ending) -> int:
    """The player who is first alone, or `DRAWN`; `RulesError` unless there are places for two players, and none is to move."""
    if ending.places not in PLACES:
        raise contradiction(rules, position, f"the places of the two players are {ending.places}, but must be one of {PLACES}")
    if (mover := rules.to_move(position)) != OVER:
        raise contradiction(rules, position, f"result is {ending.why!r}, but to_move is {mover}, not OVER")
    return DRAWN if ending.winner is None else ending.winner


def mover_of(rules: FunctionGame[P], position: P, moves: set[P]) -> int:
    """Return who moves where the game goes on; `RulesError` if nobody does, or nobody can."""
    mover = rules.to_move(position)
    if mover == OVER:
        raise contradiction(rules, position, "to_move is OVER, but result is None")
    if mover not in range(rules.players):
        raise contradiction(rules, position, f"to_move is {mover}, but players have the numbers 0 and 1")
    if not moves:
        raise contradiction(rules, position, "result is None, but no player has a move")
    return mover


def size_of(position: Any) -> int:
    """Bytes of a position."""
    # Numbers and words in it are mostly those of other positions, too.
    inside = [one for one in position if isinstance(one, (tuple, frozenset))] if isinstance(position, (tuple, frozenset)) else ()
    return sys.getsizeof(position) + sum(map(size_of, inside))


def _memory(positions: int, moves: int, bytes_each: int) -> int:
    return BYTES_BESIDE + positions * (BYTES_A_POSITION + bytes_each) + moves * BYTES_A_MOVE


def check_size(rules: FunctionGame[Any], positions: int, memory: int, allowed: int) -> None:
    """Raise `CapacityError` for too many positions."""
    subject, hint = f"the table of {rules.name}", "choose a smaller variant"
    if positions > MOST_POSITIONS:
        raise CapacityError(subject, hint, allowed=MOST_POSITIONS, unit="positions")
    if memory > allowed:
        hint += ", or a larger --memory" if allowed < machine.memory() else ""
        raise CapacityError(subject, hint, allowed=allowed)
