"""Commands that check: verify, check-rules."""

from __future__ import annotations

import typer

from tablebase.cli.options import DEFAULT_DATA, Data, Format, GameName, Only, Pieces, Size, Style, Variant, Workers, chosen_game

CHECK_FAILED = 1


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

    from tablebase.checking import verify_tables
    from tablebase.cli.output import say
    from tablebase.material import parse_materials

    rules = chosen_game(game, size, variant)
    faults = []
    checked = 0
    wanted = [one for text in material or [] for one in parse_materials(rules, text)]
    total, results = verify_tables(rules, data, pieces, wanted, workers)
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


def check_rules(game: GameName, size: Size = None, variant: Variant = None, style: Style = Format.TABLE) -> None:
    """Run the self-tests that every rules module must pass."""
    from tablebase.cli.output import write_rows
    from tablebase.testing import check_rules as run_checks

    results = run_checks(chosen_game(game, size, variant))
    rows = [
        {"check": one.name, "result": "ok" if one.failure is None else one.failure, "cases": one.cases, "shows": one.shows}
        for one in results
    ]
    write_rows(rows, style, ["check", "result", "cases", "shows"])
    if any(one.failure is not None for one in results):
        raise typer.Exit(CHECK_FAILED)


COMMANDS = (verify, check_rules)
