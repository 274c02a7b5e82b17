"""What a build counts on: which tables are missing, which files are damaged, and what becomes of those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tablebase.errors import CorruptTableError
from tablebase.game import Game
from tablebase.slices.location import dependencies
from tablebase.slices.material import Material, material_name
from tablebase.tables.folder import free_name
from tablebase.tables.format import check_seal, file_sha256, table_path, title
from tablebase.tables.reader import Table

if TYPE_CHECKING:
    # Workers need no catalog, which takes as long to load as all else.
    from tablebase.catalog.catalog import Catalog

SEALED_BYTES = 1_000_000_000
"""Up to this size of all tables together, a build reads every byte of them, and not only of those that it uses."""


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
