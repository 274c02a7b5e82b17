"""Matches between two players of a game of pieces on squares.

Games come in pairs: random plies from a seed make an opening, and both players play it with either side. A game ends by the
rules of `Match`; as the tables say, as soon as a move leads into them, if they are asked; as a draw after a number of plies; or
by the failure of a player that is a program of its own, which loses. If the tables know the end of the opening, they end no
game, since both games of every pair would end there, and every match would be even.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from tablebase.errors import ForfeitError, MissingTableError, TablebaseError
from tablebase.game import Game, Outcome
from tablebase.game.moves import Position
from tablebase.game.notation import render, render_move
from tablebase.play.comparison import SequentialTest
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.player_records import read_settings
from tablebase.play.players import find_player, open_player
from tablebase.play.records import Record, places_of
from tablebase.play.uci_player import UciPlayer
from tablebase.probe.prober import Prober
from tablebase.protocol.client import PATIENCE, Budget

EXTERNAL = "uci:"
"""What the name of a player begins with that is a program of its own."""
TRIES = 1_000
"""Openings that may end the game at once before the random plies are too many."""


@dataclass(frozen=True)
class Conditions:
    """How the games of a match are played."""

    start: Position  # where openings begin
    opening: int = 4  # random plies
    seed: int = 1  # the same seed gives the same games, unless a program of its own plays differently
    folder: Path = field(default_factory=lambda: Path("data"))  # the tables
    adjudicated: bool = True  # whether tables end games
    most_plies: int = 300  # plies after the opening with which a game is a draw
    budget: Budget = field(default_factory=Budget)  # what programs of their own are given for a move
    patience: float = PATIENCE  # seconds that they have for an answer beside that


class PlayedGame(NamedTuple):
    """A game of a match."""

    text: Record
    sides: tuple[int, int]  # the number of the player of side 0 and of side 1
    forfeit: bool  # whether the loser has failed to play

    @property
    def points(self) -> float:
        """What the first player gets: 1 for a win, a half for a draw."""
        return 0.5 if self.text.winner is None else float(self.sides[self.text.winner] == 0)


def play_match(game: Game, names: Sequence[str], games: int, conditions: Conditions) -> Iterator[PlayedGame]:
    """Play an even number of games, each as soon as the one before it is over.

    Players are named as in `tablebase.play.players`, with settings behind a colon, or are ``uci:`` and a command. `TablebaseError`
    if there are not two of them, one cannot play, the number of games is odd, or every opening ends the game.
    """
    if len(names) != 2:
        raise TablebaseError(f"a match is between two players, not {len(names)}: name each with --player")
    if games % 2:
        raise TablebaseError(f"games are played in pairs with colours swapped: give an even number, not {games}")
    with ExitStack() as stack:
        players = [[stack.enter_context(_opened(game, name, side, conditions)) for side in (0, 1)] for name in names]
        prober = None
        if conditions.adjudicated and conditions.folder.exists():
            prober = stack.enter_context(closing(Prober(conditions.folder)))
        for number in range(games):
            sides = (0, 1) if number % 2 == 0 else (1, 0)
            match = opening(game, conditions, number // 2)
            seated = [players[player][side] for side, player in enumerate(sides)]
            random = Random(f"{conditions.seed} {number} players")
            winner, why, forfeit = _played(match, seated, random, prober, conditions)
            moves = tuple(render_move(game, move) for move in match.moves)
            called = names[sides[0]], names[sides[1]]
            start = render(game, match.positions[0])
            text = Record(game.name, number + 1, called, start, conditions.opening, moves, places_of(winner), why)
            yield PlayedGame(text, sides, forfeit)


def enough(test: SequentialTest | None, games: Sequence[PlayedGame]) -> bool:
    """Whether a sequential test needs no more games; it looks at whole pairs only."""
    return test is not None and len(games) % 2 == 0 and test.accepted(pair_points(games)) is not None


def pair_points(games: Sequence[PlayedGame]) -> list[float]:
    """The first player's points in each pair of games; a last game without its twin is left out."""
    points = [game.points for game in games]
    return [one + other for one, other in zip(points[::2], points[1::2], strict=False)]


def opening(game: Game, conditions: Conditions, pair: int) -> Match:
    """The random plies that both games of a pair begin with; `TablebaseError` if they end the game again and again."""
    random = Random(f"{conditions.seed} {pair} opening")
    for _ in range(TRIES):
        match = Match(game, conditions.start)
        while match.plies < conditions.opening and (legal := match.legal()):
            match.play(random.choice(list(legal.values())))
        if match.ending() is None:
            return match
    raise TablebaseError(f"{conditions.opening} random plies end the game again and again: use a shorter --opening")


def _opened(game: Game, name: str, side: int, conditions: Conditions) -> Player:
    """A player of one side."""
    seat = Seat(game, conditions.start, side, conditions.folder)
    if name.startswith(EXTERNAL):
        return UciPlayer(seat, name.removeprefix(EXTERNAL), conditions.budget, conditions.patience)
    base, _, text = name.partition(":")
    return open_player(base, seat, **read_settings(base, text, list(find_player(base).settings)))


def _played(
    match: Match, seated: Sequence[Player], random: Random, prober: Prober | None, conditions: Conditions
) -> tuple[int | None, str, bool]:
    """Play a game to its end: the winner, how it ended, and whether that was a failure of the loser."""
    names = [side.name for side in match.game.sides]
    if _by_tables(match, prober) is not None:
        prober = None
    while (ending := match.ending()) is None:
        known = _by_tables(match, prober)
        if known is not None:
            winner = {Outcome.WIN: match.side, Outcome.LOSS: 1 - match.side}.get(known)
            return winner, f"{_result(names, winner)}: by the tables", False
        if match.plies >= conditions.opening + conditions.most_plies:
            return None, f"draw: not decided within {conditions.most_plies} plies", False
        try:
            move = seated[match.side].choose(match, random)
        except ForfeitError as fault:
            winner = 1 - match.side
            return winner, f"{_result(names, winner)}: {fault}", True
        if move is None:
            match.resign()
        else:
            match.play(move)
    return ending.winner, f"{_result(names, ending.winner)}: {ending.why}", False


def _by_tables(match: Match, prober: Prober | None) -> Outcome | None:
    """What a table says of a position; None if there is none."""
    if prober is None:
        return None
    try:
        return prober.value(match.game, match.position).outcome
    except MissingTableError:
        return None


def _result(names: Sequence[str], winner: int | None) -> str:
    return "draw" if winner is None else f"{names[winner]} wins"
