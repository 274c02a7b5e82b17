"""Games of people and players, and games that are replayed: all that has happened is in the address."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit
from xml.etree.ElementTree import Element

import pytest
from support.checks import before_release, thinned
from support.html import identified, parsed, said, shown
from support.recorded import KINDS, records
from support.web import TestClient, client_of

from tablebase.commands.tablebase import Tablebase
from tablebase.game import load_game
from tablebase.game.installed import load_rules
from tablebase.play.learning.matchbox_player import MatchboxPlayer
from tablebase.play.learning.matchboxes import MOST, BeadDraw, write_taken
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.players import player_names
from tablebase.play.records import Record, label_of, replayed, write_record
from tablebase.web.settings import RequestLimits

GAME = load_game("hexapawn")


def moves_of(address: str) -> list[str]:
    return parse_qs(urlsplit(address).query).get("moves", [""])[0].split()


def links(page: Element) -> dict[str, str]:
    return {str(one.get("data-move")): str(one.get("href")) for one in page.iter("a") if one.get("data-move")}


def test_the_choice_of_players(client: TestClient) -> None:
    """Every seat offers a person and all players that can play the game without a file; without tables, some cannot be chosen."""
    for name in ("hexapawn", "doushouqi", "foxhounds-4x4", "harehedgehog-players=3", "pig-players=6"):
        rules = load_rules(name)
        seats = [one for one in shown(client, f"/{name}/play").iter("select") if one.get("name") == "seat"]
        names = [player for player in player_names(rules) if player != "learner"]
        assert [[one.get("value") for one in seat] for seat in seats] == [["person", *names]] * rules.players
    first, second = [one for one in shown(client, "/doushouqi/play").iter("select") if one.get("name") == "seat"]
    assert [one.get("value") for one in first if "disabled" in one.attrib] == ["tables", "fuzzy"]
    assert [one.get("value") for one in second if "selected" in one.attrib] == ["engine"]
    assert not [one for one in first if "selected" in one.attrib]
    words = said(identified(shown(client, "/doushouqi/play"), "main"))
    assert words.count("(not available: the position has 16 pieces, but the tables have at most 2)") == 2
    assert "usual" not in words
    assert "pig-players=4/play" in [str(one.get("href")).strip("/") for one in shown(client, "/pig/play").iter("a")]


def test_a_fuzz_can_be_written(client: TestClient) -> None:
    """Any number, or `fair` where a player takes it; the address has it, and a player that takes no such fuzz says so."""
    for name, fair in (("foxhounds-4x4", True), ("doushouqi", False)):
        page = shown(client, f"/{name}/play")
        field = next(one for one in page.iter("input") if one.get("name") == "fuzz")
        values = [one.get("value") for one in identified(page, str(field.get("list"))).iter("option")]
        assert ("fair" in values) is fair
    answer = client.get("/foxhounds-4x4/play?seat=exploit&seat=foxbox&fuzz=fair&go=1")
    assert answer.status_code == 200
    assert "fuzz=fair" in str(answer.url)
    assert len(moves_of(str(answer.url))) == 1
    refused = client.get("/hexapawn/play?seat=tables&seat=person&fuzz=fair")
    assert (refused.status_code, "accept &#39;fair&#39;" in refused.text) == (400, True)


@pytest.mark.parametrize("player", ["tables", "matchboxes", *before_release("fuzzy", "ranking", "exploit", "engine")])
def test_a_whole_game(player: str, client: TestClient) -> None:
    """Against every player a game ends as the rules say, and what a page shows is the position after its moves."""
    random = Random(3)
    address = f"/hexapawn/play?seat={player}&seat=person&level=1"
    for _ in range(10):
        answer = client.get(address)
        assert answer.status_code == 200
        address = str(answer.url)
        page, moves = parsed(answer.text), moves_of(address)
        match = Match(GAME, GAME.initial, happened=[move for move in moves if move != "resigns"])
        assert identified(page, "position").get("data-position") == GAME.format(match.position)
        legal = links(page)
        if not legal:
            break
        assert list(legal) == list(match.legal())
        address = random.choice(list(legal.values()))
    if moves[-1] == "resigns":
        assert said(identified(page, "verdict")).startswith("You won after")
    else:
        ending = match.ending()
        assert ending is not None
        winner = "You won" if ending.winner == 1 else "White won"
        plies = "1 ply" if match.plies == 1 else f"{match.plies} plies"
        assert said(identified(page, "verdict")).startswith(f"{winner} after {plies}: ")


@pytest.mark.parametrize("name", ["pig-target=20-players=4", *before_release("harehedgehog-players=3", "hexapawn")])
def test_people_among_themselves(name: str, client: TestClient) -> None:
    """By random moves they come to the end, but for races; a page names its moves, and all that has happened is in its address."""
    random, rules = Random(5), load_rules(name)
    answer = client.get(f"/{name}/play", params={"seat": ["person"] * rules.players})
    for _ in range(45 if name.startswith("hare") else 200):
        page, happened = parsed(answer.text), moves_of(str(answer.url))
        match = Match(rules, rules.initial, happened=happened)
        assert [event.text for event in match.events] == happened, "the draws after the last move are in the address, too"
        assert identified(page, "position").get("data-position") == rules.format(match.position)
        if rules.name.startswith("harehedgehog"):
            [picture] = identified(page, "position").iter("img")
            assert picture.get("alt") == rules.described(match.position)
        if match.ending() is not None:
            assert re.search(" (won|first place) after ", said(identified(page, "verdict")))
            break
        assert said(identified(page, "verdict")).lower() == f"{rules.sides[match.player].name} to move".lower()
        for link in (one for one in page.iter("a") if one.get("data-move")):
            assert rules.move_text(match.position, str(link.get("data-move"))) in said(link)
        move = random.choice(list(links(page)))
        before = match.position
        answer = client.get(links(page)[move])
        assert answer.status_code == 200
        assert rules.move_text(before, move) in said(identified(parsed(answer.text), "news"))
    else:
        assert name.startswith("hare"), "races by random moves are long"


def test_draws_are_in_words(client: TestClient) -> None:
    """What was drawn is neither drawn anew nor taken back by a reload, and stands in the page by its text."""
    address = "/harehedgehog/play?seat=person&seat=person&moves=1+take_or_give"
    page = shown(client, address)
    assert "Take 10 carrots, give 10 back, or do neither." in said(identified(page, "news"))
    assert {said(link) for link in page.iter("a") if link.get("data-move")} == {
        load_rules("harehedgehog").code_text(code) for code in (0, 1001, 1002)
    }
    assert client.get(address).text == client.get(address).text


BOXES = "/hexapawn/play?seat=person&seat=matchboxes"
BOTH = "ppp/1P1/P1P_b:a3a2+ppp/1P1/P1P_b:a3b2"


def learned(address: str) -> dict[str, str]:
    """What matchboxes have learned, as an address has it."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items() if name in ("won", "taken")}


