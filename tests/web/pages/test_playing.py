"""Games against players, and races: their state is in the address, and every move is one of the rules."""

import re
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest
from support.html import identified, parsed, said, shown
from support.web import TestClient, client_of

from tablebase.game import load_game
from tablebase.game.installed import load_rules
from tablebase.game.notation import parse, render
from tablebase.play.match import Match
from tablebase.play.players import player_names
from tablebase.web.pages.race import CARDS, SQUARES, TRACK
from tablebase.web.settings import Limits
from tablebase_rules import _harehedgehog

GAME = load_game("hexapawn")


def moves_of(address: str) -> list[str]:
    """The moves in the address of a game."""
    return [move for field in parse_qs(urlsplit(address).query).get("moves", []) for move in field.split(",")]


def test_the_choice_of_a_player(client: TestClient) -> None:
    """All players that can play the game are offered, and no others; without their tables, some cannot be chosen."""
    for name in ("hexapawn", "doushouqi", "foxhounds-4x4"):
        page = shown(client, f"/{name}/play")
        offered = [one.get("value") for one in page.iter("input") if one.get("name") == "player"]
        assert offered == list(player_names(load_game(name)))
    page = shown(client, "/doushouqi/play")
    refused = [one.get("value") for one in page.iter("input") if one.get("name") == "player" and "disabled" in one.attrib]
    assert refused == ["tables", "fuzzy"]
    chosen = [one.get("value") for one in page.iter("input") if one.get("name") == "player" and "checked" in one.attrib]
    assert chosen == ["engine"]


@pytest.mark.parametrize("player", ["tables", "fuzzy", "ranking", "matchboxes", "engine"])
def test_a_whole_game(player: str, client: TestClient) -> None:
    """Against every player a game ends as the rules say, and what a page shows is the position after its moves."""
    random = Random(3)
    address = f"/hexapawn/play?player={player}&side=b&level=1"
    for _ in range(10):
        answer = client.get(address)
        assert answer.status_code == 200
        address = str(answer.url)
        page = parsed(answer.text)
        match = Match(GAME, parse(GAME, GAME.start))
        for move in moves_of(address):
            if move != "resigns":
                match.play(move)
        assert identified(page, "position").get("data-position") == render(GAME, match.position)
        links = [link for link in page.iter("a") if link.get("data-move")]
        if not links:
            break
        assert [link.get("data-move") for link in links] == list(match.legal())
        address = str(random.choice(links).get("href"))
    ending = match.ending()
    if moves_of(address)[-1] == "resigns":
        assert said(identified(page, "verdict")).startswith("You have won after")
    else:
        assert ending is not None
        winner = "You have won" if ending.winner == 1 else "White has won"
        plies = "1 ply" if match.plies == 1 else f"{match.plies} plies"
        assert said(identified(page, "verdict")).startswith(f"{winner} after {plies}: ")


def test_taking_back(client: TestClient) -> None:
    """The last move of the person and the reply are taken back; before the person's first move, there is nothing to take back."""
    page = shown(client, "/hexapawn/play?player=tables&side=w&moves=a1a2,b3a2,b1b2,a3b2")
    [back] = [link.get("href", "") for link in page.iter("a") if said(link) == "Take back"]
    assert moves_of(back) == ["a1a2", "b3a2"]
    page = shown(client, "/hexapawn/play?player=tables&side=b&moves=b1b2")
    assert not [link for link in page.iter("a") if said(link) == "Take back"]


def test_from_another_position(client: TestClient) -> None:
    page = shown(client, "/hexapawn/play?player=tables&side=w&start=1pp/P2/1P1_w")
    assert identified(page, "position").get("data-position") == "1pp/P2/1P1 w"
    assert all("start=1pp/P2/1P1_w" in str(link.get("href")) for link in page.iter("a") if link.get("data-move"))
    page = shown(client, "/hexapawn/play?player=tables&side=w&start=1pp/P2/1P1_w&moves=a2a3")
    assert said(identified(page, "verdict")) == "You have won after 1 ply: the pawn has reached a3."


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("player=nobody", 400, "there is no player 'nobody'"),
        ("player=tables&side=x", 400, "the side to play must be 'w' or 'b'"),
        ("player=tables&moves=a1a3", 400, "move 1 of the game, 'a1a3', is not legal: choose one of a1a2, b1b2, c1c2"),
        ("player=tables&moves=resigns", 400, "'resigns', is not legal"),
        ("player=tables&moves=" + "a1a2," * 1001, 400, "longer than 1,000 plies"),
        ("player=tables&start=3/3/3_w", 400, "White has no pieces"),
    ],
)
def test_games_that_are_none(query: str, status: int, words: str, client: TestClient) -> None:
    assert words in said(shown(client, f"/hexapawn/play?{query}", status))


