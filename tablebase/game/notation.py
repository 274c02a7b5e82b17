"""Positions and moves as text.

Rows from the top of the board down, separated by ``/``; numbers for runs of empty cells (``12`` is twelve cells); one
letter for each piece; a space; the letter of the side to move; and `LOST` if the last move has won and the board does not show it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import add, index
from typing import TYPE_CHECKING

from tablebase.errors import NotationError, quoted
from tablebase.game.moves import GOAL, Move, Position, won_before

if TYPE_CHECKING:
    from tablebase.game import Game

DIGITS = frozenset("0123456789")
MOST_DIGITS = 9
"""Maximum number of digits of a number; Python does not parse numbers with thousands of digits."""
WHOLE_NUMBER = f"a whole number of at most {MOST_DIGITS} digits"
"""Name of what `whole_number` reads, in sentences that refuse a text."""
RANK_WIDTH = 3
"""Characters before the first square of a rank in a drawing of the board."""
LOST = "lost"
"""Word after the side to move, if this side has lost by the last move."""
_MOVE = re.compile(r"([a-z][0-9]+)-?([a-z][0-9]+)")
_TOKEN = re.compile(r"[0-9]+|.", re.DOTALL)


def whole_number(text: str) -> int | None:
    """Convert ASCII digits to a number; return None for other texts and for more than `MOST_DIGITS` digits."""
    return int(text) if text and len(text) <= MOST_DIGITS and DIGITS.issuperset(text) else None


def parse(game: Game, text: str) -> Position:
    """Parse a position in which the game is not over; `NotationError` describes the first error.

    Examples
    --------
    >>> from tablebase.game import load_game
    >>> game = load_game("doushouqi")
    >>> position = parse(game, "7/7/7/7/3c3/7/7/R6/7 w")
    >>> render(game, position)
    '7/7/7/7/3c3/7/7/R6/7 w'
    """
    position = read(game, text)
    check_pieces(game, position)
    return position


def read(game: Game, text: str) -> Position:
    """Parse any placement of pieces, including one in which the game is over; raise the same errors as `parse`."""
    if not isinstance(text, str):
        raise NotationError(f"invalid position of type {type(text).__name__}: expected a Position or a string like {game.start!r}")
    words = text.split()
    lost = words[2:] == [LOST]
    if len(words) != 2 and not lost:
        form = f"write the ranks from top to bottom, with digits for empty squares, and the side to move, as in {game.start!r}"
        raise NotationError(f"{quoted(text)} is not a position: {form}" if words else f"the position is empty: {form}")
    letters = [side.letter for side in game.sides]
    meant = [number for number, known in enumerate(letters) if words[1] in (known, known.swapcase())]
    if len(meant) != 1:
        raise NotationError(f"invalid side to move {quoted(words[1])}: expected {' or '.join(map(repr, letters))}")
    rows = words[0].split("/")
    board = game.board
    if len(rows) != board.height:
        raise NotationError(f"{quoted(words[0])} has {len(rows)} ranks, but the board of {game.name} has {board.height}")
    pieces: list[tuple[int, int]] = []
    for rank, row in zip(range(board.height - 1, -1, -1), rows, strict=True):
        pieces += _parse_row(game, row, rank)
    return Position(tuple(sorted(pieces)), meant[0], GOAL if lost else "")


def _parse_row(game: Game, row: str, rank: int) -> list[tuple[int, int]]:
    pieces = []
    file = 0
    for token in _TOKEN.findall(row):
        if token[0] in DIGITS:
            if token[0] == "0":
                hint = "begin the number with a digit from 1 to 9"
                raise NotationError(f"rank {rank + 1} ({quoted(row)}) contains the invalid number {token}: {hint}")
            number = whole_number(token)
            # A run of more digits exceeds the width of any board.
            file += 10**MOST_DIGITS if number is None else number
            continue
        if token not in game.by_symbol:
            known = "".join(kind.symbol for kind in game.kinds)
            raise NotationError(f"{quoted(token)} is not a piece of {game.name}: use only the letters {known}")
        cell = (file, rank)
        if file < game.board.width and cell not in game.board.numbers:
            raise NotationError(f"{quoted(token)} on rank {rank + 1} is outside the board: move the piece to a square on the board")
        if cell in game.board.numbers:
            pieces.append((game.by_symbol[token], game.board.numbers[cell]))
        file += 1
    if file != game.board.width:
        raise NotationError(f"rank {rank + 1} ({quoted(row)}) has {file} squares instead of {game.board.width}")
    return pieces


def check_pieces(game: Game, position: Position) -> None:
    """Raise `NotationError` unless the pieces form a position in which the game is not over."""
    check_placement(game, position)
    check_in_play(game, position)
    if position.won:
        raise NotationError(f"the game is over in {render(game, position)!r}: choose an earlier position")


def check_in_play(game: Game, position: Position) -> None:
    """Raise the same errors as `check_pieces`, for a placement that has been parsed or checked."""
    check_kinds(game, [kind for kind, _ in position.pieces])
    for number, square in position.pieces:
        kind = game.kinds[number]
        if square not in kind.homes:
            name = f"{kind.symbol!r} ({game.sides[kind.side].name} {kind.name})"
            raise NotationError(f"{name} cannot stand on {game.board.names[square]} while the game continues: use another square")


def check_kinds(game: Game, kinds: Sequence[int]) -> None:
    """Raise `NotationError` if there are too many pieces of a kind, or no pieces of a side."""
    for number in dict.fromkeys(kinds):
        kind, count = game.kinds[number], kinds.count(number)
        if count > kind.limit:
            name = f"{game.sides[kind.side].name} {kind.name}"
            raise NotationError(f"too many {kind.symbol!r} pieces ({name}) on the board ({count}): use at most {kind.limit}")
    present = {game.side_of(kind) for kind in kinds}
    for side in (0, 1):
        if side not in present:
            raise NotationError(f"{game.sides[side].name} has no pieces: place at least one piece of each side")


def check_placement(game: Game, position: Position) -> None:
    """Raise `NotationError` unless pieces of the game are on different squares, in ascending order."""
    try:
        pieces = [(index(kind), index(square)) for kind, square in position.pieces]
        side = index(position.side)
    except (TypeError, ValueError):
        raise NotationError("invalid Position: expected a pair (kind, square) for each piece, and the side to move") from None
    kinds, squares = range(len(game.kinds)), range(len(game.board))
    if side not in (0, 1) or not all(kind in kinds and square in squares for kind, square in pieces):
        raise NotationError(f"invalid Position: expected kinds up to {kinds[-1]}, squares up to {squares[-1]}, and side 0 or 1")
    if position.pieces != tuple(sorted(pieces)):
        raise NotationError("invalid pieces of a Position: expected a tuple of pairs (kind, square) in ascending order")
    if len({square for _, square in pieces}) != len(pieces):
        raise NotationError("two pieces are on the same square: move one of the pieces")


def render(game: Game, position: Position) -> str:
    """Return any position as text, including one in which the game is over."""
    rows: list[dict[int, str]] = [{} for _ in range(game.board.height)]
    for kind, square in position.pieces:
        file, rank = game.board.cells[square]
        rows[-1 - rank][file] = game.kinds[kind].symbol
    lost = f" {LOST}" if position.won and not won_before(game, position) else ""
    return f"{'/'.join(render_row(row, game.board.width) for row in rows)} {game.sides[position.side].letter}{lost}"


def render_row(symbols: Mapping[int, str], width: int) -> str:
    """Return the text of a row, given the symbol of the piece on each occupied file."""
    if not symbols:
        return str(width)
    text = ""
    next_file = 0
    for file in sorted(symbols):
        text += f"{file - next_file or ''}{symbols[file]}"
        next_file = file + 1
    return f"{text}{width - next_file or ''}"


def render_move(game: Game, move: Move) -> str:
    """Return a move as text, origin and target, such as ``a1a2``."""
    return game.board.names[move.origin] + game.board.names[move.target]


def read_move(game: Game, text: str) -> tuple[int, int]:
    """Return origin and target of a move's text, ``a1a2``, legal or not; `NotationError` unless it names two squares."""
    ends = _MOVE.fullmatch(text.lower())
    if ends is None:
        origin, target = (game.board.names[number] for number in (0, -1))
        raise NotationError(f"{quoted(text)} is not a move: write the start and end squares of the move, as in {origin}{target}")
    return game.board.square(ends[1]), game.board.square(ends[2])


