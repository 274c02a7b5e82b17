"""Features of states of Pig, as the player to move sees them."""

from __future__ import annotations

from tablebase.features import feature

State = tuple[int, ...]


@feature()
def score(states: list[State]) -> list[int]:
    """Score of the player to move."""
    return [state[state[-3]] for state in states]


@feature()
def other_score(states: list[State]) -> list[int]:
    """Score of the other player."""
    return [state[1 - state[-3]] for state in states]


@feature()
def turn_total(states: list[State]) -> list[int]:
    """Total of the turn, which holding adds to the score."""
    return [state[-2] for state in states]


FEATURES = (score, other_score, turn_total)
