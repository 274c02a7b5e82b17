"""A game against a named player. Nothing is kept between requests: the moves are in the address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.building.plan import check_tables
from tablebase.compute.messages import count_plies
from tablebase.errors import MissingTableError, TablebaseError, quoted
from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import check_pieces, read_move, render
from tablebase.game.rules import Ending
from tablebase.play.match import Match, side_number
from tablebase.play.players import PLAYERS, find_player, player_names
from tablebase.web.context import in_thread, settings_of, tables_of
from tablebase.web.pages.addresses import addresses_of, named_placement
from tablebase.web.pages.pictures import board_data, description
from tablebase.web.pages.rendering import page
from tablebase.web.questions import played

RESIGNS = "resigns"
"""Stands in an address for the last move of a player that gives up."""

router = APIRouter()


@dataclass(frozen=True)
class Table:
    """Who plays what, as an address says it."""

    game: Game
    start: Position
    player: str  # the opponent's name
    person: int  # the person's side
    settings: dict[str, str]  # of the opponent

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


@router.get("/{game}/play")
async def play(
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
    if player is None:
        return await in_thread(request, _choice, request, game, start)
    # Players may take settings that are files of the server's: only these are for everybody.
    given = {"fuzz": fuzz, "level": level}
    table = await in_thread(request, _seated, game, player, side, start, given)
    listed = [move for move in moves.split(",") if move]
    match = await in_thread(request, _replayed, table, listed, settings_of(request).limits.plies)
    if match.ending() is None and match.player != table.person:
        reply = await _reply(request, table, listed)
        return RedirectResponse(addresses_of(request).game(table.game.name, "play", **table.query([*listed, reply])), 303)
    return await in_thread(request, _standing, request, table, match, listed)


def _seated(game: str, player: str, side: str | None, start: str | None, given: dict[str, str | None]) -> Table:
    """Who plays what, from the fields of an address."""
    rules = load_game(game)
    first = _start(rules, start)
    known = find_player(player).settings
    settings = {name: value for name, value in given.items() if value and name in known}
    return Table(rules, first, player, first.side if not side else side_number(rules, side), settings)


def _start(game: Game, text: str | None) -> Position:
    """Where a game begins, in which it must not be over."""
    position = named_placement(game, text or game.start)
    check_pieces(game, position)
    return position


def _choice(request: Request, game: str, start: str | None) -> Response:
    """The page on which a game begins."""
    rules = load_game(game)
    first, names = _start(rules, start), player_names(rules)
    records = [record for record in PLAYERS if record.name in names]
    shown: dict[str, Any] = {"game": rules, "section": "play", "asked": first, "alt": description(rules, first)}
    return page(request, "play_new.html", **shown, players=records, needs=_missing(request, rules, first))


def _missing(request: Request, game: Game, first: Position) -> str | None:
    """The first table that players that need tables would miss; None if all have been built."""
    try:
        check_tables(game, first, tables_of(request).folder)
    except MissingTableError as fault:
        return fault.material
    return None


def _replayed(table: Table, moves: list[str], most: int) -> Match[Position]:
    """The match after the moves of an address; `TablebaseError` if one of them is not legal, or there are too many."""
    if len(moves) > most:
        raise TablebaseError(f"the game is longer than {most:,} plies: begin a new one")
    match = Match(table.game, table.start)
    for number, text in enumerate(moves, start=1):
        if text == RESIGNS and number == len(moves) and match.ending() is None and match.player != table.person:
            match.resign()
            break
        legal = match.legal()
        if text not in legal:
            choice = f"choose one of {', '.join(legal)}" if legal else "the game is over"
            raise TablebaseError(f"move {number} of the game, {quoted(text)}, is not legal: {choice}")
        match.play(text)
    return match


async def _reply(request: Request, table: Table, moves: list[str]) -> str:
    """What the opponent does."""
    if find_player(table.player).needs_tables:
        await in_thread(request, check_tables, table.game, table.start, tables_of(request).folder)
    asked = {
        "game": table.game.name,
        "position": render(table.game, table.start),
        "moves": moves,
        "player": table.player,
        "settings": table.settings,
    }
    move = (await played(request, asked))["move"]
    return RESIGNS if move is None else str(move)


def _standing(request: Request, table: Table, match: Match[Position], listed: list[str]) -> Response:
    """The page of a game as it stands."""
    game, to, ending = table.game, addresses_of(request), match.ending()
    turns = [ply for ply, event in enumerate(match.events) if event.player == table.person]
    last = match.events[-1].text if match.events else None
    shown: dict[str, Any] = {
        "game": game,
        "section": "play",
        "player": table.player,
        "you": game.sides[table.person].name,
        "match": match,
        "text": render(game, match.position),
        "alt": description(game, match.position, None if last is None else read_move(game, last)),
        "last": last,
        "moves": listed,
        "board": board_data(game, match.position),
        "legal": [(text, to.game(game.name, "play", **table.query([*listed, text]))) for text in match.legal()],
        "back": to.game(game.name, "play", **table.query(listed[: turns[-1]])) if turns else None,
        "again": to.game(game.name, "play", **table.query([])),
        "result": None if ending is None else _result(match, ending, table.person),
    }
    return page(request, "play.html", **shown)


def _result(match: Match[Position], ending: Ending, person: int) -> str:
    """How a game has ended, as a sentence."""
    if ending.winner is None:
        return f"A draw after {count_plies(match.plies)}: {ending.said}."
    winner = "You have won" if ending.winner == person else f"{match.rules.sides[ending.winner].name} has won"
    return f"{winner} after {count_plies(match.plies)}: {ending.said}."
