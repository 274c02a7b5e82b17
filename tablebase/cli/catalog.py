"""The command that queries the catalog: sql."""

from __future__ import annotations

import typer

from tablebase.cli import options
from tablebase.cli.options import from_input
from tablebase.commands.child_processes import run_statement
from tablebase.commands.parameters import Format


def sql(
    context: typer.Context,
    statement: options.Statement,
    timeout: options.Timeout = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    style: options.Style = Format.TABLE,
) -> int:
    """Query the catalog in SQL, read-only."""
    text = from_input(statement)

    def answer() -> None:
        # Loaded where the statement runs, which may be a process that is forked for it.
        from contextlib import closing

        from tablebase.catalog.catalog import Catalog
        from tablebase.commands.catalog_statements import select
        from tablebase.commands.output import write_rows

        with closing(Catalog(data, catalog=catalog)) as opened:
            found = select(opened, text, timeout)
        write_rows([dict(zip(found.columns, row, strict=True)) for row in found.fetchall()], style, found.columns)

    return run_statement(context, answer, timeout)
