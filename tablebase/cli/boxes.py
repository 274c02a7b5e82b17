"""The command that lists and prints matchboxes: boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import Paper, chosen_rules, chosen_start
from tablebase.commands.parameters import Format


def boxes(
    game: options.GameName,
    position: options.PositionText = None,
    start: options.Start = None,
    side: Annotated[
        str | None, typer.Option("--side", metavar="w", help="The side that has the boxes; by default the one that does not begin.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--boxes", metavar="FILE", help="File with the boxes of the player matchboxes; by default they are full."),
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Also draw labels to print and cut out: FILE.pdf, FILE.svg or FILE.png."),
    ] = None,
    page: options.Page = Paper.A4,
    size: options.Size = None,
    variant: options.Variant = None,
    style: options.Style = Format.TABLE,
) -> None:
    """List the matchboxes of a side with their beads. Needs no tables."""
    from tablebase.commands.boxes import boxes as find_boxes
    from tablebase.commands.output import say, write_rows
    from tablebase.svg.printing import check_sheet

    rules = chosen_rules("boxes", game, size, variant)
    if sheet is not None:
        check_sheet(sheet)
    found = find_boxes(rules, chosen_start(rules, position, start), side=side, boxes=file)
    if sheet is not None:
        say(f"wrote {' '.join(map(str, found.sheet(page).write(sheet)))}")
    write_rows(found, style)
