"""The installed games, as data for programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from tablebase.commands import lib
from tablebase.commands.arguments import shortened
from tablebase.commands.calls import Call
from tablebase.commands.parameters import CHECK_FAILED, Format, GameName, Size, Variant
from tablebase.commands.registry import VERBS, commands_for
from tablebase.commands.row_types import GameRow
from tablebase.errors import RulesError
from tablebase.game.rules import Rules

if TYPE_CHECKING:
    from tablebase.game.game_arguments import AnyGame
    from tablebase.testing.checks import CheckResult

WIDTH = 80
"""Columns of any terminal."""


def list_games() -> tuple[list[GameRow], list[str]]:
    """The installed games as `tablebase games --format json` lists them, and a sentence about each that cannot be loaded."""
    rows, errors = [], []
    for name in lib.installed.game_names():
        try:
            game: Any = lib.installed.load_rules(name)
            row: GameRow = {
                "game": name,
                "title": game.title,
                "variants": " ".join(lib.installed.variants(name)),
                "squares": len(game.board) if "squares" in game.can else None,
                "pieces": " ".join(kind.symbol for kind in game.kinds),
                "start": game.format(game.initial),
                "commands": "all" if {verb.needs for verb in VERBS.values()} <= {"", *game.can} else " ".join(commands_for(game)),
            }
            rows.append(row)
        except RulesError as error:
            errors.append(str(error))
    return rows, errors


def games() -> list[GameRow]:
    """List the installed games.

    Games that cannot be loaded are omitted.
    """
    return shortened(list_games()[0])


def show_games(call: Call) -> int | None:
    """Without options, this command prints the title, initial position, pieces and variants of each installed game."""
    rows, errors = list_games()
    if call.style is Format.TABLE:
        for place, row in enumerate(rows):
            board = "" if row["squares"] is None else f", {row['squares']} squares"
            lines = [""] * bool(place) + [f"{row['game']}: {row['title']}{board}"]
            named = {"start": row["start"], "pieces": row["pieces"], "variants": row["variants"], "commands": row["commands"]}
            for name, text in named.items():
                if text and text != "all":
                    lines += wrap(text, WIDTH, initial_indent=f"  {name:10}", subsequent_indent=" " * 12, break_on_hyphens=False)
            sys.stdout.writelines(f"{line}\n" for line in lines)
    else:
        call.write(rows, list(GameRow.__annotations__))
    for sentence in errors:
        lib.messages.logger.error("error: %s", sentence)
    return CHECK_FAILED if errors else None


def load(game: AnyGame, *, size: str | None = None, variant: str | Sequence[str] | None = None) -> Rules[Any]:
    """Load a game by name, or load and register a rules file such as ``nim.py`` for this process and its child processes.

    Examples
    --------
    >>> load("hexapawn", size="4x4").name
    'hexapawn-4x4'
    """
    return lib.game_arguments.as_rules(game, size, variant)


def check_rules(game: GameName, *, size: Size = None, variant: Variant = None) -> list[CheckResult]:
    """Test the rules of a game.

    For more settings, call `tablebase.testing.check_rules`. Errors in the rules are reported in the result, not raised.
    """
    return shortened(lib.suite.check_rules(lib.game_arguments.as_rules(game, size, variant)))


def show_check_rules(call: Call) -> int | None:
    """Without options, this command tests the game with its default rules and prints one row for each test. If a test fails, the
    exit code is 1.
    """
    checks = call()
    call.write(
        {"check": one.name, "result": "ok" if one.failure is None else one.failure, "cases": one.cases, "shows": one.shows}
        for one in checks
    )
    return CHECK_FAILED if any(one.failure is not None for one in checks) else None
