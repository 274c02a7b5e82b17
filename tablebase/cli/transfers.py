"""Commands that take tables from one folder to another: copy, merge, and in another form pack, unpack."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import chosen_rules

STRONGEST = 22
"""The highest level of Zstandard."""


def copy(
    game: options.GameName,
    to: options.To,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: options.Materials = None,
    with_dependencies: options.WithDependencies = False,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    verbose: options.Verbose = False,
) -> None:
    """Copy tables with their catalog."""
    from tablebase.commands import transfers

    transfers.copy(
        chosen_rules("copy", game, size, variant),
        to,
        pieces=pieces,
        material=material,
        with_dependencies=with_dependencies,
        data=data,
        catalog=catalog,
        verbose=verbose,
    )


def merge(
    place: Annotated[str, typer.Argument(metavar="DIR", help="Another folder of tables, or the address of an object store.")],
    rules: options.RulesFiles = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    verbose: options.Verbose = False,
) -> None:
    """Import the tables of another folder."""
    del rules
    from tablebase.commands import transfers

    transfers.merge(place, data=data, catalog=catalog, verbose=verbose)


def pack(
    game: options.GameName,
    to: options.To,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: options.Materials = None,
    with_dependencies: options.WithDependencies = False,
    strength: Annotated[
        int, typer.Option("--strength", metavar="N", min=1, max=STRONGEST, help="Level of Zstandard: higher is smaller and slower.")
    ] = 19,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Workers = None,
    verbose: options.Verbose = False,
) -> None:
    """Write tables in half the space; they can still be probed."""
    from tablebase.commands import transfers

    transfers.pack(
        chosen_rules("pack", game, size, variant),
        to,
        pieces=pieces,
        material=material,
        with_dependencies=with_dependencies,
        strength=strength,
        data=data,
        catalog=catalog,
        workers=workers,
        verbose=verbose,
    )


def unpack(
    place: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of packed tables.")],
    to: options.To,
    rules: options.RulesFiles = None,
    workers: options.Workers = None,
    verbose: options.Verbose = False,
) -> None:
    """Write packed tables as a build would have written them."""
    del rules
    from tablebase.commands import transfers

    transfers.unpack(place, to, workers=workers, verbose=verbose)
