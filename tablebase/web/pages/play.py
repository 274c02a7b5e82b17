"""A game against a named player. Nothing is kept between requests but what takes long to make: the moves are in the address."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import SystemRandom
from threading import Lock
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.build.plan import check_tables
from tablebase.errors import MissingTableError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, render, render_move
from tablebase.play.match import Ending, Match, reason, side_number
from tablebase.play.player import Player, Seat
from tablebase.play.players import PLAYERS, find_player, open_player, player_names
from tablebase.web.context import tables_of
from tablebase.web.pages import words
from tablebase.web.pages.addresses import addresses_of
from tablebase.web.pages.arguments import named_game, named_placement
from tablebase.web.pages.faults import PageRoute
from tablebase.web.pages.pictures import board_data, description
from tablebase.web.pages.rendering import METHODS, page

RESIGNS = "resigns"
"""Stands in an address for the last move of a player that gives up."""
MOST_PLIES = 1_000
SLOW = ("foxbox", "ranking", "matchboxes")
"""Players that know every position of a game, which takes seconds; they are kept for the next move."""
KEPT = 2

router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Table:
    """Who plays what, as an address says it.

    Parameters
    ----------
    game : Game
    start : Position
    player : str
        The opponent's name.
    person : int
        The person's side.
    settings : dict of str to str
        Of the opponent.
    """

    game: Game
    start: Position
    player: str
    person: int
    settings: dict[str, str]

    def query(self, moves: list[str]) -> dict[str, str | None]:
        """The fields of the address after some moves."""
        start = render(self.game, self.start)
        return {
            "player": self.player,
            "side": self.game.sides[self.person].letter,
            **self.settings,
            "start": None if start == self.game.start else start.replace(" ", "_"),
            "moves": ",".join(moves) or None,
        }


@router.api_route("/{game}/play", methods=METHODS)
def play(
    request: Request,
    game: str,
    player: str | None = None,
    side: str | None = None,
    start: str | None = None,
    moves: str = "",
    fuzz: str | None = None,
    level: str | None = None,
) -> Response:
    """The choice of an opponent; with one, the game as it stands, or the address after the opponent's move."""
    rules = named_game(game)
    first = named_placement(rules, start or rules.start)
    check_pieces(rules, first)
    if player is None:
        return _choice(request, rules, first)
    # Players may take settings that are files of the server's: only these are for everybody.
    given = {"fuzz": fuzz, "level": level}
    known = find_player(player).settings
    settings = {name: value for name, value in given.items() if value and name in known}
    person = first.side if not side else side_number(rules, side)
    table = Table(rules, first, player, person, settings)
    listed = [move for move in moves.split(",") if move]
    match = _replayed(table, listed)
    if match.ending() is None and match.side != person:
        listed.append(_reply(request, table, match))
        return RedirectResponse(addresses_of(request).game(rules.name, "play", **table.query(listed)), 303)
    return page(request, "play.html", **_shown(request, table, match, listed))


def _choice(request: Request, game: Game, first: Position) -> Response:
    """The page on which a game begins."""
    names = player_names(game)
    records = [record for record in PLAYERS if record.name in names]
    shown: dict[str, Any] = {"game": game, "section": "play", "asked": first, "alt": description(game, first)}
    return page(request, "play_new.html", **shown, players=records, needs=_missing(request, game, first))


def _missing(request: Request, game: Game, first: Position) -> str | None:
    """The first table that players that need tables would miss; None if all have been built."""
    try:
        check_tables(game, first, tables_of(request).folder)
    except MissingTableError as fault:
        return fault.material
    return None


def _replayed(table: Table, moves: list[str]) -> Match:
    """The match after the moves of an address; `TablebaseError` if one of them is not legal."""
    if len(moves) > MOST_PLIES:
        raise TablebaseError(f"the game is longer than {MOST_PLIES:,} plies: begin a new one")
    match = Match(table.game, table.start)
    for number, text in enumerate(moves, start=1):
        if text == RESIGNS and number == len(moves) and match.ending() is None and match.side != table.person:
            match.resign()
            break
        legal = match.legal()
        if text not in legal:
            choice = f"choose one of {', '.join(legal)}" if legal else "the game is over"
            raise TablebaseError(f"move {number} of the game, {quoted(text)}, is not legal: {choice}")
        match.play(legal[text])
    return match


def _reply(request: Request, table: Table, match: Match) -> str:
    """What the opponent does."""
    folder = tables_of(request).folder
    if find_player(table.player).needs_tables:
        check_tables(table.game, table.start, folder)
    with _opened(table, Seat(table.game, table.start, 1 - table.person, folder)) as opponent:
        move = opponent.choose(match, SystemRandom())
    return RESIGNS if move is None else render_move(table.game, move)


def _shown(request: Request, table: Table, match: Match, listed: list[str]) -> dict[str, Any]:
    """What the page of a game shows."""
    game, to, ending = table.game, addresses_of(request), match.ending()
    turns = [ply for ply, position in enumerate(match.positions[:-1]) if position.side == table.person]
    last = render_move(game, match.moves[-1]) if match.moves else None
    return {
        "game": game,
        "section": "play",
        "player": table.player,
        "you": game.sides[table.person].name,
        "match": match,
        "text": render(game, match.position),
        "alt": description(game, match.position, (match.moves[-1].origin, match.moves[-1].target) if match.moves else None),
        "last": last,
        "moves": listed,
        "board": board_data(game, match.position),
        "legal": [(text, to.game(game.name, "play", **table.query([*listed, text]))) for text in match.legal()],
        "back": to.game(game.name, "play", **table.query(listed[: turns[-1]])) if turns else None,
        "again": to.game(game.name, "play", **table.query([])),
        "result": None if ending is None else _result(game, match, ending, table.person),
    }


def _result(game: Game, match: Match, ending: Ending, person: int) -> str:
    """How a game has ended, as a sentence."""
    why = reason(match, ending)
    if ending.winner is None:
        return f"A draw after {words.count_plies(match.plies)}: {why}."
    winner = "You have won" if ending.winner == person else f"{game.sides[ending.winner].name} has won"
    return f"{winner} after {words.count_plies(match.plies)}: {why}."


# Players that are kept


_kept: OrderedDict[tuple[object, ...], Player] = OrderedDict()
_lock = Lock()
"""One at a time: a player is not safe to use from several threads, and making one can take a gigabyte."""


@contextmanager
def _opened(table: Table, seat: Seat) -> Iterator[Player]:
    """The opponent, made anew or as it was kept."""
    if table.player not in SLOW:
        with open_player(table.player, seat, **table.settings) as player:
            yield player
        return
    key = (table.player, table.game, table.start, table.person, *sorted(table.settings.items()))
    with _lock:
        if key not in _kept:
            while len(_kept) >= KEPT:
                _kept.popitem(last=False)[1].close()
            _kept[key] = open_player(table.player, seat, **table.settings)
        _kept.move_to_end(key)
        yield _kept[key]
