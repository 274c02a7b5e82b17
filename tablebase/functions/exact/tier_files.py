"""The file of a tier of a game by compiled functions: the code of each rank.

The dataset ``codes`` holds by rank the value for the player to move, with stride 2 (see `tablebase.tables.values`); where the game
is over, for the player whom `Functions.to_move` names. An invalid rank has the code of the rank before it. Without ranks, further
datasets hold the sorted positions, whose places take the place of ranks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError
from tablebase.functions.exact.files import CodesFile, ExactCounts, counts_of
from tablebase.game.compiled import CompiledGame
from tablebase.game.values import Value
from tablebase.tables import hdf5 as parts
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.flat_files import Head, head_of, write_flat
from tablebase.tables.folder import SUFFIX
from tablebase.tables.values import NARROW_ANY, Codes, CodeSource, Coding, LazyValues, recode, win_code

FORMAT = "tablebase tier"
FORMAT_VERSION = 1
"""Raise it if the ranks of `tablebase.game.ranks` change: they are not part of the rules' digest."""
VERSIONS = ("format_version", "rules_digest", "stride")
PLACE = "tiers"
"""The folder of the files in that of the game."""
PLANES = tuple(f"keys{number}" for number in range(8))
"""Datasets of tiers without ranks: the bytes of differences of neighbouring positions, the lowest byte first."""
PLANE = np.dtype("u1")
RESTART = 1 << 16
"""Keys that are read together; a chunk has whole runs of them, or is shorter than one."""
Keys = NDArray[np.int64]


def tier_path(folder: Path, game: CompiledGame, tier: int) -> Path:
    """Return the path of a tier's file in a tablebase."""
    return folder / game.name / PLACE / f"{game.tier_name(tier)}{SUFFIX}"


def write_tier(
    path: Path, game: CompiledGame, tier: int, after: Sequence[int], codes: Codes, coding: Coding, keys: Keys | None
) -> Path:
    """Write a table under a temporary name next to `path`, sync it to disk, and return that name.

    Parameters
    ----------
    after : sequence of int
        The tiers that moves lead to.
    codes : ndarray
        By rank; with void ones.
    keys : ndarray of int64, optional
        Without ranks, the sorted positions.
    """
    # Numba is slow to load.
    from tablebase.tables.code_kernels import count_codes, fill_gaps

    counts, first = np.zeros(coding.void + 1, np.int64), np.full(coding.void + 1, -1, np.int64)
    count_codes(codes, 0, counts, first)
    known = [(code, int(first[code]), int(counts[code])) for code in np.flatnonzero(counts[: coding.void]).tolist()]
    if max(code for code, *_ in known) < win_code(NARROW_ANY.reach + 1, NARROW_ANY.stride):
        codes, coding = recode(codes, coding, NARROW_ANY), NARROW_ANY

    def text_at(rank: int) -> str:
        return game.format(position_of(game, tier, rank, keys))

    filled = np.empty_like(codes)
    fill_gaps(codes, coding.void, 0, filled)
    datasets: dict[str, CodeSource] = {"codes": filled}
    for number, name in enumerate(PLANES if keys is not None else ()):
        datasets[name] = LazyValues(len(filled), PLANE, partial(_plane, keys, number))
    name = game.tier_name(tier)
    return write_flat(path, _head(game, name, tier, after, counts_of(known, coding, text_at)), datasets)


def position_of(game: CompiledGame, tier: int, rank: int, keys: Keys | None) -> int:
    """Return the position of a rank."""
    unrank = game.functions.unrank
    if unrank is None:
        assert keys is not None
        return int(keys[rank])
    return int(unrank(game.numbers, tier, rank))


def _plane(keys: Any, number: int, begin: int, end: int) -> NDArray[np.uint8]:
    """Return a byte of the differences of keys; every `RESTART` keys a key itself takes the place of a difference."""
    differences = np.diff(keys[begin:end], prepend=0)
    differences[::RESTART] = keys[begin:end:RESTART]
    plane: NDArray[np.uint8] = (differences >> 8 * number & 255).astype(np.uint8)
    return plane


