"""Statements that only count rows, written again so that they read equal rows with their number.

Some SELECTs only need to know how often each combination of values occurs. They read a table in which a row stands for all
rows of a block that agree in the columns they name; each aggregate is replaced by one that takes their number into account.
Only what is listed here is recognised; any other SELECT reads single rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import sqlglot
from sqlglot import exp

from tablebase.mining.arrow_arrays import array_of
from tablebase.mining.column import TEXT, Column
from tablebase.mining.reading import (
    DIALECT,
    MAIN,
    POSITION_TABLES,
    TALLIED,
    Columns,
    Needed,
    Scope,
    alias_of,
    names_in,
    schema_of,
    scopes,
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
CLAUSES = ("expressions", "from_", "where", "group", "having", "order", "limit", "offset", "distinct")


def count_rows(tree: exp.Expr, offered: Mapping[str, Columns]) -> tuple[exp.Expr, Needed]:
    """Write a statement again so that all SELECTs that only need counts read these, and list the columns that they need."""
    tree, needed = tree.copy(), dict[tuple[str, str], list[Column]]()
    for scope in scopes(tree):
        if _only_counts(scope) and all(_is_known(node, offered, scope) for node in scope.nodes if isinstance(node, exp.Column)):
            [table] = scope.tables
            names, before = names_in(scope.expression), needed.get((TALLIED, table.name.lower()), [COUNT])
            named = [column for name, column in _countable(table, offered).items() if name.lower() in names]
            needed[TALLIED, table.name.lower()] = [*dict.fromkeys([*named, *before[:-1]]), COUNT]
            for node in list(_aggregates(scope)):
                if isinstance(node, tuple(INSTEAD)) and not isinstance(node.this, exp.Distinct):
                    _count_instead(node)
            table.set("db", exp.to_identifier(TALLIED))
    return tree, needed


def _countable(table: exp.Table, offered: Mapping[str, Columns]) -> Columns:
    """The columns that a table of counts can have, by name."""
    every = offered[table.name.lower()]
    return {name: column for name, column in every.items() if column.type in FEW_VALUES and not column.of_moves}


def _count_instead(aggregate: exp.Expr) -> None:
    """Replace an aggregate, with its FILTER, by one of a table of counts."""
    argument = "1" if _counts_rows(aggregate) else written(aggregate.this)
    whole = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else aggregate
    where = f" FILTER ({written(whole.expression)})" if isinstance(whole, exp.Filter) else ""
    text = INSTEAD[type(aggregate)].format(argument=argument, where=where)
    whole.replace(sqlglot.parse_one(text, dialect=DIALECT))


def _only_counts(scope: Scope) -> bool:
    """Return whether a scope reads one table, has no subquery, and needs no row of the table by itself."""
    select = scope.expression
    if not isinstance(select, exp.Select) or not {*_given(select)} <= {*CLAUSES} or len(list(select.find_all(exp.Select))) > 1:
        return False
    [table, *others] = scope.tables
    if others or table.name.lower() not in POSITION_TABLES or schema_of(table) != MAIN or select.args["from_"].this is not table:
        return False
    return (
        all(_is_part(node) for node in scope.nodes)
        and all(_can_be_replaced(node) for node in _aggregates(scope))
        and (bool(select.args.get("group") or select.args.get("distinct")) or any(_aggregates(scope)))
        and (_is_unnamed(select) or all(isinstance(each, exp.Alias | exp.Column) for each in select.expressions))
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


def _is_known(column: exp.Column, offered: Mapping[str, Columns], scope: Scope) -> bool:
    """Return whether this is a column of the table of counts, or the name of a result."""
    [table], name = scope.tables, column.name.lower()
    known = {each.lower() for each in _countable(table, offered)}
    if column.args.get("db"):
        return False
    if column.table:
        return column.table.lower() == alias_of(table) and name in known
    return name in known | {each.alias.lower() for each in scope.expression.expressions if each.alias}


def _aggregates(scope: Scope) -> Iterator[exp.Expr]:
    return (node for node in scope.nodes if isinstance(node, (*INSTEAD, *SAME)))


def _can_be_replaced(aggregate: exp.Expr) -> bool:
    """Return whether this is an aggregate of no more than one argument."""
    others = set(_given(aggregate)) - {"this", "big_int"}
    return not others and (_counts_rows(aggregate) or aggregate.this is not None)


def _counts_rows(aggregate: exp.Expr) -> bool:
    return isinstance(aggregate, exp.Count) and (aggregate.this is None or isinstance(aggregate.this, exp.Star))


def _is_unnamed(select: exp.Select) -> bool:
    """Return whether names that DuckDB gives the columns are nowhere used, except in the result, which gets those as typed."""
    parent = select.parent
    while isinstance(parent, exp.SetOperation) and not parent.args.get("by_name"):
        parent = parent.parent
    return parent is None or (isinstance(parent, exp.Subquery) and not isinstance(parent.parent, exp.From | exp.Join))


def _given(node: exp.Expr) -> list[str]:
    return [name for name, value in node.args.items() if value]
