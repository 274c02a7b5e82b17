"""Commands about the games themselves: games, check-rules."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import typer

from tablebase.cli import options
from tablebase.cli.options import CHECK_FAILED, chosen_rules
from tablebase.commands.parameters import Format

WIDTH = 80
"""Columns of any terminal."""


def games(rules: options.RulesFiles = None, style: options.Style = Format.TABLE) -> None:
    """List the installed games."""
    del rules
    from tablebase.commands.games import list_games
    from tablebase.commands.output import write_rows
    from tablebase.commands.row_types import GameRow
    from tablebase.compute.messages import logger

    rows, faults = list_games()
    if style is Format.TABLE:
        sys.stdout.write("\n".join(map(_described, rows)))
    else:
        write_rows(rows, style, list(GameRow.__annotations__))
    for sentence in faults:
        logger.error("error: %s", sentence)
    if faults:
        raise typer.Exit(CHECK_FAILED)


def _described(row: Mapping[str, Any]) -> str:
    """A game in a few lines of at most `WIDTH` columns."""
    board = "" if row["squares"] is None else f", {row['squares']} squares"
    named = {name: str(row[name]) for name in ("start", "pieces", "variants", "commands") if row[name] and row[name] != "all"}
    lines = [f"{row['game']}: {row['title']}{board}"]
    for name, text in named.items():
        lines += wrap(text, WIDTH, initial_indent=f"  {name:10}", subsequent_indent=" " * 12, break_on_hyphens=False)
    return "".join(f"{line}\n" for line in lines)


def check_rules(
    game: options.GameName, size: options.Size = None, variant: options.Variant = None, style: options.Style = Format.TABLE
) -> None:
    """Run the self-tests that every rules module must pass."""
    from tablebase.commands.output import write_rows
    from tablebase.testing.suite import check_rules as run_checks

    checks = run_checks(chosen_rules("check-rules", game, size, variant))
    rows = [
        {
            "check": check.name,
            "result": "ok" if check.failure is None else check.failure,
            "cases": check.cases,
            "shows": check.shows,
        }
        for check in checks
    ]
    write_rows(rows, style)
    if any(check.failure is not None for check in checks):
        raise typer.Exit(CHECK_FAILED)
