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

Tick = Callable[[int, int | None], None]
FOR_ALL_GAMES = ("build", "check-rules", "copy", "estimate", "line", "match", "pack", "perft", "play", "probe", "stats", "verify")
"""Commands that also take games of chance or of several players."""
FOR_FUNCTIONS = tuple(sorted((*FOR_ALL_GAMES, "count")))
"""Commands that also take games by functions without chance."""


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
        "commands": " ".join(commands_for(game)) if game.board is None else "all",
    }


def commands_for(game: Rules[Any]) -> tuple[str, ...]:
    """The commands that take a game without pieces."""
    return FOR_ALL_GAMES if game.has_chance else FOR_FUNCTIONS


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
    rules: Any = load_rules(name)
    if rules.board is None and not rules.has_chance:
        return _function_row(rules, position, tick)
    from tablebase.graph.counting import count
    from tablebase.graph.reachable import check_finite

    rules = load_game(name)
    check_finite(rules)
    counts = count(rules, parse(rules, rules.start if position is None else position), tick)
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, counts.won, strict=True)}
    row = {"game": rules.name, "reachable": counts.reachable, "final": counts.final, "games": counts.games, **won}
    return cast(CountRow, row)


def _function_row(rules: Any, position: str | None, tick: Tick | None) -> CountRow:
    """The counts of a game by functions."""
    from tablebase.states.paths import count_games

    start = rules.initial if position is None else rules.parse(position)
    # There is no total before the end.
    counts = count_games(rules, start, lambda done: None if tick is None else tick(done, None))
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, counts.won, strict=True)}
    drawn = counts.games - sum(counts.won)
    row = {"game": rules.name, "reachable": counts.reachable, "final": counts.final, "games": counts.games, **won, "drawn": drawn}
    return cast(CountRow, row)
