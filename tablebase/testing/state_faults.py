"""Faults of a `StochasticGame`, found one state at a time by its plain functions.

Each fault function checks one case and returns a sentence that describes the fault, or None.
`tablebase.testing.states` supplies the cases.
"""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from typing import Any, NamedTuple

from tablebase.errors import NotationError
from tablebase.game.stochastic import CHANCE, OVER, Draw, State, StochasticGame
from tablebase.testing.playouts import following

KNOWN_DIGEST = "digest"
"""Where `StochasticGame.digest` keeps what it has computed."""


class Turn(NamedTuple):
    """The states of a turn, one after the other."""

    states: list[State]


def start_fault(game: StochasticGame, start: State) -> str | None:
    """Why no game can begin with this state."""
    if game.players < 2:
        return f"{game.name} has {game.players} players, but a game needs two or more"
    if (fault := _shape_fault(game, start)) is not None:
        return f"the start is no state: {fault}"
    if game.to_move(start) == OVER:
        return f"the game is over at the start, {game.format(start)}"
    return None if game.begins_turn(start) is True else f"no turn begins at the start, {game.format(start)}"


def _shape_fault(game: StochasticGame, state: Any) -> str | None:
    """Why something is no state."""
    if not isinstance(state, tuple) or any(type(number) is not int for number in state):
        return f"{state!r} is not a tuple of whole numbers"
    if len(state) != len(game.start):
        return f"{state!r} has {len(state)} numbers, but the start has {len(game.start)}"
    mover = game.to_move(state)
    if mover not in (CHANCE, OVER) and mover not in range(game.players):
        return f"in {state!r} the player to move is {mover!r}, but players are numbered from 0 to {game.players - 1}"
    return None


def state_fault(game: StochasticGame, state: State) -> str | None:
    """Something that follows a state and is none."""
    for after in following(game, state):
        if (fault := _shape_fault(game, after)) is not None:
            return f"after {game.format(state)}: {fault}"
    return None


def moves_fault(game: StochasticGame, state: State) -> str | None:
    """A player without moves, moves without a player, or a code that is not a number."""
    codes = list(game.moves(state))
    if (game.to_move(state) >= 0) != bool(codes):
        has = "has moves, but no player is to move" if codes else "has no moves, but a player is to move"
        return f"{game.format(state)} {has}"
    wrong = next((code for code in codes if type(code) is not int), None)
    return None if wrong is None else f"{game.format(state)} has a move with the code {wrong!r}, which is not a whole number"


def draws_fault(game: StochasticGame, state: State) -> str | None:
    """What is wrong with the outcomes of a state in which chance moves."""
    if game.to_move(state) != CHANCE:
        return None
    draws = game.draws(state)
    for draw in draws:
        if (fault := _draw_fault(draw)) is not None:
            return f"{game.format(state)}: {fault}"
    labels = [draw.label for draw in draws]
    if len(set(labels)) < len(labels):
        return f"{game.format(state)} has two draws with one label among {', '.join(labels)}"
    total = sum(draw.probability for draw in draws)
    return None if total == 1 else f"the probabilities of {game.format(state)} add up to {total}, not to 1"


def _draw_fault(draw: Draw) -> str | None:
    """What is wrong with one outcome of chance."""
    if not isinstance(draw.probability, Fraction) or draw.probability <= 0:
        return f"the draw {draw.label!r} has the probability {draw.probability!r}, which is not a fraction above 0"
    if not isinstance(draw.label, str) or len(draw.label.split()) != 1:
        return f"a draw has the label {draw.label!r}, which is not a word"
    return None


def turn_fault(game: StochasticGame, turn: Turn) -> str | None:
    """A state that comes twice within a turn, or a turn that the end of the game does not end."""
    for state in turn.states:
        begins = game.begins_turn(state)
        if not isinstance(begins, bool):
            return f"whether a turn begins with {game.format(state)} is {begins!r}, not True or False"
        if game.to_move(state) == OVER and not begins:
            return f"the game is over in the middle of a turn: begins_turn is False for {game.format(state)}"
        if turn.states.count(state) > 1:
            return f"{game.format(state)} comes twice within a turn, which may never end"
    return None


def places_fault(game: StochasticGame, state: State) -> str | None:
    """What is wrong with the players' places where the game is over."""
    if game.to_move(state) != OVER:
        return None
    places = game.places(state)
    if not isinstance(places, tuple) or any(type(place) is not int for place in places) or len(places) != game.players:
        return f"{game.format(state)} has the places {places!r}, which are not a tuple of {game.players} whole numbers"
    if any(place != 1 + sum(other < place for other in places) for place in places):
        return f"{game.format(state)} has the places {places}, but a place is one more than the number of players before it"
    return None


def notation_fault(game: StochasticGame, state: State) -> str | None:
    """A state, or one that follows it, that changes when it is written and read."""
    for one in (state, *following(game, state)):
        text = game.format(one)
        if len(text.splitlines()) != 1:
            return f"{one} is written {text!r}, which is not one line"
        try:
            found: object = game.parse(text)
        except NotationError as error:
            found = error
        if found != one:
            return f"{one} is written {text!r}, which is read as {found}"
    return None


def digest_fault(game: StochasticGame, how: str) -> str | None:
    """Options that are no options, or a digest that changes when the game is built again."""
    for name, value in game.options.items():
        if type(name) is not str or type(value) not in (int, str):
            return f"the option {name!r} is {value!r}, but options are words with whole numbers or words"
    again = deepcopy(game)
    vars(again).pop(KNOWN_DIGEST, None)
    return None if again.digest == game.digest else f"built again {how}, {game.name} has digest {again.digest}, not {game.digest}"
