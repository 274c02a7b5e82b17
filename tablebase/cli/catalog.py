"""Commands that query the catalog: stats, sql."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import chances
from tablebase.cli.options import DEFAULT_DATA, By, Data, Format, GameName, Size, Style, Variant, chosen_rules, from_input
from tablebase.cli.statements import Timeout, run_statement
from tablebase.game.stochastic import StochasticGame


def stats(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    by: Annotated[By, typer.Option("--by", help="One line per number of pieces, or per slice.")] = By.PIECES,
    data: Data = DEFAULT_DATA,
    style: Style = Format.TABLE,
) -> None:
    """Count wins, losses and draws in the tables built so far. Counts are for the side to move, and include aliases."""
    from dataclasses import asdict

    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows
    from tablebase.tables.missing import missing_game

    rules = chosen_rules(game, size, variant)
    if isinstance(rules, StochasticGame):
        chances.stats(rules, data, style)
        return
    catalog = Catalog(data)
    rows = [asdict(counts) for counts in catalog.counts(rules, by.value)]
    catalog.close()
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
    style: Style = Format.TABLE,
) -> int:
    """Query the catalog in SQL, read-only."""
    return run_statement(context, partial(_write_answer, from_input(statement), timeout, data, style), timeout)


def _write_answer(statement: str, timeout: float | None, data: Path, style: Format) -> None:
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows
    from tablebase.mining.column_names import distinct_names

    catalog = Catalog(data)
    names, rows = catalog.sql(statement, timeout)
    catalog.close()
    # SQL allows two columns of the same name; a row does not.
    columns = distinct_names(names)
    write_rows([dict(zip(columns, row, strict=True)) for row in rows], style, columns)


COMMANDS = (stats, sql)
