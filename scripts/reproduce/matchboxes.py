"""Train Hexapawn's matchbox learner game by game, and use the table to see when it has learned the game.

    python -m scripts.reproduce.matchboxes --opponent random --games 200 --seed 1
    python -m scripts.reproduce.matchboxes --opponent perfect --games 200 --runs 100 --picture curve.png

After Martin Gardner (1962): see `tablebase.play.learning.matchboxes`, which also plays against people, by
``tablebase play hexapawn --player matchboxes``. Here Black has the boxes, and a program plays White.

The opponent ``random`` makes any legal move. ``perfect`` makes the best moves of the table: the quickest win or the
slowest loss; among equal moves, any.

A box is *perfect* if it holds beads and, by the table, each of them wins for Black. The learner *plays perfectly* if all
boxes are perfect that can be reached when White makes any moves and Black draws only remaining beads: then Black wins
from the start, whatever White does and whichever bead is drawn. It *beats this opponent* if the same holds for the boxes
that can be reached when White makes only moves that the opponent might make; after moves that a perfect White never
makes, Black stays untrained. Once true, both remain true, because a learner that never loses never changes. If White
wins from the start, neither becomes true. Only losing moves are ever removed.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

import tablebase
from scripts.reproduce.known import build_start
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingExtraError, TablebaseError
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Move, Position, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.play.learning.matchboxes import Bead, BeadDraw, Matchboxes, Tree, grow_tree
from tablebase.system.compute.messages import say
from tablebase.tables.values import Value

WHITE, BLACK = 0, 1
WINDOW = 20
"""Number of games over which the learning curve averages the wins."""
POINTS = 200
"""Approximate number of points of the curve of perfect boxes."""


Ratings = Mapping[tuple[Position, Move], Value]
"""The value of each legal move, for the side that makes it."""
Opponent = Callable[["Learner", Position], Sequence[Bead]]
"""Selects the legal moves that White may make in a position."""


def every_move(learner: Learner, position: Position) -> Sequence[Bead]:
    """All legal moves."""
    return learner.tree[position]


def table_moves(learner: Learner, position: Position) -> Sequence[Bead]:
    """The best moves by the table."""
    merits = [learner.ratings[position, bead.move].merit for bead in learner.tree[position]]
    return [bead for bead, merit in zip(learner.tree[position], merits, strict=True) if merit == max(merits)]


OPPONENTS: Mapping[str, Opponent] = {"random": every_move, "perfect": table_moves}


def rate(tables: Tablebase, game: Game, tree: Tree) -> Ratings:
    """The values of all moves by the table."""
    return {
        (position, legal): move.value
        for position in tree
        for move in tables.probe(game, position, strict=True).moves
        for legal in legal_moves(game, position)
        if render_move(game, legal) == move.move and isinstance(move.value, Value)
    }


class Learner(Matchboxes):
    """Black with its boxes, and the table's opinion of the beads; `share` is as in the tree."""

    def __init__(self, game: Game, tree: Tree, ratings: Ratings, share: bool = True) -> None:
        super().__init__(game, BLACK, tree, share)
        self.ratings = ratings

    def play(self, opponent: Opponent, random: Random) -> bool:
        """Play a game, and remove the last bead if Black loses; returns whether Black has won."""
        draws: list[BeadDraw] = []
        winner = self._winner(opponent, random, draws)
        self.finish(draws, winner)
        return winner == BLACK

    def _winner(self, opponent: Opponent, random: Random, draws: list[BeadDraw]) -> int:
        """Play a game to its end, and note the beads that Black draws."""
        position = self.start
        while choices := opponent(self, position):
            after = random.choice(choices).after
            # White has won at once, Black has no legal move, or Black resigns.
            if after is None or after not in self.boxes or (drawn := self.draw(after, random)) is None:
                return WHITE
            draws.append(drawn)
            if drawn.bead.after is None:
                return BLACK
            position = drawn.bead.after
        return BLACK

    def is_perfect(self, box: Position) -> bool:
        """Return whether a box holds beads and each of them wins for Black."""
        beads = self.boxes[box]
        return bool(beads) and all(self.ratings[box, bead.move].outcome is Outcome.WIN for bead in beads)

    def reachable(self, opponent: Opponent) -> Iterator[Position]:
        """The boxes that can be reached when White makes the opponent's moves and Black draws remaining beads."""
        waiting = [self.start]
        seen = set[Position]()
        while waiting:
            for choice in opponent(self, waiting.pop()):
                box = choice.after
                if box is None or box not in self.boxes or box in seen:
                    continue
                seen.add(box)
                yield box
                waiting += [bead.after for bead in self.boxes[box] if bead.after is not None]

    def always_wins(self, opponent: Opponent = every_move) -> bool:
        """Return whether Black wins for certain, whichever of the opponent's moves White makes."""
        return all(map(self.is_perfect, self.reachable(opponent)))

    def share_perfect(self) -> float:
        """The share of perfect boxes among those that can be reached when White makes any moves."""
        return statistics.fmean(map(self.is_perfect, self.reachable(every_move)))


class Run(NamedTuple):
    """The training of one learner."""

    won: list[bool]  # whether Black won, for each game
    shares: list[float]  # of perfect boxes among the reachable ones, after each of the selected games
    perfect: int | None  # number of games after which Black played perfectly; None for never
    beats: int | None  # the same for beating this opponent
    beads: int  # that remain


