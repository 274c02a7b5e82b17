"""The tables of positions and of moves that a statement reads, their columns, and the conditions on their rows."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from threading import get_ident
from typing import Any, TypeVar

import sqlglot
from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.mining.column import Column

DIALECT = "duckdb"
"""Of statements, for sqlglot."""
POSITION_TABLES = POSITIONS, DISTINCT = "positions", "distinct_positions"
MOVE_TABLES = MOVES, DISTINCT_MOVES = "moves", "distinct_moves"
TABLES = POSITION_TABLES + MOVE_TABLES
MAIN = "main"
"""The schema of tables that have a row for each position or move."""
TALLIED = "tallied"
"""The schema of tables that have a row for all rows of a block that agree in the columns needed, with their number."""
SCOPES = (exp.Select, exp.Pivot, exp.Describe, exp.Summarize)
"""Expressions that read tables."""
UNNAMED_COLUMNS = (exp.Columns, exp.Describe, exp.Pivot, exp.Summarize)
"""Expressions that read columns without naming them; a pivot groups by all columns that it does not name."""
Node = TypeVar("Node", bound=exp.Expr)
Columns = Mapping[str, Column]
"""Columns by name."""
Needed = Mapping[tuple[str, str], list[Column]]
"""The columns that a statement needs, by schema and table."""


class Scope:
    """An expression, one of `SCOPES`, that reads tables of positions or of moves."""

    def __init__(self, expression: exp.Expr, tables: list[exp.Table]) -> None:
        self.expression, self.tables = expression, tables

    @cached_property
    def nodes(self) -> list[exp.Expr]:
        """All parts except those of subqueries."""
        return [node for node in self.expression.walk() if node.find_ancestor(*SCOPES) is self.expression]


def scopes(tree: exp.Expr) -> list[Scope]:
    """All expressions of a statement that read tables of positions or of moves."""
    found: dict[int, Scope] = {}
    for table in tree.find_all(exp.Table):
        expression = table.find_ancestor(*SCOPES)
        if expression is not None and isinstance(table.this, exp.Identifier) and table.name.lower() in TABLES:
            found.setdefault(id(expression), Scope(expression, [])).tables.append(table)
    return list(found.values())


def columns_needed(tree: exp.Expr, offered: Mapping[str, Columns]) -> Needed:
    """Choose the columns of each table: those that the statement names and, if it reads others unnamed, all that `*` has.

    DESCRIBE of a table lists all columns.
    """
    names, unnamed = names_in(tree), reads_unnamed(tree)
    described = any(isinstance(scope.expression, exp.Describe) for scope in scopes(tree))
    needed = {}
    for table, columns in offered.items():
        shown = [column for column in columns.values() if column.in_star and (unnamed or column.name.lower() in names)]
        extra = [column for column in columns.values() if not column.in_star and (described or column.name.lower() in names)]
        # Even a count of rows needs a stream with a column.
        needed[MAIN, table] = [*shown, *extra] or [columns.get("pieces") or next(iter(columns.values()))]
    return needed


def names_in(tree: exp.Expr) -> set[str]:
    """All names in an expression that may be columns, in lower case."""
    names = set()
    for node in tree.walk():
        if isinstance(node, exp.Identifier) and _may_be_column(node):
            names.add(node.name.lower())
        elif isinstance(node, exp.Columns) and isinstance(node.this, exp.Array):
            names.update(entry.name.lower() for entry in node.this.expressions)
    return names


def _may_be_column(name: exp.Identifier) -> bool:
    """Return whether a name is not that of a table, or one that the statement gives to a result."""
    if isinstance(name.parent, exp.Column):
        return name is name.parent.this
    return not isinstance(name.parent, exp.Alias | exp.Table | exp.TableAlias)


def reads_unnamed(tree: exp.Expr) -> bool:
    """Return whether a statement reads columns without naming them."""
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return True
    tables = {alias_of(table) for table in tree.find_all(exp.Table)}
    whole_rows = any(column.name.lower() in tables for column in tree.find_all(exp.Column))
    natural = any(join.method == "NATURAL" for join in tree.find_all(exp.Join))
    return whole_rows or natural or tree.find(*UNNAMED_COLUMNS) is not None or not isinstance(tree, exp.Query)


def conditions_on(table: exp.Table) -> list[exp.Expr]:
    """The conditions that a table's rows must satisfy to matter: of the WHERE, and of the ON and USING of joins.

    A row that fails the WHERE matters where an outer join puts nulls in its place. So the WHERE counts for a table that has a row
    in each row of the result: one that no outer join may leave out.
    """
    select = table.find_ancestor(exp.Select)
    if select is None or not isinstance(table.parent, exp.From | exp.Join) or table.parent.parent is not select:
        return []
    # In nested joins, as in "a JOIN b LEFT JOIN c ON … ON …", the joins belong to the table, not to the SELECT.
    if any(isinstance(each, exp.Pivot | exp.Join) for each in table.iter_expressions()):
        return []
    joins = children(select, exp.Join)
    own = next((number for number, join in enumerate(joins) if join is table.parent), None)
    if own is not None and not _is_inner(joins[own]):
        # Rows of the right side that do not match are in no result of a left, semi or anti join, whatever comes after it.
        return _on(joins[own]) if joins[own].side in ("", "LEFT") and not joins[own].method else []
    conditions = [] if own is None else _on(joins[own])
    for join in joins[0 if own is None else own + 1 :]:
        if _is_inner(join):
            conditions += _on(join)
        elif join.side != "LEFT" or join.method:
            return conditions
    return [*conditions, *(where.this for where in children(select, exp.Where))]


def sources(table: exp.Table) -> list[exp.Expr]:
    """List the sources in the FROM and joins of a table's SELECT."""
    select = table.find_ancestor(exp.Select)
    clauses = [] if select is None else [*children(select, exp.From), *children(select, exp.Join)]
    return [clause.this for clause in clauses]


def parts_of(conditions: Iterable[exp.Expr]) -> Iterator[exp.Expr]:
    """The parts of conditions that are joined by AND."""
    for condition in conditions:
        inner = condition.unnest()
        if isinstance(inner, exp.And):
            yield from parts_of(inner.flatten())
        else:
            yield inner


def _is_inner(join: exp.Join) -> bool:
    return not join.side and not join.method and join.kind in ("", "INNER", "CROSS")


def _on(join: exp.Join) -> list[exp.Expr]:
    names = [column.name for column in argument(join, "using") or ()]
    using = [exp.EQ(this=exp.column(name), expression=exp.column(name)) for name in names]
    return [condition for condition in (argument(join, "on"), *using) if condition is not None]


def children(node: exp.Expr, kind: type[Node]) -> list[Node]:
    """List the clauses or other direct parts of a node that are of one kind."""
    return [each for each in node.iter_expressions() if isinstance(each, kind)]


def argument(node: exp.Expr, name: str) -> Any:
    """Return a part of a node that its kind alone does not tell from others.

    Raise `TablebaseError` if sqlglot calls it otherwise: a statement would be misread.
    """
    if name not in node.arg_types:
        error = f"sqlglot {version('sqlglot')} has no argument {name} of {type(node).__name__}"
        raise TablebaseError(f"{error}: install another version of sqlglot, such as 30.30.0")
    return node.args.get(name)


def alias_of(table: exp.Expr) -> str:
    """Return a table's name in the statement, in lower case."""
    return table.alias_or_name.lower()


def schema_of(table: exp.Table) -> str:
    """The schema of a table."""
    return table.db.lower() or MAIN


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
