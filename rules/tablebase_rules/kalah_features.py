"""Features of positions of Kalah."""

from __future__ import annotations

from typing import Any

from tablebase.features import feature


@feature()
def lead(positions: Any) -> list[int]:
    """Seeds in the store of the player to move less those in the other store; in a finished game, those of South less North's."""
    pairs = [(positions.game.rows(position), position & 1) for position in positions]
    return [(rows[1][-1] - rows[0][-1]) * (1 if side and any(rows[0][:-1]) else -1) for rows, side in pairs]


@feature()
def in_play(positions: Any) -> list[int]:
    """Number of seeds that are not in a store."""
    return [sum(sum(row[:-1]) for row in positions.game.rows(position)) for position in positions]


FEATURES = (lead, in_play)
