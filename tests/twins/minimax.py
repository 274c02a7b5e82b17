"""The slow, obvious twin of the search: plain minimax, and the evaluation by its definition.

It counts moves and distances one by one and knows no windows and no order of moves, and no tables but the values it is given.
"""

from collections.abc import Callable
from functools import cache

from tablebase.game import Evaluation, Game, Outcome
from tablebase.game.moves import Position
from twins import naive

WIN = 1_000_000
"""The score of a win in 0; each ply on the way to it costs one."""
NEVER = 10**6
"""Plies to what cannot be reached."""

Known = Callable[[Position], naive.Pair | None]
"""The value of a position that can be looked up, else None."""


def minimax(game: Game, evaluation: Evaluation, position: Position, depth: int, ply: int = 0, known: Known | None = None) -> int:
    """The score of a position for the side to move, looking `depth` plies ahead; below the root, what is known is not searched."""
    value = known(position) if known is not None and ply > 0 else None
    if value is not None:
        return value_score(value, ply)
    moves = naive.moves(game, position)
    if not moves:
        return ply - WIN if game.no_move is Outcome.LOSS else 0
    if naive.escaped(game, position):
        return value_score(naive.escape_value(game, position), ply)
    if depth == 0:
        return evaluate(game, evaluation, position)
    best = -2 * WIN
    for move in moves:
        child = naive.after(position, move)
        left = [kind for kind, _ in child.pieces if game.kinds[kind].side == child.side]
        score = WIN - ply - 1 if move.wins or not left else -minimax(game, evaluation, child, depth - 1, ply + 1, known)
        best = max(best, score)
    return best


def value_score(value: naive.Pair, ply: int) -> int:
    outcome, distance = value
    if distance is None:
        return 0
    return WIN - ply - distance if outcome == "win" else ply + distance - WIN


def evaluate(game: Game, evaluation: Evaluation, position: Position) -> int:
    mine, other = position.side, 1 - position.side
    return side_value(game, evaluation, position, mine) - side_value(game, evaluation, position, other)


def side_value(game: Game, evaluation: Evaluation, position: Position, side: int) -> int:
    own = [(game.kinds[kind].symbol, square) for kind, square in position.pieces if game.kinds[kind].side == side]
    value = sum(evaluation.squares[symbol][square] for symbol, square in own)
    value += evaluation.mobility * len(naive.moves(game, Position(position.pieces, side)))
    for duel in evaluation.duels:
        for symbol, square in own:
            for kind, there in position.pieces:
                if symbol == duel.hunter and game.kinds[kind].symbol == duel.quarry:
                    needed = steps(game, symbol, square, frozenset([there]))
                    value += duel.values[needed] if needed < len(duel.values) else 0
    arrival = min(time(game, position, symbol, square, goals(game, side)) for symbol, square in own)
    if arrival == NEVER:
        return value
    rivals = [(game.kinds[kind].symbol, square) for kind, square in position.pieces if game.kinds[kind].side != side]
    rival = min(time(game, position, symbol, square, goals(game, 1 - side)) for symbol, square in rivals)
    guard = min(time(game, position, symbol, square, gates(game, side)) for symbol, square in rivals)
    away = min(steps(game, symbol, square, goals(game, side)) for symbol, square in own)
    if arrival < rival and arrival < guard and away < len(evaluation.race):
        value += evaluation.race[away]
    return value


@cache
def goals(game: Game, side: int) -> frozenset[int]:
    return frozenset(step.target for kind in game.kinds if kind.side == side for step in kind.steps if step.wins)


@cache
def gates(game: Game, side: int) -> frozenset[int]:
    return frozenset(step.origin for kind in game.kinds if kind.side == side for step in kind.steps if step.wins)


def time(game: Game, position: Position, symbol: str, square: int, targets: frozenset[int]) -> int:
    """The ply at which a piece arrives if its side does nothing else: 1, 3, 5, … for the side to move, else 2, 4, 6, …."""
    needed = steps(game, symbol, square, targets)
    late = game.kinds[game.by_symbol[symbol]].side != position.side
    return NEVER if needed == NEVER else 2 * needed - 1 + late


@cache
def steps(game: Game, symbol: str, square: int, targets: frozenset[int]) -> int:
    reached, count = {square}, 0
    while not reached & targets:
        further = reached | {step.target for step in game.kinds[game.by_symbol[symbol]].steps if step.origin in reached}
        if further == reached:
            return NEVER
        reached, count = further, count + 1
    return count
