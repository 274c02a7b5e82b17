"""Dodgem on 3 x 3: whoever first drives both cars off the board wins."""

from functools import cache

from tablebase.errors import NotationError
from tablebase.game.functions import OVER, Ending, FunctionGame

SIZE = 3
AHEAD = ((1, 0), (0, 1))  # East drives to the right, North up
SIDEWAYS = (((0, 1), (0, -1)), ((1, 0), (-1, 0)))


@cache
def game():
    return Dodgem()


class Dodgem(FunctionGame):
    """The cars of East, those of North, each a set of squares (file, rank), and the player to move."""

    name = "dodgem"
    title = "Dodgem 3x3"
    options = {}
    start = (frozenset({(0, 1), (0, 2)}), frozenset({(1, 0), (2, 0)}), 0)

    def to_move(self, position):
        return OVER if self.result(position) else position[2]

    def moves(self, position):
        return {} if self.result(position) else self._steps(position)

    def _steps(self, position):
        *cars, player = position
        found = {}
        for file, rank in sorted(cars[player]):
            for right, up in (AHEAD[player], *SIDEWAYS[player]):
                target = file + right, rank + up
                gone = (right, up) == AHEAD[player] and SIZE in target
                if not gone and (min(target) < 0 or max(target) == SIZE or target in cars[0] | cars[1]):
                    continue
                own = cars[player] - {(file, rank)} | (set() if gone else {target})
                after = (own, cars[1], 1) if player == 0 else (cars[0], own, 0)
                found[square(file, rank) + ("off" if gone else square(*target))] = after
        return found

    def result(self, position):
        """A player without cars has won, and so has one who cannot move, since blocking is not allowed."""
        for player in (0, 1):
            if not position[player]:
                return Ending.of_two(player, "all off")
        return None if self._steps(position) else Ending.of_two(position[2], "blocked")

    def format(self, position):
        rows = [
            "".join("e" if (f, r) in position[0] else "n" if (f, r) in position[1] else "." for f in range(SIZE))
            for r in reversed(range(SIZE))
        ]
        return f"{'/'.join(rows)} {'en'[position[2]]}"

    def parse(self, text):
        rows, _, mover = text.partition(" ")
        marks = rows.replace("/", "")
        if [len(row) for row in rows.split("/")] != [SIZE] * SIZE or set(marks) - set("en.") or mover not in ("e", "n"):
            raise NotationError(f"{text!r} is not a position of dodgem: write it as in {self.format(self.start)!r}")
        cars = [frozenset((at % SIZE, SIZE - 1 - at // SIZE) for at, mark in enumerate(marks) if mark == car) for car in "en"]
        return (*cars, "en".index(mover))


def square(file, rank):
    return f"{'abc'[file]}{rank + 1}"
