"""What ``*`` stands for in a statement over positions.

``*`` and COLUMNS stand for the *plain* columns, whatever else a statement names. The others, features and the position
as text, are *extra*: a statement reads them by name only.

The tables have those extra columns that a statement names anywhere. Where a SELECT names one, its ``*`` gets an EXCLUDE of
all of them. Any other SELECT that reads columns without naming them reads tables of the same names that have no extra
columns, in another schema.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.mining.rewrite.reading import (
    DIALECT,
    MAIN,
    MOVE_TABLES,
    PLAIN,
    SCOPES,
    Reading,
    Scope,
    alias_of,
    names_in,
    scopes,
    set_schema,
)

Names = Mapping[str, Sequence[str]]
"""Names of columns by table."""
UNNAMED_COLUMNS = (exp.Columns, exp.Describe, exp.Pivot, exp.Summarize)
"""Expressions that read columns without naming them; a pivot groups by all columns that it does not name."""


def hide_extra_columns(tree: exp.Expr, reading: Reading) -> exp.Expr:
    """Keep extra columns out of every ``*``, and find the columns that are needed of each table.

    Raise `TablebaseError` if a SELECT that names an extra column also reads columns without naming them, and not by ``*`` or
    COLUMNS.
    """
    found = scopes(tree)
    extra = _find_needed(tree, found, reading)
    if not any(extra.values()):
        return tree
    for scope in found:
        hidden = _columns(scope, extra)
        named = _named(scope, hidden)
        plain = {column.name for table in scope.tables for column in reading.needed[PLAIN, table.name.lower()]}
        read_all = next(_reading_all(scope, plain, hidden), None)
        if named and read_all is not None:
            cure = f"select the columns that you need from {scope.tables[0].name} in a subquery, and use that"
            raise TablebaseError(f"{read_all} would include {named[0]}, which * does not: {cure}")
        if named:
            _hide(scope, extra)
        elif read_all or _has_star(scope):
            for table in scope.tables:
                set_schema(scope, table, PLAIN)
    return tree


def reads_unnamed(tree: exp.Expr) -> bool:
    """Whether a statement reads columns without naming them."""
    if any(_is_star(star) for star in tree.find_all(exp.Star)):
        return True
    tables = {alias_of(table) for table in tree.find_all(exp.Table)}
    whole_rows = any(column.name.lower() in tables for column in tree.find_all(exp.Column))
    natural = any(join.method == "NATURAL" for join in tree.find_all(exp.Join))
    return whole_rows or natural or tree.find(*UNNAMED_COLUMNS) is not None or not isinstance(tree, exp.Query)


def _find_needed(tree: exp.Expr, found: Sequence[Scope], reading: Reading) -> dict[str, list[str]]:
    """Set the columns that are needed of each table, and return the names of the extra ones among them."""
    names, unnamed = names_in(tree), reads_unnamed(tree)
    extra = {}
    for table, offered in reading.offered.items():
        # Tables with the same columns have the same ones in a statement.
        reads = [scope for scope in found if any(reading.offered[each.name.lower()] is offered for each in scope.tables)]
        hidden = [name for name, column in offered.items() if not column.in_star]
        asked = {name for scope in reads for name in _named(scope, hidden)}
        shown = [column for name, column in offered.items() if column.in_star and (unnamed or name.lower() in names)]
        others = [column for name, column in offered.items() if name in asked]
        extra[table] = [column.name for column in others]
        # Even a count of rows needs a stream with a column.
        reading.needed |= {(MAIN, table): [*shown, *others] or [offered["pieces"]], (PLAIN, table): shown}
    return extra


def _named(scope: Scope, columns: Sequence[str]) -> list[str]:
    """Those of some columns that are asked for in a scope."""
    if isinstance(scope.expression, exp.Describe):
        return list(columns)
    names = scope.names()
    return [name for name in columns if name.lower() in names]


def _columns(scope: Scope, names: Names) -> list[str]:
    """The columns of a scope's tables, each once."""
    return list(dict.fromkeys(name for table in scope.tables for name in names[table.name.lower()]))


