"""Arguments of the Python interface, checked; each check raises a `TablebaseError` that names the argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tablebase.errors import ArgumentError
from tablebase.game import Outcome
from tablebase.game.plain_arguments import (
    as_instances,
    as_list,
    as_number,
    as_path,
    as_pieces,
    as_real,
    as_text,
    parse_duration,
    parse_pieces,
    parse_time,
    refused,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from tablebase.features import Feature

Kind = TypeVar("Kind")


def as_counts(pieces: Any) -> range | None:
    """Numbers of pieces."""
    if isinstance(pieces, str):
        return parse_pieces(pieces)
    count = as_pieces(pieces)
    return range(count, count + 1) if isinstance(count, int) else count


def as_texts(name: str, value: Any) -> list[str]:
    """Texts; one alone, or none, is also allowed."""
    some = [] if value is None else [value] if isinstance(value, str) else as_list(name, value, "['RCvW']")
    return [as_text(name, one) for one in some]


def as_optional(check: Callable[[str, Any], Kind], name: str, value: Any) -> Kind | None:
    """An argument that may be left out."""
    return None if value is None else check(name, value)


def as_workers(name: str, value: Any) -> int:
    """A number of processes."""
    return as_number(name, value, 1)


def as_time(name: str, value: Any) -> float:
    """Seconds since the epoch."""
    if isinstance(value, datetime):
        value = value.isoformat()
    return parse_time(value) if isinstance(value, str) else as_real(name, value)


def as_duration(name: str, value: Any) -> float:
    """Seconds."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    return parse_duration(value) if isinstance(value, str) else as_real(name, value)


def as_features(features: Any) -> tuple[Feature, ...]:
    """Features of the user's own, or of a file."""
    from tablebase.features import Feature
    from tablebase.game.features import load_features

    if isinstance(features, (str, PathLike)):
        return load_features(as_path("features", features))
    return () if features is None else as_instances("features", features, Feature, "[my_feature]")


def as_tables(tables: Any) -> Mapping[str, Path | str | pa.Table]:
    """Tables of the user's own by name, perhaps from texts such as ``games=games.parquet``."""
    import pyarrow as pa

    from tablebase.mining.own_tables import named_files

    if tables is None or isinstance(tables, (list, tuple)):
        return named_files(as_texts("table", tables))
    if not isinstance(tables, Mapping):
        raise refused("table", "a dict of tables or files by name", tables)
    for name, table in tables.items():
        as_text("the name of a table", name)
        if not isinstance(table, pa.Table):
            as_path(f"the table {name}", table)
    return tables


def as_outcome(outcome: Any) -> str | None:
    """An outcome by its name."""
    names = [str(one) for one in Outcome]
    if outcome is not None and outcome not in names:
        raise refused("outcome", " or ".join(map(repr, names)), outcome, ArgumentError)
    return None if outcome is None else str(outcome)
