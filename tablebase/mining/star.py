"""What ``*`` stands for in a statement over positions.

``*`` and COLUMNS stand for the *plain* columns, whatever else a statement names. The others, features and the position
as text, are *extra*: a statement reads them by name only.

The tables have those extra columns that a statement names anywhere. Where a SELECT names one, its ``*`` gets an EXCLUDE of
all of them. Any other SELECT that reads columns without naming them reads tables of the same names that have no extra
columns, in another schema. The rest of the text stays as it was written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.mining.edits import Edits

POSITION_TABLES = POSITIONS, DISTINCT = "positions", "distinct_positions"
MOVE_TABLES = MOVES, DISTINCT_MOVES = "moves", "distinct_moves"
TABLES = POSITION_TABLES + MOVE_TABLES
MAIN, PLAIN = "main", "plain"
"""Schemas of tables: with all columns that a statement needs, and without extra columns."""
COUNTED = "counted"
"""The schema of tables that have a row for each value of a slice, with the number of positions, in place of these."""
TALLIED = "tallied"
"""The schema of tables that have a row for all rows of a block that agree in all columns, with the number of these."""
SAMPLE = "sample"
"""How the schemas of samples begin, each of which has one table."""
Names = Mapping[str, Sequence[str]]
"""Names of columns by table."""
SCOPES = (exp.Select, exp.Pivot, exp.Describe, exp.Summarize)
"""Expressions that have tables of their own."""


class Scope:
    """An expression that reads tables of positions or of moves.

    Parameters
    ----------
    expression : sqlglot expression
        One of `SCOPES`.
    tables : list of sqlglot.exp.Table
        Those that it reads.
    """

    def __init__(self, expression: exp.Expr, tables: list[exp.Table]) -> None:
        self.expression, self.tables = expression, tables

    @cached_property
    def nodes(self) -> list[exp.Expr]:
        """All parts but those of subqueries."""
        return [node for node in self.expression.walk() if _scope(node) is self.expression]

    @cached_property
    def has_star(self) -> bool:
        """Whether it reads columns by ``*`` or COLUMNS."""
        return any(is_star(node) or isinstance(node, exp.Columns) for node in self.nodes)

    def set_schema(self, table: exp.Table, schema: str, edits: Edits) -> None:
        """Let one of its tables be of another schema."""
        edits.set_schema(table, schema)
        for node in self.nodes:
            if isinstance(node, exp.Column) and node.table.lower() == _alias(table):
                edits.set_schema(node, schema)

    def columns(self, names: Names) -> list[str]:
        """The columns of its tables, each once."""
        return list(dict.fromkeys(name for table in self.tables for name in names[table.name.lower()]))

    def named(self, extra: Sequence[str]) -> list[str]:
        """Those of the extra columns that can be asked for here."""
        if isinstance(self.expression, exp.Describe):
            return list(extra)
        # Tables of its WITH have names of their own.
        names = names_in(self.expression, self.expression.args.get("with_"))
        return [name for name in extra if name.lower() in names]

    def reads_all(self, plain: Collection[str], extra: Sequence[str]) -> str | None:
        """What reads all columns of a table where no EXCLUDE could be; None if nothing does."""
        return next(self._reading_all(plain, extra), None)

    def _reading_all(self, plain: Collection[str], extra: Sequence[str]) -> Iterator[str]:
        if isinstance(self.expression, exp.Summarize):
            yield "SUMMARIZE"
        rows = {_alias(table) for table in self.tables}.difference(plain)
        for node in self.nodes:
            if isinstance(node, exp.Join) and node.method == "NATURAL":
                yield "NATURAL JOIN"
            if isinstance(node, exp.Column) and not node.table and node.name.lower() in rows:
                yield f"the row {node.name}"
            # Patterns see nothing but names, which other tables may have as well.
            if _filters_names(node, extra) and self._reads_others():
                yield "a pattern for columns of several tables"
        for table in self.tables:
            brackets = table.find_ancestor(exp.Subquery, *SCOPES)
            if isinstance(brackets, exp.Subquery) and brackets.alias and isinstance(brackets.this, exp.Table):
                yield "a join in brackets with a name"
        for pivot in (self.expression, *(pivot for table in self.tables for pivot in table.args.get("pivots") or ())):
            if isinstance(pivot, exp.Pivot) and not pivot.args.get("group"):
                if not pivot.args.get("unpivot"):
                    yield "PIVOT"
                elif self.has_star or pivot is self.expression:
                    yield "UNPIVOT"

    def _reads_others(self) -> bool:
        """Whether it reads anything but tables of positions, or but tables of moves."""
        sources = [node.this for node in self.nodes if isinstance(node, exp.From | exp.Join | exp.Lateral)]
        if len({table.name.lower() in MOVE_TABLES for table in self.tables}) > 1:
            return True
        return any(all(source is not table for table in self.tables) for source in sources)

    def hidden(self, star: exp.Expr, extra: Names) -> list[str]:
        """The extra columns of the tables that a ``*`` stands for, as an EXCLUDE names them."""
        changed = [change.alias.lower() for change in star.args.get("replace") or ()]
        changed += [change.this.name.lower() for change in star.args.get("rename") or ()]
        of_table = star.parent.table.lower() if isinstance(star.parent, exp.Column) else None
        already = {(column.table.lower(), column.name.lower()) for column in star.args.get("except_") or ()}
        of_positions = of_table is None or of_table in map(_alias, self.tables)
        found = []
        for name in self.columns(extra):
            having = [table for table in self.tables if name in extra[table.name.lower()]]
            if of_positions and name.lower() in changed and len(having) == len(self.tables):
                raise TablebaseError(f"* does not include {name}: name it in addition to *, as in SELECT *, {name}")
            for table in having:
                alias = _alias(table)
                includes = _is_shown(table) if of_table is None else of_table == alias
                if includes and already.isdisjoint({("", name.lower()), (alias, name.lower())}):
                    found.append(exp.column(name, table=alias if of_table is None else None, quoted=True).sql("duckdb"))
        return found


def scopes(tree: exp.Expr) -> list[Scope]:
    """All expressions of a statement that read tables of positions."""
    found: dict[int, Scope] = {}
    for table in tree.find_all(exp.Table):
        expression = _scope(table)
        if expression is not None and isinstance(table.this, exp.Identifier) and table.name.lower() in TABLES:
            found.setdefault(id(expression), Scope(expression, [])).tables.append(table)
    return list(found.values())


def names_in(tree: exp.Expr, but: exp.Expr | None = None) -> set[str]:
    """All names in an expression, except in a part of it, that may be columns; in lower case."""
    names = set()
    for node in tree.walk(prune=lambda each: each is but):
        if isinstance(node, exp.Identifier):
            names.add(node.name.lower())
        elif isinstance(node, exp.Columns) and isinstance(node.this, exp.Array):
            names.update(entry.name.lower() for entry in node.this.expressions)
    return names


def is_star(node: exp.Expr) -> bool:
    """Whether this stands for columns; the one of ``count(*)`` does not."""
    return isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count)


def narrow(edits: Edits, found: Sequence[Scope], plain: Names, extra: Names) -> list[tuple[Scope, exp.Table, str]]:
    """Change a statement so that no ``*`` includes an extra column, and return all tables with their scopes and schemas.

    Parameters
    ----------
    edits : Edits
        Changes of its text.
    found : sequence of Scope
        All scopes in it.
    plain, extra : mapping of str to sequence of str
        Names of the columns that the statement needs, by table.

    Raises
    ------
    TablebaseError
        If a SELECT that names an extra column also reads columns without naming them, and not by ``*`` or COLUMNS.
    """
    if not any(extra.values()):
        return [(scope, table, MAIN) for scope in found for table in scope.tables]
    readings = []
    for scope in found:
        its = scope.columns(extra)
        named, all_by = scope.named(its), scope.reads_all(scope.columns(plain), its)
        if named and all_by is not None:
            cure = f"select the columns that you need from {scope.tables[0].name} in a subquery, and use that"
            raise TablebaseError(f"{all_by} would include {named[0]}, which * does not: {cure}")
        schema = MAIN if named or not (scope.has_star or all_by) else PLAIN
        readings += [(scope, table, schema) for table in scope.tables]
        if named:
            _hide(scope, extra, edits)
    return readings


def _hide(scope: Scope, extra: Names, edits: Edits) -> None:
    """Let each ``*`` and COLUMNS of a scope not include extra columns."""
    names = scope.columns(extra)
    for node in scope.nodes:
        if isinstance(node, exp.Columns) and _filters_names(node, names):
            edits.keep_from_pattern(node, names)
        elif is_star(node):
            edits.exclude(node, scope.hidden(node, extra), scope.tables)


def _scope(node: exp.Expr) -> exp.Expr | None:
    """The expression whose tables a part of it can read."""
    return node.find_ancestor(*SCOPES)


def _alias(table: exp.Table) -> str:
    """What a table is called in the statement."""
    return (table.alias or table.name).lower()


def _is_shown(table: exp.Table) -> bool:
    """Whether a ``*`` for all tables includes this one."""
    return not (isinstance(table.parent, exp.Join) and table.parent.kind in ("SEMI", "ANTI"))


def _filters_names(node: exp.Expr, extra: Sequence[str]) -> bool:
    """Whether this chooses columns by a condition on their names that extra columns can satisfy."""
    if not isinstance(node, exp.Columns):
        return is_star(node) and not isinstance(node.parent, exp.Select | exp.Columns | exp.Column)
    if isinstance(node.this, exp.Array) or node.this.find(exp.Star):
        return False
    return not isinstance(node.this, exp.Literal) or pc.any(pc.match_substring_regex(pa.array(extra), node.this.name)).as_py()
