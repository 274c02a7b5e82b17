"""Version 1, of tablebase 0.1.0: games, tables, solutions, slices and distances; tables of patterns were made when needed."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column

from tablebase.catalog.migrations.columns import INTEGER, TEXT, TRUTH, belongs_to, game, integer, number, real, text

revision, down_revision = "1", None

SUMS = ("placements", "stalemates", "wins", "losses", "draws", "void")


def upgrade() -> None:
    """Make the tables."""
    op.create_table("games", Column("name", TEXT, primary_key=True), text("title"), text("rules_digest"))
    op.create_table(
        "tables",
        number(),
        game(),
        text("material"),
        integer("pieces"),
        text("file", unique=True),
        integer("bytes"),
        *map(text, ("file_sha256", "values_sha256", "rules_digest")),
        integer("cells"),
        text("engine", optional=True),
        real("seconds", optional=True),
    )
    op.create_table(
        "solutions",
        number(),
        belongs_to("tables"),
        text("side"),
        *map(integer, SUMS),
        integer("longest_win", optional=True),
        integer("longest_loss", optional=True),
        text("longest_win_position", optional=True),
        text("longest_loss_position", optional=True),
    )
    op.create_table(
        "slices",
        number(),
        game(),
        text("material"),
        text("side"),
        integer("pieces"),
        belongs_to("solutions"),
        Column("is_alias", TRUTH, nullable=False),
    )
    op.create_table(
        "distances",
        belongs_to("solutions", key=True),
        Column("outcome", TEXT, primary_key=True),
        Column("distance", INTEGER, primary_key=True, autoincrement=False),
        integer("placements"),
    )
    for table, column in (("solutions", "table_id"), ("slices", "game"), ("slices", "solution_id")):
        op.create_index(f"ix_{table}_{column}", table, [column])
