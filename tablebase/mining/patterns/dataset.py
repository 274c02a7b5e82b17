"""Positions as arrays for programs that learn, such as scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tablebase.errors import ArgumentError
from tablebase.mining.column import Column
from tablebase.mining.columns import CANONICAL
from tablebase.mining.export import chosen_columns
from tablebase.mining.patterns.pattern_search import Search
from tablebase.mining.row_selection import Sample
from tablebase.mining.scan import Scan


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Positions as arrays.

    Parameters
    ----------
    X : ndarray of float32, shape (positions, columns)
        Truth values are 0 and 1; a text is encoded as a column of 0 and 1 for each of its values; a missing value is NaN.
    y : ndarray, shape (positions,)
        The target: outcomes as text, distances in plies, or whether only one move keeps the outcome.
    names : list of str
        The columns of `X`, such as ``mobility`` and ``first=mover``.
    groups : ndarray of int, shape (positions,)
        A number that a position shares only with its mirror image, for cross-validation by groups.
    """

    X: NDArray[np.float32]
    y: NDArray[Any]
    names: list[str]
    groups: NDArray[np.integer]

    def __repr__(self) -> str:
        return f"Dataset({len(self.y):,} positions, {len(self.names)} columns, {len(set(self.groups)):,} groups)"


def dataset(search: Search, names: Sequence[str] | None, limit: int | None, seed: int) -> Dataset:
    """Read the positions that a search would examine, or a sample of about `limit` of them.

    The columns are the features that the search compares, or those with these names. `ArgumentError` if there is no such column.
    """
    chosen = search.features if names is None else chosen_columns(search.game, names, search.columns, ())
    for column in chosen:
        if column.late:
            raise ArgumentError(f"the column {column.name} has a different text in each position: leave it out")
    sample = Sample(1.0 if limit is None else min(1.0, limit / search.max_positions), seed)
    selection = {slice_: replace(wanted, sample=sample) for slice_, wanted in search.known.items()}
    scan = Scan(search.game, search.store, selection, [*chosen, search.target, search.columns[CANONICAL]], search.threads)
    *columns, target, canonical = pa.Table.from_batches(scan.batches(), scan.schema).combine_chunks().columns
    made = [part for column, values in zip(chosen, columns, strict=True) for part in _encoded(column, values.combine_chunks())]
    return Dataset(
        np.column_stack([values for _, values in made]) if made else np.zeros((len(target), 0), dtype=np.float32),
        target.to_numpy(),
        [name for name, _ in made],
        canonical.combine_chunks().dictionary_encode().indices.to_numpy(),
    )


def _encoded(column: Column, values: pa.Array) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """A column as numbers, or one column for each word of a text, with their names."""
    if not pa.types.is_dictionary(values.type):
        yield column.name, values.cast(pa.float32()).to_numpy(zero_copy_only=False)
        return
    numbers = values.indices.to_numpy(zero_copy_only=False)
    for number, word in enumerate(values.dictionary.to_pylist()):
        yield f"{column.name}={word}", (numbers == number).astype(np.float32)