def action(page: Element, words: str) -> str:
    [address] = [str(link.get("href")) for link in page.iter("a") if said(link) == words]
    return address


def test_a_lost_game_costs_a_bead(client: TestClient) -> None:
    """The move that has lost is not made in the next game; then the box is empty, and all can be forgotten."""
    page = shown(client, f"{BOXES}&moves=b1b2+a3a2+b2c3")
    assert said(identified(page, "learned")) == "Games won: White 1, Black 0; beads removed: 1."
    assert "a3a2 in ppp/1P1/P1P b" in [said(one) for one in page.iter("li")]
    following = action(page, "New game")
    assert (learned(following), moves_of(following)) == ({"won": "1,0", "taken": "ppp/1P1/P1P_b:a3a2"}, [])
    page = shown(client, following)
    assert said(identified(page, "learned")) == "Games won: White 1, Black 0; beads removed: 1."
    assert all(learned(address) == learned(following) for address in links(page).values())
    for _ in range(5):
        answer = client.get(links(page)["b1b2"])
        assert moves_of(str(answer.url)) == ["b1b2", "a3b2"]
        assert learned(action(parsed(answer.text), "Begin again")) == learned(following), "a game that is left does not count"
    again = f"{BOXES}&won=1,0&taken=ppp/1P1/P1P_b:a3a2&moves=b1b2+a3b2+a1b2+b3b2"
    assert client.get(again).text == client.get(again).text
    page = shown(client, f"{BOXES}&taken=ppp/1P1/P1P_b:a3a2&moves=b1b2+a3a2+b2c3")
    assert said(identified(page, "learned")) == "Games won: White 1, Black 0; beads removed: 1.", "a bead is not taken twice"
    answer = client.get(f"{BOXES}&won=2,0&taken={BOTH}&moves=b1b2")
    page = parsed(answer.text)
    assert moves_of(str(answer.url)) == ["b1b2", "resigns"]
    assert said(identified(page, "learned")) == "Games won: White 3, Black 0; beads removed: 2."
    assert learned(action(page, "Forget")) == {}
    assert "Forget" not in [said(link) for link in shown(client, action(page, "Forget")).iter("a")]


