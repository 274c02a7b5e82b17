"""The kind of tables that a game has: the one place of the commands about tables that asks what kind of game it is."""

from __future__ import annotations

from typing import Any

from tablebase.building.kind import TableKind
from tablebase.game import Game
from tablebase.game.compiled import CompiledGame


def table_kind(rules: Any) -> TableKind[Any, Any]:
    """The tables of a game: of slices with pieces on squares, of layers with chance, of tiers if compiled, else of exact values."""
    if isinstance(rules, Game):
        from tablebase.building.slice_kind import SliceTables

        return SliceTables(rules)
    if isinstance(rules, CompiledGame):
        from tablebase.building.tier_kind import TierTables

        return TierTables(rules)
    if not rules.has_chance:
        from tablebase.building.exact_kind import ExactTables

        return ExactTables(rules)
    # Other games do not need Numba here.
    from tablebase.building.layer_kind import LayerTables

    return LayerTables(rules)
