"""The options of the engine: what it says of them, and what it makes of their values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os.path import expanduser
from pathlib import Path
from typing import Any

from tablebase.errors import RulesError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.installed import game_names, load_game
from tablebase.game.notation import whole_number
from tablebase.search.choices import Options, Repetition
from tablebase.system.compute import machine
from tablebase.tables.folder import check_folder

MEBIBYTE = 2**20
EMPTY = "<empty>"
"""Notation of a text without letters."""
BUTTON = "Clear Hash"


@dataclass(frozen=True)
class UciSettings:
    """The values of all options."""

    game: Game
    folder: Path | None = None  # the tables; None for a search without any
    hash_mebibytes: int = 64
    threads: int = 1
    lines: int = 1  # lines to show
    overhead: int = 10  # milliseconds that a move takes beside the thinking
    repetition: Repetition = Repetition.DRAW  # what the third occurrence of a position means

    @property
    def search(self) -> Options:
        """Settings of them for an engine."""
        return Options(threads=self.threads, hash_bytes=self.hash_mebibytes * MEBIBYTE, repetition=self.repetition)

    def declared(self) -> list[str]:
        """The lines that declare the options, the present values as defaults."""
        lines = [
            f"option name {name} type spin default {getattr(self, field)} min {least} max {most}"
            for name, (field, least, most) in _spins().items()
        ]
        return [
            *lines,
            f"option name TablebasePath type string default {self.folder or EMPTY}",
            f"option name Repetition type combo default {self.repetition} {_choice(Repetition)}",
            f"option name UCI_Variant type combo default {self.game.name} {_choice(_variants(self.game))}",
            f"option name {BUTTON} type button",
        ]

    def changed(self, name: str, value: str) -> UciSettings:
        """These settings with another value of an option; its name may be written in any letters.

        `TablebaseError` if there is no such option, or it cannot have this value.
        """
        spins = _spins()
        known = [*spins, "TablebasePath", "Repetition", "UCI_Variant", BUTTON]
        option = next((one for one in known if one.lower() == name.lower()), None)
        if option is None:
            raise TablebaseError(f"unknown option {quoted(name)}: choose {', '.join(known)}")
        if option in spins:
            field, least, most = spins[option]
            number = whole_number(value)
            if number is None or not least <= number <= most:
                raise TablebaseError(f"{option} must be a whole number from {least} to {most}, not {quoted(value)}")
            change: dict[str, Any] = {field: number}
            return replace(self, **change)
        if option == "TablebasePath":
            folder = None if value in ("", EMPTY) else Path(expanduser(value))
            if folder is not None:
                check_folder(folder, built=True)
            return replace(self, folder=folder)
        if option == "Repetition":
            if value not in list(Repetition):
                raise TablebaseError(f"unknown repetition rule {quoted(value)}: choose {', '.join(Repetition)}")
            return replace(self, repetition=Repetition(value))
        return replace(self, game=load_game(value)) if option == "UCI_Variant" else self


def _spins() -> dict[str, tuple[str, int, int]]:
    """The options that are numbers, each with its field of `UciSettings` and its least and largest value."""
    most = max(1, machine.memory() // MEBIBYTE)
    return {
        "Hash": ("hash_mebibytes", 1, most),
        "Threads": ("threads", 1, 256),
        "MultiPV": ("lines", 1, 500),
        "Move Overhead": ("overhead", 0, 5_000),
    }


def _choice(words: type[Repetition] | list[str]) -> str:
    return " ".join(f"var {word}" for word in words)


def _variants(game: Game) -> list[str]:
    names = {game.name}
    for name in game_names():
        try:
            names.add(load_game(name).name)
        except RulesError:
            # A game of chance, or one that cannot be loaded.
            continue
    return sorted(names)
