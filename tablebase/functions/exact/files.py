"""The file of the exact values of a game by functions: its positions as sorted texts, and the code of each.

The dataset ``keys`` holds the texts of the canonical positions in UTF-8, all of one length, padded with zeros, in the order of
their bytes; ``codes`` holds in the same order the value for the player to move, with stride 2 (see `tablebase.tables.values`).
Where the game is over it is the value for the first player, and the code of a draw is then that of a stalemate.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, RulesError
from tablebase.functions.exact.listed import MOST_POSITIONS
from tablebase.game.functions import FunctionGame
from tablebase.game.types import Outcome
from tablebase.tables import hdf5 as parts
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.flat_files import FlatFile, Head, head_of, write_flat
from tablebase.tables.folder import SUFFIX
from tablebase.tables.header import TYPES
from tablebase.tables.values import FULL, NARROW_ANY, STALEMATE, Codes, Coding

FORMAT = "tablebase exact"
FORMAT_VERSION = 1
PLACE = "exact"
"""The folder of the file in that of the game."""
LONGEST_TEXT = 1000
"""Bytes of a position's text."""
NO_CODES = "contains invalid codes"
Keys = NDArray[np.bytes_]


@dataclass(frozen=True)
class ExactCounts:
    """Counts of a game's positions by value; wins, losses and draws are those of the player to move where the game goes on."""

    positions: int
    final: int  # positions in which the game is over
    wins: int
    losses: int
    draws: int
    longest_win: int | None  # plies
    longest_win_position: str | None  # of these, the first one by the order of the keys
    longest_loss: int | None
    longest_loss_position: str | None


def counts_of(known: Iterable[tuple[int, int, int]], coding: Coding, text_at: Callable[[int], str]) -> ExactCounts:
    """Count values, given codes with their first place and how often they occur; `text_at` writes the position of a place."""
    final, by_outcome = 0, dict.fromkeys(Outcome, 0)
    longest: dict[Outcome, tuple[int, int]] = {}
    for code, place, count in known:
        value = coding.value(code)
        if code == STALEMATE or value.distance == 0:
            final += count
            continue
        by_outcome[value.outcome] += count
        if value.distance is not None:
            longest[value.outcome] = max(longest.get(value.outcome, (0, 0)), (value.distance, place))
    win, loss = longest.get(Outcome.WIN), longest.get(Outcome.LOSS)
    return ExactCounts(
        final + sum(by_outcome.values()),
        final,
        by_outcome[Outcome.WIN],
        by_outcome[Outcome.LOSS],
        by_outcome[Outcome.DRAW],
        win and win[0],
        win and text_at(win[1]),
        loss and loss[0],
        loss and text_at(loss[1]),
    )


def exact_path(folder: Path, name: str) -> Path:
    """The path of a game's file in a tablebase."""
    return folder / name / PLACE / f"all{SUFFIX}"


def sorted_keys(rules: FunctionGame[Any], positions: list[Any]) -> tuple[Keys, NDArray[np.int64]]:
    """The keys of positions, and the place of each in the list; `RulesError` if texts are no keys."""
    texts = [rules.format(position).encode() for position in positions]
    longest = max(map(len, texts))
    if longest > LONGEST_TEXT or any(b"\0" in text or not text for text in texts):
        wanted = f"a string of 1 to {LONGEST_TEXT:,} bytes without NUL"
        raise RulesError(f"format() of {rules.name} must return {wanted}: correct the function")
    keys = np.array(texts, f"S{longest}")
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    same = np.flatnonzero(keys[1:] == keys[:-1])
    if len(same):
        text = keys[same[0]].decode()
        raise RulesError(f"format() of {rules.name} returns {text!r} for two different positions: change format() or canonical()")
    return keys, order


def write_exact(path: Path, rules: FunctionGame[Any], keys: Keys, codes: Codes) -> Path:
    """Write a table under a temporary name next to `path`, sync it to disk, and return that name."""
    return write_flat(path, _head(rules, len(keys)), {"keys": keys, "codes": codes})


def _head(rules: FunctionGame[Any], positions: int) -> Head:
    return head_of(rules, PLACE, FORMAT, FORMAT_VERSION, positions=positions, stride=NARROW_ANY.stride)


