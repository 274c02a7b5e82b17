"""Games of the engine against itself, against random moves and against the tables, in one process.

    python scripts/engine_games.py keeps --data data --games 1000
    python scripts/engine_games.py tables --data data --games 400
    python scripts/engine_games.py nodes --games 400
    python scripts/engine_games.py exact --data data --games 10000

``keeps``: from random positions of up to four pieces, the engine with tables plays against perfect and against random moves; a
result that was won or drawn by the table must never become worse. ``tables``: from random positions of six and seven pieces,
three or four a side, the engine with tables plays the engine without. ``nodes``: from openings of random moves, the engine with
20,000 nodes a move plays the engine with a quarter of that. ``exact``: no games, but this number of random positions of up to four
pieces that are decided within nine plies; an exact search without tables must find each result to the ply, at the depth of its
distance and not before. Then 300 searches of other positions and depths must have one score each, with and without
transposition table, order of moves and a second thread.

Each position is played twice, with sides changed. A game is drawn when a position occurs for the third time, after 100 plies
without a capture, and after 400 plies. Points are 1 for a win and ½ for a draw; the interval is that of the mean of the
pairs of games, at 95 %.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

from tablebase.cli.options import Format
from tablebase.cli.output import write_rows
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Move, Position, decided, legal_moves, play, wins_at_once
from tablebase.game.notation import parse, render_move
from tablebase.probe.prober import Prober
from tablebase.search import Engine, Options, Repetition
from tablebase.slices.material import materials
from tablebase.tables.values import Value

QUIET_PLIES, PLIES = 100, 400
NODES = 20_000
WITHIN, SEARCHES = 9, 300
OPENING = 8
"""Plies of random moves before a game from the start."""
OPTIONS = Options(repetition=Repetition.DRAW, progress=QUIET_PLIES, hash_bytes=1 << 24, table_bytes=1 << 28)

Mover = Callable[[list[Position]], Move]
"""Chooses a move in the last position of a game."""


def play_game(game: Game, start: Position, movers: tuple[Mover, Mover]) -> tuple[float, list[Position]]:
    """The points of side 0, and all positions of the game that were not over."""
    positions, quiet = [start], 0
    while True:
        position = positions[-1]
        outcome = decided(game, position)
        if outcome is not None:
            return points(outcome, position.side), positions[:-1]
        if quiet >= QUIET_PLIES or len(positions) > PLIES or positions.count(position) >= 3:
            return 0.5, positions
        move = movers[position.side](positions)
        if wins_at_once(game, position, move):
            return 1.0 - position.side, positions
        quiet = quiet + 1 if move.captured is None else 0
        positions.append(play(position, move))


def points(outcome: Outcome, side: int) -> float:
    """The points of side 0 for an outcome of the side to move."""
    won = {Outcome.WIN: 1.0, Outcome.DRAW: 0.5, Outcome.LOSS: 0.0}[outcome]
    return won if side == 0 else 1 - won


def engine_mover(engine: Engine, nodes: int) -> Mover:
    """The engine's best move at a number of nodes."""

    def choose(positions: list[Position]) -> Move:
        *_, last = engine.analyse(positions[-1], nodes=nodes, past=positions[:-1])
        return by_text(engine.game, positions[-1], str(last.best))

    return choose


def by_text(game: Game, position: Position, text: str) -> Move:
    """The legal move with this text."""
    return next(move for move in legal_moves(game, position) if render_move(game, move) == text)


def random_mover(game: Game, random: Random) -> Mover:
    """Any legal move."""
    return lambda positions: random.choice(legal_moves(game, positions[-1]))


def perfect_mover(game: Game, prober: Prober) -> Mover:
    """The best move of the tables."""
    return lambda positions: prober.probe(game, positions[-1]).moves[0].legal_move


def openings(game: Game, random: Random) -> Iterator[Position]:
    """Positions after some random moves."""
    while True:
        position = parse(game, game.start)
        for _ in range(OPENING):
            position = play(position, random.choice(legal_moves(game, position)))
        yield position


def middle_games(game: Game, random: Random, pieces: range) -> Iterator[Position]:
    """Random placements of these numbers of pieces, divided evenly; games of the engine are drawn before so few are left."""
    while True:
        position = random_position(game, random, random.choice(pieces))
        white = sum(game.kinds[kind].side == 0 for kind, _ in position.pieces)
        if abs(2 * white - len(position.pieces)) <= 1:
            yield position


@dataclass(frozen=True)
class Duel:
    """What one process plays: some pairs of games between two engines.

    Parameters
    ----------
    folder : Path or None
        The tables of the first engine.
    nodes : (int, int)
        A move, of the first engine and the second.
    pieces : range or None
        Pieces of the positions to start from; None for openings.
    """

    folder: Path | None
    nodes: tuple[int, int]
    pieces: range | None


def play_pairs(duel: Duel, pairs: int, seed: int) -> list[float]:
    """The first engine's points in each pair of games, from 0 to 2."""
    game, random = load_game("doushouqi"), Random(seed)
    prober = None if duel.folder is None else Prober(duel.folder)
    movers = engine_mover(Engine(game, prober, OPTIONS), duel.nodes[0]), engine_mover(Engine(game, options=OPTIONS), duel.nodes[1])
    starts = openings(game, random) if duel.pieces is None else middle_games(game, random, duel.pieces)
    scores = []
    for _, start in zip(range(pairs), starts, strict=False):
        first, _ = play_game(game, start, movers)
        second, _ = play_game(game, start, movers[::-1])
        scores.append(first + 1 - second)
    return scores


