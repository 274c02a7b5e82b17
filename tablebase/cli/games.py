"""Commands about the games themselves: games, check-rules."""

from __future__ import annotations

import typer

from tablebase.cli.options import (
    CHECK_FAILED,
    FOR_ALL_GAMES,
    Format,
    GameName,
    Size,
    Style,
    Variant,
    chosen_rules,
    start_text,
)


def games(style: Style = Format.TABLE) -> None:
    """List the installed games."""
    from tablebase.cli.output import say, write_rows
    from tablebase.errors import RulesError
    from tablebase.game.registry import game_names

    rows, faults = [], []
    for name in game_names():
        try:
            rows.append(_row(name))
        except RulesError as fault:
            faults.append(str(fault))
    write_rows(rows, style, ["game", "title", "variants", "squares", "pieces", "start", "commands"])
    for sentence in faults:
        say(f"error: {sentence}")
    if faults:
        raise typer.Exit(CHECK_FAILED)


def _row(name: str) -> dict[str, object]:
    """A line about an installed game."""
    from tablebase.game import Game
    from tablebase.game.registry import load_rules, variants

    game = load_rules(name)
    return {
        "game": name,
        "title": game.title,
        "variants": " ".join(variants(name)),
        "squares": len(game.board) if isinstance(game, Game) else None,
        "pieces": " ".join(kind.symbol for kind in game.kinds) if isinstance(game, Game) else "",
        "start": start_text(game),
        "commands": "all" if isinstance(game, Game) else " ".join(FOR_ALL_GAMES),
    }


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
