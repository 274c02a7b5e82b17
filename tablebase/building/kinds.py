"""The kind of tables that a game has: what all commands about tables ask for."""

from __future__ import annotations

from typing import Any, cast

from tablebase.building.kind import TableKind
from tablebase.game.capabilities import part


def table_kind(rules: Any) -> TableKind[Any, Any]:
    """The tables of a game, as its kind delivers them."""
    return cast("TableKind[Any, Any]", part(rules, "tables")(rules))
