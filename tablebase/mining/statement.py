"""What a statement over positions reads: tables, columns, and rows."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import duckdb
import sqlglot
from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.mining.column import Column
from tablebase.mining.counted import COUNT, columns_with_counts, count_instead, counted_scopes
from tablebase.mining.edits import Edits
from tablebase.mining.sample import Sample
from tablebase.mining.sandbox import faults_as_sentences
from tablebase.mining.star import MAIN, PLAIN, SAMPLE, TABLES, is_star, names_in, narrow, scopes
from tablebase.mining.table_samples import table_samples

# What it cannot parse is reported below.
logging.getLogger("sqlglot").setLevel(logging.ERROR)
HIDING = ("query", "query_table", "json_execute_serialized_sql")
"""Functions that run a statement given as text, so that the tables it reads cannot be seen."""
UNNAMED_COLUMNS = (exp.Columns, exp.Describe, exp.Pivot, exp.Summarize)
"""Expressions that read columns without naming them; a pivot groups by all columns that it does not name."""


class Statement:
    """One SELECT over tables of positions.

    Parameters
    ----------
    text : str
    columns : mapping of str to dict of str to Column
        All columns of each table, by name.
    counts : bool
        Whether SELECTs that only need counts are to read these.

    Attributes
    ----------
    tree : sqlglot expression
        The statement as it was written.
    text : str
        The statement as DuckDB has to run it.
    tables : list of (sqlglot.exp.Table, str)
        Where it reads a table, and the schema of that.
    columns : dict of (str, str) to list of Column
        By schema and table, the columns that are needed of it.
    samples : dict of str to Sample
        By schema, what is drawn from its table.
    reads_unnamed : bool
        Whether it reads columns without naming them.

    Raises
    ------
    TablebaseError
        If it is no SELECT, or hides what it reads.
    """

    def __init__(self, text: str, columns: Mapping[str, Mapping[str, Column]], *, counts: bool = False) -> None:
        self.tree = tree = parse_select(text)
        self.reads_unnamed = _reads_unnamed(tree)
        found, named = scopes(tree), names_in(tree)
        self.columns: dict[tuple[str, str], list[Column]] = {}
        plain, extra = {}, {}
        for table, its in columns.items():
            # Tables with the same columns have the same ones in a statement.
            reading = [scope for scope in found if any(columns[each.name.lower()] is its for each in scope.tables)]
            offered = [name for name, column in its.items() if not column.in_star]
            asked = {name for scope in reading for name in scope.named(offered)}
            shown = [each for name, each in its.items() if each.in_star and (self.reads_unnamed or name.lower() in named)]
            others = [each for name, each in its.items() if name in asked]
            # Even a count of rows needs a stream with a column.
            self.columns[MAIN, table] = [*shown, *others] or [its["pieces"]]
            self.columns[PLAIN, table] = shown
            plain[table], extra[table] = [each.name for each in shown], [each.name for each in others]
        edits = Edits(_bare(text))
        readings = narrow(edits, found, plain, extra)
        schemas = {id(read): schema for _, read, schema in readings}
        self.samples: dict[str, Sample] = {}
        for number, drawn in enumerate(table_samples(tree, [read for _, read, _ in readings])):
            edits.remove_sample(drawn.clause)
            key, name = id(drawn.table), drawn.table.name.lower()
            self.columns[f"{SAMPLE}_{number}", name] = self.columns[schemas[key], name]
            schemas[key] = f"{SAMPLE}_{number}"
            self.samples[schemas[key]] = drawn.sample
        for scope, schema in counted_scopes(found, columns) if counts else ():
            count_instead(scope, edits)
            [read], name, names = scope.tables, scope.tables[0].name.lower(), names_in(scope.expression)
            schemas[id(read)] = schema
            named_here = [each for each in columns_with_counts(schema, columns[name]) if each.name.lower() in names]
            others = [each for each in self.columns.get((schema, name), [COUNT]) if each not in named_here]
            self.columns[schema, name] = [*named_here, *others]
        for scope, read, _ in readings:
            if schemas[id(read)] != MAIN:
                scope.set_schema(read, schemas[id(read)], edits)
        self.text, self.tables = edits.result(), [(read, schemas[id(read)]) for _, read, _ in readings]


def parse_select(statement: str) -> exp.Expr:
    """Parse a statement; raise `TablebaseError` if it is wrong whatever its tables hold, or anything but a SELECT."""
    with faults_as_sentences():
        statements = duckdb.extract_statements(statement)
    if [each.type.name for each in statements] == ["MULTI"]:
        cure = "write them after IN, as in ON outcome IN ('win', 'draw', 'loss')"
        raise TablebaseError(f"PIVOT needs the values that become columns: {cure}")
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise TablebaseError("write one SELECT: no other statement is allowed")
    try:
        tree = sqlglot.parse_one(statement, dialect="duckdb")
    except sqlglot.errors.SqlglotError as fault:
        if statement.lstrip().upper().startswith("PIVOT"):
            raise TablebaseError("only PIVOT itself can be read here: write FROM (PIVOT …) before anything else") from fault
        raise TablebaseError(f"the statement cannot be read: {str(fault).splitlines()[0]}") from fault
    _check(tree)
    return tree


def _check(tree: exp.Expr) -> None:
    """Raise `TablebaseError` if the statement hides which tables and columns it reads."""
    if isinstance(tree, exp.Command | exp.Show):
        raise TablebaseError("write one SELECT: no other statement is allowed")
    if any(cte.alias.lower() in TABLES for cte in tree.find_all(exp.CTE)):
        raise TablebaseError(f"a WITH cannot be called {' or '.join(TABLES)}: give it another name")
    if any(function.name.lower() in HIDING for function in tree.find_all(exp.Anonymous)):
        raise TablebaseError(f"the functions {', '.join(HIDING)} are not allowed: write the statement itself")
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func) and any(node.name.lower() in TABLES for node in table.this.walk()):
            raise TablebaseError(f"a function cannot read {' or '.join(TABLES)} here: write the statement itself")
        if table.name.lower() in TABLES and (table.catalog or table.db.lower() not in ("", MAIN)):
            raise TablebaseError(f"there is no table {table.sql('duckdb', comments=False)}: write {table.name}")
        if table.name.lower() in TABLES and table.alias_column_names:
            raise TablebaseError(f"the columns of {table.name} cannot be renamed in the FROM: rename them in the SELECT, with AS")
    if tree.find(exp.PositionalColumn) is not None:
        raise TablebaseError("columns such as #1 are not allowed: use their names")


def _bare(statement: str) -> str:
    """A statement without the semicolons at its end and the comments after them."""
    tokens = [token for token in sqlglot.tokenize(statement, dialect="duckdb") if token.token_type.name != "SEMICOLON"]
    return statement[: tokens[-1].end + 1]


def conditions_on(table: exp.Table) -> list[exp.Expr]:
    """The conditions that a table's rows must satisfy to matter: those of the WHERE and of joins.

    A row that fails a condition can still matter in outer joins.
    """
    select_ = table.find_ancestor(exp.Select)
    if select_ is None or not isinstance(table.parent, exp.From | exp.Join) or table.parent.parent is not select_:
        return []
    # In nested joins, as in "a JOIN b LEFT JOIN c ON … ON …", the joins belong to the table, not to the SELECT.
    if table.args.get("pivots") or table.args.get("joins"):
        return []
    joins = select_.args.get("joins") or []
    where = select_.args.get("where")
    if all(not join.side and not join.method and join.kind in ("", "INNER", "CROSS") for join in joins):
        return [*([where.this] if where is not None else []), *(on for join in joins for on in _on(join))]
    # Rows of the right side that do not match are in no result of a left join, whatever comes after it.
    own = table.parent
    return _on(own) if isinstance(own, exp.Join) and own.side in ("", "LEFT") and not own.method else []


def sources(table: exp.Table) -> list[exp.Expr]:
    """What the SELECT that reads a table reads, in its FROM and in joins."""
    select_ = table.find_ancestor(exp.Select)
    clauses = [] if select_ is None else [select_.args["from_"], *(select_.args.get("joins") or ())]
    return [clause.this for clause in clauses]


def _on(join: exp.Join) -> list[exp.Expr]:
    """The conditions of a join, ON or USING."""
    names = [column.name for column in join.args.get("using") or ()]
    using = [exp.EQ(this=exp.column(name), expression=exp.column(name)) for name in names]
    return [condition for condition in (join.args.get("on"), *using) if condition is not None]


def _reads_unnamed(tree: exp.Expr) -> bool:
    """Whether the statement reads columns without naming them."""
    if any(is_star(star) for star in tree.find_all(exp.Star)):
        return True
    tables = {(table.alias or table.name).lower() for table in tree.find_all(exp.Table)}
    whole_rows = any(column.name.lower() in tables for column in tree.find_all(exp.Column))
    natural = any(join.args.get("method") == "NATURAL" for join in tree.find_all(exp.Join))
    return whole_rows or natural or tree.find(*UNNAMED_COLUMNS) is not None or not isinstance(tree, exp.Query)
