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

REBUILD = "delete it and build it again"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_RIGHT = (errno.EACCES, errno.EPERM, errno.EROFS)
LONGEST_QUOTE = 80
PECULIAR = re.compile(r"[^\w@%+=:,./-]")
"""Character special to a shell."""
RULES_FILES: dict[str, str] = {}
"""The rules files of games that are not installed, by name, as they were given."""
QUOTED = re.compile(r'["$`\\]')
"""Character special in double quotes."""
DISTRIBUTION = "endgame-tablebase"
"""Name of the program in package managers; to them, `tablebase` is another one."""
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
"""The extras of the distribution, each with the package that it brings."""


def quoted(value: object) -> str:
    """A text of the user's in quotation marks, or what Python calls another value; only its beginning if it is long."""
    try:
        text = value if isinstance(value, str) else " ".join(repr(value).split())
    except (ValueError, RecursionError):
        # A number of thousands of digits, or lists in lists.
        return f"this {type(value).__name__}"
    short = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return repr(short) if isinstance(value, str) else short


def shell_word(text: object) -> str:
    """A word of a command in a sentence: in double quotes if a shell would not take it as it is."""
    word = str(text)
    return word if word and not PECULIAR.search(word) else f'"{QUOTED.sub(chr(92) + chr(92) + "g<0>", word)}"'


def game_word(name: str) -> str:
    """A game as it is given to a command: by its name, or by its rules file, with the words of a variant as options."""
    for base, file in RULES_FILES.items():
        if name == base or name.startswith(f"{base}-"):
            return " ".join([shell_word(file), *(f"--variant {word}" for word in name[len(base) :].split("-")[1:])])
    return name


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A clause that names the known word most like a misspelt one; empty if none is."""
    meant = get_close_matches(word.lower(), known, n=1)
    return f" (did you mean {meant[0]!r}?)" if meant else ""


class TablebaseError(Exception):
    """Bad input, a missing table, a broken file: one sentence that names what is wrong and what to do.

    Attributes
    ----------
    exit_code : int
        Of a command that ends with it.
    code : str
        A word for programs, the ``code`` of JSON.
    places : tuple of str
        Files and addresses outside the tablebase that the sentence names; a server leaves them out.
    """

    exit_code = 2
    code = "error"

    places: tuple[str, ...] = ()

    def naming(self, *places: object) -> Self:
        """Set `places`, and return the error."""
        self.places = tuple(str(place) for place in places if place)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructors of subclasses take data, not the sentence.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[TablebaseError], args: tuple[Any, ...], data: dict[str, Any]) -> TablebaseError:
    """An error as it was before it was pickled."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(data)
    return error


class ArgumentError(TablebaseError, ValueError):
    """An argument of the right type that is out of range or unknown, or does not go together with the others."""


class ArgumentTypeError(TablebaseError, TypeError):
    """An argument of another type than documented."""


class RulesError(TablebaseError, ValueError):
    """A rules module that contradicts itself, or a game that is not installed."""

    code = "bad_rules"


class NotationError(TablebaseError, ValueError):
    """Text that is not a position, material or move of the game."""

    code = "bad_notation"


class SquaresError(NotationError):
    """Rows of an array of squares that are not positions: `count` of all `rows`.

    `row` is the first of them, counted from 0, and `reason` says why it is not a position.
    """

    def __init__(self, row: int, reason: str, count: int, rows: int) -> None:
        self.row, self.reason, self.count, self.rows = row, reason, count, rows
        others = f" ({count:,} of {rows:,} rows are not positions)" if count > 1 else ""
        super().__init__(f"row {row} of the squares is not a position: {reason}{others}")


