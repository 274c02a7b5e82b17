"""Results as tables of other libraries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tablebase.errors import check_extra

if TYPE_CHECKING:
    import pandas
    import polars


class Tabular(ABC):
    """Rows with named columns."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """Names of the columns, each of which occurs once."""

    @abstractmethod
    def arrow(self) -> pa.Table:
        """All rows as an Arrow table."""

    def df(self) -> pandas.DataFrame:
        """All rows as a data frame of pandas, which must be installed."""
        check_extra("frames of pandas", "pandas")
        frame: pandas.DataFrame = self.arrow().to_pandas()
        return frame

    def pl(self) -> polars.DataFrame:
        """All rows as a data frame of Polars, which must be installed."""
        check_extra("frames of polars", "polars")
        import polars

        return polars.DataFrame(self.arrow())

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows as tuples."""
        return list(zip(*(column.to_pylist() for column in self.arrow().columns), strict=True))


def with_plain_numbers(table: pa.Table) -> pa.Table:
    """The table with integers where sums are decimal numbers without decimal places, as far as they fit."""
    for number, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            try:
                table = table.set_column(number, field.name, table.column(number).cast(pa.int64()))
            except pa.ArrowInvalid:
                continue
    return table
