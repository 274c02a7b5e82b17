"""Counts from the catalog, in place of rows that are only counted.

Some SELECTs only need to know how often each value occurs in each slice, which the catalog knows. They read a table with a row
for each value of each slice, and its number of positions; each aggregate is replaced by one that takes the number into account.
Only what is listed here is recognised; any other SELECT reads single rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import sqlglot
from sqlglot import exp

from tablebase.mining.column import Column
from tablebase.mining.rewrite.reading import (
    COUNTED,
    DIALECT,
    MAIN,
    POSITION_TABLES,
    Reading,
    Scope,
    alias_of,
    schema_of,
    scopes,
    set_schema,
)

COUNT = Column("number of rows", pa.int64(), lambda rows: pa.nulls(len(rows), pa.int64()))
"""For how many rows a row of a table of counts stands; no single row has it."""

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
    alone = {id(scope.expression): scope for scope in scopes(tree) if _is_counted(scope, reading)}
    # What a subquery reads may depend on the row outside.
    found = [scope for scope in alone.values() if all(id(each) in alone for each in scope.expression.find_all(exp.Select))]
    for scope in found:
        [table], name, names = scope.tables, scope.tables[0].name.lower(), scope.names()
        before = reading.needed.get((COUNTED, name), [])
        named = [column for column in reading.offered[name].values() if column.by_value and column.name.lower() in names]
        reading.needed[COUNTED, name] = [*dict.fromkeys([*named, *before, COUNT])]
        for node in list(_aggregates(scope)):
            if isinstance(node, tuple(INSTEAD)) and not isinstance(node.this, exp.Distinct):
                _count_instead(node)
        set_schema(scope, table, COUNTED)
    return tree


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


def _is_counted(scope: Scope, reading: Reading) -> bool:
    """Whether a scope can read counts, if its subqueries can."""
    select = scope.expression
    if not isinstance(select, exp.Select) or any(value for clause, value in select.args.items() if clause not in CLAUSES):
        return False
    [table, *others] = scope.tables
    if others or table.name.lower() not in POSITION_TABLES or schema_of(table) != MAIN or select.args["from_"].this is not table:
        return False
    known = {name for name, column in reading.offered[table.name.lower()].items() if column.by_value}
    return (
        all(_is_part(node) for node in scope.nodes)
        and all(_is_known(node, known, scope) for node in scope.nodes if isinstance(node, exp.Column))
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
