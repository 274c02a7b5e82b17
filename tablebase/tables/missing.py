"""Sentences about tables that have not been built."""

from __future__ import annotations

from pathlib import Path

from tablebase.game import Game
from tablebase.slices.material import Material, material_name


def missing_sentence(game: Game, material: Material, folder: Path) -> str:
    """The sentence that names a missing table and the command that builds it."""
    name = material_name(game, material)
    command = f"tablebase build {game.name} --material {name} --data {folder}"
    return f"the table {name} of {game.name} has not been built: run '{command}'"


def unbuilt_sentence(game: Game, pieces: int, folder: Path) -> str:
    """The sentence that says that there is nothing with so many pieces, and the command that builds it."""
    command = f"tablebase build {game.name} --pieces {pieces} --data {folder}"
    return f"no table of {game.name} with {pieces} pieces has been built: run '{command}'"


def unregistered_sentence(game: Game, folder: Path) -> str:
    """The sentence that says that there is no table at all, and the command that builds the first."""
    return f"no table of {game.name} is registered in {folder}: run 'tablebase build {game.name} --pieces 2 --data {folder}'"
