"""Verify the chances of a layer: its bytes, its counts, and every state one choice deep.

A stored chance must not exceed what follows from the chances of the states after it, and must not fall far below. This shares
the rules' kernels with the solver, but neither its way through a turn nor its arithmetic: all states up to the next stored
ones are listed first, as a tree, and then folded from the leaves to the root.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from tablebase.compute.jit import jit
from tablebase.errors import CorruptTableError
from tablebase.game.kernels import CHANCE, OVER, STATE, WEIGHT, Int64, Kernels, Layer, Region
from tablebase.stochastic.chances import UNIT
from tablebase.stochastic.files import LayerFile, count, layer_title
from tablebase.tables.format import check_seal

SLACK = UNIT >> 40
"""Chances may be this much lower than what follows from others, since the iteration stops before it comes to rest."""
GRAIN = 1 << 15
"""States that a thread checks at a time."""
NODES = 1 << 12
"""Nodes for which there is space at first."""


def verify_layer(kernels: Kernels, file: LayerFile, chances: Int64, threads: int = 1) -> None:
    """Check the file of a layer.

    Parameters
    ----------
    kernels : Kernels
    file : LayerFile
        May still be a draft.
    chances : ndarray of int64, shape (2, region.size)
        Those of the layers before it; those of this layer are filled in.
    threads : int

    Raises
    ------
    CorruptTableError
        Naming the file and the first fault.
    """
    layer = file.layer
    check_seal(file.path, layer_title(file.game, file.region, layer))
    chances[:, layer.begin : layer.end] = file.read()
    if count(kernels, file.region, layer, chances[:, layer.begin : layer.end]) != file.counts:
        raise CorruptTableError("is wrong: its counts do not match its values", file.path)
    fault = chances_fault(kernels, file.region, layer, chances, threads)
    if fault is not None:
        raise CorruptTableError(f"is wrong: {fault}", file.path)


def chances_fault(kernels: Kernels, region: Region, layer: Layer, chances: Int64, threads: int = 1) -> str | None:
    """What is wrong with the chances of a layer's states; None if nothing is."""
    begins = range(layer.begin, layer.end, GRAIN)

    def check(begin: int) -> tuple[int, int, int]:
        functions = kernels.expand, kernels.index, kernels.state_at
        end = min(begin + GRAIN, layer.end)
        found: tuple[int, int, int] = _first_fault(*functions, region.rules, chances, begin, end, kernels.fields, kernels.widest)
        return found

    with ThreadPoolExecutor(threads) as pool:
        for number, stored, follows in pool.map(check, begins):
            if number >= 0:
                return f"state {number} has a chance of {stored / UNIT:.12f}, but {follows / UNIT:.12f} follows from those after it"
    return None


@jit
def _first_fault(
    expand: Any, index: Any, state_at: Any, rules: Int64, chances: Int64, begin: int, end: int, fields: int, widest: int
) -> tuple[int, int, int]:
    """The first state with a wrong chance, that chance, and what it should be; the state is -1 if there is none."""
    rows = np.zeros((widest, STATE + fields), np.int64)
    states, nodes = np.zeros((NODES, fields), np.int64), np.zeros((NODES, 5), np.int64)
    for number in range(begin, end):
        if not state_at(rules, number, states[0]):
            continue
        root = states[0].copy()
        _, player = index(rules, root)
        for role in range(2):
            states[0] = root
            attacker = player if role == 0 else 1 - player
            listed, states, nodes = _tree(expand, index, rules, attacker, chances, states, nodes, rows)
            follows = _folded(nodes, listed, attacker)
            stored = chances[role, number]
            if not 0 <= follows - stored <= SLACK:
                return number, stored, follows
    return -1, 0, 0


_WHO, _PARENT, _WEIGHT, _VALUE, _TOTAL = range(5)
_STORED = -9
"""Who moves in a node whose chance is stored: nobody."""


@jit
def _tree(expand: Any, index: Any, rules: Int64, attacker: int, chances: Int64, states: Int64, nodes: Int64, rows: Int64) -> Any:
    """List a state and all after it up to stored ones, each after the one that it follows; return their number and the lists."""
    nodes[0, _PARENT], nodes[0, _WEIGHT] = -1, 1
    listed, node = 1, 0
    while node < listed:
        number, player = index(rules, states[node])
        if node > 0 and number >= 0:
            nodes[node, _WHO], nodes[node, _VALUE] = _STORED, chances[int(player != attacker), number]
        else:
            who, count = expand(rules, states[node], attacker, rows)
            nodes[node, _WHO], nodes[node, _VALUE], nodes[node, _TOTAL] = who, -1, 0
            if who == OVER:
                nodes[node, _WHO], nodes[node, _VALUE] = _STORED, UNIT * int(count == attacker)
                count = 0
            while listed + count > len(nodes):
                states, nodes = np.concatenate((states, states)), np.concatenate((nodes, nodes))
            for row in range(count):
                states[listed + row] = rows[row, STATE:]
                nodes[listed + row, _PARENT], nodes[listed + row, _WEIGHT] = node, rows[row, WEIGHT]
            listed += count
        node += 1
    return listed, states, nodes


@jit
def _folded(nodes: Int64, listed: int, attacker: int) -> int:
    """The attacker's chance in the first node of a tree."""
    for node in range(listed - 1, -1, -1):
        who, value = nodes[node, _WHO], nodes[node, _VALUE]
        if who == CHANCE:
            value //= nodes[node, _TOTAL]
        parent = nodes[node, _PARENT]
        if parent < 0:
            return int(value)
        above = nodes[parent, _VALUE]
        if nodes[parent, _WHO] == CHANCE:
            nodes[parent, _VALUE] = max(above, 0) + nodes[node, _WEIGHT] * value
            nodes[parent, _TOTAL] += nodes[node, _WEIGHT]
        elif above < 0:
            nodes[parent, _VALUE] = value
        else:
            nodes[parent, _VALUE] = max(above, value) if nodes[parent, _WHO] == attacker else min(above, value)
    return -1
