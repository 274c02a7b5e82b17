"""What can be done with games: each verb with the games that it takes, and where Python has it.

What commands and answers over HTTP refuse, and the column `commands` of ``tablebase games``, follow from this list.
Tests compare it with the command line and with Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tablebase.errors import RulesError, game_word
from tablebase.game.rules import Rules

Objection = Callable[[Rules[Any]], str | None]


def _none(rules: Rules[Any]) -> str | None:
    del rules
    return None


def _no_pieces(rules: Rules[Any]) -> str | None:
    return None if rules.board is not None else "it has no pieces on squares"


def _listed(rules: Rules[Any]) -> str | None:
    return None if rules.board is not None else "it has no pieces on squares, and a server does not list all positions"


def _chance(rules: Rules[Any]) -> str | None:
    return "it has chance" if rules.has_chance else None


@dataclass(frozen=True, eq=False)
class Verb:
    """Something that can be done.

    Parameters
    ----------
    name : str
        The command, or where there is none the last part of the address over HTTP.
    group : str
        The heading of the command in the help of the program; empty if the command line does not have it.
    home : str
        The module with the function, of `tablebase.commands` or with its full name, and after a colon the class of an open
        tablebase if it is a method; empty if there is no command.
    objection : callable
        Why it does not take a game, as a clause; None if it does.
    takes_game : bool
        Whether it is about one game.
    of_folder : sequence of str
        The options of the folder that the command about an open tablebase has.
    http : sequence of str
        The parameters that it takes over HTTP; without any it is not answered there, or by a handler of another form.
    http_objection : callable, optional
        The objection over HTTP, if that is another one.
    """

    name: str
    group: str = ""
    home: str = ""
    objection: Objection = _none
    takes_game: bool = True
    of_folder: Sequence[str] = ("data", "catalog")
    http: Sequence[str] = ()
    http_objection: Objection | None = None

    @property
    def _module(self) -> Any:
        name = self.home.partition(":")[0]
        return import_module(name if "." in name else f"tablebase.commands.{name}")

    @property
    def owner(self) -> Any:
        """The class of an open tablebase that has it as a method; None if it is a function."""
        owner = self.home.partition(":")[2]
        return getattr(self._module, owner) if owner else None

    @property
    def function(self) -> Any:
        """The function, or the method."""
        return getattr(self.owner or self._module, self.name.replace("-", "_"))

    @property
    def show(self) -> Any:
        """The function that writes the result on the command line; None if that is rows alone."""
        return getattr(self._module, f"show_{self.name.replace('-', '_')}", None)


VERBS = {
    verb.name: verb
    for verb in (
        Verb("games", "Build", "games", takes_game=False),
        Verb("check-rules", "Build", "games"),
        Verb("estimate", "Build", "build", http=("game", "material", "pieces"), http_objection=_listed),
        Verb("build", "Build", "build"),
        Verb("batch", "Build", "batch", takes_game=False),
        Verb("verify", "Build", "verify"),
        Verb("copy", "Build", "transfers"),
        Verb("merge", "Build", "transfers", takes_game=False),
        Verb("pack", "Build", "transfers"),
        Verb("unpack", "Build", "transfers", takes_game=False),
        Verb("reindex", "Build", "upkeep", takes_game=False),
        Verb("prune", "Build", "upkeep", takes_game=False),
        Verb("probe", "Ask", "probe:Tablebase", of_folder=("data",)),
        Verb("line", "Ask", "line:Tablebase", of_folder=("data",)),
        Verb("stats", "Ask", "cataloged:Cataloged", http=("game", "by", "pieces")),
        Verb("perft", "Ask", "searching"),
        Verb("count", "Ask", "count", objection=_chance, http=("game", "position")),
        Verb("analyse", "Ask", "searching", objection=_no_pieces),
        Verb("prove", "Ask", "searching", objection=_no_pieces),
        Verb("mine", "Mine", "collection:Collection"),
        Verb("sql", "Mine", "cataloged:Cataloged", takes_game=False),
        Verb("features", "Mine", "collection:Collection", of_folder=()),
        Verb("export", "Mine", "collection:Collection"),
        Verb("patterns", "Mine", "collection:Collection", objection=_no_pieces),
        Verb("plot", "Mine", "collection:Collection"),
        Verb("play", "Play", "playing"),
        Verb("match", "Play", "matches"),
        Verb("match-stats", "Play", "matches", takes_game=False),
        Verb("train", "Play", "training", objection=_no_pieces),
        Verb("boxes", "Play", "boxes", objection=_no_pieces),
        Verb("exploit", "Play", "exploiting", objection=_no_pieces),
        Verb("serve", "Serve", "tablebase.web.serving", takes_game=False),
        Verb("uci", "Serve", "searching", objection=_no_pieces),
        Verb("materials", objection=_no_pieces),
        Verb("material", objection=_no_pieces),
        Verb("records", objection=_no_pieces),
    )
}
"""All of them by name, commands in the order of the help."""


def commands_for(rules: Rules[Any]) -> tuple[str, ...]:
    """The commands about a game that take this one, by name."""
    return tuple(sorted(verb.name for verb in VERBS.values() if verb.group and verb.takes_game and verb.objection(rules) is None))


def check_verb(name: str, rules: Rules[Any], *, over_http: bool = False) -> None:
    """Raise `RulesError` if a verb does not take a game."""
    verb = VERBS[name]
    objection = (verb.http_objection if over_http and verb.http_objection else verb.objection)(rules)
    if objection is not None:
        command = f"tablebase {name} {game_word(rules.name)}"
        advice = "'tablebase games' lists what it is for" if verb.objection(rules) else f"run '{command}'"
        raise RulesError(f"{rules.name} is not a game for '{name}', because {objection}: {advice}")
