"""The tables of the catalog's database, in portable SQL."""

from __future__ import annotations

from functools import partial
from typing import Any

import sqlalchemy as sql
from sqlalchemy import Column, Connection, Table, inspect

SCHEMA_VERSION = 10
"""Grows whenever a table, a column or the meaning of one changes."""
VIEW = "slice_counts"
SLICE_COUNTS = """
SELECT slices.game, slices.material, slices.side, slices.pieces, is_alias, tables.material AS stored_as,
       solutions.side AS stored_side, pairing, placements, stalemates, placements - stalemates AS positions, wins, losses, draws,
       void, longest_win, longest_loss, win_position AS longest_win_position, loss_position AS longest_loss_position
FROM slices JOIN solutions ON solutions.id = solution_id JOIN tables ON tables.id = table_id
"""
"""The view: a row for each slice, with the counts of the solution that holds its positions."""
CREATE_VIEW = f"CREATE VIEW {VIEW} AS {SLICE_COUNTS}"
METADATA = sql.MetaData()
# These make the databases agree: integers have 64 bits, and texts are sorted by their bytes.
INTEGER = sql.Integer().with_variant(sql.BigInteger(), "postgresql")
TEXT = sql.String().with_variant(sql.String(collation="C"), "postgresql")


def _columns(kind: Any, *names: str, nullable: bool = False) -> list[Column[Any]]:
    return [Column(name, kind, nullable=nullable) for name in names]


_integers, _texts, _reals = partial(_columns, INTEGER), partial(_columns, TEXT), partial(_columns, sql.Double())


def _id() -> Column[Any]:
    return Column("id", INTEGER, sql.Identity(), primary_key=True)


def _game(*, index: bool = False) -> Column[Any]:
    return Column("game", TEXT, sql.ForeignKey("games.name"), nullable=False, index=index)


def _part_of(table: str, name: str, **options: Any) -> Column[Any]:
    return Column(name, INTEGER, sql.ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False, **options)


def _file() -> list[Column[Any]]:
    digests = _texts("file_sha256", "values_sha256", "rules_digest")
    return [Column("file", TEXT, nullable=False, unique=True), *_integers("bytes"), *digests]


def _sealed() -> list[Column[Any]]:
    return [*_reals("seconds", nullable=True), *_texts("seal")]


VERSION = Table("schema_version", METADATA, Column("version", INTEGER, primary_key=True, autoincrement=False))
"""The version of the schema, in one row."""
GAMES = Table(
    "games",
    METADATA,
    Column("name", TEXT, primary_key=True),
    *_texts("title", "rules_digest", "side_letters", "kinds", "seal"),
)
"""The games that have tables here."""
TABLES = Table(
    "tables",
    METADATA,
    _id(),
    _game(),
    *_texts("material"),
    *_integers("pieces"),
    *_file(),
    *_integers("cells"),
    *_texts("engine", nullable=True),
    *_sealed(),
)
"""The table files of games of pieces."""
SOLUTIONS = Table(
    "solutions",
    METADATA,
    _id(),
    _part_of("tables", "table_id", index=True),
    *_texts("side"),
    *_integers("placements", "stalemates", "wins", "losses", "draws", "void"),
    *_integers("longest_win", "longest_loss", nullable=True),
    *_texts("longest_win_position", "longest_loss_position", nullable=True),
)
"""One side to move of a table: the numbers of a distinct slice."""
SLICES = Table(
    "slices",
    METADATA,
    _id(),
    _game(index=True),
    *_texts("material", "side"),
    *_integers("pieces"),
    _part_of("solutions", "solution_id", index=True),
    Column("is_alias", sql.SmallInteger(), nullable=False),
    *_texts("pairing"),
    *_texts("win_position", "loss_position", nullable=True),
)
"""The slices, each under its own name, with the solution that holds its positions."""
DISTANCES = Table(
    "distances",
    METADATA,
    _part_of("solutions", "solution_id", primary_key=True),
    Column("outcome", TEXT, primary_key=True),
    Column("distance", INTEGER, primary_key=True, autoincrement=False),
    *_integers("placements"),
    # Its primary key is all that it is ever searched by.
    sqlite_with_rowid=False,
)
"""Numbers of placements of a solution won or lost at each distance."""
LAYERS = Table(
    "layers",
    METADATA,
    _id(),
    _game(),
    *_texts("region", "layer"),
    *_file(),
    *_integers("states", "wins", "losses", "exact", "open", "stalling"),
    *_sealed(),
)
"""The files of bounds for states of a game with chance."""


