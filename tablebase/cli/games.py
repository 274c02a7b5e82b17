"""Commands about the games themselves: games, check-rules."""

from __future__ import annotations

import typer

from tablebase.cli.options import (
    CHECK_FAILED,
    Format,
    GameName,
    Size,
    Style,
    Variant,
    chosen_rules,
)


def games(style: Style = Format.TABLE) -> None:
    """List the installed games."""
    from tablebase.api.games import list_games
    from tablebase.cli.output import say, write_rows

    rows, faults = list_games()
    write_rows(rows, style, ["game", "title", "variants", "squares", "pieces", "start", "commands"])
    for sentence in faults:
        say(f"error: {sentence}")
    if faults:
        raise typer.Exit(CHECK_FAILED)


def check_rules(game: GameName, size: Size = None, variant: Variant = None, style: Style = Format.TABLE) -> None:
    """Run the self-tests that every rules module must pass."""
    from tablebase.cli.output import write_rows
    from tablebase.testing.suite import check_rules as run_checks

    checks = run_checks(chosen_rules(game, size, variant))
    rows = [
        {
            "check": check.name,
            "result": "ok" if check.failure is None else check.failure,
            "cases": check.cases,
            "shows": check.shows,
        }
        for check in checks
    ]
    write_rows(rows, style, ["check", "result", "cases", "shows"])
    if any(check.failure is not None for check in checks):
        raise typer.Exit(CHECK_FAILED)


COMMANDS = (games, check_rules)
