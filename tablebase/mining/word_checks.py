"""Words that a statement compares columns with: one that no row can have is an error, because its answer would be empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from tablebase.mining.column import Check
from tablebase.mining.reading import argument, children

READS = exp.Select, exp.Pivot
COMPARISONS = exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.NullSafeNEQ


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
