"""The tables of games of pieces: each holds the slices of one stored material."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from tablebase.building import table_work
from tablebase.building.estimate import Estimate, estimate
from tablebase.building.plan import chosen_materials, with_dependencies
from tablebase.building.records import BuildResult
from tablebase.building.table_sort import Asked, TableSort
from tablebase.building.table_work import Wanted
from tablebase.building.tables import measure
from tablebase.building.terms import Counted, Needs, Terms, local_executor
from tablebase.catalog.entries import Entry, enter_known
from tablebase.catalog.registration import TABLE, of_file
from tablebase.checking.checksums import Checks
from tablebase.checking.tablebase import verify_tables
from tablebase.compute import machine
from tablebase.compute.messages import in_bytes, in_time
from tablebase.errors import CorruptTableError, MissingTableError, TablebaseError
from tablebase.game import Game
from tablebase.game.plain_arguments import usable_workers
from tablebase.slices.location import locate
from tablebase.slices.material import Material, material_name, parse_material, parse_materials
from tablebase.solvers.registry import find_solver
from tablebase.tables.choice import chosen_tables
from tablebase.tables.folder import check_seal, free_space, table_path, title
from tablebase.tables.header import Form
from tablebase.tables.reader import Table
from tablebase.tables.writer import rewrite_draft


class SliceTables(TableSort[Game, Table]):
    """See `TableSort`."""

    pattern = "[0-9]*/*"

    def limits_from(self, words: Sequence[str], refusal: Callable[[], TablebaseError]) -> dict[str, int | str]:
        """See `TableSort.limits_from`; there are none."""
        if words:
            raise refusal()
        return {}

    def check_materials(self, texts: Sequence[str]) -> None:
        """See `TableSort.check_materials`."""
        self._parsed(texts)

    def _parsed(self, texts: Sequence[str]) -> list[Material]:
        return [parsed for text in texts for parsed in parse_materials(self.rules, text)]

    def check_executor(self, where: str) -> None:
        """See `TableSort.check_executor`; all can."""

    def check_solver(self, name: str) -> None:
        """See `TableSort.check_solver`."""
        find_solver(name)

    def check(self, asked: Asked) -> None:
        """See `TableSort.check`."""
        self._wanted(asked).planned()

    def chosen(self, registered: Sequence[Entry], asked: Asked, folder: Path, *, with_dependencies: bool = False) -> list[Entry]:
        """See `TableSort.chosen` and `chosen_tables`; `MissingTableError` if a table is not registered."""
        entries = {str(entry.row["material"]): entry for entry in registered}
        names = chosen_tables(self.rules, folder, entries, asked.pieces, self._parsed(asked.materials))
        if with_dependencies:
            names = self._with_dependencies(names)
        for name in names:
            if name not in entries:
                raise MissingTableError(self.rules.name, folder, material=name)
        return [entries[name] for name in names]

    def _with_dependencies(self, names: Sequence[str]) -> list[str]:
        planned = with_dependencies(self.rules, [parse_material(self.rules, name) for name in names])
        return [material_name(self.rules, one) for one in planned]

    def _wanted(self, asked: Asked) -> Wanted:
        return Wanted(self.rules, asked.pieces, chosen_materials(self.rules, asked.pieces, asked.materials), asked.solver)

    def needs(self, asked: Asked, terms: Terms, counted: set[Counted]) -> Needs:
        """See `TableSort.needs`."""
        return table_work.needs_of(self._wanted(asked), terms, counted)

    def build(self, asked: Asked, terms: Terms, *, summarized: bool = False) -> BuildResult:
        """See `TableSort.build`."""
        return table_work.build_tables(self._wanted(asked), terms, summarized=summarized)

    def estimate(
        self, asked: Asked, folder: Path, workers: int | None, allowed: int | None, catalog: str | None, *, measured: bool
    ) -> tuple[list[Estimate], int]:
        """See `TableSort.estimate` and `tablebase.building.estimate.estimate`."""
        materials, count = chosen_materials(self.rules, asked.pieces, asked.materials), usable_workers(workers)
        lines = estimate(
            self.rules,
            asked.pieces,
            materials,
            folder,
            measure(self.rules) if measured else None,
            whole=not asked.materials,
            workers=count,
            allowed=allowed,
            catalog=catalog,
        )
        return lines, count

    def estimate_table(self, lines: Sequence[Estimate], workers: int, folder: Path) -> tuple[list[dict[str, object]], str]:
        """See `TableSort.estimate_table`; the last rows are the start of the program, and the total."""

        def row(name: str | int, some: Sequence[Estimate]) -> dict[str, object]:
            return {
                what: str(name),
                "tables": sum(line.tables for line in some),
                "placements": sum(line.placements for line in some),
                "memory": in_bytes(max(line.memory for line in some)),
                "disk": in_bytes(sum(line.disk for line in some)),
                "CPU time": in_time(sum(line.cpu_seconds for line in some)),
                "time": in_time(sum(line.wall_seconds for line in some)),
            }

        what = "pieces" if lines[0].material is None else "material"
        rows = [row(line.material or line.pieces, [line]) for line in lines]
        start = lines[0].start_seconds
        rows.append({**dict.fromkeys(rows[0]), what: "start", "CPU time": in_time(start), "time": in_time(start)})
        total = {"CPU time": in_time(start + sum(line.cpu_seconds for line in lines))}
        rows.append({**row("total", lines), **total, "time": in_time(start + sum(line.wall_seconds for line in lines))})
        there = f"{in_bytes(free_space(folder))} of disk free, {in_bytes(machine.memory())} of memory"
        return rows, f"time is by the clock, with workers: {workers}\nthere is: {there}, processors: {machine.cores()}"

    def verify(
        self, asked: Asked, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        """See `TableSort.verify` and `verify_tables`."""
        materials = self._parsed(asked.materials)
        return verify_tables(self.rules, folder, asked.pieces, materials, local_executor(workers), published, catalog)

    def title_at(self, path: Path) -> str:
        """See `TableSort.title_at`."""
        return f"{self.rules.name} {path.stem}"

    def opened_at(self, folder: Path, path: Path) -> Table:
        """See `TableSort.opened_at`; the name alone says which table it is."""
        del folder
        return Table(path, self.rules, parse_material(self.rules, path.stem))

    def opened(self, path: Path, row: Mapping[str, Any]) -> Table:
        """See `TableSort.opened`."""
        return Table(path, self.rules, parse_material(self.rules, row["material"]))

    def read(self, folder: Path, path: Path) -> Entry:
        """See `TableSort.read`."""
        material = parse_material(self.rules, path.stem)
        place = table_path(folder, self.rules, locate(self.rules, material, 0).material)
        if path != place:
            raise CorruptTableError(f"is not where this table belongs, which is {place}", path)
        check_seal(path, title(self.rules, material))
        with closing(Table(path, self.rules, material)) as table:
            table.check_chunks()
            return self.entry_of(folder, table)

    def claimed_digest(self, file: Table) -> str:
        """See `TableSort.claimed_digest`."""
        return file.header.values_sha256

    def values_digest(self, file: Table) -> str:
        """See `TableSort.values_digest`."""
        return file.values_digest({side: file.source(side) for side in file.header.summaries})

    def rewrite(self, path: Path, file: Table, form: Form) -> Path:
        """See `TableSort.rewrite`."""
        return rewrite_draft(path, file, form)

    def is_in_place(self, entry: Entry) -> bool:
        """See `TableSort.is_in_place`; slices that play alike are stored as one of them."""
        try:
            material = parse_material(self.rules, entry.row["material"])
        except (KeyError, TablebaseError):
            return False
        return locate(self.rules, material, 0).material == material

    def entry_of(self, folder: Path, file: Table) -> Entry:
        """See `TableSort.entry_of`."""
        registration = of_file(folder, self.rules, file)
        return Entry({name: registration[name] for name in TABLE}, registration)

    def enter(self, session: Session, entry: Entry, known: Entry | None) -> None:
        """See `TableSort.enter` and `enter_known`."""
        assert entry.registration is not None
        enter_known(session, self.rules, entry.registration, known)
