"""The installed games, as data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tablebase.commands.arguments import as_texts
from tablebase.commands.registry import VERBS, commands_for
from tablebase.commands.row_types import GameRow
from tablebase.errors import RulesError
from tablebase.game.game_arguments import AnyGame, as_rules
from tablebase.game.installed import game_names, load_rules, variants
from tablebase.game.rules import Rules

if TYPE_CHECKING:
    from tablebase.testing.checks import CheckResult


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


def load(game: AnyGame, *, size: str | None = None, variant: str | Sequence[str] | None = None) -> Rules[Any]:
    """Load a game by its name or from a rules file, which is then known by its name to this process and those that it starts.

    Parameters
    ----------
    game : str, Game or StochasticGame
        A name, or the path of a Python file such as ``nim.py``.
    size : str, optional
    variant : str or sequence of str, optional

    Raises
    ------
    RulesError
        If there is no such game, or the file cannot be used.

    Examples
    --------
    >>> load("hexapawn", size="4x4").name
    'hexapawn-4x4'
    """
    return as_rules(game, size, as_texts("variant", variant))


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
        "commands": "all" if all(verb.objection(game) is None for verb in VERBS.values()) else " ".join(commands_for(game)),
    }