def test_the_address_has_room_for_some_beads(client: TestClient) -> None:
    """Where it is full, games are still counted, but cost no bead."""
    game = load_game("hexapawn-4x4")
    boxes = MatchboxPlayer(Seat(game, game.initial, 1)).boxes.boxes
    beads = [BeadDraw(box, bead) for box, held in boxes.items() if len(box.pieces) == 6 for bead in held[:1] if held[1:]]
    moves = "b1b2+a4a3+b2b3+a3a2+b3c4"
    for number in (MOST - 1, MOST):
        taken = write_taken(game, beads[:number])
        page = shown(client, f"/hexapawn-4x4/play?seat=person&seat=matchboxes&taken={taken.replace(' ', '+')}&moves={moves}")
        assert "beads removed: 100. The page address has no room for more beads" in said(identified(page, "learned"))
        following = learned(action(page, "New game"))
        assert following["won"] == "1,0"
        assert len(following["taken"].split()) == MOST
        assert following["taken"].startswith(taken)
        assert len(action(page, "New game")) < 4000


@pytest.mark.parametrize(
    ("address", "first", "asks"),
    [
        ("/pig-players=4/play?seat=person&seat=random&seat=random&seat=random&moves=0", ["0"], "Let random move"),
        ("/harehedgehog/play?seat=computer&seat=computer:depth=2&depth=3", [], "Let computer"),
    ],
)
def test_others_move_when_they_are_asked(address: str, first: list[str], asks: str, client: TestClient) -> None:
    """The first player, or the first after a person, moves at once, the others by a link; the depth stays in the address."""
    answer = client.get(address)
    page, moves = parsed(answer.text), moves_of(str(answer.url))
    assert moves[: len(first)] == first
    assert len(moves) > len(first)
    assert parse_qs(urlsplit(str(answer.url)).query).get("depth") == (["3"] if "depth" in address else None)
    following = identified(page, "next")
    assert said(following).startswith(asks)
    assert not links(page)
    later = client.get(str(following.get("href")))
    assert len(moves_of(str(later.url))) > len(moves)
    assert said(identified(parsed(later.text), "news")).startswith("Player ")


def test_taking_back(client: TestClient) -> None:
    """The last move of the person and the reply are taken back; before the person's first move, there is nothing to take back."""
    page = shown(client, "/hexapawn/play?seat=person&seat=tables&moves=a1a2+b3a2+b1b2+a3b2")
    [back] = [link.get("href", "") for link in page.iter("a") if said(link) == "Take back"]
    assert moves_of(back) == ["a1a2", "b3a2"]
    page = shown(client, "/hexapawn/play?seat=tables&seat=person&moves=b1b2")
    assert not [link for link in page.iter("a") if said(link) == "Take back"]