class CodesFile(FlatFile):
    """A file of exact values, with the dataset ``codes``; most files also have the keys of the positions, in ascending order."""

    coding: Coding
    keyed = "keys"
    """A dataset with the chunks of the keys."""

    @abstractmethod
    def keys_of(self, number: int, chunks: CachedChunks) -> NDArray[Any]:
        """The sorted keys of a chunk."""

    def places_of(self, keys: NDArray[Any], chunks: CachedChunks) -> NDArray[np.int64]:
        """The place of each key; -1 for a key of no position in the file."""
        order, data, places = np.argsort(keys), self.datasets[self.keyed], np.full(len(keys), -1)
        # Parts of the sorted keys, and of the chunks that they can be in.
        pending = [(keys[order], order, 0, -(-data.size // data.chunk))]
        while pending:
            some, where, low, high = pending.pop()
            if high - low > 1 and len(some):
                middle = (low + high) // 2
                split = np.searchsorted(some, self.keys_of(middle, chunks)[0])
                pending += [(some[:split], where[:split], low, middle), (some[split:], where[split:], middle, high)]
            elif len(some):
                known = self.keys_of(low, chunks)
                found = np.minimum(np.searchsorted(known, some), len(known) - 1)
                places[where] = np.where(known[found] == some, low * data.chunk + found, -1)
        return places

    def code_of(self, key: Any, chunks: CachedChunks) -> int | None:
        """The code of one key, faster than `places_of`; None for a key of no position in the file."""
        data = self.datasets[self.keyed]
        later = range(1, -(-data.size // data.chunk))
        number = bisect_right(later, key, key=lambda number: self.keys_of(number, chunks)[0])
        known = self.keys_of(number, chunks)
        place = int(np.searchsorted(known, key))
        is_known = place < len(known) and known[place] == key
        return self.code_at(number * data.chunk + place, chunks) if is_known else None

    def _expect_codes(self, root: Any, size: int) -> None:
        wide = parts.dataset(root, "codes").get_type().equal(TYPES[FULL.dtype])
        self.coding = FULL if wide else NARROW_ANY
        self._expect(root, "codes", size, np.dtype(self.coding.dtype))

    def codes_at(self, places: NDArray[np.int64], chunks: CachedChunks) -> Codes:
        """The codes at places in any order; `CorruptTableError` if one of them is none."""
        codes = self.cached_at("codes", places, chunks)
        if (codes == self.coding.void).any():
            raise CorruptTableError(NO_CODES, self.path)
        return codes

    def code_at(self, place: int, chunks: CachedChunks) -> int:
        """The code at one place, faster than `codes_at`."""
        number, offset = divmod(place, self.chunk_values("codes"))
        code = int(self.cached(chunks, "codes", number)[offset])
        if code == self.coding.void:
            raise CorruptTableError(NO_CODES, self.path)
        return code


class ExactFile(CodesFile):
    """The file of a game, open for reading; its values are its keys, and then its codes.

    `CorruptTableError` if the file is not one of this game, `StaleTableError` if it was built under other rules or in another
    format.
    """

    def __init__(self, path: Path, rules: FunctionGame[Any]) -> None:
        self.rules = rules
        super().__init__(path)

    def _check(self, root: Any) -> None:
        name, self.positions = self.rules.name, parts.number(root, "positions")
        self.head = _head(self.rules, self.positions)
        self._compare(root, f"of {name}", ("format", "game"), ("format_version", "rules_digest", "stride"))
        parts.require(0 < self.positions <= MOST_POSITIONS, "its number of positions is out of range")
        kind = parts.dataset(root, "keys").get_type()
        fixed = kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str() and kind.get_size() <= LONGEST_TEXT
        parts.require(fixed, "its dataset keys does not contain short strings")
        self._expect(root, "keys", self.positions, np.dtype(f"S{kind.get_size()}"))
        self._expect_codes(root, self.positions)

    def read(self) -> tuple[Keys, Codes]:
        """All keys and codes; `CorruptTableError` if they are not those that were written."""
        keys, codes = np.zeros(self.positions, self.datasets["keys"].dtype), np.zeros(self.positions, self.coding.dtype)
        arrays: dict[str, NDArray[Any]] = {"keys": keys, "codes": codes}
        self.check_values(lambda name, places, values: arrays[name].__setitem__(places, values))
        return keys, codes

    def keys_of(self, number: int, chunks: CachedChunks) -> Keys:
        """See `CodesFile.keys_of`."""
        return self.cached(chunks, "keys", number)

    def counts(self) -> ExactCounts:
        """Count the positions by value, from all codes."""
        codes = self.between("codes", 0, self.positions)
        found, first, counts = np.unique(codes, return_index=True, return_counts=True)
        known = zip(found.tolist(), first.tolist(), counts.tolist(), strict=True)
        return counts_of(known, self.coding, lambda place: self.between("keys", place, place + 1)[0].decode(errors="replace"))
