"""What positions of Dou Shou Qi are worth to a search.

A piece has the value of its animal, one for each step that it is nearer to the other den than `HORIZON` steps, walking,
swimming or leaping as it can, and one of the last three steps, the last of which is in a trap. A piece in a trap of its own
side guards its den. The rat hunts the elephant. The weights were fitted by `scripts/tune_evaluation.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablebase.game import Duel, Evaluation, Kind
from tablebase_rules._jungle import ANIMALS, BOARD, TRAPS

HORIZON = 12
NEAR = 3
WEIGHTS: Mapping[str, int] = {
    "R": 500,
    "C": 200,
    "W": 250,
    "D": 300,
    "P": 500,
    "T": 750,
    "L": 850,
    "E": 900,
    **{f"{animal} nearer": 8 for animal in ANIMALS},
    "near 1": 60,
    "near 2": 40,
    "near 3": 20,
    "own trap": 10,
    "mobility": 2,
    **{f"hunt {steps}": 20 for steps in (1, 2, 3)},
    **{f"race {steps}": 400 - 30 * steps for steps in range(1, 10)},
}
"""The weight of each term, in hundredths of a piece."""


def evaluation(kinds: Sequence[Kind], weights: Mapping[str, int] = WEIGHTS) -> Evaluation:
    """The evaluation with these weights."""
    hunted = (0, *(weights[f"hunt {steps}"] for steps in (1, 2, 3)))
    return Evaluation(
        squares={kind.symbol: tuple(_value(kind, square, weights) for square in range(len(BOARD))) for kind in kinds},
        mobility=weights["mobility"],
        duels=(Duel("R", "e", hunted), Duel("r", "E", hunted)),
        race=(0, *(weights[f"race {steps}"] for steps in range(1, 10))),
    )


def _value(kind: Kind, square: int, weights: Mapping[str, int]) -> int:
    """The value of an animal on a square."""
    animal, steps = kind.symbol.upper(), _steps_to_den(kind).get(square, HORIZON)
    value = weights[animal] + weights[f"{animal} nearer"] * max(0, HORIZON - steps)
    if 1 <= steps <= NEAR:
        value += weights[f"near {steps}"]
    if square in TRAPS[kind.side]:
        value += weights["own trap"]
    return value


def _steps_to_den(kind: Kind) -> dict[int, int]:
    """Steps from each square to the other den on an empty board."""
    steps: dict[int, int] = {step.target: 0 for step in kind.steps if step.wins}
    count = 0
    while edge := [step.origin for step in kind.steps if steps.get(step.target) == count and step.origin not in steps]:
        count += 1
        steps.update(dict.fromkeys(edge, count))
    return steps
