"""Checks that apply to all rules; see `tablebase.game.rules`.

Most test cases are positions of random play from the initial position. Random play treats all outcomes of chance as equally
likely, so that rare outcomes are also tested. Each error function checks one case, and returns a sentence that describes
the error, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, islice, pairwise
from random import Random
from typing import Any

from tablebase.errors import NotationError
from tablebase.game.capabilities import missing
from tablebase.game.rules import CHANCE, OVER, P, Rules, legal
from tablebase.testing.checks import Check

RESTART = 1000
"""Number of positions after which random play starts again from the initial position."""


def following(rules: Rules[P], position: P) -> list[P]:
    """Return all positions that can follow a position immediately."""
    mover = rules.to_move(position)
    if mover == OVER:
        return []
    return [draw.state for draw in rules.draws(position)] if mover == CHANCE else list(rules.moves(position).values())


def playout(rules: Rules[P], rng: Random, start: P | None = None) -> Iterator[P]:
    """Yield the positions of random play until the game is over, by default from the initial position."""
    position = rules.initial if start is None else start
    while True:
        yield position
        after = following(rules, position)
        if not after:
            return
        position = rng.choice(after)


def playouts(rules: Rules[P], positions: int, rng: Random) -> Iterator[list[P]]:
    """Yield random games with `positions` positions in total; a game stops after `RESTART` positions."""
    while positions > 0:
        played = list(islice(playout(rules, rng), min(RESTART, positions)))
        positions -= len(played)
        yield played


def positions(bench: Any, rng: Random) -> Iterator[Any]:
    """Return an iterator of positions of random play; `bench.samples` is their number."""
    return chain.from_iterable(playouts(bench.game, bench.samples, rng))


def turns(bench: Any, rng: Random) -> Iterator[list[Any]]:
    """Yield the turns of random play as lists of positions; the last turn of a game may be incomplete."""
    for played in playouts(bench.game, bench.samples, rng):
        begins = [place for place, position in enumerate(played) if place and bench.game.begins_turn(position)]
        yield from (played[begin:end] for begin, end in pairwise([0, *begins, len(played)]))


def start_error(rules: Rules[Any], start: Any) -> str | None:
    """Return the reason why a game cannot begin with this position."""
    if rules.players < 2:
        return f"{rules.name} has {rules.players} players, but a game needs two or more"
    if len(rules.sides) != rules.players:
        return f"{rules.name} has {rules.players} players, but {len(rules.sides)} sides"
    if rules.to_move(start) == OVER:
        return f"the game is over at the start, {rules.format(start)}"
    return None if rules.begins_turn(start) is True else f"no turn begins at the start, {rules.format(start)}"


def moves_error(rules: Rules[Any], position: Any) -> str | None:
    """Return the error of an unknown player, a player without moves, moves without a player, or a move that is not one word."""
    mover, moves = rules.to_move(position), rules.moves(position)
    if mover not in (CHANCE, OVER) and mover not in range(rules.players):
        return f"{rules.format(position)}: {mover!r} is to move, but players are numbered from 0 to {rules.players - 1}"
    if (mover >= 0) != bool(moves):
        has = "has moves, but no player is to move" if moves else "has no moves, but a player is to move"
        return f"{rules.format(position)} {has}"
    wrong = next((move for move in moves if len(str(move).split()) != 1), None)
    if wrong is not None:
        return f"{rules.format(position)} has the move {wrong!r}, which is not a word"
    return None if len(legal(rules, position)) == len(moves) else f"{rules.format(position)} has two moves with the same text"


def draws_error(rules: Rules[Any], position: Any) -> str | None:
    """Return the error of the outcomes of chance in a position."""
    if rules.to_move(position) != CHANCE:
        return None
    if "chance" not in rules.can:
        return f"chance moves in {rules.format(position)}, but {rules.name} {missing(rules, 'chance')}"
    draws = rules.draws(position)
    for draw in draws:
        error = None
        if not isinstance(draw.probability, Fraction) or draw.probability <= 0:
            error = f"the draw {draw.label!r} has the probability {draw.probability!r}, which is not a fraction above 0"
        elif not isinstance(draw.label, str) or len(draw.label.split()) != 1:
            error = f"a draw has the label {draw.label!r}, which is not a word"
        if error is not None:
            return f"{rules.format(position)}: {error}"
    labels = [draw.label for draw in draws]
    if len(set(labels)) < len(labels):
        return f"{rules.format(position)} has two draws with the same label among {', '.join(labels)}"
    total = sum(draw.probability for draw in draws)
    return None if total == 1 else f"the probabilities of {rules.format(position)} add up to {total}, not to 1"


def turn_error(rules: Rules[Any], turn: list[Any]) -> str | None:
    """Return the error of a position that occurs twice within a turn, or of a game that is over in the middle of a turn."""
    for position in turn:
        begins = rules.begins_turn(position)
        if not isinstance(begins, bool):
            return f"begins_turn of {rules.format(position)} is {begins!r}, but must be True or False"
        if rules.to_move(position) == OVER and not begins:
            return f"the game is over in the middle of a turn: begins_turn is False for {rules.format(position)}"
        if turn.count(position) > 1:
            return f"{rules.format(position)} occurs twice within a turn, so the turn may never end"
    return None


def places_error(rules: Rules[Any], position: Any) -> str | None:
    """Return the error of the ending of a game, or of a game that is over although a player is to move."""
    over, ending = rules.to_move(position) == OVER, rules.result(position)
    if (ending is not None) != over:
        return f"{rules.format(position)} has {'no' if over else 'a'} result, but the game {'is over' if over else 'continues'}"
    if ending is None:
        return None
    places = ending.places
    if not isinstance(places, tuple) or any(type(place) is not int for place in places) or len(places) != rules.players:
        return f"{rules.format(position)} has the places {places!r}, which are not a tuple of {rules.players} whole numbers"
    if any(place != 1 + sum(other < place for other in places) for place in places):
        return f"{rules.format(position)} has the places {places}, but a place is one more than the number of players before it"
    return None


def read_or_error(read: Callable[[str], Any], text: str) -> Any:
    """Return the parsed text, or the error."""
    try:
        return read(text)
    except NotationError as error:
        return error


def notation_error(rules: Rules[Any], position: Any) -> str | None:
    """Return the error of a position, or of a next position, that changes if it is formatted and parsed."""
    for one in (position, *following(rules, position)):
        text = rules.format(one)
        if len(text.splitlines()) != 1:
            return f"{one} is written {text!r}, which is not one line"
        found = read_or_error(rules.parse, text)
        if found != one:
            return f"{one} is written {text!r}, which is read as {found}"
    return None


CONTRACT = (
    Check("start", "The initial position is the start of a turn.", lambda bench, _: [bench.game.initial], start_error),
    Check("moves", "Only the player to move has moves, and each move is one word.", positions, moves_error),
    Check("draws", "The probabilities of all outcomes of chance are fractions that add up to 1.", positions, draws_error),
    Check("turns", "The game never ends in the middle of a turn, and no position repeats within a turn.", turns, turn_error),
    Check("places", "Players have final ranks if the game is over, and not before.", positions, places_error),
    Check("notation", "Parsing the text of a position returns an equal position.", positions, notation_error),
)
"""Checks for every game."""
