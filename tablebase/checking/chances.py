"""Verify the chances of a layer: its bytes, its counts, and every state one choice deep.

A stored chance must not exceed what follows from the chances of the states after it, and must not fall far below; in a generous
region, it must be what follows, rounded up. This shares
the rules' kernels with the solver, but neither its way through a turn nor its arithmetic: all states up to the next stored
ones are listed first, as a tree, and then folded from the leaves to the root.

That the states of a run are alike is not taken on trust: the trees of the first one, the last one and one between must fit
together; otherwise each state is checked by its own tree.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from tablebase.errors import CorruptTableError
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.files import LayerFile, count
from tablebase.game.kernels import CHANCE, OVER, STATE, WEIGHT, Int64, Kernels, Layer, Region
from tablebase.system.compute.jit import inline, jit
from tablebase.system.compute.pointers import borrowed
from tablebase.tables.folder import check_seal

SLACK = UNIT >> 40
"""Chances may be this much lower than what follows from others, since the iteration stops before it comes to rest."""
GRAIN = 1 << 15
"""States that a thread checks at a time, or a block if that has more."""
NODES = 1 << 10
"""Nodes for which there is space at first."""


def verify_layer(kernels: Kernels, file: LayerFile, chances: Int64, threads: int = 1) -> None:
    """Check the file of a layer, which may still be a draft; a `CorruptTableError` names the file and the first error.

    `chances`, of shape (2, region.size), are those of the layers before it; those of this layer are filled in.
    """
    layer = file.layer
    check_seal(file.path, file.head.title)
    file.read(chances[:, layer.begin : layer.end])
    if count(kernels, file.region, layer, chances[:, layer.begin : layer.end]) != file.counts:
        raise CorruptTableError("contains statistics that do not match its values", file.path)
    error = chances_error(kernels, file.region, layer, chances, threads)
    if error is not None:
        raise CorruptTableError(f"contains an error ({error})", file.path)


def chances_error(kernels: Kernels, region: Region, layer: Layer, chances: Int64, threads: int = 1) -> str | None:
    """Return an error of the chances of a layer's states; None without one."""
    grain = max(GRAIN // region.block, 1) * region.block
    functions = kernels.expand, kernels.index, kernels.state_at, kernels.alike

    def check(begin: int) -> tuple[int, int, int]:
        end = min(begin + grain, layer.end)
        rows = np.zeros((kernels.widest, STATE + kernels.fields), np.int64)
        found: tuple[int, int, int] = _first_error(*functions, region.rules, region.generous, chances, begin, end, rows)
        return found

    with ThreadPoolExecutor(threads) as pool:
        for number, stored, follows in pool.map(check, range(layer.begin, layer.end, grain)):
            if number >= 0:
                return f"state {number} has the probability {stored / UNIT:.12f}, but the next states give {follows / UNIT:.12f}"
    return None


_WHO, _PARENT, _WEIGHT, _NUMBER, _STRIDE, _ROLE, _COLUMNS = range(7)
_STORED, _WON, _NOT_WON, _MOST, _LEAST, _AVERAGE = range(6)
"""Worth of a node: a stored chance, or one that the attacker, the other one or chance makes of the nodes after it."""


class FormulaTree(NamedTuple):
    """A state and all after it up to stored ones, each behind the one that it follows.

    Columns of a node say what it is worth, the node that it follows and its weight there, the number of the stored state, how that
    grows from one state of a run to the next, and whether its chance is that of the player to move there (0) or the other's (1).
    """

    states: Int64  # (nodes, fields)
    nodes: Int64  # (nodes, 7)


@jit
def _first_error(
    expand: Any, index: Any, state_at: Any, alike: Any, rules: Int64, up: bool, chances: Int64, begin: int, end: int, rows: Int64
) -> tuple[int, int, int]:
    """A state with a wrong chance, that chance, and what it should be; the state is -1 if there is none."""
    rules, chances, rows = borrowed((rules, chances, rows))
    fields = rows.shape[1] - STATE
    tree, others = _new_tree(fields), (_new_tree(fields), _new_tree(fields))
    worth, slack = np.zeros((NODES, 1), np.int64), 0 if up else SLACK
    for number in range(begin, end):
        count, step = alike(rules, number)
        first = number - (count - 1) * step
        for role in range(2 if count else 0):
            tree, listed = _tree_of_run(expand, index, state_at, rules, role, first, number, count, tree, others, rows)
            states = count if listed else 1
            # What is not alike is checked state by state.
            for at in range(first, number + 1, step * states):
                if not listed or states == 1:
                    tree, listed = _tree(expand, index, state_at, rules, role, at, tree, rows)
                    states = 1
                worth = _fold(tree.nodes, listed, states, up, chances, worth)
                wrong = _wrong(worth[0], chances[role], at, step, states if listed else 0, slack)
                if wrong >= 0:
                    return at + wrong * step, chances[role, at + wrong * step], worth[0, wrong]
    return -1, 0, 0


@jit
def _tree_of_run(
    expand: Any,
    index: Any,
    state_at: Any,
    rules: Int64,
    role: int,
    first: int,
    last: int,
    count: int,
    tree: FormulaTree,
    others: tuple[FormulaTree, FormulaTree],
    rows: Int64,
) -> tuple[FormulaTree, int]:
    """The tree of the first state of a run, with its steps, and how many nodes it has; none if the states are not alike."""
    if count < 2:
        return tree, 0
    place = last % count
    between = first + (last - first) // (count - 1) * place
    tree, listed = _tree(expand, index, state_at, rules, role, first, tree, rows)
    middle, in_middle = _tree(expand, index, state_at, rules, role, between, others[0], rows)
    end, at_end = _tree(expand, index, state_at, rules, role, last, others[1], rows)
    alike = listed == in_middle == at_end and _fit(tree.nodes, middle.nodes, end.nodes, listed, place, count)
    return tree, listed if alike else 0


@jit
def _new_tree(fields: int) -> FormulaTree:
    return FormulaTree(np.zeros((NODES, fields), np.int64), np.zeros((NODES, _COLUMNS), np.int64))


@jit
def _tree(
    expand: Any, index: Any, state_at: Any, rules: Int64, role: int, number: int, tree: FormulaTree, rows: Int64
) -> tuple[FormulaTree, int]:
    """The tree of the state with a number, and how many nodes it has; none if there is no such state."""
    owned_states, owned_nodes = tree
    states, nodes = borrowed((owned_states, owned_nodes))
    if not state_at(rules, number, states[0]):
        return tree, 0
    _, player = index(rules, states[0])
    attacker = player if role == 0 else 1 - player
    nodes[0, _PARENT], nodes[0, _WEIGHT] = 0, 0
    listed, node = 1, 0
    while node < listed:
        stored, mover = index(rules, states[node])
        if node > 0 and stored >= 0:
            nodes[node, _WHO], nodes[node, _NUMBER], nodes[node, _STRIDE] = _STORED, stored, 0
            nodes[node, _ROLE] = int(mover != attacker)
            node += 1
            continue
        who, count = expand(rules, states[node], attacker, rows)
        if who == OVER:
            nodes[node, _WHO] = _WON if count == attacker else _NOT_WON
            count = 0
        else:
            nodes[node, _WHO] = _AVERAGE if who == CHANCE else _MOST if who == attacker else _LEAST
        while listed + count > len(owned_nodes):
            owned_states = np.concatenate((owned_states, owned_states))
            owned_nodes = np.concatenate((owned_nodes, owned_nodes))
            states, nodes = borrowed((owned_states, owned_nodes))
        for row in range(count):
            for field in range(states.shape[1]):
                states[listed + row, field] = rows[row, STATE + field]
            nodes[listed + row, _PARENT], nodes[listed + row, _WEIGHT] = node, rows[row, WEIGHT]
        listed += count
        node += 1
    return FormulaTree(owned_states, owned_nodes), listed


@jit
def _fit(first: Int64, middle: Int64, last: Int64, listed: int, between: int, count: int) -> bool:
    """Return whether three trees differ by constant steps between stored numbers only; the steps are filled in."""
    first, middle, last = borrowed((first, middle, last))
    for node in range(listed):
        for other in (middle, last):
            if first[node, _WHO] != other[node, _WHO]:
                return False
            if node > 0 and (first[node, _PARENT] != other[node, _PARENT] or first[node, _WEIGHT] != other[node, _WEIGHT]):
                return False
        if first[node, _WHO] == _STORED:
            number = first[node, _NUMBER]
            stride = (last[node, _NUMBER] - number) // (count - 1)
            steady = number + (count - 1) * stride == last[node, _NUMBER] and number + between * stride == middle[node, _NUMBER]
            if not steady or not first[node, _ROLE] == middle[node, _ROLE] == last[node, _ROLE]:
                return False
            first[node, _STRIDE] = stride
    return True


@jit
def _fold(nodes: Int64, listed: int, count: int, up: bool, chances: Int64, worth: Int64) -> Int64:
    """The attacker's chances at the nodes of a tree, for all states of a run, in the same array or a larger one."""
    if len(worth) < listed or worth.shape[1] < count:
        worth = np.zeros((len(nodes), count), np.int64)
    totals = np.zeros(listed, np.int64)
    nodes, folded = borrowed((nodes, worth))
    for node in range(listed):
        folded[node, :count] = UNIT if nodes[node, _WHO] in (_WON, _LEAST) else 0
    for node in range(listed - 1, -1, -1):
        totals[nodes[node, _PARENT]] += nodes[node, _WEIGHT]
        _fold_node(nodes, node, totals[node], count, up, chances, folded)
    return worth


@inline
def _fold_node(nodes: Int64, node: int, total: int, count: int, up: bool, chances: Int64, worth: Int64) -> None:
    """Complete the chances at a node and combine them with those at the node before it; one loop for each case is fast."""
    who, parent, weight, own = nodes[node, _WHO], nodes[node, _PARENT], nodes[node, _WEIGHT], worth[node, :count]
    if who == _STORED:
        source, start, stride = chances[nodes[node, _ROLE]], nodes[node, _NUMBER], nodes[node, _STRIDE]
        for state in range(count):
            own[state] = source[start + state * stride]
    elif who == _AVERAGE:
        for state in range(count):
            own[state] = -(-own[state] // total) if up else own[state] // total
    if node == 0:
        return
    above, before = nodes[parent, _WHO], worth[parent, :count]
    if above == _AVERAGE:
        for state in range(count):
            before[state] += weight * own[state]
    elif above == _MOST:
        for state in range(count):
            before[state] = max(before[state], own[state])
    else:
        for state in range(count):
            before[state] = min(before[state], own[state])


@jit
def _wrong(worth: Int64, chances: Int64, start: int, step: int, count: int, slack: int) -> int:
    """The first state of a run whose stored chance is not what it is worth; -1 if there is none."""
    for state in range(count):
        if not 0 <= worth[state] - chances[start + state * step] <= slack:
            return state
    return -1
