"""Statements that only count rows, written again so that they read equal rows with their number.

Some SELECTs only need to know how often each combination of values occurs. They read a table in which a row stands for all
rows of a block that agree in the columns they name; each aggregate is replaced by one that takes their number into account.
Only what is listed here is recognised; any other SELECT reads single rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from sqlglot import exp

from tablebase.mining.column import TEXT, Column, array_of
from tablebase.mining.reading import (
    MAIN,
    POSITION_TABLES,
    TALLIED,
    Columns,
    Needed,
    Scope,
    alias_of,
    argument,
    children,
    names_in,
    parsed,
    schema_of,
    scopes,
    sources,
    written,
)

COUNT = Column("number of rows", pa.int64(), lambda rows: array_of(np.ones(len(rows), dtype=np.int64)))
"""For how many rows a row of a table of counts stands; a row that was not counted with others stands for itself."""
FEW_VALUES = TEXT, pa.bool_(), pa.int16()
"""The types of columns in which many rows agree; texts of positions are of none of them."""

_NOT_NULL = f'sum(CASE WHEN ({{argument}}) IS NOT NULL THEN "{COUNT.name}" END){{where}}'
_SUM = f'sum(({{argument}}) * CAST("{COUNT.name}" AS HUGEINT)){{where}}'
INSTEAD: dict[type[exp.Expr], str] = {
    exp.Count: f"CAST(coalesce({_NOT_NULL}, 0) AS BIGINT)",
    exp.CountIf: f'sum(CAST({{argument}} AS INT) * CAST("{COUNT.name}" AS HUGEINT)){{where}}',
    exp.Sum: _SUM,
    exp.Avg: f"({_SUM} / {_NOT_NULL})",
}
"""Replacements of aggregates of one argument, with the FILTER as `where`."""
SAME: tuple[type[exp.Expr], ...] = exp.Min, exp.Max, exp.LogicalAnd, exp.LogicalOr
"""Aggregates to which it does not matter how often a value occurs."""
PARTS: tuple[type[exp.Expr], ...] = (
    *(exp.Select, exp.From, exp.Table, exp.TableAlias, exp.Where, exp.Group, exp.Cube, exp.Rollup, exp.GroupingSets),
    *(exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Filter, exp.Tuple),
    *(exp.Alias, exp.Identifier, exp.Column, exp.Literal, exp.Boolean, exp.Null, exp.Star, exp.Paren, exp.DataType),
    *(exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg),
    *(exp.Case, exp.If, exp.Cast, exp.TryCast, exp.Coalesce, exp.Round, exp.Abs, exp.Floor, exp.Ceil, exp.Upper, exp.Lower),
    *(exp.Length, exp.Substring, exp.DPipe),
    *INSTEAD,
    *SAME,
)
"""All that such a SELECT may consist of; each part has one value for rows that agree in all columns."""


def count_rows(tree: exp.Expr, offered: Mapping[str, Columns]) -> tuple[exp.Expr, Needed]:
    """Write a statement again so that all SELECTs that only need counts read these, and list the columns that they need."""
    tree, needed = tree.copy(), dict[tuple[str, str], list[Column]]()
    for scope in scopes(tree):
        [table, *others], select = scope.tables, scope.expression
        # The columns that a table of counts can have.
        few = {
            name.lower(): column
            for name, column in offered[table.name.lower()].items()
            if column.type in FEW_VALUES and not column.of_moves
        }
        if isinstance(select, exp.Select) and not others and _only_counts(scope, select, table, few):
            key, names = (TALLIED, table.name.lower()), names_in(select)
            named = [column for name, column in few.items() if name in names]
            needed[key] = [*dict.fromkeys([*named, *needed.get(key, [])[:-1]]), COUNT]
            for node in _aggregates(scope):
                if isinstance(node, tuple(INSTEAD)) and not isinstance(node.this, exp.Distinct):
                    _count_instead(node)
            table.set("db", exp.to_identifier(TALLIED))
    return tree, needed


def _count_instead(aggregate: exp.Expr) -> None:
    """Replace an aggregate, with its FILTER, by one of a table of counts."""
    argument = "1" if _counts_rows(aggregate) else written(aggregate.this)
    whole = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else aggregate
    where = f" FILTER ({written(whole.expression)})" if isinstance(whole, exp.Filter) else ""
    whole.replace(parsed(INSTEAD[type(aggregate)].format(argument=argument, where=where)))


def _only_counts(scope: Scope, select: exp.Select, table: exp.Table, few: Columns) -> bool:
    """Return whether a SELECT reads one table alone, has no subquery, and needs no row of the table by itself."""
    if table.name.lower() not in POSITION_TABLES or schema_of(table) != MAIN or any(each is not table for each in sources(table)):
        return False
    aggregates = _aggregates(scope)
    results = {each.alias.lower() for each in select.expressions if each.alias}

    def is_known(column: exp.Column) -> bool:
        if column.table:
            return column.table.lower() == alias_of(table) and column.name.lower() in few and not column.db
        return column.name.lower() in {*few, *results}

    return (
        len(list(select.find_all(exp.Select))) == 1
        and all(is_known(node) if isinstance(node, exp.Column) else _is_part(node) for node in scope.nodes)
        and all(_counts_rows(each) or len(list(each.iter_expressions())) == 1 for each in aggregates)
        and bool(children(select, exp.Group) or children(select, exp.Distinct) or aggregates)
        and (_is_unnamed(select) or all(isinstance(each, exp.Alias | exp.Column) for each in select.expressions))
    )


def _is_part(node: exp.Expr) -> bool:
    if isinstance(node, exp.Order):
        return isinstance(node.parent, exp.Select)
    if isinstance(node, exp.Distinct):
        return not argument(node, "on")
    if isinstance(node, exp.Star):
        return isinstance(node.parent, exp.Count)
    if isinstance(node, exp.Var):
        return node.name.upper() == "ALL"
    return isinstance(node, PARTS)


def _aggregates(scope: Scope) -> list[exp.Expr]:
    return [node for node in scope.nodes if isinstance(node, (*INSTEAD, *SAME))]


def _counts_rows(aggregate: exp.Expr) -> bool:
    return isinstance(aggregate, exp.Count) and (aggregate.this is None or isinstance(aggregate.this, exp.Star))


def _is_unnamed(select: exp.Select) -> bool:
    """Return whether names that DuckDB gives the columns are nowhere used, except in the result, which gets those as typed."""
    parent = select.parent
    while isinstance(parent, exp.SetOperation) and not argument(parent, "by_name"):
        parent = parent.parent
    return parent is None or (isinstance(parent, exp.Subquery) and not isinstance(parent.parent, exp.From | exp.Join))
