"""Statements over the catalog: their words are checked, and their rows come as data."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import sqlglot

from tablebase.catalog.catalog import Catalog
from tablebase.errors import TablebaseError, quoted
from tablebase.game.installed import load_rules
from tablebase.mining.column import OUTCOMES, Check, one_of
from tablebase.mining.reading import parsed
from tablebase.mining.results import Tabular, distinct_names
from tablebase.mining.statement import check_words, nesting_as_sentence
from tablebase.system.compute.messages import brief

OF_GAMES = ("tables", "slices", "slice_counts", "layers", "exact", "tiers", "pattern_gains", "pattern_rules", "pattern_trees")
"""Tables that name the game of a row."""
OF_SIDES = ("solutions", "slices", "slice_counts", "pattern_gains", "pattern_rules", "pattern_trees")
"""Tables that name the side to move."""


@brief
class CatalogRows(Tabular):
    """The result of an SQL query on the catalog."""

    def __init__(self, names: list[str], rows: list[tuple[Any, ...]]) -> None:
        self._names, self._rows = distinct_names(names), rows

    def __repr__(self) -> str:
        return f"CatalogRows({len(self._rows):,} rows of {', '.join(self._names)})"

    @property
    def columns(self) -> list[str]:
        """Names of the columns; a number is appended to each duplicate name."""
        return self._names

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows as a list of tuples."""
        return self._rows

    def arrow(self) -> pa.Table:
        """Return all rows as an Arrow table."""
        try:
            columns = [pa.array([row[number] for row in self._rows]) for number in range(len(self._names))]
        except pa.ArrowException as error:
            raise TablebaseError(f"a column has values of different types ({error}): cast the column to TEXT") from error
        return pa.Table.from_arrays(columns, names=self._names)


def select(catalog: Catalog, statement: str, timeout: float | None = None) -> CatalogRows:
    """The rows of a statement that may take `timeout` seconds."""
    answer = catalog.sql(statement, timeout)
    # The database knows best what is wrong with a statement, so it comes first.
    _check_words(catalog, statement)
    return CatalogRows(*answer)


@nesting_as_sentence()
def _check_words(catalog: Catalog, statement: str) -> None:
    """Refuse a statement that compares an outcome, a side to move or a game with a word that no row has: nothing would match."""
    try:
        tree = parsed(statement, "sqlite")
    except sqlglot.errors.SqlglotError:
        # The database says what is wrong with it, or knows better.
        return
    games: dict[str, str] = dict(tuple(row) for row in catalog.answer("SELECT name, side_letters FROM games")[1])

    def check_game(name: str) -> None:
        if name not in games and (known := load_rules(name).name) != name:
            raise TablebaseError(f"invalid game {quoted(name)}: expected {known}, the name in the catalog")

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
