"""The command that checks tables: verify."""

from __future__ import annotations

import typer

from tablebase.cli.options import CHECK_FAILED, DEFAULT_DATA, Data, GameName, Only, Pieces, Size, Variant, Workers, chosen_game


def verify(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Only = None,
    data: Data = DEFAULT_DATA,
    workers: Workers = 1,
) -> None:
    """Check the bytes of tables, and every position against its moves."""
    from tqdm import tqdm

    from tablebase.cli.output import say
    from tablebase.executors.executor import Limits
    from tablebase.executors.local import LocalExecutor
    from tablebase.slices.material import parse_materials
    from tablebase.verify.tablebase import verify_tables

    rules = chosen_game(game, size, variant)
    faults = []
    checked = 0
    wanted = [one for text in material or [] for one in parse_materials(rules, text)]
    total, results = verify_tables(rules, data, pieces, wanted, LocalExecutor(Limits(workers)))
    with tqdm(total=total, unit="table", desc=f"verify {rules.name}") as bar:
        for fault in results:
            checked += 1
            bar.update()
            if fault is not None:
                faults.append(fault)
                bar.write(f"error: {fault}", file=bar.fp)
    say(f"tables that are right: {checked - len(faults)} of {checked}")
    if faults:
        raise typer.Exit(CHECK_FAILED)


COMMANDS = (verify,)
