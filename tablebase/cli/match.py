"""The command that lets players play each other: match."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules, chosen_start
from tablebase.commands.parameters import Format

GAMES = 100
DIGITS = {"rank": 0, "place": 2, "share": 3}
"""Columns that have intervals, and how many digits behind the point they show."""


def match(
    game: options.GameName,
    position: options.PositionText = None,
    begin: options.Start = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="A player, with its settings as in engine:level=3 or computer:depth=3,objective=lead, or uci:COMMAND; "
            "two, or more with chance or several players.",
        ),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=1_000_000, help="Games of each line-up of players.")
    ] = GAMES,
    opening: Annotated[
        int,
        typer.Option("--opening", metavar="N", min=0, max=100, help="Turns or plies of random moves that each game begins with."),
    ] = 4,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same games.")] = 1,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="Positions a move for uci:COMMAND; by default 10,000.")
    ] = None,
    time: Annotated[
        float | None, typer.Option("--time", metavar="S", min=0.001, help="Seconds a move for uci:COMMAND, instead of --nodes.")
    ] = None,
    patience: Annotated[
        float | None,
        typer.Option("--patience", metavar="S", min=0.1, help="Seconds after which uci:COMMAND has lost if it does not answer."),
    ] = None,
    plies: Annotated[
        int | None, typer.Option("--plies", metavar="N", min=1, help="Plies after which a game is a draw; by default 300.")
    ] = None,
    no_tables: Annotated[bool, typer.Option("--no-tables", help="Play on where tables know the result.")] = False,
    record: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write the games to a new file, which line --replay reads.")
    ] = None,
    players: options.Players = None,
    size: options.Size = None,
    variant: options.Variant = None,
    data: options.Data = options.DEFAULT_DATA,
    style: options.Style = Format.TABLE,
) -> None:
    """Run matches between built-in players and external engines."""
    from tablebase.commands.matches import match as play_match
    from tablebase.commands.output import write_rows

    rules = chosen_rules("match", game, size, variant, players)
    rows = play_match(
        rules,
        chosen_start(rules, position, begin),
        player=player or [],
        games=games,
        opening=opening,
        seed=seed,
        nodes=nodes,
        time=time,
        patience=patience,
        plies=plies,
        no_tables=no_tables,
        output=record,
        data=data,
    )
    if style is Format.TABLE:
        columns = [name for name in rows[0] if not name.endswith(("_from", "_to"))]
        shown = [name for name in DIGITS if f"{name}_from" in rows[0]]
        write_rows([{**row, **{name: _interval(row, name) for name in shown}} for row in rows], style, columns)
    else:
        write_rows(rows, style)


def _interval(row: dict[str, Any], name: str) -> str:
    """A number with its interval."""
    number, low, high = (f"{row[name + bound]:.{DIGITS[name]}f}" for bound in ("", "_from", "_to"))
    return f"{number} ({low} to {high})"
