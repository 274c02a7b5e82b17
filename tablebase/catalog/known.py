"""Catalog data about tables, for code that does not load the catalog, which takes as long as all else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tablebase.errors import TablebaseError

if TYPE_CHECKING:
    from tablebase.catalog.entries import Entry


@dataclass(frozen=True)
class TableCost:
    """Cost of a table: disk space, and the CPU-seconds to solve, write and verify it, if it was built here."""

    material: str
    codes: int
    bytes: int
    seconds: float | None
    engine: str | None


class Known(NamedTuple):
    """Facts in a catalog about a game's tables when a command begins; without a catalog, nothing."""

    files: Mapping[str, Entry] = MappingProxyType({})
    costs: Sequence[TableCost] = ()
    refusal: TablebaseError | None = None  # why the catalog cannot be changed
