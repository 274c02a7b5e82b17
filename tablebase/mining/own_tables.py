"""Tables of the user's own, which a statement may join with positions: files that are named beside it, and no others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from errno import ENOENT
from pathlib import Path

import pyarrow as pa

from tablebase.errors import ArgumentError, TablebaseError, did_you_mean, quoted, system_error
from tablebase.mining.reading import TABLES
from tablebase.mining.statement import SYSTEM
from tablebase.system.files.inputs import check_regular

OwnTables = Mapping[str, pa.Table]
"""Tables by name."""
SUFFIXES = ".parquet", ".csv"
LARGEST = 1 << 30
"""Bytes of a file, unpacked."""


def named_files(texts: list[str]) -> dict[str, Path]:
    """Read names and files such as ``games=games.parquet``.

    Raise `TablebaseError` if a text is not of this form, or a name occurs twice.
    """
    files: dict[str, Path] = {}
    for text in texts:
        name, separator, file = text.partition("=")
        if not (name and separator and file):
            raise ArgumentError(f"invalid --table {quoted(text)}: expected NAME=FILE, such as games=games.parquet")
        if name in files:
            raise ArgumentError(f"two tables have the name {name}: rename one of them")
        files[name] = Path(file)
    return files


def own_tables(tables: Mapping[str, Path | str | pa.Table]) -> OwnTables:
    """Read tables from files, or take them as they are.

    Files end in ``.parquet`` or ``.csv``; those of CSV have the names of the columns in the first line. Raise `TablebaseError`
    if a name is taken or no plain word, or a file cannot be read.
    """
    seen: set[str] = set()
    for name in tables:
        if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is None:
            raise ArgumentError(f"invalid table name {quoted(name)}: use letters, digits and _")
        if name.lower() in (*TABLES, *seen) or name.lower().startswith(SYSTEM):
            raise ArgumentError(f"the table name {name} is already used: choose another name")
        seen.add(name.lower())
    return {name: table if isinstance(table, pa.Table) else _read(Path(table)) for name, table in tables.items()}


def check_file(file: Path) -> None:
    """Raise `TablebaseError` unless a file has a suffix of tables, and is there."""
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        known = " or ".join(SUFFIXES)
        raise ArgumentError(f"{file} has an unsupported type{did_you_mean(suffix, SUFFIXES)}: use a file name ending in {known}")
    check_regular(file, "choose another file for --table")
    if not file.exists():
        raise system_error(FileNotFoundError(ENOENT, ""), file, "choose another file for --table")


def _read(file: Path) -> pa.Table:
    from pyarrow import csv, parquet

    check_file(file)
    suffix = file.suffix.lower()
    try:
        if suffix == ".parquet":
            groups = parquet.read_metadata(file)
            size = sum(groups.row_group(number).total_byte_size for number in range(groups.num_row_groups))
        else:
            size = file.stat().st_size
        if size > LARGEST:
            raise TablebaseError(f"{file} has more than {LARGEST:,} bytes: choose a smaller file for --table")
        # Files are read here, since statements can open none.
        return parquet.read_table(file, partitioning=None) if suffix == ".parquet" else csv.read_csv(file)
    except OSError as error:
        raise system_error(error, file, "choose another file for --table") from error
    except pa.ArrowException as error:
        raise ArgumentError(f"cannot read {file}: {str(error).splitlines()[0]}") from error
