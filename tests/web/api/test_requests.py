"""Requests that are not as they should be: one sentence, from 400 to 499, and no path of the machine."""

import errno
import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.web import SMALL, TestClient, assert_no_paths, client_fixture, client_of, sentence_of

from tablebase.errors import RulesError, TablebaseError, system_error
from tablebase.game.installed import _load
from tablebase.web.caching import encoded
from tablebase.web.problems import without_paths
from tablebase.web.settings import ServerSettings

LOST = "7/7/7/7/3c3/7/7/R6/7 w"
JSON = {"content-type": "application/json"}
PROBE = {"game": "doushouqi", "position": LOST}

client = client_fixture("two_pieces", limits=SMALL, mine=True, origins=("https://pages.example",))


@pytest.mark.parametrize(
    ("path", "given", "status", "error"),
    [
        ("probe", {}, 400, "the parameter game is missing: add the parameter"),
        ("probe", {**PROBE, "strickt": "1"}, 400, "unknown parameter 'strickt' (did you mean 'strict'?): correct or remove it"),
        ("probe", {**PROBE, "game": "doushuqi"}, 400, "unknown game 'doushuqi' (did you mean 'doushouqi'?)"),
        ("probe", {**PROBE, "game": "x" * 101}, 400, "invalid parameter game:"),
        ("probe", {**PROBE, "position": ""}, 400, "the position is empty"),
        ("probe", {**PROBE, "position": "\x00\u2028\ud800".encode("utf-8", "surrogatepass")}, 400, "is not a position"),
        ("probe", {**PROBE, "position": "7/" * 400 + " w"}, 400, "has 401 ranks"),
        ("probe", {**PROBE, "position": LOST.replace("c", "\u00e7")}, 400, "is not a piece of doushouqi"),
        ("probe", {**PROBE, "turns": 2}, 400, "cannot use turns with doushouqi, which has no chance moves: leave out turns"),
        ("probe", {"game": "pig", "position": "0,0 1 0", "strict": "1"}, 400, "pig, which has no exact values: leave out strict"),
        ("line", {**PROBE, "plies": -1}, 400, "invalid parameter plies:"),
        ("stats", {"game": "doushouqi", "by": "colour"}, 400, "invalid parameter by:"),
        ("materials", {"game": "pig"}, 400, "pig, which has no tables by material"),
        ("material", {"game": "doushouqi", "material": "RvX"}, 400, "X"),
        ("material", {"game": "doushouqi", "material": "'; DROP TABLE tables; --"}, 400, ""),
        ("estimate", {"game": "doushouqi", "pieces": 9}, 400, "or run 'tablebase estimate doushouqi --pieces 9'"),
        ("estimate", {"game": "doushouqi", "pieces": 7}, 400, "more than 10,000 materials of up to 7 pieces: choose fewer pieces"),
        ("estimate", {"game": "doushouqi", "material": "RCWDPvRCWD"}, 400, "but only 1,099,511,627,776 are supported"),
        ("probe", {**PROBE, "position": "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w"}, 404, "is too large, because tables"),
        ("nothing", {}, 404, "the requested address does not exist: /api/v1/openapi.json lists all addresses"),
    ],
)
def test_parameters(client: TestClient, path: str, given: dict[str, Any], status: int, error: str) -> None:
    assert error in sentence_of(client.get(f"/api/v1/{path}", params=given), status)


def test_underscores_stand_for_spaces(client: TestClient) -> None:
    """As on pages, whose addresses are positions; what is no position in either spelling is reported as it was sent."""
    for path in ("probe", "line"):
        expected, found = (
            client.get(f"/api/v1/{path}", params={**PROBE, "position": text}) for text in (LOST, LOST.replace(" ", "_"))
        )
        assert found.json() == expected.json()
    many = {"game": "doushouqi", "positions": [LOST.replace(" ", "_"), "no_where"]}
    assert [row["position"] for row in client.post("/api/v1/probe", json=many).json()] == [LOST, "no_where"]
    asked = {"game": "hexapawn", "position": "ppp/3/PPP_w"}
    played = client.post("/api/v1/play", json={**asked, "player": "random", "seed": 1})
    assert played.json()["position"] == "ppp/3/PPP w"
    (row,) = client.get("/api/v1/count", params=asked).json()
    assert (row["reachable"], row["games"]) == (135, 134)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"", 400, "the request body is missing: send a JSON object"),
        (b"[]", 400, "the request body must be a JSON object"),
        (b"\xff\xfe", 400, "the request body is not JSON: send a JSON object in UTF-8"),
        ('{"game": "doushouqi"}'.encode("utf-16"), 400, "position"),
        (b"[" * 5000, 400, "the request body"),
        (b'{"game": ' * 500 + b"1" + b"}" * 500, 400, "invalid field"),
        (b'{"game": "doushouqi", "positions": [], "x": 1}', 400, "invalid field"),
        (b'{"game": "doushouqi", "positions": [7]}', 400, "invalid field positions.0:"),
        (b'{"game": NaN, "positions": ["x"]}', 400, "invalid field game:"),
        (b'{"game": "doushouqi", "positions": [' + b"1" * 5000 + b"]}", 400, "the request body"),
        (json.dumps({"game": "doushouqi", "positions": [LOST] * 6}).encode(), 413, "too many positions (6): send at most 5"),
        (b" " * 10_001, 413, "the request body is larger than 10,000 bytes"),
    ],
)
def test_bodies(client: TestClient, body: bytes, status: int, error: str) -> None:
    assert error in sentence_of(client.post("/api/v1/probe", content=body, headers=JSON), status)


