"""The command that lets players play each other: match."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import Format, chosen_rules, chosen_start

GAMES = 100


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
    sprt: Annotated[
        str | None,
        typer.Option("--sprt", metavar="E0,E1", help="Stop as soon as one of two differences in Elo points is likely enough."),
    ] = None,
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
    from tablebase.cli import match_pairs
    from tablebase.cli.output import say, write_rows
    from tablebase.compute.progress import progress
    from tablebase.game import Game
    from tablebase.play.records import record_of
    from tablebase.play.tournament import line_ups, standings, tournament

    rules = chosen_rules(game, size, variant, players)
    text, names = chosen_start(rules, position, begin), player or []
    if isinstance(rules, Game):
        limits = match_pairs.Limits(nodes, time, patience, plies, no_tables)
        match_pairs.play(rules, text, names, games, opening, seed, limits, sprt, record, data, style)
        return
    from tablebase.game.game_arguments import refuse_given

    refuse_given(rules, nodes=nodes, time=time, patience=patience, plies=plies, no_tables=no_tables or None, sprt=sprt)
    start = rules.parse(text)
    played = []
    total = games * len(line_ups(len(names), rules.players)) if names else None
    with ExitStack() as stack:
        keep = match_pairs.recorder(record, stack)
        shown = stack.enter_context(progress(f"match {rules.name}", "games", total, compiles=True))
        for one in tournament(rules, names, games, seed, start, opening, data):
            played.append(one)
            seated = [names[contestant] for contestant in one.fixture.seats]
            begun = rules.parse(one.start)
            keep(record_of(rules, one.fixture.number + 1, seated, begun, one.events, one.places, one.why))
            shown.update()
    if record is not None:
        say(f"wrote {len(played)} games to {record}")
    rows = standings(names, played)
    if style is Format.TABLE:
        rows = [{**row, "elo": match_pairs.interval(row, "elo"), "share": match_pairs.interval(row, "share")} for row in rows]
        write_rows(rows, style, ["player", "games", "wins", "place", "share", "elo", "broken_off"])
    else:
        write_rows(rows, style)
