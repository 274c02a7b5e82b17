"""The tables of a folder, asked for positions of any game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tablebase.game import Game
from tablebase.game.capabilities import part
from tablebase.game.rules import Rules
from tablebase.probe.from_slices import SliceSource
from tablebase.probe.lines import Line
from tablebase.probe.source import Source
from tablebase.tables.store import Store


class Prober:
    """An object that probes positions with the tables in a folder; several threads can share a prober.

    To pass games by name and positions as text, use `tablebase.open` instead.
    """

    def __init__(self, folder: Path, cache: int | None = None) -> None:
        """`cache` is the size of the cache for decompressed chunks in bytes, by default 256 MiB."""
        self.store, self._cache = Store(folder, cache), cache
        self._slices: dict[Game, SliceSource] = {}
        self._others: dict[tuple[str, str], tuple[object, Source[Any]]] = {}

    def __reduce__(self) -> tuple[type[Prober], tuple[Path, int | None]]:
        # A copy opens the folder itself.
        return Prober, (self.store.folder, self._cache)

    def close(self) -> None:
        """Close all open files."""
        self.store.close()
        while self._others:
            self._others.popitem()[1][1].close()

    def of(self, rules: Rules[Any]) -> Source[Any]:
        """Return a `Source` that reads the tables of a game."""
        return self.slices(rules) if isinstance(rules, Game) else self._opened(rules)

    def slices(self, game: Game) -> SliceSource:
        """Return a `Source` that can probe many positions in one call, for a game with pieces on squares."""
        source = self._slices.get(game)
        if source is None:
            source = self._slices[game] = SliceSource(self.store, game)
        return source

    def _opened(self, game: Any) -> Source[Any]:
        from tablebase.tables.flat_files import files_stamp

        key, stamp = (game.name, game.digest), files_stamp(self.store.folder, game.name)
        opened = self._others.get(key)
        if opened is None or opened[0] != stamp:
            # The former one is not closed, because another thread may be asking it; losing the last reference closes its files.
            opened = self._others[key] = stamp, source_of(self.store, game)
        return opened[1]

    def line(self, rules: Rules[Any], position: Any, plies: int | None = None) -> Line:
        """Return a line of best play; see `Source.line`."""
        return Line(self.of(rules).line(position, plies), plies)


def source_of(store: Store, game: Any) -> Source[Any]:
    """Open the source of values that the kind of a game delivers."""
    source: Source[Any] = part(game, "values")(store, game)
    return source
