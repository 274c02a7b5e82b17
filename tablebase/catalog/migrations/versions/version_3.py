"""Version 3: seals, and tables of patterns from the beginning.

All seals are made when the newest version is reached; until then they are empty.
"""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import Column, inspect

from tablebase.catalog.migrations.columns import TEXT, added, belongs_to, integer, number, real, text

revision, down_revision = "3", "2"


def upgrade() -> None:
    """Add what is missing."""
    op.add_column("tables", added("seal"))
    present = inspect(op.get_bind()).get_table_names()
    for name, columns in _patterns().items():
        if name not in present:
            of_slice = (number(), belongs_to("slices"), *map(text, ("game", "material", "side")), integer("pieces"))
            op.create_table(name, *of_slice, *columns)
            op.create_index(f"ix_{name}_slice_id", name, ["slice_id"])
    op.create_table("pattern_seals", belongs_to("slices", key=True), text("seal"))
    op.create_table("seals", Column("name", TEXT, primary_key=True), text("seal"))


def _patterns() -> dict[str, tuple[Column[Any], ...]]:
    """The tables of patterns, with the columns that follow those of the slice."""
    return {
        "pattern_gains": (
            text("features"),
            integer("number"),
            real("gain"),
            real("explains", optional=True),
            *map(real, ("decides", "commonest", "entropy")),
            integer("positions"),
        ),
        "pattern_rules": (text("outcome"), integer("comparisons"), text("condition"), integer("positions"), real("share")),
        "pattern_trees": (
            *map(integer, ("depth", "leaves", "trained", "errors")),
            real("error"),
            integer("positions"),
            text("tree"),
            text("expression"),
        ),
    }
