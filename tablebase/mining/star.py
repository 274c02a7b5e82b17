"""What ``*`` stands for in a statement over positions.

``*`` and COLUMNS stand for the *plain* columns, whatever else a statement names. The others, features and the position
as text, are *extra*: a statement reads them by name only.

A SELECT that names no extra column reads tables that have none, and DuckDB expands its ``*``. One that does reads tables
of the same names in another schema, which have extra columns as well; each of its ``*`` gets an EXCLUDE of these. The rest
of the text stays as it was written.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import sqlglot
from sqlglot import exp

from tablebase.errors import TablebaseError

TABLES = POSITIONS, DISTINCT = "positions", "distinct_positions"
PLAIN, EXTENDED = "main", "extended"
"""Schemas of the tables without and with extra columns."""
SCOPES = (exp.Select, exp.Pivot, exp.Describe, exp.Summarize)
"""Expressions that have tables of their own."""


@dataclass(frozen=True)
class Reference:
    """A place where a statement reads a table of positions.

    Parameters
    ----------
    table : sqlglot.exp.Table
    scope : sqlglot.exp.Expr
        The expression that reads it.
    extra : frozenset of str
        The extra columns that it can be asked for there.
    """

    table: exp.Table
    scope: exp.Expr
    extra: frozenset[str]

    @property
    def name(self) -> str:
        """The table's name, without its schema."""
        return self.table.name.lower()

    @property
    def alias(self) -> str:
        """What the table is called in the statement."""
        return (self.table.alias or self.table.name).lower()

    @property
    def schema(self) -> str:
        """The schema that its columns need."""
        return EXTENDED if self.extra else PLAIN


def references(tree: exp.Expr, extra: Collection[str]) -> list[Reference]:
    """All references to tables of positions.

    Parameters
    ----------
    tree : sqlglot expression
        A statement.
    extra : collection of str
        Names of all extra columns.
    """
    found = []
    for table in tree.find_all(exp.Table):
        scope = _scope(table)
        if scope is not None and isinstance(table.this, exp.Identifier) and table.name.lower() in TABLES:
            # DESCRIBE lists all columns.
            described = isinstance(scope, exp.Describe)
            # Tables of its WITH have names of their own.
            named = names_in(scope, scope.args.get("with_"))
            found.append(Reference(table, scope, frozenset(name for name in extra if described or name.lower() in named)))
    return found


def names_in(tree: exp.Expr, but: exp.Expr | None = None) -> set[str]:
    """All names in an expression, except in a part of it, that may be columns; in lower case."""
    names = set()
    for node in tree.walk(prune=lambda each: each is but):
        if isinstance(node, exp.Identifier):
            names.add(node.name.lower())
        elif isinstance(node, exp.Columns) and isinstance(node.this, exp.Array):
            names.update(entry.name.lower() for entry in node.this.expressions)
    return names


def narrowed(text: str, found: Sequence[Reference], plain: Collection[str], extra: Sequence[str]) -> str:
    """The text of a statement, changed so that no ``*`` includes an extra column.

    Parameters
    ----------
    text : str
    found : sequence of Reference
        All references in it.
    plain, extra : collection of str
        Names of the columns that extended tables have.

    Raises
    ------
    TablebaseError
        If a SELECT that names an extra column also reads columns without naming them, and not by ``*`` or COLUMNS.
    """
    edits = _Edits(text)
    extended = [reference for reference in found if reference.extra]
    for scope in {id(reference.scope): reference.scope for reference in extended}.values():
        inside = [reference for reference in extended if reference.scope is scope]
        nodes = [node for node in scope.walk() if _scope(node) is scope]
        for reference in inside:
            _check(reference, nodes, plain, extra)
            edits.set_schema(reference.table)
        for node in nodes:
            if isinstance(node, exp.Column):
                edits.set_schema(node)
            elif isinstance(node, exp.Columns) and _filters_names(node, extra):
                edits.keep_from_pattern(node, extra)
            elif is_star(node):
                edits.exclude(node, _hidden(node, inside, extra))
    return edits.result()


def is_star(node: exp.Expr) -> bool:
    """Whether this stands for columns; the one of ``count(*)`` does not."""
    return isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count)


def _scope(node: exp.Expr) -> exp.Expr | None:
    """The expression whose tables a part of it can read."""
    return node.find_ancestor(*SCOPES)


def _check(reference: Reference, nodes: Sequence[exp.Expr], plain: Collection[str], extra: Sequence[str]) -> None:
    """Raise `TablebaseError` if one of these nodes reads extra columns of a table in a way that cannot be changed."""
    table, alias = reference.table, reference.alias
    pivots = [reference.scope] if isinstance(reference.scope, exp.Pivot) else table.args.get("pivots") or []
    star = isinstance(reference.scope, exp.Pivot) or any(is_star(node) or isinstance(node, exp.Columns) for node in nodes)
    brackets = table.find_ancestor(exp.Subquery, *SCOPES)
    row = alias not in plain and any(
        isinstance(node, exp.Column) and (node.table, node.name.lower()) == ("", alias) for node in nodes
    )
    reading = {
        "NATURAL JOIN": any(isinstance(node, exp.Join) and node.method == "NATURAL" for node in nodes),
        "PIVOT": any(not pivot.args.get("unpivot") and not pivot.args.get("group") for pivot in pivots),
        "UNPIVOT": star and any(pivot.args.get("unpivot") for pivot in pivots),
        "a join in brackets with a name": isinstance(brackets, exp.Subquery) and bool(brackets.alias),
        f"the row {alias}": row,
        # Patterns see names, which other tables may have as well.
        "a pattern for columns of several tables": any(_filters_names(node, extra) for node in nodes) and _reads_others(nodes),
    }
    for what, reads in reading.items():
        if reads:
            cure = f"select the columns that you need from {reference.name} in a subquery, and use that"
            raise TablebaseError(f"{what} would include {min(reference.extra)}, which * does not: {cure}")


