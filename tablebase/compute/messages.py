"""Messages about what the program does; they are not part of any result."""

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