def test_players_that_search_are_limited(two_games: Path) -> None:
    """They have the limits and the sentence of the interface, and the next page is shown."""
    with client_of(two_games, limits=Limits(seconds=0.1)) as limited:
        page = shown(limited, "/doushouqi/play?player=engine&level=10&side=b", 504)
        assert "this move takes longer than 0.1 s: name another player, or a lower level." in said(page)
        shown(limited, "/hexapawn/play?player=tables&side=w")


def test_files_of_the_server_are_not_settings(client: TestClient, tmp_path: Path) -> None:
    """A player that could write a file is not told to."""
    boxes = tmp_path / "boxes.json"
    assert "no parameter 'boxes'" in said(shown(client, f"/hexapawn/play?player=matchboxes&side=b&boxes={boxes}", 400))
    assert not boxes.exists()


# Races


def test_the_track_is_that_of_the_rules() -> None:
    """The page draws the board and knows the cards of the rules."""
    assert TRACK == _harehedgehog.BOARD
    assert set(SQUARES) == set(TRACK)
    assert set(_harehedgehog.CARDS) == CARDS


def test_a_race_of_people(client: TestClient) -> None:
    """Three people race home by random moves; each page shows the state, its moves and what has happened."""
    random = Random(5)
    answer = client.get("/harehedgehog/race?seat=person&seat=person&seat=person&depth=2")
    game = load_rules("harehedgehog-players=3")
    for _ in range(40):
        page = parsed(answer.text)
        query = parse_qs(urlsplit(str(answer.url)).query)
        state = game.parse(query["position"][0].replace("_", " "))
        hares = [[said(cell) for cell in row][1:4] for row in page.findall(".//tbody/tr")]
        assert hares == [[str(hare[name]) for name in ("square", "carrots", "lettuces")] for hare in game.describe(state)["hares"]]
        buttons = [one for one in page.iter("button") if one.get("name") == "code"]
        if not buttons:
            assert "The race is over." in said(identified(page, "said"))
            return
        codes = {int(str(one.get("value"))): said(one) for one in buttons}
        assert codes == {code: game.code_text(code) for code in game.moves(state)}
        assert f"Player {game.to_move(state) + 1}, person, is to move." in said(identified(page, "said"))
        # Far leaps, so that the race ends.
        code = random.choice(sorted(codes)[-4:])
        form = {"seat": ["person"] * 3, "depth": "2", "position": query["position"][0], "code": str(code)}
        answer = client.post("/harehedgehog/race", data=form)
        assert answer.status_code == 200
        assert game.code_text(code) in said(identified(parsed(answer.text), "said"))


def test_a_computer_moves(client: TestClient) -> None:
    """Without a code, the computer makes a move of the rules."""
    game = load_rules("harehedgehog")
    form = {"seat": ["computer", "person"], "depth": "3", "position": "0:68:3,0:68:3_1"}
    answer = client.post("/harehedgehog/race", data=form, follow_redirects=False)
    assert answer.status_code == 303
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    assert int(query["made"][0]) in game.moves(game.start)
    assert query["seat"] == ["computer", "person"]
    state = game.parse(query["position"][0].replace("_", " "))
    assert state != game.start
    page = shown(client, answer.headers["location"])
    player = ["1, computer", "2, person"][game.to_move(state)]
    assert f"Player {player}, is to move." in said(identified(page, "said"))


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("seat=person", "has players from 2 to 6, not 1"),
        ("seat=person&seat=dog", "a player is a person or a computer, not 'dog'"),
        ("seat=person&seat=person&depth=99", "computers look 1 to 8 turns ahead, not 99"),
        ("seat=person&seat=person&position=0:68:3,0:68:3_1&code=8", "the move 8 is not legal"),
        ("seat=person&seat=person&position=0:68:3,0:68:3_1&code=x", "the code of a move must be a whole number"),
        ("seat=person&seat=person&position=nowhere&code=1", "not a state"),
        ("x" * 30_000, "larger than 20,000 bytes"),
        ("&".join(f"seat{number}=1" for number in range(60)), "is not a form"),
        ("\xff", "is not a form"),
    ],
)
def test_forms_that_are_none(form: str, words: str, client: TestClient) -> None:
    answer = client.post("/harehedgehog/race", content=form.encode("latin-1"))
    assert answer.status_code == 400
    assert re.search(words, said(parsed(answer.text)))


def test_a_move_backwards(client: TestClient) -> None:
    """Codes of moves back to a hedgehog are negative."""
    form = {"seat": ["person"] * 2, "depth": "3", "position": "10:40:3,0:68:3_1", "code": "-2"}
    answer = client.post("/harehedgehog/race", data=form, follow_redirects=False)
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    assert query["position"] == ["8:60:3,0:68:3_2"]
    assert query["made"] == ["-2"]
    game = load_rules("harehedgehog")
    assert game.code_text(-2) in said(identified(shown(client, answer.headers["location"]), "said"))
