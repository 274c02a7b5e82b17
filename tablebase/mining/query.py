"""SQL over all positions.

The tables `positions` and `distinct_positions` are streams: a statement is first planned on empty tables with all
columns, which finds its faults; then it is seen which slices, values and columns it needs, and only these are decoded.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from weakref import WeakSet

import duckdb
import pyarrow as pa
import sqlglot
from sqlglot import exp

from tablebase.errors import TablebaseError
from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.columns import Column, columns, sql_type
from tablebase.mining.position_text import Writer
from tablebase.mining.sandbox import locked, sentences
from tablebase.mining.scan import Scan
from tablebase.mining.selection import Selection, known_slices, select, union
from tablebase.tables.store import Store

# What it cannot read is told here.
logging.getLogger("sqlglot").setLevel(logging.ERROR)
POSITIONS, DISTINCT = "positions", "distinct_positions"
BATCH = 1 << 16
HIDING = ("query", "query_table", "json_execute_serialized_sql")
"""Functions whose text says which tables they read, where nobody can see it."""

TAKING_ALL = (exp.Columns, exp.Describe, exp.Pivot, exp.Summarize)
"""What asks for columns without naming them; a pivot groups by all that it does not name."""


class Query:
    """A statement over the positions of a game.

    Parameters
    ----------
    game : Game
    folder : Path
    statement : str
        One SELECT over `positions`, `distinct_positions`, or both.
    features : tuple of Feature
    threads : int

    Raises
    ------
    TablebaseError
        If the statement is wrong, or does anything but select.
    MissingTableError
        If it asks for slices that have not been built.
    """

    def __init__(self, game: Game, folder: Path, statement: str, features: tuple[Feature, ...], threads: int = 2) -> None:
        self.game, self.folder, self.statement, self.threads = game, folder, statement, threads
        self.store = Store(folder)
        self._runs: WeakSet[Generator[pa.RecordBatch, None, None]] = WeakSet()
        known = known_slices(game, folder)
        tree = _parse(statement)
        self.columns = columns(game, list(known), features)
        self.names = self._plan(_offered(tree, self.columns))
        used = _used(tree, self.columns)
        self.writer = Writer(game, {one.material for one in known}, self.columns) if any(one.late for one in used) else None
        needed = [*used, *(self.writer.sources if self.writer is not None else ())]
        read = [column for column in self.columns.values() if column in needed and not column.late]
        self.scans = {name: Scan(game, self.store, one, read, threads) for name, one in self._selections(tree, known).items()}

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what still runs, whose threads would not outlive the interpreter, and give all files back."""
        for one in list(self._runs):
            one.close()
        self.store.close()

    @property
    def cells(self) -> int:
        """Indices that are looked at, if each table is read once."""
        return sum(scan.cells for scan in self.scans.values())

    def run(self, limit: int | None = None, tick: Callable[[int], object] | None = None) -> Iterator[pa.RecordBatch]:
        """The result in batches, the first of which is empty.

        Parameters
        ----------
        limit : int, optional
            Give no more rows than this.
        tick : callable, optional
            Told now and then how many indices have been looked at.
        """
        found = self._batches(limit, tick)
        self._runs.add(found)
        return found

    def _batches(self, limit: int | None, tick: Callable[[int], object] | None) -> Generator[pa.RecordBatch, None, None]:
        statement = self.statement if limit is None else f"SELECT * FROM ({_bare(self.statement)}\n) LIMIT {limit}"
        with locked(self.threads) as connection:
            for name, scan in self.scans.items():
                scan.tick = lambda: tick and tick(sum(one.done for one in self.scans.values()))
                if self.writer is None:
                    connection.register(name, scan)
            if self.writer is not None:
                self.writer.register(connection, self.scans)
            try:
                with sentences():
                    reader = connection.sql(statement).to_arrow_reader(BATCH)
                    # Whoever leaves before the end must not take the functions away that are still being called.
                    with closing(reader):
                        nothing = pa.record_batch([pa.nulls(0, field.type) for field in reader.schema], schema=reader.schema)
                        # Columns of one name have others where a limit is put around the statement.
                        yield from (batch.rename_columns(self.names) for batch in chain([nothing], reader))
            except TablebaseError:
                for scan in self.scans.values():
                    if scan.fault is not None:
                        # A fault of a stream is told in its own words.
                        raise scan.fault from None
                raise

    def _plan(self, offered: list[Column]) -> list[str]:
        """Find what is wrong with the statement; else the names of its columns."""
        with locked(1) as connection:
            described = ", ".join(f'"{column.name}" {sql_type(column)}' for column in offered)
            for name in (POSITIONS, DISTINCT):
                connection.execute(f"CREATE TABLE {name} ({described})")
            with sentences():
                try:
                    connection.execute(f"EXPLAIN {self.statement}")
                except duckdb.CatalogException as fault:
                    unknown = re.search(r"Table with name (\S+) does not exist", str(fault))
                    if unknown is None:
                        raise
                    cure = f"ask {POSITIONS} or {DISTINCT}; the catalog is for 'tablebase sql'"
                    raise TablebaseError(f"there is no table {unknown[1]} of positions: {cure}") from fault
                names: list[str] = connection.sql(self.statement).columns
                return names

    def _selections(self, tree: exp.Expr, known: Selection) -> dict[str, Selection]:
        """What is needed of each table that the statement reads."""
        distinct = {one: values for one, values in known.items() if one.distinct}
        found = {}
        for name, all_of_it in ((POSITIONS, known), (DISTINCT, distinct)):
            references = [table for table in tree.find_all(exp.Table) if table.name.lower() == name]
            if references:
                found[name] = union([self._select(table, all_of_it) for table in references])
        return found

    def _select(self, table: exp.Table, known: Selection) -> Selection:
        condition, joined = _condition(table)
        own = table.alias.lower() or table.name.lower()
        return select(self.game, known, condition, {own} if joined else {own, ""}, self.folder)


