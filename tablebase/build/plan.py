"""Which tables a build needs, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from tablebase.errors import CapacityError
from tablebase.game import Game
from tablebase.game.notation import parse
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, locate, stored_materials
from tablebase.slices.material import Material, check_piece_count, material_name, material_of
from tablebase.slices.material import materials as all_materials


def with_dependencies(game: Game, wanted: list[Material]) -> tuple[Material, ...]:
    """The tables of these materials and all that they depend on, fewest pieces and furthest advance first."""
    todo = [locate(game, material, 0).material for material in wanted]
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
    if pieces is not None:
        check_piece_count(game, pieces)
    for material in materials:
        _check_size(game, material)
    if pieces is not None:
        _check_size(game, all_materials(game, pieces)[0])
    wanted = [table for count in range(2, (pieces or 0) + 1) for table in stored_materials(game, count)]
    return with_dependencies(game, [*wanted, *materials])


def start_material(game: Game) -> Material | None:
    """The material of the initial position, None if it is more than could ever be solved."""
    material = material_of(game, parse(game, game.start))
    return material if layout_of(game, material).size <= CELL_LIMIT else None


def _check_size(game: Game, material: Material) -> None:
    """Refuse what could never be solved, before anything of that size is enumerated."""
    size = layout_of(game, material).size
    if size > CELL_LIMIT:
        name = material_name(game, material)
        raise CapacityError(name, "ask for fewer pieces", needed=size, allowed=CELL_LIMIT, unit="indices")
