"""Kinds of tables whose files have a single row in the catalog."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy.orm import Session

from tablebase.building.kind import F, G, TableKind
from tablebase.catalog.entries import Entry
from tablebase.catalog.registration import enter_flat
from tablebase.catalog.schema import ExactRow, LayerRow


class FlatTables(TableKind[G, F]):
    """See `TableKind`.

    Attributes
    ----------
    table : type
        Of the rows in the catalog.
    """

    table: ClassVar[type[LayerRow] | type[ExactRow]]

    @abstractmethod
    def row_of(self, folder: Path, file: F) -> dict[str, Any]:
        """Describe an open file in a folder by the columns of its row."""

    def entry_of(self, folder: Path, file: F) -> Entry:
        """See `TableKind.entry_of`."""
        return Entry(self.row_of(folder, file))

    def enter(self, session: Session, entry: Entry, known: Entry | None) -> None:
        """See `TableKind.enter`."""
        row = dict(entry.row) if known is None else {**entry.row, "seconds": known.row["seconds"]}
        enter_flat(session, self.rules, self.table, row)

    def is_in_place(self, entry: Entry) -> bool:
        """See `TableKind.is_in_place`; the row must be one of these tables."""
        return self.counted in entry.row
