"""Numbers, values and moves in words."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from tablebase.errors import RulesError
from tablebase.game import Outcome
from tablebase.game.rules import Ending, Rules
from tablebase.game.values import AnyValue, Bounds, Value
from tablebase.play.match import Match
from tablebase.probe.answers import Probe, RatedMove
from tablebase.probe.explained import VERBS
from tablebase.svg.pictures import INK
from tablebase.system.compute.messages import cell_text, count_plies

ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth")


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


def drawn_as(rules: Rules[Any], position: Any) -> str:
    """The class of the picture that rules draw: with the colours of a theme, or their own; empty without one, or if they fail."""
    drawn = None
    with suppress(RulesError):
        drawn = rules.svg(position)
    return "" if drawn is None else "themed" if rules.pictures or INK in drawn else "drawn"


def cell(value: bool | int | float | str) -> str:
    """The value of a feature."""
    return ("yes" if value else "no") if isinstance(value, bool) else cell_text(value)


def capital(text: str) -> str:
    """A text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def verdict(answer: Probe) -> str:
    """The value of a position before the end of the game: ``White to move loses in 34 plies``."""
    value = answer.value
    if not isinstance(value, Value):
        return capital(answer.said)
    name = capital(answer.game.sides[answer.game.viewer(answer.asked)].name)
    return f"{name} to move {VERBS[value.outcome]}s{'' if value.distance is None else f' in {count_plies(value.distance)}'}"


def worth(value: AnyValue | None, missing: str | None = None) -> str:
    """Describe the worth of a move to the mover."""
    if value is None:
        return "unknown" if missing is None else f"unknown without {missing}"
    if value == Value(Outcome.WIN, 1):
        return "wins immediately"
    if isinstance(value, Bounds) and value.outcome is None:
        return value.said.removeprefix("a chance of ")
    return value.said if value.distance is None else f"{value.outcome} in {value.distance:,}"


def move(game: Rules[Any], position: Any, text: str) -> tuple[str, str]:
    """A move as it is written, and what it means; one of the two is empty if the other says it all, as with numbers of moves."""
    meaning = game.move_text(position, text)
    if meaning == text:
        return text, ""
    return ("" if text.removeprefix("-").isdigit() else text), meaning


def made(game: Rules[Any], position: Any, text: str) -> str:
    """A move in a few words: ``b1b2 (pawn)``."""
    written, meaning = move(game, position, text)
    return f"{written} ({meaning})" if written and meaning else written or meaning


def happened(game: Rules[Any], position: Any, text: str, *, drawn: bool) -> str:
    """A draw, or a move with who makes it: ``White: b1b2 (pawn)``."""
    if drawn:
        return game.draw_text(text)
    return f"{capital(game.sides[game.to_move(position)].name)}: {made(game, position, text)}"


def all_happened(match: Match[Any]) -> list[str]:
    """Each move and each draw of a game in words."""
    events = zip(match.positions, match.events, strict=False)
    return [happened(match.rules, before, event.text, drawn=event.drawn) for before, event in events]


class MoveGroup(NamedTuple):
    """Moves with the same outcome."""

    name: str  # for classes and identifiers
    title: str
    moves: list[RatedMove]  # best first


def groups(moves: Iterable[RatedMove]) -> list[MoveGroup]:
    """The moves of a probe by their outcome; groups without moves are left out."""
    titles = {"win": "Winning", "draw": "Drawing", "open": "Open", "loss": "Losing", "unknown": "Unknown"}
    found = {name: MoveGroup(name, title, []) for name, title in titles.items()}
    for move in moves:
        name = "unknown" if move.value is None else "open" if move.value.outcome is None else str(move.value.outcome)
        found[name].moves.append(move)
    return [group for group in found.values() if group.moves]


def ending(game: Rules[Any], position: Any) -> str | None:
    """Return how the game has ended in a position; None if it goes on."""
    ended = game.result(position)
    return None if ended is None else ended_by(game, ended)


def ended_by(game: Rules[Any], ended: Ending) -> str:
    """Return how a game has ended: ``The pawn has reached a3: White won``."""
    if game.players > 2:
        places = sorted(zip(ended.places, (side.name for side in game.sides), strict=True))
        outcome = f"the game is over: {', '.join(f'{name} is {ORDINALS[place]}' for place, name in places)}"
    else:
        outcome = "a draw" if ended.winner is None else f"{game.sides[ended.winner].name} won"
    return capital(f"{ended.said}: {outcome}" if ended.said else outcome)
