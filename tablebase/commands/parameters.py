"""Parameters of commands that stand in no docstring, since several commands share them, and how a shell takes a parameter.

A parameter of a function is an option of its command: name, type and default are those of Python, and its help is what the
docstring says of it. An annotation with `Shell` adds what Python does not know. Nothing here loads a library.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import EnumType, StrEnum
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from tablebase.game.plain_arguments import parse_pieces, parse_seconds
from tablebase.game.rules import Rules
from tablebase.system.compute.messages import QUIET as QUIET
from tablebase.system.compute.modules import docstring

if TYPE_CHECKING:
    from tablebase.game.features import Feature as Feature

CHECK_FAILED = 1
"""Exit code if a check has failed."""
PYTHON_ONLY = "only Python"
"""Marks a parameter that a shell does not have, since a person is asked or shown it."""


class Output(StrEnum):
    """A place that a command writes to, which is checked before anything starts."""

    FILE = "file"
    """Replaced when it is whole."""
    NEW_FILE = "new file"
    ADDED = "added"
    """A file to which lines are added."""
    FOLDER = "folder"
    """A folder in which the command resumes after an interruption."""
    NEW_FOLDER = "new folder"


@dataclass(frozen=True, kw_only=True)
class Shell:
    """Parameter as a shell takes it."""

    help: str = ""  # by default the description in the docstring
    metavar: str = ""  # stands for the value in the help
    argument: bool = False  # without a name, unlike an option
    option: str = ""  # the option, if it is not the name in Python; for an argument, an option that does the same
    parse: Callable[[str], Any] | None = None  # reads the value from a text
    least: float | None = None  # the least number
    most: float | None = None  # the greatest, with a least one
    variable: str = ""  # variable of the environment for the value
    default: str = ""  # the default as the help shows it, where that of Python is None
    complete: str = ""  # the function that lists its values, with its module
    output: Output | None = None  # the place that it names, if the command writes to it


class Parameter(NamedTuple):
    """A parameter of a verb."""

    name: str
    kinds: tuple[Any, ...]  # the types that it may have in Python
    shell: Shell
    default: Any
    help: str

    @property
    def is_required(self) -> bool:
        """True if it must be given."""
        return self.default is inspect.Parameter.empty


def parameters_of(function: Callable[..., Any]) -> Iterator[Parameter]:
    """The parameters of a function for other faces than Python."""
    helps = described(docstring(function))
    for name, one in inspect.signature(function).parameters.items():
        if name in ("self", "call") or one.kind is one.VAR_KEYWORD:
            continue
        annotation = one.annotation
        if isinstance(annotation, str):
            annotation = eval(annotation, inspect.unwrap(function).__globals__)
        kind, *notes = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
        kinds = get_args(kind) if get_origin(kind) in (UnionType, Union) else (kind,)
        if PYTHON_ONLY in notes:
            continue
        shell = next((note for note in notes if isinstance(note, Shell)), Shell())
        yield Parameter(name, kinds, shell, one.default, shell.help or helps.get(name, ""))


def words_of(kinds: Iterable[Any]) -> Sequence[Any]:
    """The words that a parameter may have: those of a `Literal`, or the members of an enumeration; empty for other types."""
    listed = (list(one) if isinstance(one, EnumType) else get_args(one) if get_origin(one) is Literal else () for one in kinds)
    return next(filter(None, listed), ())


def described(text: str) -> dict[str, str]:
    """The descriptions of parameters in a NumPy docstring."""
    section = re.search(r"^Parameters\n-+\n((?:.+\n?|\n(?=\S.* :|$))+)", text, re.MULTILINE)
    entries = re.findall(r"^(\S.*?) : .*\n((?:    .+\n?)*)", section[1] if section else "", re.MULTILINE)
    return {name: " ".join(body.split()) for names, body in entries for name in names.split(", ")}


class Format(StrEnum):
    """Output formats."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"


