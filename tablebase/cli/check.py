"""Commands that check: verify, check-rules."""

from __future__ import annotations

import typer

from tablebase.cli.options import DEFAULT_DATA, Data, Format, GameName, Only, Pieces, Style, Workers

CHECK_FAILED = 1


def verify(game: GameName, pieces: Pieces = None, material: Only = None, data: Data = DEFAULT_DATA, workers: Workers = 1) -> None:
    """Check the bytes of tables, and every position against its moves."""
    from tqdm import tqdm

    from tablebase.checking import verify_tables
    from tablebase.cli.output import say
    from tablebase.material import parse_material
    from tablebase.registry import load_game

    rules = load_game(game)
    faults = []
    checked = 0
    total, results = verify_tables(rules, data, pieces, [parse_material(rules, text) for text in material or []], workers)
    with tqdm(total=total, unit="table", desc=f"verify {game}") as bar:
        for fault in results:
            checked += 1
            bar.update()
            if fault is not None:
                faults.append(fault)
                bar.write(f"error: {fault}", file=bar.fp)
    say(f"tables that are right: {checked - len(faults)} of {checked}")
    if faults:
        raise typer.Exit(CHECK_FAILED)


def check_rules(game: GameName, style: Style = Format.TABLE) -> None:
    """Run the self-tests that every rules module must pass."""
    from tablebase.cli.output import write_rows
    from tablebase.registry import load_game
    from tablebase.testing import check_rules as run_checks

    results = run_checks(load_game(game))
    rows = [
        {"check": one.name, "result": "ok" if one.failure is None else one.failure, "cases": one.cases, "shows": one.shows}
        for one in results
    ]
    write_rows(rows, style, ["check", "result", "cases", "shows"])
    if any(one.failure is not None for one in results):
        raise typer.Exit(CHECK_FAILED)


COMMANDS = (verify, check_rules)
