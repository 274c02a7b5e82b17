"""Matches between players: each game of a schedule, played to its end.

A game ends by the rules of `Match`. Pairs of games end sooner in three ways: as the tables say, as soon as a move leads into them,
if they are asked; as a draw after a number of plies; or by the failure of a player that is a program of its own, which loses. If
the tables know the end of the opening, they end no game, since both games of every pair would end there, and every match would be
even.

Players that learn take note of each game when it is over. One that keeps nothing in a file has learned on each side alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Generic, NamedTuple

from tablebase.errors import ForfeitError, MissingTableError, TablebaseError
from tablebase.game.capabilities import missing
from tablebase.game.rules import Ending, P, Rules
from tablebase.game.types import Outcome
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.players import open_player
from tablebase.play.protocol.client import PATIENCE, Budget, UciPlayer
from tablebase.play.records import Record, record_of
from tablebase.play.schedules import Fixture, Schedule, schedule_of
from tablebase.probe.prober import Prober

EXTERNAL = "uci:"
"""Prefix of the name of a player that is an external program."""


@dataclass(frozen=True)
class Conditions(Generic[P]):
    """Conditions of the games of a match."""

    start: P  # where openings begin
    opening: int = 4  # turns of random moves
    seed: int = 1  # the same seed gives the same games, unless a program of its own plays differently
    folder: Path = field(default_factory=lambda: Path("data"))  # the tables
    adjudicated: bool = True  # whether tables end games that come in pairs
    most_plies: int | None = None  # plies behind the opening with which a game is a draw; by default those of the schedule
    budget: Budget = field(default_factory=Budget)  # what programs of their own are given for a move
    patience: float = PATIENCE  # seconds that they have for an answer beside that


class Played(NamedTuple):
    """A finished game of a match."""

    fixture: Fixture
    start: str  # the position that it began with
    opening: int  # turns of random moves from there on
    happened: tuple[tuple[str, bool], ...]  # the text of each move or draw since, and whether it is a draw
    turns: int  # without those of random moves
    ending: Ending
    forfeit: bool  # whether the loser has failed to play


def tournament(rules: Rules[P], names: Sequence[str], games: int, conditions: Conditions[P]) -> Iterator[Played]:
    """Play a match, each game as soon as the one before it is over.

    There are `games` of each line-up of the contestants, who are named as `open_player` takes them, or are ``uci:`` and a command.
    `TablebaseError` if they make no match, one of them cannot play, or the game is over at the start.
    """
    if rules.result(conditions.start) is not None:
        raise TablebaseError(f"the game is over in {rules.format(conditions.start)}: choose an earlier position")
    schedule = schedule_of(rules)(rules, len(names), games, conditions.seed)
    with ExitStack() as stack:
        # In pairs, what a player has seen on one side must not change how it plays the other.
        sides = range(rules.players) if schedule.paired else (None,)
        players = [[stack.enter_context(_opened(rules, name, side, conditions)) for side in sides] for name in names]
        tables = None
        if schedule.paired and conditions.adjudicated and conditions.folder.exists():
            tables = stack.enter_context(closing(Prober(conditions.folder)))
        for fixture in schedule:
            seated = [players[contestant][side % len(sides)] for side, contestant in enumerate(fixture.seats)]
            yield _played(schedule, rules, fixture, seated, tables, conditions)


def _opened(rules: Rules[P], name: str, side: int | None, conditions: Conditions[P]) -> Player:
    seat = Seat(rules, conditions.start, side, conditions.folder)
    if not name.startswith(EXTERNAL):
        return open_player(name, seat)
    if lacks := missing(rules, "search"):
        raise TablebaseError(f"UCI engines cannot play {rules.name}, which {lacks}: choose a built-in player")
    return UciPlayer(seat, name.removeprefix(EXTERNAL), conditions.budget, conditions.patience)


def _played(
    schedule: Schedule,
    rules: Rules[P],
    fixture: Fixture,
    seated: Sequence[Player],
    tables: Prober | None,
    conditions: Conditions[P],
) -> Played:
    match = schedule.begun(rules, fixture, conditions.start, conditions.opening)
    sources = {seed: Random(seed) for seed in fixture.choices}
    begun, most = match.turns, conditions.most_plies or schedule.most_plies
    last = None if most is None else match.plies + most
    if _by_tables(match, tables):
        tables = None
    forfeit = False
    while (ending := match.ending() or _by_tables(match, tables)) is None:
        if match.plies == last:
            ending = Ending((1,) * match.rules.players, f"no result within {most} plies")
            break
        try:
            move = seated[match.player].choose(match, sources[fixture.choices[match.player]])
        except ForfeitError as error:
            ending, forfeit = Ending.of_two(1 - match.player, str(error)), True
            break
        if move is None:
            match.resign()
        else:
            match.play(move)
    # In rounds, a contestant may have several seats.
    for player in dict.fromkeys(seated):
        player.finish(match, ending)
    happened = tuple((event.text, event.drawn) for event in match.events)
    return Played(fixture, match.rules.format(match.start), begun, happened, match.turns - begun, ending, forfeit)


def _by_tables(match: Match[Any], tables: Prober | None) -> Ending | None:
    """Return how a game ends under perfect play; None if no table says it."""
    if tables is None:
        return None
    try:
        value = tables.of(match.rules).value(match.position, match.player)
    except MissingTableError:
        return None
    winner = {Outcome.WIN: match.player, Outcome.LOSS: 1 - match.player}.get(value.outcome or Outcome.DRAW)
    return Ending.of_two(winner, "by the tables")


def recorded(rules: Rules[Any], names: Sequence[str], played: Played) -> Record:
    """The record of a game of these contestants."""
    seated, ending = [names[contestant] for contestant in played.fixture.seats], played.ending
    number, start = played.fixture.number + 1, rules.parse(played.start)
    return record_of(rules, number, seated, start, played.happened, ending.places, ending.why, played.opening)
