"""The command that summarizes recorded games: match-stats."""

from __future__ import annotations

from dataclasses import asdict, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import Format
from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablebase.play.statistics import Statistics


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
    style: options.Style = Format.TABLE,
) -> None:
    """Summarize recorded games: length, moves to choose from, results."""
    from tablebase.cli.output import write_rows
    from tablebase.play.statistics import ROWS

    found = _read(files, with_opening)
    rows = [asdict(row) for row in found.rows(by)]
    if not rows:
        raise TablebaseError(f"none of these games has rows by {by}: choose another --by, such as {Covers.GAME}")
    columns = [one.name for one in fields(ROWS[by])]
    if style is Format.TABLE and by is Covers.GAME:
        rows, columns = [_shown(row) for row in rows], SHOWN
    elif style is Format.TABLE and len(found.of_games) == 1:
        columns = [name for name in columns if name not in LEFT_OUT]
    write_rows(rows, style, columns)


def _read(files: Sequence[Path], with_opening: bool) -> Statistics:
    """Collect the statistics of all games of some files."""
    from tablebase.compute.progress import progress
    from tablebase.play.records import records_in
    from tablebase.play.statistics import Statistics

    found = Statistics(with_opening=with_opening)
    with progress("match-stats", "games") as shown:
        for path in files:
            for record in records_in(path):
                try:
                    found.add(record)
                except TablebaseError as fault:
                    raise TablebaseError(f"{path}: {fault}") from fault
                shown.update()
    if not found.of_games:
        raise TablebaseError(f"there are no games in {', '.join(map(str, files))}: name files that match --output has written")
    return found


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row for the table by game."""
    from tablebase.cli.process import is_unicode
    from tablebase.compute.messages import Amount

    sign = "±" if is_unicode() else "+-"
    means = {name: f"{row[name]:.1f} {sign} {row[f'{name}_sd']:.1f}" for name in SPREADS if row[name] is not None}
    return {**row, **{name: Amount(mean) for name, mean in means.items()}}
