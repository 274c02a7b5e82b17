"""Verbs for games: each with the games that it takes, and its place in Python.

Refusals of commands and of answers over HTTP, and the column `commands` of ``tablebase games``, follow from this list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from tablebase.errors import RulesError, game_word
from tablebase.game.capabilities import missing
from tablebase.game.rules import Rules


@dataclass(frozen=True, eq=False)
class Verb:
    """Something that can be done."""

    name: str  # the command, or without one the last part of the address over HTTP
    group: str = ""  # the heading of the command in the help of the program; empty if the command line does not have it
    # The module with the function, of `tablebase.commands` or with its full name, and after a colon the class of an open
    # tablebase if it is a method; empty if there is no command.
    home: str = ""
    needs: str = ""  # the capability that a game must have; empty if it takes all games
    takes_game: bool = True  # whether it is about one game
    of_folder: Sequence[str] = ("data", "catalog")  # the options of the folder that the command about an open tablebase has
    takes_rules: bool = False  # whether it has the option --rules, for games that it meets without their names
    writes_rows: bool = True  # whether its result is rows, and so it has the option --format
    http: Sequence[str] = ()  # its parameters over HTTP; without any it is not answered there, or by a handler of another form
    http_needs: str = ""  # the capability that a game must have over HTTP, if that is another one

    @property
    def _module(self) -> ModuleType:
        name = self.home.partition(":")[0]
        return import_module(name if "." in name else f"tablebase.commands.{name}")

    @property
    def owner(self) -> Any:
        """The class of an open tablebase that has it as a method; None if it is a function."""
        name = self.home.partition(":")[2]
        return getattr(self._module, name) if name else None

    @property
    def function(self) -> Any:
        """The function, or the method."""
        return getattr(self.owner or self._module, self.name.replace("-", "_"))

    @property
    def show(self) -> Any:
        """The function that writes the result on the command line; None if that needs none."""
        return getattr(self._module, f"show_{self.name.replace('-', '_')}", None)


VERBS = {
    verb.name: verb
    for verb in (
        Verb("games", "Build", "games", takes_game=False, takes_rules=True),
        Verb("check-rules", "Build", "games"),
        Verb("estimate", "Build", "build", http=("game", "material", "pieces"), http_needs="materials"),
        Verb("build", "Build", "build", writes_rows=False),
        Verb("batch", "Build", "batch", takes_game=False, writes_rows=False),
        Verb("verify", "Build", "upkeep", writes_rows=False),
        Verb("copy", "Build", "transfers", writes_rows=False),
        Verb("merge", "Build", "transfers", takes_game=False, takes_rules=True, writes_rows=False),
        Verb("pack", "Build", "transfers", writes_rows=False),
        Verb("unpack", "Build", "transfers", takes_game=False, takes_rules=True, writes_rows=False),
        Verb("reindex", "Build", "upkeep", takes_game=False, takes_rules=True, writes_rows=False),
        Verb("prune", "Build", "upkeep", takes_game=False, takes_rules=True),
        Verb("probe", "Ask", "probe:Tablebase", of_folder=("data",)),
        Verb("line", "Ask", "line:Tablebase", of_folder=("data",)),
        Verb("stats", "Ask", "cataloged:Cataloged", http=("game", "by", "pieces")),
        Verb("perft", "Ask", "searching"),
        Verb("count", "Ask", "count", needs="counting", http=("game", "position")),
        Verb("analyse", "Ask", "searching", needs="search"),
        Verb("prove", "Ask", "proving", needs="search"),
        Verb("mine", "Mine", "collection:Collection", writes_rows=False),
        Verb("sql", "Mine", "cataloged:Cataloged", takes_game=False),
        Verb("features", "Mine", "collection:Collection", of_folder=()),
        Verb("export", "Mine", "collection:Collection", writes_rows=False),
        Verb("patterns", "Mine", "patterns:PatternSearches", needs="patterns"),
        Verb("plot", "Mine", "plotting:Charts", writes_rows=False),
        Verb("play", "Play", "playing", writes_rows=False),
        Verb("match", "Play", "matches"),
        Verb("match-stats", "Play", "matches", takes_game=False, takes_rules=True),
        Verb("train", "Play", "training", needs="learning"),
        Verb("boxes", "Play", "boxes", needs="game graphs"),
        Verb("exploit", "Play", "exploiting", needs="game graphs"),
        Verb("serve", "Serve", "tablebase.web.serving", takes_game=False, takes_rules=True, writes_rows=False),
        Verb("uci", "Serve", "searching", needs="search", writes_rows=False),
        Verb("materials", needs="materials"),
        Verb("material", needs="materials"),
        Verb("records", needs="materials"),
    )
}
"""All of them by name, commands in the order of the help."""


def commands_for(rules: Rules[Any]) -> tuple[str, ...]:
    """The commands about a game that take this one, by name."""
    about_games = [verb for verb in VERBS.values() if verb.group and verb.takes_game]
    return tuple(sorted(verb.name for verb in about_games if missing(rules, verb.needs) is None))


def check_verb(name: str, rules: Rules[Any], *, over_http: bool = False) -> None:
    """Raise `RulesError` if a verb does not take a game."""
    verb = VERBS[name]
    lacks = missing(rules, verb.needs) or (missing(rules, verb.http_needs) if over_http else None)
    if lacks is not None:
        command = f"tablebase {name} {game_word(rules.name)}"
        advice = "list commands with 'tablebase games'" if missing(rules, verb.needs) else f"run '{command}' in a terminal"
        raise RulesError(f"cannot use '{name}' with {rules.name}, which {lacks}: {advice}")
