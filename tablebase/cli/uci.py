"""The command that lets programs for playing talk to the engine: uci."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from tablebase.cli.options import DEFAULT_DATA, Data, GameName, Size, Variant, chosen_game
from tablebase.files.texts import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def uci(game: GameName, size: Size = None, variant: Variant = None, data: Data = DEFAULT_DATA) -> None:
    """Connect the search to a chess GUI over UCI."""
    from tablebase.protocol.server import UciServer
    from tablebase.protocol.settings import Settings
    from tablebase.tables.folder import check_folder

    rules = chosen_game(game, size, variant)
    check_folder(data, built=data != DEFAULT_DATA)
    UciServer(Settings(rules, data if data.exists() else None), _write).serve(_lines())


def _lines() -> Iterator[str]:
    """The lines of standard input, as soon as they are there; bytes that are not text are escaped."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    yield from lines_of(sys.stdin)


def _write(line: str) -> None:
    """Write a line, and let the other program have it at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
