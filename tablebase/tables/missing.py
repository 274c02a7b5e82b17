"""Errors about tables that have not been built."""

from __future__ import annotations

from pathlib import Path

from tablebase.errors import MissingTableError
from tablebase.game import Game
from tablebase.slices.material import Material, material_name


def missing_table(game: Game, material: Material, folder: Path) -> MissingTableError:
    """The error for a material whose table has not been built."""
    return MissingTableError(game.name, folder, material=material_name(game, material))


def missing_pieces(game: Game, pieces: int, folder: Path) -> MissingTableError:
    """The error for a number of pieces without any table."""
    return MissingTableError(game.name, folder, pieces=pieces)


def missing_game(game: Game, folder: Path) -> MissingTableError:
    """The error for a game without any table."""
    return MissingTableError(game.name, folder)
