"""What has been built, for programs and for pages: answers from the catalog, each kept until the catalog changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar, cast

from tablebase.api.chances import layer_rows
from tablebase.api.descriptions import (
    counts_of,
    describe_material,
    distances_of,
    list_built,
    list_materials,
    list_records,
    neighbours,
)
from tablebase.api.rows import LayerRow, MaterialRow, RecordRow
from tablebase.catalog.catalog import Catalog, Counts
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import CorruptCatalogError, TablebaseError
from tablebase.game import Game, load_game
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import StochasticGame
from tablebase.slices.material import material_name, parse_material
from tablebase.tables.choice import missing_pieces
from tablebase.tables.folder import check_folder

Result = TypeVar("Result")
KEPT = 256
"""Answers that are kept; the largest one, of all slices of a game, takes about a megabyte."""

State = tuple[tuple[int, int, int], ...]


class UnusableCatalogError(CorruptCatalogError):
    """A catalog that cannot be read now, which is the server's fault."""

    def __init__(self, sentence: str, path: Path) -> None:
        super().__init__(sentence, path)
        self.args = (sentence,)


class KnownCatalog:
    """Keeps answers as long as the file of the catalog does not change. Safe to use from several threads.

    Nothing is kept of a catalog in a PostgreSQL database, which `url` names.
    """

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.folder, self.url = folder, url
        self._state: State = ()
        self._answers: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, question: Hashable, read: Callable[[Catalog], Result]) -> Result:
        """What `read` returns, given the catalog, or has returned for the same question; it must not be changed.

        `UnusableCatalogError` if there is no catalog, or it cannot be used.
        """
        before = self._seen()
        with self._lock:
            if before != self._state:
                self._answers.clear()
                self._state = before
            elif question in self._answers:
                self._answers.move_to_end(question)
                return cast(Result, self._answers[question])
        with closing(self._open()) as catalog:
            found = read(catalog)
        with self._lock:
            # A change while it was read may have come too late or not.
            if before and before == self._state == self._seen():
                self._answers[question] = found
                while len(self._answers) > KEPT:
                    self._answers.popitem(last=False)
        return found

    def _open(self) -> Catalog:
        try:
            check_folder(self.folder, built=True)
            return Catalog(self.folder, catalog=self.url)
        except CorruptCatalogError:
            raise
        except TablebaseError as fault:
            raise UnusableCatalogError(str(fault), self.folder) from fault

    def _seen(self) -> State:
        """What shows whether the catalog has changed; empty if that cannot be seen."""
        if self.url is not None:
            return ()
        found = []
        for ending in ("", "-wal", "-journal"):
            try:
                stat = (self.folder / f"{FILE_NAME}{ending}").stat()
            except OSError:
                if not ending:
                    return ()
                continue
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        return tuple(found)


def built_rows(catalog: KnownCatalog) -> list[dict[str, Any]]:
    """The games of which anything has been built; see `list_built`."""
    return catalog.answer("built", list_built)


def stats_rows(
    catalog: KnownCatalog, name: str, by: str = "pieces", pieces: int | None = None
) -> list[dict[str, Any]] | list[LayerRow]:
    """What `tablebase stats --format json` writes."""
    rules = load_rules(name)
    return catalog.answer(("stats", rules.name, by, pieces), lambda opened: _stats(opened, rules, by, pieces))


def _stats(catalog: Catalog, rules: Game | StochasticGame, by: str, pieces: int | None) -> list[dict[str, Any]] | list[LayerRow]:
    if isinstance(rules, StochasticGame):
        return layer_rows(catalog, rules)
    found = [counts for counts in counts_of(catalog, rules, by) if pieces in (None, counts.pieces)]
    if not found:
        raise missing_pieces(rules, pieces or 0, catalog.folder)
    return [{name: getattr(counts, name) for name in Counts.columns(by)} for counts in found]


def material_rows(catalog: KnownCatalog, name: str, pieces: int | None = None) -> list[MaterialRow]:
    """The materials of a game that have been built."""
    game = load_game(name)
    return catalog.answer(("materials", game.name, pieces), lambda opened: list_materials(opened, game, pieces))


def material_of(catalog: KnownCatalog, name: str, text: str) -> dict[str, Any]:
    """The description of a material; `MissingTableError` if it has not been built."""
    game = load_game(name)
    full = material_name(game, parse_material(game, text))

    def read(opened: Catalog) -> dict[str, Any]:
        known = describe_material(opened, game, full)
        return {**known, "distances": distances_of(opened, game, full), **neighbours(opened, game, full)}

    return catalog.answer(("material", game.name, full), read)


def record_rows(catalog: KnownCatalog, name: str, by: str = "pieces") -> list[RecordRow]:
    """The longest wins and losses of a game."""
    game = load_game(name)
    return catalog.answer(("records", game.name, by), lambda opened: list_records(opened, game, by))
