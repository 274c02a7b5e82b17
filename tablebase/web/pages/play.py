"""A game of any kind, with a person or a player at every seat.

Nothing is kept between requests: the start, and all moves and draws since, are in the address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.building.plan import check_tables
from tablebase.errors import MissingTableError, NotationError, TablebaseError
from tablebase.game.installed import load_rules
from tablebase.game.rules import Ending, Rules
from tablebase.play.fallible import FAIR
from tablebase.play.match import Match
from tablebase.play.player_records import read_settings
from tablebase.play.players import all_players, find_player, player_names
from tablebase.system.compute.messages import count_plies
from tablebase.web.context import in_thread, settings_of, tables_of
from tablebase.web.pages import words
from tablebase.web.pages.addresses import addresses_of, game_fields, named_position
from tablebase.web.pages.game import by_players
from tablebase.web.pages.learned import TAKEN, Learned, read_learned
from tablebase.web.pages.pictures import drawing
from tablebase.web.pages.rendering import page
from tablebase.web.worker_pool import played

PERSON = "person"
"""Occupant of a seat without a player."""
FUZZES = (0, 0.01, 0.1, 0.3, 1)
"""Among other numbers that may be written, they are offered."""
RESIGNS = "resigns"
"""Stands in an address for the last move of a player that gives up."""

router = APIRouter()


@dataclass(frozen=True)
class PlayTable:
    """Game and players, as in an address."""

    rules: Rules[Any]
    start: Any
    seats: Sequence[str]  # of each player `PERSON`, or the name of a player, perhaps with settings behind a colon
    settings: Mapping[str, str]  # of all players that have them
    learned: Learned | None  # what matchboxes have learned in games before; None without matchboxes

    def query(self, happened: Sequence[str] = ()) -> dict[str, Any]:
        """The fields of the address after some moves and draws, none of which has a space."""
        learned = {} if self.learned is None else self.learned.query()
        fields = game_fields(self.rules, self.seats, self.start, happened)
        return {"seat": fields.pop("seat"), **self.settings, **learned, **fields}


def _open_settings(rules: Rules[Any], seat: str) -> set[str]:
    """The settings of the player at a seat that are not written behind its name."""
    record = find_player(seat)
    known = record.settings_in(rules)
    return set(known) - set(read_settings(record.name, seat.partition(":")[2], known))


@router.get("/{game}/play")
async def play(
    request: Request,
    game: str,
    seat: Annotated[list[str] | None, Query()] = None,
    start: str | None = None,
    moves: str = "",
    fuzz: str | None = None,
    level: str | None = None,
    depth: str | None = None,
    won: str | None = None,
    taken: str | None = None,
    go: str | None = None,
) -> Response:
    """The choice of seats; with seats the game as it stands, or the address after a player's move.

    A player moves at once if a person has just moved, or nobody has; else with `go`, so that people see what the others do.
    """
    rules: Rules[Any] = load_rules(game)
    # Players may take settings that are files of the server's: only these are for everybody.
    given = {name: value for name, value in (("fuzz", fuzz), ("level", level), ("depth", depth)) if value}
    if not seat:
        return await in_thread(request, _choice, request, rules, start)
    table = await in_thread(request, _seated, rules, seat, start, given, won, taken)
    listed = moves.split()
    most = settings_of(request).limits.plies
    people = [player for player, name in enumerate(seat) if name == PERSON]
    match = await in_thread(request, replayed, rules, table.start, listed, most, people)
    happened = [*(event.text for event in match.events), *listed[len(match.events) :]]
    movers = [event.player for event in match.events if not event.drawn]
    # A person waits for a player, having made the last move, or before the first one.
    waits = go is not None or not movers or table.seats[movers[-1]] == PERSON
    if match.ending() is None and table.seats[match.player] != PERSON and waits:
        happened.append(await _reply(request, table, match))
    if happened != listed:
        return RedirectResponse(addresses_of(request).game(rules.name, "play", **table.query(happened)), 303)
    return await in_thread(request, _standing, request, table, match, listed)


def _seated(
    rules: Rules[Any], seats: Sequence[str], start: str | None, given: Mapping[str, str], won: str | None, taken: str | None
) -> PlayTable:
    if len(seats) != rules.players:
        raise TablebaseError(f"{rules.title} has {rules.players} players, not {len(seats)}: name a player for each seat")
    known = set()
    for seat in seats:
        if seat != PERSON:
            record = find_player(seat)
            unsupported = record.unsupported(rules)
            if unsupported is not None:
                raise TablebaseError(
                    f"the player {record.name} cannot play {rules.name}, because {unsupported}: choose another player"
                )
            known |= set(record.settings_in(rules))
    learners = [number for number, seat in enumerate(seats) if seat != PERSON and TAKEN in _open_settings(rules, seat)]
    learned = read_learned(rules, learners, won, taken) if learners else None
    return PlayTable(rules, _start(rules, start), seats, {name: value for name, value in given.items() if name in known}, learned)


def _start(rules: Rules[Any], text: str | None) -> Any:
    start = rules.initial if not text else named_position(rules, text)
    rules.check(start)
    over = words.ending(rules, start)
    if over is not None:
        raise NotationError(f"the game is already over in {rules.format(start)} ({over}): choose another position")
    return start


def replayed(rules: Rules[Any], start: Any, listed: Sequence[str], most: int, people: Sequence[int] = ()) -> Match[Any]:
    """The match after what an address lists, and after the draws that follow it; `TablebaseError` if it is not possible.

    There may be at most `most` moves and draws. `people` are the players who do not resign.
    """
    if len(listed) > most:
        raise TablebaseError(f"the game has more than {most:,} moves and chance events: start from a later position")
    resigned = bool(listed) and listed[-1] == RESIGNS
    match = Match(rules, start, happened=listed[:-1] if resigned else listed)
    if resigned:
        if match.ending() is not None or match.player in people:
            # No move is called that.
            match.play(RESIGNS)
        match.resign()
    return match


async def _reply(request: Request, table: PlayTable, match: Match[Any]) -> str:
    rules, seat = table.rules, table.seats[match.player]
    if find_player(seat).needs_tables:
        await in_thread(request, _check_tables, request, rules, table.start)
    # With chance, players are told no more than the position.
    first, moves = (match.position, []) if "chance" in rules.can else (table.start, [event.text for event in match.events])
    taken, known = {} if table.learned is None else table.learned.settings(), _open_settings(rules, seat)
    settings = {name: value for name, value in {**table.settings, **taken}.items() if name in known}
    asked = {"game": rules.name, "position": rules.format(first), "moves": moves, "player": seat, "settings": settings}
    move = (await played(request, asked))["move"]
    return RESIGNS if move is None else str(move)


def _check_tables(request: Request, rules: Any, start: Any) -> None:
    """Raise `MissingTableError` unless there is a table for every position that can come up, or, without pieces, any table."""
    if "materials" in rules.can:
        check_tables(rules, start, tables_of(request).folder)
    else:
        tables_of(request).prober.of(rules).require()


def _choice(request: Request, rules: Rules[Any], start: str | None) -> Response:
    first, names = _start(rules, start), player_names(rules)
    records = [record for record in all_players() if record.name in names and not record.needs_file]
    missing = None
    if any(record.needs_tables for record in records):
        try:
            _check_tables(request, rules, first)
        except MissingTableError as error:
            missing = _lack(rules, first, tables_of(request).folder, error.material)
    usual = next(record.name for record in records if missing is None or not record.needs_tables)
    shown: dict[str, Any] = {
        "section": "play",
        "players": records,
        "missing": missing,
        "usual": usual,
        "person": rules.viewer(first),
        "taken": {name for record in records for name in record.settings},
        "fuzzes": [*FUZZES, *([FAIR] if any(record.fair for record in records) else [])],
        "counts": by_players(rules),
    }
    return page(request, "play_new.html", game=rules, **shown, **drawing(rules, first))


def _lack(rules: Any, first: Any, folder: Path, material: str | None) -> str:
    """Say why players with tables cannot play from a position."""
    if material is None:
        return "no table has been built"
    from tablebase.search.table_cache import pieces_with_tables  # here, because it loads kernels

    pieces, most = len(first.pieces), pieces_with_tables(rules, folder)
    if pieces > most:
        return f"the position has {pieces} pieces, but the tables have at most {most}"
    return f"the table {material} has not been built"


def _standing(request: Request, table: PlayTable, match: Match[Any], listed: Sequence[str]) -> Response:
    rules, ending = table.rules, match.ending()

    def address(happened: Sequence[str], learned: Learned | None = table.learned, **more: str) -> str:
        return addresses_of(request).game(rules.name, "play", **replace(table, learned=learned).query(happened), **more)

    after = table.learned if table.learned is None or ending is None else table.learned.after(match, ending)
    waits = ending is None and table.seats[match.player] == PERSON
    people = [place for place, event in enumerate(match.events) if not event.drawn and table.seats[event.player] == PERSON]
    last = match.events[-1].text if match.events else None
    legal = [(*words.move(rules, match.position, text), text) for text in (match.legal() if waits else ())]
    said = words.all_happened(match)
    # The news begins with the last move of the person who is to move, else with the last move of anybody.
    moves = [(place, event.player) for place, event in enumerate(match.events) if not event.drawn]
    own = [place for place, player in moves if player == match.player and table.seats[player] == PERSON]
    since = (own or [place for place, _ in moves] or [0])[-1]
    shown: dict[str, Any] = {
        "game": rules,
        "section": "play",
        "seats": [(words.capital(side.name), seat) for side, seat in zip(rules.sides, table.seats, strict=True)],
        "mover": None if ending is not None else match.player,
        "places": None if ending is None else ending.places,
        "last": last,
        "news": said[since:],
        "happened": said,
        "legal": [(written, meaning, text, address([*listed, text])) for written, meaning, text in legal],
        "next": address(listed, go="1") if ending is None and not waits else None,
        "replay": addresses_of(request).game(rules.name, "replay", **game_fields(rules, table.seats, table.start, listed))
        if listed
        else None,
        "back": address(listed[: people[-1]]) if people else None,
        "again": address([], after),
        "learned": after,
        "forget": None if after is None or not after.query() else address([], None),
        "verdict": f"{words.capital(rules.sides[match.player].name)} to move" if ending is None else _result(table, match, ending),
    }
    return page(request, "play.html", **shown, **drawing(rules, match.position, last))


def _result(table: PlayTable, match: Match[Any], ending: Ending) -> str:
    """Return how a game has ended, as a sentence; a person alone among players is told as such."""
    rules, alone = match.rules, table.seats.count(PERSON) == 1
    after, why = f"after {count_plies(match.plies)}", f": {ending.said}." if ending.said else "."
    if ending.winner is None:
        return f"{'A draw' if rules.players == 2 else 'A shared first place'} {after}{why}"
    name = words.capital(rules.sides[ending.winner].name)
    return f"{'You' if alone and table.seats[ending.winner] == PERSON else name} won {after}{why}"
