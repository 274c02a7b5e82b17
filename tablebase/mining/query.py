"""SQL over all positions.

The tables `positions` and `distinct_positions` are streams. A statement is first planned on empty tables with all
columns, which reveals its faults; only the slices, values and columns that it needs are then decoded.
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
from tablebase.mining.position_text import PositionWriter
from tablebase.mining.sandbox import faults_as_sentences, sandbox, scratch
from tablebase.mining.scan import Scan
from tablebase.mining.selection import Selection, known_slices, select_by_condition, union
from tablebase.tables.store import Store

# What it cannot parse is reported below.
logging.getLogger("sqlglot").setLevel(logging.ERROR)
POSITIONS, DISTINCT = "positions", "distinct_positions"
BATCH = 1 << 16
HIDING = ("query", "query_table", "json_execute_serialized_sql")
"""Functions that run a statement given as text, so that the tables it reads cannot be seen."""

UNNAMED_COLUMNS = (exp.Columns, exp.Describe, exp.Pivot, exp.Summarize)
"""Expressions that read columns without naming them; a pivot groups by all columns that it does not name."""


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
        If the statement is invalid, or does anything but select.
    MissingTableError
        If it needs slices that have not been built.
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
        late = any(column.late for column in used)
        self.writer = PositionWriter(game, {slice_.material for slice_ in known}, self.columns) if late else None
        needed = [*used, *(self.writer.sources if self.writer is not None else ())]
        read = [column for column in self.columns.values() if column in needed and not column.late]
        selections = self._selections(tree, known)
        self.scans = {name: Scan(game, self.store, selection, read, threads) for name, selection in selections.items()}

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all unfinished runs, whose threads would not outlive the interpreter, and close all files."""
        for run in list(self._runs):
            run.close()
        self.store.close()

    @property
    def cells(self) -> int:
        """Indices that are decoded if each table is read once."""
        return sum(scan.cells for scan in self.scans.values())

    def run(self, limit: int | None = None, tick: Callable[[int], object] | None = None) -> Iterator[pa.RecordBatch]:
        """The result in batches, the first of which is empty.

        Parameters
        ----------
        limit : int, optional
            Maximum number of rows.
        tick : callable, optional
            Called from time to time with the number of indices decoded so far.
        """
        batches = self._batches(limit, tick)
        self._runs.add(batches)
        return batches

    def _batches(self, limit: int | None, tick: Callable[[int], object] | None) -> Generator[pa.RecordBatch, None, None]:
        statement = self.statement if limit is None else f"SELECT * FROM ({_bare(self.statement)}\n) LIMIT {limit}"
        with sandbox(self.threads) as connection:
            for name, scan in self.scans.items():
                scan.tick = lambda: tick and tick(sum(each.done for each in self.scans.values()))
                if self.writer is None:
                    connection.register(name, scan)
            if self.writer is not None:
                self.writer.register(connection, self.scans)
            try:
                with faults_as_sentences():
                    reader = connection.sql(statement).to_arrow_reader(BATCH)
                    # If the caller stops early, functions must not disappear while they are still being called.
                    with closing(reader):
                        empty = pa.record_batch([pa.nulls(0, field.type) for field in reader.schema], schema=reader.schema)
                        # Wrapping the statement in a limit renames columns with the same name.
                        yield from (batch.rename_columns(self.names) for batch in chain([empty], reader))
            except TablebaseError:
                for scan in self.scans.values():
                    if scan.fault is not None:
                        # A stream's own error is clearer than DuckDB's report of it.
                        raise scan.fault from None
                raise

    def _plan(self, offered: list[Column]) -> list[str]:
        """Raise an error if the statement is invalid; return the names of its columns."""
        with scratch() as connection:
            definitions = ", ".join(f'"{column.name}" {sql_type(column)}' for column in offered)
            for name in (POSITIONS, DISTINCT):
                connection.execute(f"CREATE TABLE {name} ({definitions})")
            with faults_as_sentences():
                try:
                    connection.execute(f"EXPLAIN {self.statement}")
                except duckdb.CatalogException as fault:
                    unknown = re.search(r"Table with name (\S+) does not exist", str(fault))
                    if unknown is None:
                        raise
                    cure = f"query {POSITIONS} or {DISTINCT}, or the catalog with 'tablebase sql'"
                    raise TablebaseError(f"there is no table {unknown[1]} of positions: {cure}") from fault
                names: list[str] = connection.sql(self.statement).columns
                return names

    def _selections(self, tree: exp.Expr, known: Selection) -> dict[str, Selection]:
        """The slices and values that are needed of each table that the statement reads."""
        distinct = {slice_: values for slice_, values in known.items() if slice_.distinct}
        selections = {}
        for name, everything in ((POSITIONS, known), (DISTINCT, distinct)):
            references = [table for table in tree.find_all(exp.Table) if table.name.lower() == name]
            if references:
                selections[name] = union([self._select(table, everything) for table in references])
        return selections

    def _select(self, table: exp.Table, known: Selection) -> Selection:
        condition, joined = _condition(table)
        name = table.alias.lower() or table.name.lower()
        return select_by_condition(self.game, known, condition, {name} if joined else {name, ""}, self.folder)


