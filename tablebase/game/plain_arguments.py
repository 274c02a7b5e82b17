"""Arguments of public functions beside games and positions: each is checked, and an error is one sentence."""

from __future__ import annotations

import os
import re
import threading
import time as clock
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from operator import index
from pathlib import Path
from typing import Any

from tablebase.errors import ArgumentError, ArgumentTypeError, TablebaseError, quoted
from tablebase.system.compute import machine
from tablebase.system.compute.messages import say


def refused(name: str, expected: str, value: object, kind: type[TablebaseError] = ArgumentTypeError) -> TablebaseError:
    """The error for an argument of another type or, as an `ArgumentError`, out of range."""
    return kind(f"{name} must be {expected}, not {quoted(value)}")


def as_text(name: str, value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise refused(name, "a string", value)
    return value


def as_whole(name: str, value: Any, expected: str = "a whole number") -> int:
    """A whole number; `expected` says in an error which ones are allowed."""
    try:
        if not isinstance(value, bool):
            return index(value)
    except TypeError:
        pass
    raise refused(name, expected, value)


def as_number(name: str, value: Any, least: int = 0, expected: str = "a whole number, at least {least}") -> int:
    """A whole number that is not below `least`."""
    expected = expected.format(least=least)
    number = as_whole(name, value, expected)
    if number < least:
        raise refused(name, expected, value, ArgumentError)
    return number


def as_real(name: str, value: Any, expected: str = "a number") -> float:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise refused(name, expected, value)
    return float(value)


def as_seconds(name: str, value: Any) -> float:
    """A time in seconds."""
    seconds = as_real(name, value, expected := "a number of seconds above 0")
    # Nor is a value that is not a number.
    if not seconds > 0:
        raise refused(name, expected, value, ArgumentError)
    return seconds


def as_path(name: str, value: Any) -> Path:
    """A path."""
    if not isinstance(value, (str, os.PathLike)):
        raise refused(name, "a path", value)
    if "\0" in os.fspath(value):
        raise refused(name, "a path", value, ArgumentError)
    return Path(value)


def usable_workers(asked: int | None) -> int:
    """The number of workers: by default one for each processor, and never more; a message says if fewer are used than asked for."""
    if asked is None:
        return machine.default_workers()
    most = machine.cores()
    if asked > most:
        say(f"using {most} workers instead of {asked}, one for each available processor")
    return min(asked, most)


def parse_size(text: str) -> int:
    """Bytes of a size such as ``8G``, ``512M`` or ``1000000``."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise ArgumentError(f"invalid size {quoted(text)}: expected a number of bytes, or a number with K, M, G or T, such as 8G")
    return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


MILLIMETRES = {"mm": 1.0, "cm": 10.0, "in": 25.4}
NAMED_WIDTHS = {"column": 88.0, "page": 180.0}
"""Widths of a column and of a page of a journal, in mm."""


def parse_width(text: str, name: str = "width", least: float = 5.0, largest: float = 2000.0) -> float:
    """Millimetres of a width such as ``88mm``, ``8.8cm`` or ``3.5in``, or of a ``column`` (88 mm) or ``page`` (180 mm)."""
    match = re.fullmatch(rf"([0-9]{{1,4}}(?:\.[0-9]+)?) ?({'|'.join(MILLIMETRES)})", text.strip())
    width = NAMED_WIDTHS.get(text.strip()) if match is None else float(match[1]) * MILLIMETRES[match[2]]
    if width is None or not least <= width <= largest:
        raise ArgumentError(
            f"invalid --{name} {quoted(text)}: expected a width from {least:g}mm to {largest:g}mm, such as 88mm, 8cm or 3.5in,"
            f" or {' or '.join(NAMED_WIDTHS)}"
        )
    return width


def as_size(name: str, value: Any) -> int:
    """Bytes, from their number or from a text as the command line takes it."""
    if isinstance(value, str):
        return parse_size(value)
    return as_number(name, value, expected="a number of bytes or a string such as '1G'")


def parse_pieces(text: str) -> range:
    """The numbers of pieces that ``4`` or ``2-4`` stands for."""
    match = re.fullmatch(r"([0-9]{1,3})(?:-([0-9]{1,3}))?", str(text).strip())
    if match is None or int(match[1]) > int(match[2] or match[1]):
        raise ArgumentError(f"invalid number of pieces {quoted(str(text))}: expected a number such as 4, or a range such as 2-4")
    return range(int(match[1]), int(match[2] or match[1]) + 1)


def parse_duration(text: str) -> float:
    """Seconds of a duration such as ``8h``, ``90min``, ``1h30min`` or ``45s``."""
    units = {"d": 86400.0, "h": 3600.0, "min": 60.0, "s": 1.0}
    parts = re.findall(r"([0-9]{1,9}(?:\.[0-9]+)?)\s*(d|h|min|m|s)\s*", str(text).strip().lower(), re.ASCII)
    written = re.sub(r"\s", "", str(text).lower())
    if not parts or "".join(number + unit for number, unit in parts) != written:
        raise ArgumentError(f"{quoted(str(text))} is not a duration: write numbers with units d, h, min or s, as in 8h or 1h30min")
    return sum(float(number) * units["min" if unit == "m" else unit] for number, unit in parts)


def parse_time(text: str) -> float:
    """Seconds since the epoch of a local time: the next ``07:00``, or ``2030-01-31T07:00``, which must not have passed."""
    now = datetime.now().astimezone()
    try:
        if re.fullmatch(r"[0-9]{1,2}:[0-9]{2}", str(text), re.ASCII):
            # Without a time zone, for summer time may begin or end before it.
            today = now.replace(tzinfo=None)
            hour, minute = map(int, str(text).split(":"))
            time = today.replace(hour=hour, minute=minute, second=0, microsecond=0)
            return (time if time > today else time + timedelta(days=1)).astimezone().timestamp()
        time = datetime.fromisoformat(str(text)).astimezone()
    except ValueError:
        raise ArgumentError(f"{quoted(str(text))} is not a time: write a time such as 07:00 or 2030-01-31T07:00") from None
    if time <= now:
        raise ArgumentError(f"the time {text} has passed: choose a future time, such as 07:00")
    return time.timestamp()


def parse_seconds(text: str) -> float:
    """A time limit such as ``60`` or ``0.5``."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise ArgumentError(f"invalid time limit {quoted(text)}: expected a number of seconds, such as 60")
    return seconds


def end_of_work(deadline: float | None, duration: float | None) -> float | None:
    """The earlier of a time and of the end of a duration that begins now, in seconds since the epoch; None without either."""
    ends = [end for end in (deadline, None if duration is None else clock.time() + duration) if end is not None]
    return min(ends, default=None)


def as_list(name: str, value: Any, example: str) -> list[Any]:
    """List a sequence; a single text is not one."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise refused(name, f"a list such as {example}", value)
    return list(value)


def as_texts(name: str, value: Any) -> list[str]:
    """Texts; one alone, or none, is also allowed."""
    some = [] if value is None else [value] if isinstance(value, str) else as_list(name, value, "['RCvW']")
    return [as_text(name, one) for one in some]


def as_options(take: type[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments that a data class has."""
    known = [one.name for one in fields(take)]
    for name in options:
        if name not in known:
            raise ArgumentTypeError(f"unknown option {quoted(name)}: choose {', '.join(known)}")
    return dict(options)
