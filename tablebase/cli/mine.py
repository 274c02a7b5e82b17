"""Commands that look at all positions: mine, features, export."""

from __future__ import annotations

import sys
from contextlib import closing
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli.options import (
    CORES,
    DEFAULT_DATA,
    Data,
    Distinct,
    Format,
    GameName,
    Named,
    Size,
    Style,
    Threads,
    Variant,
    chosen_game,
)

if TYPE_CHECKING:
    from tablebase.game import Game
    from tablebase.game.features import Feature


class MineFormat(StrEnum):
    """How the rows of a statement are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


SHOWN = 1000
"""Rows that a table for people has at most, unless --limit says otherwise."""

FeatureFile = Annotated[Path | None, typer.Option("--features", metavar="FILE", help="A Python file with features of your own.")]


def mine(
    game: GameName,
    statement: Annotated[str, typer.Argument(metavar='"SELECT …"', help="SQL over positions or distinct_positions.")],
    size: Size = None,
    variant: Variant = None,
    features: FeatureFile = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=0, help="Write no more rows than this.")] = None,
    data: Data = DEFAULT_DATA,
    workers: Threads = CORES,
    style: Annotated[MineFormat, typer.Option("--format", help="How to write the result.")] = MineFormat.TABLE,
) -> None:
    """Ask all positions in SQL (DuckDB); nothing can be changed, and no other file be read."""
    from tqdm import tqdm

    from tablebase.cli.output import say, write_rows
    from tablebase.errors import TablebaseError
    from tablebase.mining.query import Query
    from tablebase.mining.results import names_and_rows, write_parquet

    rules = chosen_game(game, size, variant)
    if style is MineFormat.PARQUET and sys.stdout.isatty():
        raise TablebaseError("Parquet is not for reading on a screen: send it to a file, as in '--format parquet > result.parquet'")
    cut = limit is None and style is MineFormat.TABLE
    with (
        Query(rules, data, statement, all_features(rules, features), workers) as question,
        tqdm(total=question.cells, desc=f"mine {rules.name}", unit="pos", unit_scale=True, leave=False) as bar,
    ):
        batches = question.run(SHOWN + 1 if cut else limit, lambda done: bar.update(done - bar.n))
        if style is MineFormat.PARQUET:
            write_parquet(sys.stdout.buffer, batches)
            return
        columns, rows = names_and_rows(batches)
        write_rows(islice(rows, SHOWN) if cut else rows, Format(style), columns, verbatim=True)
        more = cut and next(rows, None) is not None
    if more:
        say(f"these are the first {SHOWN} rows; --limit asks for more, --format csv gives all")


def features(
    game: GameName, size: Size = None, variant: Variant = None, own: FeatureFile = None, style: Style = Format.TABLE
) -> None:
    """List the features of a game's positions, which are columns for mine."""
    from tablebase.cli.output import write_rows

    rules = chosen_game(game, size, variant)
    of = {0: "position", 1: "each piece", 2: "each pair"}
    rows = [
        {
            "feature": one.name,
            "of": of[one.pieces],
            "type": " ".join(one.words) or one.kind,
            "column": next(one.columns(2))[0],
            "tells": one.about,
        }
        for one in all_features(rules, own)
    ]
    write_rows(rows, style, ["feature", "of", "type", "column", "tells"])


def export(
    game: GameName,
    folder: Annotated[Path, typer.Option("--parquet", metavar="DIR", help="A new folder for the files, or one to go on with.")],
    size: Size = None,
    variant: Variant = None,
    pieces: Distinct = None,
    material: Named = None,
    aliases: Annotated[bool, typer.Option("--aliases", help="Write slices that play like others, too.")] = False,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="A,B,…", help="These alone; by default all that are no features.")
    ] = None,
    features: FeatureFile = None,
    share: Annotated[float, typer.Option("--sample", metavar="SHARE", help="Take each position with this chance.")] = 1.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed takes the same positions.")] = 0,
    data: Data = DEFAULT_DATA,
    workers: Threads = CORES,
) -> None:
    """Write positions to Parquet files, a file a slice, for Polars, DuckDB or pandas."""
    from tqdm import tqdm

    from tablebase.cli.output import say
    from tablebase.mining.columns import columns as all_columns
    from tablebase.mining.export import Export, Sample, chosen_columns
    from tablebase.mining.scan import Scan
    from tablebase.mining.selection import chosen
    from tablebase.tables.store import Store

    rules = chosen_game(game, size, variant)
    wanted = chosen(rules, data, material or [], pieces, aliases=aliases)
    offered = all_columns(rules, list(wanted), all_features(rules, features))
    written = chosen_columns(rules, [name.strip() for name in columns.split(",")] if columns is not None else None, offered)
    output = Export(rules, folder, written, Sample(share, seed))
    missing = output.missing(wanted)
    with closing(Store(data)) as store:
        scan = Scan(rules, store, missing, written, workers)
        with tqdm(total=scan.cells, desc=f"export {rules.name}", unit="pos", unit_scale=True, leave=False) as bar:
            scan.tick = lambda: bar.update(scan.done - bar.n)
            rows = output.write(scan)
    say(f"written to {folder}: {len(missing)} of {len(wanted)} slices, {rows:,} rows")


def all_features(game: Game, file: Path | None) -> tuple[Feature, ...]:
    """The features of a game and of a file."""
    from tablebase.game.features import load_features
    from tablebase.mining.common_features import features_of

    return features_of(game, load_features(file) if file is not None else ())


COMMANDS = (mine, features, export)