_GAPS = {(False, False): " ", (False, True): "[", (True, False): "]", (True, True): " "}
"""Character between two squares, by whether each is one of the last move."""


def board_picture(game: Game, position: Position, last: str | None = None) -> str:
    """Return the board as text with file letters and rank numbers; brackets mark the squares of the last move."""
    symbols = {square: one.symbol for one in game.terrain for square in one.squares}
    symbols |= {square: game.kinds[kind].symbol for kind, square in position.pieces}
    moved = () if last is None else read_move(game, last)
    lines = []
    for rank in range(game.board.height - 1, -1, -1):
        numbers = [game.board.numbers.get((file, rank)) for file in range(game.board.width)]
        moves = [False, *(number is not None and number in moved for number in numbers), False]
        # Squares side by side are in one pair of brackets.
        gaps = [_GAPS[pair] for pair in pairwise(moves)]
        cells = [" " if number is None else symbols.get(number, ".") for number in numbers]
        line = f"{rank + 1:2}{gaps[0]}{''.join(map(add, cells, gaps[1:]))}"
        lines.append(line.rstrip())
    files = " ".join(chr(ord("a") + file) for file in range(game.board.width))
    return "\n".join([*lines, f"{'':{RANK_WIDTH}}{files}", f"{'':{RANK_WIDTH}}{game.sides[position.side].name} to move"])
