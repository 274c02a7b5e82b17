"""Files of pictures of boards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tablebase.errors import TablebaseError, system_error

SUFFIX = ".svg"
DIGITS = 3


def check_file(path: Path, positions: int) -> None:
    """Raise `TablebaseError` unless a file is named for a picture, and it is one position that is to be drawn."""
    if path.suffix.lower() != SUFFIX:
        raise TablebaseError(f"{path} is not the name of a picture of a board: use the suffix {SUFFIX}")
    if positions != 1:
        raise TablebaseError(f"--svg draws one position, and {positions} are given: ask for each by itself")


def write_picture(path: Path, picture: str) -> None:
    """Write a picture to a file, in place of the one that may be there; `TablebaseError` if that cannot be done."""
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as fault:
        raise system_error(fault, path, "name another file with --svg") from fault


def write_pictures(folder: Path, pictures: Sequence[str]) -> None:
    """Write pictures to a folder that is new or empty, as ``000.svg``, ``001.svg`` and so on.

    Numbers have as many digits as the last one needs, at least three, so that names sort as plies do.

    Raises
    ------
    TablebaseError
        If there is anything in the folder, or it cannot be written.
    """
    digits = max(DIGITS, len(str(len(pictures) - 1)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise TablebaseError(f"{folder} is not empty: name a new folder with --svg")
        for number, picture in enumerate(pictures):
            (folder / f"{number:0{digits}}{SUFFIX}").write_text(picture, encoding="utf-8")
    except OSError as fault:
        raise system_error(fault, folder, "name another folder with --svg") from fault
