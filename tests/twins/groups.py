"""The slow, obvious twin of the kernel of the solver of groups: positions one by one, found by their squares.

A *value* is a pair as in `naive`. Moves come from `naive`; nothing here knows placement numbers, rows or scores.
"""

from collections.abc import Callable

from tablebase.game import Game, Outcome
from tablebase.game.moves import Move, Position
from twins import naive

Known = Callable[[Position], naive.Pair]
"""The value of a position that a move leads to, as far as it is known."""


def improved(game: Game, position: Position, known: Known) -> naive.Pair:
    """What the best move of a position makes it worth; ``("stalemate", None)`` where a side without a move draws."""
    moves = naive.moves(game, position)
    if not moves:
        return ("stalemate", None) if game.no_move is Outcome.DRAW else ("loss", 0)
    if game.escape is not None and naive.escaped(game, position):
        runner = next(kind for kind in game.kinds if kind.symbol == game.escape.runner)
        return ("win" if runner.side == position.side else "loss", 0)
    return max((_worth(game, position, move, known) for move in moves), key=_merit)


def _worth(game: Game, position: Position, move: Move, known: Known) -> naive.Pair:
    after = naive.after(position, move)
    if move.wins or len({game.kinds[kind].side for kind, _ in after.pieces}) == 1:
        return ("win", 1)
    outcome, distance = known(after)
    return (naive.REVERSED[outcome], None if distance is None else distance + 1)


def _merit(value: naive.Pair) -> tuple[int, int]:
    outcome, distance = value
    if distance is None:
        return (1, 0)
    return (2, -distance) if outcome == "win" else (0, distance)
