"""Moves of named players, the commands for Hare & Hedgehog, counts, estimates and statements."""

import json
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.program import Ask
from support.web import SMALL, TestClient, ask_raw, client_fixture, client_of, connected, sentence_of, served

from tablebase.commands.game_requests import COMMANDS
from tablebase.web import worker_pool as questions
from tablebase.web.settings import RequestLimits

COUNTS = "SELECT outcome, count(*) AS n FROM positions WHERE material = 'RvC' GROUP BY outcome ORDER BY n"
START = "0:68:3,0:68:3 1"

miner = client_fixture("two_pieces", mine=True, limits=replace(SMALL, seconds=60.0))


def posted(client: TestClient, path: str, **given: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json=given)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_game_of_the_tables_against_themselves(pawns: TestClient) -> None:
    """Every move keeps the value, and the game ends as the first probe has said, with its reason."""
    probe = pawns.get("/api/v1/probe", params={"game": "hexapawn", "position": "ppp/3/PPP w"}).json()[0]
    moves: list[str] = []
    told: dict[str, Any] = {"ending": None, "after": "ppp/3/PPP w"}
    while told["ending"] is None:
        before = told["after"]
        told = posted(pawns, "play", game="hexapawn", moves=moves, seed=1)
        assert (told["position"], told["player"], told["seed"]) == (before, "tables", 1)
        moves.append(told["move"])
    assert len(moves) == probe["distance"]
    assert told["ending"]["winner"] == ("w" if probe["outcome"] == "win" else "b")
    over = pawns.post("/api/v1/play", json={"game": "hexapawn", "moves": moves})
    assert "the game is over" in sentence_of(over, 400)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"player": "nobody"}, "unknown player 'nobody'"),
        ({"player": "matchboxes", "settings": {"boxes": "/etc/hostname"}}, "the setting boxes needs a file"),
        ({"player": "matchboxes:boxes=/etc/hostname"}, "the setting boxes needs a file"),
        ({"moves": ["a1a3"]}, "the move 'a1a3' is not legal in ppp/3/PPP w: choose one of a1a2, b1b2, c1c2"),
        ({"position": "ppp/3 w"}, "has 2 ranks"),
    ],
)
def test_what_no_player_does(pawns: TestClient, given: dict[str, Any], error: str) -> None:
    assert error in sentence_of(pawns.post("/api/v1/play", json={"game": "hexapawn", **given}), 400)


def test_settings_are_texts_or_numbers(pawns: TestClient) -> None:
    """Both say the same; a truth value is neither."""
    for name, text, number in (("fuzz", "0.25", 0.25), ("fuzz", "1", 1)):
        asked = {"game": "hexapawn", "player": "exploit", "seed": 3}
        told = posted(pawns, "play", **asked, settings={name: number})
        assert told == posted(pawns, "play", **asked, settings={name: text})
        assert told["remark"].startswith("the probability of winning is 0.")
    answer = pawns.post("/api/v1/play", json={"game": "hexapawn", "settings": {"fuzz": True}})
    assert answer.status_code == 400


def test_players_of_games_of_chance(pawns: TestClient) -> None:
    """One without tables; a position instead of moves."""
    told = posted(pawns, "play", game="harehedgehog", player="random", seed=3)
    assert told == posted(pawns, "play", game="harehedgehog", player="random", seed=3)
    made = COMMANDS["move"]({"position": START, "code": int(told["move"])})
    assert (told["position"], told["after"]) == (START, made["position"])
    refused = pawns.post("/api/v1/play", json={"game": "harehedgehog", "player": "random", "moves": ["5"]})
    assert "send the position after the moves" in sentence_of(refused, 400)


