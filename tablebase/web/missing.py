"""What it would take to build a table that is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tablebase.building.estimate import Estimate, estimate
from tablebase.building.plan import with_dependencies
from tablebase.errors import CapacityError, MissingTableError, TablebaseError
from tablebase.game import Game, load_game
from tablebase.slices.material import Material, material_name, parse_material
from tablebase.tables.format import table_path
from tablebase.web.hidden import without_paths
from tablebase.web.settings import Settings

MOST_TABLES = 2000
"""Of a plan: more are enumerated by `tablebase estimate`, which may take its time."""


def fields_of(settings: Settings, fault: MissingTableError) -> dict[str, Any]:
    """What an answer says of a missing table beside its sentence: `game`, `material`, `pieces`, `command` and `estimate`."""
    known = {"game": fault.game, "material": fault.material, "pieces": fault.pieces, "command": command_of(settings, fault)}
    return {**known, "estimate": what_it_takes(settings.folder, fault, settings.catalog)}


def command_of(settings: Settings, fault: MissingTableError) -> str | None:
    """The command that builds what is missing, without the server's folder; None if it can never be built."""
    return None if fault.command is None else without_paths(fault.command, settings.folder, settings.catalog)


def what_it_takes(folder: Path, fault: MissingTableError, catalog: str | None = None) -> dict[str, Any] | None:
    """What `estimate` predicts of the tables that are missing: the one that was needed, and those that it depends on.

    Parameters
    ----------
    folder : Path
        The tablebase.
    fault : MissingTableError
        Says what is missing.
    catalog : str, optional
        URL of the PostgreSQL database that holds the catalog; by default it is a file in the folder.

    Returns
    -------
    dict or None
        `tables` and `placements` to be solved and stored, `disk` and `memory` in bytes, `cpu_seconds`, and `wall_seconds` with
        one worker. None if the table can never be built, is of a game without pieces, or cannot be estimated.
    """
    if fault.command is None or fault.material is None:
        return None
    try:
        game = load_game(fault.game)
        lines = missing_lines(folder, game, parse_material(game, fault.material), catalog)
    except TablebaseError:
        # The answer says already what is wrong; that more is wrong elsewhere is not the question.
        return None
    return total(lines) if lines else None


def missing_lines(folder: Path, game: Game, material: Material, catalog: str | None = None) -> list[Estimate]:
    """A line of `estimate` for each table that has not been built: that of a material, and those that it depends on.

    Raises
    ------
    TablebaseError
        If it cannot be built, or the catalog cannot be used.
    """
    missing = [one for one in with_dependencies(game, [material]) if not table_path(folder, game, one).exists()]
    if not missing or len(missing) > MOST_TABLES:
        return []
    names = {material_name(game, one) for one in missing}
    return [line for line in estimate(game, None, [material], folder, catalog=catalog) if line.material in names]


def lines_of(folder: Path, fault: MissingTableError, catalog: str | None = None) -> list[Estimate]:
    """A line of `estimate` for each number of pieces that the command for a missing table builds, from an empty folder.

    There are none if it builds nothing, or something too large for any machine.
    """
    if fault.builds is None:
        return []
    game = load_game(fault.game)
    try:
        if isinstance(fault.builds, int):
            return estimate(game, fault.builds, [], folder, catalog=catalog)
        return estimate(game, None, [parse_material(game, fault.builds)], folder, whole=True, catalog=catalog)
    except CapacityError:
        return []


def total(lines: list[Estimate]) -> dict[str, Any]:
    """The lines together."""
    return {
        "tables": sum(line.tables for line in lines),
        "placements": sum(line.distinct_placements for line in lines),
        "disk": sum(line.disk for line in lines),
        "memory": max(line.memory for line in lines),
        "cpu_seconds": round(sum(line.cpu_seconds for line in lines), 3),
        "wall_seconds": round(sum(line.wall_seconds for line in lines), 3),
    }
