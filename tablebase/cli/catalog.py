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
    Size,
    Style,
    Variant,
    chosen_rules,
    from_input,
)
from tablebase.cli.statements import Timeout, run_statement
from tablebase.game.stochastic import StochasticGame


def stats(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    by: Annotated[By, typer.Option("--by", help="One line per number of pieces, or per slice.")] = By.PIECES,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    style: Style = Format.TABLE,
) -> None:
    """Count wins, losses and draws in the tables built so far. Counts are for the side to move, and include aliases."""
    from contextlib import closing
    from dataclasses import asdict

    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows
    from tablebase.tables.missing import missing_game

    rules = chosen_rules(game, size, variant)
    if isinstance(rules, StochasticGame):
        chances.stats(rules, data, style, catalog)
        return
    with closing(Catalog(data, catalog=catalog)) as opened:
        rows = [asdict(counts) for counts in opened.counts(rules, by.value)]
    if not rows:
        raise missing_game(rules, data)
    columns = [name for name in rows[0] if name not in ("material", "side")]
    if by is By.MATERIAL:
        columns = ["material", "side", *columns]
    write_rows(rows, style, columns, keys=1 + 1 * (by is By.MATERIAL))


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

    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows
    from tablebase.mining.column_names import distinct_names

    with closing(Catalog(data, catalog=catalog)) as opened:
        names, rows = opened.sql(statement, timeout)
    # SQL allows two columns of the same name; a row does not.
    columns = distinct_names(names)
    write_rows([dict(zip(columns, row, strict=True)) for row in rows], style, columns)


COMMANDS = (stats, sql)
