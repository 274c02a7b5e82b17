"""Builds of stored materials from Python, without the sentences of the command."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tablebase.building.jobs import Made
from tablebase.building.make_tables import Observer
from tablebase.building.options import DASK, LOCAL, BuildOptions, chosen_limits
from tablebase.building.slice_kind import SliceTables, make_materials
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.entries import enter
from tablebase.game import Game
from tablebase.positions.material import Material
from tablebase.system.executors.executor import Limits
from tablebase.tables.reader import Table


def build(
    game: Game,
    planned: Sequence[Material],
    folder: Path,
    *,
    limits: Limits | None = None,
    solver: str = "auto",
    scheduler: str | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> Iterator[Made]:
    """Make the missing tables of a plan; `say` is called with sentences about damaged files."""
    observer = Observer()
    observer.say = say  # type: ignore[assignment]
    limits = limits or (chosen_limits(None, None, DASK, scheduler) if scheduler else Limits())
    where = DASK if limits.each else LOCAL
    return make_materials(game, planned, BuildOptions(folder, limits, where=where, scheduler=scheduler), solver, observer)


def register(catalog: Catalog, game: Game, table: Table, engine: str | None = None) -> None:
    kind = SliceTables(game)
    with catalog.writing() as connection:
        enter(connection, game, kind.entry_of(catalog.folder, table).solved(engine, None))
