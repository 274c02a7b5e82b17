"""Commands that read all positions: mine, features, export."""

from __future__ import annotations

import sys
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli.options import (
    DEFAULT_DATA,
    CatalogUrl,
    Data,
    Format,
    GameName,
    Materials,
    Pieces,
    Size,
    Style,
    Threads,
    Variant,
    chosen_game,
    from_input,
)
from tablebase.cli.statements import Timeout, run_statement
from tablebase.compute.machine import usable_workers

if TYPE_CHECKING:
    from tablebase.game import Game
    from tablebase.game.features import Feature


class MineFormat(StrEnum):
    """Output formats of `mine`."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


SHOWN = 1000
"""Most rows in a table for people, unless --limit is given."""

FeatureFile = Annotated[Path | None, typer.Option("--features", metavar="FILE", help="Python file with your own features.")]


def mine(
    context: typer.Context,
    game: GameName,
    statement: Annotated[str, typer.Argument(metavar='"SELECT …"', help="A statement; - reads standard input, @FILE a file.")],
    size: Size = None,
    variant: Variant = None,
    feature_file: FeatureFile = None,
    own: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME=FILE", help="A Parquet or CSV file to join with; may be repeated."),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=0, help="Write at most N rows.")] = None,
    timeout: Timeout = None,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    workers: Threads = None,
    style: Annotated[MineFormat, typer.Option("--format", help="Output format.")] = MineFormat.TABLE,
) -> int:
    """Query all positions in SQL (DuckDB). A statement can change nothing, and read no files but those of --table."""
    count = usable_workers(workers)
    answer = partial(
        _write_answer,
        game,
        size,
        variant,
        from_input(statement),
        feature_file,
        own or [],
        limit,
        timeout,
        data,
        catalog,
        count,
        style,
    )
    return run_statement(context, answer, timeout, count)


def _write_answer(
    game: str,
    size: str | None,
    variant: list[str] | None,
    statement: str,
    feature_file: Path | None,
    own: list[str],
    limit: int | None,
    timeout: float | None,
    data: Path,
    catalog: str | None,
    workers: int,
    style: MineFormat,
) -> None:
    from tablebase.cli.output import say, write_rows
    from tablebase.compute.progress import progress
    from tablebase.errors import TablebaseError
    from tablebase.mining.own_tables import named_files
    from tablebase.mining.query import Query
    from tablebase.mining.results import names_and_rows, write_parquet

    rules = chosen_game(game, size, variant)
    if style is MineFormat.PARQUET and sys.stdout.isatty():
        raise TablebaseError(
            "Parquet cannot be shown on a screen: redirect it to a file, as in '--format parquet > result.parquet'"
        )
    capped = limit is None and style is MineFormat.TABLE
    with (
        Query(rules, data, statement, all_features(rules, feature_file), workers, catalog, named_files(own)) as query,
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
        say(f"only the first {SHOWN} rows are shown; use --limit for more, or --format csv for all")


def features(
    game: GameName, size: Size = None, variant: Variant = None, feature_file: FeatureFile = None, style: Style = Format.TABLE
) -> None:
    """List the features of positions, which are columns of mine."""
    from tablebase.cli.output import write_rows

    rules = chosen_game(game, size, variant)
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
    write_rows(rows, style, ["feature", "of", "type", "column", "tells"])


def export(
    game: GameName,
    folder: Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder of the files: a new one, or one to resume.")],
    size: Size = None,
    variant: Variant = None,
    pieces: Pieces = None,
    material: Materials = None,
    aliases: Annotated[bool, typer.Option("--aliases", help="Include aliases: slices equivalent to a stored one.")] = False,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="A,B,…", help="Columns to write; by default all but features.")
    ] = None,
    feature_file: FeatureFile = None,
    share: Annotated[float, typer.Option("--sample", metavar="SHARE", help="Write each position with this probability.")] = 1.0,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Seed of --sample; the same seed selects the same positions.")
    ] = 0,
    data: Data = DEFAULT_DATA,
    catalog: CatalogUrl = None,
    workers: Threads = None,
) -> None:
    """Write positions to Parquet files, one file per slice."""
    from tablebase.cli.output import say
    from tablebase.compute.progress import progress
    from tablebase.mining.export import export as write_files
    from tablebase.mining.sample import Sample
    from tablebase.mining.selection import select_by_name

    rules = chosen_game(game, size, variant)
    selection = select_by_name(rules, data, material or [], pieces, aliases=aliases, catalog=catalog)
    names = [name.strip() for name in columns.split(",")] if columns is not None else None
    chosen, threads = all_features(rules, feature_file), usable_workers(workers)
    with progress(f"export {rules.name}", "positions") as shown:
        written = write_files(rules, data, selection, folder, names, chosen, Sample(share, seed), threads, shown.reach)
    say(f"written to {folder}: {written.slices} of {len(selection)} slices, {written.rows:,} rows")


def all_features(game: Game, file: Path | None) -> tuple[Feature, ...]:
    """The features of a game and of a feature file."""
    from tablebase.game.features import load_features
    from tablebase.mining.common_features import features_of

    return features_of(game, load_features(file) if file is not None else ())
