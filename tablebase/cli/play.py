"""The command that plays with people at a terminal: play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules, chosen_start, complete_player
from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablebase.game.rules import Rules

SEEDS = 1_000_000
"""Upper bound of randomly drawn seeds, which keeps them short to type."""


def play(
    game: options.GameName,
    position: options.PositionText = None,
    begin: options.Start = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="NAME",
            help="Who plays against you: tables, fuzzy, foxbox, ranking, exploit, matchboxes, learner, engine or random; with "
            "chance or several players: computer, tables, fuzzy or random. May be repeated: they are seated in order.",
            autocompletion=complete_player,
        ),
    ] = None,
    side: Annotated[
        list[str] | None,
        typer.Option(
            "--side",
            metavar="SIDE",
            help="Letter or number of the side you play; by default the one that moves first. Repeated, several people play.",
        ),
    ] = None,
    fuzz: Annotated[
        str | None,
        typer.Option("--fuzz", metavar="P", help="How freely the player chooses: 0 for best moves only, 1 for any move."),
    ] = None,
    boxes: Annotated[
        Path | None, typer.Option("--boxes", metavar="FILE", help="JSON file that keeps the boxes of the player matchboxes.")
    ] = None,
    level: Annotated[
        str | None, typer.Option("--level", metavar="N", help="How well the player engine plays, from 1 to 10; by default 5.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Seed of the player's choices, to repeat a game.")
    ] = None,
    players: options.Players = None,
    size: options.Size = None,
    variant: options.Variant = None,
    data: options.Data = options.DEFAULT_DATA,
) -> None:
    """Play in the terminal, against perfect or weakened play."""
    from random import SystemRandom

    from tablebase.compute.progress import compiling_said

    rules: Any = chosen_rules("play", game, size, variant, players)
    text = chosen_start(rules, position, begin)
    seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    given = {"fuzz": fuzz, "boxes": boxes, "level": level}
    settings = {name: value for name, value in given.items() if value is not None}
    # Bytes that are not text are escaped, and then refused like any unknown word.
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="backslashreplace")
    with compiling_said(f"play {rules.name}"):
        _play(rules, text, player or [], side or [], settings, seed, data)
    sys.stdout.write(f"the seed was {seed}: with --seed {seed} the same options and moves give the same game\n")


def _play(
    rules: Rules[Any], text: str, names: Sequence[str], letters: Sequence[str], settings: dict[str, Any], seed: int, folder: Path
) -> None:
    """Seat people and players, and play until the game is over or abandoned."""
    from contextlib import ExitStack

    from tablebase.cli.play_session import Session
    from tablebase.play.match import side_number
    from tablebase.play.player import Seat
    from tablebase.play.players import open_player

    start = rules.parse(text)
    rules.check(start)
    people = list(dict.fromkeys(side_number(rules, letter) for letter in letters)) or [rules.viewer(start)]
    others = [side for side in range(rules.players) if side not in people]
    chosen = _seated(rules, names, len(others))
    if settings and not others:
        raise TablebaseError(f"nobody plays against you: leave out --{next(iter(settings))}")
    with ExitStack() as stack:
        opened = {
            side: stack.enter_context(open_player(name, Seat(rules, start, side, folder), **settings))
            for side, name in zip(others, chosen, strict=True)
        }
        for name in chosen:
            _check_tables(name, rules, start, folder)
        Session(rules, start, people, opened, seed, folder).run()


def _seated(rules: Rules[Any], names: Sequence[str], seats: int) -> list[str]:
    """The names of the players for a number of seats: in order, and the last one has all further seats."""
    from tablebase.play.players import player_names

    if len(names) > seats:
        are, play = "1 player is" if len(names) == 1 else f"{len(names)} players are", "plays" if seats == 1 else "play"
        raise TablebaseError(f"{are} named, but only {seats} {play} against you: name fewer with --player")
    named = list(names) or list(player_names(rules)[:1])
    return [named[min(place, len(named) - 1)] for place in range(seats)]


def _check_tables(name: str, rules: Any, start: Any, folder: Path) -> None:
    """Name the first table that a player would miss in the game, before the first move."""
    from tablebase.building.plan import check_tables
    from tablebase.play.players import find_player

    if rules.board is not None and find_player(name).needs_tables:
        check_tables(rules, start, folder)
