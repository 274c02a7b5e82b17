"""Which sort of tables a game has: the one place of the commands about tables that asks what kind of game it is."""

from __future__ import annotations

from typing import Any

from tablebase.building.table_sort import TableSort
from tablebase.game import Game


def sort_of(rules: Any) -> TableSort[Any, Any]:
    """The tables of a game: of slices if it has pieces on squares, of layers with chance, else of exact values."""
    if isinstance(rules, Game):
        from tablebase.building.slice_tables import SliceTables

        return SliceTables(rules)
    if not rules.has_chance:
        from tablebase.building.exact_tables import ExactTables

        return ExactTables(rules)
    # Other games do not need Numba here.
    from tablebase.building.layer_tables import LayerTables

    return LayerTables(rules)
