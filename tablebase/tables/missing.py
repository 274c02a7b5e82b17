"""Errors about tables that have not been built."""

from __future__ import annotations

from pathlib import Path

from tablebase.errors import MissingTableError
from tablebase.game import Game
from tablebase.slices.limits import is_buildable, most_pieces
from tablebase.slices.material import Material, material_name


def missing_table(game: Game, material: Material, folder: Path, needed_by: Material | None = None) -> MissingTableError:
    """The error for a material whose table has not been built, or cannot be built.

    Parameters
    ----------
    game : Game
    material : Material
    folder : Path
        The tablebase.
    needed_by : Material, optional
        A material whose build includes the missing table.
    """
    most = None if is_buildable(game, material) else most_pieces(game)
    whole = None if needed_by is None else material_name(game, needed_by)
    return MissingTableError(game.name, folder, material=material_name(game, material), needed_by=whole, most=most)


def missing_pieces(game: Game, pieces: int, folder: Path) -> MissingTableError:
    """The error for a number of pieces without any table."""
    return MissingTableError(game.name, folder, pieces=pieces)


def missing_game(game: Game, folder: Path) -> MissingTableError:
    """The error for a game without any table."""
    return MissingTableError(game.name, folder)