def test_a_body_as_large_as_it_may_be(client: TestClient) -> None:
    """With as many positions as there may be; one byte more is too much, also if nobody says how long it will be."""
    body = json.dumps({"game": "doushouqi", "positions": [LOST] * SMALL.batch}).encode().ljust(SMALL.body)
    assert client.post("/api/v1/probe", content=body, headers=JSON).status_code == 200
    assert client.post("/api/v1/probe", content=iter([body[:50], body[50:]]), headers=JSON).status_code == 200
    refused = client.post("/api/v1/probe", content=iter([body, b" "]), headers=JSON)
    assert "larger than 10,000 bytes" in sentence_of(refused, 413)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "text/plain"},
        {"content-type": "application/json; charset=latin-1"},
        {"content-type": "application/json-patch+json"},
        {**JSON, "content-encoding": "gzip"},
    ],
)
def test_bodies_of_other_sorts(client: TestClient, headers: dict[str, str]) -> None:
    sentence_of(client.post("/api/v1/probe", content=b"{}", headers=headers), 415)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "BREW"])
def test_other_methods(client: TestClient, method: str) -> None:
    answer = client.request(method, "/api/v1/games")
    assert "does not support this method: use GET, HEAD" in sentence_of(answer, 405)
    assert answer.headers["allow"] == "GET, HEAD"
    both = client.delete("/api/v1/probe")
    assert (both.status_code, both.headers["allow"]) == (405, "GET, POST, HEAD")


@pytest.mark.parametrize(
    ("path", "given", "control"),
    [
        ("probe", PROBE, "public, max-age=86400"),
        ("line", PROBE, "public, max-age=86400"),
        ("stats", {"game": "doushouqi"}, "public, no-cache"),
        ("games", {}, "public, no-cache"),
    ],
)
def test_tags(client: TestClient, path: str, given: dict[str, str], control: str) -> None:
    """The same answer has the same tag, and need not be sent again; another one has another, and the move of a player none."""
    first = client.get(f"/api/v1/{path}", params=given)
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == control
    assert tag[0] == tag[-1] == '"'
    for known in (tag, f'"x", W/{tag}', "*"):
        again = client.get(f"/api/v1/{path}", params=given, headers={"if-none-match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"] == control
    other = client.get(f"/api/v1/{path}", params=given, headers={"if-none-match": f'"{tag[1:-2]}"'})
    assert (other.status_code, other.content) == (200, first.content)
    elsewhere = client.get("/api/v1/probe", params={**PROBE, "position": "7/7/5c1/R6/7/7/7/7/7 b"})
    assert elsewhere.headers["etag"] != tag
    move = client.post("/api/v1/play", json=PROBE)
    assert (move.headers["cache-control"], "etag" in move.headers) == ("no-store", False)


def test_pages_of_others(client: TestClient, two_pieces: Path) -> None:
    """They may ask if their origin was named; without it, nobody may."""
    origin, stranger = {"origin": "https://pages.example"}, {"origin": "https://other.example"}
    asked = client.get("/api/v1/probe", params=PROBE, headers=origin)
    assert asked.headers["access-control-allow-origin"] == "https://pages.example"
    assert "etag" in asked.headers["access-control-expose-headers"].lower()
    assert "access-control-allow-origin" not in client.get("/api/v1/probe", params=PROBE, headers=stranger).headers
    ask = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    assert client.options("/api/v1/probe", headers={**origin, **ask}).status_code == 200
    assert client.options("/api/v1/probe", headers={**stranger, **ask}).status_code == 400
    with client_of(two_pieces) as closed:
        assert "access-control-allow-origin" not in closed.get("/api/v1/games", headers=origin).headers


def test_numbers_for_prometheus(two_pieces: Path) -> None:
    """By template of the address and by status; unknown addresses are one, unknown methods, too."""
    with client_of(two_pieces) as client:
        for _ in range(3):
            client.get("/api/v1/probe", params=PROBE)
        client.get("/api/v1/probe")
        client.get("/api/v1/a")
        client.get("/api/v1/b")
        client.request("BREW", "/api/v1/games")
        text = client.get("/metrics").text
        lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("tablebase_"))
    expected = [("GET", "/api/v1/probe", 200, "3.0"), ("GET", "/api/v1/probe", 400, "1.0"), ("GET", "other", 404, "2.0")]
    for method, route, status, number in [*expected, ("other", "/api/v1/games", 405, "1.0")]:
        assert lines[f'tablebase_requests_total{{method="{method}",route="{route}",status="{status}"}}'] == number
    for name in ("count{", 'bucket{le="30.0",'):
        assert lines[f'tablebase_request_seconds_{name}route="/api/v1/probe"}}'] == "4.0"


