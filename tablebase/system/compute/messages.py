"""Reports on the work of the program, no part of any result: messages, numbers with units, and the stages it reaches."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

Kind = TypeVar("Kind")
SHOWN = 400
"""Most characters of the `repr` of an object that a function for users returns."""

QUIET = "TABLEBASE_QUIET"
"""Variable of the environment that is set to 1 for commands and programs that print only results and errors."""
LISTED = 10
"""Names that a sentence lists."""
INTERVAL = 0.5
"""Seconds between two reports of the same stage."""


class _StandardError(logging.Handler):
    """Writes each message as a line to standard error, wherever that leads by now."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(record.getMessage() + "\n")


logger = logging.getLogger("tablebase")
"""All messages of the program pass through it; ``setLevel`` silences them, progress bars included."""
if not logger.handlers:
    logger.addHandler(_StandardError())
    logger.propagate = False
if logger.level == logging.NOTSET:
    logger.setLevel(logging.WARNING if os.environ.get(QUIET, "").lower() in ("1", "true", "t", "yes", "y", "on") else logging.INFO)


def say(sentence: str) -> None:
    """Write a status message to standard error, unless the logger has another handler or level."""
    logger.info("%s", sentence)


@contextmanager
def silenced() -> Iterator[None]:
    """In the block, write no status messages and no progress bars, only warnings and errors."""
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


def listed(names: Sequence[str]) -> str:
    """The first of many names, and how many more there are."""
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"


def number_text(value: float) -> str:
    """A number in at most three decimals, or in as many more as keep one that is not whole from looking whole.

    Examples
    --------
    >>> [number_text(value) for value in (2_192, 3.0, 0.0625, 6.996, 0.99956, 1e-7, 1e-30)]
    ['2,192', '3', '0.062', '6.996', '0.9996', '0.0000001', '1e-30']
    """
    if isinstance(value, int):
        return f"{value:,}"
    if value.is_integer():
        return f"{value:,.0f}" if abs(value) < 1e16 else repr(value)
    for decimals in range(3, 17):
        text = f"{value:,.{decimals}f}".rstrip("0")
        if not text.endswith("."):
            return text
    return repr(value)


def cell_text(value: object, missing: str = "-") -> str:
    """A value as the cell of a table, on a terminal or on a page."""
    if value is None:
        return missing
    if isinstance(value, bool):
        return str(value).lower()
    return number_text(value) if isinstance(value, (int, float)) else str(value)


def brief(kind: type[Kind]) -> type[Kind]:
    """Make the `repr` of a class end after `SHOWN` characters; for a sequence it then says how many there are."""
    whole = kind.__repr__

    def shown(self: Any) -> str:
        text = whole(self)
        ending = f"… ({len(self):,} in all)" if isinstance(self, Sequence) else "…"
        return text if len(text) <= SHOWN else text[: SHOWN - len(ending)] + ending

    kind.__repr__ = shown  # type: ignore[method-assign]
    return kind


class Amount(str):
    """A number with its unit, as text."""

    __slots__ = ()


def in_percent(share: float) -> Amount:
    """A share with one decimal, or with as many more as keep it from looking like nothing or everything."""
    texts = (f"{100 * share:.{decimals}f}" for decimals in range(1, 17))
    return Amount(f"{next((text for text in texts if share in (0, 1) or 0 < float(text) < 100), share)} %")


def in_bytes(number: float) -> Amount:
    """A number of bytes with its unit."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if number < 1024:
            return Amount(f"{number:,.0f} {unit}" if number >= 10 or unit == "bytes" else f"{number:.1f} {unit}")
        number /= 1024
    return Amount(f"{number:,.1f} TiB")


def in_time(seconds: float) -> Amount:
    """A duration in the two largest units that matter."""
    if seconds < 60:
        return Amount(f"{seconds:.1f} s")
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next(place for place, (number, _) in enumerate(parts) if number)
    return Amount(" ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number))


def count_plies(number: int) -> str:
    """A number of plies with its unit."""
    return "1 ply" if number == 1 else f"{number:,} plies"


class Stage(NamedTuple):
    """Progress of a task: work done and total work."""

    name: str  # a participle, such as "solving"
    done: int = 0  # in units that depend on the stage: distances, positions
    total: int | None = None  # in the same units; None if it is not known


_watch: ContextVar[Callable[[Stage], object]] = ContextVar("watch", default=lambda _: None)


@contextmanager
def watched(listener: Callable[[Stage], object]) -> Iterator[None]:
    """In the block, call `listener` with each new stage, and now and then with how far it has come.

    Threads that the block starts are not watched.
    """
    name, due = "", 0.0

    def watch(stage: Stage) -> None:
        nonlocal name, due
        now = time.monotonic()
        if stage.name != name or now >= due:
            name, due = stage.name, now + INTERVAL
            listener(stage)

    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def reach(name: str, done: int = 0, total: int | None = None) -> None:
    """Say that this work has come to a stage, or further within it; costs next to nothing, and little if nobody watches."""
    _watch.get()(Stage(name, done, total))


def reports(name: str, before: int, total: int) -> Callable[[int], None]:
    """Return a function that reports how much of a part of a stage is done, given what other parts did before."""
    return lambda done: reach(name, before + done, total)
