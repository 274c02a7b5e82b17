"""Games that are replayed on pages: every position of a record, its value from tables or a search, and what is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest
from support.checks import thinned
from support.html import identified, parsed, said, shown
from support.recorded import KINDS, records
from support.web import TestClient, client_of

from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError
from tablebase.game.installed import load_rules
from tablebase.play.match import Match
from tablebase.play.records import Record, label_of, replayed, write_record
from tablebase.web.settings import Limits


@pytest.mark.parametrize("name", thinned(KINDS, 3))
def test_records_become_addresses(name: str, client: TestClient) -> None:
    """A record of any game leads to its page, from the page of any other; each position is that of the record."""
    first, second = records(name, 2)
    rules: Any = load_rules(name)
    answer = client.post("/kalah/replay", data={"record": write_record(first) + write_record(second), "number": "2"})
    assert answer.status_code == 200
    address = urlsplit(str(answer.url))
    assert address.path == f"/{quote_plus(rules.name, safe='=')}/replay"
    fields = parse_qs(address.query)
    assert fields["seat"] == list(second.players)
    assert fields["moves"] == [" ".join(label_of(event) or event for event in second.events)]
    moments = list(replayed(rules, second))
    for at in sorted({0, 1, len(moments) // 2, len(moments) - 1}):
        page = shown(client, f"{address.path}?{address.query}&at={at}")
        assert identified(page, "position").get("data-position") == rules.format(moments[at].position)
        steps = {one.get("data-step"): str(one.get("href")) for one in page.iter("a") if one.get("data-step")}
        ends = {step: int(parse_qs(urlsplit(href).query)["at"][0]) for step, href in steps.items()}
        last = len(moments) - 1
        assert ends == {"first": 0, "back": max(0, at - 1), "forth": min(last, at + 1), "last": last}
        listed = [one for one in page.iter("li") if one.find("a") is not None]
        assert [said(one) for one in listed if one.find("a").get("aria-current")] == ([said(listed[at - 1])] if at else [])  # type: ignore[union-attr]
        assert len(listed) == last


def test_a_record_that_ends_by_giving_up(client: TestClient) -> None:
    record = Record("hexapawn", 1, ("a", "b"), "ppp/3/PPP w", 0, ("b1b2",), (1, 2), "White wins: resigned")
    text = write_record(record).replace("b1b2", "1. b1b2 {good}")
    answer = client.post("/hexapawn/replay", data={"record": text})
    assert str(answer.url).endswith("/hexapawn/replay?seat=a&seat=b&moves=b1b2+resigns")
    assert (
        said(identified(shown(client, f"{answer.url.path}?{answer.url.query.decode()}&at=1"), "verdict"))
        == "Black resigns: White won"
    )


def test_values_are_those_of_the_tables(client: TestClient, two_games: Path) -> None:
    """The heading is what the page of the position says; a game that was resigned ends so."""
    rules: Any = load_rules("hexapawn")
    match = Match(rules, rules.initial, happened=["b1b2", "a3b2"])
    with Tablebase(two_games) as tables:
        for at, position in enumerate(match.positions):
            page = shown(client, f"/hexapawn/replay?moves=b1b2+a3b2+resigns&at={at}&search=1")
            heading = said(identified(page, "verdict"))
            try:
                probe = tables.probe(rules, position)
            except MissingTableError:
                continue
            assert str(probe.distance) in heading or at == 2
            assert not [one for one in page.iter("p") if one.get("id") == "remark"]
    assert heading == "White resigns: Black won"


def test_a_search_speaks_where_no_table_does(client: TestClient) -> None:
    """Of games with chance and of pieces; where chance moves nobody searches, and a search that takes too long is left out."""
    address = str(identified(shown(client, "/pig-target=10/replay?moves=1+6+0"), "search").get("href"))
    assert address == "/pig-target=10/replay?moves=1+6+0&at=0&search=1"
    page = shown(client, address)
    assert all("search=1" in str(one.get("href")) for one in page.iter("a") if one.get("data-step"))
    assert "it expects" in said(identified(page, "remark"))
    assert "it would play: " in said(identified(page, "remark"))
    assert "By a search: " in said(shown(client, "/doushouqi/replay?moves=a3a4&search=1"))
    assert "By a search: " not in said(shown(client, "/pig-target=10/replay?moves=1+6+0&at=1&search=1"))
    assert "By a search: " not in said(shown(client, "/noughts/replay?moves=b2&search=1"))


def test_a_search_that_takes_too_long(two_games: Path) -> None:
    with client_of(two_games, limits=Limits(seconds=0.3)) as limited:
        page = shown(limited, "/doushouqi/replay?moves=a3a4&search=1")
        assert "By a search: " not in said(page)
        assert said(identified(page, "verdict")) == "White to move"


def test_games_in_progress_lead_there(client: TestClient) -> None:
    """The link of a game's page has its seats, its start and what has happened."""
    page = shown(client, "/pig/play?seat=person&seat=person&start=5,0_2_0&moves=1+6+0")
    link = next(str(one.get("href")) for one in page.iter("a") if said(one) == "Replay")
    assert link == "/pig/replay?seat=person&seat=person&start=5,0_2_0&moves=1+6+0"
    shown(client, link)


@pytest.mark.parametrize(
    ("record", "number", "words"),
    [
        ("", "", "the record has no game: paste what match --output has written"),
        ("hello", "", "line 1, 'hello', is not a tag"),
        (write_record(records("pig-target=10", 1)[0]), "7", "no game with the number 7"),
        (write_record(records("pig-target=10", 1)[0]), "x", "the number of the game must be a whole number"),
        (write_record(replace(records("pig-target=10", 1)[0], start="x")), "", "is not a state"),
    ],
)
def test_records_that_are_refused(record: str, number: str, words: str, client: TestClient) -> None:
    answer = client.post("/pig/replay", data={"record": record, "number": number})
    assert answer.status_code == 400
    assert words in said(parsed(answer.text))
