"""Hare & Hedgehog: one page for two to six people or computers, over the stateless commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.errors import TablebaseError, quoted
from tablebase.game.installed import load_rules
from tablebase.play.match import Match
from tablebase.web.context import in_thread
from tablebase.web.pages.addresses import addresses_of, whole
from tablebase.web.pages.rendering import page
from tablebase.web.questions import commanded

GAME, TITLE = "harehedgehog", "Hare & Hedgehog"
SEATS = ("person", "computer")
PLAYERS = range(2, 7)
DEPTHS = range(1, 9)
DEPTH = 5
CARDS = frozenset(["free", "take_or_give", "fall_back", "miss", "eat", "move_up", "again", "next_carrot", "last_carrot"])
TRACK = "SHCH3CHLI42I3CHIF24I3CL2IHC432IHFCH23ICHC2LI34H2FCIH324CILHC2HLHZ"
"""The squares from start to finish, as on the document's board."""
SQUARES = {
    "S": "start",
    "L": "lettuce",
    "I": "hedgehog",
    "C": "carrots",
    "H": "hare",
    "F": "first, fifth and sixth",
    "2": "second",
    "3": "third",
    "4": "fourth",
    "Z": "finish",
}
MOST_BYTES, MOST_FIELDS = 20_000, 50
"""More than any form of these pages has."""
router = APIRouter()


@router.get(f"/{GAME}/")
def begin(request: Request, players: str | None = None) -> Response:
    """The page on which a race begins."""
    number = 2 if players is None else whole(players, "the number of players")
    _seats([SEATS[0]] * number)
    return page(request, "race_new.html", title=TITLE, number=number, counts=PLAYERS, depths=DEPTHS)


@router.get(f"/{GAME}/race")
async def race(
    request: Request,
    seat: Annotated[list[str] | None, Query()] = None,
    depth: str | None = None,
    position: str | None = None,
    made: str | None = None,
    cards: str = "",
) -> Response:
    """A race as it stands; without a position, a new one."""
    if not seat and position is None:
        return RedirectResponse(addresses_of(request).game(GAME), 303)
    table = Table(_seats(seat or []), _depth(depth))
    if position is None:
        return _led_to(request, table, await commanded(request, "new", {"game": table.name}))
    return await in_thread(request, _standing, request, table, position, made, cards)


def _standing(request: Request, table: Table, position: str, made: str | None, cards: str) -> Response:
    """The page of a race at a position."""
    game: Any = load_rules(table.name)
    match = Match(game, game.parse(position.replace("_", " ")))
    hares, ending = game.describe(match.position)["hares"], match.ending()
    happened = [] if made is None else [game.code_text(_code(made))]
    return page(
        request,
        "race.html",
        title=TITLE,
        table=table,
        hares=hares,
        track=_track(hares),
        position=game.format(match.position),
        mover=None if ending else match.player,
        moves=[(move, game.move_text(match.position, move)) for move in match.legal()],
        happened=happened + [game.draw_text(card) for card in cards.split(",") if card in CARDS],
        places=ending.places if ending else None,
    )


@router.post(f"/{GAME}/race")
async def turn(request: Request) -> Response:
    """Makes a move of a person, or of a computer if no code is given, and leads to the race as it stands then."""
    fields = dict.fromkeys(("position", "code", "depth"), "")
    seats = []
    for name, value in await _form_of(request):
        if name == "seat":
            seats.append(value)
        elif name in fields:
            fields[name] = value
    table = Table(_seats(seats), _depth(fields["depth"] or None))
    asked: dict[str, Any] = {"game": table.name, "position": fields["position"].replace("_", " ")}
    if fields["code"]:
        answer = await commanded(request, "move", {**asked, "code": _code(fields["code"])})
    else:
        answer = await commanded(request, "computer", {**asked, "settings": {"depth": table.depth}})
    return _led_to(request, table, answer)


@dataclass(frozen=True)
class Table:
    """Who sits where, and how far computers look ahead."""

    seats: list[str]  # for each player ``person`` or ``computer``
    depth: int  # in turns of all players

    @property
    def name(self) -> str:
        """The game with its variant."""
        return load_rules(f"{GAME}-players={len(self.seats)}").name


def _led_to(request: Request, table: Table, answer: dict[str, Any]) -> Response:
    """The address of the race after a command."""
    query: list[tuple[str, object]] = [("seat", seat) for seat in table.seats]
    query += [("depth", table.depth), ("position", answer["position"].replace(" ", "_"))]
    if answer["code"] is not None:
        query.append(("made", answer["code"]))
    if answer["cards"]:
        query.append(("cards", ",".join(card["card"] for card in answer["cards"])))
    return RedirectResponse(f"{addresses_of(request).game(GAME, 'race')}?{urlencode(query, safe=':,')}", 303)


def _seats(seats: list[str]) -> list[str]:
    if len(seats) not in PLAYERS:
        raise TablebaseError(f"{TITLE} has players from {PLAYERS[0]} to {PLAYERS[-1]}, not {len(seats)}")
    for seat in seats:
        if seat not in SEATS:
            raise TablebaseError(f"a player is a {' or a '.join(SEATS)}, not {quoted(seat)}")
    return seats


def _depth(text: str | None) -> int:
    depth = DEPTH if text is None else whole(text, "the depth")
    if depth not in DEPTHS:
        raise TablebaseError(f"computers look {DEPTHS[0]} to {DEPTHS[-1]} turns ahead, not {depth}")
    return depth


def _code(text: str) -> int:
    """The code of a move, which is negative for moves backwards."""
    number = whole(text.removeprefix("-"), "the code of a move")
    return -number if text.startswith("-") else number


def _track(hares: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The squares, each with its number, what it is, and the numbers of the hares on it."""
    return [
        {
            "number": number,
            "kind": SQUARES[letter],
            "letter": letter,
            "hares": [place for place, hare in enumerate(hares) if hare["square"] == number],
        }
        for number, letter in enumerate(TRACK)
    ]


async def _form_of(request: Request) -> list[tuple[str, str]]:
    """Names and values of a form's fields; `TablebaseError` if it is none, or too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise TablebaseError(f"the form is larger than {MOST_BYTES:,} bytes: send less")
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise TablebaseError("the body of the request is not a form: send fields as in position=…&code=5") from None
