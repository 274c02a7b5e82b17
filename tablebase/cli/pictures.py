"""Files of pictures of boards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tablebase.cli.positions import is_stream
from tablebase.errors import TablebaseError
from tablebase.files.outputs import check_output, check_output_folder, write_text, written_folder

SUFFIX = ".svg"
DIGITS = 3
CURE = "name another file with --output"
FOLDER_CURE = "name a new folder with --to"


def check_file(path: Path, positions: Sequence[str]) -> None:
    """Raise `TablebaseError` unless a file is named for a picture, and it is one position that is to be drawn."""
    if path.suffix.lower() != SUFFIX:
        raise TablebaseError(f"{path} is not the name of a picture of a board: use the suffix {SUFFIX}")
    if len(positions) != 1 or is_stream(positions[0]):
        raise TablebaseError("--output draws one position: give just one, as an argument")
    check_output(path, CURE)


def check_folder(path: Path) -> None:
    """Raise `TablebaseError` unless a folder can be written that is new or empty."""
    check_output_folder(path, FOLDER_CURE, new=True)


def write_picture(path: Path, picture: str) -> None:
    """Write a picture to a file, in place of the one that may be there; `TablebaseError` if that cannot be done."""
    write_text(path, picture, CURE)


def write_pictures(folder: Path, pictures: Sequence[str]) -> None:
    """Write pictures to a folder that is new or empty, as ``000.svg``, ``001.svg`` and so on.

    Numbers have as many digits as the last one needs, at least three, so that names sort as plies do.

    Raises
    ------
    TablebaseError
        If there is anything in the folder, or it cannot be written.
    """
    digits = max(DIGITS, len(str(len(pictures) - 1)))
    with written_folder(folder, FOLDER_CURE) as draft:
        for number, picture in enumerate(pictures):
            (draft / f"{number:0{digits}}{SUFFIX}").write_text(picture, encoding="utf-8")
