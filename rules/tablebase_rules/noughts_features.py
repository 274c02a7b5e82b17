"""Features of positions of noughts and crosses."""

from __future__ import annotations

from tablebase.features import feature


@feature()
def marks(positions: list[str]) -> list[int]:
    """Number of marks on the board."""
    return [position.count("x") + position.count("o") for position in positions]


@feature(kind="bool")
def centre(positions: list[str]) -> list[bool]:
    """True if the square in the middle is marked; on boards without such a square, the one behind the middle."""
    squares = [position.replace("/", "") for position in positions]
    return [each[len(each) // 2] != "." for each in squares]


FEATURES = (marks, centre)