def _parse(statement: str) -> exp.Expr:
    with faults_as_sentences():
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
    """Raise `TablebaseError` if the statement hides which tables and columns it reads."""
    if isinstance(tree, exp.Command | exp.Show):
        raise TablebaseError("write one SELECT: no other statement is allowed")
    if any(cte.alias.lower() in (POSITIONS, DISTINCT) for cte in tree.find_all(exp.CTE)):
        raise TablebaseError(f"a WITH cannot be called {POSITIONS} or {DISTINCT}: give it another name")
    if any(function.name.lower() in HIDING for function in tree.find_all(exp.Anonymous)):
        raise TablebaseError(f"the functions {', '.join(HIDING)} are not allowed: write the statement itself")
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func) and any(node.name.lower() in (POSITIONS, DISTINCT) for node in table.this.walk()):
            raise TablebaseError(f"a function cannot read {POSITIONS} or {DISTINCT} here: write the statement itself")
        if table.name.lower() in (POSITIONS, DISTINCT) and table.alias_column_names:
            raise TablebaseError(f"the columns of {table.name} cannot be renamed in the FROM: rename them in the SELECT, with AS")
    if tree.find(exp.PositionalColumn) is not None:
        raise TablebaseError("columns such as #1 are not allowed: use their names")


def _bare(statement: str) -> str:
    """A statement without the semicolons at its end and the comments after them."""
    tokens = [token for token in sqlglot.tokenize(statement, dialect="duckdb") if token.token_type.name != "SEMICOLON"]
    return statement[: tokens[-1].end + 1]


def _condition(table: exp.Table) -> tuple[exp.Expr | None, bool]:
    """The WHERE condition on a table's rows, and whether columns in it must be qualified with the table's name.

    None where rows that fail it could still matter, as in outer joins and samples.
    """
    select_ = table.find_ancestor(exp.Select)
    if select_ is None or not isinstance(table.parent, exp.From | exp.Join) or table.parent.parent is not select_:
        return None, False
    # In nested joins, as in "a JOIN b LEFT JOIN c ON … ON …", the joins belong to the table, not to the SELECT.
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
    """The columns that the tables have for this statement: if it reads ``*``, the only features are those it names."""
    return _used(tree, all_columns) if _reads_star(tree) else list(all_columns.values())


def _used(tree: exp.Expr, all_columns: dict[str, Column]) -> list[Column]:
    """The columns that the statement needs: those it names, and those of ``*`` if it reads that."""
    named = {identifier.name.lower() for identifier in tree.find_all(exp.Identifier)}
    star, describes = _reads_star(tree), any(isinstance(node.this, exp.Table) for node in tree.find_all(exp.Describe))
    used = [column for name, column in all_columns.items() if name.lower() in named or describes or (star and column.in_star)]
    # Even a count of rows needs a stream with a column.
    return used or [all_columns["pieces"]]


def _reads_star(tree: exp.Expr) -> bool:
    """Whether the statement reads columns without naming them."""
    if any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star)):
        return True
    tables = {(table.alias or table.name).lower() for table in tree.find_all(exp.Table)}
    whole_rows = any(column.name.lower() in tables for column in tree.find_all(exp.Column))
    natural = any(join.args.get("method") == "NATURAL" for join in tree.find_all(exp.Join))
    return whole_rows or natural or tree.find(*UNNAMED_COLUMNS) is not None or not isinstance(tree, exp.Query)
