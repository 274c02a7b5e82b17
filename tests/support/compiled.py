"""A game by compiled functions whose positions, moves, tiers and ranks are listed in its rules."""

# ruff: noqa: D102 (methods are those of `CompiledGame`, functions those of `Functions`)

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from tablebase.errors import NotationError
from tablebase.game.compiled import LOST, CompiledGame, Functions

PLAYER, TIER, RANK, FIRST, BEFORE, COLUMNS = range(6)
"""Numbers of a position: where its moves and the moves into it begin, among others."""
TIERS, ROWS = 1, 64
"""Where the positions of each rank begin, for each tier; and where the rows of positions begin."""
INVALID = 3
"""Each tier has as many more ranks, without a position of their own."""


class Node(NamedTuple):
    """A position: who moves and where to, or the result for that player."""

    player: int
    after: Sequence[int] = ()
    result: int = 0  # WON, LOST or DRAWN


def to_move(rules: Any, position: int) -> int:
    return rules[ROWS + COLUMNS * position + PLAYER]  # type: ignore[no-any-return]


def copied(rules: Any, row: int, column: int, out: Any) -> int:
    begin, end = rules[row + column], rules[row + COLUMNS + column]
    for place in range(begin, end):
        out[place - begin] = rules[place]
    return end - begin  # type: ignore[no-any-return]


def moves(rules: Any, position: int, out: Any) -> int:
    row = ROWS + COLUMNS * position
    count = copied(rules, row, FIRST, out)
    return out[0] if count == 1 and out[0] < 0 else count  # type: ignore[no-any-return]


def unmoves(rules: Any, position: int, out: Any) -> int:
    return copied(rules, ROWS + COLUMNS * position, BEFORE, out)


def tier(rules: Any, position: int) -> int:
    return rules[ROWS + COLUMNS * position + TIER]  # type: ignore[no-any-return]


def rank(rules: Any, position: int) -> int:
    return rules[ROWS + COLUMNS * position + RANK]  # type: ignore[no-any-return]


def unrank(rules: Any, tier: int, index: int) -> int:
    return rules[rules[TIERS + tier] + index]  # type: ignore[no-any-return]


class NumberGraph(CompiledGame):
    """A graph; tiers are numbered so that no move leads to a smaller one, `tiers` being that of each position."""

    name, title = "numbers", "Numbers"
    functions = Functions(to_move, moves, tier, rank, unrank, unmoves)

    def __init__(self, nodes: Sequence[Node], tiers: Sequence[int], most_moves: int = 12, start: int = 0) -> None:
        self.nodes, self.tiers, self.start, self.most_moves = nodes, tiers, start, most_moves
        self.options = {"graph": repr((nodes, tiers))}
        into: list[list[int]] = [[] for _ in nodes]
        for number, node in enumerate(nodes):
            for child in node.after:
                into[child].append(number)
        members = [[number for number, one in enumerate(tiers) if one == tier] for tier in range(max(tiers) + 1)]
        self.members = members
        rows, lists = list[list[int]](), list[int]()
        behind = ROWS + COLUMNS * (len(nodes) + 1)
        begins = []
        for some in members:
            begins.append(behind + len(lists))
            lists += [*some, *[some[0] if some else 0] * INVALID]
        for number, node in enumerate(nodes):
            rows.append([node.player, tiers[number], members[tiers[number]].index(number), behind + len(lists), 0])
            lists += node.after or [node.result]
        rows.append([0, 0, 0, behind + len(lists), behind + len(lists)])
        for number, before in enumerate(into):
            rows[number][BEFORE] = behind + len(lists)
            lists += before
        rows[-1][BEFORE] = behind + len(lists)
        self.rules = [0, *begins, *[0] * (ROWS - 1 - len(begins)), *chain.from_iterable(rows), *lists]

    def size(self, tier: int) -> int:
        return len(self.members[tier]) + INVALID

    def after(self, tier: int) -> set[int]:
        return {self.tiers[child] for number in self.members[tier] for child in self.nodes[number].after}

    def format(self, position: int) -> str:
        return str(position)

    def parse(self, text: str) -> int:
        if not text.isdecimal() or int(text) >= len(self.nodes):
            raise NotationError(f"{text!r} is not a number below {len(self.nodes)}")
        return int(text)


def line(length: int) -> NumberGraph:
    """Positions in a row, each of which leads to the next one; the last one is lost, and the winner can always go back."""
    winner = 1 - length % 2
    nodes = [Node(place % 2, [place + 1, *([place - 1] if place % 2 == winner and place else [])]) for place in range(length)]
    return NumberGraph([*nodes, Node(length % 2, result=LOST)], [0] * length + [1])