@pytest.mark.parametrize(
    ("name", "given", "wrong"),
    [
        ("new", {}, {"game": "nowhere"}),
        ("new", {"game": "harehedgehog-players=3", "seed": 1}, {"game": "hexapawn"}),
        ("move", {"position": START, "code": 5, "seed": 1}, {"code": 8}),
        ("computer", {"position": START, "settings": {"depth": 1}, "seed": 1}, {"settings": {"depth": 99}}),
    ],
)
def test_the_commands_of_hare_and_hedgehog(pawns: TestClient, name: str, given: dict[str, Any], wrong: dict[str, Any]) -> None:
    """Answers are those of the commands; what they refuse is a problem that says so as they do."""
    assert posted(pawns, f"harehedgehog/{name}", **given) == COMMANDS[name](given)
    refused = pawns.post(f"/api/v1/harehedgehog/{name}", json={**given, **wrong})
    assert sentence_of(refused, 400) == COMMANDS[name]({**given, **wrong})["error"]
    assert refused.json()["success"] is False


def test_counts(pawns: TestClient, ask: Ask) -> None:
    expected = ask("count", "hexapawn", "--format", "json").json[0]
    assert (expected.pop("seconds") >= 0, expected["games"]) == (True, 134)
    assert pawns.get("/api/v1/count", params={"game": "hexapawn"}).json() == [expected]
    later = pawns.get("/api/v1/count", params={"game": "hexapawn", "position": "p1p/1p1/P1P w"}).json()
    assert 1 <= later[0]["games"] < 134
    assert "may never end" in sentence_of(pawns.get("/api/v1/count", params={"game": "doushouqi"}), 400)


@pytest.mark.full
def test_a_count_that_takes_too_long(hexapawns: Path) -> None:
    """It is refused with the command that counts without a limit; the next question is answered."""
    limits = RequestLimits(seconds=0.2, apart=1)
    with client_of(hexapawns, limits=limits) as client:
        refused = client.get("/api/v1/count", params={"game": "foxhounds-12x12"})
        command = "tablebase count foxhounds-12x12"
        assert sentence_of(refused, 504) == f"counting the games of foxhounds-12x12 takes longer than 0.2 s: run '{command}'"
        assert refused.json()["command"] == command
        assert client.get("/api/v1/estimate", params={"game": "hexapawn", "pieces": 2}).status_code in (200, 504)


def test_estimates(pawns: TestClient, hexapawns: Path, ask: Ask) -> None:
    """Of a material, with one line for each table, or of a number of pieces."""
    words = ["--data", hexapawns, "--format", "json"]
    for option, value in (("material", "PPvP"), ("pieces", 3)):
        expected = ask("estimate", "hexapawn", f"--{option}", value, *words).json
        found = pawns.get("/api/v1/estimate", params={"game": "hexapawn", option: value}).json()
        assert [list(row) for row in found] == [list(row) for row in expected]
        # What depends on the memory and the load of the machine at this moment.
        varying = dict.fromkeys(("cpu_seconds", "wall_seconds", "start_seconds"))
        assert [row | varying for row in found] == [row | varying for row in expected]
    for given in ({}, {"material": "PvP", "pieces": 2}):
        refused = pawns.get("/api/v1/estimate", params={"game": "hexapawn", **given})
        assert "needs either material or pieces: set exactly one of them" in sentence_of(refused, 400)


@pytest.mark.parametrize(("limit", "rows", "complete"), [(2, 2, False), (3, 3, True), (1000, 3, True), (0, 0, False)])
def test_rows_of_statements_are_limited(miner: TestClient, limit: int, rows: int, complete: bool) -> None:
    told = posted(miner, "mine", game="doushouqi", statement=COUNTS, limit=limit)
    assert (len(told["rows"]), told["complete"], told["columns"]) == (rows, complete, ["outcome", "n"])
    every = posted(miner, "mine", game="doushouqi", statement="SELECT distance FROM positions", limit=1000)
    assert (len(every["rows"]), every["complete"]) == (SMALL.rows, False)


