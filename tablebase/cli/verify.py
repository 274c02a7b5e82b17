"""The command that checks tables: verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import chances
from tablebase.cli.options import (
    CHECK_FAILED,
    DEFAULT_DATA,
    CatalogUrl,
    Data,
    GameName,
    Materials,
    Pieces,
    Size,
    Variant,
    Verbose,
    Workers,
    chosen_rules,
)
from tablebase.game.stochastic import StochasticGame


def verify(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    workers: Workers = 1,
    published: Annotated[
        Path | None, typer.Option("--published", metavar="FILE", help="Also compare the values with those published in a CSV file.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Check every byte and every position of the tables."""
    from tablebase.cli.output import say
    from tablebase.cli.progress import progress
    from tablebase.executors.executor import Limits
    from tablebase.executors.local import LocalExecutor
    from tablebase.slices.material import parse_materials
    from tablebase.verify.published import read_published
    from tablebase.verify.tablebase import verify_tables

    rules = chosen_rules(game, size, variant)
    if isinstance(rules, StochasticGame):
        chances.refuse_given(rules, pieces=pieces, material=material, published=published)
        chances.verify(rules, data, workers, verbose, catalog)
        return
    materials = [parsed for text in material or [] for parsed in parse_materials(rules, text)]
    checked = failed = compared = 0
    expected = read_published(published, rules) if published else {}
    total, results = verify_tables(rules, data, pieces, materials, LocalExecutor(Limits(workers)), expected, catalog)
    with progress(f"verify {rules.name}", "tables", total, verbose=verbose, compiles=True) as shown:
        for name, fault in results:
            checked += 1
            compared += name in expected
            shown.update()
            if fault is not None:
                failed += 1
                shown.write(f"error: {fault}")
            else:
                shown.note(f"{name}: correct")
    say(f"correct tables: {checked - failed} of {checked}")
    if published:
        say(f"tables that {published} lists, too: {compared} of {checked}")
    if failed:
        raise typer.Exit(CHECK_FAILED)


COMMANDS = (verify,)
