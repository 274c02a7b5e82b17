"""Calls of commands: as they were typed, with the game and the position that they name, and what is wrong with them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from tablebase.commands import lib
from tablebase.commands.arguments import rules_for
from tablebase.commands.parameters import Format
from tablebase.commands.registry import Verb
from tablebase.errors import LONGEST_QUOTE, TablebaseError, shell_word
from tablebase.system.files.inputs import MOST, read_text

OF_GAME, OF_FOLDER = ("size", "variant", "players"), ("data", "catalog")


class ProgramCall(NamedTuple):
    """Call of the program."""

    words: list[str]  # command, arguments and options
    bounded: bool  # True if statements run in a separate process


class Call:
    """The call of a verb's function with the arguments that a shell has read; others keep their defaults of Python.

    `given` are the arguments of the function by name, `style` is the format of rows, and `rules` the game, if any. A command with a
    position has `has_start`, True if the position is named; one about an open tablebase has its `folder` and its `catalog`.
    """

    def __init__(self, verb: Verb, given: dict[str, Any]) -> None:
        self.verb, self.given, self.style = verb, given, Format.TABLE
        if "style" not in signature(verb.function).parameters:
            self.style = given.pop("style", Format.TABLE)
        if verb.owner:
            self.folder = given.pop("data", lib.folder.default_folder())
            self.catalog = given.pop("catalog", lib.folder.default_catalog())
        self.rules: Any = None
        if "game" in given:
            words = [given.pop(name, None) for name in OF_GAME]
            self.rules = given["game"] = rules_for(verb.name, given["game"], *words)
            position = signature(verb.function).parameters.get("position")
            self.has_start = bool({"position", "start"} & given.keys())
            if position and (position.kind is position.POSITIONAL_OR_KEYWORD or self.has_start):
                named = [text for text in (given.get("position"), given.pop("start", None)) if text is not None]
                if len(named) > 1:
                    raise TablebaseError("cannot use POSITION with --from: leave out POSITION or --from")
                given["position"] = named[0] if named else self.rules.format(self.rules.initial)

    @contextmanager
    def opened(self) -> Iterator[Callable[..., Any]]:
        """The function with what is given, while the tablebase is open if it is a method of one."""
        if not self.verb.owner:
            yield partial(self.verb.function, **self.given)
            return
        with closing(self.verb.owner(self.folder, self.catalog)) as opened:
            yield partial(self.verb.function, opened, **self.given)

    def __call__(self, **more: Any) -> Any:
        """Run the function; `more` are arguments that only Python has."""
        with self.opened() as function:
            return function(**more)

    def write(self, rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None, **layout: Any) -> None:
        """Write rows in the format of the call; see `tablebase.commands.output.write_rows`."""
        lib.output.write_rows(rows, self.style, columns, **layout)


def show_result(call: Call) -> int | None:
    """Write the rows that a function returns, or its only one, unless its result is not rows; an exit code if it has one."""
    found = call()
    if call.verb.writes_rows:
        call.write([found] if isinstance(found, Mapping) else found)
    return getattr(found, "exit_code", None)


def from_input(word: str) -> str:
    """A word, or instead of ``-`` what standard input holds, and instead of ``@FILE`` what the file holds."""
    if word.startswith("@"):
        return read_text(Path(word[1:]), "give another file after @")
    if word != "-":
        return word
    try:
        text = sys.stdin.read(MOST + 1)
    except UnicodeDecodeError as error:
        raise TablebaseError("standard input is not UTF-8 text: convert it to UTF-8") from error
    if len(text) > MOST:
        raise TablebaseError(f"standard input has more than {MOST:,} characters: shorten the input")
    return text


def program_call() -> str:
    """The command that is being run, as a shell takes it, without passwords."""
    import click

    return " ".join(map(shell_word, ["tablebase", *map(without_passwords, click.get_current_context().find_root().obj.words)]))


def without_passwords(words: str) -> str:
    """The words of a command; the passwords of URLs are left out, which libpq finds in PGPASSWORD or ``~/.pgpass``."""
    words = re.sub(r"(://[^:/@\s]*):\S*@", r"\1@", words)
    return re.sub(r"(?<=[?&])(?:ssl)?password=[^&\s]*&?", "", words)


def usage_sentence(error: Exception) -> str:
    """Return the message of a `UsageError` in one line."""
    import click

    if isinstance(error, click.NoSuchOption):
        meant = f" (Possible options: {', '.join(sorted(error.possibilities))})" if error.possibilities else ""
        return f"No such option: {error.option_name}{meant}"
    # Some messages list choices on separate lines, and some begin with the name of an exception.
    sentence = " ".join(error.format_message().split())  # type: ignore[attr-defined]
    sentence = re.sub("unexpected extra arguments? ", "unexpected extra argument(s) ", sentence)
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    source = context.get_parameter_source(parameter.name) if context and parameter else None
    if source is None or source.name != "ENVIRONMENT":
        sentence = re.sub(r" \(env var: '\w+'\)", "", sentence)
    return re.sub(rf"(\S{{{LONGEST_QUOTE}}})\S+", r"\1…", sentence)