GAMES, PLAYERS = "tablebase.game.installed:game_names", "tablebase.play.players:player_names"
"""Functions that list values of parameters."""
_GAME = Shell(metavar="GAME", argument=True, complete=GAMES)
_INSTALLED = "Name of an installed game (see 'tablebase games'), or a Python file that defines a game."
GameName = Annotated[str | Rules[Any], replace(_GAME, help=_INSTALLED)]
OptionalGame = Annotated[str | Rules[Any] | None, _GAME]
_RULES = "Python file that defines an additional game."
RulesFiles = Annotated[Sequence[str] | None, Shell(help=_RULES, metavar="FILE", option="--rules")]
_POSITION = "Position in the notation of the game, such as 'ppp/3/PPP w'; by default, the initial position."
_START = Shell(help=_POSITION, metavar="POSITION", argument=True, option="--from")
PositionText = Annotated[str | None, _START]
AnyPosition = Annotated[Any, _START]
Size = Annotated[str | None, Shell(help="Board size (files x ranks), for games that support several sizes.", metavar="8x8")]
_VARIANT = "Rule option to change, such as no_move=loss; 'tablebase games' lists all options and their defaults."
Variant = Annotated[str | Sequence[str] | None, Shell(help=_VARIANT, metavar="NAME=VALUE")]
Players = Annotated[int | None, Shell(help="Number of players; the same as --variant players=N.", metavar="N")]
_PIECES = "Select the tables with this number of pieces, such as 4, or in this range, such as 2-4."
Pieces = Annotated[int | range | str | None, Shell(help=_PIECES, metavar="N", parse=parse_pieces)]
_MATERIAL = "Select the tables of this set of pieces, such as RCvW (rat and cat against wolf)."
Materials = Annotated[str | Sequence[str] | None, Shell(help=_MATERIAL, metavar="RCvW")]
_TO = Shell(help="Destination folder.", metavar="DIR", parse=str, output=Output.FOLDER)
To = Annotated[str | Path, _TO]
ToStore = Annotated[str | Path, replace(_TO, help="Destination folder or object store, such as s3://bucket/path.")]
_DEPENDENCIES = "Also include all tables that the selected tables depend on, such as tables for positions after a capture."
WithDependencies = Annotated[bool, Shell(help=_DEPENDENCIES)]
_DATA = "Folder that contains the tables."
Data = Annotated[str | Path | None, Shell(help=_DATA, metavar="DIR", variable="TABLEBASE_DATA", default="data")]
_CATALOG = "URL of a PostgreSQL database for the catalog (list of all tables); by default, an SQLite file in the data folder."
CatalogUrl = Annotated[str | None, Shell(help=_CATALOG, metavar="URL", variable="TABLEBASE_CATALOG")]
Workers = Annotated[int | None, Shell(help="Number of processes; by default, one for each processor.", metavar="N", least=1)]
Threads = Annotated[int | None, Shell(help="Number of threads; by default, one for each processor.", metavar="N", least=1)]
Verbose = Annotated[bool, Shell(help="Print a line for each table.")]
Page = Annotated[Literal["a4", "letter"], Shell(help="Paper size of printable pages.")]
Style = Annotated[Format, Shell(help="Output format.", option="--format")]
By = Literal["pieces", "material"]
OutcomeName = Literal["win", "loss", "draw"]
_FEATURES = "Python file that defines additional features, which are values computed from a position."
Features = Annotated[Iterable["Feature"] | str | Path | None, Shell(help=_FEATURES, metavar="FILE")]
_STATEMENT = "SQL statement; '-' reads it from standard input, and '@FILE' from a file."
Statement = Annotated[str, Shell(help=_STATEMENT, metavar='"SELECT …"', argument=True)]
_TIMEOUT = "Stop with an error if the statement takes longer than this many seconds."
Timeout = Annotated[float | None, Shell(help=_TIMEOUT, metavar="SECONDS", parse=parse_seconds)]
Tick = Annotated[Callable[[int, int | None], None] | None, PYTHON_ONLY]


def of_shell(
    size: Size = None,
    variant: Variant = None,
    data: Data = None,
    catalog: CatalogUrl = None,
    rules: RulesFiles = None,
    style: Style = Format.TABLE,
    quiet: Annotated[bool, Shell(help="Print only results and errors.", variable=QUIET)] = False,
) -> None:
    """The parameters of commands that their functions or methods do not have."""
