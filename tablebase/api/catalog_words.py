"""Words in statements over the catalog: an outcome, a side or a game that no row has is an error, because nothing would match."""

from __future__ import annotations

import sqlglot

from tablebase.catalog.catalog import Catalog
from tablebase.errors import TablebaseError, quoted
from tablebase.game.registry import load_rules
from tablebase.mining.column import OUTCOMES
from tablebase.mining.words import Check, check_words, one_of

OF_GAMES = ("tables", "slices", "slice_counts", "layers", "pattern_gains", "pattern_rules", "pattern_trees")
"""Tables that name the game of a row."""
OF_SIDES = ("solutions", "slices", "slice_counts", "pattern_gains", "pattern_rules", "pattern_trees")
"""Tables that name the side to move."""


def check_statement(catalog: Catalog, statement: str) -> None:
    """Raise `TablebaseError` if a statement compares an outcome, a side to move or a game with a word that no row can have."""
    try:
        tree = sqlglot.parse_one(statement, dialect="sqlite")
    except sqlglot.errors.SqlglotError:
        # The database says what is wrong with it, or knows better.
        return
    games: dict[str, str] = dict(tuple(row) for row in catalog.answer("SELECT name, side_letters FROM games")[1])

    def check_game(name: str) -> None:
        if name not in games and (known := load_rules(name).name) != name:
            raise TablebaseError(f"invalid game {quoted(name)}: expected {known}, as the catalog writes it")

    tables: dict[str, dict[str, Check]] = {
        "distances": {"outcome": one_of("outcome", ("win", "loss"))},
        "pattern_rules": {"outcome": one_of("outcome", [str(outcome) for outcome in OUTCOMES])},
        "games": {"name": check_game},
    }
    letters = sorted(set("".join(games.values())))
    for name in {*OF_GAMES, *OF_SIDES}:
        checks = tables.setdefault(name, {})
        if name in OF_GAMES:
            checks["game"] = check_game
        if name in OF_SIDES and letters:
            checks |= {column: one_of(column, letters) for column in ("side", "stored_side")}
    check_words(tree, tables)
