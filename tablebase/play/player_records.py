"""Records of players before they are made, and the settings that are written behind their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tablebase.errors import ArgumentError, did_you_mean, quoted
from tablebase.game.capabilities import missing
from tablebase.game.rules import Rules


@dataclass(frozen=True)
class PlayerRecord:
    """A player by its name."""

    name: str
    about: str  # how it plays, in a few words
    make: Callable[..., Any]  # `open_player` calls it with a seat, and with settings by name
    settings: Mapping[str, str] = field(default_factory=dict)  # each with what it means; may be left out
    weighs: bool = False  # whether the weights of the game's evaluation are settings, too
    needs_tables: bool = False  # whether it needs the tables of all positions that can come up
    needs_file: bool = False  # whether it needs a file, which a setting names
    fair: bool = False  # whether its fuzz may be ``fair``
    strategy: Callable[..., Any] | None = None  # the `Strategy` of its errors, from a graph and its values, if that is known
    needs: str = ""  # the capability that a game must have
    refuses: Callable[[Any], str | None] = lambda _rules: None  # why it cannot play a game that has it, as a clause; None if it can

    def unsupported(self, rules: Rules[Any]) -> str | None:
        """Reason why it cannot play a game, as a clause; None if it can."""
        lacks = missing(rules, self.needs)
        return self.refuses(rules) if lacks is None else f"the game {lacks}"

    def settings_in(self, rules: Rules[Any]) -> list[str]:
        """The names of all settings that it has in a game."""
        return [*self.settings, *(rules.weights if self.weighs else ())]


def loaded_later(module: str, function: str = "make", **usual: Any) -> Callable[..., Any]:
    """A function of a module, which is not loaded before it is called; `usual` are settings if no others are given."""
    return lambda *arguments, **settings: getattr(import_module(module), function)(*arguments, **{**usual, **settings})


def read_settings(name: str, text: str, known: Sequence[str]) -> dict[str, Any]:
    """The settings behind a player's name, as in ``depth=5,objective=lead``, by name; there may be none.

    `TablebaseError` if a setting is not known, has no value, or is given twice.
    """
    settings: dict[str, Any] = {}
    for word in text.split(",") if text else []:
        key, equals, value = word.partition("=")
        if not equals or key in settings:
            raise ArgumentError(f"invalid setting {quoted(word)} of the player {name}: write a name and a value, as in depth=5")
        check_setting(name, key, known)
        settings[key] = value
    return settings


def check_setting(name: str, key: str, known: Sequence[str]) -> None:
    """Raise `TablebaseError` unless a player has a setting."""
    if key not in known:
        takes = f"choose {', '.join(known)}" if known else f"use {name} without settings"
        raise ArgumentError(f"the player {name} has no setting {quoted(key)}{did_you_mean(key, known)}: {takes}")


def read_yes(name: str, text: str) -> bool:
    """Return whether a setting says yes; `TablebaseError` unless it says yes or no."""
    if text not in ("yes", "no"):
        raise ArgumentError(f"the setting {name} must be yes or no, not {quoted(text)}")
    return text == "yes"
