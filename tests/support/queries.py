"""Ways to put SQL to all positions, and to a plain table of rows."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from hypothesis import settings
from hypothesis import strategies as st

from tablebase.game import Game
from tablebase.game.features import Feature
from tablebase.mining.query import Query
from tablebase.positions.common_features import features_of

BEASTS = ("RvC", "LvE", "EvL", "WvC", "RvR")
"""Stored slices of Dou Shou Qi, aliases, and slices that are stored with colours exchanged: those of the fixture `beasts`."""
MOVE_COLUMNS = [
    *("material", "pieces", "side", "move", "piece", "origin", "target", "captures", "jump", "ends", "outcome", "distance"),
    *("position_outcome", "position_distance", "is_best", "is_only"),
]
"""The columns of `moves` that the documents name for ``*``."""
TYPES = {bool: pa.bool_(), int: pa.int16(), str: pa.string()}


def examples(number: int) -> settings:
    return settings(max_examples=number * settings().max_examples // 40)


def combined(atoms: st.SearchStrategy[str], most: int, forms: list[str]) -> st.SearchStrategy[str]:
    def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of([st.builds(form.format, *[inner] * form.count("{}")) for form in forms])

    return st.recursive(atoms, joined, max_leaves=most)


def mined(
    game: Game, folder: Path, statement: str, own: tuple[Feature, ...] = (), limit: int | None = None
) -> list[tuple[Any, ...]]:
    return mined_table(game, folder, statement, own, limit)[1]


def mined_table(
    game: Game, folder: Path, statement: str, own: tuple[Feature, ...] = (), limit: int | None = None
) -> tuple[list[str], list[tuple[Any, ...]]]:
    # Tallies have tests of their own.
    with Query(game, folder, statement, features_of(game, own), counts=False) as question:
        batches = list(question.run(limit))
    rows = [row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]
    return batches[0].schema.names, rows


def columns_of(game: Game, folder: Path) -> list[str]:
    return [str(name) for name, *_ in mined(game, folder, "DESCRIBE positions") if name != "hash"]


def mined_rows(game: Game, folder: Path, condition: str) -> list[dict[str, Any]]:
    names = columns_of(game, folder)
    quoted = ", ".join(f'"{name}"' for name in names)
    return [dict(zip(names, row, strict=True)) for row in mined(game, folder, f"SELECT {quoted} FROM positions WHERE {condition}")]


def arrow_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    found = list(rows)
    types = {name: type(value) for row in found for name, value in row.items() if value is not None}
    return pa.Table.from_pylist(found, schema=pa.schema([(name, TYPES[of]) for name, of in types.items()]))


def plain_tables(**tables: pa.Table) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, rows in tables.items():
        connection.register("rows", rows)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
        connection.unregister("rows")
    return connection
