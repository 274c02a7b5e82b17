"""Commands that make tables: build, estimate, reindex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli.options import (
    DEFAULT_DATA,
    Data,
    Format,
    GameName,
    Materials,
    Pieces,
    Size,
    Style,
    Variant,
    Workers,
    chosen_game,
)

if TYPE_CHECKING:
    from tablebase.game import Game
    from tablebase.slices.material import Material


def build(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    data: Data = DEFAULT_DATA,
    workers: Workers = 1,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="8G", help="Run no more side by side than fits in this.")
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="auto, bitrow, pursuit, reference or sweep; all write the same files.")
    ] = "auto",
) -> None:
    """Solve, verify and store tables that are not there yet."""
    from tqdm import tqdm

    from tablebase.build import tables as building
    from tablebase.build.estimate import check_capacity, describe_solvers, physical_memory
    from tablebase.build.plan import plan
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.options import parse_size
    from tablebase.cli.output import say
    from tablebase.executors.executor import Limits
    from tablebase.executors.local import LocalExecutor
    from tablebase.slices.placements import table_placements
    from tablebase.solvers.registry import find_solver

    rules, materials = _wanted(chosen_game(game, size, variant), pieces, material)
    find_solver(engine)
    limits = Limits(workers, physical_memory() if memory is None else parse_size(memory))
    planned = plan(rules, pieces, materials)
    catalog = Catalog(data, create=True)
    missing = building.missing_tables(rules, planned, data, catalog)
    catalog.close()
    if not missing:
        say(f"nothing to do: all {len(planned)} tables are in {data}, built and verified")
        return
    check_capacity(rules, missing, data, limits, engine)
    say(describe_solvers(rules, missing, engine))
    total = sum(table_placements(rules, table) for table in missing)
    with tqdm(total=total, unit="pos", unit_scale=True, desc=rules.name) as bar:
        for built in building.build(rules, planned, data, executor=LocalExecutor(limits), engine=engine):
            bar.update(table_placements(rules, built.material))
    say(f"built and verified in {data}: {len(missing)} of {len(planned)} tables, {total:,} placements")


def estimate(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    data: Data = DEFAULT_DATA,
    measure: Annotated[bool, typer.Option("--measure", help="Build one table first, to know this machine's speed.")] = False,
    style: Style = Format.TABLE,
) -> None:
    """Tell what tables would take before they are built: positions, memory, disk, time."""
    from dataclasses import asdict

    from tablebase.build import tables as building
    from tablebase.build.estimate import estimate as estimated
    from tablebase.cli.output import write_rows

    rules, materials = _wanted(chosen_game(game, size, variant), pieces, material)
    rates = building.measure(rules) if measure else None
    write_rows([asdict(line) for line in estimated(rules, pieces, materials, data, rates, whole=not material)], style)


def reindex(data: Data = DEFAULT_DATA) -> None:
    """Rebuild the catalog from the table files alone."""
    from tablebase.build.reindex import reindex as rebuild
    from tablebase.cli.output import say
    from tablebase.errors import TablebaseError

    if not data.is_dir():
        raise TablebaseError(f"there is no folder {data}: name the folder of the tables with --data")
    entered = rebuild(data)
    say(f"catalog of {data} rebuilt from {sum(entered.values())} tables of {', '.join(entered) or 'no game'}")


def _wanted(game: Game, pieces: int | None, texts: list[str] | None) -> tuple[Game, list[Material]]:
    """The game and the materials asked for; if none is, all of a game that is small enough."""
    from tablebase.build.plan import start_material
    from tablebase.errors import TablebaseError
    from tablebase.slices.material import parse_materials

    materials = [one for text in texts or [] for one in parse_materials(game, text)]
    if pieces is None and not texts:
        start = start_material(game)
        if start is None:
            raise TablebaseError("say which tables: --pieces 3 for all up to three pieces, or --material RCvW for one slice")
        materials = [start]
    return game, materials


COMMANDS = (build, estimate, reindex)
