"""The command that checks tables: verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli.options import (
    CHECK_FAILED,
    DEFAULT_DATA,
    CatalogUrl,
    Data,
    Materials,
    Pieces,
    Size,
    Variant,
    Verbose,
    Workers,
    chosen_rules,
    complete_game,
)


def verify(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Name of the game; with --quick, all games by default.", autocompletion=complete_game),
    ] = None,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    workers: Workers = None,
    published: Annotated[
        Path | None, typer.Option("--published", metavar="FILE", help="Also compare the values with those published in a CSV file.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Check the bytes of the files alone, and no positions.")] = False,
    verbose: Verbose = False,
) -> None:
    """Check every byte and every position of the tables."""
    from tablebase.api.checking import verify as verify_tables

    result = verify_tables(
        None if game is None else chosen_rules(game, size, variant),
        size=size if game is None else None,
        variant=variant if game is None else None,
        pieces=pieces,
        material=material,
        data=data,
        catalog=catalog,
        workers=workers,
        published=published,
        quick=quick,
        verbose=verbose,
    )
    if result.faults:
        raise typer.Exit(CHECK_FAILED)
