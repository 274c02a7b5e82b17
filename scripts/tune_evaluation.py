"""Fit the weights of the evaluation of Dou Shou Qi to the results of games, and print them.

    python scripts/tune_evaluation.py --games 600 --data data

After P. Österlund's method for Texel (2014), with labels from searches: the engine plays quick games against itself from
openings of random moves, with some pieces missing; each quiet position of them is labelled with what a longer search expects of
it, which a table or a proved result makes certain, mixed with the result of its game. Then the weights are chosen with which
a logistic curve over the evaluation predicts the labels best, by logistic regression with a ridge around the present weights.
Since the evaluation is a sum of weights times terms, the terms of a position are the evaluations with one weight set to 1 and
the others to 0.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
from engine_games import OPTIONS, engine_mover, play_game, points
from numpy.typing import NDArray

from tablebase.game import Game, load_game
from tablebase.game.moves import Position, legal_moves, play
from tablebase.game.notation import parse
from tablebase.probe.prober import Prober
from tablebase.search import Engine
from tablebase.search.evaluation import compile_evaluation, evaluate
from tablebase.slices.bit_board import count_moves, set_up
from tablebase.slices.rule_arrays import compile_rules
from tablebase_rules.doushouqi_evaluation import WEIGHTS, evaluation

SPACING = 3
"""Plies between two positions of a game that are used; neighbours say the same."""
STIFFNESS = 30.0
"""How strongly the present weights are held to; it counts like this number of positions."""
MOST_RARE = 0.02
"""Weights of terms whose standard deviation is less are left as they are."""
STEPS = 12
SCALE = 300.0
"""Hundredths of a piece that make e to 1 of the chances."""
DEEPER = 10
"""How many times the nodes of a move the search for a label has."""
RESULT_SHARE = 0.25
"""How much of a label is the result of the game."""
Labelled = tuple[Position, float]
"""A position, and the points that the side to move can expect."""


def label_positions(folder: Path | None, nodes: int, games: int, seed: int) -> list[Labelled]:
    """Quiet positions of games that the engine plays against itself."""
    game, random = load_game("doushouqi"), Random(seed)
    engine = Engine(game, None if folder is None else Prober(folder), replace(OPTIONS, table_bytes=1 << 27))
    found = []
    for _, opening in zip(range(games), varied_openings(game, random), strict=False):
        result, positions = play_game(game, opening, (engine_mover(engine, nodes),) * 2)
        used = [each for each in positions[random.randrange(SPACING) :: SPACING] if is_quiet(game, each)]
        found += [(each, label(engine, each, nodes * DEEPER, result if each.side == 0 else 1 - result)) for each in used]
    return found


def label(engine: Engine, position: Position, nodes: int, result: float) -> float:
    """The points that the side to move can expect."""
    *_, last = engine.analyse(position, nodes=nodes)
    if last.value is not None:
        return points(last.value.outcome, 0)
    return RESULT_SHARE * result + (1 - RESULT_SHARE) / (1 + math.exp(-last.score / SCALE))


def is_quiet(game: Game, position: Position) -> bool:
    """Whether no move captures."""
    return all(move.captured is None for move in legal_moves(game, position))


def varied_openings(game: Game, random: Random) -> Iterator[Position]:
    """The start after random moves, with some pieces taken off the board, so that games differ in material, too."""
    while True:
        position = parse(game, game.start)
        for _ in range(random.randrange(4, 12)):
            position = play(position, random.choice(legal_moves(game, position)))
        kept = random.sample(position.pieces, random.randint(8, 16))
        if {game.side_of(kind) for kind, _ in kept} == {0, 1} and legal_moves(game, Position(tuple(sorted(kept)), position.side)):
            yield Position(tuple(sorted(kept)), position.side)


def terms(game: Game, positions: list[Position]) -> NDArray[np.float64]:
    """How often each weight counts in each position, for the side to move, shape (positions, weights)."""
    rules = compile_rules(game)
    columns = []
    for name in WEIGHTS:
        arrays = compile_evaluation(game, evaluation(game.kinds, {weight: int(weight == name) for weight in WEIGHTS}))
        column = []
        for position in positions:
            board = set_up(rules, position, arrays.values)
            moves = count_moves(rules, board, position.side)
            column.append(float(evaluate(rules, arrays, board, position.side, moves)))
        columns.append(column)
    return np.array(columns).T


def fit(counted: NDArray[np.float64], labels: NDArray[np.float64]) -> dict[str, int]:
    """The weights that predict the points best without leaving the present ones for no reason, by Newton's method.

    Parameters
    ----------
    counted : ndarray of float64, shape (positions, weights)
    labels : ndarray of float64, shape (positions,)
        Points of the side to move, from 0 to 1.
    """
    present = np.array(list(WEIGHTS.values()), dtype=np.float64)
    spread = counted.std(axis=0) + 1e-9
    change = SCALE / spread * newton(counted / spread, labels, counted @ present / SCALE, STIFFNESS)
    return {name: round(weight) for name, weight in zip(WEIGHTS, present + np.where(spread > MOST_RARE, change, 0), strict=True)}


def newton(
    terms: NDArray[np.float64], labels: NDArray[np.float64], offset: NDArray[np.float64], stiffness: float
) -> NDArray[np.float64]:
    """Coefficients of a logistic regression with a ridge, shape (terms,)."""
    found = np.zeros(terms.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(offset + terms @ found)))
        gradient = terms.T @ (chance - labels) + stiffness * found
        curvature = (terms.T * (chance * (1 - chance))) @ terms + (stiffness + 1e-9) * np.eye(len(found))
        found = found - np.linalg.solve(curvature, gradient)
    return found


def main() -> None:
    """Play, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--nodes", type=int, default=1000, help="nodes a move")
    parser.add_argument("--data", type=Path, help="folder of tables that end the games")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args()
    shares = [given.games // given.workers] * given.workers
    with ProcessPoolExecutor(given.workers) as pool:
        some = list(pool.map(partial(label_positions, given.data, given.nodes), shares, range(1, given.workers + 1)))
    labelled = [one for part in some for one in part]
    labels = np.array([expected for _, expected in labelled])
    weights = fit(terms(load_game("doushouqi"), [position for position, _ in labelled]), labels)
    print(f"# {len(labelled):,} positions of {sum(shares):,} games, {np.mean(labels):.3f} points for the side to move")
    for name, weight in weights.items():
        print(f'    "{name}": {weight},  # was {WEIGHTS[name]}')


if __name__ == "__main__":
    main()
