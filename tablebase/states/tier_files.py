"""The file of a tier of a game by compiled functions: the code of each rank.

The dataset ``codes`` holds by rank the value for the player to move, with stride 2 (see `tablebase.tables.values`); where the game
is over, for the player whom `Functions.to_move` names. An invalid rank has the code of the rank before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tablebase.errors import CorruptTableError
from tablebase.game.compiled import CompiledGame
from tablebase.game.values import Value
from tablebase.states.files import Counts, counts_of
from tablebase.states.tiers import tiers_of
from tablebase.tables import parts
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.flat_files import FlatFile, Written, write_flat
from tablebase.tables.folder import SUFFIX
from tablebase.tables.header import BUILT, TYPES
from tablebase.tables.values import FULL, NARROW_ANY, Codes, Coding, recode

FORMAT = "tablebase tier"
FORMAT_VERSION = 1
"""Raise it if the ranks of `tablebase.game.ranks` change: they are not part of the rules' digest."""
PLACE = "tiers"
"""The folder of the files in that of the game."""


def tier_path(folder: Path, game: CompiledGame, tier: int) -> Path:
    """Return the path of a tier's file in a tablebase."""
    return folder / game.name / PLACE / f"{tiers_of(game).names[tier]}{SUFFIX}"


def write_tier(path: Path, game: CompiledGame, tier: int, codes: Codes, coding: Coding) -> Path:
    """Write a table under a temporary name next to `path`, sync it to disk, and return that name; `codes` has void ones."""
    # Numba is slow to load.
    from tablebase.tables.code_kernels import count_codes, fill_gaps

    counts, first = np.zeros(coding.void + 1, np.int64), np.full(coding.void + 1, -1, np.int64)
    count_codes(codes, 0, counts, first)
    known = [(code, int(first[code]), int(counts[code])) for code in np.flatnonzero(counts[: coding.void]).tolist()]
    if max(code for code, *_ in known) < NARROW_ANY.void:
        codes, coding = recode(codes, coding, NARROW_ANY), NARROW_ANY

    def text_at(rank: int) -> str:
        position: int = game.functions.unrank(game.numbers, tier, rank)
        return game.format(position)

    filled = np.empty_like(codes)
    fill_gaps(codes, coding.void, 0, filled)
    datasets = [Written("codes", len(filled), filled.dtype, filled.__getitem__)]
    attributes = partial(_attributes, game, tier, counts_of(known, coding, text_at))
    return write_flat(path, tier_title(game, tier), BUILT, datasets, attributes)


def tier_title(game: CompiledGame, tier: int) -> str:
    """Return the title in the seal of a tier's file."""
    return f"{game.name} {PLACE} {tiers_of(game).names[tier]}"


def _attributes(game: CompiledGame, tier: int, counts: Counts, digest: str) -> Mapping[str, str | int]:
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": game.name,
        "rules_digest": game.digest,
        "tier": tiers_of(game).names[tier],
        "number": tier,
        "stride": NARROW_ANY.stride,
        "counts": json.dumps(asdict(counts)),
        "values_sha256": digest,
    }


class TierFile(FlatFile):
    """The file of a tier, open for reading; its values are its codes.

    `CorruptTableError` if the file is not one of this tier, `StaleTableError` if it was built under other rules or in another
    format.
    """

    def __init__(self, path: Path, game: CompiledGame, tier: int) -> None:
        self.game, self.tier, self.size = game, tier, tiers_of(game).sizes[tier]
        super().__init__(path)

    def _check(self, root: Any) -> None:
        game, name = self.game, tiers_of(self.game).names[self.tier]
        try:
            self.counts = Counts(**json.loads(parts.text(root, "counts")))
        except (TypeError, ValueError) as fault:
            raise CorruptTableError("does not count its positions", self.path) from fault
        self.title, self.attributes = tier_title(game, self.tier), partial(_attributes, game, self.tier, self.counts)
        versions = ("format_version", "rules_digest", "number", "stride")
        self._compare(root, game.name, f"{name} of {game.name}", ("format", "game", "tier"), versions)
        wide = parts.dataset(root, "codes").get_type().equal(TYPES[FULL.dtype])
        self.coding: Coding = FULL if wide else NARROW_ANY
        self._expect(root, "codes", self.size, np.dtype(self.coding.dtype))

    @property
    def longest(self) -> int:
        """The longest distance, in plies."""
        return max(self.counts.longest_win or 0, self.counts.longest_loss or 0)

    def read(self, codes: Codes) -> None:
        """Read all codes; `CorruptTableError` if they are not those that were written."""
        self.check_values(lambda _, places, values: codes.__setitem__(places, values))

    def value_at(self, rank: int, chunks: CachedChunks) -> Value:
        """Return the value of a rank, for the player to move."""
        number, offset = divmod(rank, self.chunk_values("codes"))
        code = int(chunks.get((self, number), partial(self.chunk, "codes", number))[offset])
        if code == self.coding.void:
            raise CorruptTableError("holds codes that are none", self.path)
        return self.coding.value(code)
