"""Statistics of a game's tables, as commands and servers list them: a row for some slices, for a layer, or for a game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.api.row_types import ExactRow, LayerRow
from tablebase.compute.messages import listed
from tablebase.game.rules import Rules
from tablebase.tables.choice import missing_game, missing_pieces

if TYPE_CHECKING:
    from tablebase.catalog.catalog import Catalog

Rows = list[dict[str, Any]]


def stats_rows(catalog: Catalog, game: Any, by: str = "pieces") -> Rows:
    """The rows of ``tablebase stats --format json``; `MissingTableError` if there are none.

    Tables of slices have a row for each number of pieces or, `by` material, for each slice. Layers and
    tables of exact values have a row each. The `game` may be of any kind: which rows there are, the catalog knows.
    """
    rows: Rows = [{name: getattr(counts, name) for name in counts.columns(by)} for counts in catalog.counts(game, by)]
    for table, names in (("layers", LayerRow.__annotations__), ("exact", ExactRow.__annotations__)):
        rows += [{name: entry.row[name] for name in names} for entry in catalog.there(game, table)]
    if not rows:
        raise missing_game(game, catalog.folder)
    return rows


def rows_with(pieces: range, rows: Rows, game: Rules[Any], folder: Path) -> Rows:
    """The rows about these numbers of pieces; `MissingTableError` if there are none."""
    found = [row for row in rows if row["pieces"] in pieces]
    if not found:
        raise missing_pieces(game, pieces[0], folder)
    return found


def remarks(totals: Rows, gone: Sequence[str], folder: Path) -> list[str]:
    """What statistics do not count: files that are gone and, if `totals` are by number of pieces, slices that are not built."""
    said = [f"left out, since the files are no longer in {folder}: {listed(gone)}"] if gone else []
    counted = [(one["slices"], one["of_slices"], one["pieces"]) for one in totals if "of_slices" in one]
    partial = [f"{slices:,} of {every:,} with {pieces} pieces" for slices, every, pieces in counted if slices != every]
    return [*said, f"partial: not all slices are built ({', '.join(partial)})"] if partial else said
