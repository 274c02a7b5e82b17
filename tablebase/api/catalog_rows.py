"""Rows of the catalog."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tablebase.errors import TablebaseError
from tablebase.mining.results import Tabular, distinct_names


class CatalogRows(Tabular):
    """The result of a statement over the catalog.

    Parameters
    ----------
    names : list of str
    rows : list of tuple
    """

    def __init__(self, names: list[str], rows: list[tuple[Any, ...]]) -> None:
        self._names, self._rows = distinct_names(names), rows

    def __repr__(self) -> str:
        return f"CatalogRows({len(self._rows):,} rows of {', '.join(self._names)})"

    @property
    def columns(self) -> list[str]:
        """Names of the columns; those with the same name are numbered."""
        return self._names

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows as tuples."""
        return self._rows

    def arrow(self) -> pa.Table:
        """All rows as an Arrow table."""
        try:
            columns = [pa.array([row[number] for row in self._rows]) for number in range(len(self._names))]
        except pa.ArrowException as fault:
            raise TablebaseError(f"a column holds values of several types ({fault}): cast it to TEXT") from fault
        return pa.Table.from_arrays(columns, names=self._names)
