"""Texts of Connect Four, read by compiled code: many at a time."""

from __future__ import annotations

from typing import Any

from tablebase.game.ranks import bits
from tablebase_rules.connect4 import BOTTOM, FILES, RANKS

CROSS, NOUGHT, EMPTY, SLASH = map(ord, "xo./")


def read(rules: Any, text: Any) -> int:
    """Return the position; -1 for texts that `ConnectFour.parse` refuses."""
    at = crosses = noughts = 0
    for rank in range(rules[RANKS] - 1, -1, -1):
        for file in range(rules[FILES]):
            cell = 1 << file * (rules[RANKS] + 1) + rank
            if text[at] == CROSS:
                crosses |= cell
            elif text[at] == NOUGHT:
                noughts |= cell
            elif text[at] != EMPTY:
                return -1
            at += 1
        if rank > 0 and text[at] != SLASH:
            return -1
        at += 1
    every, ahead = crosses | noughts, bits(crosses) - bits(noughts)
    # Each disc is on the bottom, or on another one.
    if at != len(text) + 1 or every & ~(every << 1 | rules[BOTTOM]) or ahead < 0 or ahead > 1:
        return -1
    return every + rules[BOTTOM] + (noughts if ahead else crosses)  # type: ignore[no-any-return]
