"""The conditions that rows of a table must satisfy to matter to a statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp


def conditions_on(table: exp.Table) -> list[exp.Expr]:
    """The conditions that a table's rows must satisfy to matter: of the WHERE, and of the ON and USING of joins.

    A row that fails the WHERE matters where an outer join puts nulls in its place. So the WHERE counts for a table that has a row
    in each row of the result: one that no outer join may leave out.
    """
    select = table.find_ancestor(exp.Select)
    if select is None or not isinstance(table.parent, exp.From | exp.Join) or table.parent.parent is not select:
        return []
    # In nested joins, as in "a JOIN b LEFT JOIN c ON … ON …", the joins belong to the table, not to the SELECT.
    if table.args.get("pivots") or table.args.get("joins"):
        return []
    joins = list(select.args.get("joins") or [])
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
    where = select.args.get("where")
    return conditions if where is None else [*conditions, where.this]


def sources(table: exp.Table) -> list[exp.Expr]:
    """What the SELECT that reads a table reads, in its FROM and in joins."""
    select = table.find_ancestor(exp.Select)
    clauses = [] if select is None else [select.args["from_"], *(select.args.get("joins") or ())]
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
    """The conditions of a join, ON or USING."""
    names = [column.name for column in join.args.get("using") or ()]
    using = [exp.EQ(this=exp.column(name), expression=exp.column(name)) for name in names]
    return [condition for condition in (join.args.get("on"), *using) if condition is not None]