@pytest.mark.parametrize(
    ("statement", "status", "error"),
    [
        ("SELECT", 400, "the statement"),
        ("SELECT * FROM read_csv('/etc/hostname')", 400, ""),
        ("SELECT 'nan'::DOUBLE AS x FROM positions LIMIT 1", 400, "JSON cannot represent"),
        ("SELECT repeat('x', 3000) AS x FROM positions", 400, "has more than 100,000 bytes"),
        ("SELECT repeat('x', 10000000) AS x", 400, "has more than 100,000 bytes"),
        ("SELECT * FROM positions WHERE material = 'RCvW'", 404, "has not been built: run 'tablebase build doushouqi"),
    ],
)
def test_what_no_statement_does(miner: TestClient, statement: str, status: int, error: str) -> None:
    """One sentence, and the next statement is answered."""
    refused = miner.post("/api/v1/mine", json={"game": "doushouqi", "statement": statement})
    assert error in sentence_of(refused, status)


@pytest.mark.full
def test_statements_that_need_memory(two_pieces: Path) -> None:
    """Their process is killed; the server answers, also the next statement."""
    limits = RequestLimits(memory=400 << 20, seconds=60.0)
    large = "SELECT list(repeat('x', 10000) || p1_square) FROM positions"
    with client_of(two_pieces, mine=True, limits=limits) as client:
        refused = client.post("/api/v1/mine", json={"game": "doushouqi", "statement": large})
        assert "needs more than 419,430,400 bytes of memory" in sentence_of(refused, 503)
        assert posted(client, "mine", game="doushouqi", statement=COUNTS)["complete"]


def test_statements_are_off(pawns: TestClient, miner: TestClient) -> None:
    """Unless they are asked for; then the description and the pages have them."""
    refused = pawns.post("/api/v1/mine", json={"game": "hexapawn", "statement": "SELECT 1"})
    assert "start the server with 'tablebase serve --mine'" in sentence_of(refused, 403)
    described = ["/api/v1/mine" in client.get("/api/v1/openapi.json").json()["paths"] for client in (pawns, miner)]
    assert described == [False, True]
    assert "start the server with &#39;tablebase serve --mine&#39;" in pawns.get("/mine").text
    assert ["/mine" in client.get("/").text for client in (pawns, miner)] == described


@pytest.mark.full
def test_a_statement_keeps_nobody_waiting(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one runs, probes are answered at once, and one statement too many is refused."""
    from concurrent.futures import ThreadPoolExecutor

    endless = {"game": "doushouqi", "statement": "SELECT count(*) FROM positions a, positions b, positions c"}
    monkeypatch.setattr(questions, "PATIENCE", 0.6)
    with client_of(two_pieces, mine=True, limits=RequestLimits(seconds=1.5, apart=1)) as client, ThreadPoolExecutor() as threads:
        first = threads.submit(client.post, "/api/v1/mine", json=endless)
        time.sleep(0.2)
        second = threads.submit(client.post, "/api/v1/mine", json=endless)
        for _ in range(5):
            assert client.get("/api/v1/probe?game=doushouqi&position=7/7/7/7/3c3/7/7/R6/7 w").status_code == 200
        assert not first.done()
        assert "try again in a moment" in sentence_of(second.result(), 503)
        assert second.result().headers["retry-after"] == "1"
        assert "takes longer than 1.5 s" in sentence_of(first.result(), 504)


@pytest.mark.full
def test_statements_of_clients_that_have_gone(two_pieces: Path) -> None:
    """They keep neither the next statement nor the end of the server waiting."""
    endless = json.dumps({"game": "doushouqi", "statement": "SELECT count(*) FROM positions a, positions b, positions c"}).encode()
    simple = json.dumps({"game": "doushouqi", "statement": "SELECT 1 AS one"}).encode()
    head = (
        "POST /api/v1/mine HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n"
    )

    def drop(address: str) -> None:
        for _ in range(RequestLimits.apart):
            with connected(address) as client:
                client.sendall(head.format(len(endless)).encode() + endless)
                time.sleep(0.5)

    with served("--data", two_pieces, "--mine", "--port", "0") as (process, address):
        drop(address)
        assert ask_raw(address, head.format(len(simple)).encode() + simple)[0] == 200
        drop(address)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert time.monotonic() - begin < 10