def train(learner: Learner, opponent: Opponent, games: int, random: Random, points: range = range(0)) -> Run:
    """Let a learner play this many games; `points` selects the games after which the share of perfect boxes is measured."""
    goals = {"perfect": every_move, "beats": opponent}
    since = {goal: 0 for goal, white in goals.items() if learner.always_wins(white)}
    won: list[bool] = []
    shares = [learner.share_perfect()] if 0 in points else []
    for number in range(1, games + 1):
        won.append(learner.play(opponent, random))
        # Only a lost game changes a box.
        if not won[-1]:
            since |= {goal: number for goal, white in goals.items() if goal not in since and learner.always_wins(white)}
        if number in points:
            shares.append(learner.share_perfect())
    return Run(won, shares, since.get("perfect"), since.get("beats"), learner.beads)


def describe(runs: Sequence[Run], beads: int, opponent: Opponent) -> Iterator[str]:
    """The results in sentences; `beads` is the initial number of beads."""
    games = len(runs[0].won)
    count = "" if len(runs) == 1 else f" in {len(runs):,} runs"
    yield f"Black won {sum(sum(run.won) for run in runs):,} of {games * len(runs):,} games{count}"
    yield when("plays perfectly, whatever White does", [run.perfect for run in runs], runs)
    # If White makes any moves, the two goals are the same.
    if opponent is not every_move:
        yield when("beats this opponent, whichever bead is drawn", [run.beats for run in runs], runs)
    yield f"beads left: {statistics.median(run.beads for run in runs):,g} of {beads:,}{' (median)' if count else ''}"


def when(goal: str, games: Sequence[int | None], runs: Sequence[Run]) -> str:
    """After how many games a goal was reached for good, in one run or in several."""
    reached = [(number, sum(run.won[:number])) for number, run in zip(games, runs, strict=True) if number is not None]
    if not reached:
        return f"{goal}: never in {len(runs[0].won):,} games"
    if len(runs) == 1:
        number, won = reached[0]
        return f"{goal}: for good after game {number:,} (games won by then: {won:,})"
    # A run that has not reached the goal would need more games than any other.
    median = statistics.median(math.inf if number is None else number for number in games)
    text = "more than were played" if median == math.inf else f"{median:,g}"
    least, most = min(reached)[0], max(reached)[0]
    return f"{goal}: in {len(reached):,} of {len(runs):,} runs, after {least:,} to {most:,} games, median {text}"


def draw(runs: Sequence[Run], points: range, title: str, path: Path) -> None:
    """Draw the learning curve, averaged over the runs."""
    from tablebase.mining.charts.drawing import draw_curves, save

    won = np.mean([run.won for run in runs], axis=0)
    window = min(WINDOW, len(won))
    curves = {
        "games won by Black": (range(window, len(won) + 1), np.convolve(won, np.ones(window) / window, "valid").tolist()),
        "reachable boxes that are perfect": (points, np.mean([run.shares for run in runs], axis=0).tolist()),
    }
    labels = f"games played (wins: share of the last {window})", "share"
    save(
        draw_curves(title, f"mean of {len(runs):,} runs" if len(runs) > 1 else "one run", labels, curves), path, "name another file"
    )


def positive(text: str) -> int:
    """A whole number from 1."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{number} is not a whole number from 1")
    return number


def parser() -> argparse.ArgumentParser:
    """The parser of the options."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--opponent", choices=tuple(OPPONENTS), default="random", help="how White plays, by default random")
    options.add_argument("--games", type=positive, default=200, metavar="N", help="games per run, by default 200")
    options.add_argument("--runs", type=positive, default=1, metavar="R", help="learners to train, one per run, by default 1")
    options.add_argument("--seed", type=int, default=0, help="seed of all random choices, by default 0")
    options.add_argument("--size", default="3x3", metavar="CxR", help="files and ranks of the board, by default 3x3")
    options.add_argument("--no-mirror", action="store_true", help="give each mirror image its own box")
    options.add_argument("--data", type=Path, default=Path("data"), metavar="DIR", help="folder of the tables, built if missing")
    options.add_argument("--picture", type=Path, metavar="FILE", help="draw the learning curve, such as curve.png")
    return options


def train_and_report(arguments: argparse.Namespace) -> None:
    """Train learners as the options say, and print and draw the results."""
    if arguments.picture is not None and find_spec("matplotlib") is None:
        raise MissingExtraError("pictures", "plot")
    game = load_game(f"hexapawn-{arguments.size}")
    build_start(game, arguments.data)
    share = not arguments.no_mirror
    with tablebase.open(arguments.data) as tables:
        tree = grow_tree(game, parse(game, game.start), share)
        ratings = rate(tables, game, tree)
        start = tables.probe_value(game, game.start)
    fresh = Learner(game, tree, ratings, share)
    if not fresh.boxes:
        raise TablebaseError(f"Black never moves on {arguments.size}: choose a larger --size")
    winner = "White" if start.outcome is Outcome.WIN else "Black"
    print(f"{game.title} {arguments.size}: {winner} wins in {start.distance} plies, according to the table")
    print(f"Black has {len(fresh.boxes):,} boxes with {fresh.beads:,} beads; {arguments.opponent} opponent, seed {arguments.seed}")
    games, random = arguments.games, Random(arguments.seed)
    # Checking all boxes takes longer than playing a game.
    points = range(0, games + 1, -(-games // POINTS)) if arguments.picture is not None else range(0)
    opponent = OPPONENTS[arguments.opponent]
    runs = [
        train(Learner(game, tree, ratings, share), opponent, games, random, points)
        for _ in tqdm(range(arguments.runs), unit="run", disable=None, leave=False)
    ]
    print("\n".join(describe(runs, fresh.beads, opponent)))
    if arguments.picture is not None:
        draw(runs, points, f"Matchboxes for {game.title} {arguments.size} against a {arguments.opponent} White", arguments.picture)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the script and return the exit code."""
    options = parser().parse_args(arguments)
    try:
        train_and_report(options)
    except TablebaseError as error:
        say(f"error: {error}")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
