"""Texts of Kalah, read by compiled code: many at a time."""

from __future__ import annotations

from typing import Any

from tablebase_rules.kalah import PITS, SEEDS, WIDTH, packed

ZERO, NINE, COMMA, SPACE, SOUTH, NORTH, NOBODY = map(ord, "09, sn-")


def read_number(text: Any, at: int) -> tuple[int, int]:
    """Return the number that begins at an index, and the index behind it.

    That index is behind the end of the text if no number begins there, or one with leading zeros or more than nine digits.
    """
    number, end = 0, at
    while end < len(text) and ZERO <= text[end] <= NINE:
        number, end = 10 * number + text[end] - ZERO, end + 1
    is_number = at < end < at + 10 and (text[at] != ZERO or end == at + 1)
    return number, end if is_number else len(text) + 1


def read_numbers(text: Any, at: int, width: int, count: int) -> tuple[int, int, int]:
    """Return numbers with commas between them as fields of a word, their sum, and the index behind them, as of `read_number`."""
    word, total, end = 0, 0, at - 1
    for place in range(count):
        is_next = place == 0 or (end < len(text) and text[end] == COMMA)
        number, end = read_number(text, end + 1 if is_next else len(text))
        word, total = word + (number << place * width), total + number
    return word, total, end


def rows(text: Any, width: int, count: int, seeds: int) -> tuple[int, int, int]:
    """Return the rows of South and North, each with the store as the last of its fields, and who is to move; -1 for other texts."""
    south, first, at = read_numbers(text, 0, width, count)
    north, second, end = read_numbers(text, at + 1, width, count)
    is_right = text[at] == SPACE and text[end] == SPACE and len(text) == end + 2 and first + second == seeds
    return south, north, text[end + 1] if is_right else -1


def read(rules: Any, text: Any) -> int:
    """Return the position; -1 for texts that `Kalah.parse` refuses."""
    south, north, mover = rows(text, rules[WIDTH], rules[PITS] + 1, rules[SEEDS])
    store = rules[PITS] * rules[WIDTH]
    row, is_over = (1 << store) - 1, mover == NOBODY
    if mover not in (SOUTH, NORTH, NOBODY) or (south & row == 0) != is_over or (north & row == 0) != is_over:
        return -1
    own, other = (north, south) if mover == NORTH else (south, north)
    return packed(rules, own & row, other & row, own >> store, int(mover == NORTH))
