"""A pursuit as arrays, and the helpers that its kernels share."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.positions.pursuit import NOWHERE, Pursuit
from tablebase.positions.slice_arrays import Bool, Int8, Int64
from tablebase.system.compute.jit import inline

GRAIN = 256
"""The fewest rows worth a separate task."""
Words = NDArray[np.uint64]


class PursuitArrays(NamedTuple):
    """A pursuit as kernels read it; S squares, at most N steps, K pursuers, W words for a set of squares."""

    pursuers: int  # K
    length: int  # squares of a row
    squares: Int8  # (pursuer places,) squares of the pursuers by place
    places: Int64  # (S,) place of each square, NOWHERE where no pursuer can stand
    level: Int64  # (pursuer places,)
    ways: Int64  # (K + 1, pursuer places + 1, advances) the array W of `tablebase.positions.combinadics`
    advance: int
    steps: Int8  # (S, N) targets of a pursuer's steps
    runner_steps: Int8  # (length, N) from place to place in a row
    row_place: Int64  # (S,) place of each square in a row, NOWHERE where the runner cannot stand
    guards: Words  # (S, W) the places in a row that a pursuer guards, as bits
    near: Words  # (length, W) the places one step away, as bits
    room: bool  # whether an escape needs a second unguarded square
    counts: Bool  # (2,) whether an escape counts with the runner to move, and with the pursuers to move


@cache
def compile_pursuit(pursuit: Pursuit) -> PursuitArrays:
    """A pursuit as arrays, which are read-only; cached."""
    group, game = pursuit.layout.groups[0], pursuit.layout.game
    home = list(pursuit.runner.squares)
    row_place = pursuit.runner_places
    targets = pursuit.runner_targets[home]
    steps = np.where(targets == NOWHERE, NOWHERE, row_place[targets]).astype(np.int8)
    near = np.zeros((pursuit.length, len(game.board)), dtype=bool)
    for place, reached in enumerate(targets):
        near[place, reached[reached != NOWHERE]] = True
    return PursuitArrays(
        pursuers=len(group.slots),
        length=pursuit.length,
        squares=np.array(group.squares, dtype=np.int8),
        places=np.array([group.places.get(square, NOWHERE) for square in range(len(game.board))], dtype=np.int64),
        level=np.array(group.combinations.levels, dtype=np.int64),
        ways=group.combinations.ways,
        advance=group.combinations.advance,
        steps=pursuit.pursuer_targets,
        runner_steps=steps,
        row_place=row_place,
        guards=flag_words(pursuit.guards[:, home]),
        near=flag_words(near[:, home]),
        room=pursuit.needs_room,
        counts=np.array([pursuit.escape_counts(kind.side) for kind in (pursuit.runner, pursuit.pursuer)]),
    )


def flag_words(flags: Bool) -> Words:
    """Each row of a matrix of flags as bits of words, shape (rows, words)."""
    words = -(-flags.shape[1] // 64)
    padded = np.zeros((len(flags), 64 * words), dtype=np.uint64)
    padded[:, : flags.shape[1]] = flags
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    packed: Words = (padded.reshape(len(flags), words, 64) * bits).sum(axis=2, dtype=np.uint64)
    return packed


@inline
def unrank(
    number: int, count: int, squares: Int8, level: Int64, ways: Int64, advance: int, pursuer_squares: Int8, pursuer_places: Int64
) -> None:
    """Write the squares and places of the pursuers of a row, ascending by place, to the last two arrays."""
    place, left = len(squares), advance
    for j in range(count, 0, -1):
        while ways[j, place, left] > number:
            place -= 1
        number -= ways[j, place, left]
        left -= level[place]
        pursuer_places[j - 1] = place
        pursuer_squares[j - 1] = squares[place]


@inline
def rank_after(places: Int64, mover: int, target: int, count: int, level: Int64, ways: Int64, advance: int) -> Any:
    """Number of the row reached when a pursuer moves to another place, in a tier of that advance."""
    number, left, done = np.int64(0), advance, False
    rest = count - 1
    for j in range(count, 0, -1):
        if rest == mover:
            rest -= 1
        if not done and (rest < 0 or places[rest] < target):
            place = np.int64(target)
            done = True
        else:
            place = places[rest]
            rest -= 1
        number += ways[j, place, left]
        left -= level[place]
    return number


@inline
def stands(places: Int64, count: int, place: int) -> bool:
    """Return whether a pursuer stands on a place."""
    for i in range(count):
        if places[i] == place:
            return True
    return False


@inline
def mark_escapes(
    guards: Words, near: Words, room: bool, squares: Int8, count: int, length: int, open_words: Words, escaped: Bool
) -> bool:
    """Mark in `escaped` where in a row the runner has escaped; if nowhere, return False and leave `escaped` unchanged."""
    words = guards.shape[1]
    any_open = False
    for w in range(words):
        guarded = np.uint64(0)
        for i in range(count):
            guarded |= guards[squares[i], w]
        open_words[w] = ~guarded
        any_open = any_open or (w < words - 1 and guarded != ~np.uint64(0))
    spare = np.uint64(64 * words - length)
    any_open = any_open or (open_words[words - 1] << spare) != np.uint64(0)
    if not any_open:
        return False
    for place in range(length):
        escaped[place] = (open_words[place >> 6] >> np.uint64(place & 63)) & np.uint64(1) != np.uint64(0)
        if escaped[place] and room:
            beside = np.uint64(0)
            for w in range(words):
                beside |= near[place, w] & open_words[w]
            escaped[place] = beside != np.uint64(0)
    return True
