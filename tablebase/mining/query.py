"""SQL over all positions.

The tables of positions and of moves are streams. A statement is first planned on empty tables, which reveals
its errors; only the slices, values and columns that it needs are then decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from weakref import WeakSet, finalize

import duckdb
import pyarrow as pa
from sqlglot import exp

from tablebase.errors import TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.column import POSITION, sql_type
from tablebase.mining.counting import count_rows
from tablebase.mining.lookup import declare_functions
from tablebase.mining.own_tables import own_tables
from tablebase.mining.reading import TABLES, TALLIED, Needed, columns_needed, reads_unnamed, schema_of, scopes, written
from tablebase.mining.results import Tabular, distinct_names, with_plain_numbers
from tablebase.mining.sandbox import errors_as_sentences, sandbox, scratch
from tablebase.mining.scan import Relation, RowSource, SliceRowSource
from tablebase.mining.statement import bare, check_reach, check_words, nesting_as_sentence, parse_select, read_request
from tablebase.system.compute.progress import compiling_said
from tablebase.system.executors.bounds import deadline
from tablebase.tables.store import Store

BATCH = 1 << 16
EXPLANATION = pa.schema(
    {"table": pa.string(), "slices": pa.int64(), "indices": pa.int64(), "columns": pa.string(), "rows": pa.string()}
)
"""The columns of EXPLAIN."""


class Query(Tabular):
    """An SQL query on the positions of a game, run each time its result is read.

    Iterate over the query to read the result in batches, without loading all rows into memory.

    See `Tablebase.mine` for the arguments; `own` corresponds to the argument `table` of `Tablebase.mine`. `catalog` is the URL of
    a PostgreSQL catalog. With ``counts=False``, statements that only count rows decode the tables instead of using stored counts.

    Raises
    ------
    TablebaseError
        If the statement is invalid, or is not a SELECT statement.
    MissingTableError
        If the statement needs tables that have not been built.
    """

    @nesting_as_sentence()
    def __init__(
        self,
        game: Game,
        folder: Path,
        statement: str,
        features: tuple[Feature, ...],
        threads: int = 2,
        catalog: str | None = None,
        own: Mapping[str, Path | str | pa.Table] | None = None,
        *,
        counts: bool = True,
    ) -> None:
        self.own = own_tables(own or {})
        self._given = game, folder, statement, features, threads, catalog, self.own
        self._counts = counts
        self.game, self.folder, self.threads = game, folder, threads
        rules: Any = game
        self._source: RowSource
        if "materials" in rules.can:
            self._source = SliceRowSource(rules, Store(folder), features, threads, catalog, self.own)
        else:
            from tablebase.mining.stored_rows import StoredSource

            self._source = StoredSource(rules, Store(folder), features)
        self._runs: WeakSet[Generator[pa.RecordBatch, None, None]] = WeakSet()
        # Their threads would not outlive the interpreter.
        finalize(self, _end, self._runs)
        offered = self._source.offered
        text, self.explained = read_request(statement)
        tree, self.text = parse_select(text), bare(text)
        self._executed, needed = self.text, columns_needed(tree, offered)
        names, types = self._plan(self._executed, tree, needed)
        self._names = distinct_names(names)
        # DuckDB knows best what is wrong with a statement, so it comes first.
        check_reach(tree, (*TABLES, *(name.lower() for name in self.own)))
        checks = {table: {name.lower(): its.check for name, its in every.items() if its.check} for table, every in offered.items()}
        check_words(tree, checks)
        if counts and self._source.counts:
            counting, counted = count_rows(tree, offered)
            # A statement that is written again must give results of the same types.
            with suppress(TablebaseError):
                if counted:
                    again = written(counting), counting, {**needed, **counted}
                    if self._plan(*again)[1] == types:
                        self._executed, tree, needed = again
        reads = [table for scope in scopes(tree) for table in scope.tables]
        self.relations = [
            Relation(schema, name, columns, self._source.stream(name, columns, tables))
            for (schema, name), columns in needed.items()
            if (tables := [table for table in reads if (schema_of(table), table.name.lower()) == (schema, name)])
        ]

    def __repr__(self) -> str:
        return f"Query({self.game.name}, {quoted(self.text)})"

    def __reduce__(self) -> tuple[Callable[..., Query], tuple[Any, ...]]:
        # A copy opens the folder itself.
        return partial(type(self), counts=self._counts), self._given

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel all unfinished runs of the query and close all files."""
        _end(self._runs)
        self._source.close()

    @property
    def cells(self) -> int:
        """Number of table entries to decode if the statement reads each table once."""
        return 0 if self.explained else sum(relation.scan.cells for relation in self.relations)

    @property
    def columns(self) -> list[str]:
        """Names of the columns in the result; a number is appended to each duplicate name."""
        self._source.store.require_open()
        return EXPLANATION.names if self.explained else self._names

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return (batch for batch in self.run() if batch.num_rows)

    def arrow(self) -> pa.Table:
        """Return all rows as an Arrow table."""
        return with_plain_numbers(pa.Table.from_batches(self.run()))

    def run(
        self, limit: int | None = None, tick: Callable[[int], object] | None = None, timeout: float | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Run the statement and return its result in batches. The first batch has only the column names, no rows; a number is
        appended to each duplicate name.

        Parameters
        ----------
        limit : int, optional
            Maximum number of rows.
        tick : callable, optional
            Progress callback, called with the number of table entries decoded so far.
        timeout : float, optional
            Time limit in seconds, from the first batch to the last.

        Raises
        ------
        TimeLimitError
            If the statement exceeds its time limit.
        """
        batches = self._batches(limit, tick, timeout)
        self._runs.add(batches)
        return batches

    def _batches(
        self, limit: int | None, tick: Callable[[int], object] | None, timeout: float | None
    ) -> Generator[pa.RecordBatch, None, None]:
        self._source.store.require_open()
        if self.explained:
            yield from (self._explanation().slice(0, rows) for rows in (0, limit))
            return
        scans = [relation.scan for relation in self.relations]
        # Who counts the positions shows a bar, which says it itself.
        said = compiling_said(f"mine {self.game.name}") if tick is None else nullcontext()
        with said, sandbox(self.threads) as connection, deadline(timeout, connection.interrupt):
            for scan in scans:
                scan.tick = lambda _: tick and tick(sum(each.done for each in scans))
            self._create_views(connection)
            try:
                with errors_as_sentences():
                    result = connection.sql(self._executed)
                    # DuckDB numbers columns with the same name in its own way, but only if there is a limit.
                    limited = result if limit is None else result.limit(limit)
                    reader = limited.to_arrow_reader(BATCH)
                    # If the caller stops early, functions must not disappear while they are still being called.
                    with closing(reader):
                        empty = pa.record_batch([pa.nulls(0, field.type) for field in reader.schema], schema=reader.schema)
                        yield from (batch.rename_columns(self._names) for batch in chain([empty], reader))
            except TablebaseError:
                for scan in scans:
                    if scan.error is not None:
                        # A stream's own error is clearer than DuckDB's report of it.
                        raise scan.error from None
                raise

    def _explanation(self) -> pa.RecordBatch:
        """A row for each stream that the statement reads."""
        rows = [
            {
                "table": relation.name,
                "slices": relation.scan.slices,
                "indices": relation.scan.cells,
                "columns": ", ".join(column.name for column in relation.columns),
                "rows": TALLIED if relation.schema == TALLIED else "decoded",
            }
            for relation in self.relations
        ]
        return pa.RecordBatch.from_pylist(rows, schema=EXPLANATION)

    def _create_views(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute(f"CREATE SCHEMA {TALLIED}")
        self._source.register(connection, self.relations)
        for name, table in self.own.items():
            connection.register(name, table)
        for relation in self.relations:
            connection.register(relation.stream, relation.scan)
            # DuckDB takes a stream for one row, and would keep it all to join it with a table of two. As a union with no rows out
            # of many it counts as large; the limit is a subquery, since DuckDB would leave out what is known to be empty.
            none = f"SELECT {', '.join(['NULL'] * len(relation.columns))} FROM range({relation.scan.cells}) LIMIT (SELECT 0)"
            view = f"{self._source.view(relation)} UNION ALL ({none})"
            connection.execute(f"CREATE VIEW {relation.schema}.{relation.name} AS {view}")

    def _plan(self, text: str, tree: exp.Expr, needed: Needed) -> tuple[list[str], list[str]]:
        """Names and types of the columns of a statement's result; raise an error if it is invalid."""
        unnamed = reads_unnamed(tree)
        with scratch() as connection:
            for name, table in self.own.items():
                connection.register(name, table.schema.empty_table())
            connection.execute(f"CREATE SCHEMA {TALLIED}")
            declare_functions(connection)
            for (schema, name), columns in needed.items():
                # Errors then suggest columns that the statement does not name.
                every = columns if unnamed or schema == TALLIED else self._source.offered[name].values()
                definitions = ", ".join(f'"{column.name}" {sql_type(column)}' for column in every)
                connection.execute(f"CREATE TABLE {schema}.{name} ({definitions})")
            with errors_as_sentences():
                try:
                    result = connection.sql(text)
                    return result.columns, list(map(str, result.types))
                except (duckdb.CatalogException, duckdb.BinderException) as error:
                    if unknown := re.search(r"Table with name (\S+) does not exist", str(error)):
                        *names, last = TABLES
                        hint = f"query {', '.join(names)} or {last}, or the catalog with 'tablebase sql'"
                        raise TablebaseError(f"unknown table {unknown[1]}: {hint}") from error
                    if "resulted in an empty set of columns" in str(error):
                        hint = f"list the features and {POSITION} by name"
                        raise TablebaseError(f"the pattern in COLUMNS does not match any column: {hint}") from error
                    raise


def _end(runs: Iterable[Generator[pa.RecordBatch, None, None]]) -> None:
    for run in list(runs):
        run.close()
