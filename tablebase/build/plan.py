"""Plans: which tables a build needs, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from tablebase.errors import CapacityError
from tablebase.game import Game
from tablebase.game.notation import parse
from tablebase.slices.indexing import layout_of
from tablebase.slices.location import dependencies, locate, stored_materials
from tablebase.slices.material import Material, check_piece_count, material_name, material_of
from tablebase.slices.material import materials as all_materials

CELL_LIMIT = 1 << 40
"""More indices than any machine could solve."""


def with_dependencies(game: Game, wanted: list[Material]) -> tuple[Material, ...]:
    """The stored materials of these materials and all that they depend on, fewest pieces and furthest advance first."""
    pending = [locate(game, material, 0).material for material in wanted]
    planned: set[Material] = set()
    while pending:
        material = pending.pop()
        if material not in planned:
            planned.add(material)
            pending += dependencies(game, material)
    return tuple(sorted(planned, key=_build_order))


def _build_order(material: Material) -> tuple[int, tuple[int, ...], tuple[int, ...], list[int]]:
    """Sort key: every material comes after those that it depends on."""
    return material.pieces, material.first, material.second, [-levels for levels in material.advance]


def plan(game: Game, pieces: int | None, materials: Sequence[Material]) -> tuple[Material, ...]:
    """The stored materials of all slices of up to `pieces` pieces, and of `materials` with all that they depend on.

    Raises
    ------
    CapacityError
        If one of them has more than `CELL_LIMIT` indices.
    """
    if pieces is not None:
        check_piece_count(game, pieces)
    for material in materials:
        _check_size(game, material)
    if pieces is not None:
        _check_size(game, all_materials(game, pieces)[0])
    wanted = [material for count in range(2, (pieces or 0) + 1) for material in stored_materials(game, count)]
    return with_dependencies(game, [*wanted, *materials])


def start_material(game: Game) -> Material | None:
    """The material of the initial position; None if it is too large to be solved."""
    material = material_of(game, parse(game, game.start))
    return material if layout_of(game, material).size <= CELL_LIMIT else None


def _check_size(game: Game, material: Material) -> None:
    """Refuse a material that is too large to be solved, before anything of that size is enumerated."""
    size = layout_of(game, material).size
    if size > CELL_LIMIT:
        name = material_name(game, material)
        raise CapacityError(name, "ask for fewer pieces", needed=size, allowed=CELL_LIMIT, unit="indices")
