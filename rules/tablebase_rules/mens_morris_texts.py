"""Texts of men's morris, read by compiled code: many at a time."""

from __future__ import annotations

from typing import Any

from tablebase.game.ranks import bits
from tablebase_rules.kalah_texts import read_number
from tablebase_rules.mens_morris import MEN, POINTS, joined

WHITE, BLACK, EMPTY, SLASH, SPACE = map(ord, "wb./ ")


def read(rules: Any, text: Any) -> int:
    """Return the position; -1 for texts that `MensMorris.parse` refuses."""
    at = white = black = 0
    for point in range(rules[POINTS]):
        if text[at] == WHITE:
            white |= 1 << point
        elif text[at] == BLACK:
            black |= 1 << point
        elif text[at] != EMPTY:
            return -1
        at += 1
        if point % 8 == 7:
            if text[at] != (SLASH if point + 1 < rules[POINTS] else SPACE):
                return -1
            at += 1
    side, (left, end) = text[at], read_number(text, at + 2)
    placed = 2 * rules[MEN] - left
    if side not in (WHITE, BLACK) or text[at + 1] != SPACE or end != len(text):
        return -1
    if bits(white) > (placed + 1) // 2 or bits(black) > placed // 2 or (left > 0 and placed & 1 != int(side == BLACK)):
        return -1
    return joined(white, black, 0, placed) if side == WHITE else joined(black, white, 1, placed)
