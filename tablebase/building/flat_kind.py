"""Kinds of tables whose files have a single row in the catalog."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from tablebase.building.kind import F, G, TableKind
from tablebase.building.options import BuildOptions, TableQuery
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.entries import Entry, entry_of
from tablebase.checking.checksums import Checks, verify_files
from tablebase.errors import CapacityError, CorruptTableError, TablebaseError, did_you_mean, quoted
from tablebase.game.guards import advice
from tablebase.game.notation import WHOLE_NUMBER, whole_number
from tablebase.game.plain_arguments import usable_workers
from tablebase.system.compute.progress import progress
from tablebase.tables.missing import nothing_registered

# ruff: noqa: ARG002, D102 (other methods, with all their parameters, are those of `TableKind`)

PATIENCE = 60.0
"""CPU-seconds for which `estimate` lists positions."""


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
                raise TablebaseError(f"unknown option {quoted(option)} for tables of {game.name}{meant}; known options: {known}")
            if not pending:
                raise TablebaseError(f"the option {option} needs a value, such as {option} {game.limits[name]}")
            text = pending.pop(0)
            if isinstance(game.limits[name], int) and whole_number(text) is None:
                raise TablebaseError(f"invalid --{name} {quoted(text)} for {game.name}: expected {WHOLE_NUMBER}")
            limits[name] = int(text) if isinstance(game.limits[name], int) else text
        return limits

    @contextmanager
    def listing(
        self, options: BuildOptions, patience: float, late: Callable[[str], TablebaseError], *, compiles: bool = False
    ) -> Iterator[Callable[[int], None]]:
        """Show how many positions have been listed, with which the yielded function is to be called now and then.

        That raises `CapacityError` after so many CPU-seconds of `patience`, and after the deadline what `late` makes of a subject.
        """
        name, begin = self.rules.name, time.process_time()
        with progress(f"list {name}", "positions", verbose=options.verbose, compiles=compiles) as shown:

            def tick(positions: int) -> None:
                shown.reach(positions)
                so_far = f"{name} has more than {positions:,} positions"
                if time.process_time() - begin > patience:
                    hint = "build the table with --for 1h, or choose a smaller variant"
                    raise CapacityError(f"{so_far}, too many to list in {patience:.0f} s", hint)
                if options.seconds_left == 0:
                    raise late(f"{so_far}, too many to list before the deadline")

            yield tick

    def solver_error(self, error: CorruptTableError) -> CorruptTableError:
        """The error of a new file that is wrong: it is not the file that is damaged."""
        said = f"the new table of {self.rules.name} {error.problem}{advice(self.rules)}"
        return CorruptTableError(f"{said}, and report a bug if that command finds no error")

    def verify(
        self, query: TableQuery, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        with closing(Catalog(folder, catalog=catalog)) as registry:
            entries = registry.of(self.rules, self.table)
        if not entries:
            raise nothing_registered(self.rules, folder)
        threads = usable_workers(workers)
        return len(entries), self.verified(folder, dict(verify_files(folder, entries, threads)), threads)

    def entry_of(self, folder: Path, file: F) -> Entry:
        return entry_of(folder, self.rules, file, self.table, self.row_of(file))
