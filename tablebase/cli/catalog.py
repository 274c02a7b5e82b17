"""Commands that query the catalog: stats, sql."""

from __future__ import annotations

from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.child_processes import run_statement
from tablebase.cli.options import Format, chosen_rules, from_input
from tablebase.compute.messages import listed, say
from tablebase.game.stochastic import StochasticGame


def stats(
    game: options.GameName,
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    by: Annotated[options.By, typer.Option("--by", help="One line per number of pieces, or per slice.")] = options.By.PIECES,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    style: options.Style = Format.TABLE,
) -> None:
    """Count wins, losses and draws in the tables built so far. Counts are for the side to move, and include aliases."""
    from contextlib import closing
    from dataclasses import asdict

    from tablebase.catalog.catalog import Catalog, Counts
    from tablebase.cli.output import write_rows
    from tablebase.slices.material import piece_counts
    from tablebase.tables.choice import missing_game, missing_pieces

    rules = chosen_rules(game, size, variant)
    if isinstance(rules, StochasticGame):
        from tablebase.cli import chances
        from tablebase.game.game_arguments import refuse_given

        refuse_given(rules, pieces=pieces)
        chances.stats(rules, data, style, catalog)
        return
    with closing(Catalog(data, catalog=catalog)) as opened:
        totals, gone = opened.counts(rules, options.By.PIECES.value), opened.gone(rules)
        counts = totals if by is options.By.PIECES else opened.counts(rules, by.value)
    if not counts:
        raise missing_game(rules, data)
    if pieces is not None:
        asked = piece_counts(rules, pieces)
        totals, counts = ([one for one in some if one.pieces in asked] for some in (totals, counts))
        if not counts:
            raise missing_pieces(rules, asked[0], data)
    columns = [name for name in Counts.columns(by.value) if name != "of_slices" or style is Format.JSON]
    write_rows(map(asdict, counts), style, columns, keys=1 + 1 * (by is options.By.MATERIAL))
    partial_totals = [
        f"{one.slices:,} of {one.of_slices:,} with {one.pieces} pieces" for one in totals if one.slices != one.of_slices
    ]
    if gone:
        say(f"left out, since the files are no longer in {data}: {listed(gone)}")
    if partial_totals:
        say(f"partial: not all slices are built ({', '.join(partial_totals)})")


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