def test_health(client: TestClient, tmp_path: Path) -> None:
    """It works as long as the tables are where they should be."""
    assert client.get("/healthz").json() == {"status": "ok"}
    folder = tmp_path / "tables"
    folder.mkdir()
    with client_of(folder) as moved:
        folder.rmdir()
        answer = moved.get("/healthz")
        assert answer.status_code == 503
        assert_no_paths(answer.text)


def test_a_error_of_the_program(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is answered with a sentence, too, and with nothing of what it is."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError("/secret/place")

    monkeypatch.setattr("tablebase.commands.tablebase.Tablebase.probe", fail)
    with client_of(two_pieces) as client:
        answer = client.get("/api/v1/probe", params=PROBE)
        assert "look for the cause in the server log" in sentence_of(answer, 500)
        assert "secret" not in answer.text


def test_lines_of_the_access_log(two_pieces: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An object for each request, on one line whatever its address is."""
    with client_of(two_pieces, access_log=True) as client:
        client.get("/api/v1/probe", params={**PROBE, "position": "x\ny"})
        client.get("/healthz")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("GET", "/api/v1/probe", 400),
        ("GET", "/healthz", 200),
    ]
    assert list(lines[0]) == ["time", "client", "method", "path", "query", "status", "bytes", "seconds"]
    assert lines[1]["bytes"] == len(encoded({"status": "ok"}))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (system_error(PermissionError(errno.EACCES, "", "/srv/other/x")), "… cannot be used (Permission denied): ask the owner"),
        (system_error(OSError(errno.ENOSPC, ""), "/srv/a b/x.h5"), "no space is left for x.h5 (No space"),
        (system_error(OSError(errno.ENOMEM, ""), Path("/srv/other")), "not enough memory for … (Cannot"),
        (TablebaseError("write and/or read /srv/a b/x.h5"), "write and/or read x.h5"),
        (
            TablebaseError("""nothing in /srv/a b: run 'tablebase reindex --data "/srv/a b"'"""),
            "nothing in this tablebase: run 'tablebase reindex'",
        ),
        (TablebaseError("the data have no place").naming("data"), "the data have no place"),
        ("run 'tablebase reindex --catalog postgresql+psycopg://me@host/db'", "run 'tablebase reindex'"),
        ("postgresql://me:secret@host/db", "the database of the catalog"),
    ],
)
def test_names_of_files_are_left_out(said: TablebaseError | str, expected: str) -> None:
    assert without_paths(said, ServerSettings(Path("/srv/a b"), "postgresql://me:secret@host/db")).startswith(expected)


def test_a_relative_folder_is_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is often called data; links to it are names of it as well."""
    (tmp_path / "real").mkdir()
    (tmp_path / "data").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    sentence = f"the data of {tmp_path}/data/x.h5 and {tmp_path}/real/x.h5"
    assert without_paths(sentence, ServerSettings(Path("data"))) == "the data of x.h5 and x.h5"


def test_a_game_that_cannot_be_loaded_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence of Python quotes the file from which nothing could be imported."""
    point = EntryPoint("chess", "os:nowhere", "tablebase.games")
    with pytest.raises(ImportError) as caught:
        from os import nowhere  # type: ignore[attr-defined]  # noqa: F401
    monkeypatch.setattr(EntryPoint, "load", Mock(side_effect=caught.value))
    with pytest.raises(RulesError) as error:
        _load(point)
    assert without_paths(error.value, ServerSettings(Path("/srv"))).endswith(
        "ImportError: cannot import name 'nowhere' from 'os' (…)"
    )
