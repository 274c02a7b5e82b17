"""The command that trains a learner: train."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules
from tablebase.commands.parameters import Format


def train(
    game: options.GameName,
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="File of the learner; if it exists, the training goes on from there.")
    ],
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="Total number of games, with earlier ones.")] = 20_000,
    duration: options.Duration = None,
    every: Annotated[int, typer.Option("--every", metavar="N", min=1, help="Measure and save it after every N games.")] = 1_000,
    order: Annotated[
        int | None,
        typer.Option("--order", metavar="N", help="Pieces of the largest groups that have weights, 1 to 5; by default 4."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="P", help="Share of an error that one step corrects; by default 0.5.")
    ] = None,
    exploration: Annotated[
        float | None, typer.Option("--exploration", metavar="P", help="Probability of a random move in training; by default 0.1.")
    ] = None,
    trace: Annotated[
        float | None,
        typer.Option("--trace", metavar="P", help="How much the rest of a game counts beside the next position; by default 0.5."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same games; by default 1.")
    ] = None,
    curve: Annotated[
        Path | None, typer.Option("--curve", metavar="FILE", help="Picture to draw of the learning curve: FILE.png, .svg or .pdf.")
    ] = None,
    size: options.Size = None,
    variant: options.Variant = None,
    data: options.Data = options.DEFAULT_DATA,
    style: options.Style = Format.TABLE,
) -> None:
    """Train a player by self-play, and measure it with the tables."""
    from dataclasses import fields

    from tablebase.commands.output import write_rows
    from tablebase.commands.training import train as trained
    from tablebase.play.learning.self_play import Measure

    rules = chosen_rules("train", game, size, variant)
    rows = trained(
        rules,
        output=output,
        games=games,
        duration=duration,
        every=every,
        order=order,
        rate=rate,
        exploration=exploration,
        trace=trace,
        seed=seed,
        curve=curve,
        data=data,
    )
    write_rows(rows, style, [one.name for one in fields(Measure)])
