"""The slow, obvious twin of everything that walks a finite game from its start, in plain Python.

Of the package it uses the rules as a person reads them (`legal_moves`, `play`, `decided`, `wins_at_once`) and nothing
else: no index, no tables, no engine. The games it can walk never repeat a position and have no draws.
"""

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from graphlib import TopologicalSorter

from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import parse

Pair = tuple[str, int]
"""Outcome for the side to move, and plies to the end."""

Later = tuple[float, int]
"""A measure, and plies until it is reached."""

FOX, HOUNDS = 0, 1
DIAGONALS = ((-1, -1), (1, -1), (-1, 1), (1, 1))


@dataclass(frozen=True)
class Walk:
    """Everything that can come from a position.

    Parameters
    ----------
    game : Game
    start : Position
    children : dict of Position to tuple of Position
        What the moves of each position lead to, in the order of moves; nothing once the game is over.
        Children stand before their parents.
    results : dict of Position to str
        What the side to move has got in each position in which the game is over.
    won_at_once : set of Position
        Those in which it is over because of the move that led there.
    """

    game: Game
    start: Position
    children: dict[Position, tuple[Position, ...]]
    results: dict[Position, str]
    won_at_once: set[Position]

    def winner(self, final: Position) -> int:
        """The side that has won."""
        return final.side if self.results[final] == "win" else 1 - final.side


# Walking


def walk(game: Game, start: Position | None = None) -> Walk:
    start = parse(game, game.start) if start is None else start
    done = Walk(game, start, {}, {}, set())
    layer, repeated = {start: start}, False
    while layer:
        following: dict[Position, Position] = {}
        for position in layer:
            if position in done.children:
                repeated = True
                continue
            done.children[position] = tuple(_children(done, position, following))
        layer = following
    # If no position came after different numbers of plies, none is found before its parents.
    if not repeated:
        return replace(done, children=dict(reversed(done.children.items())))
    order = TopologicalSorter(done.children).static_order()
    return replace(done, children={position: done.children[position] for position in order})


def _children(done: Walk, position: Position, following: dict[Position, Position]) -> Iterator[Position]:
    """What the moves lead to, which then follows; if the game is over that is noted."""
    moves = [] if position in done.won_at_once else legal_moves(done.game, position)
    if not moves:
        outcome = Outcome.LOSS if position in done.won_at_once else decided(done.game, position)
        assert outcome in (Outcome.WIN, Outcome.LOSS)
        done.results[position] = outcome.value
    for move in moves:
        child = play(position, move)
        # One object for equal positions, which saves memory and time.
        first = following.setdefault(child, child)
        if first is child and wins_at_once(done.game, position, move):
            done.won_at_once.add(child)
        yield first


# Counting and solving


@cache
def walked(name: str) -> Walk:
    return walk(load_game(name))


def games(walked: Walk) -> tuple[int, tuple[int, int]]:
    ways = dict.fromkeys(walked.children, 0)
    ways[walked.start] = 1
    won = [0, 0]
    for position in reversed(walked.children):
        for child in walked.children[position]:
            ways[child] += ways[position]
        if position in walked.results:
            won[walked.winner(position)] += ways[position]
    return sum(won), (won[0], won[1])


def values(walked: Walk) -> dict[Position, Pair]:
    found: dict[Position, Pair] = {}
    for position, children in walked.children.items():
        if position in walked.results:
            found[position] = walked.results[position], 0
            continue
        replies = [found[child] for child in children]
        lost = [plies for outcome, plies in replies if outcome == "loss"]
        found[position] = ("win", 1 + min(lost)) if lost else ("loss", 1 + max(plies for _, plies in replies))
    return found


def force(walked: Walk, side: int, wanted: Container[Position]) -> dict[Position, int | None]:
    """From each position, the plies in which a side can force one that is wanted; None if it cannot. The other side delays."""
    found: dict[Position, int | None] = {}
    for position, children in walked.children.items():
        plies = [found[child] for child in children]
        sure = [ply for ply in plies if ply is not None]
        if position in wanted:
            found[position] = 0
        elif not sure or (position.side != side and len(sure) < len(plies)):
            found[position] = None
        else:
            found[position] = 1 + (min(sure) if position.side == side else max(sure))
    return found


