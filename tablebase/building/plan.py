"""Plans: the materials that a build needs, in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tablebase.errors import ArgumentError, CapacityError
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.positions.indexing import INDEX_LIMIT, is_buildable, layout_of
from tablebase.positions.location import dependencies, locate, stored_materials
from tablebase.positions.material import Material, material_name, material_of, parse_materials, piece_counts
from tablebase.positions.material import materials as all_materials
from tablebase.tables.folder import table_path
from tablebase.tables.missing import missing_table


def with_dependencies(game: Game, wanted: list[Material]) -> tuple[Material, ...]:
    """The stored materials of these materials and all that they depend on, fewest pieces and furthest advance first."""
    pending = [locate(game, material, 0).material for material in wanted]
    planned: set[Material] = set()
    while pending:
        material = pending.pop()
        if material not in planned:
            planned.add(material)
            pending += dependencies(game, material)
    return tuple(sorted(planned, key=lambda one: (one.pieces, one.first, one.second, [-levels for levels in one.advance])))


def plan(game: Game, pieces: int | range | None, materials: Sequence[Material]) -> tuple[Material, ...]:
    """The stored materials of all slices with `pieces` pieces, of `materials`, and of all that these depend on.

    Errors are those of `wanted_materials`.
    """
    return with_dependencies(game, wanted_materials(game, pieces, materials))


def wanted_materials(game: Game, pieces: int | range | None, materials: Sequence[Material]) -> list[Material]:
    """The stored materials of all slices with `pieces` pieces, and of `materials`.

    Raise `CapacityError` if one of them has more than `INDEX_LIMIT` indices.
    """
    counts = range(0) if pieces is None else piece_counts(game, pieces)
    for material in [*materials, *(all_materials(game, count)[0] for count in counts[-1:])]:
        # Before anything of that size is enumerated.
        if not is_buildable(game, material):
            name, size = material_name(game, material), layout_of(game, material).size
            raise CapacityError(name, "choose fewer pieces", needed=size, allowed=INDEX_LIMIT, unit="indices")
    by_pieces = [material for count in counts for material in stored_materials(game, count)]
    return list(dict.fromkeys([*by_pieces, *(locate(game, material, 0).material for material in materials)]))


def start_material(game: Game) -> Material | None:
    """The material of the initial position; None if it is too large to be solved."""
    material = material_of(game, parse(game, game.start))
    return material if is_buildable(game, material) else None


def chosen_materials(game: Game, pieces: range | None, texts: Sequence[str] | None) -> list[Material]:
    """The materials named; without any, and without a number of pieces, that of the start if the game is small enough."""
    if pieces is None and not texts:
        start = start_material(game)
        if start is None:
            raise ArgumentError(
                "the initial position has too many pieces: choose tables with fewer pieces, as in --pieces 3 or --material RCvW"
            )
        return [start]
    return [material for text in texts or [] for material in parse_materials(game, text)]


def check_tables(game: Game, start: Position, folder: Path) -> None:
    """Raise `MissingTableError` unless there is a table for every position that can come up in a game."""
    material = material_of(game, start)
    if not is_buildable(game, material):
        raise missing_table(game, material, folder)
    for needed in with_dependencies(game, [material]):
        if not table_path(folder, game, needed).exists():
            raise missing_table(game, needed, folder, material)
