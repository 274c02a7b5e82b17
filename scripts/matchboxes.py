"""Hexapawn's matchbox learner, trained game by game, with the table to say when it has learned the game.

    python scripts/matchboxes.py --opponent random --games 200 --seed 1
    python scripts/matchboxes.py --opponent perfect --games 200 --runs 100 --picture curve.png

After Martin Gardner (1962). Black has a box for each position in which it may have to move, mirror images sharing one,
and in the box a bead of its own colour for each legal move; moves that mirror each other in a symmetric position share
a colour. Black draws a bead and makes its move. After a lost game the last bead drawn is taken away. At an empty box
Black resigns, and so loses the last bead from the box before. Beads are never added.

The opponent ``random`` makes any legal move. ``perfect`` makes those of the table: where White wins the quickest way,
where White loses the longest; among equal moves, any.

A box is *perfect* when it holds beads and, by the table, each of them leaves Black a won position. The learner *plays
perfectly* when every box is perfect that can still be reached while White does anything and Black draws only beads that
are left: then, from the start, whatever White does and whichever bead is drawn, Black wins. It *beats this opponent* when
the same is true of the boxes that can be reached while White makes only moves that the opponent might make; behind moves
that a perfect White never makes, Black stays untrained. Once true, both are true for good, for a learner that never loses
never changes. Where White wins from the start, neither comes true. Only losing moves are ever taken away.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import NamedTuple, NoReturn

import numpy as np

import tablebase
from tablebase.api.tablebase import Tablebase
from tablebase.build.estimate import check_capacity
from tablebase.build.plan import plan
from tablebase.build.tables import build, missing_tables
from tablebase.catalog.catalog import Catalog
from tablebase.cli.output import say
from tablebase.errors import TablebaseError
from tablebase.executors.executor import Limits
from tablebase.game import Game, Outcome, load_game
from tablebase.game.moves import Move, Position, mirrored, wins_at_once
from tablebase.game.notation import parse
from tablebase.solvers.registry import AUTO
from tablebase.values import Value

BLACK = 1
WINDOW = 20
"""Games over which the learning curve takes the share of wins."""
POINTS = 200
"""How many times in a run the curve looks at the boxes, roughly."""


class Way(NamedTuple):
    """A legal move, where it leads, and what it is worth to the side that makes it.

    Parameters
    ----------
    move : Move
    after : Position or None
        None if the move wins at once.
    value : Value
    """

    move: Move
    after: Position | None
    value: Value


Tree = Mapping[Position, tuple[Way, ...]]
"""All positions that a game can come to, the start first, with their moves; none where the side to move is stuck."""
Opponent = Callable[[tuple[Way, ...]], tuple[Way, ...]]
"""Which of the legal moves White may make."""


def every_move(ways: tuple[Way, ...]) -> tuple[Way, ...]:
    """All legal moves."""
    return ways


def table_moves(ways: tuple[Way, ...]) -> tuple[Way, ...]:
    """The best moves by the table."""
    most = max((way.value.merit for way in ways), default=0)
    return tuple(way for way in ways if way.value.merit == most)


OPPONENTS: Mapping[str, Opponent] = {"random": every_move, "perfect": table_moves}


def grow_tree(tables: Tablebase, game: Game, share: bool) -> Tree:
    """All positions that a game can come to, rated by the table; with `share`, one stands for its mirror image too."""

    def chosen(position: Position) -> Position:
        return min(position, mirrored(game, position)) if share else position

    tree: dict[Position, tuple[Way, ...]] = {}
    waiting = [parse(game, game.start)]
    while waiting:
        position = waiting.pop()
        if position not in tree:
            rated = tables.probe(game, position).moves
            ends = [wins_at_once(game, position, one.legal_move) for one in rated]
            afters = [None if end else chosen(one.child) for end, one in zip(ends, rated, strict=True)]
            tree[position] = tuple(Way(one.legal_move, after, one.value) for one, after in zip(rated, afters, strict=True))
            waiting += [after for after in afters if after is not None]
    return tree


def colours(game: Game, position: Position, ways: tuple[Way, ...]) -> list[Way]:
    """A move for each colour of bead: all, but only one of two that mirror each other in a symmetric position."""
    image = game.mirror
    if image is None or position != mirrored(game, position):
        return list(ways)
    one_of_two: dict[tuple[int, int], Way] = {}
    for way in ways:
        route = way.move.origin, way.move.target
        one_of_two.setdefault(min(route, (image[route[0]], image[route[1]])), way)
    return list(one_of_two.values())


def is_perfect(box: list[Way]) -> bool:
    """Whether there are beads in a box and each leaves Black a won position."""
    return bool(box) and all(bead.value.outcome is Outcome.WIN for bead in box)


class Learner:
    """Black with its boxes: for each position the moves whose beads are left.

    Parameters
    ----------
    game : Game
    tree : Tree
    share : bool
        Whether mirror images share a box, as they must then do in the tree.
    """

    def __init__(self, game: Game, tree: Tree, share: bool = True) -> None:
        self.tree = tree
        self.start = next(iter(tree))
        self.boxes = {
            position: colours(game, position, ways) if share else list(ways)
            for position, ways in tree.items()
            if position.side == BLACK and ways
        }

    @property
    def beads(self) -> int:
        """Beads left in all boxes."""
        return sum(len(box) for box in self.boxes.values())

    def play(self, opponent: Opponent, random: Random) -> bool:
        """Play a game, and take the last bead away if it is lost; whether Black has won."""
        position = self.start
        last: tuple[list[Way], Way] | None = None
        while ways := opponent(self.tree[position]):
            step = random.choice(ways).after
            box = None if step is None else self.boxes.get(step)
            if not box:
                # White has won at once, Black is stuck, or Black resigns.
                if last is not None:
                    last[0].remove(last[1])
                return False
            bead = random.choice(box)
            if bead.after is None:
                return True
            last, position = (box, bead), bead.after
        return True

    def reachable(self, opponent: Opponent) -> Iterator[list[Way]]:
        """The boxes that games can still come to, as White makes the opponent's moves and Black draws what is left."""
        waiting = [self.start]
        seen = set[Position]()
        while waiting:
            for way in opponent(self.tree[waiting.pop()]):
                box = None if way.after is None else self.boxes.get(way.after)
                if way.after is None or box is None or way.after in seen:
                    continue
                seen.add(way.after)
                yield box
                waiting += [bead.after for bead in box if bead.after is not None]

    def always_wins(self, opponent: Opponent = every_move) -> bool:
        """Whether Black wins for certain, whatever White does, or whichever of the opponent's moves it makes."""
        return all(is_perfect(box) for box in self.reachable(opponent))

    def share_perfect(self) -> float:
        """Share of the boxes reachable against any White that are perfect."""
        return statistics.fmean(is_perfect(box) for box in self.reachable(every_move))


