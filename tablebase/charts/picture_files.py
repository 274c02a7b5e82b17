"""Which files a chart can be written to; checked before Matplotlib is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tablebase.errors import TablebaseError, check_extra
from tablebase.files.outputs import check_output

CURE, OTHER_CURVE = "name another file with --output", "name another file with --curve"
SUFFIXES: Mapping[str, Mapping[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""File types, and metadata to omit from them, so that the same picture is the same bytes."""


def check_picture(path: Path, cure: str = CURE) -> None:
    """Raise `TablebaseError` unless charts can be drawn, and be written to a file; `cure` is the remedy otherwise."""
    check_extra("pictures", "plot")
    if path.suffix.lower() not in SUFFIXES:
        raise TablebaseError(f"{path} is not the name of a picture: use one of the suffixes {', '.join(SUFFIXES)}")
    check_output(path, cure)
