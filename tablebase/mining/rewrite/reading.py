"""What a statement reads: its tables of positions and of moves, in which schemas, and which of their columns."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import get_ident

import sqlglot
from sqlglot import exp

from tablebase.mining.column import Column
from tablebase.mining.sample import Sample

DIALECT = "duckdb"
"""Of statements, for sqlglot."""
POSITION_TABLES = POSITIONS, DISTINCT = "positions", "distinct_positions"
MOVE_TABLES = MOVES, DISTINCT_MOVES = "moves", "distinct_moves"
TABLES = POSITION_TABLES + MOVE_TABLES
MAIN, PLAIN = "main", "plain"
"""Schemas of tables: with all columns that a statement needs, and without extra columns."""
COUNTED = "counted"
"""The schema of tables that have a row for each value of a slice, with the number of positions, in place of these."""
TALLIED = "tallied"
"""The schema of tables that have a row for all rows of a block that agree in the columns needed, with their number."""
SAMPLE = "sample"
"""How the schemas of samples begin, each of which has one table."""
SCOPES = (exp.Select, exp.Pivot, exp.Describe, exp.Summarize)
"""Expressions that have tables of their own."""
Columns = Mapping[str, Column]
"""Columns by name."""


@dataclass
class Reading:
    """What is known about the tables of a statement."""

    # All columns of each table.
    offered: Mapping[str, Columns]
    # By schema and table, the columns that the statement needs.
    needed: dict[tuple[str, str], list[Column]] = field(default_factory=dict)
    # By schema, what is drawn from its table.
    samples: dict[str, Sample] = field(default_factory=dict)

    def copy(self) -> Reading:
        """The same, to be changed on its own."""
        return replace(self, needed=dict(self.needed), samples=dict(self.samples))


class Scope:
    """An expression, one of `SCOPES`, that reads tables of positions or of moves."""

    def __init__(self, expression: exp.Expr, tables: list[exp.Table]) -> None:
        self.expression, self.tables = expression, tables

    @cached_property
    def nodes(self) -> list[exp.Expr]:
        """All parts except those of subqueries."""
        return [node for node in self.expression.walk() if node.find_ancestor(*SCOPES) is self.expression]

    def names(self) -> set[str]:
        """All names in it that may be columns, in lower case; tables of its WITH have names of their own."""
        return names_in(self.expression, self.expression.args.get("with_"))


def scopes(tree: exp.Expr) -> list[Scope]:
    """All expressions of a statement that read tables of positions or of moves."""
    found: dict[int, Scope] = {}
    for table in tree.find_all(exp.Table):
        expression = table.find_ancestor(*SCOPES)
        if expression is not None and isinstance(table.this, exp.Identifier) and table.name.lower() in TABLES:
            found.setdefault(id(expression), Scope(expression, [])).tables.append(table)
    return list(found.values())


def names_in(tree: exp.Expr, but: exp.Expr | None = None) -> set[str]:
    """All names in an expression, except in a part of it, that may be columns; in lower case."""
    names = set()
    for node in tree.walk(prune=lambda each: each is but):
        if isinstance(node, exp.Identifier):
            names.add(node.name.lower())
        elif isinstance(node, exp.Columns) and isinstance(node.this, exp.Array):
            names.update(entry.name.lower() for entry in node.this.expressions)
    return names


def alias_of(table: exp.Expr) -> str:
    """What a table is called in the statement, in lower case."""
    return table.alias_or_name.lower()


def schema_of(table: exp.Table) -> str:
    """The schema of a table."""
    return table.db.lower() or MAIN


def set_schema(scope: Scope, table: exp.Table, schema: str) -> None:
    """Move one of a scope's tables to another schema."""
    for node in scope.nodes:
        if isinstance(node, exp.Column) and node.table.lower() == alias_of(table) and node.db.lower() == MAIN:
            node.set("db", None)
    table.set("db", exp.to_identifier(schema))


def parsed(text: str, dialect: str = DIALECT) -> exp.Expr:
    """Parse a statement; raise `SqlglotError` if it cannot be read."""
    with _silent():
        return sqlglot.parse_one(text, dialect=dialect)


def written(tree: exp.Expr) -> str:
    """A tree as text for DuckDB."""
    with _silent():
        return tree.sql(dialect=DIALECT, comments=False)


@contextmanager
def _silent() -> Iterator[None]:
    """Drop sqlglot's messages about this thread's work in the block; the database reports what is wrong with a statement."""
    here, logger = get_ident(), logging.getLogger("sqlglot")

    def is_from_elsewhere(record: logging.LogRecord) -> bool:
        return record.thread != here

    logger.addFilter(is_from_elsewhere)
    try:
        yield
    finally:
        logger.removeFilter(is_from_elsewhere)
