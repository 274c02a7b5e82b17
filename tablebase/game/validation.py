"""What no engine could work with in a description of a game.

Each function looks at one part and gives sentences; `tablebase.game.Game` raises the first.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from itertools import chain
from typing import Protocol

from tablebase.game.types import SQUARE_LIMIT, Board, Escape, Kind, Outcome, Side


class Description(Protocol):
    """A game before it is known to be one; the fields are those of `tablebase.game.Game`."""

    @property
    def board(self) -> Board: ...
    @property
    def sides(self) -> tuple[Side, Side]: ...
    @property
    def kinds(self) -> tuple[Kind, ...]: ...
    @property
    def no_move(self) -> Outcome: ...
    @property
    def mirror(self) -> tuple[int, ...] | None: ...
    @property
    def swap(self) -> tuple[int, ...] | None: ...
    @property
    def escape(self) -> Escape | None: ...


def faults(game: Description) -> Iterator[str]:
    """All that is wrong with a game."""
    return chain(_board_faults(game), _kind_faults(game), _symmetry_faults(game), _escape_faults(game))


def _board_faults(game: Description) -> Iterator[str]:
    board = game.board
    if not 0 < len(board) <= SQUARE_LIMIT:
        yield f"a board has 1 to {SQUARE_LIMIT} squares, not {len(board)}"
    if board.width > len(string.ascii_lowercase):
        yield f"a board has at most {len(string.ascii_lowercase)} files, not {board.width}"
    if len(set(board.cells)) != len(board) or not all(0 <= f < board.width and 0 <= r < board.height for f, r in board.cells):
        yield "the cells of the board must be different and inside its width and height"
    if len({side.letter for side in game.sides}) != 2:
        yield "the two sides need different letters"


def _kind_faults(game: Description) -> Iterator[str]:
    symbols = [kind.symbol for kind in game.kinds]
    names = [(kind.side, kind.symbol.upper()) for kind in game.kinds]
    if len(set(symbols)) != len(symbols) or len(set(names)) != len(names) or not all(len(s) == 1 and s.isalpha() for s in symbols):
        yield f"each kind needs a one-letter symbol of its own, not {' '.join(symbols)}"
        return
    if game.no_move is Outcome.WIN:
        yield "having no move may be a draw or a loss, not a win"
    sides = [kind.side for kind in game.kinds]
    if sides != sorted(sides) or set(sides) != {0, 1}:
        yield "the kinds of side 0 must come before those of side 1, and both sides need some"
    for kind in game.kinds:
        if list(kind.squares) != sorted(set(kind.squares)) or not set(kind.squares) <= set(range(len(game.board))):
            yield f"the squares of {kind.name} must be ascending, different and on the board"
        if kind.limit < 1:
            yield f"the limit of {kind.name} must be at least 1"
        if kind.tiered and kind.levels is None:
            yield f"{kind.name} cannot be tiered, for a piece of it can come back to where it was"
        yield from _step_faults(game, kind)


def _step_faults(game: Description, kind: Kind) -> Iterator[str]:
    home, board = set(kind.squares), set(range(len(game.board)))
    foes = {other.symbol for other in game.kinds if other.side != kind.side}
    for step in kind.steps:
        route = f"the step of {kind.name} from square {step.origin} to {step.target}"
        if step.origin not in home or step.target not in (board if step.wins else home):
            yield f"{route} leaves the squares where the piece may stand"
        if not step.empty <= board - {step.origin, step.target}:
            yield f"{route} may only ask for other squares of the board to be empty"
        if not step.victims <= foes:
            yield f"{route} captures {''.join(sorted(step.victims - foes))}, no kind of the other side"


def _symmetry_faults(game: Description) -> Iterator[str]:
    count = len(game.board)
    if game.swap is not None and any(kind.tiered for kind in game.kinds):
        yield "a game with colour swap cannot have tiered kinds"
    for name, image in (("mirror", game.mirror), ("swap", game.swap)):
        if image is not None and (sorted(image) != list(range(count)) or any(image[image[s]] != s for s in range(count))):
            yield f"{name} must be an involution of the {count} squares"
            return
    by_symbol = {kind.symbol: kind for kind in game.kinds}
    for kind in game.kinds:
        if game.mirror is not None and {game.mirror[square] for square in kind.squares} != set(kind.squares):
            yield f"the mirror takes {kind.name} off its squares"
        if game.swap is not None:
            twin = by_symbol.get(kind.symbol.swapcase())
            homes = {game.swap[square] for square in kind.squares}
            if twin is None or twin.side == kind.side or twin.limit != kind.limit or set(twin.squares) != homes:
                yield f"colour swap needs a {kind.symbol.swapcase()!r} of the other side with the squares and limit of {kind.name}"


def _escape_faults(game: Description) -> Iterator[str]:
    escape = game.escape
    if escape is None:
        return
    runner = next((kind for kind in game.kinds if kind.symbol == escape.runner), None)
    if runner is None or runner.limit != 1:
        yield f"what escapes must be a kind of which there is one piece at most, not {escape.runner!r}"
        return
    pursuers = {kind.symbol: kind for kind in game.kinds if kind.side != runner.side}
    for symbol, zones in escape.guarded.items():
        if symbol not in pursuers or set(zones) != set(pursuers[symbol].squares):
            yield f"squares are guarded by enemies of {runner.name}, and from each of their squares; {symbol!r} is not right"
        elif not all(zone <= set(range(len(game.board))) for zone in zones.values()):
            yield f"the squares that {pursuers[symbol].name} guards must be on the board"
        elif game.mirror is not None and any(
            {game.mirror[s] for s in zone} != zones[game.mirror[square]] for square, zone in zones.items()
        ):
            yield f"the mirror changes what {pursuers[symbol].name} guards"
    if not escape.to_move or not escape.to_move <= {0, 1}:
        yield "an escape counts with side 0, side 1 or either of them to move"
    if game.swap is not None:
        yield "a game with colour swap cannot have an escape, which is one side's alone"
