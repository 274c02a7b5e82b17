"""The search's part of the benchmark: rates of path counts, of searches, and of look-ups within them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from engine_games import OPTIONS, random_position

from tablebase.game import Game, load_game
from tablebase.game.moves import Position, legal_moves, play
from tablebase.game.notation import parse
from tablebase.probe.prober import Prober
from tablebase.search import Engine, leaves

Result = TypeVar("Result")
SCALAR_DEPTH, DEPTH = 4, 6
SEARCHES = {"play": (False, 13), "exact": (True, 11)}
"""Whether each search is exact, and its depth."""
ROOTS, ROOT_PIECES, ROOT_DEPTH = 10, 5, 12
"""Positions that are searched over tables: one piece more than there are tables of, so every capture is looked up."""


def measure_search(data: Path) -> dict[str, list[dict[str, Any]]]:
    """Rates by CPU-second, from the start of Dou Shou Qi and over the tables in a folder."""
    game = load_game("doushouqi")
    start = parse(game, game.start)
    searches = [*search_rates(game, start), look_up_rate(game, data)]
    fields = ["search", "depth", "nodes", "cpu_seconds", "nodes_a_second", "look_ups_a_second"]
    return {"perft": perft_rates(game, start), "search": [{field: row.get(field) for field in fields} for row in searches]}


def perft_rates(game: Game, start: Position) -> list[dict[str, Any]]:
    """Leaves a CPU-second, counted in plain Python and by the kernel."""
    leaves(game, start, 2)
    scalar, scalar_seconds = timed(lambda: count_scalar(game, start, SCALAR_DEPTH))
    if scalar != leaves(game, start, SCALAR_DEPTH):
        raise SystemExit("the kernel and plain Python count differently")
    total, seconds = timed(lambda: leaves(game, start, DEPTH))
    return [
        {
            "counted by": "plain Python",
            "leaves": scalar,
            "cpu_seconds": scalar_seconds,
            "leaves_a_second": scalar / scalar_seconds,
            "times_plain": 1.0,
        },
        {
            "counted by": "kernel",
            "leaves": total,
            "cpu_seconds": seconds,
            "leaves_a_second": total / seconds,
            "times_plain": (total / seconds) / (scalar / scalar_seconds),
        },
    ]


def count_scalar(game: Game, position: Position, depth: int) -> int:
    """The leaves of a position, one move at a time; the last ply is counted in bulk, as the kernel does."""
    moves = legal_moves(game, position)
    if depth == 1:
        return len(moves)
    return sum(count_scalar(game, play(position, move), depth - 1) for move in moves if not move.wins)


def search_rates(game: Game, start: Position) -> list[dict[str, Any]]:
    """Nodes a CPU-second without tables."""
    rows = []
    for title, (exact, depth) in SEARCHES.items():
        engine = Engine(game, options=replace(OPTIONS, exact=exact, hash_bytes=1 << 28))
        list(engine.analyse(start, depth=1))
        answers, seconds = timed(lambda engine=engine, depth=depth: list(engine.analyse(start, depth=depth)))  # type: ignore[misc]
        nodes = answers[-1].nodes
        rows.append({"search": title, "depth": depth, "nodes": nodes, "cpu_seconds": seconds, "nodes_a_second": nodes / seconds})
    return rows


def look_up_rate(game: Game, data: Path) -> dict[str, Any]:
    """Nodes and look-ups a CPU-second over the tables of a folder; nearly all that is looked up was in memory before."""
    prober = Prober(data)
    engine = Engine(game, prober, replace(OPTIONS, exact=True, transpositions=False, table_bytes=1 << 31))
    nodes = hits = 0
    seconds = 0.0
    for root in islice(undecided_roots(engine), ROOTS):
        answers, spent = timed(lambda root=root: list(engine.analyse(root, depth=ROOT_DEPTH)))  # type: ignore[misc]
        nodes, hits, seconds = nodes + answers[-1].nodes, hits + answers[-1].table_hits, seconds + spent
    prober.close()
    return {
        "search": "exact, over tables, no transpositions",
        "depth": ROOT_DEPTH,
        "nodes": nodes,
        "cpu_seconds": seconds,
        "nodes_a_second": nodes / seconds,
        "look_ups_a_second": hits / seconds,
    }


def undecided_roots(engine: Engine) -> Iterator[Position]:
    """Random positions that a search has not decided: those that are soon over have few nodes."""
    random = Random(1)
    while True:
        root = random_position(engine.game, random, ROOT_PIECES)
        *_, last = engine.analyse(root, depth=ROOT_DEPTH)
        if last.value is None:
            yield root


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """The result, and the CPU-seconds of this process."""
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin
