"""The tables of a folder, asked for positions of any game."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar, cast

from tablebase.game import Game
from tablebase.game.compiled import CompiledGame
from tablebase.game.moves import Position
from tablebase.game.rules import Rules
from tablebase.game.values import Value
from tablebase.probe.answers import Probe
from tablebase.probe.from_slices import SliceSource
from tablebase.probe.lines import Line
from tablebase.probe.source import Source
from tablebase.tables.store import Store

P = TypeVar("P")


class Prober:
    """Probes positions in the tables of a folder. Safe to use from several threads.

    `tablebase.open` does the same for names and texts.
    """

    def __init__(self, folder: Path, cache: int | None = None) -> None:
        """Keep so many bytes of decompressed chunks, by default 256 MiB."""
        self.store, self._cache = Store(folder, cache), cache
        self._slices: dict[Game, SliceSource] = {}
        self._others: dict[tuple[str, str], tuple[object, Source[Any]]] = {}

    def __reduce__(self) -> tuple[type[Prober], tuple[Path, int | None]]:
        # A copy opens the folder itself.
        return Prober, (self.store.folder, self._cache)

    def close(self) -> None:
        """Close all files."""
        self.store.close()
        while self._others:
            self._others.popitem()[1][1].close()

    def of(self, rules: Rules[P]) -> Source[P]:
        """The tables of a game."""
        source: Any = self.slices(rules) if isinstance(rules, Game) else self._opened(rules)
        return cast("Source[P]", source)

    def slices(self, game: Game) -> SliceSource:
        """The tables of a game of pieces on squares, which also answer many positions at once."""
        source = self._slices.get(game)
        if source is None:
            source = self._slices[game] = SliceSource(self.store, game)
        return source

    def _opened(self, game: Any) -> Source[Any]:
        """The tables of a game by functions: opened on first use, and anew after a file of them has come or gone."""
        from tablebase.tables.flat_files import files_stamp

        key, stamp = (game.name, game.digest), files_stamp(self.store.folder, game.name)
        opened = self._others.get(key)
        if opened is None or opened[0] != stamp:
            # The former one is not closed, because another thread may be asking it; losing the last reference closes its files.
            opened = self._others[key] = stamp, _source_of(self.store, game)
        return opened[1]

    def value(self, game: Game, position: Position) -> Value:
        """Outcome and distance, for the side to move, of a position in which the game is not over.

        Raise `MissingTableError` if the table has not been built.
        """
        return self.slices(game).look_up(position)

    def probe(self, rules: Rules[P], position: P, *, strict: bool = False) -> Probe:
        """Value and moves of a position; see `Source.probe`."""
        return self.of(rules).probe(position, strict=strict)

    def line(self, rules: Rules[P], position: P, plies: int | None = None) -> Line:
        """The optimal line; see `Source.line`."""
        return Line(self.of(rules).line(position, plies), plies)


def _source_of(store: Store, game: Any) -> Source[Any]:
    """Bounds with chance, and exact values without."""
    if isinstance(game, CompiledGame):
        from tablebase.probe.from_tiers import TierSource

        return TierSource(store, game)
    if not game.has_chance:
        from tablebase.probe.from_codes import CodesSource

        return CodesSource(store, game)
    # Loaded here because Numba is slow to load.
    from tablebase.probe.from_bounds import BoundsSource

    return BoundsSource(store, game)
