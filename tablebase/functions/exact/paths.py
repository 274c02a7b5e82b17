"""Counts of games without chance, and of sequences of moves or turns; equivalent positions count separately."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from tablebase.errors import RulesError
from tablebase.functions.exact.listed import DRAWN, TICK, check_size, winner_of
from tablebase.game.functions import FunctionGame
from tablebase.game.rules import CHANCE, OVER, legal

P = TypeVar("P")


class Depth(NamedTuple):
    """The count of one depth."""

    depth: int  # length of the lines in plies, or of paths in turns
    leaves: int
    seconds: float  # wall time


class GameCounts(NamedTuple):
    """Numbers of positions that can come up, and of games from a start to the end."""

    reachable: int  # the start included; the side to move distinguishes positions
    final: int  # positions in which the game is over
    games: int  # paths from the start to a final position
    won: tuple[int, int]  # by each player; the others are drawn


def count_games(rules: FunctionGame[P], start: P, tick: Callable[[int, None], object] | None = None) -> GameCounts:
    """Count positions and games; `tick` is called now and then with the number of positions that are done, and None for all.

    `RulesError` if a position can come up again, since there is no end of games then.
    """
    done: dict[P, tuple[int, int, int] | None] = {}  # None: on the way from the start to where the search is
    final = 0
    waiting: list[tuple[P, list[P] | None]] = [(start, None)]
    while waiting:
        position, children = waiting[-1]
        if children is None and position in done:
            waiting.pop()
        elif children is not None:
            waiting.pop()
            done[position] = _added(done, children)
            if len(done) % TICK == 0:
                check_size(rules, len(done), 0, 1)
                if tick is not None:
                    tick(len(done), None)
        elif (ending := rules.result(position)) is not None:
            waiting.pop()
            winner = winner_of(rules, position, ending)
            done[position] = (int(winner == 0), int(winner == 1), int(winner == DRAWN))
            final += 1
        else:
            children = list(rules.moves(position).values())
            done[position] = None
            waiting[-1] = position, children
            for child in children:
                if child not in done:
                    waiting.append((child, None))
                elif done[child] is None:
                    raise _endless(rules, child)
    first, second, drawn = done[start] or (0, 0, 0)
    return GameCounts(len(done), final, first + second + drawn, (first, second))


def _endless(rules: FunctionGame[P], position: P) -> RulesError:
    why = f"the position {rules.format(position)} can occur again, so a game may never end"
    return RulesError(f"cannot count the games of {rules.name}: {why}")


def _added(done: dict[P, tuple[int, int, int] | None], children: list[P]) -> tuple[int, int, int]:
    first = second = drawn = 0
    for child in children:
        counts = done[child]
        assert counts is not None
        first, second, drawn = first + counts[0], second + counts[1], drawn + counts[2]
    return first, second, drawn


def leaves_by_move(rules: FunctionGame[P], position: P, depth: int, _threads: int = 1) -> dict[str, int]:
    """Return how many lines of a number of plies, at least one, begin with each legal move; a shorter game is none of them."""
    return {move: merge_plainly(rules, child, depth - 1) for move, child in legal(rules, position).items()}


def leaves_by_depth(rules: FunctionGame[P], position: P, depth: int, _threads: int = 1) -> Iterator[Depth]:
    """The counts of depths 1, 2, … up to `depth`, each as soon as it is known."""
    return by_depth(lambda plies: merge_plainly(rules, position, plies), depth)


LINES = leaves_by_move, leaves_by_depth
"""Functions that count lines of a depth by the first move, and of each depth."""


def by_depth(count: Callable[[int], int], depth: int) -> Iterator[Depth]:
    """Yield the results of `count` for depths 1, 2, … up to `depth`, each as soon as it is known."""
    for number in range(1, depth + 1):
        begin = time.perf_counter()
        total = count(number)
        yield Depth(number, total, time.perf_counter() - begin)


def following(rules: FunctionGame[P], position: P) -> dict[str, P]:
    """Return the next positions, by move or draw; none after the end."""
    mover = rules.to_move(position)
    if mover == OVER:
        return {}
    return {draw.label: draw.state for draw in rules.draws(position)} if mover == CHANCE else legal(rules, position)


def merge_plainly(rules: FunctionGame[P], position: P, turns: int) -> int:
    """Count the paths of a number of turns, each position that is reached at the same time only once."""
    now = Counter({position: 1})
    for _ in range(turns):
        begun, now = now, Counter()
        while begun:
            later: Counter[P] = Counter()
            for before, ways in begun.items():
                for after in following(rules, before).values():
                    (now if rules.begins_turn(after) else later)[after] += ways
            begun = later
    return now.total()
