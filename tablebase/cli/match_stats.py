"""The command that summarizes recorded games: match-stats."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tablebase.cli import options
from tablebase.commands.parameters import Format


class Covers(StrEnum):
    """Subjects of a line."""

    GAME = "game"
    SEAT = "seat"
    ENDING = "ending"
    CHANCE = "chance"
    SQUARE = "square"
    PIECE = "piece"


SPREADS = ("plies", "turns", "choices")
SHOWN = ["game", "games", "drawn", *SPREADS, "chance", "captures", "pieces_left"]
"""Columns of the table by game, where a mean has its standard deviation beside it."""
LEFT_OUT = ("game", "players")
"""Columns left out of a table if all its lines are of one game."""


def match_stats(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files that match --output has written.")],
    by: Annotated[Covers, typer.Option("--by", help="What one line covers.")] = Covers.GAME,
    with_opening: Annotated[
        bool, typer.Option("--with-opening", help="Count the random moves of openings, too, which are left out by default.")
    ] = False,
    curve: Annotated[
        Path | None,
        typer.Option(
            "--curve", metavar="FILE", help="Draw the points of each player over the games: FILE.png, FILE.svg or FILE.pdf."
        ),
    ] = None,
    rules: options.RulesFiles = None,
    style: options.Style = Format.TABLE,
) -> None:
    """Summarize recorded games: length, choices, results."""
    del rules
    from tablebase.commands.matches import match_stats as statistics
    from tablebase.commands.output import write_rows
    from tablebase.play.statistics import ROWS

    rows = statistics(files, by=by, with_opening=with_opening, curve=curve)
    columns = [one.name for one in fields(ROWS[by])]
    if style is Format.TABLE and by is Covers.GAME:
        rows, columns = [_shown(row) for row in rows], SHOWN
    elif style is Format.TABLE and len({row["game"] for row in rows}) == 1:
        columns = [name for name in columns if name not in LEFT_OUT]
    write_rows(rows, style, columns)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for the table by game."""
    from tablebase.commands.process import is_unicode
    from tablebase.compute.messages import Amount

    sign = "±" if is_unicode() else "+-"
    means = {name: f"{row[name]:.1f} {sign} {row[f'{name}_sd']:.1f}" for name in SPREADS if row[name] is not None}
    return {**row, **{name: Amount(mean) for name, mean in means.items()}}