def test_from_another_position(client: TestClient) -> None:
    address = "/hexapawn/play?seat=person&seat=tables&start=1pp/P2/1P1_w"
    page = shown(client, address)
    assert identified(page, "position").get("data-position") == "1pp/P2/1P1 w"
    assert all("start=1pp/P2/1P1_w" in link for link in links(page).values())
    page = shown(client, f"{address}&moves=a2a3")
    assert said(identified(page, "verdict")) == "You won after 1 ply: the pawn has reached a3."


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("hexapawn/play?seat=nobody&seat=person", "unknown player 'nobody'"),
        (
            "hexapawn/play?seat=computer&seat=person",
            "the player computer cannot play hexapawn, because the game does not support lookahead",
        ),
        ("hexapawn/play?seat=person", "Hexapawn has 2 players, not 1: name a player for each seat"),
        ("hexapawn/play?seat=person&seat=tables&moves=a1a3", "'a1a3' is not legal in ppp/3/PPP w: choose one of a1a2, b1b2, c1c2"),
        ("hexapawn/play?seat=person&seat=tables&moves=resigns", "the move 'resigns' is not legal"),
        ("hexapawn/play?seat=person&seat=tables&moves=" + "a1a2+" * 1001, "more than 1,000 moves and chance events"),
        ("hexapawn/play?seat=person&seat=tables&start=3/3/3_w", "White has no pieces"),
        ("hexapawn/play?seat=person&seat=tables&start=1p1/1P1/3_w", "the game is already over in 1p1/1P1/3 w"),
        ("hexapawn/play?seat=matchboxes:boxes=/tmp/boxes.json&seat=person", "the setting boxes needs a file"),
        ("hexapawn/play?seat=person&seat=matchboxes&won=1", "invalid won='1': write the number of games won by each side"),
        ("hexapawn/play?seat=person&seat=matchboxes&won=1,9999999", "invalid won='1,9999999'"),
        ("hexapawn/play?seat=person&seat=matchboxes&taken=a3a2", "invalid bead 'a3a2': expected a box and a move, as in ppp/3"),
        ("hexapawn/play?seat=person&seat=matchboxes&taken=ppp/3:a3a2", "'ppp/3'"),
        ("hexapawn/play?seat=person&seat=matchboxes&taken=ppp/1P1/P1P_b:c3c2", "has no bead 'c3c2': choose one of a3a2, a3b2"),
        ("hexapawn/play?seat=person&seat=matchboxes&taken=ppp/P2/1PP_b:b3b2", "its mirror image: write ppp/2P/PP1 b"),
        ("hexapawn/play?seat=person&seat=matchboxes&taken=ppp/3/PPP_w:a1a2", "no matchboxes play White: remove the bead of"),
        ("hexapawn/play?seat=person&seat=matchboxes&taken=" + "ppp/1P1/P1P_b:a3a2+" * 2, "is listed twice: list each bead"),
        ("hexapawn/play?seat=person&seat=matchboxes&taken=" + "a+" * 101, "too many beads in 'taken' (101): give at most 100"),
        ("hexapawn/play?seat=person&seat=matchboxes&moves=a1a2&taken=2p/3/P2_b:c3c2", "no game reaches 2p/3/P2 b"),
        ("harehedgehog/play?seat=person&seat=computer&start=nowhere", "not a state"),
        ("harehedgehog/play?seat=person&seat=person&moves=8", "the move '8' is not legal"),
        ("harehedgehog/play?seat=person&seat=person&moves=1+joker", "'joker' is impossible in"),
        ("harehedgehog/play?seat=computer&seat=person&depth=99", "turns"),
        ("hexapawn/replay?moves=a1a3", "the move 'a1a3' is not legal"),
        ("pig/replay?moves=1+7", "'7' is impossible in"),
        ("pig/replay?moves=1+6&at=3", "the game has no position number 3: choose a number from 0 to 2"),
        ("pig/replay?moves=1+6&at=x", "the number of the position must be a whole number"),
        ("pig/replay?moves=1+6&seat=a", "Pig has 2 players, not 1: name one player per seat, or none"),
        ("pig/replay?moves=1+6&start=nowhere", "is not a state of pig"),
        ("pig/replay?moves=" + "1+2+" * 501, "more than 1,000 moves and chance events"),
    ],
)
def test_games_that_are_none(address: str, words: str, client: TestClient) -> None:
    answer = client.get(f"/{address}")
    assert answer.status_code in (400, 404), answer.text
    assert words in said(parsed(answer.text))


