"""What the paper's section 3 measures of a game of Dou Shou Qi, beside the same here: Table 1, and what a position offers."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from engine_games import OPTIONS, Mover, engine_mover, openings, play_game, random_mover

from tablebase.game import Game, load_game
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import parse
from tablebase.search import Engine, RepeatedLines, leaves_by_depth
from tablebase.slices.rule_arrays import compile_rules

LEAVES = [24, 576, 12_240, 260_100, 5_098_477, 99_860_517, 1_890_415_534]
SECONDS = [0.0, 0.0, 0.0, 0.06, 1.26, 23.46, 471.33]
SCORES = [5, 0, 3, 0, 3, 0, 3]
MOVE = "a3b3"
NODES = 1000
"""A move, in the games that show what a position offers."""


def table_1(depth: int, workers: int = 1) -> list[dict[str, Any]]:
    """The rows of Table 1 up to a depth of at most 7, the paper's numbers beside those measured now.

    The scores are those of plain minimax with the evaluation of this program, in hundredths of a piece. The paper's evaluation
    is that of its reference [1], which is not published in it.
    """
    game = load_game("doushouqi")
    start = parse(game, game.start)
    engine = Engine(game, options=replace(OPTIONS, exact=True))
    scores = {answer.depth: answer for answer in engine.analyse(start, depth=depth)}
    return [
        {
            "ply": count.depth,
            "leaves": count.leaves,
            "paper's leaves": LEAVES[count.depth - 1],
            "seconds": round(count.seconds, 2),
            "paper's seconds": SECONDS[count.depth - 1],
            "score": scores[count.depth].score,
            "paper's score": SCORES[count.depth - 1],
            "move": scores[count.depth].best,
            "paper's move": MOVE,
        }
        for count in leaves_by_depth(game, start, depth, RepeatedLines.LEAF, workers)
    ]


def position_rows(games: int) -> list[dict[str, Any]]:
    """How many moves a position offers and how long a game is, by random moves and by those of the engine."""
    game = load_game("doushouqi")
    engine = Engine(game, options=OPTIONS)
    movers: dict[str, Callable[[Random], Mover]] = {
        "random moves": lambda random: random_mover(game, random),
        f"the engine, {NODES:,} nodes": lambda _: engine_mover(engine, NODES),
    }
    rows = [played(game, title, mover, games) for title, mover in movers.items()]
    return [*rows, {"played by": "the paper", "games": None, "moves": 20, "most moves": 32, "plies": 80}]


def most_moves() -> int:
    """A bound on the moves of any position: each piece in the middle of the board, nothing in its way."""
    return compile_rules(load_game("doushouqi")).most_moves


def played(game: Game, title: str, mover: Callable[[Random], Mover], games: int) -> dict[str, Any]:
    """The row of one way to play."""
    random = Random(1)
    starts = openings(game, random)
    seen: list[list[Position]] = [play_game(game, next(starts), (mover(random),) * 2)[1] for _ in range(games)]
    offered = [len(legal_moves(game, position)) for positions in seen for position in positions]
    plies = statistics.mean(map(len, seen))
    return {"played by": title, "games": games, "moves": statistics.mean(offered), "most moves": max(offered), "plies": plies}


def depth_14() -> str:
    """A sentence about the paper's search to depth 14, repeated in exact mode."""
    game = load_game("doushouqi")
    engine = Engine(game, options=replace(OPTIONS, exact=True, hash_bytes=1 << 31, threads=2))
    begin, used = time.monotonic(), time.process_time()
    *_, last = engine.analyse(parse(game, game.start), depth=14)
    seconds, cpu = time.monotonic() - begin, time.process_time() - used
    return (
        f"depth 14 from the start, exact: {last.nodes:,} nodes, {seconds:.0f} s, {cpu:.0f} CPU-seconds (the paper: within eight"
        f" minutes); score {last.score}, {' '.join(last.line)}"
    )
