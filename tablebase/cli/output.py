"""Output: a table for people, JSON or CSV for programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from textwrap import indent
from typing import Any

from tablebase.cli.options import Format
from tablebase.cli.streams import is_unicode
from tablebase.errors import TablebaseError

Row = Mapping[str, Any]
UNLIMITED = 10_000
RULE = "─"
"""What the line below the headings of a table consists of."""


def write_rows(rows: Iterable[Row], style: Format, columns: Sequence[str] | None = None, *, verbatim: bool = False) -> None:
    """Write rows that have the same fields; JSON and CSV are streamed.

    Parameters
    ----------
    rows : iterable of mapping
        May be an iterator.
    style : Format
    columns : sequence of str, optional
        The fields, in order; by default those of the first row.
    verbatim : bool
        Whether the headings of a table for people are the unchanged names of the fields.
    """
    if columns is None:
        rows = list(rows)
        columns = list(rows[0]) if rows else []
    if style is Format.JSON:
        _write_json_rows(rows, columns)
    elif style is Format.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_csv_cell(row[name]) for name in columns] for row in rows)
    else:
        titles = columns if verbatim else [name.replace("_", " ") for name in columns]
        write_table(list(rows), columns, titles)


def _write_json_rows(rows: Iterable[Row], columns: Sequence[str]) -> None:
    """Write a JSON list of objects, one at a time."""
    before = "[\n"
    for row in rows:
        sys.stdout.write(before + indent(_json({name: row[name] for name in columns}), "  "))
        before = ",\n"
    sys.stdout.write("[]\n" if before == "[\n" else "\n]\n")


def write_json(value: object) -> None:
    """Write a value as JSON, and end the line."""
    sys.stdout.write(_json(value) + "\n")


def _json(value: object) -> str:
    try:
        return json.dumps(value, indent=2, ensure_ascii=not is_unicode(), allow_nan=False, default=bytes.hex)
    except ValueError as fault:
        raise TablebaseError(f"JSON cannot represent one of the values ({fault}): use --format csv") from fault


def _csv_cell(value: object) -> object:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def write_table(rows: Sequence[Row], columns: Sequence[str], titles: Sequence[str] | None = None) -> None:
    """Write rows as a table, with numbers right-aligned and thousands separated."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, title in zip(columns, titles or columns, strict=True):
        numeric = all(isinstance(row[name], int | float | None) for row in rows)
        table.add_column(title, justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(row[name]) for name in columns))
    # Never cut or wrap lines: a terminal does that, and a pipe needs them whole.
    console = Console(file=StringIO(), width=UNLIMITED, markup=False, highlight=False, emoji=False)
    with console.capture() as capture:
        console.print(table)
    text = capture.get() if is_unicode() else capture.get().replace(RULE, "-")
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in text.splitlines())


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3g}"
    return str(value)


def say(sentence: str) -> None:
    """Write a status message, which is not part of the result, to standard error."""
    sys.stderr.write(sentence + "\n")
