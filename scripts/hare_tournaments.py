"""What the author of the program for Hare & Hedgehog wished to know: which way to read a vector is better, and what things cost.

    python scripts/hare_tournaments.py objectives --games 400
    python scripts/hare_tournaments.py depths --games 400
    python scripts/hare_tournaments.py random --games 400
    python scripts/hare_tournaments.py tables --games 400 --data data
    python scripts/hare_tournaments.py nodes
    python scripts/hare_tournaments.py speed

``objectives``: one's own value against the least lead, for two, three and four players; for two without cards, too.
``depths``: depths 1 to 4 against each other. ``random``: the computer at depths 1 to 4 against any moves.
``tables``: with tables at the leaves against without, and looking ahead against the tables alone from positions that they hold;
first run ``tablebase build harehedgehog --carrots 60 --data data``. ``nodes``: states that are looked at from 50 positions at depth
6, plain, with alpha-beta, with sorting, with both, and with the cuts of the article besides; all but the last must give the same
moves. ``speed``: from the start, at depth 7, as the article has it, which needs 300 ms for 100,000 positions.

Games begin with four turns of random moves; each opening is played in every order of seats. Intervals are those of
`tablebase.play.tournament`, at 95 %.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tablebase.cli.options import Format
from tablebase.cli.output import write_rows
from tablebase.game.registry import load_rules
from tablebase.game.stochastic import State, StochasticGame
from tablebase.play.state_match import opened
from tablebase.play.tournament import Played, standings, tournament
from tablebase.search.choices import Foresight, Objective
from tablebase.search.lookahead import Lookahead

OPENING = 4
POSITIONS, NODES_DEPTH = 50, 6
DOCUMENT_DEPTH, DOCUMENT_CUTS = 7, (0, 0, 8, 8, 4)
DOCUMENT_POSITIONS, DOCUMENT_SECONDS = 100_000, 0.3
"""How the program of the article on Hare & Hedgehog looks ahead, and what it says about its speed."""
LATE = "50:45:0,47:45:0 1"
"""Both players have eaten, and the tables hold what is left."""
ENDGAME = "58:12:0,55:12:0 1"
COLUMNS = ["match", "player", "games", "wins", "place", "share", "from", "to", "elo", "elo from", "elo to", "broken off"]


@dataclass(frozen=True)
class Meeting:
    """A tournament.

    Parameters
    ----------
    title : str
    game : str
    players : tuple of str
    start : str
        By default the start of the game.
    opening : int
    """

    title: str
    game: str
    players: tuple[str, ...]
    start: str = ""
    opening: int = OPENING


def objectives() -> list[Meeting]:
    """One's own value against the least lead; deep enough for a player to see his own next turn."""
    meetings = []
    for players, depth, more in ((2, 3, ""), (2, 4, ""), (3, 4, ""), (4, 5, ",cuts=0/0/8/8/4")):
        both = [f"computer:depth={depth},objective={objective}{more}" for objective in Objective]
        title = f"own or lead, {players} players, depth {depth}"
        meetings.append(Meeting(title, f"harehedgehog-players={players}", tuple(both)))
    without = tuple(f"computer:depth=4,objective={objective}" for objective in Objective)
    return [*meetings, Meeting("own or lead, 2 players without cards, depth 4", "harehedgehog-cards=none", without)]


def depths() -> list[Meeting]:
    """Each depth from 1 to 4 against all others."""
    return [Meeting("depths", "harehedgehog", tuple(f"computer:depth={depth}" for depth in range(1, 5)))]


def against_random() -> list[Meeting]:
    """Each depth from 1 to 4 against any moves."""
    names = [(f"computer:depth={depth}", "random") for depth in range(1, 5)]
    return [Meeting(f"depth {depth} against random", "harehedgehog", both) for depth, both in enumerate(names, start=1)]


def with_tables() -> list[Meeting]:
    """Tables at the leaves against none."""
    meetings = []
    for depth in (2, 4):
        both = (f"computer:depth={depth}", f"computer:depth={depth},tables=no")
        meetings.append(Meeting(f"tables or none, depth {depth}", "harehedgehog", both))
        meetings.append(Meeting(f"tables or none, late, depth {depth}", "harehedgehog", both, LATE, 2))
    both = ("computer:depth=2,cards=expectation", "computer:depth=2,cards=expectation,tables=no")
    meetings.append(Meeting("tables or none, late, depth 2, all cards", "harehedgehog", both, LATE, 2))
    alone = ("computer:depth=2,tables=no", "tables")
    return [*meetings, Meeting("looking ahead or tables alone, late", "harehedgehog", alone, ENDGAME, 1)]


MEETINGS = {"objectives": objectives, "depths": depths, "random": against_random, "tables": with_tables}


