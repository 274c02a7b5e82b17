"""Which blocks depend on one another, and in which order to solve them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def circles(reads: Sequence[NDArray[np.int64]]) -> list[list[int]]:
    """The strongly connected components of a graph, each after those that it leads to (Tarjan 1972).

    `reads` has the nodes that each node leads to. Within a component, nodes come after those that they lead to as far as possible.
    """
    unseen = len(reads)
    entered, lowest = [unseen] * len(reads), [unseen] * len(reads)
    stack: list[int] = []
    finished: list[bool] = [False] * len(reads)
    place: dict[int, int] = {}
    found: list[list[int]] = []
    count = 0
    for root in range(len(reads)):
        if entered[root] != unseen:
            continue
        path = [(root, iter(reads[root].tolist()))]
        entered[root] = lowest[root] = count
        count += 1
        stack.append(root)
        while path:
            node, following = path[-1]
            for after in following:
                if entered[after] == unseen:
                    entered[after] = lowest[after] = count
                    count += 1
                    stack.append(after)
                    path.append((after, iter(reads[after].tolist())))
                    break
                if not finished[after]:
                    lowest[node] = min(lowest[node], entered[after])
            else:
                path.pop()
                place[node] = len(place)
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == entered[node]:
                    begin = stack.index(node)
                    members = stack[begin:]
                    del stack[begin:]
                    for member in members:
                        finished[member] = True
                    found.append(sorted(members, key=place.__getitem__))
    return found
