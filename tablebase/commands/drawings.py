"""Positions of games of every kind, drawn for a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tablebase.commands.output import write_board

if TYPE_CHECKING:
    from tablebase.game.rules import Rules
    from tablebase.play.match import Match


def write_position(match: Match[Any]) -> None:
    """Draw the position of a match with its last move, or write its text where there is no drawing."""
    last = match.events[-1].text if match.events else None
    write_drawing(match.rules, match.position, last, over=match.ending() is not None)


def write_drawing(rules: Any, position: Any, last: str | None = None, *, over: bool = False) -> None:
    """Draw a position, on squares with the last move; write its text where there is no drawing."""
    if rules.board is not None:
        write_board(rules, position, last, over=over)
    else:
        sys.stdout.write(f"{rules.drawn(position) or rules.format(position)}\n")


def is_drawn(rules: Rules[Any]) -> bool:
    """Whether there is more to see than the text of a position."""
    return rules.board is not None or rules.drawn(rules.initial) is not None
