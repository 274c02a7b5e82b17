"""The transposition table: what the search has found out about positions, by their keys.

An entry takes 16 bytes: the key, combined with the data by exclusive or, and the data, which are packed into one word: move,
depth, bound, generation and score. Threads share the table without locks; an entry that two of them write at once has a key
that fits no position, and is not found. Entries are kept in buckets of four. A new entry replaces that of the same position,
else the one of an earlier search, else the one of the least depth.

Scores are wins and losses by their distance from the root, or in an entry from its position; everything else is in hundredths of a
piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tablebase.errors import ArgumentError, CapacityError
from tablebase.positions.rule_arrays import Int64, RuleArrays
from tablebase.system.compute import machine
from tablebase.system.compute.jit import inline
from tablebase.tables import values
from tablebase.tables.values import FIRST, FULL

distance_of = inline(values.distance_of)
is_win = inline(values.is_win)

BUCKET = 4
ENTRY_BYTES = 16
EXACT, LOWER, UPPER = 1, 2, 3
"""Kind of score: the value, at most the value, or at least the value."""
DEPTH_BITS, BOUND_BITS, GENERATION_BITS, MOVE_BITS, SCORE_BITS = 8, 2, 8, 16, 22
DEPTH_AT = MOVE_BITS
BOUND_AT = DEPTH_AT + DEPTH_BITS
GENERATION_AT = BOUND_AT + BOUND_BITS
SCORE_AT = GENERATION_AT + GENERATION_BITS
SCORE_ZERO = 1 << (SCORE_BITS - 1)
GENERATIONS = 1 << GENERATION_BITS
MOST_STEPS = (1 << MOVE_BITS) - 1
"""Steps that an entry has numbers for."""
NO_MOVE = MOST_STEPS
"""The move of an entry that has none; no step has this number."""
INFINITY = 1_500_000
WIN = 1_000_000
"""The score of a win in 0; a win in d plies scores d less."""
DECIDED = 900_000
"""Scores beyond this one are wins and losses, and the others hundredths of a piece."""
REPEATER_LOSES = DECIDED - 1
"""The score against a side that has repeated a position, if that loses; not a win, since the search stops at the second time."""
_STRIDE = FULL.stride


def new_table(size: int) -> Int64:
    """An empty table, the largest with a power of two of buckets that fits into this many bytes, shape (entries, 2)."""
    buckets = size // (BUCKET * ENTRY_BYTES)
    if buckets < 1:
        raise ArgumentError(f"a transposition table needs at least {BUCKET * ENTRY_BYTES} bytes, not {size}")
    if size > machine.memory():
        raise CapacityError("the transposition table", "choose a smaller size", needed=size, allowed=machine.memory())
    return np.zeros(((1 << buckets.bit_length() - 1) * BUCKET, 2), dtype=np.int64)


@inline
def pack(move: int, depth: int, bound: int, generation: int, score: int) -> Any:
    """The data of an entry as one word."""
    return (
        np.int64(move)
        | np.int64(depth) << DEPTH_AT
        | np.int64(bound) << BOUND_AT
        | np.int64(generation) << GENERATION_AT
        | np.int64(score + SCORE_ZERO) << SCORE_AT
    )


@inline
def move_of(data: int) -> Any:
    """The move of an entry, or `NO_MOVE`."""
    return data & NO_MOVE


@inline
def depth_of(data: int) -> Any:
    """The depth to which the position was searched."""
    return data >> DEPTH_AT & ((1 << DEPTH_BITS) - 1)


@inline
def bound_of(data: int) -> Any:
    """Which bound the score is."""
    return data >> BOUND_AT & ((1 << BOUND_BITS) - 1)


@inline
def score_of(data: int) -> Any:
    """The score, seen from the side to move, distances counted from this position."""
    return (data >> SCORE_AT) - SCORE_ZERO


@inline
def _bucket(table: Int64, key: int) -> Any:
    return (key & (len(table) // BUCKET - 1)) * BUCKET


@inline
def find(table: Int64, key: int) -> Any:
    """The data of a position, 0 if there are none."""
    first = _bucket(table, key)
    for place in range(first, first + BUCKET):
        data = table[place, 1]
        if table[place, 0] ^ data == key and data != 0:
            return data
    return np.int64(0)


@inline
def store(table: Int64, key: int, data: int) -> None:
    """Store the data of a position, in place of the entry that is worth least."""
    first = _bucket(table, key)
    chosen, least = first, np.int64(1) << 60
    generation = data >> GENERATION_AT & (GENERATIONS - 1)
    for place in range(first, first + BUCKET):
        there = table[place, 1]
        if table[place, 0] ^ there == key:
            chosen = place
            break
        current = np.int64((there >> GENERATION_AT & (GENERATIONS - 1)) == generation and there != 0)
        worth = current << DEPTH_BITS | depth_of(there)
        if worth < least:
            chosen, least = place, worth
    table[chosen, 1] = data
    table[chosen, 0] = key ^ data


@inline
def code_score(code: int, ply: int) -> Any:
    """The score of a table's code in the coding `FULL`, seen from the root."""
    if code < FIRST:
        return np.int64(0)
    distance = distance_of(code, _STRIDE)
    return WIN - ply - distance if is_win(code, _STRIDE) else ply + distance - WIN


@inline
def no_move_score(rules: RuleArrays, ply: int) -> Any:
    """The score of a position without a legal move."""
    return ply - WIN if rules.no_move_loses else np.int64(0)


@inline
def from_root(score: int, ply: int) -> Any:
    """A score of the transposition table, distances counted from the root."""
    if score > DECIDED:
        return score - ply
    return score + ply if score < -DECIDED else score


@inline
def from_node(score: int, ply: int) -> Any:
    """The inverse of `from_root`."""
    if score > DECIDED:
        return score + ply
    return score - ply if score < -DECIDED else score
