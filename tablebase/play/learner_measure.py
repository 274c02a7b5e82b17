"""How well a learner plays, by the tables: in the positions that it meets in games against itself."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tablebase.game.moves import Position
from tablebase.game.types import Outcome
from tablebase.play.self_play import MOST_PLIES, best_moves
from tablebase.play.value_function import ValueFunction
from tablebase.probe.source import Source

GAMES = 100
OPENING = 4
"""Plies of random moves that each game begins with, as in matches."""
RESULTS = {Outcome.WIN: 1.0, Outcome.DRAW: 0.0, Outcome.LOSS: -1.0}


@dataclass(frozen=True)
class Measure:
    """What a learner does after so many games."""

    games: int  # of training
    seconds: float  # of training
    positions: int  # that it has met
    kept: float  # share of them in which its move keeps the table's outcome
    choices: int  # positions in which a move can give the outcome away
    kept_in_choices: float | None  # share of those; None if there are none
    error: float  # mean difference of the result that it expects and the table's, from 0 to 2


def measure(values: ValueFunction, start: Position, source: Source[Position], games: int, seconds: float) -> Measure:
    """Play games with the best moves by the values, behind random openings that are always the same; it learns nothing from them.

    `MissingTableError` if the tables do not know a position.
    """
    rules = values.game
    kept, in_choices, errors = [], [], []
    for number in range(GAMES):
        random, position = Random(f"opening {number}"), start
        for ply in range(MOST_PLIES):
            if rules.result(position) is not None:
                break
            after = rules.moves(position)
            if ply < OPENING:
                position = after[random.choice(list(after))]
                continue
            move = random.choice(best_moves(values, position, after).moves)
            outcomes = _outcomes(source, position)
            best = next(iter(outcomes.values()))
            kept.append(outcomes[move] is best)
            if len(set(outcomes.values())) > 1:
                in_choices.append(kept[-1])
            result = RESULTS[best] * (1 - 2 * position.side)
            errors.append(abs(result - float(values.expected([position])[0])))
            position = after[move]
    total = max(len(kept), 1)
    right = sum(in_choices) / len(in_choices) if in_choices else None
    return Measure(games, seconds, len(kept), sum(kept) / total, len(in_choices), right, sum(errors) / total)


def _outcomes(source: Source[Position], position: Position) -> dict[str, Any]:
    """The outcome of each move for the side that makes it, the best move first."""
    rated = source.probe(position, strict=True).moves
    return {one.move: one.value.outcome for one in rated if one.value is not None}
