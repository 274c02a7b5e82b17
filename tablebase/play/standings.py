"""Standings of the players of a match: a row for each.

In a game, a player gets a point for each other contestant's player who has a worse place, and half a point for one with the same
place, divided by their number. A contestant's share is the mean over its players and games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

from tablebase.play.comparison import mean_of, ranks, share_of_pairs
from tablebase.play.match import BROKEN_OFF
from tablebase.play.tournament import Played

SHARE = ("share", "share_from", "share_to")
"""Fields of a share with its interval."""


def points(places: Sequence[int], seats: Sequence[int]) -> dict[int, list[float]]:
    """The points of each player of a game, by the contestant that he is."""
    found: dict[int, list[float]] = {}
    for place, seat in zip(places, seats, strict=True):
        others = [other for other, its_seat in zip(places, seats, strict=True) if its_seat != seat]
        found.setdefault(seat, []).append(sum((place < other) + (place == other) / 2 for other in others) / len(others))
    return found


def pair_points(games: Sequence[Played]) -> list[float]:
    """The first player's points in each pair of games; a last game without its twin is left out."""
    won = [_share(game, 0) for game in games]
    return [one + other for one, other in zip(won[::2], won[1::2], strict=False)]


def of_pairs(names: Sequence[str], played: Sequence[Played]) -> list[dict[str, Any]]:
    """Return a row for each of two players, from games in pairs; `forfeits` counts games lost by a failing engine."""
    rows, pairs = [], pair_points(played)
    for player, name in enumerate(names):
        shares = [_share(game, player) for game in played]
        found = share_of_pairs(pairs if player == 0 else [2 - points for points in pairs])
        rows.append(
            {
                "player": name,
                "games": len(played),
                "wins": shares.count(1),
                "draws": shares.count(0.5),
                "losses": shares.count(0),
                **dict(zip(SHARE, found, strict=True)),
                "forfeits": sum(game.forfeit and share == 0 for game, share in zip(played, shares, strict=True)),
            }
        )
    return rows


def of_rounds(names: Sequence[str], played: Sequence[Played]) -> list[dict[str, Any]]:
    """Return a row for each contestant, from games in rounds.

    A game counts as won if one of its players is alone in first place; a game that is broken off, with the ranks at this moment.
    Games with the same opening count as one observation.
    """
    own = [[game for game in played if contestant in game.fixture.seats] for contestant in range(len(names))]
    shares = [mean_of((*_block(game), _share(game, contestant)) for game in games) for contestant, games in enumerate(own)]
    return [
        {
            "player": name,
            "games": len(games),
            "wins": sum(game.fixture.seats[winner] == contestant for game in games if (winner := game.ending.winner) is not None),
            **dict(zip(("rank", "rank_from", "rank_to"), rank, strict=True)),
            **_places(games, contestant),
            **dict(zip(SHARE, (share.value, *share.interval()), strict=True)),
            "broken_off": sum(game.ending.why == BROKEN_OFF for game in games),
        }
        for contestant, (name, games, share, rank) in enumerate(zip(names, own, shares, ranks(shares), strict=True))
    ]


def _block(game: Played) -> tuple[tuple[int, ...], str]:
    return tuple(sorted(game.fixture.seats)), game.fixture.opening


def _places(games: Sequence[Played], contestant: int) -> dict[str, float]:
    """The mean place of a contestant's players, with its interval."""
    seated = [
        (*_block(game), place)
        for game in games
        for place, seat in zip(game.ending.places, game.fixture.seats, strict=True)
        if seat == contestant
    ]
    # Numbers from 0 to 1, as intervals need them.
    others = max((len(game.fixture.seats) for game in games), default=2) - 1
    low, high = mean_of((line_up, opening, (place - 1) / others) for line_up, opening, place in seated).interval()
    return {"place": _mean([place for *_, place in seated]), "place_from": 1 + others * low, "place_to": 1 + others * high}


def points_by_name(games: Iterable[tuple[Sequence[str], Sequence[int]]]) -> dict[str, list[float]]:
    """The points of each player in one game after the other, from the names and the places of each game's players.

    Players who meet only themselves are told apart by their seat, from 1.
    """
    found: dict[str, list[float]] = {}
    for names, places in games:
        if len(set(names)) == 1:
            names = [f"{name} ({seat})" for seat, name in enumerate(names, start=1)]
        numbers = {name: number for number, name in enumerate(names)}
        for number, won in points(places, [numbers[name] for name in names]).items():
            found.setdefault(names[number], []).append(_mean(won))
    return found


def _share(game: Played, contestant: int) -> float:
    return _mean(points(game.ending.places, game.fixture.seats)[contestant])


def _mean(numbers: Sequence[float]) -> float:
    """The mean; of nothing, one half, which says nothing either."""
    return fsum(numbers) / len(numbers) if numbers else 0.5
