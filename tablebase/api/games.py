"""The installed games, as data for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from tablebase.api.arguments import as_optional, as_texts, as_workers
from tablebase.api.row_types import CountRow, DividedRow, GameRow
from tablebase.api.verbs import VERBS, check_verb, commands_for
from tablebase.errors import RulesError
from tablebase.game.game_arguments import AnyGame, as_rules
from tablebase.game.installed import game_names, load_rules, variants
from tablebase.game.notation import parse
from tablebase.game.plain_arguments import as_path
from tablebase.game.rules import Rules
from tablebase.tables.folder import default_folder

if TYPE_CHECKING:
    from tablebase.testing.checks import CheckResult

Tick = Callable[[int, int | None], None]


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


def games() -> list[GameRow]:
    """The installed games, as rows; those that cannot be loaded are left out."""
    return list_games()[0]


def check_rules(game: AnyGame, *, size: str | None = None, variant: str | Sequence[str] | None = None) -> list[CheckResult]:
    """Run the self-tests that all rules must pass; `tablebase.testing.check_rules` has more settings.

    Parameters
    ----------
    game : str, Game or StochasticGame
    size : str, optional
    variant : str or sequence of str, optional

    Returns
    -------
    list of CheckResult
        A fault of the rules is a result with a failure, never an exception.
    """
    from tablebase.testing.suite import check_rules as run_checks

    return run_checks(as_rules(game, size, as_texts("variant", variant)))


@overload
def count(
    game: AnyGame,
    position: str | None = None,
    *,
    divide: Literal[False] = False,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    workers: int | None = None,
    data: str | Path | None = None,
) -> CountRow: ...


@overload
def count(
    game: AnyGame,
    position: str | None = None,
    *,
    divide: Literal[True],
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    workers: int | None = None,
    data: str | Path | None = None,
) -> list[DividedRow]: ...


def count(
    game: AnyGame,
    position: str | None = None,
    *,
    divide: bool = False,
    size: str | None = None,
    variant: str | Sequence[str] | None = None,
    workers: int | None = None,
    data: str | Path | None = None,
) -> CountRow | list[DividedRow]:
    """Count the reachable positions and the possible games exactly. Needs no tables.

    Parameters
    ----------
    game : str, Game or StochasticGame
    position : str, optional
        By default the start.
    divide : bool
        Whether to return a row for each move instead: the games after it, the share that its side wins, and what it forces.
    size : str, optional
    variant : str or sequence of str, optional
    workers : int, optional
        Number of threads.
    data : str or Path, optional
        The folder of the tables, for what moves force where too many positions can be reached to find it out.

    Raises
    ------
    TablebaseError
        If the game has chance, or may never end.
    """
    from tablebase.compute import threads
    from tablebase.compute.machine import usable_workers

    rules = as_rules(game, size, as_texts("variant", variant))
    check_verb("count", rules)
    with threads.use(usable_workers(as_optional(as_workers, "workers", workers))):
        if not divide:
            return count_row(rules.name, position)
        from tablebase.api.divided import divided_rows

        return divided_rows(rules, position, default_folder() if data is None else as_path("data", data))


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
        "commands": "all" if all(verb.objection(game) is None for verb in VERBS) else " ".join(commands_for(game)),
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
    rules: Any = load_rules(name)
    if rules.board is None and not rules.has_chance:
        return _function_row(rules, position, tick)
    from tablebase.graph.counting import count as count_games
    from tablebase.graph.reachable import check_finite

    check_finite(rules)
    counts = count_games(rules, parse(rules, rules.start if position is None else position), tick)
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
