"""A build from the command line or a batch file: sentences, progress and logs around `tablebase.building.tables`."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Container, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tablebase.building import tables as building
from tablebase.building.estimate import (
    Pace,
    cells,
    check_capacity,
    compiling,
    costs_in,
    disk,
    elapsed,
    memory,
    solver_memory,
    start_seconds,
)
from tablebase.building.plan import Examined, dependency_graph, examine, wanted_materials, with_dependencies
from tablebase.building.records import Begun, BuildResult, Report, TableRecord, say_summary
from tablebase.building.tables import Built
from tablebase.building.terms import Counted, Needs, Terms
from tablebase.catalog.catalog import Catalog, TableCost, has_catalog
from tablebase.compute.messages import Stage, say
from tablebase.compute.progress import Progress, progress
from tablebase.executors.executor import Limits
from tablebase.executors.scheduler import DROPPED, Deadline, is_chain
from tablebase.game import Game
from tablebase.slices.location import locate, table_placements
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.solvers.registry import AUTO, choose_solver, find_solver

STARTED: Counted = ("", "start")
"""Stands for the start of the program among what has been counted."""
RECENT = 8
"""Tables from which the time of the next ones by the clock is judged."""


@dataclass(frozen=True)
class Wanted:
    """What to build."""

    game: Game
    pieces: range | None
    materials: list[Material]
    solver: str = AUTO

    def planned(self) -> tuple[list[Material], tuple[Material, ...]]:
        """The stored materials that are asked for, and these with all that they depend on."""
        wanted = wanted_materials(self.game, self.pieces, self.materials)
        return wanted, with_dependencies(self.game, wanted)


def needs_of(wanted: Wanted, terms: Terms, counted: set[Counted] | None = None) -> Needs:
    """What the missing tables of a plan need, without those that have been `counted`, which are added to these.

    Raise `CapacityError` if one of them does not fit into memory, or all of them do not fit onto the disk.
    """
    game, limits, data = wanted.game, terms.limits, terms.data
    find_solver(wanted.solver)
    known = set() if counted is None else counted
    missing = tuple(
        material
        for material in examined(wanted, wanted.planned()[1], data, terms.catalog).missing
        if (game.name, material_name(game, material)) not in known
    )
    if not missing:
        return Needs()
    known.update((game.name, material_name(game, material)) for material in missing)
    check_capacity(game, missing, data, limits, wanted.solver, terms.keep_free, terms.catalog)
    costs = costs_in(game, data, terms.catalog)
    pace = Pace(game, wanted.solver, limits.memory, costs)
    seconds = [pace.seconds(material) for material in missing]
    largest = max(memory(game, material, wanted.solver, limits.memory) for material in missing)
    placements = sum(table_placements(game, material) for material in missing)
    before = preparation(game.name, pace.solvers(missing), known)
    cpu_seconds, by_the_clock = before + sum(seconds), before + elapsed(seconds, largest, limits)
    return Needs(len(missing), placements, largest, disk(game, missing, costs), cpu_seconds, by_the_clock)


def preparation(game: str, solvers: set[str], counted: set[Counted]) -> float:
    """CPU-seconds before the first table: to start, and to compile kernels, as far as that has not been counted."""
    new = {solver for solver in solvers if (game, solver) not in counted}
    start = 0.0 if STARTED in counted else start_seconds()
    counted.update({STARTED, *((game, solver) for solver in new)})
    return start + compiling(game, new)


def examined(wanted: Wanted, planned: tuple[Material, ...], data: Path, catalog: str | None) -> Examined:
    """The state of a plan in a folder."""
    if not has_catalog(data, catalog):
        return Examined(planned, {}, whole=True)
    with closing(Catalog(data, catalog=catalog)) as opened:
        return examine(wanted.game, planned, data, opened)


def build_tables(wanted: Wanted, terms: Terms, *, summarized: bool = False) -> BuildResult:
    """Solve, verify and store the missing tables of a plan, and say so; if `summarized`, in more than a line in the end."""
    find_solver(wanted.solver)
    asked, planned = wanted.planned()
    found = examined(wanted, planned, terms.data, terms.catalog)
    missing = found.missing
    if not missing:
        checked = "" if found.whole else f"; only their sizes and headers were checked: run 'tablebase verify {wanted.game.name}'"
        say(f"nothing to do: all {len(planned)} tables are in {terms.data}, built and verified{checked}")
        return BuildResult(wanted.game.name, terms.data, len(planned))
    check_capacity(wanted.game, missing, terms.data, terms.limits, wanted.solver, terms.keep_free, terms.catalog)
    # A folder in which nothing can be made, or that another build has locked, is refused before anything is said.
    if not has_catalog(terms.data, terms.catalog):
        Catalog(terms.data, create=True, catalog=terms.catalog).close()
    with building.lock(terms.data):
        pass
    if len(missing) < len(planned):
        say(f"solving {len(missing)} of {len(planned)} tables; the others are there already")
    elif len(planned) > len(asked):
        say(f"solving {len(planned)} tables: {len(asked)} asked for and {len(planned) - len(asked)} they depend on")
    else:
        say(f"solving {len(planned)} table{'s' if len(planned) > 1 else ''}")
    if terms.verbose:
        say(describe_solvers(wanted.game, missing, wanted.solver, terms.limits.memory))
    if terms.limits.workers > 1 and (terms.workers_given or terms.verbose or terms.limits.each):
        say(describe_sharing(wanted.game, missing, terms.limits, wanted.solver))
    work = _Building(wanted, terms, planned, missing)
    work.run()
    ended = work.report.ended()
    positions = count_positions(wanted.game, work.built, terms.data, terms.catalog)
    say(f"built and verified in {terms.data}: {ended.done} of {len(planned)} tables, {positions:,} positions")
    if summarized:
        say_summary(ended)
    return BuildResult(wanted.game.name, terms.data, len(planned), ended.left, ended.seconds, tuple(work.report.tables))


def describe_solvers(game: Game, missing: Sequence[Material], solver: str, allowed: int | None = None) -> str:
    """A sentence that says which solver will solve how many tables, and why."""
    chosen = find_solver(solver)
    if chosen is not None:
        return f"tables to solve with {chosen.name}: {len(missing)} (as asked for)"
    choices = (choose_solver(game, material, solver_memory(game, material, allowed)) for material in missing)
    reasons = Counter((fastest.name, reason) for fastest, reason in choices)
    return "; ".join(f"tables to solve with {name}: {count} ({why})" for (name, why), count in reasons.items())


def describe_sharing(game: Game, missing: Sequence[Material], limits: Limits, solver: str) -> str:
    """A sentence that says how several workers divide the work: among tables, or within a table."""
    if limits.each:
        return f"tables at a time: up to {limits.workers}, each in {limits.memory or 0:,} bytes of memory at most"
    if is_chain(dependency_graph(game, missing)):
        return f"tables at a time: 1, with {limits.workers} threads (each needs the one before it)"
    shared = f"tables at a time: up to {limits.workers}"
    if limits.memory is None:
        return shared
    alone = sum(2 * memory(game, material, solver, limits.memory) > limits.memory for material in missing)
    if not alone:
        return shared
    reason = f"two like them do not fit into {limits.memory:,} bytes"
    return f"{shared}; tables solved alone, with {limits.workers} threads: {alone} ({reason})"


def count_positions(game: Game, materials: Container[Material], data: Path, catalog: str | None) -> int:
    """Positions in the tables of these materials, aliases included, as `stats` counts them."""
    with closing(Catalog(data, catalog=catalog)) as opened:
        rows = opened.counts(game, "material")
    side_of = {side.letter: number for number, side in enumerate(game.sides)}
    stored = {row: locate(game, parse_material(game, str(row.material)), side_of[str(row.side)]).material for row in rows}
    return sum(row.positions for row in rows if stored[row] in materials)


class _Building:
    """The missing tables of a plan, while they are built."""

    def __init__(self, wanted: Wanted, terms: Terms, planned: tuple[Material, ...], missing: tuple[Material, ...]) -> None:
        self._wanted, self._terms, self._planned = wanted, terms, planned
        game, limits = wanted.game, terms.limits
        self._placements = {material: table_placements(game, material) for material in planned}
        self._pace = Pace(game, wanted.solver, limits.memory, costs_in(game, terms.data, terms.catalog))
        self._expected = {material: self._pace.seconds(material) for material in missing}
        largest = max(memory(game, material, wanted.solver, limits.memory) for material in missing)
        before = start_seconds() + compiling(game.name, self._pace.solvers(missing))
        self.built = set[Material]()
        self._recent: deque[Built] = deque(maxlen=RECENT)
        begun = Begun(
            game=game.name,
            tables=len(missing),
            placements=sum(self._placements[material] for material in missing),
            expected_seconds=before + elapsed(list(self._expected.values()), largest, limits),
            solvers=describe_solvers(game, missing, wanted.solver, limits.memory),
            workers=limits.workers,
            memory=limits.memory,
            deadline=terms.deadline,
        )
        self._done = sum(self._placements.values()) - begun.placements
        self.report = Report(begun, terms.log)

    def run(self) -> None:
        """Build them, until the deadline."""
        game, terms = self._wanted.game, self._terms
        total = sum(self._placements.values())
        deadline = None if terms.end is None else Deadline(terms.end, self._seconds, terms.grace)
        with progress(f"build {game.name}", "placements", total, self._done, verbose=terms.verbose, compiles=True) as shown:
            steps = building.build(
                game,
                self._planned,
                terms.data,
                executor=terms.executor(),
                solver=self._wanted.solver,
                deadline=deadline,
                watch=partial(self._watch, shown),
                catalog=terms.catalog,
                say=shown.write,
            )
            # Closed in order after an interruption, too.
            with closing(steps):
                for built in steps:
                    self._finish(built, shown)

    def _seconds(self, material: Material) -> float:
        """Seconds by the clock that a table is expected to take, judged by the last ones."""
        slowdown = (
            sum(built.elapsed for built in self._recent) / sum(built.seconds for built in self._recent) if self._recent else 1
        )
        return slowdown * self._pace.seconds(material)

    def _watch(self, shown: Progress, material: Material, stage: Stage) -> None:
        """Show how far a table has come."""
        name = material_name(self._wanted.game, material)
        if stage == building.DAMAGED:
            self.report.again += 1
        elif stage == DROPPED:
            self.report.dropped.append(name)
            shown.leave(name)
        else:
            shown.at(name, stage)

    def _finish(self, built: Built, shown: Progress) -> None:
        """Count, show and log a finished table, and learn from it."""
        game, placements = self._wanted.game, self._placements[built.material]
        record = TableRecord(
            game=game.name,
            material=material_name(game, built.material),
            engine=built.engine,
            placements=placements,
            seconds=built.elapsed,
            cpu_seconds=built.seconds,
            memory=built.memory,
            bytes=built.bytes,
        )
        # Not there if a damaged table, which was counted as done, has been built again.
        expected = self._expected.pop(built.material, None)
        self.report.add(record, self._pace.seconds(built.material) if expected is None else expected)
        shown.leave(record.material)
        self.built.add(built.material)
        if expected is not None:
            shown.update(placements)
        shown.note(_note(record))
        if built.engine is not None:
            self._recent.append(built)
            self._pace.learn(TableCost(record.material, cells(game, built.material), built.bytes, built.seconds, built.engine))


def _note(record: TableRecord) -> str:
    """A line about a finished table."""
    if record.engine is None:
        return f"{record.material}: {record.placements:,} placements, already there and correct"
    return f"{record.material}: {record.placements:,} placements, {record.engine}, {record.cpu_seconds:.1f} CPU-seconds"
