"""The stored positions of a game by compiled functions, tier by tier, for statements, exports and charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import NotationError
from tablebase.functions.exact.tier_files import TierFile
from tablebase.game.compiled import CompiledGame
from tablebase.game.native import Native, native, rules_of
from tablebase.game.values import AnyValue
from tablebase.probe.from_codes import ExactSource
from tablebase.probe.slice_values import by_code
from tablebase.probe.stored import Numbers, Stored, StoredTable
from tablebase.system.compute.jit import jit
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.values import STALEMATE


class TierRows(Stored[int]):
    """The positions of some tiers; the number of a position is its rank, counted through all tiers."""

    def __init__(self, source: ExactSource[int], game: CompiledGame, files: Sequence[TierFile], chunks: CachedChunks) -> None:
        ends = np.cumsum([0, *(file.size for file in files)]).tolist()
        self.rules = game
        self.tables = [StoredTable({"tier": file.name}, *span) for file, *span in zip(files, ends, ends[1:], strict=False)]
        self._game, self._source, self._files, self._chunks = game, source, files, chunks
        self._begins = np.array(ends[:-1], np.int64)

    def _by_tier(self, numbers: Numbers) -> list[tuple[TierFile, Numbers, Numbers]]:
        tiers = np.searchsorted(self._begins, numbers, "right") - 1
        each = [(int(tier), np.flatnonzero(tiers == tier)) for tier in np.unique(tiers)]
        return [(self._files[tier], where, numbers[where] - self._begins[tier]) for tier, where in each]

    def _numbered(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        positions, players = np.empty(len(numbers), np.int64), np.empty(len(numbers), np.int64)
        functions, rules = native(self._game), rules_of(self._game)
        for file, where, ranks in self._by_tier(numbers):
            keys = np.empty(0, np.int64) if self._game.is_ranked else file.keys_at(ranks, self._chunks)
            found = np.empty((2, len(ranks)), np.int64)
            _unrank_all(functions, rules, file.tier, ranks, keys, self._game.is_ranked, found)
            positions[where], players[where] = found
        return positions, players

    def occupied(self, numbers: Numbers) -> Numbers:
        """See `Stored.occupied`: without invalid ranks."""
        return numbers[self._numbered(numbers)[0] >= 0] if self._game.is_ranked else numbers

    def values(self, numbers: Numbers) -> dict[str, NDArray[Any]]:
        """See `Stored.values`; of the rules, only who moves where the game is over."""
        outcomes, distances = np.empty(len(numbers), np.int8), np.empty(len(numbers), np.int16)
        final = np.empty(len(numbers), np.bool_)
        for file, where, ranks in self._by_tier(numbers):
            codes = file.codes_at(ranks, self._chunks)
            by_outcome, by_distance = by_code(file.coding)
            outcomes[where], distances[where] = by_outcome[codes], by_distance[codes]
            final[where] = (codes == STALEMATE) | (by_distance[codes] == 0)
        if final.any():
            players = self._numbered(numbers[final])[1]
            outcomes[final] *= np.where(players == 0, 1, -1).astype(np.int8)
        return {"final": final, "outcome": outcomes, "distance": distances}

    def positions(self, numbers: Numbers) -> list[int]:
        """See `Stored.positions`."""
        positions: list[int] = self._numbered(numbers)[0].tolist()
        return positions

    def moves(self, numbers: Numbers) -> list[list[tuple[str, AnyValue]]]:
        """See `ExactSource.moves`."""
        return self._source.moves(self.positions(numbers))

    def representative(self, position: int) -> int:
        """See `Stored.representative`."""
        tier, place = self._game.place(position)
        if not self._game.is_ranked:
            return place
        found = self._game.position_at(tier, place)
        if found is None:
            raise NotationError(f"rank and unrank of {self._game.name} contradict each other for {position}: correct the rules")
        return found


@jit
def _unrank_all(
    functions: Native, rules: Numbers, tier: int, ranks: Numbers, keys: Numbers, is_ranked: bool, found: Numbers
) -> None:
    """Fill in the position of each rank, -1 for an invalid one, and the player to move; without ranks from the keys."""
    for place in range(len(ranks)):
        position = functions.unrank(rules, tier, ranks[place]) if is_ranked else keys[place]
        if is_ranked and functions.rank(rules, position) != ranks[place]:
            position = -1
        found[0, place] = position
        found[1, place] = functions.to_move(rules, position) if position >= 0 else 0
