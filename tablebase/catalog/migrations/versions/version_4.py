"""Version 4: the layers of games with chance."""

from __future__ import annotations

from alembic import op

from tablebase.catalog.migrations.columns import game, integer, number, real, text

revision, down_revision = "4", "3"

COUNTS = ("states", "wins", "losses", "exact", "open", "stalling")


def upgrade() -> None:
    """Make the table of layers."""
    op.create_table(
        "layers",
        number(),
        game(),
        *map(text, ("region", "layer")),
        text("file", unique=True),
        integer("bytes"),
        *map(text, ("file_sha256", "values_sha256", "rules_digest")),
        *map(integer, COUNTS),
        real("seconds", optional=True),
        text("seal"),
    )
