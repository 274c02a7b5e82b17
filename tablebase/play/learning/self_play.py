"""A learner that plays against itself, learns from each game by temporal differences, and is measured by the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from tablebase.errors import TablebaseError
from tablebase.game.moves import Position
from tablebase.game.types import Outcome
from tablebase.play.learning.value_function import LARGEST_ORDER, ValueFunction
from tablebase.probe.source import Source

MOST_PLIES = 300
"""Plies after which a game is broken off; the result expected of its last position then counts."""
MEASURED, OPENING = 100, 4
"""Games to measure a learner by, and the plies of random moves that each begins with, as in matches."""
RESULTS = {Outcome.WIN: 1.0, Outcome.DRAW: 0.0, Outcome.LOSS: -1.0}


@dataclass(frozen=True)
class Training:
    """Learning settings; `TablebaseError` if a number is out of range."""

    order: int = 4  # pieces of its largest groups
    rate: float = 0.5  # the share of an error that one step corrects
    exploration: float = 0.1  # probability of a random move
    trace: float = 0.5  # lambda: how much the rest of the game counts beside the next position
    seed: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.order <= LARGEST_ORDER:
            raise TablebaseError(f"the order must be a number of pieces from 1 to {LARGEST_ORDER}, not {self.order}")
        if not 0 < self.rate <= 1:
            raise TablebaseError(f"the learning rate must be above 0 and at most 1, not {self.rate:g}")
        for name in ("exploration", "trace"):
            # This comparison also rejects NaN.
            if not 0 <= getattr(self, name) <= 1:
                raise TablebaseError(f"the {name} must be a number from 0 to 1, not {getattr(self, name):g}")


class RatedPosition(NamedTuple):
    """The best moves of a position, and the result expected of them."""

    moves: list[str]
    expected: float


class Turn(NamedTuple):
    """A position of a training game."""

    position: Position
    best: float  # result expected of its best move
    explored: bool  # whether a random move was made instead


@dataclass(frozen=True)
class Measure:
    """Strength of a learner after a number of games, measured with tables on the positions of its evaluation games."""

    games: int  # of training
    seconds: float  # of training
    positions: int  # that it has met
    kept: float  # share of them in which its move keeps the table's outcome
    choices: int  # positions in which a move can give the outcome away
    kept_in_choices: float | None  # share of those; None if there are none
    error: float  # mean difference of the result that it expects and the table's, from 0 to 2


def best_moves(values: ValueFunction, position: Position, after: Mapping[str, Position]) -> RatedPosition:
    """The best of all moves by the values, all equally good; `after` has what each leads to."""
    expected: dict[str, float] = {}
    going_on: dict[int, dict[str, Position]] = {}
    for move, child in after.items():
        ending = values.game.result(child)
        if ending is None:
            going_on.setdefault(len(child.pieces), {})[move] = child
        else:
            expected[move] = 0.0 if ending.winner is None else 1.0 - 2.0 * ending.winner
    for alike in going_on.values():
        expected |= zip(alike, values.expected(list(alike.values())).tolist(), strict=True)
    best = (max if position.side == 0 else min)(expected.values())
    return RatedPosition([move for move in after if expected[move] == best], best)


def play_alone(values: ValueFunction, start: Position, exploration: float, random: Random) -> list[Turn]:
    """A game of the learner against itself."""
    rules, position = values.game, start
    turns: list[Turn] = []
    while len(turns) < MOST_PLIES and rules.result(position) is None:
        after = rules.moves(position)
        best = best_moves(values, position, after)
        explored = random.random() < exploration
        turns.append(Turn(position, best.expected, explored))
        position = after[random.choice(list(after) if explored else best.moves)]
    return turns


def targets(turns: Sequence[Turn], trace: float) -> list[float]:
    """The result that should have been expected of each position of a game.

    It is the result expected of its best move, mixed with the target of the next position if that move was made.
    """
    found: list[float] = []
    for turn in reversed(turns):
        weight = trace if found and not turn.explored else 0.0
        found.append((1 - weight) * turn.best + (weight * found[-1] if weight else 0.0))
    return found[::-1]


def train(values: ValueFunction, start: Position, training: Training, games: range) -> Iterator[int]:
    """Play games by number and learn from each, yielding the number after each; equal numbers and values give equal games."""
    for number in games:
        turns = play_alone(values, start, training.exploration, Random(f"{training.seed} game {number}"))
        # The end of the game is learned first, where results are certain.
        for turn, target in reversed(list(zip(turns, targets(turns, training.trace), strict=True))):
            values.learn(turn.position, target, training.rate)
        yield number


def measure(values: ValueFunction, start: Position, source: Source[Position], games: int, seconds: float) -> Measure:
    """Play evaluation games with greedy moves from a fixed set of random openings, without learning from them.

    Raise `MissingTableError` if a position is in a missing table.
    """
    rules = values.game
    kept, in_choices, errors = [], [], []
    for number in range(MEASURED):
        random, position = Random(f"opening {number}"), start
        for ply in range(MOST_PLIES):
            if rules.result(position) is not None:
                break
            after = rules.moves(position)
            if ply < OPENING:
                position = after[random.choice(list(after))]
                continue
            move = random.choice(best_moves(values, position, after).moves)
            answer = source.probe(position, strict=True)
            outcomes: dict[str, Any] = {one.move: one.value.outcome for one in answer.moves if one.value is not None}
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
