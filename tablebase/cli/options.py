"""Options and arguments that several commands share."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    from tablebase.game import Game


class Format(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class By(StrEnum):
    """What a line of statistics stands for."""

    PIECES = "pieces"
    MATERIAL = "material"


GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of the game; 'tablebase games' lists them.")]
Size = Annotated[str | None, typer.Option("--size", metavar="8x8", help="Files and ranks, for a game that has sizes.")]
Variant = Annotated[
    list[str] | None, typer.Option("--variant", metavar="NAME=VALUE", help="Another variant of the rules; may be given again.")
]
Data = Annotated[Path, typer.Option("--data", metavar="DIR", envvar="TABLEBASE_DATA", help="Folder of the tables.")]
Style = Annotated[Format, typer.Option("--format", help="How to write the result.")]
Pieces = Annotated[int | None, typer.Option("--pieces", metavar="N", help="All slices of 2 to N pieces.")]
Exactly = Annotated[int | None, typer.Option("--pieces", metavar="N", help="Just the slices of N pieces.")]
Distinct = Annotated[int | None, typer.Option("--pieces", metavar="N", help="All distinct slices of N pieces.")]
Materials = Annotated[
    list[str] | None,
    typer.Option("--material", metavar="RCvW", help="This material and all it depends on; may be given again."),
]
Only = Annotated[list[str] | None, typer.Option("--material", metavar="RCvW", help="This slice alone; may be given again.")]
Named = Annotated[list[str] | None, typer.Option("--material", metavar="RCvW", help="This slice; may be given again.")]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Processes to use.")]

Threads = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Threads to use.")]

DEFAULT_DATA = Path("data")
CORES = os.cpu_count() or 1


def chosen_game(game: str, size: str | None, variant: list[str] | None) -> Game:
    """The game, of that size and variant if any is given."""
    from tablebase.game import load_game

    return load_game("-".join([game, *([size] if size else []), *(variant or [])]))


def parse_size(text: str) -> int:
    """Bytes of a size such as ``8G``, ``512M`` or ``1000000``."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise TablebaseError(f"{text!r} is not a size: write bytes, or a number with K, M, G or T such as 8G")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


CHECK_FAILED = 1
