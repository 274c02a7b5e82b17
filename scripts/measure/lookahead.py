"""Costs of looking ahead in Hare & Hedgehog, and savings by each trick of the article about it.

Positions are from races of players that look ahead, every fifth turn; cards are drawn from the same seed in each search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice, repeat
from random import Random
from statistics import fmean
from typing import Any, cast

from scripts.measure.clock import timed
from tablebase.game.installed import load_rules
from tablebase.game.stochastic import State, StochasticGame
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.players import open_player
from tablebase.search.choices import Foresight, Objective
from tablebase.search.lookahead import MOST_DEPTH, Lookahead, Outlook

CUTS = (0, 0, 8, 8, 4)
"""Cuts of the article."""
LEAD = Objective.LEAD
TRICKS: dict[str, dict[str, Any]] = {
    "lead": {"objective": LEAD},
    "lead, sorting": {"objective": LEAD, "sort": True},
    "lead, alpha-beta": {"objective": LEAD, "alpha_beta": True},
    "lead, alpha-beta, sorting": {"objective": LEAD, "alpha_beta": True, "sort": True},
    "lead, alpha-beta, sorting, cuts": {"objective": LEAD, "alpha_beta": True, "sort": True, "cuts": CUTS},
    "own": {},
    "own, cuts": {"cuts": CUTS},
}
FOR_ALL = ("own", "own, cuts")
FOR_TWO = (*FOR_ALL, "lead, alpha-beta, sorting", "lead, alpha-beta, sorting, cuts")
PLAYERS = range(2, 7)
OPENING, STEP = 4, 5


def measure_tricks(count: int, deepest: int) -> dict[str, list[dict[str, Any]]]:
    """Positions and evaluations of a search for two with each trick, beside one without tricks, and what the tricks change."""
    game = _race(2)
    states = positions_of(game, count)
    rows = []
    for depth in range(2, deepest + 1):
        plain: dict[Objective, list[Outlook]] = {}
        for title, settings in TRICKS.items():
            found, seconds = _searched(game, states, depth, settings)
            beside = plain.setdefault(settings.get("objective", Objective.OWN), found)
            positions, others = (sum(one.positions for one in each) for each in (found, beside))
            rows.append(
                {
                    "depth": depth,
                    "search": title,
                    "positions": positions / count,
                    "times_fewer": others / positions,
                    "evaluations": fmean(one.evaluations for one in found),
                    "cpu_ms": 1000 * fmean(seconds),
                    "same_move": sum(one.best == other.best for one, other in zip(found, beside, strict=True)),
                    "same_value": sum(one.values == other.values for one, other in zip(found, beside, strict=True)),
                    "of": count,
                }
            )
    return {"tricks": rows}


def measure_speed(count: int, patience: float, players: range = PLAYERS) -> dict[str, list[dict[str, Any]]]:
    """Positions a second by number of players and depth, as far as a move takes no longer than it may, on average."""
    speeds, bought = [], []
    for number in players:
        game = _race(number)
        states = positions_of(game, count)
        for title in FOR_TWO if number == 2 else FOR_ALL:
            rows = list(_deeper(game, states, title, patience))
            speeds += rows
            bought += rows[-1:]
    return {"speed": speeds, "within the time": bought}


def _deeper(game: StochasticGame, states: list[State], title: str, patience: float) -> Iterator[dict[str, Any]]:
    """A row for each depth, until moves take too long."""
    for depth in range(1, MOST_DEPTH + 1):
        found, seconds = _searched(game, states, depth, TRICKS[title], patience * len(states))
        if len(found) < len(states):
            return
        rate = sum(one.positions for one in found) / sum(seconds)
        yield {
            "players": game.players,
            "search": title,
            "depth": depth,
            "positions": fmean(one.positions for one in found),
            "cpu_ms": 1000 * fmean(seconds),
            "most_ms": 1000 * max(seconds),
            "positions_a_second": rate,
            "ms_for_100000": 1e8 / rate,
        }


def positions_of(game: StochasticGame, count: int) -> list[State]:
    """Positions in which a turn begins, from races of players that look as far ahead as to their own next turn."""
    random = Random(f"{game.name} {count}")
    with open_player(f"computer:depth={game.players + 1},cuts=6/4,tables=no", Seat(game, game.initial)) as player:
        races = (islice(_turns_of(Match(game, game.initial, random), player, random), OPENING, None, STEP) for _ in repeat(None))
        return list(islice(chain.from_iterable(races), count))


def _turns_of(match: Match[State], player: Player, random: Random) -> Iterator[State]:
    """The positions of a race in which a turn begins, while it is played."""
    game, seen = cast("StochasticGame", match.rules), 0
    while True:
        for state in match.positions[seen:]:
            seen += 1
            if game.to_move(state) >= 0 and game.begins_turn(state):
                yield state
        if match.ending() is not None:
            return
        match.play((random.choice(list(match.legal())) if match.turns < OPENING else player.choose(match, random)) or "")


def _race(players: int) -> StochasticGame:
    return cast("StochasticGame", load_rules(f"harehedgehog-players={players}"))


def _searched(
    game: StochasticGame, states: list[State], depth: int, settings: dict[str, Any], allowed: float = math.inf
) -> tuple[list[Outlook], list[float]]:
    """Search each position; return results and CPU-seconds, without the last ones if all take more than is allowed."""
    searcher = Lookahead(game, Foresight(depth=depth, **settings))
    # Compiles the kernels.
    Lookahead(game, Foresight(depth=1)).search(states[0])
    outlooks: list[Outlook] = []
    seconds: list[float] = []
    for state in states:
        found, spent = timed(partial(searcher.search, state))
        allowed -= spent
        if allowed < 0:
            break
        outlooks.append(found)
        seconds.append(spent)
    return outlooks, seconds