def _filters_names(node: exp.Expr, extra: Sequence[str]) -> bool:
    """Whether this chooses columns by a condition on their names that extra columns can satisfy."""
    if not isinstance(node, exp.Columns):
        return is_star(node) and not isinstance(node.parent, exp.Select | exp.Columns | exp.Column)
    if isinstance(node.this, exp.Array) or node.this.find(exp.Star):
        return False
    return not isinstance(node.this, exp.Literal) or pc.any(pc.match_substring_regex(pa.array(extra), node.this.name)).as_py()


def _reads_others(nodes: Sequence[exp.Expr]) -> bool:
    """Whether these nodes read anything but tables."""
    sources = [node.this for node in nodes if isinstance(node, exp.From | exp.Join | exp.Lateral)]
    return any(not isinstance(source, exp.Table) or source.name.lower() not in TABLES for source in sources)


def _hidden(star: exp.Expr, inside: Sequence[Reference], extra: Sequence[str]) -> list[str]:
    """The extra columns of the tables that a ``*`` stands for, as an EXCLUDE names them."""
    changed = [change.alias for change in star.args.get("replace") or ()]
    changed += [change.this.name for change in star.args.get("rename") or ()]
    for name in extra:
        if name.lower() in map(str.lower, changed):
            raise TablebaseError(f"* does not include {name}: name it in addition to *, as in SELECT *, {name}")
    of_table = star.parent.table.lower() if isinstance(star.parent, exp.Column) else None
    already = {(column.table.lower(), column.name.lower()) for column in star.args.get("except_") or ()}
    return [
        f"{_quoted(reference.alias)}.{_quoted(name)}" if of_table is None else _quoted(name)
        for reference in inside
        if of_table == reference.alias or (of_table is None and _is_visible(reference.table))
        for name in extra
        if already.isdisjoint({("", name.lower()), (reference.alias, name.lower())})
    ]


def _is_visible(table: exp.Table) -> bool:
    """Whether a ``*`` for all tables includes this one."""
    return not (isinstance(table.parent, exp.Join) and table.parent.kind in ("SEMI", "ANTI"))


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("duckdb")


class _Edits:
    """Changes of a statement's text at the places of nodes of its tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = sqlglot.tokenize(text, dialect="duckdb")
        self._changes: list[tuple[int, int, str]] = []
        """The place where each begins, the place where the text goes on, and what is between."""

    def result(self) -> str:
        """The text with all changes."""
        text = self.text
        for begin, end, new in sorted(self._changes, reverse=True):
            text = text[:begin] + new + text[end:]
        return text

    def set_schema(self, node: exp.Expr) -> None:
        """Let a table, or a column that is written with its schema, be of the extended schema."""
        schema = node.args.get("db")
        if schema is not None:
            self._changes.append((schema.meta["start"], schema.meta["end"] + 1, EXTENDED))
        elif isinstance(node, exp.Table):
            self._insert(node.this.meta["start"], f"{EXTENDED}.")

    def exclude(self, star: exp.Expr, names: Sequence[str]) -> None:
        """Let ``*`` not include these columns."""
        if not names:
            return
        listed = ", ".join(names)
        number = self._number(star.meta.get("start", 0))
        if self.tokens[number].text != "*":
            # It is not written: "FROM positions" alone stands for "SELECT * FROM positions".
            self._insert(self._from(star), f"SELECT * EXCLUDE ({listed}) ")
        elif not star.args.get("except_"):
            self._insert(self.tokens[number].end + 1, f" EXCLUDE ({listed})")
        elif self.tokens[number + 2].text == "(":
            self._insert(self.tokens[number + 2].end + 1, f"{listed}, ")
        else:
            self._insert(self.tokens[number + 2].start, f"({listed}, ")
            self._insert(star.args["except_"][-1].this.meta["end"] + 1, ")")

    def keep_from_pattern(self, columns: exp.Columns, names: Sequence[str]) -> None:
        """Let COLUMNS with a pattern or a function not match these names."""
        first = self._number(columns.meta["start"]) + 2
        last = self._closing(first)
        others = f"NOT IN ({', '.join(exp.Literal.string(name).sql('duckdb') for name in names)}) AND "
        if isinstance(columns.this, exp.Lambda):
            colon = next(token for token in self.tokens[first:] if token.text == ":")
            self._insert(colon.end + 1, f" {columns.this.expressions[0].sql('duckdb')} {others}(")
        else:
            self._insert(self.tokens[first].start, f"lambda name: name {others}regexp_matches(name, ")
        self._insert(self.tokens[last].start, ")")

    def _insert(self, place: int, new: str) -> None:
        self._changes.append((place, place, new))

    def _number(self, place: int) -> int:
        """The number of the token that begins at a place."""
        return next(number for number, token in enumerate(self.tokens) if token.start == place)

    def _closing(self, number: int) -> int:
        """The number of the bracket that closes those in which a token is."""
        depth = 1
        while depth:
            depth += {"(": 1, ")": -1}.get(self.tokens[number].text, 0)
            number += 1
        return number - 1

    def _from(self, star: exp.Expr) -> int:
        """The place of the FROM of a ``*`` that is not written."""
        scope = _scope(star)
        assert scope is not None
        number = self._number(min(name.meta["start"] for name in scope.args["from_"].find_all(exp.Identifier)))
        while number >= 0 and self.tokens[number].text.upper() != "FROM":
            number -= 1
        if number < 0:
            raise TablebaseError("TABLE cannot be used with features or position: write SELECT * FROM")
        return self.tokens[number].start
