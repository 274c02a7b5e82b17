"""Which files a chart can be written to; checked before Matplotlib is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tablebase.errors import TablebaseError
from tablebase.files.outputs import check_output

CURE = "name another file with --output"
SUFFIXES: Mapping[str, Mapping[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""File types, and metadata to omit from them, so that the same picture is the same bytes."""


def check_picture(path: Path, cure: str = CURE) -> None:
    """Raise `TablebaseError` unless a file can be written, and its suffix names a type of picture; `cure` is what else to do."""
    if path.suffix.lower() not in SUFFIXES:
        raise TablebaseError(f"{path} is not the name of a picture: use one of the suffixes {', '.join(SUFFIXES)}")
    check_output(path, cure)
