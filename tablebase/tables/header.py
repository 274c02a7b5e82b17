"""The metadata of a table file: what the writer puts into it, and the checks that every reader begins with.

A file is not trusted, not even under a seal that fits. Nothing is read before its type and size are known to be right,
and no link is followed out of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from tablebase.errors import CorruptTableError, StaleTableError
from tablebase.game import Game
from tablebase.positions.indexing import INDEX_VERSION, Layout, layout_of
from tablebase.positions.location import sides_stored
from tablebase.positions.material import Material, material_name, placements
from tablebase.tables import hdf5 as parts
from tablebase.tables.folder import FORMAT_VERSION
from tablebase.tables.hdf5 import ZSTANDARD, filters_of
from tablebase.tables.summary import Summary
from tablebase.tables.values import FIRST, Coding


class Form(NamedTuple):
    """Division and compression of the codes of a table. In each form a table holds the same codes."""

    chunk_bytes: int  # of the codes in a chunk
    level: int  # of Zstandard; not needed to read them

    def chunk(self, size: int, dtype: Any) -> int:
        """Number of values in a chunk of a dataset."""
        return int(max(1, min(self.chunk_bytes // np.dtype(dtype).itemsize, size)))


BUILT = Form(64 * 1024, 3)
"""Quick to write and to probe."""
PACKED = Form(1024 * 1024, 19)
"""Small, for keeping and sending."""
FORMS = (BUILT, PACKED)
STRIDES = (1, 2)
TYPES = {"uint8": h5py.h5t.STD_U8LE, "uint16": h5py.h5t.STD_U16LE}
IDENTITY = ("format", "game", "material")
VERSIONS = ("format_version", "index_version", "rules_digest")
DIGEST_LENGTH = 64


@dataclass(frozen=True)
class Header:
    """The metadata of a table file."""

    coding: Coding
    chunk: int  # codes per chunk
    summaries: dict[int, Summary]  # by stored side to move
    values_sha256: str  # of the decoded codes, one side after the other


def root_attributes(game: Game, material: Material, stride: int, values_sha256: str) -> dict[str, str | int]:
    """The root attributes of a table file."""
    return {
        "format": "tablebase",
        "format_version": FORMAT_VERSION,
        "index_version": INDEX_VERSION,
        "game": game.name,
        "rules_digest": game.digest,
        "material": material_name(game, material),
        "stride": stride,
        "layout": _layout_text(game, material),
        "values_sha256": values_sha256,
    }


def describe_layout(layout: Layout) -> dict[str, Any]:
    """The index of a table as JSON data, complete enough to compute it without this program."""
    names = layout.game.board.names
    groups = []
    for group in layout.groups:
        kind = layout.game.kinds[group.kind]
        tier = {"levels": group.combinations.levels, "advance": group.combinations.advance} if kind.tiered else {}
        groups.append({"symbol": kind.symbol, "pieces": len(group.slots), "squares": [names[s] for s in group.squares], **tier})
    images = {"mirror": layout.game.mirror, "swap": layout.game.swap}
    maps = {name: None if image is None else {names[a]: names[b] for a, b in enumerate(image)} for name, image in images.items()}
    return {"groups": groups, **maps}


@cache
def _layout_text(game: Game, material: Material) -> str:
    return json.dumps(describe_layout(layout_of(game, material)))


def read_header(root: Any, path: Path, game: Game, material: Material) -> tuple[Header, dict[int, h5py.h5d.DatasetID]]:
    """The metadata of a table file, and the datasets of its sides to move, after all checks that need no decompression.

    Errors are those of `check_attributes`, and a `ValueError` that says what is wrong if the file is not as the writer makes it.
    """
    layout = layout_of(game, material)
    expected = root_attributes(game, material, stride=0, values_sha256="")
    check_attributes(root, path, expected, f"{expected['material']} of {game.name}", IDENTITY, VERSIONS)
    parts.require(h5py.h5a.get_num_attrs(root) == len(expected), "it has unexpected attributes")
    parts.require(parts.text(root, "layout") == expected["layout"], "its attribute layout describes a different indexing scheme")
    stride, values_sha256 = parts.number(root, "stride"), parts.text(root, "values_sha256")
    parts.require(stride in STRIDES, "its attribute stride is neither 1 nor 2")
    parts.require(len(values_sha256) == DIGEST_LENGTH, "its attribute values_sha256 is not a digest")
    sides = sides_stored(game, material)
    parts.require(root.get_num_objs() == len(sides), f"it does not have exactly {len(sides)} datasets")
    datasets = {side: parts.dataset(root, game.sides[side].letter) for side in sides}
    dtypes = {_dtype(dataset) for dataset in datasets.values()}
    parts.require(len(dtypes) == 1, "its datasets differ in type")
    coding = Coding(stride, *dtypes)
    chunks = {checked_chunk(dataset, layout.size, coding.dtype) for dataset in datasets.values()}
    parts.require(len(chunks) == 1, "its datasets differ in the size of their chunks")
    summaries = {side: _summary(dataset, layout, coding) for side, dataset in datasets.items()}
    return Header(coding, chunks.pop(), summaries, values_sha256), datasets


def check_attributes(
    root: Any, path: Path, expected: Mapping[str, str | int], table: str, names: Sequence[str], versions: Sequence[str]
) -> None:
    """Raise `CorruptTableError` if attributes name another table, `StaleTableError` if they have another version."""
    if any(parts.text(root, name) != expected[name] for name in names):
        raise CorruptTableError(f"does not contain the table {table}", path)
    found = (parts.number(root, name) if isinstance(expected[name], int) else parts.text(root, name) for name in versions)
    if list(found) != [expected[name] for name in versions]:
        raise StaleTableError(path, str(expected["game"]))


def _dtype(dataset: h5py.h5d.DatasetID) -> str:
    stored = dataset.get_type()
    name = next((name for name, kind in TYPES.items() if stored.equal(kind)), "")
    parts.require(name in TYPES, f"its codes are not of the type {' or '.join(TYPES)}")
    return name


def checked_chunk(dataset: h5py.h5d.DatasetID, size: int, dtype: Any) -> int:
    """Values in a chunk of a dataset; `ValueError` unless it has so many values in chunks as they are written, and all of these."""
    parts.require(dataset.shape == (size,), f"a dataset does not have the shape ({size},)")
    # Contiguous data could lie in another file, and virtual data always does.
    form, sizes = dataset.get_create_plist(), sorted({known.chunk(size, dtype) for known in FORMS})
    parts.require(form.get_layout() == h5py.h5d.CHUNKED, "a dataset is not divided into chunks")
    (chunk,) = form.get_chunk()
    parts.require(chunk in sizes, f"a dataset is not divided into chunks of {' or '.join(map(str, sizes))} codes")
    parts.require(filters_of(dataset) == [ZSTANDARD], "its chunks are not compressed with Zstandard alone")
    parts.require(dataset.get_num_chunks() == -(-size // chunk), "chunks are missing")
    return int(chunk)


def _summary(dataset: h5py.h5d.DatasetID, layout: Layout, coding: Coding) -> Summary:
    """The statistics of a dataset, which must be possible for its layout."""
    parts.require(h5py.h5a.get_num_attrs(dataset) == 2, "a dataset has attributes other than histogram and first")
    histogram, first = (parts.numbers(dataset, name, FIRST, coding.void) for name in ("histogram", "first"))
    parts.require(len(histogram) == len(first), "histogram and first differ in length")
    all_placements = placements(layout.game, layout.material)
    parts.require(
        min(histogram) >= 0 and sum(histogram) == all_placements, f"a histogram does not add up to {all_placements} positions"
    )
    parts.require(len(histogram) == FIRST or histogram[-1] > 0, "a histogram does not end at the largest code")
    fits = all((index == -1) == (count == 0) for index, count in zip(first, histogram, strict=True))
    parts.require(fits, "histogram and first have different codes")
    occurring = [index for index in first if index != -1]
    parts.require(len(set(occurring)) == len(occurring), "two codes have the same index in first")
    inside = all(0 <= index < layout.size for index in occurring)
    legal = inside and layout.squares_many(np.array(occurring, dtype=np.int64))[1].all()
    parts.require(bool(legal), "an index in first is not a position")
    return Summary(coding, tuple(histogram), tuple(first))