def test_a_move_backwards(client: TestClient) -> None:
    """Numbers of moves back to a hedgehog are negative."""
    page = shown(client, "/harehedgehog/play?seat=person&seat=person&start=10:40:3,0:68:3_1&moves=-2")
    assert identified(page, "position").get("data-position") == "8:60:3,0:68:3 2"
    assert load_rules("harehedgehog").code_text(-2) in said(identified(page, "news"))


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
    page = shown(client, f"{answer.url.path}?{answer.url.query.decode()}&at=1")
    assert said(identified(page, "verdict")) == "Black resigns: White won"


def test_values_are_those_of_the_tables(client: TestClient, two_games: Path) -> None:
    """The heading is what the page of the position says; a game that was resigned ends so."""
    rules: Any = load_rules("hexapawn")
    with Tablebase(two_games) as tables:
        for at, position in enumerate(Match(rules, rules.initial, happened=["b1b2", "a3b2"]).positions):
            page = shown(client, f"/hexapawn/replay?moves=b1b2+a3b2+resigns&at={at}&search=1")
            expected = f" in {tables.probe(rules, position).distance} plies" if at < 2 else "White resigns: Black won"
            assert said(identified(page, "verdict")).endswith(expected)
            assert not [one for one in page.iter("p") if one.get("id") == "remark"]


def test_a_search_speaks_where_no_table_does(client: TestClient) -> None:
    """Of games with chance and of pieces; where chance moves nobody searches, and a search that takes too long is left out."""
    address = str(identified(shown(client, "/pig-target=10/replay?moves=1+6+0"), "search").get("href"))
    assert address == "/pig-target=10/replay?moves=1+6+0&at=0&search=1"
    page = shown(client, address)
    assert all("search=1" in str(one.get("href")) for one in page.iter("a") if one.get("data-step"))
    assert "the computer expects" in said(identified(page, "remark"))
    assert "best move found: " in said(identified(page, "remark"))
    assert "Search result: " in said(shown(client, "/doushouqi/replay?moves=a3a4&search=1"))
    assert "Search result: " not in said(shown(client, "/pig-target=10/replay?moves=1+6+0&at=1&search=1"))
    assert "Search result: " not in said(shown(client, "/noughts/replay?moves=b2&search=1"))


def test_a_search_that_takes_too_long(two_games: Path) -> None:
    with client_of(two_games, limits=RequestLimits(seconds=0.3)) as limited:
        page = shown(limited, "/doushouqi/replay?moves=a3a4&search=1")
        assert "Search result: " not in said(page)
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
        ("", "", "the record contains no game: paste games written by 'match --output'"),
        ("hello", "", "line 1 ('hello') is not a tag"),
        (write_record(records("pig-target=10", 1)[0]), "7", "no game with the number 7"),
        (write_record(records("pig-target=10", 1)[0]), "x", "the number of the game must be a whole number"),
        (write_record(replace(records("pig-target=10", 1)[0], start="x")), "", "is not a state"),
    ],
)
def test_records_that_are_refused(record: str, number: str, words: str, client: TestClient) -> None:
    answer = client.post("/pig/replay", data={"record": record, "number": number})
    assert answer.status_code == 400
    assert words in said(parsed(answer.text))
