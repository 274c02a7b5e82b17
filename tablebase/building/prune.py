"""Remove what no longer serves: tables of old rules, and files that nothing refers to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablebase.building.kind import table_kind
from tablebase.building.reindex import with_usable
from tablebase.catalog.catalog import Catalog
from tablebase.catalog.entries import Entry, strike
from tablebase.errors import CorruptTableError, NotationError, RulesError, StaleTableError
from tablebase.game.installed import load_rules
from tablebase.game.rules import Rules
from tablebase.system.files.outputs import DRAFT_SUFFIX
from tablebase.tables.folder import SUFFIX, USER_BLOCK, lock, make_folder

OLD_RULES = "built with different rules"
UNREGISTERED = "not in the catalog"
DRAFT = "left by an interrupted command"
_TABLE_DRAFT = re.compile(rf"\..+{re.escape(SUFFIX)}\.[0-9a-f]+{re.escape(DRAFT_SUFFIX)}")


@dataclass(frozen=True)
class Prunable:
    """A file that can be removed, with the fields of ``tablebase prune --format json``."""

    file: str  # relative to the tablebase's folder
    bytes: int  # 0 if it has gone and only the catalog still lists it
    reason: str


def prunable(folder: Path, catalog: Catalog) -> list[Prunable]:
    """List removable files of a folder. Files of games that are not installed, and of other programs, are never among them."""
    registered = catalog.entries
    found: dict[Path, str] = {}
    for game in _games(folder, registered):
        current = {folder / file for file, entry in registered.items() if entry.is_of(game)}
        old = {folder / file: OLD_RULES for file, entry in registered.items() if entry.game == game.name}
        found |= {path: reason for path, reason in old.items() if path not in current and not path.exists()}
        found |= {path: reason for path, reason in _files_of(folder, game) if path not in current}
    sizes = {path: path.stat().st_size if path.exists() else 0 for path in sorted(found)}
    return [Prunable(path.relative_to(folder).as_posix(), size, found[path]) for path, size in sizes.items()]


def prune(folder: Path, url: str | None, agreed: Callable[[list[Prunable]], bool]) -> list[Prunable]:
    """Remove what may be removed, if that is agreed to; return what has been removed."""
    with_usable(folder, url, lambda: Catalog(folder, catalog=url).close())
    make_folder(folder)
    with lock(folder):
        with closing(Catalog(folder, catalog=url)) as opened:
            items = prunable(folder, opened)
        if not items or not agreed(items):
            return []
        # If this is interrupted, files that are left are not in the catalog any more and will be found again.
        with Catalog(folder, create=True, catalog=url).writing() as connection:
            strike(connection, [item.file for item in items])
        for item in items:
            (folder / item.file).unlink(missing_ok=True)
    return items


def _games(folder: Path, registered: Mapping[str, Entry]) -> Iterator[Rules[Any]]:
    for name in sorted({path.name for path in folder.iterdir() if path.is_dir()} | {entry.game for entry in registered.values()}):
        with suppress(RulesError):
            game = load_rules(name)
            if game.name == name:
                yield game


def _files_of(folder: Path, game: Rules[Any]) -> Iterator[tuple[Path, str]]:
    kind = table_kind(game)
    for path in sorted((folder / game.name).glob(kind.pattern)):
        if path.is_symlink() or not path.is_file():
            continue
        if _TABLE_DRAFT.fullmatch(path.name):
            yield path, DRAFT
            continue
        with path.open("rb") as file:
            beginning = file.read(USER_BLOCK)
        # A table of the game that has this name begins so, even if it is damaged, or of other rules.
        if path.suffix != SUFFIX or not re.match(rf"tablebase \d+ {re.escape(kind.title_at(path))} sha256=".encode(), beginning):
            continue
        try:
            kind.opened_at(path).close()
            yield path, UNREGISTERED
        except (StaleTableError, NotationError, RulesError):
            # Other rules may have had materials, or limits, that these have not.
            yield path, OLD_RULES
        except CorruptTableError:
            yield path, f"damaged and {UNREGISTERED}"