def compare(title: str, duel: Duel, games: int, workers: int) -> bool:
    """Play pairs of games in several processes, and print the share of points; True if it is above one half for certain."""
    shares = [games // 2 * (number + 1) // workers - games // 2 * number // workers for number in range(workers)]
    with ProcessPoolExecutor(workers) as pool:
        scores = [score for some in pool.map(partial(play_pairs, duel), shares, range(1, workers + 1)) for score in some]
    mean, error = statistics.mean(scores) / 2, 1.96 * statistics.stdev(scores) / 2 / math.sqrt(len(scores))
    row = {"games": 2 * len(scores), "points": sum(scores), "share": round(mean, 4), "from": mean - error, "to": mean + error}
    write_rows([{"match": title, **row, "elo": round(elo(mean))}], Format.TABLE)
    return mean - error > 0.5


def elo(share: float) -> float:
    """The difference in Elo points that a share of points amounts to."""
    share = min(max(share, 1e-3), 1 - 1e-3)
    return 400 * math.log10(share / (1 - share))


def check_kept(folder: Path, games: int) -> int:
    """Play games from table positions; print and return how many results were thrown away."""
    game, random, prober = load_game("doushouqi"), Random(1), Prober(folder)
    engine = Engine(game, prober, replace(OPTIONS, repetition=Repetition.NONE, progress=0))
    rows, thrown = [], 0
    for title, opponent in (("perfect", perfect_mover(game, prober)), ("random", random_mover(game, random))):
        won = kept = 0
        for _ in range(games // 2):
            start = random_position(game, random, random.randint(2, 4))
            side = start.side
            before = prober.value(game, start)
            movers = (engine_mover(engine, 1000), opponent) if side == 0 else (opponent, engine_mover(engine, 1000))
            result, _ = play_game(game, start, movers)
            reached = result if side == 0 else 1 - result
            promised = value_points(before)
            won += reached > promised
            kept += reached == promised
            thrown += reached < promised
        rows.append(
            {"opponent": title, "games": games // 2, "as the table says": kept, "better": won, "worse": games // 2 - won - kept}
        )
    prober.close()
    write_rows(rows, Format.TABLE)
    return thrown


def check_exact(folder: Path, count: int) -> int:
    """Compare exact searches with tables and with each other; print and return the number of differences."""
    game, random, prober = load_game("doushouqi"), Random(2), Prober(folder)
    alone = replace(OPTIONS, exact=True, repetition=Repetition.NONE, progress=0)
    engine, compared, wrong = Engine(game, options=alone), 0, 0
    while compared < count:
        position = random_position(game, random, random.randint(2, 4))
        value = prober.value(game, position)
        if value.distance is not None and value.distance <= WITHIN:
            answers = list(engine.analyse(position, depth=value.distance))
            compared += 1
            wrong += [answer.value for answer in answers] != [None] * (value.distance - 1) + [value]
    prober.close()
    print(f"{compared:,} positions decided within {WITHIN} plies: {wrong} searches differ from the tables")
    ways = [alone, replace(alone, transpositions=False), replace(alone, ordering=False), replace(alone, threads=2)]
    engines = [Engine(game, options=options) for options in ways]
    starts, differ = openings(game, random), 0
    for number in range(SEARCHES):
        position = next(starts) if number % 2 else random_position(game, random, random.randint(5, 8))
        scores = {tuple(answer.score for answer in each.analyse(position, depth=3 + number % 4)) for each in engines}
        differ += len(scores) > 1
    print(f"{SEARCHES} positions and depths: {differ} have more than one score")
    return wrong + differ


def value_points(value: Value) -> float:
    """What the side to move gets if both play perfectly."""
    return points(value.outcome, 0)


def random_position(game: Game, random: Random, pieces: int) -> Position:
    """A placement of some material in which the game is not over."""
    while True:
        material = random.choice(materials(game, pieces))
        squares = [random.choice(game.kinds[kind].squares) for kind in material.kinds]
        position = Position(tuple(sorted(zip(material.kinds, squares, strict=True))), random.randrange(2))
        if len(set(squares)) == len(squares) and legal_moves(game, position):
            return position


def main() -> None:
    """Run one of the experiments; the exit code is 1 if it fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=["keeps", "tables", "nodes", "exact"])
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables of up to four pieces")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=NODES, help="nodes a move")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args()
    if given.experiment == "keeps":
        sys.exit(check_kept(given.data, given.games) > 0)
    if given.experiment == "exact":
        sys.exit(check_exact(given.data, given.games) > 0)
    if given.experiment == "tables":
        duel = Duel(given.data, (given.nodes, given.nodes), range(6, 8))
        compare(f"with tables against without, {given.nodes:,} nodes", duel, given.games, given.workers)
    else:
        duel = Duel(None, (given.nodes, given.nodes // 4), None)
        sys.exit(not compare(f"{given.nodes:,} nodes against {given.nodes // 4:,}", duel, given.games, given.workers))


if __name__ == "__main__":
    main()
