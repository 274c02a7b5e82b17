"""Kinds of tables whose files have a single row in the catalog."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy.orm import Session

from tablebase.building.kind import F, G, TableKind
from tablebase.building.options import TableQuery
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.entries import Entry
from tablebase.catalog.registration import enter_flat, read_flat
from tablebase.catalog.schema import ExactRow, LayerRow
from tablebase.checking.checksums import Checks, verify_files
from tablebase.game.plain_arguments import usable_workers
from tablebase.tables.choice import nothing_registered
from tablebase.tables.header import Form

# ruff: noqa: D102 (other methods are those of `TableKind`)


class FlatTables(TableKind[G, F]):
    """See `TableKind`; files are subclasses of `FlatFile`.

    Attributes
    ----------
    table : type
        Of the rows in the catalog.
    """

    table: ClassVar[type[LayerRow] | type[ExactRow]]

    @abstractmethod
    def row_of(self, folder: Path, file: F) -> dict[str, Any]:
        """Describe an open file in a folder by the columns of its row."""

    @abstractmethod
    def verified(self, folder: Path, faults: Mapping[str, str | None], threads: int) -> Checks:
        """Check the values in files, given what is wrong with the bytes of each; yield each file with what is wrong with it."""

    def verify(
        self, query: TableQuery, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        del query, published
        with closing(Catalog(folder, catalog=catalog)) as registry, registry.reading() as connection:
            rows = [Entry(row) for table, row, _ in read_flat(connection) if table is self.table]
        entries = [entry for entry in rows if entry.is_of(self.rules)]
        if not entries:
            raise nothing_registered(self.rules, folder)
        threads = usable_workers(workers)
        return len(entries), self.verified(folder, dict(verify_files(folder, entries, threads)), threads)

    def rewrite(self, path: Path, file: F, form: Form) -> Path:
        draft: Path = file.rewrite(path, form)
        return draft

    def entry_of(self, folder: Path, file: F) -> Entry:
        return Entry(self.row_of(folder, file))

    def enter(self, session: Session, entry: Entry, known: Entry | None) -> None:
        row = dict(entry.row) if known is None else {**entry.row, "seconds": known.row["seconds"]}
        enter_flat(session, self.rules, self.table, row)

    def is_in_place(self, entry: Entry) -> bool:
        """See `TableKind.is_in_place`; the row must be one of these tables."""
        return self.counted in entry.row
