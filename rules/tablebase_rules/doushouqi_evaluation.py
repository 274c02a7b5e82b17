"""What positions of Dou Shou Qi are worth to a search.

A piece has the value of its animal, one for each step that it is nearer to the other den than `HORIZON` steps, walking,
swimming or leaping as it can, and one of the last three steps, the last of which is in a trap. A piece in a trap of its own
side guards its den. The rat hunts the elephant. The weights were fitted to games of the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablebase.game import Duel, Evaluation, Kind
from tablebase_rules._jungle import Field

HORIZON = 12
NEAR = 3
WEIGHTS: Mapping[str, int] = {
    "R": 282,
    "C": 171,
    "W": 191,
    "D": 169,
    "P": 368,
    "T": 470,
    "L": 597,
    "E": 522,
    "R nearer": 1,
    "C nearer": -6,
    "W nearer": -11,
    "D nearer": -2,
    "P nearer": -13,
    "T nearer": 1,
    "L nearer": 2,
    "E nearer": 13,
    "near 1": 1278,
    "near 2": 129,
    "near 3": 108,
    "own trap": 0,
    "mobility": 5,
    "hunt 1": 29,
    "hunt 2": -1,
    "hunt 3": -19,
    "race 1": 656,
    "race 2": 889,
    "race 3": 310,
    "race 4": 280,
    "race 5": 250,
    "race 6": 220,
    "race 7": 190,
    "race 8": 160,
    "race 9": 130,
}
"""The weight of each term, in hundredths of a piece."""


def evaluation(kinds: Sequence[Kind], field: Field, weights: Mapping[str, int] = WEIGHTS) -> Evaluation:
    """The evaluation with these weights."""
    hunted = (0, *(weights[f"hunt {steps}"] for steps in (1, 2, 3)))
    present = {kind.symbol for kind in kinds}
    return Evaluation(
        squares={kind.symbol: _values(kind, field, weights) for kind in kinds},
        mobility=weights["mobility"],
        duels=tuple(Duel(rat, elephant, hunted) for rat, elephant in ("Re", "rE") if {rat, elephant} <= present),
        race=(0, *(weights[f"race {steps}"] for steps in range(1, 10))),
    )


def _values(kind: Kind, field: Field, weights: Mapping[str, int]) -> tuple[int, ...]:
    """The value of an animal on each square."""
    steps = _steps_to_den(kind)
    own = field.traps[kind.side]
    return tuple(_value(kind, square in own, steps.get(square, HORIZON), weights) for square in range(len(field.board)))


def _value(kind: Kind, guarding: bool, steps: int, weights: Mapping[str, int]) -> int:
    """The value of an animal on a square, by whether it is a trap of its side, and by its steps from the other den."""
    animal = kind.symbol.upper()
    value = weights[animal] + weights[f"{animal} nearer"] * max(0, HORIZON - steps)
    if 1 <= steps <= NEAR:
        value += weights[f"near {steps}"]
    return value + weights["own trap"] if guarding else value


def _steps_to_den(kind: Kind) -> dict[int, int]:
    """Steps from each square to the other den on an empty board."""
    steps: dict[int, int] = {step.target: 0 for step in kind.steps if step.wins}
    count = 0
    while edge := [step.origin for step in kind.steps if steps.get(step.target) == count and step.origin not in steps]:
        count += 1
        steps.update(dict.fromkeys(edge, count))
    return steps
