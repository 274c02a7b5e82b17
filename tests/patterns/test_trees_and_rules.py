"""Trees and rules of a few positions, made by hand."""

from __future__ import annotations

import numpy as np

from tablebase.mining.column import OUTCOMES
from tablebase.patterns.contingency import Plan, Tables, count
from tablebase.patterns.levels import Levels
from tablebase.patterns.rules import rules
from tablebase.patterns.trees import Leaf, Split, judge

ODD = Levels("odd", "int", np.arange(3, dtype=np.int16))
WORDS = tuple(map(str, OUTCOMES))
OUTCOME = {str(outcome): number for number, outcome in enumerate(OUTCOMES)}


def leaf_counts(*leaves: dict[str, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Positions that reach each leaf, by outcome."""
    return np.array([[leaf.get(outcome, 0) for outcome in OUTCOME] for leaf in leaves], dtype=np.int64)


def test_a_question_that_changes_nothing_is_not_asked() -> None:
    """Leaves that predict the same are one leaf, also where one of them was two."""
    tree = Split(0, ODD.equal(0), Leaf((0,)), Split(0, ODD.equal(1), Leaf((1,)), Leaf((2,))))
    one = judge(tree, leaf_counts({"win": 9, "loss": 2}, {"win": 3, "draw": 1}, {"win": 5}), WORDS, 20)
    assert (one.leaves, one.depth, one.errors, one.sql) == (1, 0, 3, "'win'")
    assert one.text == "win (85.0 % of 20)"
    two = judge(tree, leaf_counts({"loss": 9, "win": 2}, {"win": 3, "draw": 1}, {"win": 5}), WORDS, 20)
    assert (two.leaves, two.depth, two.errors, two.sql) == (2, 1, 3, "CASE WHEN odd = 0 THEN 'loss' ELSE 'win' END")


def test_rules_that_the_sample_does_not_show() -> None:
    """A rule of positions that are not in the sample is kept, for nothing shows that a broader one contains it."""
    values = np.repeat([0, 1, 1, 2], [50, 3, 4, 5])
    outcomes = np.repeat([OUTCOME[name] for name in ("win", "win", "loss", "win")], [50, 3, 4, 5])
    plan = Plan((3,), (), len(WORDS))
    counts = plan.zeros()
    count(plan, [values], None, outcomes, counts)
    found = rules([ODD], WORDS, Tables(plan, counts), [values[values != 2]])
    assert [(one.value, one.condition, one.positions) for one in found] == [("win", "odd = 0", 50), ("win", "odd = 2", 5)]
