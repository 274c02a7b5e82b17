"""Statistics of a game's tables, as commands and servers list them: a row for some slices, for a layer, or for a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tablebase.catalog.catalog import Counts
from tablebase.commands.descriptions import counts_of
from tablebase.commands.row_types import ExactRow, LayerRow, TierRow
from tablebase.compute.messages import listed
from tablebase.game.rules import Rules
from tablebase.tables.choice import missing_game

if TYPE_CHECKING:
    from tablebase.catalog.catalog import Catalog

Rows = list[dict[str, Any]]
Entry = TypeVar("Entry")


class Statistics(list[Entry]):
    """Statistics of a game's tables: `Counts` of slices, or rows of layers and of tables of exact values.

    Attributes
    ----------
    remarks : sequence of str
        Sentences about slices that are not built and files that are gone, which are not counted.
    """

    def __init__(self, entries: Iterable[Entry], by: str, remarks: Sequence[str] = ()) -> None:
        super().__init__(entries)
        self._by, self.remarks = by, remarks

    @property
    def rows(self) -> Rows:
        """The rows of ``tablebase stats --format json``."""
        return [
            {name: getattr(one, name) for name in one.columns(self._by)} if isinstance(one, Counts) else dict(one)  # type: ignore[call-overload]
            for one in self
        ]


def statistics(catalog: Catalog, game: Any, by: str = "pieces", pieces: int | range | None = None) -> Statistics[Any]:
    """Statistics of a game of any kind, perhaps only with some numbers of pieces; `MissingTableError` if there are none."""
    rules: Rules[Any] = game
    if rules.board is not None:
        return Statistics(counts_of(catalog, game, by, pieces), by)
    rows: Rows = []
    for table, kind in (("layers", LayerRow), ("exact", ExactRow), ("tiers", TierRow)):
        rows += [{name: entry.row[name] for name in kind.__annotations__} for entry in catalog.there(rules, table)]
    if not rows:
        raise missing_game(rules, catalog.folder)
    return Statistics(rows, by)


def with_remarks(found: Statistics[Any], catalog: Catalog, game: Any, pieces: int | range | None) -> Statistics[Any]:
    """Statistics with remarks on what they do not count."""
    gone = catalog.gone(game)
    said = [f"left out, since the files are no longer in {catalog.folder}: {listed(gone)}"] if gone else []
    totals = statistics(catalog, game, "pieces", pieces).rows
    counted = [(one["slices"], one["of_slices"], one["pieces"]) for one in totals if "of_slices" in one]
    partial = [f"{slices:,} of {every:,} with {pieces} pieces" for slices, every, pieces in counted if slices != every]
    found.remarks = [*said, f"partial: not all slices are built ({', '.join(partial)})"] if partial else said
    return found
