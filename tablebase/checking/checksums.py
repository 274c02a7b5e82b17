"""Verify the bytes of table files alone: quick, and needs no rules."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path

from tablebase.catalog.entries import Entry
from tablebase.errors import TablebaseError
from tablebase.system.compute import threads
from tablebase.tables.folder import check_bytes

Checks = Generator[tuple[str, str | None], None, None]
"""For each table its name, and None if it is right, else a sentence that says what is wrong."""


def verify_files(folder: Path, entries: Sequence[Entry], workers: int = 1) -> Checks:
    """Compare files with their registered SHA-256 and their own seals, in `workers` threads."""
    with threads.use(workers):
        yield from threads.each(partial(_checked, folder), entries)


def _checked(folder: Path, entry: Entry) -> tuple[str, str | None]:
    return entry.file, sentence_of(partial(check_bytes, folder / entry.file, entry.title, entry.sha256))


def sentence_of(check: Callable[[], object]) -> str | None:
    """Return what a check finds wrong, as a sentence; None if it finds nothing."""
    try:
        check()
    except TablebaseError as error:
        return str(error)
    return None