def _parse(statement: str) -> exp.Expr:
    with sentences():
        statements = duckdb.extract_statements(statement)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise TablebaseError("write one SELECT: no other statement is allowed")
    try:
        tree = sqlglot.parse_one(statement, dialect="duckdb")
    except sqlglot.errors.SqlglotError as fault:
        raise TablebaseError(f"the statement cannot be read: {str(fault).splitlines()[0]}") from fault
    _check(tree)
    return tree


def _check(tree: exp.Expr) -> None:
    """See that the statement says which columns of the tables it reads, and how often."""
    if isinstance(tree, exp.Command | exp.Show):
        raise TablebaseError("write one SELECT: no other statement is allowed")
    if any(cte.alias.lower() in (POSITIONS, DISTINCT) for cte in tree.find_all(exp.CTE)):
        raise TablebaseError(f"a WITH cannot be called {POSITIONS} or {DISTINCT}: give it another name")
    if any(function.name.lower() in HIDING for function in tree.find_all(exp.Anonymous)):
        raise TablebaseError(f"the functions {', '.join(HIDING)} are not allowed: write the statement itself")
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func) and any(one.name.lower() in (POSITIONS, DISTINCT) for one in table.this.walk()):
            raise TablebaseError(f"a function cannot read {POSITIONS} or {DISTINCT} here: write the statement itself")
        if table.name.lower() in (POSITIONS, DISTINCT) and table.alias_column_names:
            raise TablebaseError(f"the columns of {table.name} cannot be renamed in the FROM: rename them in the SELECT, with AS")
    if tree.find(exp.PositionalColumn) is not None:
        raise TablebaseError("columns such as #1 are not allowed: call them by their names")


def _bare(statement: str) -> str:
    """A statement without the semicolons at its end and what comes after them."""
    tokens = [token for token in sqlglot.tokenize(statement, dialect="duckdb") if token.token_type.name != "SEMICOLON"]
    return statement[: tokens[-1].end + 1]


def _condition(table: exp.Table) -> tuple[exp.Expr | None, bool]:
    """What the SELECT around a table asks of its rows, and whether it must say in it which table it means.

    Nothing where rows that do not satisfy it could matter all the same, as in outer joins and samples.
    """
    select_ = table.find_ancestor(exp.Select)
    if select_ is None or not isinstance(table.parent, exp.From | exp.Join) or table.parent.parent is not select_:
        return None, False
    # A table that is joined to others before the SELECT joins them all, as in "a JOIN b LEFT JOIN c ON … ON …", has joins itself.
    if table.args.get("pivots") or table.args.get("joins"):
        return None, False
    joins = select_.args.get("joins") or []
    plain = all(not join.side and not join.method and join.kind in ("", "INNER", "CROSS") for join in joins)
    where = select_.args.get("where")
    if where is None or not plain or select_.find(exp.TableSample):
        return None, False
    condition: exp.Expr = where.this
    return condition, bool(joins)


def _offered(tree: exp.Expr, all_columns: dict[str, Column]) -> list[Column]:
    """The columns that the tables have for this statement: where it says ``*``, no features but those it names."""
    return _used(tree, all_columns) if _takes_all(tree) else list(all_columns.values())


def _used(tree: exp.Expr, all_columns: dict[str, Column]) -> list[Column]:
    """The columns that the statement needs: those it names; for ``*``, all that are of no feature."""
    named = {identifier.name.lower() for identifier in tree.find_all(exp.Identifier)}
    takes_all, describes = _takes_all(tree), any(isinstance(one.this, exp.Table) for one in tree.find_all(exp.Describe))
    used = [column for name, column in all_columns.items() if name.lower() in named or describes or (takes_all and column.in_star)]
    # A stream has to have a column, so that its rows can be counted.
    return used or [all_columns["pieces"]]


def _takes_all(tree: exp.Expr) -> bool:
    """Whether the statement asks for columns without naming them."""
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return True
    tables = {(table.alias or table.name).lower() for table in tree.find_all(exp.Table)}
    whole_rows = any(column.name.lower() in tables for column in tree.find_all(exp.Column))
    natural = any(join.args.get("method") == "NATURAL" for join in tree.find_all(exp.Join))
    return whole_rows or natural or tree.find(*TAKING_ALL) is not None or not isinstance(tree, exp.Query)