def best_later(walked: Walk, side: int, measure: Mapping[Position, int | None]) -> dict[Position, Later]:
    """From each position, the most of a measure that a side can reach here or later, and the plies until then.

    None is more than any number. The other side wants least. Of equal measures the sooner is better for the side, worse for
    the other.
    """
    found: dict[Position, Later] = {}
    for position, children in walked.children.items():
        here = measure[position]
        best: Later = math.inf if here is None else here, 0
        if children:
            choose = max if position.side == side else min
            value, plies = choose((found[child] for child in children), key=merit)
            best = max(best, (value, plies + 1), key=merit)
        found[position] = best
    return found


def merit(later: Later) -> tuple[float, int]:
    return later[0], -later[1]


def error_probability(
    walked: Walk, kept: Mapping[Position, tuple[Position, ...]], player: int, fuzz: float
) -> dict[Position, float]:
    """How likely a player who plays for that wins from each position against one who errs.

    Of n moves the other side keeps k; each has weight `fuzz`, and each that is kept 1 - `fuzz` more.
    """
    found: dict[Position, float] = {}
    for position, children in walked.children.items():
        if position in walked.results:
            found[position] = float(walked.winner(position) == player)
        elif position.side == player:
            found[position] = max(found[child] for child in children)
        else:
            good = kept[position]
            total = fuzz * sum(found[child] for child in children) + (1 - fuzz) * sum(found[child] for child in good)
            found[position] = total / (len(children) * fuzz + len(good) * (1 - fuzz))
    return found


# Fox & Hounds


def foxbox(game: Game, position: Position) -> bool:
    """Whether the fox is contained: it has one square only, or all that it can come to hounds can come to as well."""
    cells = [game.board.cells[square] for _, square in position.pieces]
    fox, hounds = cells[0], set(cells[1:])
    ahead = [(x, y) for x, y in DIAGONALS if y == 1]
    area = flood(game, {fox}, DIAGONALS, hounds)
    return len(area) == 1 or area <= flood(game, hounds, ahead, set())


def flood(game: Game, cells: set[tuple[int, int]], ways: Container, closed: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The squares that one comes to from any of these, going these ways around what is closed."""
    found, border = set(cells), list(cells)
    while border:
        x, y = border.pop()
        near = {(x + right, y + up) for right, up in ways}
        new = {cell for cell in near if cell in game.board.numbers} - closed - found
        found |= new
        border += new
    return found


def box_plies(walked: Walk, found: Mapping[Position, Pair]) -> dict[Position, int | None]:
    """B: plies in which the hounds force a position that they have won and in which the fox is contained."""
    ours = {position for position, (outcome, _) in found.items() if (outcome == "win") == (position.side == HOUNDS)}
    return force(walked, HOUNDS, {position for position in ours if foxbox(walked.game, position)})


def box_measures(game: Game, position: Position) -> dict[str, bool | float]:
    """Whether a position is a FoxBox, B, and the largest B to come with the plies until then; -1 where the fox wins."""
    twin = walk(game, position)
    found = values(twin)
    boxes = box_plies(twin, found)
    fox_wins = (found[position][0] == "win") == (position.side == FOX)
    forced = (-1, -1, -1) if fox_wins else (boxes[position], *best_later(twin, FOX, boxes)[position])
    return dict(zip(("foxbox", "b", "max_b", "max_b_plies"), (foxbox(game, position), *forced), strict=True))


def kept_moves(
    walked: Walk, found: Mapping[Position, Pair], later: Mapping[Position, Later]
) -> dict[Position, tuple[Position, ...]]:
    """The moves of each position that the AI keeps, all ties among them; `later` is the best B that the fox can reach.

    They keep the best outcome; then the fox's wins are put off as long as can be, and the hounds' made as hard as can be.
    """
    kept: dict[Position, tuple[Position, ...]] = {}
    for position, children in walked.children.items():
        best = min((found[child][0] for child in children), default="loss")
        good = [child for child in children if found[child][0] == best]
        fox_wins = (best == "loss") == (position.side == FOX)
        worth = [(found[child][1], 0) if fox_wins else merit(later[child]) for child in good]
        most = max(worth, default=None)
        kept[position] = tuple(child for child, its in zip(good, worth, strict=True) if its == most)
    return kept
