"""Parameters of variants that may be given as a file, such as the drawing of a board.

The name of a game must say all of its rules: workers, servers, records and folders know a game by its name alone. So
what a file holds becomes a word of the name, as in ``doushouqi-board=and@4x1``, and the file is not needed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tablebase.errors import RulesError
from tablebase.system.files.inputs import read_text

MARK = "@"
"""Between what people call a file and the code of what it holds."""
_LONGEST_CALLED = 20
_MOST_BYTES = 1 << 16
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def names_file(value: str) -> bool:
    """Return whether a value of a variant is the name of a file: it has a dot or a slash, and other values have none."""
    return any(sign in value for sign in "./\\")


class FileWord(str):
    """The default of a parameter of which other values may come from a file.

    `pack` turns the text of a file into a code for its content, letters and digits; its `RulesError` says what is wrong. Files are
    read where a variant is given, on the command line or to a function, and never for the name of a game: a server's visitors must
    not make it read files.
    """

    pack: Callable[[str], str]

    def __new__(cls, word: str, pack: Callable[[str], str]) -> FileWord:
        """Make a word that knows how files are read."""
        made = super().__new__(cls, word)
        made.pack = pack
        return made

    def read(self, name: str) -> str:
        """The value that stands for what the file of this name holds."""
        path = Path(name)
        text = read_text(path, "use another file", most=_MOST_BYTES)
        try:
            code = self.pack(text)
        except RulesError as error:
            raise RulesError(f"{path}: {error}") from error
        called = re.sub("[^a-z0-9]+", "_", path.stem.lower()).strip("_")[:_LONGEST_CALLED]
        return f"{called or 'file'}{MARK}{code}"


def code_of(numbers: list[tuple[int, int]]) -> str:
    """Numbers, each with how many values it may have, as letters and digits."""
    whole = 0
    for number, values in reversed(numbers):
        whole = whole * values + number
    digits = []
    while whole:
        whole, digit = divmod(whole, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits)) or "0"


class Decoder:
    """Reads the numbers of a code in the order in which they were written; `RulesError` for an invalid character.

    Examples
    --------
    >>> decoder = Decoder(code_of([(3, 10), (11, 12)]))
    >>> decoder.number(10), decoder.number(12), decoder.rest
    (3, 11, 0)
    """

    def __init__(self, code: str) -> None:
        self.rest = 0
        for digit in code:
            if digit not in _DIGITS:
                raise RulesError(f"invalid code {code!r} in a file name: expected only letters and digits")
            self.rest = self.rest * len(_DIGITS) + _DIGITS.index(digit)

    def number(self, values: int) -> int:
        """The next number, of which there are this many values."""
        self.rest, number = divmod(self.rest, values)
        return number
