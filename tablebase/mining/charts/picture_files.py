"""Files of charts: pictures, whose names are checked before Matplotlib is loaded, and the numbers behind them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from tablebase.errors import TablebaseError, check_extra
from tablebase.system.files.outputs import check_output, write_text

HINT, OTHER_CURVE = "choose another file for --output", "choose another file for --curve"
CSV_HINT = "choose another file for --csv"
SUFFIXES: Mapping[str, Mapping[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""File types, and metadata to omit from them, so that the same picture is the same bytes."""


def check_picture(path: Path, hint: str = HINT) -> None:
    """Raise `TablebaseError` unless charts can be drawn, and be written to a file; `hint` is the remedy otherwise."""
    check_extra("pictures", "plot")
    if path.suffix.lower() not in SUFFIXES:
        raise TablebaseError(f"cannot write a picture to {path}: choose a file name that ends in {' or '.join(SUFFIXES)}")
    check_output(path, hint)


def as_picture(text: str) -> Path:
    """Read the name of a picture, with the errors of `check_picture`."""
    check_picture(Path(text))
    return Path(text)


def write_numbers(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the rows of a chart, which have the same fields, as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([str(value).lower() if isinstance(value, bool) else value for value in row.values()] for row in rows)
    write_text(path, text.getvalue(), CSV_HINT)
