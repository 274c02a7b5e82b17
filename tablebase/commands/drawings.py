"""Positions of games of every kind, drawn for a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tablebase.commands import lib
from tablebase.game.capabilities import part
from tablebase.system.compute.messages import say

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.game.rules import Rules
    from tablebase.svg.sheets import Sheet


def write_drawing(rules: Any, position: Any, last: str | None = None, *, over: bool = False) -> None:
    """Draw a position, on squares with the last move; write its text where there is no drawing."""
    part(rules, "terminal")(rules, position, last, over=over)


def write_text(rules: Any, position: Any, _last: str | None, **_: bool) -> None:
    """Write what the rules draw of a position, or its text."""
    sys.stdout.write(f"{rules.drawn(position) or rules.format(position)}\n")


def is_drawn(rules: Rules[Any]) -> bool:
    """Return whether there is more to see than the text of a position."""
    return rules.drawn(rules.initial) is not None


def check_sheet(rules: Rules[Any], path: Path, noun: str = "sheet", option: str = "--sheet") -> None:
    """Refuse a sheet, or a single picture, of a game without pictures, or a file that it cannot be written to."""
    lib.pictures.check_pictures(rules, f"leave out {option}")
    lib.printing.check_sheet(path, noun)


def write_sheet(sheet: Sheet, path: Path) -> None:
    """Write a sheet, and say which files it has become."""
    say(f"wrote {' '.join(map(str, sheet.write(path)))}")
