"""What is known of players before they are made, and the settings that are written behind their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tablebase.errors import TablebaseError, did_you_mean, quoted


@dataclass(frozen=True)
class PlayerRecord:
    """A player by its name, for games of pieces on squares or for those of chance or of several players."""

    name: str
    about: str  # how it plays, in a few words
    make: Callable[..., Any]  # `open_player` or `open_state_player` calls it
    settings: Mapping[str, str] = field(default_factory=dict)  # each with what it means; all may be left out
    weighs: bool = False  # whether the weights of the game's evaluation are settings, too
    needs_tables: bool = False  # whether it needs the tables of all positions that can come up
    refuses: Callable[[Any], str | None] = lambda _game: None  # why it cannot play a game, as a clause; None if it can


def loaded_later(module: str, function: str = "make") -> Callable[..., Any]:
    """A function of a module, which is not loaded before it is called."""
    return lambda *arguments, **settings: getattr(import_module(module), function)(*arguments, **settings)


def names_of(records: Iterable[PlayerRecord], game: object = None) -> tuple[str, ...]:
    """Names of all players, or of those that can play a game."""
    return tuple(record.name for record in records if game is None or record.refuses(game) is None)


def record_of(name: str, records: Sequence[PlayerRecord]) -> PlayerRecord:
    """The record of a player; `TablebaseError` if there is none of that name."""
    for record in records:
        if record.name == name:
            return record
    names = names_of(records)
    raise TablebaseError(f"there is no player {quoted(name)}{did_you_mean(name, names)}: choose {', '.join(names)}")


def record_for(game: Any, name: str, records: Sequence[PlayerRecord]) -> PlayerRecord:
    """The record of a player that is to play a game; `TablebaseError` if there is none, or it cannot."""
    record = record_of(name, records)
    fault = record.refuses(game)
    if fault is not None:
        choice = ", ".join(names_of(records, game))
        raise TablebaseError(f"the player {name} cannot play {game.name}, because {fault}: choose {choice}")
    return record


def read_settings(name: str, text: str, known: list[str]) -> dict[str, str]:
    """The settings behind a player's name, as in ``depth=5,objective=lead``, by name; there may be none.

    `TablebaseError` if a setting is not known, has no value, or is given twice.
    """
    settings: dict[str, str] = {}
    for word in text.split(",") if text else []:
        key, equals, value = word.partition("=")
        if not equals or key in settings:
            raise TablebaseError(f"{quoted(word)} is not a new setting of the player {name}: write each once, as in depth=5")
        check_setting(name, key, known)
        settings[key] = value
    return settings


def check_setting(name: str, key: str, known: list[str]) -> None:
    """Raise `TablebaseError` unless a player has a setting."""
    if key not in known:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise TablebaseError(f"the player {name} has no setting {quoted(key)}{did_you_mean(key, known)}: {takes}")
