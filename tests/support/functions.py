"""Small games by functions without chance, some of them with what is rare: circles, several moves in a row, shared first places."""

# ruff: noqa: D102 (methods are those of `FunctionGame`)

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from operator import itemgetter

from tablebase.errors import NotationError
from tablebase.game.functions import FunctionGame
from tablebase.game.rules import OVER, Ending

Graph = Mapping[str, tuple[int, tuple[str, ...]] | Ending]
"""For each position, named by a word, who moves and where to, or how the game has ended."""
WON = {0: Ending.of_two(0, "won"), 1: Ending.of_two(1, "won"), None: Ending.of_two(None, "shared")}
Squares = Callable[[str], tuple[str, ...]]
"""What stands on some squares; faster than a loop over them."""
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


def misere(stones: int = 7) -> FunctionGame[tuple[int, int]]:
    """Who takes the last stone loses."""
    return Misere(stones)


class Misere(FunctionGame[tuple[int, int]]):
    """One to three stones are taken; after two, the same player takes again; the last move loses the game."""

    name, title = "misere", "Misère"

    def __init__(self, stones: int) -> None:
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


class Rows(FunctionGame[str]):
    """Noughts and crosses on a board of any size; up to eight images are one."""

    name, title = "rows", "Rows"

    def __init__(self, files: int = 3, ranks: int = 3, row: int = 3, *, symmetric: bool = True) -> None:
        self.files, self.ranks, self.row, self.symmetric = files, ranks, row, symmetric
        self.start = "." * (files * ranks)
        self.options = {"files": files, "ranks": ranks, "row": row}

    @cached_property
    def lines(self) -> list[Squares]:
        """The squares of each possible row."""
        files, ranks, row = self.files, self.ranks, self.row
        ways = [
            [(f + i * a, r + i * b) for i in range(row)]
            for f in range(files)
            for r in range(ranks)
            for a, b in ((1, 0), (0, 1), (1, 1), (1, -1))
        ]
        there = [way for way in ways if all(0 <= f < files and 0 <= r < ranks for f, r in way)]
        return [itemgetter(*(r * files + f for f, r in way)) for way in there]

    @cached_property
    def images(self) -> list[Squares]:
        """For each symmetry, the squares in the order in which they come to each one."""
        files, ranks = self.files, self.ranks
        across, up = range(files), range(ranks)
        turned = [[(f, r) for r in rows for f in columns] for rows in (up, up[::-1]) for columns in (across, across[::-1])]
        swapped = [[(r, f) for f, r in image] for image in turned] if files == ranks else []
        return [itemgetter(*(r * files + f for f, r in image)) for image in turned + swapped]

    def to_move(self, position: str) -> int:
        return OVER if self.result(position) else position.count("x") - position.count("o")

    def moves(self, position: str) -> dict[str, str]:
        if self.result(position):
            return {}
        mark = "xo"[position.count("x") - position.count("o")]
        return {
            f"{WORDS[s % self.files]}{s // self.files + 1}": position[:s] + mark + position[s + 1 :]
            for s, there in enumerate(position)
            if there == "."
        }

    def result(self, position: str) -> Ending | None:
        last = "ox"[position.count("x") - position.count("o")]
        whole = (last,) * self.row
        if any(squares(position) == whole for squares in self.lines):
            return Ending.of_two("xo".index(last), "row")
        return None if "." in position else Ending.of_two(None, "full")

    def canonical(self, position: str) -> str:
        return min("".join(squares(position)) for squares in self.images) if self.symmetric else position

    def format(self, position: str) -> str:
        return position

    def parse(self, text: str) -> str:
        if len(text) != len(self.start) or set(text) - set("xo.") or text.count("x") - text.count("o") not in (0, 1):
            raise NotationError(f"{text!r} is no position of {self.name}: write its squares, as in {self.start}")
        return text


class Pawns(FunctionGame[str]):
    """Hexapawn: squares from a1, White's P and Black's p, and the side to move; a position and its mirror image are one."""

    name, title, options = "pawns", "Pawns", {}
    start = "PPP...ppp w"

    def to_move(self, position: str) -> int:
        return OVER if self.result(position) else "wb".index(position[-1])

    def _steps(self, position: str) -> Iterator[tuple[int, int]]:
        side = "wb".index(position[-1])
        own, ahead = "Pp"[side], (3, -3)[side]
        for origin, piece in enumerate(position[:9]):
            if piece == own and 0 <= origin + ahead < 9:
                if position[origin + ahead] == ".":
                    yield origin, origin + ahead
                for aside in (-1, 1):
                    if 0 <= origin % 3 + aside < 3 and position[origin + ahead + aside] == "Pp"[1 - side]:
                        yield origin, origin + ahead + aside

    def moves(self, position: str) -> dict[str, str]:
        after = {}
        for origin, target in self._steps(position) if self.result(position) is None else ():
            squares = list(position[:9])
            squares[target], squares[origin] = squares[origin], "."
            after[f"{'abc'[origin % 3]}{origin // 3 + 1}{'abc'[target % 3]}{target // 3 + 1}"] = "".join(squares) + (
                " b" if position[-1] == "w" else " w"
            )
        return after

    def result(self, position: str) -> Ending | None:
        if "P" in position[6:9]:
            return Ending.of_two(0, "goal")
        if "p" in position[:3]:
            return Ending.of_two(1, "goal")
        return None if any(self._steps(position)) else Ending.of_two(1 - "wb".index(position[-1]), "no move")

    def canonical(self, position: str) -> str:
        mirrored = "".join(position[r : r + 3][::-1] for r in (0, 3, 6)) + position[9:]
        return min(position, mirrored)

    def format(self, position: str) -> str:
        return position.replace(" ", "_")

    def parse(self, text: str) -> str:
        if len(text) != 11 or set(text[:9]) - set("Pp.") or text[9:] not in ("_w", "_b"):
            raise NotationError(f"{text!r} is no position of {self.name}: write nine squares and the side, as in PPP...ppp_w")
        return text.replace("_", " ")


def rows() -> Rows:
    """As an entry point."""
    return Rows()


def pawns() -> Pawns:
    """As an entry point."""
    return Pawns()
