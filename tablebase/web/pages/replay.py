"""A game that has been played, of any kind, forth and back: each position with its value, from tables or from a search.

Nothing is kept between requests: the start, and all moves and draws, are in the address, as on the page where games are played.
A record that `match --output` has written becomes such an address.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from tablebase.errors import MissingTableError, NotationError, RulesError, TablebaseError
from tablebase.game.installed import load_rules
from tablebase.game.rules import CHANCE, Rules
from tablebase.play.match import RESIGNED, Match
from tablebase.play.players import adviser_of
from tablebase.play.records import happened, label_of, read_records
from tablebase.probe.answers import Probe
from tablebase.web.context import in_thread, settings_of, tables_of
from tablebase.web.pages import words
from tablebase.web.pages.addresses import addresses_of, game_fields, named_position, whole
from tablebase.web.pages.pictures import drawing
from tablebase.web.pages.play import RESIGNS, replayed
from tablebase.web.pages.rendering import page
from tablebase.web.worker_pool import played

router = APIRouter()


class Replay(NamedTuple):
    """A game, and the event at which it is shown."""

    match: Match[Any]
    seats: Sequence[str]  # who played, as far as the address says it
    listed: Sequence[str]  # moves and draws, and `RESIGNS` if the game ended so
    at: int
    searches: bool  # whether a search is asked where tables know nothing

    @property
    def end(self) -> int:
        """The number of the last position."""
        return len(self.listed) - (self.listed[-1:] == [RESIGNS])

    @property
    def position(self) -> Any:
        """Position shown."""
        return self.match.positions[self.at]

    def query(self, at: int, searches: bool | None = None) -> dict[str, Any]:
        """The fields of the address of another position of the game, or of this one with a search or without."""
        asked = self.searches if searches is None else searches
        fields = game_fields(self.match.rules, self.seats, self.match.start, self.listed)
        return {**fields, "moves": fields["moves"] or "", "at": at, "search": "1" if asked else None}


@router.get("/{game}/replay")
async def replay(
    request: Request,
    game: str,
    seat: Annotated[list[str] | None, Query()] = None,
    start: str | None = None,
    moves: str | None = None,
    at: str | None = None,
    search: str | None = None,
) -> Response:
    """A game at one of its positions, by default the first; without moves, the place for a record."""
    rules: Rules[Any] = load_rules(game)
    if moves is None:
        return page(request, "replay_new.html", game=rules, section="play")
    most = settings_of(request).limits.plies
    shown = await in_thread(request, _replayed, rules, seat or [], start, moves.split(), at, bool(search), most)
    answer = await in_thread(request, _answer, request, rules, shown.position)
    asks = shown.searches and not (answer is not None and answer.value.is_known)
    remark = await _remark(request, rules, shown.position) if asks else None
    return await in_thread(request, _page, request, shown, answer, remark)


@router.post("/{game}/replay")
async def replay_record(request: Request, game: str) -> Response:
    """Leads to a game of a record, of whatever kind it is: the first, or the one with a number."""
    load_rules(game)
    given = {name: values[0] for name, values in parse_qs((await request.body()).decode(errors="replace")).items()}
    return await in_thread(request, _of_record, request, given.get("record", ""), given.get("number", ""))


def _of_record(request: Request, text: str, number: str) -> Response:
    wanted = whole(number, "the number of the game") if number.strip() else None
    found = next((one for one in read_records(text.splitlines()) if wanted in (None, one.number)), None)
    if found is None:
        what = "no game" if wanted is None else f"no game with the number {wanted}"
        raise NotationError(f"the record contains {what}: paste games written by 'match --output'")
    rules = load_rules(found.game)
    events = [label_of(event) or event for event in happened(rules, found)] + [RESIGNS] * (found.ending == RESIGNED)
    fields = game_fields(rules, found.players, rules.parse(found.start), events)
    return RedirectResponse(addresses_of(request).game(rules.name, "replay", **fields), 303)


def _replayed(
    rules: Rules[Any], seats: Sequence[str], start: str | None, listed: Sequence[str], at: str | None, searches: bool, most: int
) -> Replay:
    if seats and len(seats) != rules.players:
        raise TablebaseError(f"{rules.title} has {rules.players} players, not {len(seats)}: name one player per seat, or none")
    begun = rules.initial if not start else named_position(rules, start)
    match = replayed(rules, begun, listed, most)
    place = 0 if at is None else whole(at, "the number of the position")
    found = Replay(match, seats, listed, place, searches)
    if place > found.end:
        raise TablebaseError(f"the game has no position number {place}: choose a number from 0 to {found.end}")
    return found


def _answer(request: Request, rules: Rules[Any], position: Any) -> Probe | None:
    with suppress(MissingTableError, RulesError, NotationError):
        return None if words.ending(rules, position) is not None else tables_of(request).probe(rules, position)
    return None


async def _remark(request: Request, rules: Rules[Any], position: Any) -> str | None:
    """Return a search's forecast and move; None if nobody can search, or it takes too long."""
    name = adviser_of(rules)
    if name is None or rules.to_move(position) < 0:
        return None
    asked = {"game": rules.name, "position": rules.format(position), "moves": [], "player": name, "seed": 0}
    try:
        found = await played(request, asked)
    except TablebaseError:
        return None
    best = words.made(rules, position, found["move"])
    return f"{found['remark']}; best move found: {best}" if found["remark"] else None


def _page(request: Request, shown: Replay, answer: Probe | None, remark: str | None) -> Response:
    match, rules, to = shown.match, shown.match.rules, addresses_of(request)
    last, mover = shown.end, rules.to_move(shown.position)
    made = words.all_happened(match)[:last]
    steps = {"first": 0, "back": max(0, shown.at - 1), "forth": min(last, shown.at + 1), "last": last}
    ending = match.ending() if shown.at == last == len(match.events) else None
    if ending is not None:
        verdict = words.ended_by(rules, ending)
    elif answer is not None and answer.value.is_known:
        verdict = words.verdict(answer)
    else:
        verdict = "Chance to move" if mover == CHANCE else f"{words.capital(rules.sides[mover].name)} to move"
    context: dict[str, Any] = {
        "section": "play",
        "seats": [(words.capital(side.name), seat) for side, seat in zip(rules.sides, shown.seats, strict=False)],
        "mover": mover,
        "at": shown.at,
        "end": last,
        "made": [(text, to.game(rules.name, "replay", **shown.query(number))) for number, text in enumerate(made, start=1)],
        "steps": {name: to.game(rules.name, "replay", **shown.query(at)) for name, at in steps.items()},
        "last": match.events[shown.at - 1].text if shown.at else None,
        "best": answer.best if answer is not None else None,
        "outcome": None if answer is None else answer.outcome,
        "verdict": verdict,
        "remark": remark,
        "search": to.game(rules.name, "replay", **shown.query(shown.at, not shown.searches)) if adviser_of(rules) else None,
        "searches": shown.searches,
    }
    return page(request, "replay.html", game=rules, **context, **drawing(rules, shown.position, context["last"]))