@dataclass(frozen=True)
class Run:
    """What became of a learner.

    Parameters
    ----------
    won : list of bool
        Game by game, whether Black won.
    shares : list of float
        Share of the reachable boxes that were perfect after the games that were asked for.
    perfect, beats : int or None
        Number of the game after which Black played perfectly, or beat this opponent; 0 before the first, None for never.
    beads : int
        Beads left.
    """

    won: list[bool]
    shares: list[float]
    perfect: int | None
    beats: int | None
    beads: int


def train(learner: Learner, opponent: Opponent, games: int, random: Random, looks: range = range(0)) -> Run:
    """Let a learner play so many games; `looks` says after which of them to see how many boxes are perfect."""
    goals = {"perfect": every_move, "beats": opponent}
    since = {goal: 0 for goal, white in goals.items() if learner.always_wins(white)}
    won: list[bool] = []
    shares = [learner.share_perfect()] if 0 in looks else []
    for number in range(1, games + 1):
        won.append(learner.play(opponent, random))
        # Only a lost game changes a box.
        if not won[-1]:
            since |= {goal: number for goal, white in goals.items() if goal not in since and learner.always_wins(white)}
        if number in looks:
            shares.append(learner.share_perfect())
    return Run(won, shares, since.get("perfect"), since.get("beats"), learner.beads)


def describe(runs: Sequence[Run], beads: int, opponent: Opponent) -> Iterator[str]:
    """What came out, in sentences; `beads` is how many there were at first."""
    games = len(runs[0].won)
    count = "" if len(runs) == 1 else f" in {len(runs):,} runs"
    yield f"Black won {sum(sum(run.won) for run in runs):,} of {games * len(runs):,} games{count}"
    yield when("plays perfectly, whatever White does", [run.perfect for run in runs], runs)
    # Against a White that may do anything the two are the same.
    if opponent is not every_move:
        yield when("beats this opponent, whichever bead is drawn", [run.beats for run in runs], runs)
    yield f"beads left: {statistics.median(run.beads for run in runs):,g} of {beads:,}{' (median)' if count else ''}"


def when(goal: str, games: Sequence[int | None], runs: Sequence[Run]) -> str:
    """After which game something held for good, in one run or in many."""
    reached = [(number, sum(run.won[:number])) for number, run in zip(games, runs, strict=True) if number is not None]
    if not reached:
        return f"{goal}: never in {len(runs[0].won):,} games"
    if len(runs) == 1:
        number, won = reached[0]
        return f"{goal}: for good after game {number:,} (games won by then: {won:,})"
    # A run that has not come so far would have taken longer than any other.
    middle = statistics.median(math.inf if number is None else number for number in games)
    text = "more than were played" if middle == math.inf else f"{middle:,g}"
    least, most = min(reached)[0], max(reached)[0]
    return f"{goal}: in {len(reached):,} of {len(runs):,} runs, after {least:,} to {most:,} games, median {text}"


