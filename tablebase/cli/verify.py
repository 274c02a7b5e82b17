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
    Materials,
    Pieces,
    Size,
    Variant,
    Verbose,
    Workers,
    chosen_rules,
    complete_game,
)
from tablebase.errors import TablebaseError
from tablebase.game.stochastic import StochasticGame


def verify(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Name of the game; with --quick, all games by default.", autocompletion=complete_game),
    ] = None,
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
    quick: Annotated[bool, typer.Option("--quick", help="Check the bytes of the files alone, and no positions.")] = False,
    verbose: Verbose = False,
) -> None:
    """Check every byte and every position of the tables."""
    if quick:
        if published is not None:
            raise TablebaseError("--published compares values, which --quick does not read: leave one of them out")
        _verify_files(game, size, variant, pieces, material, data, catalog, workers, verbose=verbose)
        return
    if game is None:
        raise TablebaseError("name the game whose positions are to be checked, or check the bytes of all tables with --quick")
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


def _verify_files(
    game: str | None,
    size: str | None,
    variant: list[str] | None,
    pieces: range | None,
    material: list[str] | None,
    data: Path,
    catalog: str | None,
    threads: int,
    *,
    verbose: bool,
) -> None:
    """Check the bytes of a game's tables, or of all tables that the catalog lists, also those of other rules."""
    from tablebase.catalog.entries import entries_of
    from tablebase.cli.output import say
    from tablebase.cli.progress import progress
    from tablebase.cli.transfers import entries_asked_for
    from tablebase.verify.files import verify_files

    if game is not None:
        entries = entries_asked_for(game, size, variant, pieces, material, data, catalog)
    elif size or variant or pieces or material:
        raise TablebaseError("name the game of the tables that are to be checked: which these are depends on it")
    else:
        entries = list(entries_of(data, catalog).values())
    failed = 0
    with progress(f"verify {game or data}", "tables", len(entries), verbose=verbose) as shown:
        for name, fault in verify_files(data, entries, threads):
            shown.update()
            failed += fault is not None
            shown.write(f"error: {fault}") if fault else shown.note(f"{name}: the bytes are those that were written")
    say(f"tables whose bytes are as they were written: {len(entries) - failed} of {len(entries)}; positions were not checked")
    if failed:
        raise typer.Exit(CHECK_FAILED)


COMMANDS = (verify,)
