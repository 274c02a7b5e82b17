"""Errors: a sentence for people, an exit code for shells, and data for programs."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

REBUILD = "delete the file and rebuild the table"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_RIGHT = (errno.EACCES, errno.EPERM, errno.EROFS)
LONGEST_QUOTE = 80
PECULIAR = re.compile(r"[^\w@%+=:,./-]")
"""Character special to a shell."""
RULES_FILES: dict[str, str] = {}
"""Rules files of games that are not installed, by the game's name, as the user wrote them."""
QUOTED = re.compile(r'["$`\\]')
"""Character special in double quotes."""
DISTRIBUTION = "endgame-tablebase"
"""The project's name on PyPI, where `tablebase` is another project."""
FEWEST = 2
"""Pieces of the smallest tables."""
EXTRAS = {
    "cluster": "distributed",
    "pandas": "pandas",
    "patterns": "scikit-learn",
    "plot": "matplotlib",
    "polars": "polars",
    "postgres": "psycopg",
    "print": "typst",
    "serve": "fastapi",
    "store": "s3fs",
}
"""The package that each extra installs."""


def quoted(value: object) -> str:
    """Return a user's text in quotation marks, or the `repr` of another value, shortened if it is long."""
    try:
        text = value if isinstance(value, str) else " ".join(repr(value).split())
    except (ValueError, RecursionError):
        # A number of thousands of digits, or lists in lists.
        return f"this {type(value).__name__}"
    short = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return repr(short) if isinstance(value, str) else short


def shell_word(text: object) -> str:
    """Return a word of a command, in double quotes if a shell needs them."""
    word = str(text)
    return word if word and not PECULIAR.search(word) else f'"{QUOTED.sub(chr(92) + chr(92) + "g<0>", word)}"'


def game_word(name: str) -> str:
    """Return a game as an argument of a command: its name, or its rules file with the words of its variant as options."""
    for base, file in RULES_FILES.items():
        if name == base or name.startswith(f"{base}-"):
            return " ".join([shell_word(file), *(f"--variant {word}" for word in name[len(base) :].split("-")[1:])])
    return name


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a clause with the known word that is closest to a misspelt one; empty if none is close."""
    meant = get_close_matches(word.lower(), known, n=1)
    return f" (did you mean {meant[0]!r}?)" if meant else ""


class TablebaseError(Exception):
    """An error that a user can cause or fix; the message describes the problem and the remedy.

    Attributes
    ----------
    exit_code : int
        Exit code of a command that fails with this error.
    code : str
        Machine-readable identifier of the error, printed as the JSON field ``code``.
    places : tuple of str
        Paths and addresses in the message that a server must not reveal.
    """

    exit_code = 2
    code = "error"
    places: tuple[str, ...] = ()

    def naming(self, *places: object) -> Self:
        """Set `places`, the paths and addresses that a server must not reveal, and return this error."""
        self.places = tuple(str(place) for place in places if place)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructors of subclasses take data, not the sentence.
        return Exception.__new__, (type(self), *self.args), self.__dict__


class ArgumentError(TablebaseError, ValueError):
    """Raised if an argument is unknown or out of range, or conflicts with another argument."""


class ArgumentTypeError(TablebaseError, TypeError):
    """Raised if an argument has the wrong type."""


class RulesError(TablebaseError, ValueError):
    """Raised if a rules module has an error, a game is not installed, or a game does not support a command."""

    code = "bad_rules"


class NotationError(TablebaseError, ValueError):
    """Raised if text is not a valid position, material or move of the game."""

    code = "bad_notation"


class SquaresError(NotationError):
    """Raised if an array of squares contains rows that are not valid positions.

    The attribute `row` is the index of the first invalid row, and `reason` describes the problem. The attribute `count` is the
    number of invalid rows, and `rows` is the total number of rows.
    """

    def __init__(self, row: int, reason: str, count: int, rows: int) -> None:
        self.row, self.reason, self.count, self.rows = row, reason, count, rows
        others = f" ({count:,} of {rows:,} rows are not positions)" if count > 1 else ""
        super().__init__(f"row {row} of the squares array is not a position: {reason}{others}")


class MissingTableError(TablebaseError, KeyError):
    """Raised if a query needs a table that has not been built.

    Parameters
    ----------
    game : str
        Name of the game.
    folder : str or Path
        Folder of the tablebase.
    material : str, optional
        Material of the missing table.
    pieces : int, optional
        Number of pieces in the missing tables; without `material` and `pieces`, all tables of the game are missing.
    needed_by : str, optional
        Material to build in order to obtain the missing table; by default, `material`.
    most : int, optional
        Maximum number of pieces in the game's tables; given only if `material` has more.
    options : str, optional
        Options for the build command; only for games defined by functions.

    Attributes
    ----------
    command : str or None
        The command that builds the missing tables; None if they cannot be built.
    builds : str or int or None
        The material or the number of pieces that the command builds; None for a game defined by functions.
    """

    code = "missing_table"

    def __init__(
        self,
        game: str,
        folder: str | Path,
        *,
        material: str | None = None,
        pieces: int | None = None,
        needed_by: str | None = None,
        most: int | None = None,
        options: str | None = None,
    ) -> None:
        self.game, self.folder, self.material, self.pieces = game, Path(folder), material, pieces
        self.command: str | None = None
        self.builds: str | int | None = None
        if most is not None:
            too_large = f"{material} is too large, because tables of {game} have at most {most} pieces"
            super().__init__(f"{too_large}: search with 'tablebase analyse {game_word(game)}'")
            return
        if material is not None:
            missing = f"the table {material} of {game} has not been built"
        elif pieces is not None:
            missing = f"no table of {game} with {pieces} pieces has been built"
        else:
            missing = f"no table of {game} is in the catalog of {folder}"
        if options is None:
            self.builds = needed_by or material or pieces or FEWEST
            options = f"--{'material' if isinstance(self.builds, str) else 'pieces'} {self.builds}"
        self.command = f"tablebase build {game_word(game)} {f'{options} ' if options else ''}--data {shell_word(folder)}"
        super().__init__(f"{missing}: run '{self.command}'")

    def __str__(self) -> str:
        # KeyError would print the representation of the sentence instead of the sentence.
        return str(self.args[0])


class MissingExtraError(TablebaseError):
    """Raised if an optional package is not installed.

    The attribute `purpose` names the features that need the package `package`, and `command` installs the package.
    """

    def __init__(self, purpose: str, extra: str) -> None:
        self.purpose, self.extra, self.package = purpose, extra, EXTRAS[extra]
        # By name, not by folder: pip finds the program where it runs, and asks an index for the package alone.
        self.command = f"pip install '{DISTRIBUTION}[{extra}]'"
        super().__init__(f"{purpose} need {self.package}: run {self.command}")


def check_extra(purpose: str, extra: str) -> None:
    """Raise `MissingExtraError` unless the package of an extra is installed."""
    if find_spec(EXTRAS[extra]) is None:
        raise MissingExtraError(purpose, extra)


class StaleTableError(TablebaseError):
    """Raised if a table was built with a different version of the game's rules."""

    code = "outdated_table"

    def __init__(self, path: Path, game: str) -> None:
        self.path, self.game = path, game
        place = next((file for base, file in RULES_FILES.items() if f"{game}-".startswith(f"{base}-")), "the installed rules")
        super().__init__(f"{path} was built with rules of {game} that differ from {place}: {REBUILD}")