def draw(runs: Sequence[Run], looks: range, title: str, path: Path) -> None:
    """Draw the learning curve, averaged over the runs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    won = np.mean([run.won for run in runs], axis=0)
    window = min(WINDOW, len(won))
    axes.plot(np.arange(window, len(won) + 1), np.convolve(won, np.ones(window) / window, "valid"), label="games won by Black")
    axes.plot(looks, np.mean([run.shares for run in runs], axis=0), label="reachable boxes that are perfect")
    axes.set(title=title, xlabel=f"games played (wins: share of the last {window})", ylabel="share", ylim=(-0.02, 1.02))
    axes.legend()
    try:
        figure.savefig(path, dpi=120)
    except ValueError as fault:
        raise TablebaseError(f"{path} cannot be drawn: {fault}") from None


def build_missing(game: Game, folder: Path) -> None:
    """Build the tables of a game that a folder does not have yet."""
    planned = plan(game, game.max_pieces, [])
    catalog = Catalog(folder, create=True)
    missing = missing_tables(game, planned, folder, catalog)
    catalog.close()
    if missing:
        check_capacity(game, missing, folder, Limits(), AUTO)
        say(f"tables of {game.name} to build first in {folder}: {len(missing)}")
        for _ in build(game, planned, folder):
            pass


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as the other commands do."""

    def error(self, message: str) -> NoReturn:
        """Raise `TablebaseError` with the sentence."""
        raise TablebaseError(message)


def parser() -> Parser:
    """The options."""
    options = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--opponent", choices=tuple(OPPONENTS), default="random", help="who trains Black")
    options.add_argument("--games", type=int, default=200, metavar="N", help="games of a run, by default 200")
    options.add_argument("--runs", type=int, default=1, metavar="R", help="learners to train one after the other, by default 1")
    options.add_argument("--seed", type=int, default=0, help="of all that is drawn by lot, by default 0")
    options.add_argument("--size", default="3x3", metavar="CxR", help="files and ranks of the board, by default 3x3")
    options.add_argument("--no-mirror", action="store_true", help="give each mirror image a box of its own")
    options.add_argument("--data", type=Path, default=Path("data"), metavar="DIR", help="folder of the tables, built if missing")
    options.add_argument("--picture", type=Path, metavar="FILE", help="draw the learning curve, such as curve.png")
    return options


def train_and_tell(arguments: argparse.Namespace) -> None:
    """Do what the options ask for."""
    if min(arguments.games, arguments.runs) < 1:
        raise TablebaseError("--games and --runs are whole numbers from 1")
    # Better now than after the training.
    if arguments.picture is not None and find_spec("matplotlib") is None:
        raise TablebaseError("a picture needs matplotlib: install it with pip install 'tablebase[plot]'")
    game = load_game(f"hexapawn-{arguments.size}")
    build_missing(game, arguments.data)
    share = not arguments.no_mirror
    with tablebase.open(arguments.data) as tables:
        tree = grow_tree(tables, game, share)
        start = tables.probe_value(game, game.start)
    fresh = Learner(game, tree, share)
    if not fresh.boxes:
        raise TablebaseError(f"Black never moves on {arguments.size}: choose a larger --size")
    winner = "White" if start.outcome is Outcome.WIN else "Black"
    print(f"{game.title} {arguments.size}: by the table, {winner} wins in {start.distance} plies")
    print(f"Black has {len(fresh.boxes):,} boxes with {fresh.beads:,} beads; {arguments.opponent} opponent, seed {arguments.seed}")
    games, random = arguments.games, Random(arguments.seed)
    # To look through all boxes takes longer than to play.
    looks = range(0, games + 1, -(-games // POINTS)) if arguments.picture is not None else range(0)
    opponent = OPPONENTS[arguments.opponent]
    runs = [train(Learner(game, tree, share), opponent, games, random, looks) for _ in range(arguments.runs)]
    print("\n".join(describe(runs, fresh.beads, opponent)))
    if arguments.picture is not None:
        draw(runs, looks, f"Matchboxes for {game.title} {arguments.size} against a {arguments.opponent} White", arguments.picture)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, tell, and draw; the exit code. Every known fault is one sentence on stderr."""
    try:
        train_and_tell(parser().parse_args(arguments))
    except TablebaseError as fault:
        say(f"error: {fault}")
        return fault.exit_code
    except OSError as fault:
        say(f"error: {fault.strerror or fault}{f' ({fault.filename})' if fault.filename else ''}: name another file or folder")
        return TablebaseError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
