"""Which tables a build needs, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from tablebase.errors import CapacityError, TablebaseError
from tablebase.game import Game
from tablebase.game.notation import parse
from tablebase.slices.indexing import layout
from tablebase.slices.location import dependencies, route, tables
from tablebase.slices.material import Material, material_name, material_of
from tablebase.slices.material import materials as all_materials


def with_dependencies(game: Game, wanted: list[Material]) -> tuple[Material, ...]:
    """The tables of these materials and all that they depend on, fewest pieces and furthest advance first."""
    todo = [route(game, material, 0).table for material in wanted]
    found: dict[Material, None] = {}
    while todo:
        table = todo.pop()
        if table not in found:
            found[table] = None
            todo += dependencies(game, table)
    return tuple(sorted(found, key=lambda table: (table.pieces, table.first, table.second, [-one for one in table.advance])))


CELL_LIMIT = 1 << 40
"""More cells than any machine that this could run on can hold."""


def plan(game: Game, pieces: int | None, materials: Sequence[Material]) -> tuple[Material, ...]:
    """The tables of all slices of up to so many pieces, and of these materials with what they depend on."""
    if pieces is not None and not 2 <= pieces <= game.max_pieces:
        raise TablebaseError(f"{game.name} has slices of 2 to {game.max_pieces} pieces, not {pieces}")
    for material in materials:
        _check_size(game, material)
    if pieces is not None:
        _check_size(game, all_materials(game, pieces)[0])
    wanted = [table for count in range(2, (pieces or 0) + 1) for table in tables(game, count)]
    return with_dependencies(game, [*wanted, *materials])


def start_material(game: Game) -> Material | None:
    """The material of the initial position, None if it is more than could ever be solved."""
    material = material_of(game, parse(game, game.start))
    return material if layout(game, material).size <= CELL_LIMIT else None


def _check_size(game: Game, material: Material) -> None:
    """Refuse what could never be solved, before anything of that size is enumerated."""
    size = layout(game, material).size
    if size > CELL_LIMIT:
        name = material_name(game, material)
        raise CapacityError(f"{name} has {size:,} indices; at most {CELL_LIMIT:,} can be solved: ask for fewer pieces")
