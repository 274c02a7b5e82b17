"""Commands that query the catalog: stats, sql."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tablebase.cli import options
from tablebase.cli.child_processes import run_statement
from tablebase.cli.options import Format, chosen_rules, from_input
from tablebase.compute.messages import say


def stats(
    game: options.GameName,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    by: Annotated[
        options.By, typer.Option("--by", help="One row per number of pieces, or per material and side to move.")
    ] = options.By.PIECES,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    style: options.Style = Format.TABLE,
) -> None:
    """Count wins, losses and draws in the tables built so far.

    Without options, this reads the tables in the folder data and shows a row for each number of pieces. Counts are for the side to
    move, and include aliases.
    """
    from contextlib import closing

    from tablebase.api.statistics import remarks, rows_with, stats_rows
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows
    from tablebase.game.game_arguments import refuse_given
    from tablebase.slices.material import piece_counts

    rules: Any = chosen_rules("stats", game, size, variant)
    refuse_given(rules, pieces=pieces, by=None if by is options.By.PIECES else by)
    with closing(Catalog(data, catalog=catalog)) as opened:
        rows = stats_rows(opened, rules, by.value)
        totals, gone = rows if by is options.By.PIECES else stats_rows(opened, rules), opened.gone(rules)
    if pieces is not None:
        rows, totals = (rows_with(piece_counts(rules, pieces), some, rules, data) for some in (rows, totals))
    columns = [name for name in rows[0] if name != "of_slices" or style is Format.JSON]
    write_rows(rows, style, columns, keys=1 + 1 * ("side" in columns))
    for remark in remarks(totals, gone, data):
        say(remark)


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

        from tablebase.api.catalog_statements import select
        from tablebase.catalog.catalog import Catalog
        from tablebase.cli.output import write_rows

        with closing(Catalog(data, catalog=catalog)) as opened:
            found = select(opened, text, timeout)
        write_rows([dict(zip(found.columns, row, strict=True)) for row in found.fetchall()], style, found.columns)

    return run_statement(context, answer, timeout)
