"""One SELECT over tables of positions: read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import duckdb
import sqlglot
from sqlglot import exp

from tablebase.errors import ArgumentError
from tablebase.mining.reading import DIALECT, MAIN, TABLES, Needed, children, parsed, scopes, written
from tablebase.mining.sandbox import errors_as_sentences

ROW_FUNCTIONS = ("generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest")
"""Functions that make rows out of their arguments alone."""
SETTINGS = ("current_setting",)
"""Functions that return settings."""
SYSTEM = ("duckdb_", "pg_", "pragma_", "sqlite_")
"""Prefixes of names of DuckDB's own views; a WITH of such a name would hide the view that it reads."""


@contextmanager
def nesting_as_sentence() -> Iterator[None]:
    """Raise a `TablebaseError` for a statement that is nested more deeply than sqlglot can read or write it."""
    try:
        yield
    except RecursionError as error:
        raise ArgumentError("the statement is nested too deeply: use fewer nested parentheses, CASE or NOT") from error


class Statement(NamedTuple):
    """One SELECT over tables of positions."""

    text: str
    tree: exp.Expr
    needed: Needed  # the columns that it needs


@nesting_as_sentence()
def read_request(text: str) -> tuple[str, bool]:
    """Read what a text asks for: a SELECT, if it is valid at all, and whether it is to be explained instead of run.

    EXPLAIN and SHOW are replaced, which DuckDB answers for its own tables only; any other text stays as it is. Raise
    `TablebaseError` if EXPLAIN has options, or if the text has half a character, as in bytes that are not UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"the statement is not UTF-8 text (character {error.start + 1}): convert it to UTF-8") from error
    try:
        tree = parsed(text)
    except sqlglot.errors.SqlglotError:
        # It is reported where statements are parsed.
        return text, False
    rest = tree.text("expression").strip("; \n")
    if isinstance(tree, exp.Command) and tree.name.upper() == "EXPLAIN" and rest:
        if rest.startswith("(") or rest.split()[0].upper() == "ANALYZE":
            raise ArgumentError("EXPLAIN does not take options here: write EXPLAIN SELECT")
        return rest, True
    if isinstance(tree, exp.Command) and tree.name.upper() == "SHOW" and rest.lower() in TABLES:
        return f"DESCRIBE {rest.lower()}", False
    if tree in (exp.Show(this="TABLES"), exp.Show(this="ALL TABLES")):
        return f"SELECT unnest([{', '.join(map(repr, TABLES))}]) AS name", False
    return text, False


@nesting_as_sentence()
def parse_select(statement: str) -> exp.Expr:
    """Parse a statement; raise `TablebaseError` if it is wrong whatever its tables hold, or anything but a SELECT."""
    with errors_as_sentences():
        statements = duckdb.extract_statements(statement)
    if [each.type.name for each in statements] == ["MULTI"]:
        hint = "write them after IN, as in ON outcome IN ('win', 'draw', 'loss')"
        raise ArgumentError(f"PIVOT needs the values that become columns: {hint}")
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ArgumentError("only SELECT is allowed: write a single SELECT statement")
    try:
        tree = parsed(statement)
    except sqlglot.errors.SqlglotError as error:
        if statement.lstrip().upper().startswith("PIVOT"):
            raise ArgumentError("cannot read the clauses after PIVOT: put PIVOT in parentheses, as in FROM (PIVOT …)") from error
        raise ArgumentError(f"invalid SQL statement: {str(error).splitlines()[0]}") from error
    _check(tree)
    return tree


def _check(tree: exp.Expr) -> None:
    """Raise `TablebaseError` if the statement hides which tables and columns it reads."""
    if isinstance(tree, exp.Command | exp.Show):
        raise ArgumentError("only SELECT is allowed: write a single SELECT statement")
    if any(cte.alias.lower() in TABLES for cte in tree.find_all(exp.CTE)):
        raise ArgumentError(f"a WITH cannot have the name {' or '.join(TABLES)}: choose another name")
    for table in tree.find_all(exp.Table):
        if table.name.lower() in TABLES and (table.catalog or table.db.lower() not in ("", MAIN)):
            raise ArgumentError(f"unknown table {written(table)}: write {table.name}")
        if table.name.lower() in TABLES and table.alias_column_names:
            raise ArgumentError(f"the columns of {table.name} cannot be renamed in the FROM: rename them in the SELECT, with AS")
    for scope in scopes(tree):
        if any(children(node, exp.TableSample) for node in (scope.expression, *scope.tables)):
            hint = "write a condition on hash, as in WHERE hash < 0.01"
            raise ArgumentError(f"TABLESAMPLE and USING SAMPLE are not allowed: {hint}")
    if tree.find(exp.PositionalColumn) is not None:
        raise ArgumentError("columns such as #1 are not allowed: use the names of the columns")


def check_reach(tree: exp.Expr, tables: tuple[str, ...]) -> None:
    """Raise `TablebaseError` if a valid statement reads anything but these tables: DuckDB's settings, or what it says of itself."""
    subqueries = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    known = {*tables, *(name for name in subqueries if not name.startswith(SYSTEM))}
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func):
            if _function_name(table.this) not in ROW_FUNCTIONS:
                hint = f"use one of {', '.join(ROW_FUNCTIONS)}"
                raise ArgumentError(f"{table.this.sql('duckdb', normalize_functions=False)} is not allowed in a FROM: {hint}")
        elif table.name.lower() not in known or table.db.lower() not in ("", "main"):
            raise ArgumentError(f"{written(table)} cannot be queried: query {' or '.join(tables)}")
    for function in tree.find_all(exp.Anonymous):
        if function.name.lower() in SETTINGS:
            raise ArgumentError(f"the function {function.name} is not allowed, since it reads settings: leave it out")


def _function_name(function: exp.Func) -> str:
    """The name of a function as DuckDB knows it."""
    name: str = function.name if isinstance(function, exp.Anonymous) else function.sql("duckdb").partition("(")[0]
    return name.lower()


def bare(statement: str) -> str:
    """A statement without the semicolons at its end and the comments after them."""
    tokens = [token for token in sqlglot.tokenize(statement, dialect=DIALECT) if token.token_type.name != "SEMICOLON"]
    return statement[: tokens[-1].end + 1]
