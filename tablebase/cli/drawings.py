"""Positions of games of every kind, drawn for a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tablebase.cli.output import legend, write_board
from tablebase.probe.answers import drawable

if TYPE_CHECKING:
    from tablebase.game.rules import Rules
    from tablebase.play.match import Match


def write_position(match: Match[Any]) -> None:
    """Draw the position of a match: the board with the last move, or one line of text where there is no board."""
    if match.rules.board is None:
        sys.stdout.write(f"{match.rules.format(match.position)}\n")
        return
    last = match.events[-1].text if match.events else None
    write_board(drawable(match.rules), match.position, last, over=match.ending() is not None)


def legend_of(rules: Rules[Any]) -> str:
    """What the symbols of empty squares stand for; empty if there is nothing to explain."""
    return "" if rules.board is None else legend(drawable(rules))
