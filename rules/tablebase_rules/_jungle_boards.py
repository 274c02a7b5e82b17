"""Boards of Dou Shou Qi other than the usual one: drawings in text files, and their codes in the names of variants.

A file holds two drawings of the same size, with an empty line between them: the board, then the board with the pieces
that a game begins with. Lines that begin with a semicolon are comments. The board is drawn with these characters:

- ``.`` land, ``~`` water, ``-`` a cell that is not a square;
- ``^`` a trap and ``#`` a den of Black; ``_`` a trap and ``=`` a den of White.

There may be any number of dens: a side wins by entering any den of the other side. The boards of this package are the
files in the folder `boards`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby

from tablebase.errors import RulesError, quoted
from tablebase.game import SQUARE_LIMIT, Board
from tablebase.game.file_words import MARK, Decoder, FileWord, code_of
from tablebase_rules._jungle import ANIMALS, STANDARD, Field

LAND, WATER, HOLE, TRAPS, DENS = ".", "~", "-", "_^", "=#"
"""Characters of drawings; of two, White's is the first."""
GROUND = LAND + WATER + HOLE + TRAPS + DENS
PIECES = "".join(ANIMALS) + "".join(ANIMALS).lower()
FILES, RANKS = len(string.ascii_lowercase), 99
_FOLDER = files("tablebase_rules") / "boards"

Rows = tuple[str, ...]


def packed(text: str) -> str:
    """The code of two drawings."""
    board, start = _drawings(text)
    _field(board, start)
    return _code(board, start)


USUAL = FileWord("standard", packed)
"""The paper's board."""


@cache
def field_of(word: str) -> Field:
    """The field that the option ``board`` names: the usual one, one of this package, or one that a file has described.

    Raises
    ------
    RulesError
        If there is none.
    """
    if word == USUAL:
        return STANDARD
    _, mark, code = word.partition(MARK)
    if mark:
        return _decoded(word, code)
    if word not in board_names():
        known = ", ".join([USUAL, *board_names()])
        raise RulesError(f"doushouqi has no board {quoted(word)}: choose one of {known}, or name a file such as board.txt")
    return _field(*_drawings((_FOLDER / f"{word}.txt").read_text()))


@cache
def board_names() -> tuple[str, ...]:
    """The boards of this package, without the usual one."""
    return tuple(sorted(file.name.removesuffix(".txt") for file in _FOLDER.iterdir() if file.name.endswith(".txt")))


def _drawings(text: str) -> tuple[Rows, Rows]:
    """The rows of both drawings, from the top."""
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith(";")]
    drawings = [tuple(rows) for drawn, rows in groupby(lines, key=bool) if drawn]
    if len(drawings) != 2:
        raise RulesError(
            f"there must be two drawings with an empty line between them, the board and the board with pieces, not {len(drawings)}"
        )
    board, start = drawings
    width = len(board[0])
    for name, rows in (("board", board), ("start", start)):
        for number, row in enumerate(rows, start=1):
            if len(row) != width:
                raise RulesError(f"row {number} of the {name} has {len(row)} cells, but the first row of the board has {width}")
    if len(start) != len(board):
        raise RulesError(f"the board has {len(board)} rows, but the start has {len(start)}")
    return board, start


def _field(board: Rows, start: Rows) -> Field:
    """A field by its drawings."""
    width, height = len(board[0]), len(board)
    if width > FILES or height > RANKS:
        raise RulesError(f"a board has at most {FILES} files and {RANKS} ranks, not {width} and {height}")
    cells: dict[tuple[int, int], str] = {}
    for rank, (row, pieces) in enumerate(zip(reversed(board), reversed(start), strict=True)):
        for file, (ground, piece) in enumerate(zip(row, pieces, strict=True)):
            name = f"{string.ascii_lowercase[file]}{rank + 1}"
            if ground not in GROUND:
                raise RulesError(f"{ground!r} on {name} of the board is not one of {' '.join(GROUND)}")
            if piece != ground:
                _check_piece(piece, ground, name)
            if ground != HOLE:
                cells[file, rank] = ground
    if not 0 < len(cells) <= SQUARE_LIMIT:
        raise RulesError(f"a board has 1 to {SQUARE_LIMIT} squares, not {len(cells)}")
    for side, case in (("White", str.isupper), ("Black", str.islower)):
        if not any(map(case, "".join(start))):
            raise RulesError(f"{side} has no pieces in the start: draw at least one of {' '.join(filter(case, PIECES))}")

    def squares(symbol: str) -> frozenset[int]:
        return frozenset(number for number, ground in enumerate(cells.values()) if ground == symbol)

    rows = (re.sub(f"[^{PIECES}]+", lambda run: str(len(run[0])), row) for row in start)
    return Field(
        Board(width, height, tuple(cells)),
        squares(WATER),
        (squares(TRAPS[0]), squares(TRAPS[1])),
        (squares(DENS[0]), squares(DENS[1])),
        f"{'/'.join(rows)} w",
    )


def _check_piece(piece: str, ground: str, name: str) -> None:
    """Raise `RulesError` unless this sign of the start may stand on this ground."""
    if piece not in PIECES:
        raise RulesError(f"{piece!r} on {name} of the start is neither a piece nor {ground!r}, as on the board")
    if ground in HOLE + DENS or (ground == WATER and piece not in "Rr"):
        raise RulesError(f"{piece!r} cannot stand on {name}, which is {ground!r} on the board")


def _code(board: Rows, start: Rows) -> str:
    """Both drawings as a code."""
    signs = "".join(board)
    pieces = [(place, sign) for place, sign in enumerate("".join(start)) if sign in PIECES]
    numbers = [(len(board[0]), FILES + 1), (len(board), RANKS + 1)]
    numbers += [(GROUND.index(sign), len(GROUND)) for sign in signs]
    numbers.append((len(pieces), len(signs) + 1))
    for place, sign in pieces:
        numbers += [(place, len(signs)), (PIECES.index(sign), len(PIECES))]
    return code_of(numbers)


def _decoded(word: str, code: str) -> Field:
    """The field of a code."""
    try:
        board, start = _drawn(Decoder(code))
        field = _field(board, start)
    except RulesError:
        field = None
    # Two codes of one board would be two games.
    if field is None or _code(board, start) != code:
        raise RulesError(f"{quoted(word)} does not describe a board of doushouqi: copy the whole name, or name the file again")
    return field


def _drawn(decoder: Decoder) -> tuple[Rows, Rows]:
    """The two drawings of a code."""
    width, height = decoder.number(FILES + 1), decoder.number(RANKS + 1)
    ground = [GROUND[decoder.number(len(GROUND))] for _ in range(width * height)]
    pieces = list(ground)
    for _ in range(decoder.number(len(ground) + 1)):
        place = decoder.number(len(ground))
        pieces[place] = PIECES[decoder.number(len(PIECES))]
    if not ground:
        raise RulesError("a board has at least one cell")
    return _rows(ground, width), _rows(pieces, width)


def _rows(signs: Sequence[str], width: int) -> Rows:
    return tuple("".join(signs[first : first + width]) for first in range(0, len(signs), width))
