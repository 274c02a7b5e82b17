"""Commands that query the catalog: stats, sql."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import chances
from tablebase.cli.options import (
    DEFAULT_DATA,
    By,
    CatalogUrl,
    Data,
    Format,
    GameName,
    Pieces,
    Size,
    Style,
    Variant,
    chosen_rules,
    from_input,
)
from tablebase.cli.statements import Timeout, run_statement
from tablebase.compute.messages import listed, say
from tablebase.game.stochastic import StochasticGame


def stats(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    by: Annotated[By, typer.Option("--by", help="One line per number of pieces, or per slice.")] = By.PIECES,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    style: Style = Format.TABLE,
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
        from tablebase.game.arguments import refuse_given

        refuse_given(rules, pieces=pieces)
        chances.stats(rules, data, style, catalog)
        return
    with closing(Catalog(data, catalog=catalog)) as opened:
        totals, gone = opened.counts(rules, By.PIECES.value), opened.gone(rules)
        counts = totals if by is By.PIECES else opened.counts(rules, by.value)
    if not counts:
        raise missing_game(rules, data)
    if pieces is not None:
        asked = piece_counts(rules, pieces)
        totals, counts = ([one for one in some if one.pieces in asked] for some in (totals, counts))
        if not counts:
            raise missing_pieces(rules, asked[0], data)
    columns = [name for name in Counts.columns(by.value) if name != "of_slices" or style is Format.JSON]
    write_rows(map(asdict, counts), style, columns, keys=1 + 1 * (by is By.MATERIAL))
    partial_totals = [
        f"{one.slices:,} of {one.of_slices:,} with {one.pieces} pieces" for one in totals if one.slices != one.of_slices
    ]
    if gone:
        say(f"left out, since the files are no longer in {data}: {listed(gone)}")
    if partial_totals:
        say(f"partial: not all slices are built ({', '.join(partial_totals)})")


def sql(
    context: typer.Context,
    statement: Annotated[str, typer.Argument(metavar='"SELECT …"', help="A statement; - reads standard input, @FILE a file.")],
    timeout: Timeout = None,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    style: Style = Format.TABLE,
) -> int:
    """Query the catalog in SQL, read-only."""
    return run_statement(context, partial(_write_answer, from_input(statement), timeout, data, catalog, style), timeout)


def _write_answer(statement: str, timeout: float | None, data: Path, catalog: str | None, style: Format) -> None:
    from contextlib import closing

    from tablebase.api.catalog_statements import select
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows

    with closing(Catalog(data, catalog=catalog)) as opened:
        found = select(opened, statement, timeout)
    write_rows([dict(zip(found.columns, row, strict=True)) for row in found.fetchall()], style, found.columns)
