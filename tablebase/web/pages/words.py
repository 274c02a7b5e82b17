"""Numbers, values and moves in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tablebase.compute.messages import count_plies
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.probe.answers import Probe, RatedMove
from tablebase.tables.values import Value

VERBS = {Outcome.WIN: "wins", Outcome.LOSS: "loses", Outcome.DRAW: "draws"}


def number(value: int | None) -> str:
    """A whole number with separators; a dash for none."""
    return "–" if value is None else f"{value:,}"


def percent(part: int, whole: int) -> str:
    """A share as a percentage with one decimal; a dash if there is no whole."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def share(part: int, whole: int) -> str:
    """A share in per cent in as few characters as possible; what is there is never rounded to nothing."""
    rounded = f"{100 * part / whole:.0f}" if whole else "–"
    return "<1" if part and rounded == "0" else rounded


def count(amount: int, what: str) -> str:
    """A number of things, whose plural is regular."""
    return f"{amount:,} {what}{'' if amount == 1 else 's'}"


def sentence(game: Game, side: int, value: Value, *, can_move: bool = True) -> str:
    """A value for the side to move: ``White to move loses in 34 plies``."""
    name = game.sides[side].name
    if not can_move and value.distance in (None, 0):
        return f"{name} cannot move, and {'draws' if value.distance is None else 'has lost'}"
    if value.distance is None:
        return f"{name} to move draws"
    if value.distance == 0:
        return f"{name} to move has {'won' if value.outcome is Outcome.WIN else 'lost'}"
    return f"{name} to move {VERBS[value.outcome]} in {count_plies(value.distance)}"


def verdict(answer: Probe) -> str:
    """The value of a probed position as a sentence."""
    return sentence(answer.game, answer.asked.side, answer.value, can_move=bool(answer.moves))


def move_value(move: RatedMove) -> str:
    """What a move is worth to the side that makes it."""
    if move.value is None:
        return f"unknown without {move.missing}"
    if move.value.distance is None:
        return "draw"
    if move.value == Value(Outcome.WIN, 1):
        return "wins at once"
    return f"{move.value.outcome} in {move.value.distance:,}"


def action(game: Game, move: RatedMove) -> str:
    """Which piece a move moves, and what it captures: ``rat takes elephant``."""
    made = move.legal_move
    name = game.kinds[made.kind].name
    return name if made.captured is None else f"{name} takes {game.kinds[made.captured].name}"


class Group(NamedTuple):
    """Moves with the same outcome."""

    name: str  # for classes and identifiers
    title: str
    moves: list[RatedMove]  # best first


def groups(moves: Iterable[RatedMove]) -> list[Group]:
    """The moves of a probe by their outcome; groups without moves are left out."""
    found: dict[str, list[RatedMove]] = {"win": [], "draw": [], "loss": [], "unknown": []}
    for move in moves:
        found["unknown" if move.value is None else str(move.value.outcome)].append(move)
    titles = {"win": "Winning", "draw": "Drawing", "loss": "Losing", "unknown": "Unknown"}
    return [Group(name, titles[name], listed) for name, listed in found.items() if listed]


def ending(game: Game, position: Position) -> str | None:
    """How the game has just ended, if it is over by the move that led to a position and the position says so.

    The side that has moved has captured the last piece of the other, or has reached a goal.
    """
    mover, other = game.sides[1 - position.side], game.sides[position.side]
    owners = {game.side_of(kind) for kind, _ in position.pieces}
    strays = [(game.kinds[kind], square) for kind, square in position.pieces if square not in game.kinds[kind].homes]
    if owners == {1 - position.side} and not strays:
        return f"{other.name} has no pieces left: {mover.name} has won"
    if len(strays) == 1 and (kind := strays[0][0]).side == 1 - position.side:
        if any(step.wins and step.target == strays[0][1] for step in kind.steps):
            return f"The {kind.name} has reached {game.board.names[strays[0][1]]}: {mover.name} has won"
    return None


def text(game: Game, position: Position) -> str:
    """A position as text."""
    return render(game, position)
