"""Numbers, values and moves in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tablebase.compute.messages import count_plies
from tablebase.game import Game, Outcome
from tablebase.game.moves import GOAL, LAST_PIECE, Position
from tablebase.game.notation import render
from tablebase.game.rules import Rules
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


def sentence(game: Rules[Any], side: int, value: Value, *, can_move: bool = True) -> str:
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
    assert isinstance(answer.value, Value)
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


def ending(game: Rules[Any], position: Any) -> str | None:
    """How the game has just ended, if it is over by the move that led to a position and the position says so."""
    ending = game.result(game.given(position))
    if ending is None or ending.why not in (GOAL, LAST_PIECE) or ending.winner is None:
        return None
    return f"{ending.said[:1].upper()}{ending.said[1:]}: {game.sides[ending.winner].name} has won"


def text(game: Game, position: Position) -> str:
    """A position as text."""
    return render(game, position)
