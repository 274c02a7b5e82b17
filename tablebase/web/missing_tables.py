"""Errors as answers; that a table is missing comes with what it would take to build it."""

from __future__ import annotations

from contextlib import suppress

from tablebase.building.estimate import SliceEstimate, estimate
from tablebase.building.plan import with_dependencies
from tablebase.catalog.catalog import read_known
from tablebase.commands.row_types import Cost
from tablebase.errors import CapacityError, MissingTableError, TablebaseError
from tablebase.game import load_game
from tablebase.positions.material import material_name, parse_material
from tablebase.tables.folder import table_path
from tablebase.web.problems import ProblemError, status_of, without_paths
from tablebase.web.settings import ServerSettings

MOST_TABLES = 2000
"""Of a plan: more are enumerated by `tablebase estimate`, which may take its time."""


def as_problem(error: TablebaseError, settings: ServerSettings) -> ProblemError:
    """The answer to an error: its sentence without paths of this machine; of a missing table also how to build it."""
    headers = error.headers if isinstance(error, ProblemError) else {}
    fields = error.fields if isinstance(error, ProblemError) else {}
    if isinstance(error, MissingTableError):
        command = error.command and without_paths(error.command, settings)
        cost = None
        # The answer says already what is wrong; that more is wrong elsewhere is not the question.
        with suppress(TablebaseError):
            cost = _cost(settings, error)
        fields = {"game": error.game, "material": error.material, "pieces": error.pieces, "command": command, "estimate": cost}
    return ProblemError(status_of(error), without_paths(error, settings), headers, **fields)


def _cost(settings: ServerSettings, error: MissingTableError) -> Cost | None:
    """Estimate the missing tables: the one that was needed, and those that it depends on.

    None if the table can never be built, is of a game without pieces, or belongs to too large a plan.
    """
    if error.command is None or error.material is None:
        return None
    game, folder = load_game(error.game), settings.folder
    material = parse_material(game, error.material)
    missing = [one for one in with_dependencies(game, [material]) if not table_path(folder, game, one).exists()]
    if not missing or len(missing) > MOST_TABLES:
        return None
    names = {material_name(game, one) for one in missing}
    known = read_known(game, folder, settings.catalog).costs
    lines = [line for line in estimate(game, None, [material], known) if line.material in names]
    return {
        "tables": sum(line.tables for line in lines),
        "placements": sum(line.distinct_placements for line in lines),
        "disk": sum(line.disk for line in lines),
        "memory": max(line.memory for line in lines),
        "cpu_seconds": round(sum(line.cpu_seconds for line in lines), 3),
        "wall_seconds": round(sum(line.wall_seconds for line in lines), 3),
    }


def lines_of(settings: ServerSettings, error: MissingTableError) -> list[SliceEstimate]:
    """A line of `estimate` for each number of pieces that the command for a missing table builds, from an empty folder.

    There are none if it builds nothing, or something too large for any machine.
    """
    if error.builds is None:
        return []
    game = load_game(error.game)
    try:
        known = read_known(game, settings.folder, settings.catalog).costs
        if isinstance(error.builds, int):
            return estimate(game, error.builds, [], known)
        return estimate(game, None, [parse_material(game, error.builds)], known, whole=True)
    except CapacityError:
        return []
