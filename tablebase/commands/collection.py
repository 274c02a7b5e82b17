"""Positions of a folder's tables, all at once: mine, features and export."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from weakref import WeakSet

from tablebase.commands import lib, process
from tablebase.commands import parameters as shared
from tablebase.commands.arguments import as_column_names, as_counts, as_tables, checked, known_features, shortened
from tablebase.commands.calls import Call, from_input
from tablebase.commands.parameters import Format, Output, Shell
from tablebase.commands.patterns import PatternSearches
from tablebase.commands.plotting import Charts
from tablebase.errors import TablebaseError
from tablebase.game.plain_arguments import as_texts, usable_workers
from tablebase.system.compute.messages import say

if TYPE_CHECKING:
    import pyarrow as pa

    from tablebase.features import Feature
    from tablebase.mining.query import Query

OwnTables = Annotated[Mapping[str, "Path | str | pa.Table"] | Sequence[str] | None, Shell(metavar="NAME=FILE")]
MineFormat = Literal["table", "json", "csv", "markdown", "latex", "parquet"]
SHOWN = 1000
"""Most rows in a table on the terminal, unless --limit is given."""


class Collection(Charts, PatternSearches):
    """The tables of a folder, to be read as a whole; see `Cataloged`."""

    def __init__(self, folder: Path, catalog: str | None = None) -> None:
        super().__init__(folder, catalog)
        self._queries: WeakSet[Query] = WeakSet()

    def close(self) -> None:
        """Close the files of all queries."""
        super().close()
        for query in list(self._queries):
            query.close()

    @checked
    def mine(
        self,
        game: shared.GameName,
        statement: shared.Statement,
        features: shared.Features = None,
        workers: shared.Threads = None,
        table: OwnTables = None,
    ) -> Query:
        """Query the positions in the tables with SQL (DuckDB).

        Read the result with ``.df()`` (pandas), ``.pl()`` (Polars), ``.arrow()`` or ``.fetchall()``. If the result does not fit
        into memory, iterate over it to read batches of rows.

        Parameters
        ----------
        statement : str
            One SELECT statement over the tables ``positions``, ``distinct_positions``, ``moves`` or ``distinct_moves``.
        features : iterable of Feature, str or Path, optional
            Additional features, or a Python file that defines them.
        workers : int, optional
            Number of threads; by default, one for each processor.
        table : mapping of str to Path, str or pyarrow.Table, or sequence of str, optional
            Additional table that the statement can query, as NAME=FILE: the name of the table, and a Parquet or CSV file. In
            Python, a dict can map names to files or Arrow tables.
        """
        rules: Any = self._rules(game)
        known = known_features(rules, features)
        query = lib.query.Query(rules, self.folder, statement, known, usable_workers(workers), self._url, as_tables(table))
        self._queries.add(query)
        return query

    def features(self, game: shared.GameName, features: shared.Features = None) -> tuple[Feature, ...]:
        """List the features of a game (values computed from a position).

        Parameters
        ----------
        game, features : see `mine`
        """
        return shortened(known_features(self._rules(game), features))

    @checked
    def export(
        self,
        game: shared.GameName,
        to: Annotated[str | Path, Shell(metavar="DIR", output=Output.FOLDER)],
        *,
        material: shared.Materials = None,
        pieces: shared.Pieces = None,
        aliases: bool = False,
        columns: Annotated[str | Iterable[str] | None, Shell(metavar="A,B,…")] = None,
        features: shared.Features = None,
        sample: Annotated[float, Shell(metavar="SHARE")] = 1.0,
        seed: Annotated[int, Shell(metavar="N", least=0)] = 0,
        workers: shared.Threads = None,
    ) -> int:
        """Write positions to Parquet files. One file is written for each set of pieces and side to move. For games without pieces
        on squares, such as Pig, one file is written per table.

        By default, all tables of the game are exported.

        Progress and a summary are written to standard error. The function returns the number of exported rows.

        Parameters
        ----------
        to : str or Path
            New folder to write to, or the folder of an interrupted export to resume.
        material : str or sequence of str, optional
            Set of pieces to export, such as ``RCvW``.
        pieces : int, range or str, optional
            Export only tables with this number of pieces, or a number in this range.
        aliases : bool
            Also write the tables that are not stored because they are equivalent to a stored table.
        columns : str or iterable of str, optional
            Columns to write; by default, the columns of SELECT * in 'tablebase mine'.
        sample : float
            Write a random sample that contains each position with this probability.
        seed : int
            Seed for the random sample; the same seed selects the same positions.
        game, features, workers : see `mine`
        """
        rules: Any = self._rules(game)
        lib.game_arguments.refuse_given(rules, material=material, pieces=pieces, aliases=aliases or None)
        has_material = "materials" in rules.can
        target, threads = Path(to), usable_workers(workers)
        chosen, known, share = as_column_names(columns), known_features(rules, features), lib.selection.Sample(sample, seed)
        with lib.progress.progress(f"export {rules.name}", "positions", compiles=True) as shown:
            selection = None
            if has_material:
                materials, counts = as_texts("material", material), as_counts(pieces)
                selection = lib.selection.select_by_name(rules, self.folder, materials, counts, aliases=aliases, catalog=self._url)
            written = lib.export.export(rules, self.folder, selection, target, chosen, known, share, threads, shown.reach)
        unit = "slices" if has_material else "tables"
        say(f"written to {target}: {written.slices} of {written.of} {unit}, {written.rows:,} rows")
        return written.rows


def show_mine(
    call: Call,
    *,
    limit: Annotated[int | None, Shell(help="Show at most N rows.", metavar="N", least=0)] = None,
    timeout: shared.Timeout = None,
    style: Annotated[MineFormat, Shell(help="Output format.", option="--format")] = "table",
) -> int:
    """Without options, this command runs the statement on the tables in the folder 'data' and shows at most 1,000 rows.
    Statements are read-only and can access only the positions and the files given with --table. 'DESCRIBE positions' lists the
    columns.
    """
    call.given["statement"] = from_input(call.given["statement"])
    call.given["workers"] = threads = usable_workers(call.given.get("workers"))

    def answer() -> None:
        # Loaded where the statement runs, which may be a process that is forked for it.
        if style == "parquet" and sys.stdout.isatty():
            example = "--format parquet > result.parquet"
            raise TablebaseError(f"cannot print Parquet to a terminal: redirect the output to a file, as in '{example}'")
        capped = limit is None and style == "table"
        with (
            call.opened() as mine,
            mine() as query,
            lib.progress.progress(f"mine {query.game.name}", "positions", query.cells, compiles=True) as shown,
        ):
            batches = query.run(SHOWN + 1 if capped else limit, shown.reach, timeout)
            if style == "parquet":
                lib.results.write_parquet(sys.stdout.buffer, batches)
                return
            columns, rows = lib.results.names_and_rows(batches)
            call.style = Format(style)
            call.write(islice(rows, SHOWN) if capped else rows, columns, verbatim=True)
            is_cut = capped and next(rows, None) is not None
        if is_cut:
            say(f"showing the first {SHOWN:,} rows: use --limit for more, or --format csv for all")

    return process.run_statement(answer, timeout, threads)


def show_features(call: Call) -> None:
    """Without options, this command lists all features of the game, with descriptions. The command does not need tables."""
    subjects, columns = {0: "position", 1: "each piece", 2: "each pair"}, ["feature", "of", "type", "column", "tells"]
    rows = [(one.name, subjects[one.pieces], " ".join(one.words) or one.kind, next(one.columns(2))[0], one.about) for one in call()]
    call.write([dict(zip(columns, row, strict=True)) for row in rows], columns)
