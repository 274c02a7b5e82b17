"""Tables that have been built, chosen by name or number of pieces; errors about those that have not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game import Game
from tablebase.game.rules import Rules
from tablebase.positions.indexing import is_buildable, most_pieces
from tablebase.positions.location import locate
from tablebase.positions.material import Material, material_name, parse_material, piece_counts


def missing_table(game: Game, material: Material, folder: Path, needed_by: Material | None = None) -> MissingTableError:
    """The error for a material whose table has not been built, or cannot be built; the build of `needed_by` includes it."""
    most = None if is_buildable(game, material) else most_pieces(game)
    whole = None if needed_by is None else material_name(game, needed_by)
    return MissingTableError(game.name, folder, material=material_name(game, material), needed_by=whole, most=most)


def missing_pieces(game: Rules[Any], pieces: int, folder: Path) -> MissingTableError:
    """The error for a number of pieces without any table."""
    return MissingTableError(game.name, folder, pieces=pieces)


def missing_game(game: Rules[Any], folder: Path) -> MissingTableError:
    """The error for a game without any table."""
    return MissingTableError(game.name, folder, options=None if "materials" in game.can else "")


def chosen_tables(
    game: Game, folder: Path, registered: Collection[str], pieces: int | range | None, materials: Sequence[Material]
) -> list[str]:
    """The registered materials with `pieces` pieces, and those of the given materials; without either, all.

    Raise `MissingTableError` if a requested material is not registered, and `TablebaseError` if nothing is chosen.
    """
    counts = None if pieces is None else piece_counts(game, pieces)
    named = [material_name(game, locate(game, material, 0).material) for material in materials]
    for name in named:
        if name not in registered:
            raise MissingTableError(game.name, folder, material=name)
    if counts is not None:
        named += [name for name in registered if parse_material(game, name).pieces in counts]
    chosen = list(dict.fromkeys(named if counts is not None or materials else registered))
    if not chosen:
        raise nothing_registered(game, folder)
    return chosen


def nothing_registered(game: Rules[Any], folder: Path) -> TablebaseError:
    """The error for a folder whose catalog has no table that is asked for."""
    return TablebaseError(f"no table of {game.name} is in the catalog of {folder}: build a table, or run 'tablebase reindex'")
