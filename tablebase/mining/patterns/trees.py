"""Small decision trees for the target, written as SQL; scikit-learn grows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from textwrap import indent
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.patterns.contingency import Codes, Counts
from tablebase.mining.patterns.levels import Condition, Levels

INDENT = "    "
CRITERION = "entropy"


@dataclass(frozen=True)
class Split:
    """A question about one feature."""

    feature: int  # its number among all features
    condition: Condition
    yes: Node  # the next node where the condition holds
    no: Node  # the next node where it does not


Node = Split | int
"""A question, or the number of a leaf."""


@dataclass(frozen=True)
class Tree:
    """A decision tree and its performance on all positions.

    Parameters
    ----------
    depth : int
        Maximum number of conditions that are tested for a position.
    leaves : int
    trained : int
        Number of positions used for training.
    errors : int
        Number of wrong predictions.
    text : str
        The tree as multi-line text.
    sql : str
        SQL expression (CASE) that returns the predicted class.
    """

    depth: int
    leaves: int
    trained: int
    errors: int
    text: str
    sql: str


def available() -> bool:
    """Return whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def grow(levels: Sequence[Levels], codes: Codes, classes: NDArray[np.intp], depth: int, support: float = 0.0) -> Node:
    """Grow a tree by information gain.

    `codes` and `classes` have the level of each feature, and the class, of each training position. `depth` is the most
    questions about a position, `support` the least share of the training positions that reach a leaf.
    """
    from sklearn.tree import DecisionTreeClassifier

    # For a text, one question per word; for a number, a single one (None) with any threshold.
    asked = (range(len(feature.conditions)) if feature.kind == "text" else [None] for feature in levels)
    questions = [(number, level) for number, some in enumerate(asked) for level in some]
    if not questions:
        return 0
    inputs = np.empty((len(classes), len(questions)), dtype=np.float32)
    for column, (feature, level) in enumerate(questions):
        inputs[:, column] = codes[feature] if level is None else codes[feature] != level
    least = max(1, ceil(support * len(classes)))
    grower = DecisionTreeClassifier(criterion=CRITERION, max_depth=depth, min_samples_leaf=least, random_state=0)
    grown = grower.fit(inputs, classes).tree_
    leaf_numbers = iter(range(len(grown.feature)))

    def node(number: int) -> Node:
        if grown.children_left[number] < 0:
            return next(leaf_numbers)
        feature, level = questions[grown.feature[number]]
        condition = levels[feature].up_to(int(grown.threshold[number])) if level is None else levels[feature].compare("=", level)
        return Split(feature, condition, node(grown.children_left[number]), node(grown.children_right[number]))

    return node(0)


def leaves(node: Node) -> int:
    """Number of leaves."""
    return leaves(node.yes) + leaves(node.no) if isinstance(node, Split) else 1


def leaf_of(node: Node, codes: Codes) -> NDArray[Any]:
    """The number of the leaf that each position reaches; a single number for all if the tree has no questions."""
    if isinstance(node, Split):
        return np.where(node.condition.holds[codes[node.feature]], leaf_of(node.yes, codes), leaf_of(node.no, codes))
    return np.array(node)


def judge(node: Node, counts: Counts, words: Sequence[str], trained: int) -> Tree:
    """A tree whose leaves predict the most common class of all positions that reach them.

    `counts`, of shape (leaves, classes), has all positions; `words` are the classes, and `trained` is the number of positions
    that the tree was grown from. Questions that do not affect the prediction are left out.
    """

    def leaf(classes: Counts) -> tuple[Tree, Counts]:
        word, most, of = words[int(classes.argmax())], int(classes.max()), int(classes.sum())
        return Tree(0, 1, trained, of - most, f"{word} ({100 * most / of:.1f} % of {of:,})", f"'{word}'"), classes

    def judged(node: Node) -> tuple[Tree, Counts | None]:
        """A part of the tree and, if it is a leaf, its positions of each class."""
        if not isinstance(node, Split):
            return leaf(counts[node])
        (yes, one), (no, other) = judged(node.yes), judged(node.no)
        if one is not None and other is not None and yes.sql == no.sql:
            return leaf(one + other)
        branches = (f"if {node.condition.sql}:", yes, one), ("else:", no, other)
        lines = [f"{word}\n{indent(part.text, INDENT)}" if its is None else f"{word} {part.text}" for word, part, its in branches]
        sql = f"CASE WHEN {node.condition.sql} THEN {yes.sql} ELSE {no.sql} END"
        depth, errors = 1 + max(yes.depth, no.depth), yes.errors + no.errors
        return Tree(depth, yes.leaves + no.leaves, trained, errors, "\n".join(lines), sql), None

    return judged(node)[0]
