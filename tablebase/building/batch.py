"""Batch files: a night's work as TOML, checked before anything of it starts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from tablebase.errors import BatchError, TablebaseError, did_you_mean, quoted
from tablebase.game.installed import full_name
from tablebase.game.plain_arguments import parse_duration, parse_size, parse_time
from tablebase.system.files.inputs import MEBIBYTE, read_text

COMMANDS = ("verify", "reindex", "export", "patterns", "mine", "sql", "stats", "plot", "probe", "line", "pack", "copy")
"""Follow-up commands."""
LARGEST = MEBIBYTE
"""Bytes of a batch file."""
EXECUTORS = ("local", "dask")
Field = Callable[[object], Any]


@dataclass(frozen=True)
class BuildEntry:
    """Tables to build."""

    game: str  # its name, with size and variant
    pieces: str | None = None  # 4 or 2-4
    materials: tuple[str, ...] = ()
    solver: str = "auto"
    limits: Mapping[str, int | str] = field(default_factory=dict)  # of a game with chance, as its options: {"carrots": 60}
    priority: int = 0  # entries with a larger one come first; others in the order of the file
    line: int = 1  # where in the file it begins

    def __str__(self) -> str:
        words = [self.game, *([f"--pieces {self.pieces}"] if self.pieces else []), *(f"--material {one}" for one in self.materials)]
        return " ".join([*words, *(f"--{name} {value}" for name, value in self.limits.items())])


@dataclass(frozen=True)
class FollowUp:
    """A command to run when all tables are built."""

    command: tuple[str, ...]  # words of a command of this program, such as ("verify", "doushouqi")
    output: Path | None = None  # the file for what it writes to standard output
    line: int = 1  # where in the file it begins
    overwrite: bool = False  # whether it may replace files that no earlier run of the batch has written


@dataclass(frozen=True)
class Batch:
    """Data of a batch file; times are in seconds, the deadline since the epoch."""

    path: Path
    builds: tuple[BuildEntry, ...]  # in the order in which they are to be built
    steps: tuple[FollowUp, ...] = ()
    data: Path | None = None
    catalog: str | None = None
    workers: int | None = None
    executor: str = "local"  # or "dask"
    scheduler: str | None = None  # of the cluster
    memory: int | None = None  # bytes
    disk: int = 0  # bytes to be left free
    deadline: float | None = None
    duration: float | None = None
    grace: float | None = None
    log: Path | None = None
    json_log: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)  # where the keys at the top of the file stand

    @contextmanager
    def at(self, line: int | str) -> Iterator[None]:
        """Errors in the block are those of a line of the file, or of that of a key at its top."""
        try:
            yield
        except TablebaseError as error:
            number = self.lines.get(line, 1) if isinstance(line, str) else line
            raise BatchError(self.path, number, str(error), error.exit_code) from error


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if not isinstance(value, str | int | float) or isinstance(value, bool | date):
        raise ValueError("a string")
    return _plain(str(value))


def _plain(text: str) -> str:
    """A text that the system can take as a word or a name."""
    if "\0" in text:
        raise ValueError("a string without NUL characters")
    return text


def _read(parse: Callable[[str], Any]) -> Field:
    return lambda value: parse(_text(value))


def _only(*demands: tuple[str, Callable[[Any], object]], read: Callable[[Any], Any] = lambda value: value) -> Field:
    def checked(value: object) -> Any:
        for demand, meets in demands:
            if not meets(value):
                raise ValueError(demand)
        return read(value)

    return checked


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


PATH = _only(
    ("the path of a file or folder", lambda value: isinstance(value, str) and value), read=lambda value: Path(_plain(value))
)
TEXTS = _only(
    ("a string or a list of strings", lambda value: isinstance(value, str) or _are_texts(value)),
    read=lambda value: tuple(map(_plain, [value] if isinstance(value, str) else value)),
)
COMMAND = _only(
    (
        f"a list of strings that begins with one of {', '.join(COMMANDS)}",
        lambda value: _are_texts(value) and value and value[0] in COMMANDS,
    ),
    read=TEXTS,
)
WHOLE = "a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)
LIMITS = (
    "a table such as { carrots = 60 }",
    lambda value: isinstance(value, dict) and all(isinstance(one, int | str) for one in value.values()),
)
TOP: dict[str, Field] = {
    "data": PATH,
    "catalog": _text,
    "workers": _only(WHOLE, ("at least 1", lambda value: value >= 1)),
    "executor": _only((" or ".join(EXECUTORS), lambda value: value in EXECUTORS)),
    "scheduler": _text,
    "memory": _read(parse_size),
    "disk": _read(parse_size),
    "deadline": _read(parse_time),
    "for": _read(parse_duration),
    "grace": _read(parse_duration),
    "log": PATH,
    "json-log": PATH,
}
BUILD: dict[str, Field] = {
    "game": _text,
    "size": _text,
    "variant": TEXTS,
    "pieces": _text,
    "material": TEXTS,
    "solver": _text,
    "limits": _only(LIMITS),
    "priority": _only(WHOLE),
}
THEN: dict[str, Field] = {
    "command": COMMAND,
    "output": PATH,
    "overwrite": _only(("true or false", lambda value: isinstance(value, bool))),
}
TABLES = {"build": BUILD, "then": THEN}


def read_batch(path: Path) -> Batch:
    """Read a batch file; raise a `BatchError` that names the first line that is wrong, `TablebaseError` if it cannot be read."""
    text = read_text(path, "check the path of the batch file", LARGEST)
    if not path.is_file():
        raise TablebaseError(f"{path} is not a regular file: save the batch as a regular file")
    try:
        content = tomllib.loads(text)
        # Errors below quote any value of it.
        repr(content)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        raise BatchError(path, int(found[1]) if found else text.count("\n") + 1, f"invalid TOML: {error}") from error
    except (ValueError, RecursionError) as error:
        raise TablebaseError(f"{path} nests values too deeply or has too many digits in a number: simplify the file") from error
    return _Reader(path, _lines(text)).batch(content)


Place = tuple[str, int, str]
"""A kind of table, which one of them, and a key; an empty key is the table itself."""


def _lines(text: str) -> dict[Place, int]:
    lines: dict[Place, int] = {}
    table, number, quoted_by = "", 0, ""
    for place, line in enumerate(text.splitlines(), start=1):
        if not quoted_by:
            heading = re.match(r"\s*\[\[?\s*\"?([\w-]+)", line)
            key = re.match(r"\s*\"?([\w-]+)\"?\s*[.=]", line)
            if heading and not key:
                number = 1 + max((one for name, one, _ in lines if name == heading[1]), default=-1)
                table = heading[1]
                lines[table, number, ""] = place
            elif key:
                lines.setdefault((table, number, key[1]), place)
        for mark in re.findall(r'"""|\'\'\'', line):
            quoted_by = "" if mark == quoted_by else quoted_by or mark
    return lines


