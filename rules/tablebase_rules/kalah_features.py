"""Features of positions of Kalah."""

from __future__ import annotations

from tablebase.features import feature
from tablebase_rules.kalah import Position


@feature()
def lead(positions: list[Position]) -> list[int]:
    """Seeds in the store of the player to move less those in the other store; in a finished game, those of South less North's."""
    return [rows[mover][-1] - rows[1 - mover][-1] if mover >= 0 else rows[0][-1] - rows[1][-1] for rows, mover in positions]


@feature()
def in_play(positions: list[Position]) -> list[int]:
    """Number of seeds that are not in a store."""
    return [sum(sum(row[:-1]) for row in rows) for rows, _ in positions]


FEATURES = (lead, in_play)
