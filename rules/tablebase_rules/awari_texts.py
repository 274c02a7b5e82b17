"""Texts of Awari, read by compiled code: many at a time."""

from __future__ import annotations

from typing import Any

from tablebase_rules.awari import CAPTURED, PITS, SIDE, STONES, WIDTH
from tablebase_rules.kalah_texts import NORTH, SOUTH, rows


def read(rules: Any, text: Any) -> int:
    """Return the position; -1 for texts that `Awari.parse` refuses."""
    south, north, mover = rows(text, WIDTH, rules[PITS] + 1, rules[STONES])
    if mover not in (SOUTH, NORTH):
        return -1
    store = rules[PITS] * WIDTH
    own, other = (north, south) if mover == NORTH else (south, north)
    board = own & (1 << store) - 1 | (other & (1 << store) - 1) << store
    return board | own >> store << CAPTURED | int(mover == NORTH) << SIDE  # type: ignore[no-any-return]
