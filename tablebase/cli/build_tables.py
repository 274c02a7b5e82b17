"""A build from the command line or a batch file: sentences, progress and logs around `tablebase.build`."""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from tablebase.build import tables as building
from tablebase.build.capacity import check_capacity, describe_sharing, describe_solvers
from tablebase.build.estimate import elapsed
from tablebase.build.needs import cells, costs_in, disk, memory
from tablebase.build.pace import Pace
from tablebase.build.plan import wanted_materials, with_dependencies
from tablebase.build.records import Begun, Ended, Report, TableRecord
from tablebase.build.tables import Built
from tablebase.catalog.catalog import Catalog, TableCost
from tablebase.catalog.databases import has_catalog
from tablebase.cli.log import say_summary
from tablebase.cli.output import say
from tablebase.cli.progress import Progress, progress
from tablebase.cli.terms import Needs, Terms
from tablebase.compute.stages import Stage
from tablebase.executors.scheduler import DROPPED, Deadline
from tablebase.game import Game
from tablebase.slices.material import Material, material_name
from tablebase.slices.placements import table_placements
from tablebase.solvers.registry import AUTO, find_solver

RECENT = 8
"""Tables from which the time of the next ones by the clock is judged."""


@dataclass(frozen=True)
class Wanted:
    """What to build.

    Parameters
    ----------
    game : Game
    pieces : range or None
    materials : list of Material
    engine : str
    """

    game: Game
    pieces: range | None
    materials: list[Material]
    engine: str = AUTO

    def planned(self) -> tuple[list[Material], tuple[Material, ...]]:
        """The stored materials that are asked for, and these with all that they depend on."""
        wanted = wanted_materials(self.game, self.pieces, self.materials)
        return wanted, with_dependencies(self.game, wanted)


def needs_of(wanted: Wanted, terms: Terms) -> Needs:
    """What the missing tables of a plan need.

    Raises
    ------
    CapacityError
        If one of them does not fit into memory, or all of them do not fit onto the disk.
    """
    game, limits, data = wanted.game, terms.limits, terms.data
    find_solver(wanted.engine)
    missing = missing_tables(wanted, wanted.planned()[1], data, terms.catalog)
    if not missing:
        return Needs()
    check_capacity(game, missing, data, limits, wanted.engine, terms.keep_free, terms.catalog)
    costs = costs_in(game, data, terms.catalog)
    pace = Pace(game, wanted.engine, limits.memory, costs)
    seconds = [pace.seconds(material) for material in missing]
    largest = max(memory(game, material, wanted.engine, limits.memory) for material in missing)
    placements = sum(table_placements(game, material) for material in missing)
    return Needs(len(missing), placements, largest, disk(game, missing, costs), sum(seconds), elapsed(seconds, largest, limits))


def missing_tables(wanted: Wanted, planned: tuple[Material, ...], data: Path, catalog: str | None) -> tuple[Material, ...]:
    """The planned materials that a folder has no table of."""
    if not has_catalog(data, catalog):
        return planned
    # A folder that can only be read may need no more tables.
    with closing(Catalog(data, create=os.access(data, os.W_OK), catalog=catalog)) as opened:
        return building.missing_tables(wanted.game, planned, data, opened)


def build_tables(wanted: Wanted, terms: Terms, *, summarized: bool = False) -> int:
    """Solve, verify and store the missing tables, and say so.

    Parameters
    ----------
    wanted : Wanted
    terms : Terms
    summarized : bool
        Whether to say what it came to in the end, in more than a line.

    Returns
    -------
    int
        How many tables are left at the deadline.
    """
    find_solver(wanted.engine)
    asked, planned = wanted.planned()
    if not has_catalog(terms.data, terms.catalog):
        # A folder in which nothing can be made is refused before anything else is said.
        Catalog(terms.data, create=True, catalog=terms.catalog).close()
    missing = missing_tables(wanted, planned, terms.data, terms.catalog)
    if not missing:
        say(f"nothing to do: all {len(planned)} tables are in {terms.data}, built and verified")
        return 0
    check_capacity(wanted.game, missing, terms.data, terms.limits, wanted.engine, terms.keep_free, terms.catalog)
    if len(planned) > len(asked):
        say(f"tables asked for: {len(asked)}; further tables that these depend on: {len(planned) - len(asked)}")
    say(describe_solvers(wanted.game, missing, wanted.engine, terms.limits.memory))
    if terms.limits.workers > 1:
        say(describe_sharing(wanted.game, missing, terms.limits, wanted.engine))
    work = _Building(wanted, terms, planned, missing)
    work.run()
    ended = work.ended()
    say(f"built and verified in {terms.data}: {ended.done} of {len(planned)} tables, {ended.placements:,} placements")
    if summarized:
        say_summary(ended)
    return ended.left


class _Building:
    """The missing tables of a plan, while they are built."""

    def __init__(self, wanted: Wanted, terms: Terms, planned: tuple[Material, ...], missing: tuple[Material, ...]) -> None:
        self._wanted, self._terms, self._planned = wanted, terms, planned
        game, limits = wanted.game, terms.limits
        self._placements = {material: table_placements(game, material) for material in planned}
        self._pace = Pace(game, wanted.engine, limits.memory, costs_in(game, terms.data, terms.catalog))
        self._expected = {material: self._pace.seconds(material) for material in missing}
        largest = max(memory(game, material, wanted.engine, limits.memory) for material in missing)
        self._begin = time.monotonic()
        self._recent: deque[Built] = deque(maxlen=RECENT)
        self._report = Report(
            Begun(
                game=game.name,
                tables=len(missing),
                placements=sum(self._placements[material] for material in missing),
                expected_seconds=elapsed(list(self._expected.values()), largest, limits),
                workers=limits.workers,
                memory=limits.memory,
                deadline=None
                if terms.end is None
                else datetime.fromtimestamp(terms.end).astimezone().isoformat(timespec="seconds"),
            )
        )

    def run(self) -> None:
        """Build them, until the deadline."""
        game, terms = self._wanted.game, self._terms
        terms.log.write(self._report.begun)
        total = sum(self._placements.values())
        deadline = None if terms.end is None else Deadline(terms.end, self._seconds, terms.grace)
        done = total - self._report.begun.placements
        with progress(f"build {game.name}", "placements", total, done, verbose=terms.verbose, compiles=True) as shown:
            for built in building.build(
                game,
                self._planned,
                terms.data,
                executor=terms.executor(),
                engine=self._wanted.engine,
                deadline=deadline,
                watch=partial(self._watch, shown),
                catalog=terms.catalog,
            ):
                self._finish(built, shown)

    def ended(self) -> Ended:
        """The last record, which is also written to the log."""
        ended = self._report.ended(time.monotonic() - self._begin)
        self._terms.log.write(ended)
        return ended

    def _seconds(self, material: Material) -> float:
        """Seconds by the clock that a table is expected to take, judged by the last ones."""
        slowdown = (
            sum(built.elapsed for built in self._recent) / sum(built.seconds for built in self._recent) if self._recent else 1
        )
        return slowdown * self._pace.seconds(material)

    def _watch(self, shown: Progress, material: Material, stage: Stage) -> None:
        """Show how far a table has come."""
        name = material_name(self._wanted.game, material)
        if stage == DROPPED:
            self._report.dropped.append(name)
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
        self._report.add(record, self._expected[built.material])
        self._terms.log.write(record)
        shown.leave(record.material)
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