def rules(name: str) -> StochasticGame:
    """A game by its name."""
    game = load_rules(name)
    assert isinstance(game, StochasticGame)
    return game


def play(meeting: Meeting, games: int, folder: Path, workers: int, number: int) -> list[Played]:
    """One worker's part of a tournament."""
    game = rules(meeting.game)
    start = game.parse(meeting.start) if meeting.start else game.start
    return list(tournament(game, meeting.players, games, 1, start, meeting.opening, folder, (number, workers)))


def compare(meeting: Meeting, games: int, folder: Path, workers: int) -> list[dict[str, Any]]:
    """Play a tournament, and return its standings."""
    work = partial(play, meeting, games, folder, workers)
    if workers == 1:
        played = work(0)
    else:
        with ProcessPoolExecutor(workers) as pool:
            played = [game for part in pool.map(work, range(workers)) for game in part]
    played.sort(key=lambda game: game.fixture.number)
    turns = statistics.mean(game.turns for game in played)
    print(f"{meeting.title}: {len(played)} games of {turns:.1f} turns", file=sys.stderr)
    rows = standings(meeting.players, played)
    return [{"match": meeting.title, **{name.replace("share_", "").replace("_", " "): row[name] for name in row}} for row in rows]


def positions(game: StochasticGame, count: int) -> Iterator[State]:
    """Positions after some turns of random moves, from early and late in the game."""
    random = Random(1)
    for number in range(count):
        yield opened(game, game.start, 2 + number, random)


def count_nodes(count: int = POSITIONS, depth: int = NODES_DEPTH) -> list[dict[str, Any]]:
    """States that are looked at, on average; raises if a setting that must not changes a move."""
    game = rules("harehedgehog")
    plain = Foresight(depth, Objective.LEAD)
    settings = {
        "plain": plain,
        "sorting": replace(plain, sort=True),
        "alpha-beta": replace(plain, alpha_beta=True),
        "alpha-beta and sorting": replace(plain, alpha_beta=True, sort=True),
        "alpha-beta, sorting and cuts": replace(plain, alpha_beta=True, sort=True, cuts=DOCUMENT_CUTS),
    }
    starts = list(positions(game, count))
    rows: list[dict[str, Any]] = []
    expected = None
    for name, foresight in settings.items():
        searcher = Lookahead(game, foresight)
        found = [searcher.search(state, number) for number, state in enumerate(starts)]
        results = [(one.best, one.values, one.line) for one in found]
        expected = expected or results
        if not foresight.cuts and results != expected:
            raise SystemExit(f"{name} changes a move, a value or a line")
        nodes = statistics.mean(one.nodes for one in found)
        agreeing = sum(one[0] == other[0] for one, other in zip(results, expected, strict=True))
        fewer = rows[0]["nodes"] / nodes if rows else 1.0
        rows.append({"settings": name, "nodes": nodes, "times fewer": fewer, "same moves": f"{agreeing} of {count}"})
    return rows


def measure_speed(depth: int = DOCUMENT_DEPTH) -> list[dict[str, Any]]:
    """The computer's first move under the article's settings, and plain."""
    game = rules("harehedgehog")
    article = Foresight(depth, Objective.OWN, cuts=DOCUMENT_CUTS)
    settings = {
        "own, cuts": article,
        "own, cuts, sorting": replace(article, sort=True),
        "lead, alpha-beta, sorting, cuts": replace(article, objective=Objective.LEAD, alpha_beta=True, sort=True),
        "lead, alpha-beta, sorting": replace(article, objective=Objective.LEAD, alpha_beta=True, sort=True, cuts=()),
        "own, plain": replace(article, cuts=()),
    }
    rows = [_speed("the article's program", DOCUMENT_POSITIONS, DOCUMENT_SECONDS)]
    for name, foresight in settings.items():
        searcher = Lookahead(game, foresight)
        searcher.search(game.start)
        begin = time.perf_counter()
        found = searcher.search(game.start)
        rows.append(_speed(name, found.positions, time.perf_counter() - begin))
    return rows


def _speed(name: str, count: int, seconds: float) -> dict[str, Any]:
    return {"settings": name, "positions": count, "ms": 1000 * seconds, "positions/s": round(count / seconds)}


def main() -> None:
    """Run one of the experiments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=[*MEETINGS, "nodes", "speed"])
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the tables")
    parser.add_argument("--games", type=int, default=400, help="games of each line-up")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    given = parser.parse_args()
    if given.experiment == "nodes":
        write_rows(count_nodes(), Format.TABLE)
    elif given.experiment == "speed":
        write_rows(measure_speed(), Format.TABLE)
    else:
        meetings = MEETINGS[given.experiment]()
        rows = [row for meeting in meetings for row in compare(meeting, given.games, given.data, given.workers)]
        write_rows(rows, Format.TABLE, COLUMNS)


if __name__ == "__main__":
    main()
