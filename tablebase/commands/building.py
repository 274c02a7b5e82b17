"""Build tables from Python: `tablebase.build` and `estimate`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.building.build import build as build_tables
from tablebase.building.estimate import Estimate
from tablebase.building.kinds import table_kind
from tablebase.building.options import DASK, LOCAL, BuildOptions, TableQuery, chosen_limits
from tablebase.building.records import BuildResult, Log
from tablebase.catalog.catalog import read_known
from tablebase.commands.arguments import as_counts, as_duration, as_optional, as_texts, as_time, as_workers
from tablebase.compute.messages import in_bytes, in_time
from tablebase.errors import ArgumentError, ArgumentTypeError, did_you_mean, quoted
from tablebase.executors.executor import Limits
from tablebase.game.game_arguments import AnyGame, as_rules, refuse_given
from tablebase.game.plain_arguments import (
    as_path,
    as_size,
    as_text,
    as_whole,
    end_of_work,
    refused,
    usable_workers,
)
from tablebase.game.rules import Rules
from tablebase.probe.html import titled_table
from tablebase.tables.folder import default_catalog, default_folder

if TYPE_CHECKING:
    # Other games load what they need themselves.
    from tablebase.building.exact_kind import Estimate as ExactEstimate
    from tablebase.building.layer_kind import Estimate as LayerEstimate

    AnyEstimate = Estimate | LayerEstimate | ExactEstimate

DEFAULT_GRACE = "10min"
SHOWN = 10
"""Tables that a notebook shows, the slowest first."""


class ShownResult(BuildResult):
    """The outcome of a build, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        slowest = sorted(self.records, key=lambda record: -record.seconds)[:SHOWN]
        rows = [
            {
                "table": record.material,
                "placements": f"{record.placements:,}",
                "engine": record.engine,
                "time": in_time(record.seconds),
                "on disk": in_bytes(record.bytes),
            }
            for record in slowest
        ]
        return titled_table(repr(self), [], rows)


class Estimates(list["AnyEstimate"]):
    """The needs of a build: one line for each number of pieces, material, layer or table of exact values. Notebooks show a table.

    Parameters
    ----------
    lines : iterable of Estimate
    workers : int
        Number of processes that the times by the clock are for.
    """

    def __init__(self, lines: Iterable[AnyEstimate], workers: int = 1) -> None:
        super().__init__(lines)
        self.workers = workers

    def _repr_html_(self) -> str:
        return titled_table("estimate", [], [asdict(line) for line in self])


