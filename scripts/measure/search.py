"""Rates of path counts and of searches, from the start of Dou Shou Qi without tables."""

from __future__ import annotations

from functools import partial
from typing import Any

from scripts.measure.clock import timed
from tablebase.game import Game, load_game
from tablebase.game.moves import Position, legal_moves, play
from tablebase.game.notation import parse
from tablebase.search import Engine, Options, Repetition, leaves

SCALAR_DEPTH, DEPTH = 4, 6
SEARCHES = {"play": (False, 13), "exact": (True, 11)}
"""Exactness and depth of each search."""


def measure_search() -> dict[str, list[dict[str, Any]]]:
    """Leaves and nodes by CPU-second."""
    game = load_game("doushouqi")
    start = parse(game, game.start)
    return {"perft": _path_counts(game, start), "search": [_search(game, start, title) for title in SEARCHES]}


def _path_counts(game: Game, start: Position) -> list[dict[str, Any]]:
    # Compiles the kernel.
    leaves(game, start, 2)
    scalar, scalar_seconds = timed(partial(_count_scalar, game, start, SCALAR_DEPTH))
    if scalar != leaves(game, start, SCALAR_DEPTH):
        raise SystemExit("the kernel and plain Python count differently")
    total, seconds = timed(partial(leaves, game, start, DEPTH))
    counted = (("plain Python", scalar, scalar_seconds), ("kernel", total, seconds))
    return [
        {"counted by": title, "leaves": count, "cpu_seconds": spent, "leaves_a_second": count / spent}
        for title, count, spent in counted
    ]


def _count_scalar(game: Game, position: Position, depth: int) -> int:
    """The leaves of a position, one move at a time; the last ply is counted in bulk, as the kernel does."""
    moves = legal_moves(game, position)
    if depth == 1:
        return len(moves)
    return sum(_count_scalar(game, play(position, move), depth - 1) for move in moves if not move.wins)


def _search(game: Game, start: Position, title: str) -> dict[str, Any]:
    exact, depth = SEARCHES[title]
    engine = Engine(game, options=Options(exact=exact, repetition=Repetition.DRAW, progress=100, hash_bytes=1 << 28))
    # Compiles the kernels.
    list(engine.analyse(start, depth=1))
    answers, seconds = timed(lambda: list(engine.analyse(start, depth=depth)))
    nodes = answers[-1].nodes
    return {"search": title, "depth": depth, "nodes": nodes, "cpu_seconds": seconds, "nodes_a_second": nodes / seconds}
