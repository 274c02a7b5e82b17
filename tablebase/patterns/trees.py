"""Small decision trees for the outcome, written as SQL; scikit-learn grows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.column import OUTCOMES
from tablebase.patterns.contingency import Codes, Counts
from tablebase.patterns.levels import Condition, Levels

INDENT = "    "


@dataclass(frozen=True)
class Leaf:
    """A leaf; it has the numbers of all leaves that were merged into it."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Split:
    """A question about one feature.

    Parameters
    ----------
    feature : int
        Its number among all features.
    condition : Condition
    yes, no : Leaf or Split
        The next node where the condition holds, and where it does not.
    """

    feature: int
    condition: Condition
    yes: Node
    no: Node


Node = Leaf | Split


@dataclass(frozen=True)
class Tree:
    """A decision tree and its performance on all positions of a slice.

    Parameters
    ----------
    depth : int
        Maximum number of questions about a position.
    leaves : int
    trained : int
        Number of positions it was grown from.
    errors : int
        Number of positions of the slice whose outcome it predicts wrongly.
    text : str
        For people, in several lines.
    sql : str
        A CASE expression that returns the prediction.
    """

    depth: int
    leaves: int
    trained: int
    errors: int
    text: str
    sql: str


def available() -> bool:
    """Whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def grow(levels: Sequence[Levels], codes: Codes, outcomes: NDArray[np.intp], depth: int) -> Node:
    """Grow a tree by information gain.

    Parameters
    ----------
    levels : sequence of Levels
    codes : sequence of ndarray, shape (positions,)
        The level of each feature in the training positions.
    outcomes : ndarray of intp, shape (positions,)
    depth : int
        Maximum number of questions about a position.
    """
    from sklearn.tree import DecisionTreeClassifier

    questions = [(number, level) for number, feature in enumerate(levels) for level in _split_levels(feature)]
    if not questions:
        return Leaf((0,))
    inputs = np.empty((len(outcomes), len(questions)), dtype=np.float32)
    for column, (feature, level) in enumerate(questions):
        inputs[:, column] = codes[feature] if level is None else codes[feature] != level
    grown = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(inputs, outcomes).tree_
    leaf_numbers = iter(range(len(grown.feature)))

    def node(number: int) -> Node:
        if grown.children_left[number] < 0:
            return Leaf((next(leaf_numbers),))
        feature, level = questions[grown.feature[number]]
        condition = levels[feature].up_to(int(grown.threshold[number])) if level is None else levels[feature].equal(level)
        return Split(feature, condition, node(grown.children_left[number]), node(grown.children_right[number]))

    return node(0)


def _split_levels(levels: Levels) -> list[int | None]:
    """The questions about a feature: for a text, one per word; for a number, a single one (None) with any threshold."""
    return [None] if levels.ordered else list(range(len(levels)))


def leaves(node: Node) -> int:
    """Number of leaves."""
    return 1 if isinstance(node, Leaf) else leaves(node.yes) + leaves(node.no)


def leaf_of(node: Node, codes: Codes) -> NDArray[Any]:
    """The number of the leaf that each position reaches; a single number for all if the tree has no questions."""
    if isinstance(node, Leaf):
        return np.array(node.numbers[0])
    return np.where(node.condition.holds[codes[node.feature]], leaf_of(node.yes, codes), leaf_of(node.no, codes))


def judge(node: Node, counts: Counts, trained: int) -> Tree:
    """A tree whose leaves predict the most common outcome of all positions that reach them.

    Parameters
    ----------
    node : Leaf or Split
    counts : ndarray of int64, shape (leaves, outcomes)
        All positions of the slice.
    trained : int
    """
    merged = _merged(node, counts)
    errors = int(counts.sum() - _correct(merged, counts))
    return Tree(_depth(merged), leaves(merged), trained, errors, "\n".join(_lines(merged, counts)), _case(merged, counts))


def _merged(node: Node, counts: Counts) -> Node:
    """The tree without questions that do not affect the prediction."""
    if isinstance(node, Leaf):
        return node
    yes, no = _merged(node.yes, counts), _merged(node.no, counts)
    if isinstance(yes, Leaf) and isinstance(no, Leaf) and _prediction(yes, counts) == _prediction(no, counts):
        return Leaf(yes.numbers + no.numbers)
    return Split(node.feature, node.condition, yes, no)


def _depth(node: Node) -> int:
    return 0 if isinstance(node, Leaf) else 1 + max(_depth(node.yes), _depth(node.no))


def _correct(node: Node, counts: Counts) -> int:
    """Number of positions that are predicted correctly."""
    if isinstance(node, Leaf):
        return int(_outcomes(node, counts).max())
    return _correct(node.yes, counts) + _correct(node.no, counts)


def _outcomes(leaf: Leaf, counts: Counts) -> Counts:
    """Counts by outcome of the positions that reach a leaf."""
    outcomes: Counts = counts[list(leaf.numbers)].sum(axis=0)
    return outcomes


def _prediction(leaf: Leaf, counts: Counts) -> str:
    return str(OUTCOMES[int(_outcomes(leaf, counts).argmax())])


def _lines(node: Node, counts: Counts) -> list[str]:
    if isinstance(node, Leaf):
        outcomes = _outcomes(node, counts)
        return [f"{_prediction(node, counts)} ({100 * outcomes.max() / outcomes.sum():.1f} % of {outcomes.sum():,})"]
    lines = []
    for word, branch in ((f"if {node.condition.sql}", node.yes), ("else", node.no)):
        below = _lines(branch, counts)
        lines += [f"{word}: {below[0]}"] if isinstance(branch, Leaf) else [f"{word}:", *(INDENT + line for line in below)]
    return lines


def _case(node: Node, counts: Counts) -> str:
    if isinstance(node, Leaf):
        return f"'{_prediction(node, counts)}'"
    return f"CASE WHEN {node.condition.sql} THEN {_case(node.yes, counts)} ELSE {_case(node.no, counts)} END"
