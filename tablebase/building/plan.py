"""Plans: which tables a build needs, in which order, which of them are missing or damaged, and what becomes of those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tablebase.errors import ArgumentError, CapacityError, CorruptTableError
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import parse
from tablebase.slices.indexing import INDEX_LIMIT, is_buildable, layout_of
from tablebase.slices.location import dependencies, locate, stored_materials
from tablebase.slices.material import Material, material_name, material_of, parse_materials, piece_counts
from tablebase.slices.material import materials as all_materials
from tablebase.tables.choice import missing_table
from tablebase.tables.folder import check_seal, file_sha256, free_name, table_path, title
from tablebase.tables.reader import Table

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import Catalog

SEALED_BYTES = 1_000_000_000
"""Up to this size of all tables together, a build reads every byte of them, and not only of those that it uses."""


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


def dependency_graph(game: Game, missing: Sequence[Material]) -> dict[Material, tuple[Material, ...]]:
    """For each of some stored materials those among them that it depends on."""
    among = set(missing)
    return {material: tuple(child for child in dependencies(game, material) if child in among) for material in missing}


def _build_order(material: Material) -> tuple[int, tuple[int, ...], tuple[int, ...], list[int]]:
    """Sort key: every material comes after those that it depends on."""
    return material.pieces, material.first, material.second, [-levels for levels in material.advance]


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
        _check_size(game, material)
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
            raise ArgumentError("choose tables: --pieces 3 for all with three pieces, or --material RCvW for one material")
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


def _check_size(game: Game, material: Material) -> None:
    """Refuse a material that is too large to be solved, before anything of that size is enumerated."""
    if not is_buildable(game, material):
        name, size = material_name(game, material), layout_of(game, material).size
        raise CapacityError(name, "ask for fewer pieces", needed=size, allowed=INDEX_LIMIT, unit="indices")


# The files of a plan


class State(NamedTuple):
    """What shows that a file has not changed since it was read."""

    device: int
    inode: int
    bytes: int
    changed: int


@dataclass(frozen=True)
class Examined:
    """The state of a plan."""

    missing: tuple[Material, ...]  # whose tables have to be built, or at least verified and registered; also damaged ones
    damaged: dict[Material, str]  # what is wrong with a file, as the predicate of a sentence
    whole: bool  # whether every byte of the other tables was read


def examine(game: Game, planned: Sequence[Material], folder: Path, catalog: Catalog) -> Examined:
    """Check size and header of all tables of a plan, and the seals of those that missing ones need, or of all if they are small.

    The plan has every material after those that it depends on. Raise `StaleTableError` if a table was built under other rules,
    or in another format.
    """
    bytes_of = {cost.material: cost.bytes for cost in catalog.costs(game)}
    digests = {name: one.file_sha256 for name, one in catalog.registered(game).items()}
    paths = {material: table_path(folder, game, material) for material in planned}
    states = {material: _state(path) for material, path in paths.items() if path.exists()}
    whole = sum(state.bytes for state in states.values()) < SEALED_BYTES
    missing: list[Material] = []
    damaged: dict[Material, str] = {}
    needed: set[Material] = set()
    for material in reversed(planned):
        name, state = material_name(game, material), states.get(material)
        fault, is_sound = None, False
        if state is not None:
            fault = _header_fault(paths[material], state, game, material)
            is_sound = fault is None and bytes_of.get(name) == state.bytes
            if is_sound and (whole or material in needed):
                is_sound = _sha256(paths[material], state) == digests[name]
            if fault is None and not is_sound:
                # It may be another file of the same table, which is only to be verified and registered.
                fault = _seal_fault(paths[material], state, title(game, material))
        if fault is not None:
            damaged[material] = fault
        if not is_sound:
            missing.append(material)
            needed.update(dependencies(game, material))
    return Examined(tuple(reversed(missing)), damaged, whole)


def set_aside(path: Path, fault: str, folder: Path, catalog: Catalog, say: Callable[[str], object]) -> None:
    """Rename a damaged file, strike it from the catalog, and say so; no file is overwritten."""
    # First, so that the catalog does not go on counting it if this is interrupted.
    catalog.remove([path.relative_to(folder).as_posix()])
    aside = free_name(path)
    path.rename(aside)
    say(f"{path} {fault}: renamed {aside.name}, and built again")


def _state(path: Path) -> State:
    stat = path.stat()
    return State(stat.st_dev, stat.st_ino, stat.st_size, stat.st_ctime_ns)


# A build looks at its tables twice, a batch once more for each entry: files that have not changed are not read again.


@cache
def _header_fault(path: Path, _state: State, game: Game, material: Material) -> str | None:
    """What is wrong with the metadata of a table file; None if nothing is."""
    return fault_of(lambda: Table(path, game, material).close())


@cache
def _seal_fault(path: Path, _state: State, title: str) -> str | None:
    """What is wrong with the bytes of a file; None if every one is as it was written."""
    return fault_of(lambda: check_seal(path, title))


@cache
def _sha256(path: Path, _state: State) -> str:
    return file_sha256(path)


def fault_of(check: Callable[[], object]) -> str | None:
    """The fault that a check of a file finds, as the predicate of a sentence."""
    try:
        check()
    except CorruptTableError as fault:
        return fault.fault
    return None
