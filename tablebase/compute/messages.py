"""Messages about what the program does, which are no part of any result, and numbers with their units."""

from __future__ import annotations

import sys
from collections.abc import Sequence

LISTED = 10
"""Names that a sentence lists."""


def say(sentence: str) -> None:
    """Write a status message to standard error."""
    sys.stderr.write(sentence + "\n")


def listed(names: Sequence[str]) -> str:
    """The first of many names, and how many more there are."""
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"


def in_bytes(number: float) -> str:
    """A number of bytes with its unit."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:,.0f} {unit}" if number >= 10 or unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:,.1f} TiB"


def in_time(seconds: float) -> str:
    """A duration in the two largest units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next(place for place, (number, _) in enumerate(parts) if number)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number)


def count_plies(number: int) -> str:
    """A number of plies with its unit."""
    return "1 ply" if number == 1 else f"{number:,} plies"
