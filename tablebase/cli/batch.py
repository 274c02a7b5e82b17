"""The command for a night's work: batch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import program_call
from tablebase.errors import DeadlineError


def batch(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to build and to do afterwards, in TOML.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what it would take, and start nothing.")] = False,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    verbose: options.Verbose = False,
) -> None:
    """Run builds and other commands from a TOML file, unattended."""
    from tablebase.cli import batch_run

    result = batch_run.batch(file, dry_run=dry_run, data=data, catalog=catalog, verbose=verbose)
    if result is None:
        return
    if result.faults:
        raise typer.Exit(result.faults[0].exit_code)
    if result.left:
        raise DeadlineError(result.left, program_call(context))
    if result.waiting:
        raise DeadlineError(result.waiting, program_call(context), "command")
