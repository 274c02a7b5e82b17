"""What the games of a match say about its players: a row for each.

In a game, a player gets a point for each other contestant's player who has a worse place, and half a point for one with the same
place, divided by their number. A contestant's share is the mean over its players and games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tablebase.play.comparison import SequentialTest, Strength, elo, strength, wilson
from tablebase.play.match import BROKEN_OFF
from tablebase.play.tournament import Played


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


def enough(test: SequentialTest | None, games: Sequence[Played]) -> bool:
    """Whether a sequential test needs no more games; it looks at whole pairs only."""
    return test is not None and len(games) % 2 == 0 and test.accepted(pair_points(games)) is not None


def of_pairs(names: Sequence[str], played: Sequence[Played]) -> list[dict[str, Any]]:
    """A row for each of two players, from games in pairs.

    Its fields are `player`; `games`; `wins`, `draws` and `losses`; `share` of the points, `share_from` and `share_to`; `elo`,
    `elo_from` and `elo_to`, null if they are infinite; and `forfeits`, games that it has lost because it has failed to play.
    """
    rows, pairs = [], pair_points(played)
    for player, name in enumerate(names):
        shares = [_share(game, player) for game in played]
        results = {
            "player": name,
            "games": len(played),
            "wins": shares.count(1),
            "draws": shares.count(0.5),
            "losses": shares.count(0),
        }
        found = strength(pairs if player == 0 else [2 - points for points in pairs])
        forfeits = sum(game.forfeit and share == 0 for game, share in zip(played, shares, strict=True))
        rows.append({**results, **_fields(found), "forfeits": forfeits})
    return rows


def of_rounds(names: Sequence[str], played: Sequence[Played]) -> list[dict[str, Any]]:
    """A row for each contestant, from games in rounds.

    Its fields are `player`; `games`; `wins`, games that one of its players has won alone; `place`, the mean place; `share` of the
    points, `share_from` and `share_to`; `elo`, `elo_from` and `elo_to`, null if they are infinite; and `broken_off`, games that
    have taken too long, whose places are those of that moment.
    """
    rows = []
    for contestant, name in enumerate(names):
        own = [game for game in played if contestant in game.fixture.seats]
        seated = [zip(game.ending.places, game.fixture.seats, strict=True) for game in own]
        places = [place for game in seated for place, seat in game if seat == contestant]
        shares = [_share(game, contestant) for game in own]
        share, (low, high) = _mean(shares), wilson(sum(shares), len(own))
        winners = [game.ending.winner for game in own]
        results = {
            "player": name,
            "games": len(own),
            "wins": sum(
                winner is not None and game.fixture.seats[winner] == contestant for game, winner in zip(own, winners, strict=True)
            ),
            "place": _mean(places),
        }
        found = Strength(share, low, high, elo(share), elo(low), elo(high))
        rows.append({**results, **_fields(found), "broken_off": sum(game.ending.why == BROKEN_OFF for game in own)})
    return rows


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


def _fields(found: Strength) -> dict[str, Any]:
    """A strength as fields of a row."""
    return {
        "share": found.share,
        "share_from": found.low,
        "share_to": found.high,
        "elo": found.elo,
        "elo_from": found.elo_low,
        "elo_to": found.elo_high,
    }


def _share(game: Played, contestant: int) -> float:
    """The points of a contestant in a game, from 0 to 1."""
    return _mean(points(game.ending.places, game.fixture.seats)[contestant])


def _mean(numbers: Sequence[float]) -> float:
    """The mean; of nothing, one half, which says nothing either."""
    return sum(numbers) / len(numbers) if numbers else 0.5
