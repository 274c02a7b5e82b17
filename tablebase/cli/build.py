"""Commands that make tables: build, estimate, reindex."""

from __future__ import annotations

import os
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
        str | None, typer.Option("--memory", metavar="8G", help="Solve only as many tables at once as fit into this much memory.")
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", help="Solver: auto, bitrow, pursuit, reference or sweep; all write the same files.")
    ] = "auto",
) -> None:
    """Solve, verify and store the tables that are missing."""
    from tqdm import tqdm

    from tablebase.build import tables as building
    from tablebase.build.estimate import check_capacity, describe_solvers, physical_memory
    from tablebase.build.plan import plan
    from tablebase.catalog.catalog import Catalog
    from tablebase.catalog.sqlite import FILE_NAME
    from tablebase.cli.options import parse_size
    from tablebase.cli.output import say
    from tablebase.executors.executor import Limits
    from tablebase.executors.local import LocalExecutor
    from tablebase.slices.placements import table_placements
    from tablebase.solvers.registry import find_solver

    rules = chosen_game(game, size, variant)
    materials = _chosen_materials(rules, pieces, material)
    find_solver(engine)
    limits = Limits(workers, physical_memory() if memory is None else parse_size(memory))
    planned = plan(rules, pieces, materials)
    # A folder that can only be read may need no more tables.
    catalog = Catalog(data, create=not (data / FILE_NAME).exists() or os.access(data, os.W_OK))
    missing = building.missing_tables(rules, planned, data, catalog)
    catalog.close()
    if not missing:
        say(f"nothing to do: all {len(planned)} tables are in {data}, built and verified")
        return
    check_capacity(rules, missing, data, limits, engine)
    say(describe_solvers(rules, missing, engine))
    total = sum(table_placements(rules, stored) for stored in missing)
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
    measure: Annotated[
        bool, typer.Option("--measure", help="Build a table in a temporary folder first, to measure this machine's speed.")
    ] = False,
    style: Style = Format.TABLE,
) -> None:
    """Predict the disk space, memory and time a build needs."""
    from dataclasses import asdict

    from tablebase.build import tables as building
    from tablebase.build.estimate import estimate as estimate_build
    from tablebase.cli.output import write_rows

    rules = chosen_game(game, size, variant)
    materials = _chosen_materials(rules, pieces, material)
    speed = building.measure(rules) if measure else None
    write_rows([asdict(line) for line in estimate_build(rules, pieces, materials, data, speed, whole=not material)], style)


def reindex(data: Data = DEFAULT_DATA) -> None:
    """Rebuild the catalog from the table files."""
    from tablebase.build.reindex import reindex as rebuild
    from tablebase.cli.output import say
    from tablebase.errors import TablebaseError

    if not data.is_dir():
        raise TablebaseError(f"there is no folder {data}: name the tables' folder with --data")
    counts = rebuild(data)
    say(f"catalog of {data} rebuilt from {sum(counts.values())} tables of {', '.join(counts) or 'no game'}")


def _chosen_materials(game: Game, pieces: int | None, texts: list[str] | None) -> list[Material]:
    """The materials named; without any, and without a number of pieces, that of the start if the game is small enough."""
    from tablebase.build.plan import start_material
    from tablebase.errors import TablebaseError
    from tablebase.slices.material import parse_materials

    if pieces is None and not texts:
        start = start_material(game)
        if start is None:
            raise TablebaseError("choose tables: --pieces 3 for all of up to three pieces, or --material RCvW for one material")
        return [start]
    return [material for text in texts or [] for material in parse_materials(game, text)]


COMMANDS = (build, estimate, reindex)
