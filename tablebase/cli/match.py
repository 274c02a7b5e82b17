"""The command that lets players play each other: match."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tablebase.cli.options import (
    DEFAULT_DATA,
    Data,
    Format,
    GameName,
    Players,
    PositionText,
    Size,
    Start,
    Style,
    Variant,
    chosen_rules,
    chosen_start,
)
from tablebase.errors import RulesError

GAMES = 100


def match(
    game: GameName,
    position: PositionText = None,
    begin: Start = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="A player, with its settings as in computer:depth=3,objective=lead; two or more.",
        ),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=1_000_000, help="Games of each line-up of players.")
    ] = GAMES,
    opening: Annotated[
        int, typer.Option("--opening", metavar="N", min=0, max=100, help="Turns of random moves that each game begins with.")
    ] = 4,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same games.")] = 1,
    players: Players = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = DEFAULT_DATA,
    style: Style = Format.TABLE,
) -> None:
    """Let players play each other, and rank them."""
    from tablebase.cli.output import write_rows
    from tablebase.cli.progress import progress
    from tablebase.game import Game
    from tablebase.play.tournament import line_ups, standings, tournament

    rules = chosen_rules(game, size, variant, players)
    if isinstance(rules, Game):
        raise RulesError(f"matches are played in games of chance or of several players, and {rules.name} is none of them")
    start = rules.parse(chosen_start(rules, position, begin))
    names = player or []
    played = []
    total = games * len(line_ups(len(names), rules.players)) if names else None
    with progress(f"match {rules.name}", "games", total, compiles=True) as shown:
        for one in tournament(rules, names, games, seed, start, opening, data):
            played.append(one)
            shown.update()
    rows = standings(names, played)
    if style is Format.TABLE:
        rows = [{**row, "elo": _interval(row, "elo"), "share": _interval(row, "share")} for row in rows]
        write_rows(rows, style, ["player", "games", "wins", "place", "share", "elo", "broken_off"])
    else:
        write_rows(rows, style)


def _interval(row: dict[str, Any], name: str) -> str:
    """A number with its interval; one that is infinite as such."""
    digits = 3 if name == "share" else 0
    shown = []
    for bound in ("", "_from", "_to"):
        value, infinite = row[name + bound], "inf" if row["share" + bound] else "-inf"
        shown.append(infinite if value is None else f"{value:.{digits}f}")
    return f"{shown[0]} ({shown[1]} to {shown[2]})"


COMMANDS = (match,)