def _keys_of(planes: Sequence[NDArray[Any]]) -> Keys:
    """Return the keys of some places, the first of which is a multiple of `RESTART`."""
    keys: Keys = np.stack(planes, axis=1).view("<i8").ravel()
    for begin in range(0, len(keys), RESTART):
        np.cumsum(keys[begin : begin + RESTART], out=keys[begin : begin + RESTART])
    return keys


def _head(game: CompiledGame, name: str, tier: int, after: Sequence[int], counts: ExactCounts) -> Head:
    more: dict[str, str | int] = {"tier": name, "number": tier, "after": json.dumps(list(after))}
    more |= {"stride": NARROW_ANY.stride, "counts": json.dumps(asdict(counts))}
    return head_of(game, f"{PLACE} {name}", FORMAT, FORMAT_VERSION, **more)


class TierFile(CodesFile):
    """The file of a tier, open for reading; its values are its codes and, without ranks, the bytes of its keys.

    Attributes
    ----------
    tier : int
    size : int
        Ranks.
    after : list of int
        Tiers that moves lead to.

    `CorruptTableError` if the file is not one of the tier of this name, `StaleTableError` if it was built under other rules or
    in another format.
    """

    keyed = PLANES[0]

    def __init__(self, path: Path, game: CompiledGame, name: str) -> None:
        self.game, self.name = game, name
        super().__init__(path)

    def _check(self, root: Any) -> None:
        game = self.game
        try:
            self.counts = ExactCounts(**json.loads(parts.text(root, "counts")))
            self.after = [int(tier) for tier in json.loads(parts.text(root, "after"))]
        except (TypeError, ValueError) as error:
            raise CorruptTableError("contains invalid position counts", self.path) from error
        self.tier = parts.number(root, "number")
        self.head = _head(game, self.name, self.tier, self.after, self.counts)
        self._compare(root, f"{self.name} of {game.name}", ("format", "game", "tier"), VERSIONS)
        parts.require(game.tier_name(self.tier) == self.name, "its number belongs to another tier")
        self.size = game.size(self.tier) if game.is_ranked else self.counts.positions
        self._expect_codes(root, self.size)
        for name in () if game.is_ranked else PLANES:
            self._expect(root, name, self.size, PLANE)

    @property
    def longest(self) -> int:
        """The longest distance, in plies."""
        return max(self.counts.longest_win or 0, self.counts.longest_loss or 0)

    def read(self, codes: Codes) -> Keys | None:
        """Read all codes, and return the keys; `CorruptTableError` if the values differ from those written."""
        planes = {name: np.zeros(self.size, np.uint8) for name in PLANES if name in self.datasets}
        arrays: dict[str, NDArray[Any]] = {"codes": codes, **planes}
        self.check_values(lambda name, places, values: arrays[name].__setitem__(places, values))
        return _keys_of(list(planes.values())) if planes else None

    def fill(self, codes: Codes) -> None:
        """Read all codes of a file whose bytes are known to be right."""
        for places, values in self.slabs("codes"):
            codes[places] = values

    def keys(self) -> Keys:
        """Read all keys, as `fill` does."""
        return _keys_of([self.between(name, 0, self.size) for name in PLANES])

    def value_of(self, position: int, chunks: CachedChunks) -> Value | None:
        """Return the value of a position, for the player to move; None if it is not in the list."""
        find = self.code_at if self.game.is_ranked else self.code_of
        code = find(self.game.place(position)[1], chunks)
        return None if code is None else self.coding.value(code)

    def keys_at(self, places: Keys, chunks: CachedChunks) -> Keys:
        """Return the positions at some places of the list."""
        return self.at(self.keyed, places, lambda number: self.keys_of(number, chunks), np.int64)

    def keys_of(self, number: int, chunks: CachedChunks) -> Keys:
        """See `CodesFile.keys_of`."""
        return chunks.get((self, "keys", number), lambda: _keys_of([self.chunk(name, number) for name in PLANES]))
