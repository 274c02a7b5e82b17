"""Commands that read all positions: mine, features, export."""

from __future__ import annotations

import sys
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from tablebase.cli import options
from tablebase.cli.options import all_features, chosen_rules, from_input
from tablebase.commands.child_processes import run_statement
from tablebase.commands.parameters import Format
from tablebase.game.plain_arguments import usable_workers


class MineFormat(StrEnum):
    """Output formats of `mine`."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


SHOWN = 1000
"""Most rows in a table for people, unless --limit is given."""


def mine(
    context: typer.Context,
    game: options.GameName,
    statement: options.Statement,
    size: options.Size = None,
    variant: options.Variant = None,
    feature_file: options.FeatureFile = None,
    own: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME=FILE", help="Parquet or CSV file to join with; repeatable."),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=0, help="Write at most N rows.")] = None,
    timeout: options.Timeout = None,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Threads = None,
    style: Annotated[MineFormat, typer.Option("--format", help="Output format.")] = MineFormat.TABLE,
) -> int:
    """Query all positions in SQL (DuckDB).

    Without options, this queries the tables in the folder data and shows up to 1,000 rows. Statements are read-only, and can read
    no files except those given with --table.
    """
    text, threads = from_input(statement), usable_workers(workers)

    def answer() -> None:
        # Loaded where the statement runs, which may be a process that is forked for it.
        from tablebase.commands.output import say, write_rows
        from tablebase.compute.progress import progress
        from tablebase.errors import TablebaseError
        from tablebase.mining.own_tables import named_files
        from tablebase.mining.query import Query
        from tablebase.mining.results import names_and_rows, write_parquet

        rules = chosen_rules("mine", game, size, variant)
        if style is MineFormat.PARQUET and sys.stdout.isatty():
            raise TablebaseError(
                "Parquet cannot be shown on a screen: redirect it to a file, as in '--format parquet > result.parquet'"
            )
        capped = limit is None and style is MineFormat.TABLE
        with (
            Query(rules, data, text, all_features(rules, feature_file), threads, catalog, named_files(own or [])) as query,
            progress(f"mine {rules.name}", "positions", query.cells) as shown,
        ):
            batches = query.run(SHOWN + 1 if capped else limit, shown.reach, timeout)
            if style is MineFormat.PARQUET:
                write_parquet(sys.stdout.buffer, batches)
                return
            columns, rows = names_and_rows(batches)
            write_rows(islice(rows, SHOWN) if capped else rows, Format(style), columns, verbatim=True)
            is_cut = capped and next(rows, None) is not None
        if is_cut:
            say(f"the table ends after {SHOWN:,} rows: use --limit for more, or --format csv for all")

    return run_statement(context, answer, timeout, threads)


def features(
    game: options.GameName,
    size: options.Size = None,
    variant: options.Variant = None,
    feature_file: options.FeatureFile = None,
    style: options.Style = Format.TABLE,
) -> None:
    """List the features of positions, which are columns of mine."""
    from tablebase.commands.output import write_rows

    rules = chosen_rules("features", game, size, variant)
    subjects = {0: "position", 1: "each piece", 2: "each pair"}
    rows = [
        {
            "feature": feature.name,
            "of": subjects[feature.pieces],
            "type": " ".join(feature.words) or feature.kind,
            "column": next(feature.columns(2))[0],
            "tells": feature.about,
        }
        for feature in all_features(rules, feature_file)
    ]
    write_rows(rows, style)


def export(
    game: options.GameName,
    folder: Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder of the files: a new one, or one to resume.")],
    size: options.Size = None,
    variant: options.Variant = None,
    pieces: options.Pieces = None,
    material: options.Materials = None,
    aliases: Annotated[bool, typer.Option("--aliases", help="Include aliases: slices equivalent to a stored one.")] = False,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="A,B,…", help="Columns to write; by default all but features.")
    ] = None,
    feature_file: options.FeatureFile = None,
    share: Annotated[float, typer.Option("--sample", metavar="SHARE", help="Write each position with this probability.")] = 1.0,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Seed of --sample; the same seed selects the same positions.")
    ] = 0,
    data: options.Data = options.DEFAULT_DATA,
    catalog: options.CatalogUrl = None,
    workers: options.Threads = None,
) -> None:
    """Write positions to Parquet files, one file per slice."""
    from tablebase.commands.output import say
    from tablebase.compute.progress import progress
    from tablebase.mining.export import export as write_files
    from tablebase.mining.selection import select_by_name
    from tablebase.mining.wanted import Sample

    rules = chosen_rules("export", game, size, variant)
    selection = select_by_name(rules, data, material or [], pieces, aliases=aliases, catalog=catalog)
    names = [name.strip() for name in columns.split(",")] if columns is not None else None
    chosen, threads = all_features(rules, feature_file), usable_workers(workers)
    with progress(f"export {rules.name}", "positions") as shown:
        written = write_files(rules, data, selection, folder, names, chosen, Sample(share, seed), threads, shown.reach)
    say(f"written to {folder}: {written.slices} of {len(selection)} slices, {written.rows:,} rows")
