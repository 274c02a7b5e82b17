"""Small decision trees for the target, written as SQL; scikit-learn grows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.patterns.gains import Codes, Counts
from tablebase.mining.patterns.levels import Condition, Levels

INDENT = "    "
CRITERION = "entropy"


@dataclass(frozen=True)
class Leaf:
    """A leaf; it has the numbers of all leaves that were merged into it."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Split:
    """A question about one feature."""

    feature: int  # its number among all features
    condition: Condition
    yes: Node  # the next node where the condition holds
    no: Node  # the next node where it does not


Node = Leaf | Split


@dataclass(frozen=True)
class Tree:
    """A decision tree and its performance on all positions.

    Parameters
    ----------
    depth : int
        Maximum number of questions about a position.
    leaves : int
    trained : int
        Number of positions it was grown from.
    errors : int
        Number of positions that it assigns a wrong class.
    text : str
        The tree in words, in several lines.
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
    """Return whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def grow(levels: Sequence[Levels], codes: Codes, classes: NDArray[np.intp], depth: int, support: float = 0.0) -> Node:
    """Grow a tree by information gain.

    `codes` and `classes` have the level of each feature, and the class, of each training position. `depth` is the most
    questions about a position, `support` the least share of the training positions that reach a leaf.
    """
    from sklearn.tree import DecisionTreeClassifier

    # For a text, one question per word; for a number, a single one (None) with any threshold.
    asked = ([None] if feature.ordered else range(len(feature.conditions)) for feature in levels)
    questions = [(number, level) for number, some in enumerate(asked) for level in some]
    if not questions:
        return Leaf((0,))
    inputs = np.empty((len(classes), len(questions)), dtype=np.float32)
    for column, (feature, level) in enumerate(questions):
        inputs[:, column] = codes[feature] if level is None else codes[feature] != level
    least = max(1, ceil(support * len(classes)))
    grower = DecisionTreeClassifier(criterion=CRITERION, max_depth=depth, min_samples_leaf=least, random_state=0)
    grown = grower.fit(inputs, classes).tree_
    leaf_numbers = iter(range(len(grown.feature)))

    def node(number: int) -> Node:
        if grown.children_left[number] < 0:
            return Leaf((next(leaf_numbers),))
        feature, level = questions[grown.feature[number]]
        condition = levels[feature].up_to(int(grown.threshold[number])) if level is None else levels[feature].equal(level)
        return Split(feature, condition, node(grown.children_left[number]), node(grown.children_right[number]))

    return node(0)


def leaves(node: Node) -> int:
    """Number of leaves."""
    return 1 if isinstance(node, Leaf) else leaves(node.yes) + leaves(node.no)


def leaf_of(node: Node, codes: Codes) -> NDArray[Any]:
    """The number of the leaf that each position reaches; a single number for all if the tree has no questions."""
    if isinstance(node, Leaf):
        return np.array(node.numbers[0])
    return np.where(node.condition.holds[codes[node.feature]], leaf_of(node.yes, codes), leaf_of(node.no, codes))


def judge(node: Node, counts: Counts, words: Sequence[str], trained: int) -> Tree:
    """A tree whose leaves predict the most common class of all positions that reach them.

    `counts`, of shape (leaves, classes), has all positions; `words` are the classes, and `trained` is the number of positions
    that the tree was grown from.
    """
    reached = _Reached(counts, words)
    merged = reached.merged(node)
    errors = int(counts.sum()) - reached.correct(merged)
    return Tree(_depth(merged), leaves(merged), trained, errors, "\n".join(reached.lines(merged)), reached.case(merged))


def _depth(node: Node) -> int:
    return 0 if isinstance(node, Leaf) else 1 + max(_depth(node.yes), _depth(node.no))


@dataclass(frozen=True)
class _Reached:
    """All positions by the leaf that they reach and by class, and the names of the classes."""

    counts: Counts
    words: Sequence[str]

    def merged(self, node: Node) -> Node:
        """The tree without questions that do not affect the prediction."""
        if isinstance(node, Leaf):
            return node
        yes, no = self.merged(node.yes), self.merged(node.no)
        if isinstance(yes, Leaf) and isinstance(no, Leaf) and self._prediction(yes) == self._prediction(no):
            return Leaf(yes.numbers + no.numbers)
        return Split(node.feature, node.condition, yes, no)

    def correct(self, node: Node) -> int:
        """Number of positions that are predicted correctly."""
        return int(self._classes(node).max()) if isinstance(node, Leaf) else self.correct(node.yes) + self.correct(node.no)

    def _classes(self, leaf: Leaf) -> Counts:
        """Counts by class of the positions that reach a leaf."""
        classes: Counts = self.counts[list(leaf.numbers)].sum(axis=0)
        return classes

    def _prediction(self, leaf: Leaf) -> str:
        return self.words[int(self._classes(leaf).argmax())]

    def lines(self, node: Node) -> list[str]:
        """For people."""
        if isinstance(node, Leaf):
            classes = self._classes(node)
            return [f"{self._prediction(node)} ({100 * classes.max() / classes.sum():.1f} % of {classes.sum():,})"]
        lines = []
        for word, branch in ((f"if {node.condition.sql}", node.yes), ("else", node.no)):
            below = self.lines(branch)
            lines += [f"{word}: {below[0]}"] if isinstance(branch, Leaf) else [f"{word}:", *(INDENT + line for line in below)]
        return lines

    def case(self, node: Node) -> str:
        """As SQL."""
        if isinstance(node, Leaf):
            return f"'{self._prediction(node)}'"
        return f"CASE WHEN {node.condition.sql} THEN {self.case(node.yes)} ELSE {self.case(node.no)} END"
