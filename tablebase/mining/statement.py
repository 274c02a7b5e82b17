"""One SELECT over tables of positions: read and checked, also for words that no row can have: its answer would be empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import duckdb
import sqlglot
from sqlglot import exp

from tablebase.errors import ArgumentError
from tablebase.mining.column import Check
from tablebase.mining.reading import DIALECT, MAIN, TABLES, argument, children, parsed, scopes, written
from tablebase.mining.sandbox import errors_as_sentences

READS = exp.Select, exp.Pivot
COMPARISONS = exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ
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
            raise ArgumentError("EXPLAIN options are not supported: write EXPLAIN SELECT")
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
        hint = "write the values after IN, as in ON outcome IN ('win', 'draw', 'loss')"
        raise ArgumentError(f"PIVOT must list the values that become columns: {hint}")
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ArgumentError("only SELECT is allowed: write a single SELECT statement")
    try:
        tree = parsed(statement)
    except sqlglot.errors.SqlglotError as error:
        if statement.lstrip().upper().startswith("PIVOT"):
            raise ArgumentError("cannot parse the clauses after PIVOT: put PIVOT in parentheses, as in FROM (PIVOT …)") from error
        raise ArgumentError(f"invalid SQL statement: {str(error).splitlines()[0]}") from error
    _check(tree)
    return tree


def _check(tree: exp.Expr) -> None:
    """Raise `TablebaseError` if the statement hides which tables and columns it reads."""
    if isinstance(tree, exp.Command | exp.Show):
        raise ArgumentError("only SELECT is allowed: write a single SELECT statement")
    if any(cte.alias.lower() in TABLES for cte in tree.find_all(exp.CTE)):
        raise ArgumentError(f"a WITH query cannot be named {' or '.join(TABLES)}: choose another name")
    for table in tree.find_all(exp.Table):
        if table.name.lower() in TABLES and (table.catalog or table.db.lower() not in ("", MAIN)):
            raise ArgumentError(f"unknown table {written(table)}: write {table.name}")
        if table.name.lower() in TABLES and table.alias_column_names:
            raise ArgumentError(f"the columns of {table.name} cannot be renamed in FROM: rename the columns in SELECT with AS")
    for scope in scopes(tree):
        if any(children(node, exp.TableSample) for node in (scope.expression, *scope.tables)):
            hint = "write a condition on hash, as in WHERE hash < 0.01"
            raise ArgumentError(f"TABLESAMPLE and USING SAMPLE are not allowed: {hint}")
    if tree.find(exp.PositionalColumn) is not None:
        raise ArgumentError("column numbers such as #1 are not allowed: use column names")


def check_reach(tree: exp.Expr, tables: tuple[str, ...]) -> None:
    """Raise `TablebaseError` if a valid statement reads anything but these tables: DuckDB's settings, or what it says of itself."""
    subqueries = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    known = {*tables, *(name for name in subqueries if not name.startswith(SYSTEM))}
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func):
            name = table.this.name if isinstance(table.this, exp.Anonymous) else table.this.sql("duckdb").partition("(")[0]
            if name.lower() not in ROW_FUNCTIONS:
                hint = f"use one of {', '.join(ROW_FUNCTIONS)}"
                raise ArgumentError(f"{table.this.sql('duckdb', normalize_functions=False)} is not allowed in FROM: {hint}")
        elif table.name.lower() not in known or table.db.lower() not in ("", "main"):
            raise ArgumentError(f"{written(table)} cannot be queried: query {' or '.join(tables)} instead")
    for function in tree.find_all(exp.Anonymous):
        if function.name.lower() in SETTINGS:
            raise ArgumentError(f"the function {function.name} is not allowed, because it reads database settings: remove it")


def bare(statement: str) -> str:
    """A statement without the semicolons at its end and the comments after them."""
    tokens = [token for token in sqlglot.tokenize(statement, dialect=DIALECT) if token.token_type.name != "SEMICOLON"]
    return statement[: tokens[-1].end + 1]


def check_words(tree: exp.Expr, tables: Mapping[str, Mapping[str, Check]]) -> None:
    """Raise `TablebaseError` if a statement compares a column with a word that no row has.

    Only comparisons with literals are checked, by ``=``, ``<>``, IN, CASE and PIVOT; only of columns that are certain to be
    those of the tables, and not of a subquery, of another table or of a name that the statement gives to a result. `tables` has
    the checks of each table's columns, all names in lower case.
    """
    hidden = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    known = {name: checks for name, checks in tables.items() if name not in hidden}
    for node in tree.walk():
        for column, literal in compared(node):
            check = _check_of(column, known)
            if check is not None:
                check(literal.name)


def compared(node: exp.Expr) -> Iterator[tuple[exp.Column, exp.Literal]]:
    """Columns, and the literals that a part of a statement compares them with."""
    if isinstance(node, COMPARISONS):
        pairs = [(node.this, node.expression), (node.expression, node.this)]
    elif isinstance(node, exp.In):
        pairs = [(node.this, entry) for entry in node.expressions]
    elif isinstance(node, exp.Case):
        pairs = [(node.this, case.this) for case in children(node, exp.If) if node.this is not None]
    else:
        return
    while pairs:
        one, other = (each.unnest() for each in pairs.pop())
        if isinstance(one, exp.Tuple) and isinstance(other, exp.Tuple):
            pairs += zip(one.expressions, other.expressions, strict=False)
        elif isinstance(one, exp.Column) and isinstance(other, exp.Literal) and (other.is_string or other.is_int):
            yield one, other


def _check_of(column: exp.Column, tables: Mapping[str, Mapping[str, Check]]) -> Check | None:
    """The check of a column; None if it may be another table's, or has none."""
    reading = column.find_ancestor(*READS)
    name, qualifier = column.name.lower(), column.table.lower()
    if qualifier:
        # A subquery may name a table of the statement around it.
        while reading is not None and all(source.alias_or_name.lower() != qualifier for source in _sources(reading)):
            reading = reading.find_ancestor(*READS)
    if reading is None or column.db or (not qualifier and _is_given(name, reading)):
        return None
    sources = [source for source in _sources(reading) if qualifier in ("", source.alias_or_name.lower())]
    own = [tables.get(source.name.lower(), {}) for source in sources if _is_plain(source, reading)]
    # If another table had a column of this name, too, it would be ambiguous.
    return next((checks[name] for checks in own if name in checks), None)


def _sources(reading: exp.Expr) -> list[exp.Expr]:
    """List a SELECT's or PIVOT's own sources."""
    if isinstance(reading, exp.Pivot):
        return [each for each in (reading.this, reading.parent) if isinstance(each, exp.Table)]
    return [each for each in reading.find_all(exp.Table, exp.Subquery) if each.find_ancestor(*READS) is reading]


def _is_plain(source: exp.Expr, reading: exp.Expr) -> bool:
    """Return whether this is a table whose columns have their own names."""
    is_table = isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
    renamed = children(source, exp.Pivot) and not isinstance(reading, exp.Pivot)
    return is_table and not renamed and not source.alias_column_names


def _is_given(name: str, reading: exp.Expr) -> bool:
    """Return whether a SELECT gives this name to a result, or joins tables by it."""
    joins = children(reading, exp.Join)
    given = [*(each for join in joins for each in argument(join, "using") or ()), *children(reading, exp.Alias)]
    return any(join.method == "NATURAL" for join in joins) or name in [each.alias_or_name.lower() for each in given]
