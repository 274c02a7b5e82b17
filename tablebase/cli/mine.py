"""Commands that look at all positions: mine, features."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tablebase.cli.options import DEFAULT_DATA, Data, Format, GameName, Size, Style, Variant, Workers, chosen_game

if TYPE_CHECKING:
    from tablebase.features import Feature
    from tablebase.game import Game


class MineFormat(StrEnum):
    """How the rows of a statement are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


SHOWN = 1000
"""Rows that a table for people has at most, unless --limit says otherwise."""
CORES = os.cpu_count() or 1

FeatureFile = Annotated[Path | None, typer.Option("--features", metavar="FILE", help="A Python file with features of your own.")]


def mine(
    game: GameName,
    statement: Annotated[str, typer.Argument(metavar='"SELECT …"', help="SQL over positions or distinct_positions.")],
    size: Size = None,
    variant: Variant = None,
    features: FeatureFile = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=0, help="Write no more rows than this.")] = None,
    data: Data = DEFAULT_DATA,
    workers: Workers = CORES,
    style: Annotated[MineFormat, typer.Option("--format", help="How to write the result.")] = MineFormat.TABLE,
) -> None:
    """Ask all positions in SQL (DuckDB); nothing can be changed, and no other file be read."""
    from tqdm import tqdm

    from tablebase.cli.output import say, write_rows
    from tablebase.errors import TablebaseError
    from tablebase.mining.query import Question
    from tablebase.mining.results import names_and_rows, write_parquet

    rules = chosen_game(game, size, variant)
    if style is MineFormat.PARQUET and sys.stdout.isatty():
        raise TablebaseError("Parquet is not for reading on a screen: send it to a file, as in '--format parquet > result.parquet'")
    cut = limit is None and style is MineFormat.TABLE
    with (
        Question(rules, data, statement, _all_features(rules, features), workers) as question,
        tqdm(total=question.cells, desc=f"mine {rules.name}", unit="pos", unit_scale=True, leave=False) as bar,
    ):
        batches = question.run(SHOWN + 1 if cut else limit, lambda done: bar.update(done - bar.n))
        if style is MineFormat.PARQUET:
            write_parquet(sys.stdout.buffer, batches)
            return
        columns, rows = names_and_rows(batches)
        write_rows(islice(rows, SHOWN) if cut else rows, Format(style), columns)
        if cut and next(rows, None) is not None:
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
        for one in _all_features(rules, own)
    ]
    write_rows(rows, style, ["feature", "of", "type", "column", "tells"])


def _all_features(game: Game, file: Path | None) -> tuple[Feature, ...]:
    """The features of a game and of a file."""
    from tablebase.features import load_features
    from tablebase.mining.general import features_of

    return features_of(game, load_features(file) if file is not None else ())


COMMANDS = (mine, features)