class CorruptTableError(TablebaseError):
    """Raised if a table is damaged or fails a check.

    The attribute `problem` describes the damage; `path` is the path or address of the file, or None if no file is concerned.
    """

    code = "damaged_table"
    exit_code = 1

    def __init__(self, problem: str, path: Path | str | None = None) -> None:
        self.problem, self.path = problem, path
        super().__init__(problem if path is None else f"{path} {problem}: {REBUILD}")


class CorruptCatalogError(TablebaseError):
    """Raised if a catalog is damaged or has an unknown format; the next command that writes to the catalog rebuilds it.

    The attribute `problem` describes the damage, and `path` is the path of the catalog or the URL of its database (without the
    password). The argument `hint` names the remedy, by default 'tablebase reindex'.
    """

    def __init__(self, problem: str, path: Path | str, hint: str | None = None) -> None:
        self.problem, self.path = problem, path
        super().__init__(f"{path} {problem}: {hint or reindex(Path(path).parent)}")


def reindex(folder: Path, option: str = "") -> str:
    """Return the remedy for an unusable catalog; `option` is the command's option for a catalog outside the folder."""
    if os.access(folder, os.W_OK):
        return f"run 'tablebase reindex --data {shell_word(folder)}{option}'"
    return "copy the folder to a writable location, and run 'tablebase reindex' there"


class CapacityError(TablebaseError):
    """Raised if a task exceeds the available memory or disk space, or a number exceeds the supported range.

    The attribute `subject` names the task, and `hint` describes a remedy. The attributes `needed` and `allowed` contain the
    required and the available amounts, in `unit`; None if unknown.
    """

    exit_code = 3

    def __init__(
        self, subject: str, hint: str, *, needed: int | None = None, allowed: int | None = None, unit: str = "bytes of memory"
    ) -> None:
        self.subject, self.hint, self.needed, self.allowed, self.unit = subject, hint, needed, allowed, unit
        state = "available" if "bytes" in unit else "supported"
        if needed is not None and allowed is not None:
            subject = f"{subject} needs {needed:,} {unit}, but only {allowed:,} are {state}"
        elif allowed is not None:
            subject = f"{subject} needs more than the {state} {allowed:,} {unit}"
        super().__init__(f"{subject}: {hint}")


