"""The tables of games of pieces: each holds the slices of one stored material."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from tablebase.building import plan
from tablebase.building.estimate import SliceEstimate, SpeedModel, estimate, memory, solver_memory
from tablebase.building.jobs import CostModel, Job, Key, Made, graph_of
from tablebase.building.kind import TableKind
from tablebase.building.make_tables import Observer, make_tables
from tablebase.building.options import LOCAL, BuildOptions, TableQuery, local_executor
from tablebase.building.slice_work import make_shared_table, make_table
from tablebase.building.table_plan import plan_tables
from tablebase.catalog.catalog import read_known
from tablebase.catalog.entries import Entry, of_table
from tablebase.catalog.known import Known
from tablebase.checking.checksums import Checks
from tablebase.checking.tablebase import verify_tables
from tablebase.errors import CorruptTableError, MissingTableError, TablebaseError
from tablebase.game import Game
from tablebase.positions.indexing import layout_of
from tablebase.positions.location import dependencies, locate, stored_materials
from tablebase.positions.material import Material, material_name, parse_material, parse_materials
from tablebase.solvers.registry import AUTO, choose_solver, find_solver
from tablebase.system.compute import machine
from tablebase.system.compute.messages import in_bytes, in_time
from tablebase.system.compute.processes import cleanup_on_exit
from tablebase.system.executors.scheduler import is_chain
from tablebase.tables.folder import table_path
from tablebase.tables.header import Form
from tablebase.tables.missing import chosen_tables
from tablebase.tables.reader import Table
from tablebase.tables.writer import rewrite_draft

# ruff: noqa: ARG002, D102 (other methods, with all their parameters, are those of `TableKind`)

MEASURED_BYTES = 400_000_000
"""Upper limit on the memory of the table that `measure` builds, the largest one of at most four pieces."""


class SliceTables(TableKind[Game, Table]):
    """See `TableKind`; keys of jobs are stored materials."""

    pattern = "[0-9]*/*"
    title = "{game} {stem}"
    unit = "distinct placements"
    in_process = False

    def check_materials(self, texts: Sequence[str]) -> None:
        self._parsed(texts)

    def _parsed(self, texts: Sequence[str]) -> list[Material]:
        return [parsed for text in texts for parsed in parse_materials(self.rules, text)]

    def check_solver(self, name: str) -> None:
        find_solver(name)

    def check(self, query: TableQuery) -> None:
        self._planned(query)

    def _wanted(self, query: TableQuery) -> list[Material]:
        return plan.wanted_materials(self.rules, query.pieces, plan.chosen_materials(self.rules, query.pieces, query.materials))

    def _planned(self, query: TableQuery) -> tuple[Material, ...]:
        return plan.with_dependencies(self.rules, self._wanted(query))

    def number_wanted(self, query: TableQuery, jobs: Sequence[Job]) -> int:
        return len(self._wanted(query))

    def jobs(self, query: TableQuery, options: BuildOptions) -> tuple[Job, ...]:
        return self.jobs_of(self._planned(query), options.data)

    def jobs_of(self, planned: Sequence[Material], folder: Path) -> tuple[Job, ...]:
        """Return the jobs of stored materials, each of which comes after those that it depends on."""
        return tuple(
            Job(one, material_name(self.rules, one), table_path(folder, self.rules, one), dependencies(self.rules, one))
            for one in planned
        )

    def costs(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, known: Known) -> SpeedModel:
        return SpeedModel(self.rules, query.solver, options.limits, known.costs, planned=[job.key for job in jobs])

    def maker(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions, costs: CostModel) -> Callable[[Key], Made]:
        if options.where != LOCAL:
            # Workers publish their tables.
            old = frozenset(job.key for job in jobs if job.path.exists())
            folder = options.data.resolve()
            return partial(make_shared_table, self.rules.name, folder, query.solver, old, allowed=options.allowed_memory)
        return partial(make_table, self.rules.name, options.data, query.solver, allowed=options.allowed_memory)

    def solvers(self, jobs: Sequence[Job], query: TableQuery, options: BuildOptions) -> str:
        chosen = find_solver(query.solver)
        if chosen is not None:
            return f"tables to solve with {chosen.name}: {len(jobs)} (chosen with --solver)"
        allowed = options.limits.memory
        choices = (choose_solver(self.rules, job.key, solver_memory(self.rules, job.key, allowed)) for job in jobs)
        reasons = Counter((fastest.name, reason) for fastest, reason in choices)
        return "; ".join(f"tables to solve with {name}: {count} ({why})" for (name, why), count in reasons.items())

    def sharing(self, jobs: Sequence[Job], costs: CostModel, options: BuildOptions) -> str:
        """See `TableKind.sharing`; workers divide the work among tables, or within a table."""
        limits = options.limits
        if limits.each:
            return f"tables at a time: up to {limits.workers}, each with at most {limits.memory or 0:,} bytes of memory"
        if is_chain(graph_of(jobs)):
            return f"tables at a time: 1, with {limits.workers} threads (each depends on the previous one)"
        shared = f"tables at a time: up to {limits.workers}"
        if limits.memory is None:
            return shared
        alone = sum(2 * costs.cost(job.key).memory > limits.memory for job in jobs)
        if not alone:
            return shared
        reason = f"two do not fit into {limits.memory:,} bytes"
        return f"{shared}; tables solved alone, with {limits.workers} threads: {alone} ({reason})"

    def estimate(self, query: TableQuery, options: BuildOptions, known: Known, *, measured: bool) -> list[SliceEstimate]:
        return estimate(
            self.rules,
            query.pieces,
            plan.chosen_materials(self.rules, query.pieces, query.materials),
            known.costs,
            measure(self.rules) if measured else None,
            whole=not query.materials,
            workers=options.limits.workers,
            allowed=options.limits.memory,
        )

    def chosen(
        self, registered: Sequence[Entry], query: TableQuery, folder: Path, *, with_dependencies: bool = False
    ) -> list[Entry]:
        """See `TableKind.chosen` and `chosen_tables`; `MissingTableError` if a table is not registered."""
        entries = {str(entry.row["material"]): entry for entry in registered}
        names = chosen_tables(self.rules, folder, entries, query.pieces, self._parsed(query.materials))
        if with_dependencies:
            planned = plan.with_dependencies(self.rules, [parse_material(self.rules, name) for name in names])
            names = [material_name(self.rules, one) for one in planned]
        for name in names:
            if name not in entries:
                raise MissingTableError(self.rules.name, folder, material=name)
        return [entries[name] for name in names]

    def estimate_table(self, lines: Sequence[SliceEstimate], workers: int, folder: Path) -> tuple[list[dict[str, object]], str]:
        """See `TableKind.estimate_table`; the last rows are the start of the program, and the total."""

        def row(name: str | int, some: Sequence[SliceEstimate]) -> dict[str, object]:
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
        below = f"time: elapsed time, with workers: {workers}\n{self.there(folder)}, processors: {machine.cores()}"
        return rows, below

    def verify(
        self, query: TableQuery, folder: Path, workers: int | None, published: Mapping[str, str], catalog: str | None
    ) -> tuple[int, Checks]:
        materials = self._parsed(query.materials)
        return verify_tables(self.rules, folder, query.pieces, materials, local_executor(workers), published, catalog)

    def opened(self, path: Path, row: Mapping[str, Any]) -> Table:
        return Table(path, self.rules, parse_material(self.rules, row["material"]))

    def read(self, folder: Path, path: Path) -> Entry:
        """See `TableKind.read`; the name says where the table belongs."""
        place = table_path(folder, self.rules, locate(self.rules, parse_material(self.rules, path.stem), 0).material)
        if path != place:
            raise CorruptTableError(f"contains a table that belongs in the file {place}", path)
        return super().read(folder, path)

    def rewrite(self, path: Path, file: Table, form: Form) -> Path:
        return rewrite_draft(path, file, form)

    def is_in_place(self, entry: Entry) -> bool:
        """See `TableKind.is_in_place`; slices that play alike are stored as one of them."""
        try:
            material = parse_material(self.rules, entry.row["material"])
        except (KeyError, TablebaseError):
            return False
        return locate(self.rules, material, 0).material == material

    def entry_of(self, folder: Path, file: Table) -> Entry:
        return of_table(folder, self.rules, file)

    def size_of(self, entry: Entry) -> int:
        return sum(side.solution["placements"] for side in entry.sides)

    def count_of(self, entry: Entry) -> int:
        """See `TableKind.count_of`; positions of aliases as well, without stalemates."""
        solutions = [(side.solution, len(side.slices)) for side in entry.sides]
        return sum((counts["placements"] - counts["stalemates"]) * slices for counts, slices in solutions)


def make_materials(
    game: Game, planned: Sequence[Material], options: BuildOptions, solver: str = AUTO, observer: Observer | None = None
) -> Generator[Made, None, None]:
    """Make the missing tables of stored materials, which are closed under dependencies; see `make_tables`."""
    kind = SliceTables(game)
    return make_tables(plan_tables(kind, TableQuery(solver=solver), options, kind.jobs_of(planned, options.data)), observer)


def measure(game: Game) -> float:
    """Measure the build time relative to the reference machine, by building a table of medium size in a temporary folder."""
    counts = range(2, min(4, game.max_pieces) + 1)
    small = [one for count in counts for one in stored_materials(game, count) if memory(game, one) < MEASURED_BYTES]
    planned = plan.with_dependencies(game, [max(small, key=lambda material: layout_of(game, material).size)])
    scratch = mkdtemp()
    with cleanup_on_exit(partial(rmtree, scratch)):
        # In the second build all kernels are compiled.
        first, second = Path(scratch, "first"), Path(scratch, "second")
        for folder in (first, second):
            list(make_materials(game, planned, BuildOptions(folder)))
        return SpeedModel(game, known=read_known(game, second).costs).factor