def build(
    game: AnyGame,
    *,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    pieces: int | range | str | None = None,
    material: str | Sequence[str] | None = None,
    data: str | Path | None = None,
    catalog: str | None = None,
    workers: int | None = None,
    memory: int | str | None = None,
    executor: str = LOCAL,
    scheduler: str | None = None,
    solver: str = "auto",
    deadline: str | datetime | float | None = None,
    duration: str | timedelta | float | None = None,
    grace: str | timedelta | float = DEFAULT_GRACE,
    log: str | Path | None = None,
    json_log: str | Path | None = None,
    verbose: bool = False,
    **limits: int | str,
) -> BuildResult:
    """Solve, verify and store the tables that are missing, as ``tablebase build`` does.

    A bar (without a terminal or a notebook, a line each minute) and messages are written to standard error.
    An interrupted build can be started again: finished tables and checkpoints are kept, and drafts are removed.

    Parameters
    ----------
    game : str, Game or StochasticGame
        An installed game.
    size : str, optional
        Files and ranks, such as ``8x8``.
    variant : str or sequence of str, optional
        Such as ``early=none``.
    pieces : int, range or str, optional
        Number of pieces, or several: ``range(2, 5)`` or ``"2-4"``.
    material : str or sequence of str, optional
        Such as ``RCvW``. Without pieces and material the tables of the start are built, if the game is small enough.
    data : str or Path, optional
        Folder of the tables; by default the one that the environment variable TABLEBASE_DATA names, or else ``data``.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.
    workers : int, optional
        Number of processes; by default one for each processor. One process builds the table of a game by functions.
    memory : int or str, optional
        Bytes, or a text such as ``8G``: solve only as many tables at once as fit.
    executor : str
        ``local`` or ``dask``.
    scheduler : str, optional
        Of Dask, such as ``tcp://host:8786``.
    solver : str
        Solver: ``auto`` or the name of one; all write the same files.
    deadline : str, datetime or float, optional
        When to stop: ``07:00``, ``2030-01-31T07:00``, or seconds since the epoch.
    duration : str, timedelta or float, optional
        Time after which to stop (the option ``--for``): ``8h``, or seconds.
    grace : str, timedelta or float
        Time after the deadline for tables in work.
    log, json_log : str or Path, optional
        Files that get a line for each table, for people and as JSON.
    verbose : bool
        Whether to write a line about each table.
    **limits
        Of the tables of a game with chance, such as ``carrots=60``.

    Returns
    -------
    BuildResult
        Its `left` is the number of tables still missing at the deadline, which is not an error.

    Raises
    ------
    TablebaseError
        If an argument is wrong, or for any reason why the command would fail.
    """
    rules = as_rules(game, as_optional(as_text, "size", size), as_texts("variant", variant))
    counts, materials = as_counts(pieces), as_texts("material", material)
    end = end_of_work(as_optional(as_time, "deadline", deadline), as_optional(as_duration, "duration", duration))
    after = as_duration("grace", grace)
    if executor not in (LOCAL, DASK):
        raise refused("executor", f"{LOCAL!r} or {DASK!r}", executor, ArgumentError)
    asked = as_optional(as_workers, "workers", workers)
    allowed = as_optional(as_size, "memory", memory)
    kind = table_kind(rules)
    refuse_given(rules, pieces=pieces, material=material)
    kind.check_executor(executor)
    kind.check_solver(as_text("solver", solver))
    wanted = TableQuery(counts, materials, _limits(rules, limits), solver)
    folder = default_folder() if data is None else as_path("data", data)
    url = default_catalog() if catalog is None else as_text("catalog", catalog)
    with Log(as_optional(as_path, "log", log), as_optional(as_path, "json_log", json_log), folder) as lines:
        resources = chosen_limits(asked, allowed, executor, scheduler)
        options = BuildOptions(folder, resources, end, after, 0, lines, verbose, url, executor, scheduler, asked is not None)
        summarized = end is not None or log is not None or json_log is not None
        return ShownResult(**vars(build_tables(kind, wanted, options, summarized=summarized)))


def estimate(
    game: AnyGame,
    *,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    pieces: int | range | str | None = None,
    material: str | Sequence[str] | None = None,
    data: str | Path | None = None,
    catalog: str | None = None,
    workers: int | None = None,
    memory: int | str | None = None,
    measure: bool = False,
    **limits: int | str,
) -> Estimates:
    """Predict the disk space, memory and time a build needs, as ``tablebase estimate`` does.

    Parameters
    ----------
    game, size, variant, pieces, material, data, catalog, workers, memory, **limits
        See `build`.
    measure : bool
        Build a table in a temporary folder first, to measure this machine's speed.

    Returns
    -------
    Estimates
        A list of `tablebase.building.estimate.Estimate`; with chance of `tablebase.building.layer_kind.Estimate`, and for games by
        functions without chance of `tablebase.building.exact_kind.Estimate`.

    Raises
    ------
    TablebaseError
        If an argument is wrong.
    """
    rules = as_rules(game, as_optional(as_text, "size", size), as_texts("variant", variant))
    counts, materials = as_counts(pieces), as_texts("material", material)
    asked = as_optional(as_workers, "workers", workers)
    allowed = as_optional(as_size, "memory", memory)
    wanted = TableQuery(counts, materials, _limits(rules, limits))
    refuse_given(rules, pieces=pieces, material=material)
    folder = default_folder() if data is None else as_path("data", data)
    url = default_catalog() if catalog is None else as_text("catalog", catalog)
    kind = table_kind(rules)
    options = BuildOptions(folder, Limits(usable_workers(asked), allowed), workers_given=asked is not None)
    lines = kind.estimate(wanted, options, read_known(rules, folder, url), measured=measure)
    return Estimates(lines, 1 if kind.in_process else options.limits.workers)


def _limits(game: Rules[Any], limits: Mapping[str, Any]) -> dict[str, int | str]:
    """The limits of a table's region, if the game has any."""
    known = game.limits
    for name in limits:
        if name not in known:
            there = ", ".join(known) or "none"
            meant = did_you_mean(name, known)
            fault = f"{quoted(name)} is not an argument for tables of {game.name}{meant}; their limits are: {there}"
            raise ArgumentTypeError(fault)
    return {name: as_whole(name, one) if isinstance(known[name], int) else as_text(name, one) for name, one in limits.items()}