class _Reader:
    def __init__(self, path: Path, lines: Mapping[Place, int]) -> None:
        self._path, self._lines = path, lines

    def batch(self, content: dict[str, Any]) -> Batch:
        """The content as a batch."""
        tables = {name: content.pop(name, []) for name in TABLES}
        for name, entries in tables.items():
            if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
                raise self._error(("", 0, name), f"invalid '{name}': begin each table with [[{name}]]", (name, 0, ""))
        top = self._checked("", 0, content, TOP)
        if not tables["build"]:
            raise BatchError(self._path, 1, "the file contains no builds: add a [[build]] section with a game")
        entries = [self._entry(number, entry) for number, entry in enumerate(tables["build"])]
        steps = [
            FollowUp(**self._checked("then", number, step, THEN, "command"), line=self._line(("then", number, "")))
            for number, step in enumerate(tables["then"])
        ]
        return Batch(
            self._path,
            tuple(sorted(entries, key=lambda entry: -entry.priority)),
            tuple(steps),
            duration=top.pop("for", None),
            json_log=top.pop("json-log", None),
            lines={key: self._line(("", 0, key)) for key in content},
            **top,
        )

    def _entry(self, number: int, content: dict[str, Any]) -> BuildEntry:
        given = self._checked("build", number, content, BUILD, "game")
        try:
            name = full_name(given.pop("game"), given.pop("size", None), given.pop("variant", ()))
        except TablebaseError as error:
            raise self._error(("build", number, "variant"), str(error), ("build", number, "game")) from error
        return BuildEntry(name, materials=given.pop("material", ()), line=self._line(("build", number, "")), **given)

    def _checked(
        self, table: str, number: int, content: dict[str, Any], fields: dict[str, Field], required: str = ""
    ) -> dict[str, Any]:
        given = {}
        for key, value in content.items():
            if key not in fields:
                tables = () if table else ("[[build]]", "[[then]]")
                meant = did_you_mean(key, fields) or f": expected {', '.join([*fields, *tables])}"
                where = f"[[{table}]]" if table else "the file"
                raise self._error((table, number, key), f"unknown key {quoted(key)} in {where}{meant}", (key, 0, ""))
            try:
                given[key] = fields[key](value)
            except TablebaseError as error:
                raise self._error((table, number, key), str(error)) from error
            except ValueError as error:
                raise self._error((table, number, key), f"invalid {key} {quoted(str(value))}: expected {error}") from error
        if required and required not in given:
            raise self._error((table, number, ""), f"missing key '{required}' in [[{table}]]: add the key")
        return given

    def _line(self, *places: Place) -> int:
        return next((self._lines[place] for place in places if place in self._lines), 1)

    def _error(self, place: Place, error: str, *others: Place) -> BatchError:
        return BatchError(self._path, self._line(place, *others, (*place[:2], "")), error)