class MissingTableError(TablebaseError, KeyError):
    """The question is fine, but no table that would answer it has been built.

    Parameters
    ----------
    game : str
    folder : str or Path
        The tablebase.
    material : str, optional
        The material whose table is missing.
    pieces : int, optional
        The number of pieces of which there is no table; without both, the game has no table at all.
    needed_by : str, optional
        The material whose build includes the missing table; by default the missing one itself.
    most : int, optional
        The largest number of pieces of any table, if `material` is too large ever to be built.
    options : str, optional
        What the command needs for a game without pieces that has no table at all.

    Attributes
    ----------
    command : str or None
        The command that builds what is missing, if there is one.
    builds : str or int or None
        What the command builds, if the game has pieces: a material, or all tables of a number of pieces.
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
            too_large = f"{material} is too large for a table: tables of {game} have at most {most} pieces"
            super().__init__(f"{too_large}; 'tablebase analyse {game_word(game)}' searches")
            return
        if material is not None:
            missing = f"the table {material} of {game} has not been built"
        elif pieces is not None:
            missing = f"no table of {game} with {pieces} pieces has been built"
        else:
            missing = f"no table of {game} is registered in {folder}"
        if options is None:
            self.builds = needed_by or material or pieces or FEWEST
            options = f"--{'material' if isinstance(self.builds, str) else 'pieces'} {self.builds}"
        self.command = f"tablebase build {game_word(game)} {f'{options} ' if options else ''}--data {shell_word(folder)}"
        super().__init__(f"{missing}: run '{self.command}'")

    def __str__(self) -> str:
        # KeyError would print the representation of the sentence instead of the sentence.
        return str(self.args[0])


class MissingExtraError(TablebaseError):
    """A package is needed that only an extra brings.

    `purpose` is what needs it, in the plural, `extra` one of `EXTRAS`, `package` the package, and `command` installs it.
    """

    def __init__(self, purpose: str, extra: str) -> None:
        self.purpose, self.extra, self.package = purpose, extra, EXTRAS[extra]
        # By name, not by folder: pip finds the program where it runs, and asks an index for the package alone.
        self.command = f"pip install '{DISTRIBUTION}[{extra}]'"
        super().__init__(f"{purpose} need {self.package}: install it with {self.command}")


def check_extra(purpose: str, extra: str) -> None:
    """Raise `MissingExtraError` unless the package of an extra, which has the name of its module, is installed."""
    if find_spec(EXTRAS[extra]) is None:
        raise MissingExtraError(purpose, extra)


class StaleTableError(TablebaseError):
    """A table that was built under other rules than those installed now, or in another format."""

    code = "outdated_table"

    def __init__(self, path: Path, game: str) -> None:
        self.path, self.game = path, game
        place = next((f"in {file}" for base, file in RULES_FILES.items() if f"{game}-".startswith(f"{base}-")), "installed")
        super().__init__(f"{path} was built under other rules of {game} than those {place}: {REBUILD}")


class CorruptTableError(TablebaseError):
    """A table file that is not, or is no longer, what was written; or a check that failed.

    Parameters
    ----------
    error : str
        What is wrong with it, as the predicate of a sentence.
    path : Path or str, optional
        The file, or its address; without it, the error is a sentence about codes that are not in a file yet.
    """

    code = "damaged_table"

    exit_code = 1

    def __init__(self, error: str, path: Path | str | None = None) -> None:
        self.error, self.path = error, path
        super().__init__(error if path is None else f"{path} {error}: {REBUILD}")


class CorruptCatalogError(TablebaseError):
    """A catalog that is damaged, or of another version; the next command that writes rebuilds it from the table files.

    Parameters
    ----------
    error : str
        What is wrong with it, as the predicate of a sentence.
    path : Path or str
        The catalog: a file, or the URL of a database without its password.
    hint : str, optional
        What to do; by default to reindex the folder of the file.
    """

    def __init__(self, error: str, path: Path | str, hint: str | None = None) -> None:
        self.error, self.path = error, path
        super().__init__(f"{path} {error}: {hint or reindex(Path(path).parent)}")


def reindex(folder: Path, option: str = "") -> str:
    """Advise about a catalog that cannot be used, also in a folder that can only be read.

    If the catalog is not in the folder, `option` names it on the command line, with a space before it.
    """
    if os.access(folder, os.W_OK):
        return f"run 'tablebase reindex --data {shell_word(folder)}{option}'"
    return "copy the folder to where you may write, and run 'tablebase reindex' there"


class CapacityError(TablebaseError):
    """Work that would not fit into memory, onto the disk, or into what the program can count.

    Parameters
    ----------
    subject : str
        What does not fit.
    hint : str
        What to do.
    needed : int, optional
        How much it needs, where that is known.
    allowed : int, optional
        How much there is.
    unit : str
        What is counted.
    """

    exit_code = 3

    def __init__(
        self, subject: str, hint: str, *, needed: int | None = None, allowed: int | None = None, unit: str = "bytes of memory"
    ) -> None:
        self.subject, self.hint, self.needed, self.allowed, self.unit = subject, hint, needed, allowed, unit
        if needed is not None and allowed is not None:
            subject = f"{subject} needs {needed:,} {unit}, but at most {allowed:,} can be used"
        elif allowed is not None:
            subject = f"{subject} needs more than the {allowed:,} {unit} that can be used"
        super().__init__(f"{subject}: {hint}")


class ClusterError(TablebaseError):
    """A cluster that cannot be reached, has no workers, or has one that cannot be used.

    `address` is that of its scheduler, or of the worker; `error` says what is wrong, and `hint` what to do.
    """

    def __init__(self, address: str, error: str, hint: str) -> None:
        self.address, self.error, self.hint = address, error, hint
        super().__init__(f"{error}: {hint}")


class TimeLimitError(TablebaseError):
    """Work that takes longer than the `seconds` that it may."""

    exit_code = 3

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"the statement takes longer than {seconds:g} s: ask for less, or allow more with --timeout")


class BatchError(TablebaseError):
    """Something in a line of a batch file that cannot be done; `error` is a sentence."""

    def __init__(self, path: Path, line: int, error: str, exit_code: int = 2) -> None:
        self.path, self.line, self.error, self.exit_code = path, line, error, exit_code
        super().__init__(f"{path}, line {line}: {error}")


class ConflictError(TablebaseError):
    """Tables that cannot be taken into a folder, or into the object store with this address.

    `errors` has for each file why not, as the predicate of a sentence.
    """

    def __init__(self, folder: str | Path, errors: Mapping[str, str]) -> None:
        self.folder, self.errors = folder, dict(errors)
        count = "1 table" if len(errors) == 1 else f"{len(errors)} tables"
        listed = ", ".join(f"{file} {error}" for file, error in sorted(errors.items()))
        super().__init__(f"{count} cannot be taken into {folder}: {listed}; remove what you do not want, or name another folder")


class CommandError(TablebaseError):
    """A command that has failed, and has said why."""

    def __init__(self, command: str, exit_code: int) -> None:
        self.command, self.exit_code = command, exit_code
        super().__init__(f"the command {quoted(command)} ended with code {exit_code}: see what it says above")


class DeadlineError(TablebaseError):
    """Work that was not done before its deadline.

    `left` is how many things are left, `what` the name of one of them, and `command` goes on with the work.
    """

    exit_code = 4

    def __init__(self, left: int, command: str, what: str = "table") -> None:
        self.left, self.command, self.what = left, command, what
        some = f"{what} is" if left == 1 else f"{what}s are"
        super().__init__(f"the deadline came first, and {left} {some} left: run '{command}'")


class UnusableFileError(TablebaseError):
    """A file or folder that the operating system refuses to open, read, write or lock, which says nothing about its content."""


class CatalogBusyError(UnusableFileError):
    """A catalog that another program has locked for longer than this one waits; `place` is its path or URL."""

    def __init__(self, place: str) -> None:
        self.place = place
        # SQLite also reports a file as locked if its file system refuses locks.
        more = "" if "://" in place else " or, if its file system has no locks, copy the folder to another one"
        super().__init__(f"{place} is locked by another program: try again when it has finished{more}")


class MissingCatalogError(TablebaseError):
    """A folder without a catalog; `refusal` is the reason why none can be made, as far as that is known."""

    def __init__(self, sentence: str, refusal: TablebaseError | None = None) -> None:
        self.refusal = refusal
        super().__init__(sentence)


class ForfeitError(TablebaseError):
    """A program that plays and has ended, does not answer, or answers what it may not: it loses the game."""


def space_error(path: str | Path | None, reason: str, hint: str = "use another folder") -> CapacityError:
    """The error for a file or folder, if it is known, that cannot grow."""
    where = f" for {path}" if path else ""
    return CapacityError(f"there is no space left{where} ({reason})", f"free some space, or {hint}").naming(path)


def system_error(error: OSError, path: str | Path | None = None, hint: str = "use another folder") -> TablebaseError:
    """The error for what the operating system refused to do: for want of space, memory or a right, or for another reason.

    `path` is by default what the error names; `hint` says what to do if nothing can be done about the reason.
    """
    path = path or error.filename
    reason = os.strerror(error.errno) if error.errno else str(error)
    if error.errno in NO_SPACE:
        return space_error(path, reason, hint)
    if error.errno == errno.ENOMEM:
        hint = "use fewer --workers or a smaller --memory"
        return CapacityError(f"there is no memory left for {path or 'a file'} ({reason})", hint).naming(path)
    if error.errno in NO_RIGHT:
        hint = f"ask its owner for the right, or {hint}"
    return UnusableFileError(f"{path or 'a file'} cannot be used ({reason}): {hint}").naming(path)


@contextmanager
def system_errors(path: str | Path | None = None, hint: str = "use another folder") -> Iterator[None]:
    """In the block, replace errors of the operating system by those of `system_error`."""
    try:
        yield
    except OSError as error:
        raise system_error(error, path, hint) from error
