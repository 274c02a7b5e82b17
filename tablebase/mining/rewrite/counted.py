"""Counts in place of rows that are only counted.

Some SELECTs only need to know how often each combination of values occurs. They read a table in which a row stands for all
rows that agree in the columns they name; each aggregate is replaced by one that takes their number into account. If all
positions of a slice with the same value agree in these columns, the catalog knows the numbers; else rows are decoded, and
tallied before DuckDB reads them. Only what is listed here is recognised; any other SELECT reads single rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import sqlglot
from sqlglot import exp

from tablebase.mining.arrow_arrays import array_of
from tablebase.mining.column import TEXT, Column
from tablebase.mining.rewrite.reading import (
    COUNTED,
    DIALECT,
    MAIN,
    POSITION_TABLES,
    TALLIED,
    Columns,
    Reading,
    Scope,
    alias_of,
    schema_of,
    scopes,
    set_schema,
)

COUNT = Column("number of rows", pa.int64(), lambda rows: array_of(np.ones(len(rows), dtype=np.int64)))
"""For how many rows a row of a table of counts stands; a row that was not counted with others stands for itself."""
FEW_VALUES = TEXT, pa.bool_(), pa.int16()
"""The types of columns in which many rows agree; texts of positions are of none of them."""

_NOT_NULL = f'sum(CASE WHEN (argument) IS NOT NULL THEN "{COUNT.name}" END)'
_SUM = f'sum((argument) * CAST("{COUNT.name}" AS HUGEINT))'
INSTEAD: dict[type[exp.Expr], str] = {
    exp.Count: f"CAST(coalesce({_NOT_NULL}, 0) AS BIGINT)",
    exp.CountIf: f'sum(CAST(argument AS INT) * CAST("{COUNT.name}" AS HUGEINT))',
    exp.Sum: _SUM,
    exp.Avg: f"({_SUM} / {_NOT_NULL})",
}
"""What stands for an aggregate of one argument."""
SAME: tuple[type[exp.Expr], ...] = exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr
"""Aggregates to which it does not matter how often a value occurs."""
PARTS: tuple[type[exp.Expr], ...] = (
    *(exp.Select, exp.From, exp.Table, exp.TableAlias, exp.Where, exp.Group, exp.Cube, exp.Rollup, exp.GroupingSets),
    *(exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Filter, exp.Subquery, exp.Tuple),
    *(exp.Alias, exp.Identifier, exp.Column, exp.Literal, exp.Boolean, exp.Null, exp.Star, exp.Paren, exp.DataType),
    *(exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg),
    *(exp.Case, exp.If, exp.Cast, exp.TryCast, exp.Coalesce, exp.Round, exp.Abs, exp.Floor, exp.Ceil, exp.Upper, exp.Lower),
    *(exp.Length, exp.Substring, exp.DPipe),
    *INSTEAD,
    *SAME,
)
"""All that such a SELECT may consist of; each part has one value for rows that agree in all columns."""
CLAUSES = ("expressions", "from_", "where", "group", "having", "order", "limit", "offset", "distinct")


def count_values(tree: exp.Expr, reading: Reading) -> exp.Expr:
    """Let all SELECTs that only need counts read these."""
    alone = {id(scope.expression): (scope, schema) for scope in scopes(tree) if (schema := _counted_in(scope, reading))}
    # What a subquery reads may depend on the row outside.
    found = [(scope, schema) for scope, schema in alone.values() if all(id(each) in alone for each in _selects(scope))]
    for scope, schema in found:
        [table], name, names = scope.tables, scope.tables[0].name.lower(), scope.names()
        before = reading.needed.get((schema, name), [])
        named = [column for column in _countable(schema, name, reading).values() if column.name.lower() in names]
        reading.needed[schema, name] = [*(column for column in dict.fromkeys([*named, *before]) if column is not COUNT), COUNT]
        for node in list(_aggregates(scope)):
            if isinstance(node, tuple(INSTEAD)) and not isinstance(node.this, exp.Distinct):
                _count_instead(node)
        set_schema(scope, table, schema)
    return tree


def _selects(scope: Scope) -> Iterator[exp.Expr]:
    return scope.expression.find_all(exp.Select)


def _countable(schema: str, table: str, reading: Reading) -> Columns:
    """The columns that a table of counts can have, by name in lower case."""
    offered = reading.offered[table]
    if schema == COUNTED:
        return {name: column for name, column in offered.items() if column.by_value}
    return {name: column for name, column in offered.items() if column.type in FEW_VALUES and not column.of_moves}


def _count_instead(aggregate: exp.Expr) -> None:
    """Replace an aggregate, with its FILTER, by one of a table of counts."""
    argument = exp.Literal.number(1) if _counts_rows(aggregate) else aggregate.this
    whole = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else aggregate
    new = sqlglot.parse_one(INSTEAD[type(aggregate)], dialect=DIALECT)
    new = new.transform(lambda node: argument.copy() if node == exp.column("argument") else node)
    if isinstance(whole, exp.Filter):
        condition = whole.expression
        new = new.transform(lambda node: exp.Filter(this=node, expression=condition.copy()) if isinstance(node, exp.Sum) else node)
    whole.replace(new)


def _counted_in(scope: Scope, reading: Reading) -> str | None:
    """The schema in which a scope finds the counts that it needs, if its subqueries do; None if it needs rows."""
    if not _only_counts(scope):
        return None
    named = [node for node in scope.nodes if isinstance(node, exp.Column)]
    for schema in (COUNTED, TALLIED):
        known = set(_countable(schema, scope.tables[0].name.lower(), reading))
        if known and all(_is_known(node, known, scope) for node in named):
            return schema
    return None


def _only_counts(scope: Scope) -> bool:
    """Whether a scope reads one table, and needs no row of it by itself."""
    select = scope.expression
    if not isinstance(select, exp.Select) or any(value for clause, value in select.args.items() if clause not in CLAUSES):
        return False
    [table, *others] = scope.tables
    if others or table.name.lower() not in POSITION_TABLES or schema_of(table) != MAIN or select.args["from_"].this is not table:
        return False
    return (
        all(_is_part(node) for node in scope.nodes)
        and all(_can_be_replaced(node) for node in _aggregates(scope))
        and (bool(select.args.get("group") or select.args.get("distinct")) or any(_aggregates(scope)))
        and (_is_unnamed(select) or all(_keeps_its_name(each) for each in select.expressions))
    )


def _is_part(node: exp.Expr) -> bool:
    if isinstance(node, exp.Table):
        return set(_given(node)) <= {"this", "db", "alias"}
    if isinstance(node, exp.Order):
        return isinstance(node.parent, exp.Select)
    if isinstance(node, exp.Distinct):
        return not node.args.get("on")
    if isinstance(node, exp.Star):
        return isinstance(node.parent, exp.Count)
    if isinstance(node, exp.Var):
        return node.name.upper() == "ALL"
    return isinstance(node, PARTS)


def _is_known(column: exp.Column, known: set[str], scope: Scope) -> bool:
    """Whether this is a column of the table of counts, or the name of a result."""
    if column.args.get("db"):
        return False
    if column.table:
        return column.table.lower() == alias_of(scope.tables[0]) and column.name.lower() in known
    return column.name.lower() in known | {each.alias.lower() for each in scope.expression.expressions if each.alias}


def _aggregates(scope: Scope) -> Iterator[exp.Expr]:
    return (node for node in scope.nodes if isinstance(node, (*INSTEAD, *SAME)))


def _can_be_replaced(aggregate: exp.Expr) -> bool:
    """Whether this is an aggregate of no more than one argument, and without a subquery."""
    others = set(_given(aggregate)) - {"this", "big_int"}
    whole = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else aggregate
    return not others and (_counts_rows(aggregate) or aggregate.this is not None) and whole.find(exp.Select) is None


def _counts_rows(aggregate: exp.Expr) -> bool:
    return isinstance(aggregate, exp.Count) and (aggregate.this is None or isinstance(aggregate.this, exp.Star))


def _is_unnamed(select: exp.Select) -> bool:
    """Whether nothing but the result, which gets them anyway, can depend on the names that DuckDB gives the columns."""
    parent = select.parent
    while isinstance(parent, exp.SetOperation) and not parent.args.get("by_name"):
        parent = parent.parent
    return parent is None or (isinstance(parent, exp.Subquery) and not isinstance(parent.parent, exp.From | exp.Join))


def _keeps_its_name(result: exp.Expr) -> bool:
    """Whether the name of a column does not depend on the aggregates in it."""
    return isinstance(result, exp.Alias) or result.find(*INSTEAD) is None


def _given(node: exp.Expr) -> list[str]:
    return [name for name, value in node.args.items() if value]