def _exact_values() -> list[Column[Any]]:
    return [
        *_integers("positions", "final", "wins", "losses", "draws"),
        *_integers("longest_win", nullable=True),
        *_texts("longest_win_position", nullable=True),
        *_integers("longest_loss", nullable=True),
        *_texts("longest_loss_position", nullable=True),
    ]


EXACT = Table("exact", METADATA, _id(), _game(), *_file(), *_exact_values(), *_sealed())
"""The files of exact values of games by functions; wins, losses and draws are for the player to move."""
TIERS = Table("tiers", METADATA, _id(), _game(), *_texts("tier"), *_file(), *_integers("ranks"), *_exact_values(), *_sealed())
"""The files of tiers of games by compiled functions."""
OF_FILES = (TABLES, LAYERS, EXACT, TIERS)
"""Tables in which each file has a row; only one in `TABLES` has rows in other tables as well."""


def _patterns(name: str, *columns: Column[Any]) -> Table:
    of_slice = [_part_of("slices", "slice_id", index=True), *_texts("game", "material", "side"), *_integers("pieces")]
    return Table(name, METADATA, _id(), *of_slice, *columns)


GAINS = _patterns(
    "pattern_gains",
    *_texts("features"),
    *_integers("number"),
    *_reals("gain"),
    *_reals("explains", nullable=True),
    *_reals("decides", "commonest", "entropy"),
    *_integers("positions"),
)
"""Information of one or two features about the outcome."""
RULES = _patterns(
    "pattern_rules",
    *_texts("outcome"),
    *_integers("comparisons"),
    *_texts("condition"),
    *_integers("positions"),
    *_reals("share"),
)
"""Conditions under which only one outcome occurs."""
TREES = _patterns(
    "pattern_trees",
    *_integers("depth", "leaves", "trained", "errors"),
    *_reals("error"),
    *_integers("positions"),
    *_texts("tree", "expression"),
)
"""Small decision trees."""
PATTERNS = (GAINS, RULES, TREES)


def create_schema(connection: Connection) -> None:
    """Make all tables and the view; none of them may exist yet."""
    METADATA.create_all(connection, checkfirst=False)
    connection.exec_driver_sql(CREATE_VIEW)
    connection.execute(sql.insert(VERSION).values(version=SCHEMA_VERSION))


def drop_schema(connection: Connection) -> None:
    """Remove our view and our tables, also those of another version; everything else stays."""
    inspector = inspect(connection)
    tables, views = set(inspector.get_table_names()), set(inspector.get_view_names())
    for name in (VIEW, *(table.name for table in reversed(METADATA.sorted_tables))):
        if name in tables | views:
            connection.exec_driver_sql(f"DROP {'TABLE' if name in tables else 'VIEW'} {name}")


def version_of(connection: Connection) -> int | None:
    """The version of a catalog's schema; None if no version is stored and the tables are not those of a catalog."""
    names = set(inspect(connection).get_table_names())
    found = names & {TABLES.name, SLICES.name}
    if VERSION.name in names and found:
        return connection.execute(sql.select(VERSION)).scalar_one_or_none() or 0
    # The first version did not store its number.
    return 1 if len(found) == 2 else None


def index_names(connection: Connection) -> set[str]:
    """The indices of our tables, except those of their keys."""
    inspector = inspect(connection)
    tables = METADATA.tables.keys() & set(inspector.get_table_names())
    return {str(index["name"]) for table in tables for index in inspector.get_indexes(table)}


def schema_error(connection: Connection) -> str | None:
    """Return why a catalog of this version lacks one of our tables or columns; None if it has all."""
    inspector = inspect(connection)
    tables = set(inspector.get_table_names())
    for table in METADATA.sorted_tables:
        if table.name not in tables:
            return f"is damaged (the table {table.name!r} is missing)"
        lost = set(table.columns.keys()) - {column["name"] for column in inspector.get_columns(table.name)}
        if lost:
            return f"is damaged (the table {table.name!r} lacks the column {min(lost)!r})"
    return None if VIEW in inspector.get_view_names() else f"is damaged (the view {VIEW!r} is missing)"
