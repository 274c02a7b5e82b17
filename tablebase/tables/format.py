"""Names, versions and seals of table files.

The first 512 bytes of a file (HDF5 calls them the user block) hold a line with the SHA-256 of the rest, so that a file
can be checked on its own.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.game import Game
from tablebase.slices.material import Material, material_name

FORMAT_VERSION = 1
USER_BLOCK = 512
HDF5_BEGINNING = b"\x89HDF\r\n\x1a\n\x03"
"""What follows the user block: HDF5's signature, and the version in which all its metadata have checksums."""
SUFFIX = ".h5"


def table_path(folder: Path, game: Game, material: Material) -> Path:
    """The path of a material's table in a tablebase."""
    return slice_folder(folder, game, material.pieces) / (material_name(game, material) + SUFFIX)


def slice_folder(folder: Path, game: Game, pieces: int) -> Path:
    """The folder of the tables with this number of pieces."""
    return folder / game.name / str(pieces)


def open_file(path: Path) -> int:
    """Open a table file for reading; return the descriptor.

    Raise `CorruptTableError` for a folder, a pipe or a device, which might keep a reader waiting or never end.
    """
    # A pipe without a writer would block.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise CorruptTableError("is not a regular file", path)
    return descriptor


def file_sha256(path: Path) -> str:
    """SHA-256 (hexadecimal) of a whole file."""
    with os.fdopen(open_file(path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_behind(path: Path) -> str:
    """SHA-256 of everything after a file's user block."""
    with os.fdopen(open_file(path), "rb") as file:
        file.seek(USER_BLOCK)
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_bytes(path: Path, title: str, sha256: str) -> None:
    """Raise an error unless a file is the one that was registered with this SHA-256, under a seal that fits."""
    if not path.exists():
        raise missing_file(path)
    if file_sha256(path) != sha256:
        raise CorruptTableError("is not the file that was registered (SHA-256 differs)", path)
    check_seal(path, title)


def missing_file(path: Path) -> TablebaseError:
    """The error for a file that a catalog lists."""
    return TablebaseError(f"{path} is registered but missing: build it again, or run 'tablebase reindex'")


def title(game: Game, material: Material) -> str:
    """What the seal of a table says it is."""
    return f"{game.name} {material_name(game, material)}"


def seal(title: str, digest: str) -> bytes:
    """The user block of a file of this title whose other bytes have this digest."""
    return f"tablebase {FORMAT_VERSION} {title} sha256={digest}\n".encode().ljust(USER_BLOCK, b"\0")


def check_seal(path: Path, title: str) -> None:
    """Raise `CorruptTableError` unless every byte of the file is as it was written."""
    expected = seal(title, digest_behind(path))
    with os.fdopen(open_file(path), "rb") as file:
        if file.read(USER_BLOCK) != expected:
            raise CorruptTableError("is not as it was written (SHA-256 differs)", path)
