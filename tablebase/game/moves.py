"""Positions and moves in plain Python, one at a time.

The solvers have compiled twins of this module; here everything is short and scalar.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tablebase.game.types import Outcome

if TYPE_CHECKING:
    from tablebase.game import Game

GOAL, LAST_PIECE = "goal", "last piece"
"""Ways to win by one move."""


class Position(NamedTuple):
    """A position, given by the pieces on their squares and the side to move.

    Parameters
    ----------
    pieces : tuple of (int, int)
        Kind number and square of each piece, sorted by kind number, then by square.
    side : int
        The side to move, 0 or 1.
    won : str
        Reason for a win by the last move (``goal`` or ``last piece``), or an empty string.
    """

    pieces: tuple[tuple[int, int], ...]
    side: int
    won: str = ""


class Move(NamedTuple):
    """A legal move in a position.

    Parameters
    ----------
    kind, origin, target : int
        Kind number, origin square and target square of the moving piece.
    captured : int or None
        Kind number of the captured piece, or None without a capture.
    wins : bool
        Whether the move wins the game immediately by reaching its target.
    """

    kind: int
    origin: int
    target: int
    captured: int | None
    wins: bool


def legal_moves(game: Game, position: Position) -> list[Move]:
    """Return all legal moves in the order of kinds, squares and steps; an empty list if the game is over."""
    return [] if has_escaped(game, position) else _steps(game, position)


def decided(game: Game, position: Position) -> Outcome | None:
    """Return the outcome for the side to move if it has no legal move or a piece has escaped; otherwise None."""
    if not _steps(game, position):
        return game.no_move
    if not has_escaped(game, position):
        return None
    return Outcome.WIN if game.runner_side == position.side else Outcome.LOSS


def has_escaped(game: Game, position: Position) -> bool:
    """Return whether a piece stands where no enemy can reach it any more, as defined by `Game.escape`."""
    escape = game.escape
    if escape is None or position.side not in escape.to_move:
        return False
    runner = game.by_symbol[escape.runner]
    guarded: set[int] = set()
    for kind, square in position.pieces:
        guarded |= escape.guarded.get(game.kinds[kind].symbol, {}).get(square, frozenset())
    return any(
        kind == runner
        and square not in guarded
        and (not escape.room or any(step.target not in guarded for step in game.kinds[kind].steps_from.get(square, ())))
        for kind, square in position.pieces
    )


def _steps(game: Game, position: Position) -> list[Move]:
    occupant = {square: kind for kind, square in position.pieces}
    moves = []
    for kind, origin in position.pieces:
        if game.kinds[kind].side != position.side:
            continue
        for step in game.kinds[kind].steps_from.get(origin, ()):
            if not step.empty.isdisjoint(occupant):
                continue
            victim = occupant.get(step.target)
            if victim is None:
                if step.quiet:
                    moves.append(Move(kind, origin, step.target, None, step.wins))
            elif game.kinds[victim].symbol in step.victims:
                moves.append(Move(kind, origin, step.target, victim, step.wins))
    return moves


def play(position: Position, move: Move) -> Position:
    """Return the position after a legal move, with the other side to move."""
    removed = {(move.kind, move.origin), (move.captured, move.target)}
    others = [piece for piece in position.pieces if piece not in removed]
    return Position(tuple(sorted([*others, (move.kind, move.target)])), 1 - position.side)


def wins_at_once(game: Game, position: Position, move: Move) -> bool:
    """Return whether a legal move wins immediately: it reaches a goal or captures the last piece."""
    if move.wins or move.captured is None:
        return move.wins
    return sum(1 for kind, _ in position.pieces if game.side_of(kind) != position.side) == 1


def played(game: Game, position: Position, move: Move) -> Position:
    """Return the position after a legal move; set `Position.won` if the move wins."""
    child = play(position, move)
    return child._replace(won=won_before(game, child) or GOAL) if wins_at_once(game, position, move) else child


def won_before(game: Game, position: Position) -> str:
    """Return how the last move has won, as far as the board shows: its piece stands on a goal, or it captured the last one."""
    away, owners = [], set()
    for kind, square in position.pieces:
        owners.add(game.kinds[kind].side)
        if square not in game.kinds[kind].homes:
            away.append((kind, square))
    # Most positions that are read are none of these.
    if len(away) > 1 or len(away) + 2 - len(owners) < 1:
        return ""
    counts = Counter(kind for kind, _ in position.pieces)
    if any(count > game.kinds[kind].limit for kind, count in counts.items()):
        return ""
    if not away:
        captures = any(step.victims for kind, _ in position.pieces for step in game.kinds[kind].steps)
        return LAST_PIECE if position.side not in owners and captures else ""
    ((kind, square),) = away
    reached = any(step.wins and step.target == square and (step.victims or len(owners) > 1) for step in game.kinds[kind].steps)
    return GOAL if reached and game.side_of(kind) != position.side else ""


def mirrored(game: Game, position: Position) -> Position:
    """Return the mirror image of a position; the game must have mirror symmetry."""
    assert game.mirror is not None
    image = game.mirror
    return Position(tuple(sorted((kind, image[square]) for kind, square in position.pieces)), position.side)


def swapped(game: Game, position: Position) -> Position:
    """Return the position with colours and the side to move exchanged; the game must have colour swap."""
    assert game.swap is not None
    pieces = sorted((game.twins[kind], game.swap[square]) for kind, square in position.pieces)
    return Position(tuple(pieces), 1 - position.side)
