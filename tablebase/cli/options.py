"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from tablebase.commands.calls import chosen_rules as chosen_rules
from tablebase.commands.calls import chosen_start as chosen_start
from tablebase.commands.calls import from_input as from_input
from tablebase.commands.calls import use_all
from tablebase.commands.parameters import CHECK_FAILED as CHECK_FAILED
from tablebase.commands.parameters import Format, complete_game
from tablebase.commands.parameters import complete_player as complete_player
from tablebase.errors import ArgumentError, TablebaseError
from tablebase.game.plain_arguments import parse_duration, parse_pieces

Parsed = TypeVar("Parsed")


class Paper(StrEnum):
    """What a sheet is printed on."""

    A4 = "a4"
    LETTER = "letter"


def parser_of(parse: Callable[[str], Parsed]) -> Callable[[str], Parsed]:
    """The same function for an option: typer would wrap the sentence of a `ValueError` in one of its own."""

    @wraps(parse)
    def parsed(text: str) -> Parsed:
        try:
            return parse(text)
        except ArgumentError as fault:
            raise TablebaseError(str(fault)) from fault

    return parsed


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="Name of the game ('tablebase games' lists them), or its rules file.", autocompletion=complete_game
    ),
]
RulesFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--rules", metavar="FILE", callback=lambda files: use_all(files), help="Python file with a game; may be repeated."
    ),
]
PositionText = Annotated[
    str | None,
    typer.Argument(metavar="POSITION", help="As the game writes it, such as 'ppp/3/PPP w'; by default the start of the game."),
]
Start = Annotated[str | None, typer.Option("--from", metavar="POSITION", help="The same as the argument POSITION.")]
Size = Annotated[str | None, typer.Option("--size", metavar="8x8", help="Board size in files and ranks, if the game has several.")]
Variant = Annotated[
    list[str] | None,
    typer.Option("--variant", metavar="NAME=VALUE", help="Rule variant, as 'tablebase games' lists it; repeatable."),
]
Players = Annotated[int | None, typer.Option("--players", metavar="N", help="Number of players; short for --variant players=N.")]
Data = Annotated[Path, typer.Option("--data", metavar="DIR", envvar="TABLEBASE_DATA", help="Folder of the tables.")]
CatalogUrl = Annotated[
    str | None,
    typer.Option(
        "--catalog",
        metavar="URL",
        envvar="TABLEBASE_CATALOG",
        help="PostgreSQL database with the catalog; by default, a file in the folder.",
    ),
]
Page = Annotated[Paper, typer.Option("--page", help="Paper size of the pages to print.")]
Style = Annotated[Format, typer.Option("--format", help="Output format.")]
Pieces = Annotated[
    range | None,
    typer.Option("--pieces", metavar="N", parser=parser_of(parse_pieces), help="Number of pieces, or a range: 2-4."),
]
Materials = Annotated[list[str] | None, typer.Option("--material", metavar="RCvW", help="Only this material; repeatable.")]
To = Annotated[
    str, typer.Option("--to", metavar="DIR", help="Folder to write to; for copy also an object store, such as s3://bucket/path.")
]
WithDependencies = Annotated[
    bool, typer.Option("--with-dependencies", help="Also take the tables that these depend on, down to two pieces.")
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Write a line about each table.")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Number of processes; by default one for each processor.")
]
Threads = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Number of threads; by default one for each processor.")
]
Duration = Annotated[
    float | None,
    typer.Option("--for", metavar="TIME", parser=parser_of(parse_duration), help="Stop after this much time, such as 8h or 90min."),
]

DEFAULT_DATA = Path("data")
