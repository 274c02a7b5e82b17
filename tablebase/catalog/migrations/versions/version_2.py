"""Version 2: its own number, the letters of each game, and which piece of a slice plays which of the stored one.

What is new follows from the rules. Tables that were built under others than those installed are left out: no command
uses them, and `tablebase prune` finds their files.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from alembic import op
from sqlalchemy import Column, Connection, text

from tablebase.catalog.migrations.columns import INTEGER, added
from tablebase.catalog.registration import game_row, pairing
from tablebase.errors import RulesError
from tablebase.game import Game
from tablebase.game.registry import load_rules
from tablebase.slices.location import aliases
from tablebase.slices.material import material_name, parse_material

revision, down_revision = "2", "1"


def upgrade() -> None:
    """Add the columns, and fill them."""
    op.create_table("schema_version", Column("version", INTEGER, primary_key=True, autoincrement=False))
    for table, column in (("games", "side_letters"), ("games", "kinds"), ("slices", "pairing")):
        op.add_column(table, added(column))
    connection = op.get_bind()
    for (name,) in connection.execute(text("SELECT name FROM games")).all():
        game = _installed(name)
        _leave_out(connection, name, "" if game is None else game.digest)
        if game is not None:
            _complete(connection, game)


def _installed(name: str) -> Game | None:
    with suppress(RulesError):
        game = load_rules(name)
        return game if isinstance(game, Game) else None
    return None


def _leave_out(connection: Connection, name: str, digest: str) -> None:
    """Remove the tables of other rules, and their game if it has no others."""
    these = "(SELECT id FROM tables WHERE game = :name AND rules_digest <> :digest)"
    solutions = f"(SELECT id FROM solutions WHERE table_id IN {these})"
    for condition in (
        f"distances WHERE solution_id IN {solutions}",
        f"slices WHERE solution_id IN {solutions}",
        f"solutions WHERE table_id IN {these}",
        "tables WHERE game = :name AND rules_digest <> :digest",
        "games WHERE name = :name AND name NOT IN (SELECT game FROM tables)",
    ):
        connection.execute(text(f"DELETE FROM {condition}"), {"name": name, "digest": digest})


def _complete(connection: Connection, game: Game) -> None:
    """Fill the new columns of a game and of its slices."""
    row = game_row(game)
    new = {"name": game.name, "digest": game.digest, "letters": row.side_letters, "kinds": row.kinds}
    set_game = "UPDATE games SET rules_digest = :digest, side_letters = :letters, kinds = :kinds WHERE name = :name"
    connection.execute(text(set_game), new)
    stored = text("SELECT solutions.id, material, side FROM solutions JOIN tables ON tables.id = table_id WHERE game = :name")
    letters = [side.letter for side in game.sides]
    pairings: list[dict[str, Any]] = [
        {
            "solution": solution,
            "material": material_name(game, alias.material),
            "side": letters[alias.side],
            "pairing": pairing(alias.location),
        }
        for solution, material, side in connection.execute(stored, {"name": game.name}).all()
        for alias in aliases(game, parse_material(game, material), letters.index(side))
    ]
    if pairings:
        where = "solution_id = :solution AND material = :material AND side = :side"
        connection.execute(text(f"UPDATE slices SET pairing = :pairing WHERE {where}"), pairings)