class ClusterError(TablebaseError):
    """Raised if a Dask cluster is unreachable, has no workers, or has an unusable worker.

    The attribute `address` is the address of the scheduler or worker, `problem` describes the error, and `hint` is a remedy.
    """

    def __init__(self, address: str, problem: str, hint: str) -> None:
        self.address, self.problem, self.hint = address, problem, hint
        super().__init__(f"{problem}: {hint}")


class TimeLimitError(TablebaseError):
    """Raised if a query exceeds its time limit; the attribute `seconds` is the limit."""

    exit_code = 3

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"the statement takes longer than {seconds:g} s: select fewer rows, or choose a longer --timeout")


class BatchError(TablebaseError):
    """Raised if a batch file contains an error; the attribute `path` is the path of the file, and `line` is the line number."""

    def __init__(self, path: Path, line: int, problem: str, exit_code: int = 2) -> None:
        self.path, self.line, self.problem, self.exit_code = path, line, problem, exit_code
        super().__init__(f"{path}, line {line}: {problem}")


class ConflictError(TablebaseError):
    """Raised if tables cannot be imported; the attribute `folder` is the path or address of the destination.

    The attribute `errors` is a dict from the name of each rejected file to the reason for the rejection.
    """

    def __init__(self, folder: str | Path, errors: Mapping[str, str]) -> None:
        self.folder, self.errors = folder, dict(errors)
        count = "1 table" if len(errors) == 1 else f"{len(errors)} tables"
        listed = ", ".join(f"{file} {error}" for file, error in sorted(errors.items()))
        super().__init__(f"{count} cannot be imported into {folder}: {listed}; remove unwanted tables, or choose another folder")


class CommandError(TablebaseError):
    """Raised if a command has failed and has already printed the reason for the failure."""

    def __init__(self, command: str, exit_code: int) -> None:
        self.command, self.exit_code = command, exit_code
        super().__init__(f"the command {quoted(command)} failed with exit code {exit_code}: see the error above")


class DeadlineError(TablebaseError):
    """Raised if a command reaches its deadline before its work is finished.

    The attribute `left` is the number of unfinished items, `what` names an item (such as ``table``), and `command` resumes the
    work.
    """

    exit_code = 4

    def __init__(self, left: int, command: str, what: str = "table") -> None:
        self.left, self.command, self.what = left, command, what
        some = f"{what} is" if left == 1 else f"{what}s are"
        super().__init__(f"the deadline has passed, and {left} {some} unfinished: run '{command}'")


class UnusableFileError(TablebaseError):
    """Raised if the operating system cannot open, read, write or lock a file or folder; its content may be intact."""


class CatalogBusyError(UnusableFileError):
    """Raised if another program keeps a catalog locked; the attribute `place` is the path or URL of the catalog."""

    def __init__(self, place: str) -> None:
        self.place = place
        # SQLite also reports a file as locked if its file system refuses locks.
        more = "" if "://" in place else " or, if the file system does not support locks, copy the folder to another disk"
        super().__init__(f"{place} is locked by another program: try again when that program has finished{more}")


class MissingCatalogError(TablebaseError):
    """Raised if a folder has no catalog; the attribute `refusal` is the error that prevented its creation, or None."""

    def __init__(self, sentence: str, refusal: TablebaseError | None = None) -> None:
        self.refusal = refusal
        super().__init__(sentence)


class ForfeitError(TablebaseError):
    """Raised if an external engine loses a game because it crashes, does not answer, or sends an illegal move."""


def space_error(path: str | Path | None, reason: str, hint: str = "use another folder") -> CapacityError:
    """Return the error for a full disk or quota."""
    where = f" for {path}" if path else ""
    return CapacityError(f"no space is left{where} ({reason})", f"free some space, or {hint}").naming(path)


def system_error(error: OSError, path: str | Path | None = None, hint: str = "use another folder") -> TablebaseError:
    """Return the error for a failed system call: no space, no memory, no permission, or another reason.

    `path` is by default the file of `error`; `hint` is the remedy if the reason itself has none.
    """
    path = path or error.filename
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in NO_SPACE:
        return space_error(path, reason, hint)
    if error.errno == errno.ENOMEM:
        hint = "use fewer --workers or a smaller --memory"
        return CapacityError(f"not enough memory for {path or 'a file'} ({reason})", hint).naming(path)
    if error.errno in NO_RIGHT:
        hint = f"ask the owner for permission, or {hint}"
    return UnusableFileError(f"{path or 'a file'} cannot be used ({reason}): {hint}").naming(path)


@contextmanager
def system_errors(path: str | Path | None = None, hint: str = "use another folder") -> Iterator[None]:
    """Replace each `OSError` in the block by its `system_error`."""
    try:
        yield
    except OSError as error:
        raise system_error(error, path, hint) from error
