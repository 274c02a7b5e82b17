"""The catalog, opened once for all that a page shows, so that its numbers belong together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from fastapi import Request

from tablebase.catalog.catalog import Catalog
from tablebase.web.context import settings_of, tables_of


@contextmanager
def catalog_of(request: Request) -> Iterator[Catalog]:
    """The catalog as it is now."""
    with closing(Catalog(tables_of(request).folder, catalog=settings_of(request).catalog)) as opened:
        yield opened


def rows_of(catalog: Catalog, statement: str, *, patterns: bool = False) -> list[dict[str, Any]]:
    """The rows of a statement of our own, by the names of its columns; if it reads patterns, their seals are checked."""
    columns, rows = catalog.sql(statement) if patterns else catalog.answer(statement)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def sql_text(text: str) -> str:
    """A text as a literal of SQL."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
