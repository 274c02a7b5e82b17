"""Which SELECTs only need to know how often each value occurs, and what to ask of a table of these counts instead.

Such a SELECT groups or filters rows, and needs none by itself. In a table of counts, a row stands for all rows that agree in
the columns that the SELECT names, so each aggregate is replaced by one that takes the count into account. If all positions
of a slice with the same value agree in these columns, the catalog holds the counts; else rows are decoded, and tallied
before DuckDB reads them. Only what is listed here is recognised; any other SELECT reads single rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from sqlglot import exp

from tablebase.mining.column import TEXT, Column
from tablebase.mining.edits import Edits
from tablebase.mining.star import COUNTED, MOVE_TABLES, POSITION_TABLES, TALLIED, Scope

COUNT = Column("number of rows", pa.int64(), lambda rows: pa.array(rows.counts), by_codes=True)
"""For how many rows a row of a table of counts stands."""
FEW_VALUES = TEXT, pa.bool_(), pa.int16()
"""The types of columns in which many rows agree; texts of positions are of none of them."""
WITH_COUNTS = {COUNTED: POSITION_TABLES, TALLIED: POSITION_TABLES + MOVE_TABLES}
"""The tables that tables of counts can replace, by the schema of these."""

_N = f'"{COUNT.name}"'
_COUNTS = f"CAST(coalesce(sum({_N}){{filter}}, 0) AS BIGINT)"
_NOT_NULL = f"sum(CASE WHEN ({{argument}}) IS NOT NULL THEN {_N} END){{filter}}"
_SUM = f"sum(({{argument}}) * CAST({_N} AS HUGEINT)){{filter}}"
INSTEAD: dict[type[exp.Expr], str] = {
    exp.Count: f"CAST(coalesce({_NOT_NULL}, 0) AS BIGINT)",
    exp.CountIf: f"sum(CAST({{argument}} AS INT) * CAST({_N} AS HUGEINT)){{filter}}",
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


def columns_with_counts(schema: str, columns: Mapping[str, Column]) -> list[Column]:
    """The columns that a table of counts can have.

    Parameters
    ----------
    schema : str
        `COUNTED` or `TALLIED`.
    columns : mapping of str to Column
        All columns of the table that it counts.
    """
    if schema == TALLIED:
        return [column for column in columns.values() if column.type in FEW_VALUES]
    return [column for column in columns.values() if column.by_codes and not column.of_twin]


def counted_scopes(found: Sequence[Scope], columns: Mapping[str, Mapping[str, Column]]) -> list[tuple[Scope, str]]:
    """Those of a statement's scopes that can read counts, with the schema of the table where each finds them.

    Parameters
    ----------
    found : sequence of Scope
    columns : mapping of str to mapping of str to Column
        All columns of each table.
    """
    alone = {
        id(scope.expression): (scope, schema)
        for schema in (TALLIED, COUNTED)
        for scope in found
        if _is_counted(scope, schema, columns)
    }
    # What a subquery reads may depend on the row outside.
    return [
        (scope, schema)
        for scope, schema in alone.values()
        if all(id(each) in alone for each in scope.expression.find_all(exp.Select))
    ]


def count_instead(scope: Scope, edits: Edits) -> None:
    """Replace the aggregates of a scope that reads counts."""
    for node in _aggregates(scope):
        if isinstance(node, tuple(INSTEAD)) and not isinstance(node.this, exp.Distinct):
            template = _COUNTS if _counts_rows(node) else INSTEAD[type(node)]
            edits.replace_aggregate(node, template)


def _is_counted(scope: Scope, schema: str, columns: Mapping[str, Mapping[str, Column]]) -> bool:
    """Whether a scope can read counts from a table of this schema, if its subqueries can."""
    select = scope.expression
    if not isinstance(select, exp.Select) or any(value for clause, value in select.args.items() if clause not in CLAUSES):
        return False
    [*tables] = scope.tables
    if len(tables) != 1 or tables[0].name.lower() not in WITH_COUNTS[schema] or select.args["from_"].this is not tables[0]:
        return False
    offered = {column.name for column in columns_with_counts(schema, columns[tables[0].name.lower()])}
    return (
        all(_is_part(node) for node in scope.nodes)
        and all(_is_known(node, offered, scope) for node in scope.nodes if isinstance(node, exp.Column))
        and all(_can_be_replaced(node) for node in _aggregates(scope))
        and _forgets_rows(scope, select)
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


def _is_known(column: exp.Column, offered: set[str], scope: Scope) -> bool:
    """Whether this is a column of the table of counts, or the name of a result."""
    if column.args.get("db"):
        return False
    if column.table:
        return column.table.lower() == scope.tables[0].alias_or_name.lower() and column.name.lower() in offered
    return column.name.lower() in offered | {each.alias.lower() for each in scope.expression.expressions if each.alias}


def _aggregates(scope: Scope) -> Iterator[exp.Expr]:
    return (node for node in scope.nodes if isinstance(node, (*INSTEAD, *SAME)))


def _can_be_replaced(aggregate: exp.Expr) -> bool:
    """Whether this is an aggregate of no more than one argument, and without a subquery."""
    others = set(_given(aggregate)) - {"this", "big_int"}
    whole = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else aggregate
    return not others and (_counts_rows(aggregate) or aggregate.this is not None) and whole.find(exp.Select) is None


def _counts_rows(aggregate: exp.Expr) -> bool:
    return isinstance(aggregate, exp.Count) and (aggregate.this is None or isinstance(aggregate.this, exp.Star))


def _forgets_rows(scope: Scope, select: exp.Select) -> bool:
    """Whether the result does not have a row for each position."""
    return bool(select.args.get("group") or select.args.get("distinct")) or any(_aggregates(scope))


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
