"""Small games by functions without chance, some of them with what is rare: circles, several moves in a row, shared first places."""

# ruff: noqa: D102 (methods are those of `FunctionGame`)

import re
from collections.abc import Mapping

from tablebase.errors import NotationError
from tablebase.game.functions import FunctionGame
from tablebase.game.rules import OVER, Ending
from tablebase_rules.noughts import Noughts

Graph = Mapping[str, tuple[int, tuple[str, ...]] | Ending]
"""For each position, named by a word, who moves and where to, or how the game has ended."""
WON = {0: Ending.of_two(0, "won"), 1: Ending.of_two(1, "won"), None: Ending.of_two(None, "shared")}
WORDS = "abcdefghijklmnopqrstuvwxyz"


class GraphGame(FunctionGame[str]):
    """A game whose positions and moves are listed."""

    def __init__(self, graph: Graph, name: str = "graph", start: str = "a") -> None:
        self.name = self.title = name
        self.graph, self.start = graph, start
        self.options = {"graph": repr(sorted(graph.items()))}

    def to_move(self, position: str) -> int:
        node = self.graph[position]
        return OVER if isinstance(node, Ending) else node[0]

    def moves(self, position: str) -> dict[str, str]:
        node = self.graph[position]
        return {} if isinstance(node, Ending) else {child: child for child in node[1]}

    def result(self, position: str) -> Ending | None:
        node = self.graph[position]
        return node if isinstance(node, Ending) else None

    def format(self, position: str) -> str:
        return position

    def parse(self, text: str) -> str:
        if text not in self.graph:
            raise NotationError(f"{text!r} is no position of {self.name}: choose one of {', '.join(sorted(self.graph))}")
        return text


def circle() -> GraphGame:
    """A draw by repetition: who leaves the circle of a and b loses; c is won by the second of two moves in a row."""
    return GraphGame(
        {
            "a": (0, ("b", "x")),
            "b": (1, ("a", "y", "c")),
            "c": (0, ("d", "x")),
            "d": (0, ("y", "x")),
            "x": WON[1],
            "y": WON[0],
        },
        "circle",
    )


class Misere(FunctionGame[tuple[int, int]]):
    """One to three stones are taken; after two, the same player takes again; the last move loses the game."""

    name, title = "misere", "Misère"

    def __init__(self, stones: int = 7) -> None:
        self.start, self.options = (stones, 0), {"stones": stones}

    def to_move(self, position: tuple[int, int]) -> int:
        return position[1] if position[0] else OVER

    def moves(self, position: tuple[int, int]) -> dict[int, tuple[int, int]]:
        stones, mover = position
        # Of an ended game the second number is who has won.
        return {n: (stones - n, mover if n == 2 and stones > 2 else 1 - mover) for n in range(1, min(3, stones) + 1)}

    def result(self, position: tuple[int, int]) -> Ending | None:
        return None if position[0] else Ending.of_two(position[1], "last stone")

    def format(self, position: tuple[int, int]) -> str:
        return f"{position[0]}/{position[1] + 1}"

    def parse(self, text: str) -> tuple[int, int]:
        stones, _, player = text.partition("/")
        if not (stones.isascii() and stones.isdecimal() and player in ("1", "2")):
            raise NotationError(f"{text!r} is no position of {self.name}: write stones and the player, as in 7/1")
        return int(stones), int(player) - 1


class Rows(Noughts):
    """Noughts and crosses, written without strokes between the ranks, for players without names of their own."""

    name, title, sides = "rows", "Rows", FunctionGame.sides

    def __init__(self, files: int = 3, ranks: int = 3, row: int = 3) -> None:
        super().__init__(files, ranks, row)

    def format(self, position: str) -> str:
        return position.replace("/", "")

    def parse(self, text: str) -> str:
        return super().parse("/".join(re.findall(f".{{1,{self.size[0]}}}", text.replace("/", ""))))


def rows() -> Rows:
    return Rows()