def _reading_all(scope: Scope, plain: Collection[str], extra: Sequence[str]) -> Iterator[str]:
    """What reads all columns of a table where no EXCLUDE can be."""
    if isinstance(scope.expression, exp.Summarize):
        yield "SUMMARIZE"
    rows = {alias_of(table) for table in scope.tables}.difference(plain)
    for node in scope.nodes:
        if isinstance(node, exp.Join) and node.method == "NATURAL":
            yield "NATURAL JOIN"
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in rows:
            yield f"the row {node.name}"
        # Patterns see nothing but names, which other tables may have as well.
        if _filters_names(node, extra) and _reads_others(scope):
            yield "a pattern for columns of several tables"
    for table in scope.tables:
        brackets = table.find_ancestor(exp.Subquery, *SCOPES)
        if isinstance(brackets, exp.Subquery) and brackets.alias and isinstance(brackets.this, exp.Table):
            yield "a join in brackets with a name"
    for pivot in (scope.expression, *(pivot for table in scope.tables for pivot in table.args.get("pivots") or ())):
        if isinstance(pivot, exp.Pivot) and not pivot.args.get("group"):
            if not pivot.args.get("unpivot"):
                yield "PIVOT"
            elif _has_star(scope) or pivot is scope.expression:
                yield "UNPIVOT"


def _reads_others(scope: Scope) -> bool:
    """Whether a scope reads anything but tables of positions, or but tables of moves."""
    sources = [node.this for node in scope.nodes if isinstance(node, exp.From | exp.Join | exp.Lateral)]
    if len({table.name.lower() in MOVE_TABLES for table in scope.tables}) > 1:
        return True
    return any(all(source is not table for table in scope.tables) for source in sources)


def _hide(scope: Scope, extra: Names) -> None:
    """Keep extra columns out of each ``*`` and COLUMNS of a scope."""
    names = _columns(scope, extra)
    for node in scope.nodes:
        if isinstance(node, exp.Columns) and _filters_names(node, names):
            _narrow_pattern(node, names)
        elif _is_star(node) and (hidden := _hidden(scope, node, extra)):
            node.set("except_", [*(node.args.get("except_") or ()), *hidden])


def _narrow_pattern(columns: exp.Columns, names: Sequence[str]) -> None:
    """Let COLUMNS with a regular expression, or with a function of names, not match these names."""
    if isinstance(columns.this, exp.Lambda):
        [name], chosen = columns.this.expressions, columns.this.this
    else:
        name, chosen = exp.to_identifier("name"), exp.func("regexp_matches", exp.column("name"), columns.this, dialect=DIALECT)
    others = exp.not_(exp.column(name.copy()).isin(*map(exp.Literal.string, names)))
    columns.set("this", exp.Lambda(this=exp.and_(others, chosen), expressions=[name]))


def _hidden(scope: Scope, star: exp.Expr, extra: Names) -> list[exp.Column]:
    """The extra columns of the tables that a ``*`` stands for, as an EXCLUDE names them."""
    changed = [change.alias.lower() for change in star.args.get("replace") or ()]
    changed += [change.this.name.lower() for change in star.args.get("rename") or ()]
    of_table = star.parent.table.lower() if isinstance(star.parent, exp.Column) else None
    already = {(column.table.lower(), column.name.lower()) for column in star.args.get("except_") or ()}
    of_positions = of_table is None or of_table in map(alias_of, scope.tables)
    found = []
    for name in _columns(scope, extra):
        having = [table for table in scope.tables if name in extra[table.name.lower()]]
        if of_positions and name.lower() in changed and len(having) == len(scope.tables):
            raise TablebaseError(f"* does not include {name}: name it in addition to *, as in SELECT *, {name}")
        for table in having:
            alias = alias_of(table)
            includes = _is_shown(table) if of_table is None else of_table == alias
            if includes and already.isdisjoint({("", name.lower()), (alias, name.lower())}):
                found.append(exp.column(name, table=alias if of_table is None else None, quoted=True))
    return found


def _is_star(node: exp.Expr) -> bool:
    """Whether this stands for columns; the one of ``count(*)`` does not."""
    return isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count)


def _has_star(scope: Scope) -> bool:
    """Whether a scope reads columns by ``*`` or COLUMNS."""
    return any(_is_star(node) or isinstance(node, exp.Columns) for node in scope.nodes)


def _is_shown(table: exp.Table) -> bool:
    """Whether a ``*`` for all tables includes this one."""
    return not (isinstance(table.parent, exp.Join) and table.parent.kind in ("SEMI", "ANTI"))


def _filters_names(node: exp.Expr, extra: Sequence[str]) -> bool:
    """Whether this chooses columns by a condition on their names that extra columns can satisfy."""
    if not isinstance(node, exp.Columns):
        return _is_star(node) and not isinstance(node.parent, exp.Select | exp.Columns | exp.Column)
    if isinstance(node.this, exp.Array) or node.this.find(exp.Star):
        return False
    if not isinstance(node.this, exp.Literal):
        return True
    return bool(pc.any(pc.match_substring_regex(pa.array(extra, pa.string()), node.this.name)).as_py())
