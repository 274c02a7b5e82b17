"""Small decision trees for the outcome, written as SQL; scikit-learn grows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.mining.columns import OUTCOMES
from tablebase.patterns.contingency import Codes, Counts
from tablebase.patterns.levels import Condition, Levels

INDENT = "    "


@dataclass(frozen=True)
class Leaf:
    """Where a position comes to; the numbers of one leaf, or of several that were made one."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Split:
    """A question about one feature.

    Parameters
    ----------
    feature : int
        Its place among all features.
    condition : Condition
    yes, no : Leaf or Split
        What is next where the condition holds, and where not.
    """

    feature: int
    condition: Condition
    yes: Node
    no: Node


Node = Leaf | Split


@dataclass(frozen=True)
class Tree:
    """A decision tree and what it does to all positions of a slice.

    Parameters
    ----------
    depth : int
        Most questions that are asked of a position.
    leaves : int
    trained : int
        Positions it was grown from.
    errors : int
        Positions of the slice whose outcome it guesses wrong.
    text : str
        For people, in several lines.
    sql : str
        A CASE expression that gives the guess.
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
        The level of each feature, of the positions to learn from.
    outcomes : ndarray of intp, shape (positions,)
    depth : int
        Most questions that may be asked of a position.
    """
    from sklearn.tree import DecisionTreeClassifier

    questions = [(place, level) for place, one in enumerate(levels) for level in _asked(one)]
    if not questions:
        return Leaf((0,))
    known = np.empty((len(outcomes), len(questions)), dtype=np.float32)
    for column, (place, level) in enumerate(questions):
        known[:, column] = codes[place] if level is None else codes[place] != level
    grown = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(known, outcomes).tree_
    numbers = iter(range(len(grown.feature)))

    def node(place: int) -> Node:
        if grown.children_left[place] < 0:
            return Leaf((next(numbers),))
        feature, level = questions[grown.feature[place]]
        condition = levels[feature].up_to(int(grown.threshold[place])) if level is None else levels[feature].equal(level)
        return Split(feature, condition, node(grown.children_left[place]), node(grown.children_right[place]))

    return node(0)


def _asked(levels: Levels) -> list[int | None]:
    """What a tree may ask of a feature: where a number ends, or whether a text is one of its words."""
    return [None] if levels.ordered else list(range(len(levels)))


def leaves(node: Node) -> int:
    """Number of leaves."""
    return 1 if isinstance(node, Leaf) else leaves(node.yes) + leaves(node.no)


def leaf_of(node: Node, codes: Codes) -> NDArray[Any]:
    """The number of the leaf that each position comes to; one number for all if no question is asked."""
    if isinstance(node, Leaf):
        return np.array(node.numbers[0])
    return np.where(node.condition.holds[codes[node.feature]], leaf_of(node.yes, codes), leaf_of(node.no, codes))


def judge(node: Node, counts: Counts, trained: int) -> Tree:
    """A tree whose leaves name the commonest outcome of all positions that come to them.

    Parameters
    ----------
    node : Leaf or Split
    counts : ndarray of int64, shape (leaves, outcomes)
        All positions of the slice.
    trained : int
    """
    plain = _merged(node, counts)
    wrong = int(counts.sum() - _right(plain, counts))
    return Tree(_depth(plain), leaves(plain), trained, wrong, "\n".join(_lines(plain, counts)), _case(plain, counts))


def _merged(node: Node, counts: Counts) -> Node:
    """The tree without questions whose answer changes nothing."""
    if isinstance(node, Leaf):
        return node
    yes, no = _merged(node.yes, counts), _merged(node.no, counts)
    if isinstance(yes, Leaf) and isinstance(no, Leaf) and _guess(yes, counts) == _guess(no, counts):
        return Leaf(yes.numbers + no.numbers)
    return Split(node.feature, node.condition, yes, no)


def _depth(node: Node) -> int:
    return 0 if isinstance(node, Leaf) else 1 + max(_depth(node.yes), _depth(node.no))


def _right(node: Node, counts: Counts) -> int:
    """Positions that are guessed right."""
    if isinstance(node, Leaf):
        return int(_at(node, counts).max())
    return _right(node.yes, counts) + _right(node.no, counts)


def _at(leaf: Leaf, counts: Counts) -> Counts:
    """Outcomes of the positions that come to a leaf."""
    found: Counts = counts[list(leaf.numbers)].sum(axis=0)
    return found


def _guess(leaf: Leaf, counts: Counts) -> str:
    return str(OUTCOMES[int(_at(leaf, counts).argmax())])


def _lines(node: Node, counts: Counts) -> list[str]:
    if isinstance(node, Leaf):
        there = _at(node, counts)
        return [f"{_guess(node, counts)} ({100 * there.max() / there.sum():.1f} % of {there.sum():,})"]
    found = []
    for word, way in ((f"if {node.condition.sql}", node.yes), ("else", node.no)):
        below = _lines(way, counts)
        found += [f"{word}: {below[0]}"] if isinstance(way, Leaf) else [f"{word}:", *(INDENT + line for line in below)]
    return found


def _case(node: Node, counts: Counts) -> str:
    if isinstance(node, Leaf):
        return f"'{_guess(node, counts)}'"
    return f"CASE WHEN {node.condition.sql} THEN {_case(node.yes, counts)} ELSE {_case(node.no, counts)} END"
