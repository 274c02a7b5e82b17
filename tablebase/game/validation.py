"""Errors in a game's description that no solver could work with.

Each function checks one part and yields sentences; `tablebase.game.Game` raises the first one.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from tablebase.errors import did_you_mean, quoted
from tablebase.game.types import SHAPES, SQUARE_LIMIT, TEXTURES, Kind, Outcome

if TYPE_CHECKING:
    from tablebase.game import Game

MOST_VALUE = 800_000
"""Scores of a search beyond this one are wins and losses."""


def errors(game: Game) -> Iterator[str]:
    """All errors of a game, as sentences."""
    parts = (_board_errors, _terrain_errors, _kind_errors, _symmetry_errors, _escape_errors, _evaluation_errors)
    return chain.from_iterable(part(game) for part in parts)


def _board_errors(game: Game) -> Iterator[str]:
    board = game.board
    if not 0 < len(board) <= SQUARE_LIMIT:
        yield f"the board must have 1 to {SQUARE_LIMIT} squares, not {len(board)}"
    if board.width > len(string.ascii_lowercase):
        yield f"the board can have at most {len(string.ascii_lowercase)} files, not {board.width}"
    if len(set(board.cells)) != len(board) or not all(0 <= f < board.width and 0 <= r < board.height for f, r in board.cells):
        yield "the cells of the board must be different and lie within the width and height"
    if len({side.letter for side in game.sides}) != 2:
        yield "the two sides need different letters"


def _terrain_errors(game: Game) -> Iterator[str]:
    symbols = [one.symbol for one in game.terrain]
    if len(set(symbols)) != len(symbols) or not all(len(s) == 1 and not s.isalnum() and s not in " .[]" for s in symbols):
        yield f"invalid terrain symbols {' '.join(symbols)}: use distinct characters, no letters, digits, spaces, dots or brackets"
    squares = [square for one in game.terrain for square in one.squares]
    if len(set(squares)) != len(squares) or not set(squares) <= set(range(len(game.board))):
        yield "terrain must consist of different squares of the board"
    for one in game.terrain:
        yield from _look_errors(f"the texture of {one.name}", one.texture, TEXTURES)


def _look_errors(what: str, name: str | None, known: tuple[str, ...]) -> Iterator[str]:
    if name is not None and name not in known:
        yield f"{what} cannot be {quoted(str(name))}{did_you_mean(str(name), known)}: choose one of {', '.join(known)}, or none"


def _kind_errors(game: Game) -> Iterator[str]:
    symbols = [kind.symbol for kind in game.kinds]
    names = [(kind.side, kind.symbol.upper()) for kind in game.kinds]
    if len(set(symbols)) != len(symbols) or len(set(names)) != len(names) or not all(len(s) == 1 and s.isalpha() for s in symbols):
        yield f"each kind needs a different letter as its symbol, but the symbols are {' '.join(symbols)}"
        return
    if game.no_move is Outcome.WIN:
        yield "no_move must be a draw or a loss, not a win"
    sides = [kind.side for kind in game.kinds]
    if sides != sorted(sides) or set(sides) != {0, 1}:
        yield "the kinds of side 0 must come before the kinds of side 1, and each side needs at least one kind"
    for kind in game.kinds:
        if list(kind.squares) != sorted(set(kind.squares)) or not set(kind.squares) <= set(range(len(game.board))):
            yield f"the squares of {kind.name} must be different squares of the board in ascending order"
        if kind.limit < 1:
            yield f"the limit of {kind.name} must be at least 1"
        if kind.tiered and kind.levels is None:
            yield f"{kind.name} cannot be tiered, because a piece of this kind can return to a square"
        yield from _look_errors(f"the shape of {kind.name}", kind.shape, SHAPES)
        yield from _step_errors(game, kind)


def _step_errors(game: Game, kind: Kind) -> Iterator[str]:
    home, board = set(kind.squares), set(range(len(game.board)))
    enemies = {other.symbol for other in game.kinds if other.side != kind.side}
    for step in kind.steps:
        step_name = f"the step of {kind.name} from square {step.origin} to {step.target}"
        if step.origin not in home or step.target not in (board if step.wins else home):
            yield f"{step_name} leaves the squares where the piece may stand"
        if not step.empty <= board - {step.origin, step.target}:
            yield f"{step_name} may only require other squares of the board to be empty"
        if not step.victims <= enemies:
            yield f"{step_name} captures {''.join(sorted(step.victims - enemies))}, which the other side does not have"


def _symmetry_errors(game: Game) -> Iterator[str]:
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
            yield f"the mirror maps a square of {kind.name} to a square where it may not stand"
        if game.swap is not None:
            twin = by_symbol.get(kind.symbol.swapcase())
            homes = {game.swap[square] for square in kind.squares}
            if twin is None or twin.side == kind.side or twin.limit != kind.limit or set(twin.squares) != homes:
                yield f"colour swap needs an enemy kind {kind.symbol.swapcase()!r} with the same squares and limit as {kind.name}"


def _escape_errors(game: Game) -> Iterator[str]:
    escape = game.escape
    if escape is None:
        return
    runner = next((kind for kind in game.kinds if kind.symbol == escape.runner), None)
    if runner is None or runner.limit != 1:
        yield f"the runner of an escape must be a kind with a limit of one piece, not {escape.runner!r}"
        return
    pursuers = {kind.symbol: kind for kind in game.kinds if kind.side != runner.side}
    for symbol, zones in escape.guarded.items():
        if symbol not in pursuers or set(zones) != set(pursuers[symbol].squares):
            yield f"the key {symbol!r} of guarded must be an enemy of {runner.name}, with an entry for each of its squares"
        elif not all(zone <= set(range(len(game.board))) for zone in zones.values()):
            yield f"the squares that {pursuers[symbol].name} guards must be on the board"
        elif game.mirror is not None and any(
            {game.mirror[s] for s in zone} != zones[game.mirror[square]] for square, zone in zones.items()
        ):
            yield f"the mirror changes the squares that {pursuers[symbol].name} guards"
    if not escape.to_move or not escape.to_move <= {0, 1}:
        yield "to_move of an escape must contain side 0, side 1 or both"
    if game.swap is not None:
        yield "a game with colour swap cannot have an escape, because only one side can escape"


def _evaluation_errors(game: Game) -> Iterator[str]:
    evaluation = game.evaluation
    if evaluation is None:
        return
    symbols = {kind.symbol for kind in game.kinds}
    if evaluation.squares.keys() != symbols or any(len(values) != len(game.board) for values in evaluation.squares.values()):
        yield "an evaluation needs a value for every kind on every square of the board"
        return
    greatest = sum(kind.limit * max(map(abs, evaluation.squares[kind.symbol])) for kind in game.kinds)
    greatest += abs(evaluation.mobility) * sum(kind.limit * len(kind.steps) for kind in game.kinds)
    greatest += sum(map(abs, [*evaluation.race, *chain.from_iterable(duel.values for duel in evaluation.duels)]))
    if greatest > MOST_VALUE:
        yield f"the values of the evaluation add up to {greatest:,}, but at most {MOST_VALUE:,} are allowed"
    for duel in evaluation.duels:
        for symbol in {duel.hunter, duel.quarry} - symbols:
            yield f"a duel of the evaluation names the kind {symbol!r}, which the game does not have"
