"""Options and arguments that several commands share."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.errors import TablebaseError, quoted

if TYPE_CHECKING:
    from tablebase.game import Game


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class By(StrEnum):
    """What one line of statistics covers."""

    PIECES = "pieces"
    MATERIAL = "material"


GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of the game; 'tablebase games' lists them.")]
Size = Annotated[str | None, typer.Option("--size", metavar="8x8", help="Files and ranks of the board, for a game that has sizes.")]
Variant = Annotated[
    list[str] | None, typer.Option("--variant", metavar="NAME=VALUE", help="Variant of the rules; may be repeated.")
]
Data = Annotated[Path, typer.Option("--data", metavar="DIR", envvar="TABLEBASE_DATA", help="Folder of the tables.")]
Style = Annotated[Format, typer.Option("--format", help="Output format.")]
Pieces = Annotated[int | None, typer.Option("--pieces", metavar="N", help="All slices with 2 to N pieces.")]
ExactPieces = Annotated[int | None, typer.Option("--pieces", metavar="N", help="Only slices with N pieces.")]
DistinctPieces = Annotated[int | None, typer.Option("--pieces", metavar="N", help="All distinct slices with N pieces.")]
Materials = Annotated[
    list[str] | None,
    typer.Option("--material", metavar="RCvW", help="This material and all it depends on; may be repeated."),
]
OnlyMaterials = Annotated[list[str] | None, typer.Option("--material", metavar="RCvW", help="Only this material; may be repeated.")]
Slices = Annotated[list[str] | None, typer.Option("--material", metavar="RCvW", help="This slice; may be repeated.")]
Workers = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of processes.")]
Threads = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of threads.")]

DEFAULT_DATA = Path("data")
CORES = os.cpu_count() or 1
CHECK_FAILED = 1
"""Exit code if a check has failed."""


def chosen_game(game: str, size: str | None, variant: list[str] | None) -> Game:
    """The game, in this size and variant if they are given."""
    from tablebase.game import load_game

    return load_game("-".join([game, *([size] if size else []), *(variant or [])]))


def parse_size(text: str) -> int:
    """Bytes of a size such as ``8G``, ``512M`` or ``1000000``."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise TablebaseError(f"{quoted(text)} is not a size: write bytes, or a number with K, M, G or T such as 8G")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))
