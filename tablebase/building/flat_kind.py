"""Kinds of tables whose files have a single row in the catalog."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

from tablebase.building.kind import F, G, TableKind
from tablebase.building.options import TableQuery
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.entries import Entry, entry_of
from tablebase.checking.checksums import Checks, verify_files
from tablebase.errors import TablebaseError, did_you_mean, quoted
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.game.plain_arguments import usable_workers
from tablebase.tables.header import Form
from tablebase.tables.missing import nothing_registered

# ruff: noqa: ARG002, D102 (other methods, with all their parameters, are those of `TableKind`)


class FlatTables(TableKind[G, F]):
    """See `TableKind`; files are subclasses of `FlatFile`."""

    table: ClassVar[str]  # of the catalog, with their rows

    @abstractmethod
    def row_of(self, file: F) -> dict[str, Any]:
        """Describe an open file by the columns of its row that not all files have."""

    @abstractmethod
    def verified(self, folder: Path, errors: Mapping[str, str | None], threads: int) -> Checks:
        """Check the values in files, given what is wrong with the bytes of each; yield each file with what is wrong with it."""

    def limits_from(self, words: Sequence[str], refusal: Callable[[], TablebaseError]) -> dict[str, int | str]:
        if words and not self.rules.limits and "chance" not in self.rules.can:
            raise refusal()
        game, limits = self.rules, dict[str, int | str]()
        pending = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
        while pending:
            option = pending.pop(0)
            name = option.removeprefix("--")
            if not option.startswith("--") or name not in game.limits:
                known = ", ".join(f"--{limit}" for limit in game.limits) or "none"
                meant = did_you_mean(option, [f"--{limit}" for limit in game.limits])
                raise TablebaseError(f"{quoted(option)} is not an option for tables of {game.name}{meant}; they have: {known}")
            if not pending:
                raise TablebaseError(f"the option {option} needs a value, such as {option} {game.limits[name]}")
            text = pending.pop(0)
            if isinstance(game.limits[name], int) and whole_number(text) is None:
                raise TablebaseError(f"{name} of {game.name} must be {WHOLE_NUMBER}, not {quoted(text)}")
            limits[name] = int(text) if isinstance(game.limits[name], int) else text
        return limits

    def verify(
        self, query: TableQuery, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        with closing(Catalog(folder, catalog=catalog)) as registry:
            entries = registry.of(self.rules, self.table)
        if not entries:
            raise nothing_registered(self.rules, folder)
        threads = usable_workers(workers)
        return len(entries), self.verified(folder, dict(verify_files(folder, entries, threads)), threads)

    def rewrite(self, path: Path, file: F, form: Form) -> Path:
        draft: Path = file.rewrite(path, form)
        return draft

    def entry_of(self, folder: Path, file: F) -> Entry:
        return entry_of(folder, self.rules, file, self.table, self.row_of(file))
