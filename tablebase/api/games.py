"""The installed games, as data for programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tablebase.api.row_types import CountRow, GameRow
from tablebase.errors import RulesError
from tablebase.game import load_game
from tablebase.game.installed import game_names, load_rules, variants
from tablebase.game.notation import parse
from tablebase.game.rules import Rules

Tick = Callable[[int, int], None]
FOR_ALL_GAMES = ("build", "check-rules", "copy", "estimate", "line", "match", "pack", "perft", "play", "probe", "stats", "verify")
"""Commands that also take games of chance or of several players."""


def start_text(game: Rules[Any]) -> str:
    """The start of a game as text."""
    return game.format(game.initial)


def list_games() -> tuple[list[GameRow], list[str]]:
    """The installed games as `tablebase games --format json` lists them, and a sentence about each that cannot be loaded."""
    rows, faults = [], []
    for name in game_names():
        try:
            rows.append(_game_row(name))
        except RulesError as fault:
            faults.append(str(fault))
    return rows, faults


def _game_row(name: str) -> GameRow:
    """A line about an installed game."""
    game = load_rules(name)
    return {
        "game": name,
        "title": game.title,
        "variants": " ".join(variants(name)),
        "squares": None if game.board is None else len(game.board),
        "pieces": " ".join(kind.symbol for kind in game.kinds),
        "start": start_text(game),
        "commands": " ".join(FOR_ALL_GAMES) if game.board is None else "all",
    }


def count_row(name: str, position: str | None = None, tick: Tick | None = None) -> CountRow:
    """Reachable positions and possible games as `tablebase count --format json` writes them, but for the seconds.

    Parameters
    ----------
    name : str
        The game.
    position : str, optional
        By default its start.
    tick : callable, optional
        Called after each step, with the number of steps done and that of all steps.

    Raises
    ------
    TablebaseError
        If the game may never end.
    """
    from tablebase.graph.counting import count
    from tablebase.graph.reachable import check_finite

    rules = load_game(name)
    check_finite(rules)
    counts = count(rules, parse(rules, rules.start if position is None else position), tick)
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, counts.won, strict=True)}
    row = {"game": rules.name, "reachable": counts.reachable, "final": counts.final, "games": counts.games, **won}
    return cast(CountRow, row)
