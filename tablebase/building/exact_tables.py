"""The tables of games by functions without chance: each game has one, with the exact values of all its positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from tablebase.building import exact_work
from tablebase.building.estimate import allowed_memory
from tablebase.building.exact_work import Estimate
from tablebase.building.records import BuildResult
from tablebase.building.table_sort import Asked, TableSort
from tablebase.building.terms import LOCAL, Counted, Needs, Terms
from tablebase.catalog.entries import Entry
from tablebase.catalog.registration import EXACT, enter_flat, of_exact
from tablebase.catalog.schema import ExactRow
from tablebase.checking.checksums import Checks
from tablebase.compute import machine
from tablebase.compute.messages import in_bytes, in_time, say
from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.game.functions import FunctionGame
from tablebase.states.files import PLACE, ExactFile, exact_path, exact_title, rewrite_exact
from tablebase.tables.folder import check_seal, free_space
from tablebase.tables.header import Form


class ExactTables(TableSort[FunctionGame[Any], ExactFile]):
    """See `TableSort`."""

    pattern = f"{PLACE}/*"
    solver = exact_work.ENGINE

    def limits_from(self, words: Sequence[str], refusal: Callable[[], TablebaseError]) -> dict[str, int | str]:
        """See `TableSort.limits_from`; there are none."""
        if words:
            raise refusal()
        return {}

    def check_materials(self, texts: Sequence[str]) -> None:
        """See `TableSort.check_materials`; commands refuse all of them."""

    def check_executor(self, where: str) -> None:
        """See `TableSort.check_executor`; there is one table, which one process builds."""
        if where != LOCAL:
            raise TablebaseError(f"the table of {self.rules.name} is built by one process: leave out the executor {where}")

    def check(self, asked: Asked) -> None:
        """See `TableSort.check`."""
        del asked
        exact_work.check_players(self.rules)

    def needs(self, asked: Asked, terms: Terms, counted: set[Counted]) -> Needs:
        """See `TableSort.needs`; all positions are listed once."""
        del asked
        table = (self.rules.name, PLACE)
        if table in counted or exact_work.is_built(self.rules, terms.data, terms.catalog):
            return Needs()
        counted.add(table)
        one = exact_work.estimate(self.rules, allowed_memory(terms.limits))
        seconds = one.start_seconds + one.cpu_seconds
        return Needs(1, one.positions, one.memory, one.disk, seconds, seconds)

    def build(self, asked: Asked, terms: Terms, *, summarized: bool = False) -> BuildResult:
        """See `TableSort.build`."""
        del asked
        return exact_work.build_exact(self.rules, terms, summarized=summarized)

    def estimate(
        self, asked: Asked, folder: Path, workers: int | None, allowed: int | None, catalog: str | None, *, measured: bool
    ) -> tuple[list[Estimate], int]:
        """See `TableSort.estimate`; it is for one worker, and always measured."""
        del asked, folder, catalog, measured
        exact_work.tell_alone(self.rules, workers)
        say(f"listing all positions of {self.rules.name}, for at most {in_time(exact_work.PATIENCE)}")
        return [exact_work.estimate(self.rules, machine.memory() if allowed is None else allowed, exact_work.PATIENCE)], 1

    def estimate_table(self, lines: Sequence[Estimate], workers: int, folder: Path) -> tuple[list[dict[str, object]], str]:
        """See `TableSort.estimate_table`."""
        del workers
        rows: list[dict[str, object]] = [
            {
                "positions": f"{line.positions:,}",
                "memory": in_bytes(line.memory),
                "disk": in_bytes(line.disk),
                "CPU time": in_time(line.start_seconds + line.cpu_seconds),
            }
            for line in lines
        ]
        there = f"{in_bytes(free_space(folder))} of disk free, {in_bytes(machine.memory())} of memory"
        return rows, f"disk is an upper bound\nthere is: {there}"

    def verify(
        self, asked: Asked, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        """See `TableSort.verify`."""
        del asked, published
        exact_work.tell_alone(self.rules, workers)
        return 1, exact_work.verify(self.rules, folder, catalog)

    def title_at(self, path: Path) -> str:
        """See `TableSort.title_at`; there is one place for it."""
        del path
        return exact_title(self.rules.name)

    def opened_at(self, folder: Path, path: Path) -> ExactFile:
        """See `TableSort.opened_at`."""
        if path != exact_path(folder, self.rules.name):
            raise CorruptTableError(f"is not where a table of {self.rules.name} belongs", path)
        return ExactFile(path, self.rules)

    def opened(self, path: Path, row: Mapping[str, Any]) -> ExactFile:
        """See `TableSort.opened`; there is one table."""
        del row
        return ExactFile(path, self.rules)

    def read(self, folder: Path, path: Path) -> Entry:
        """See `TableSort.read`."""
        with closing(self.opened_at(folder, path)) as file:
            check_seal(path, exact_title(self.rules.name))
            file.check_values()
            return self.entry_of(folder, file)

    def claimed_digest(self, file: ExactFile) -> str:
        """See `TableSort.claimed_digest`."""
        return file.values_sha256

    def values_digest(self, file: ExactFile) -> str:
        """See `TableSort.values_digest`; reading compares the values with the digest that the file names."""
        file.check_values()
        return file.values_sha256

    def rewrite(self, path: Path, file: ExactFile, form: Form) -> Path:
        """See `TableSort.rewrite`."""
        return rewrite_exact(path, file, form)

    def is_in_place(self, entry: Entry) -> bool:
        """See `TableSort.is_in_place`."""
        return "final" in entry.row

    def entry_of(self, folder: Path, file: ExactFile) -> Entry:
        """See `TableSort.entry_of`."""
        return Entry(dict(zip(EXACT, of_exact(folder, file), strict=True)))

    def enter(self, session: Session, entry: Entry, known: Entry | None) -> None:
        """See `TableSort.enter`."""
        row = {**entry.row, **({} if known is None else {"seconds": known.row["seconds"]})}
        enter_flat(session, self.rules, ExactRow, tuple(row[name] for name in EXACT))
