"""Answers of the server are those of the command line; while tables change, they are errors, never wrong."""

import os
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.checks import before_release
from support.games import random_texts
from support.program import Ask
from support.web import TestClient, assert_no_paths, client_fixture, client_of, sentence_of

import tablebase
from tablebase.catalog.database import PATIENCE
from tablebase.errors import CorruptTableError
from tablebase.game import load_game
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.store import Store
from tablebase.web.settings import RequestLimits

LOST = "7/7/7/7/3c3/7/7/R6/7 w"
GAME = load_game("doushouqi")

three, pigs = client_fixture("three_pieces"), client_fixture("piglet_tables")


def got(client: TestClient, path: str, **given: Any) -> Any:
    answer = client.get(f"/api/v1/{path}", params=given)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


@pytest.mark.parametrize(
    ("path", "given", "words"),
    [
        *[("line", {"position": LOST, "plies": plies}, f"line doushouqi '{LOST}' --plies {plies}") for plies in (0, 1, 8)],
        ("line", {"position": LOST}, f"line doushouqi '{LOST}'"),
        ("line", {"position": LOST, "explain": True}, f"line doushouqi '{LOST}' --explain"),
        ("stats", {"by": "pieces"}, "stats doushouqi --by pieces"),
        ("stats", {"by": "material"}, "stats doushouqi --by material"),
        ("stats", {"by": "material", "pieces": 2}, "stats doushouqi --by material --pieces 2"),
    ],
)
def test_answers(path: str, given: dict[str, Any], words: str, three: TestClient, three_pieces: Path, ask: Ask) -> None:
    """Row by row and field by field, and twice, since the second answer may be a kept one."""
    expected = ask(*shlex.split(words), "--data", three_pieces, "--format", "json").json
    assert len(expected) > 0
    for _ in range(2):
        found = got(three, path, game="doushouqi", **given)
        assert [list(row.items()) for row in found] == [list(row.items()) for row in expected]


def test_games(three: TestClient, ask: Ask) -> None:
    assert got(three, "games") == ask("games", "--format", "json").json


def test_probes(three: TestClient, three_pieces: Path, ask: Ask) -> None:
    """One by GET, many by POST: values, moves, and their order."""
    texts = random_texts(GAME, 3, 40, seed=1)
    expected = ask("probe", "doushouqi", *texts, "--data", three_pieces, "--format", "json").json
    assert len(expected) == 40
    assert [got(three, "probe", game="doushouqi", position=text) for text in texts] == [[row] for row in expected]
    assert three.post("/api/v1/probe", json={"game": "doushouqi", "positions": texts}).json() == expected


def test_probes_of_games_of_chance(pigs: TestClient, piglet_tables: Path, ask: Ask) -> None:
    """With bounds, and the chances of winning within some turns."""
    words = ["--data", piglet_tables, "--format", "json"]
    game, position = "pig-die=2-target=3", "0,0 1 0"
    for more, given in (([], {}), (["--turns", "2"], {"turns": 2})):
        expected = ask("probe", game, position, *words, *more).json
        assert 0 < expected[0]["lower"] <= expected[0]["upper"] < 1
        assert got(pigs, "probe", game=game, position=position, **given) == expected
    assert expected[0]["within"]["turns"] == 2
    lines = ask("line", game, position, *words, "--plies", "5").json
    assert got(pigs, "line", game=game, position=position, plies=5) == lines
    assert got(pigs, "stats", game=game) == ask("stats", game, *words).json


@pytest.mark.parametrize(("game", "server"), [("doushouqi", "three"), ("hexapawn", "pawns")])
def test_materials(game: str, server: str, request: pytest.FixtureRequest, ask: Ask) -> None:
    """Each once, with the sums of its slices, of which there is one for each side to move in games without swap."""
    client: TestClient = request.getfixturevalue(server)
    folder = request.getfixturevalue({"three": "three_pieces", "pawns": "hexapawns"}[server])
    slices = ask("stats", game, "--by", "material", "--data", folder, "--format", "json").json
    rows = got(client, "materials", game=game)
    assert [row["material"] for row in rows] == list(dict.fromkeys(row["material"] for row in slices))
    for row in rows:
        some = [one for one in slices if one["material"] == row["material"]]
        assert row["sides"] == "".join(one["side"] for one in some)
        assert [row[name] for name in ("positions", "wins")] == [sum(one[name] for one in some) for name in ("positions", "wins")]
        assert row["longest_win"] == (max(one["longest_win"] or 0 for one in some) or None)
    assert got(client, "materials", game=game, pieces=2) == [row for row in rows if row["pieces"] == 2]


def test_a_material(three: TestClient, three_pieces: Path, ask: Ask) -> None:
    """Its slices as in the view, its distances as in the table, and its neighbours."""
    told = got(three, "material", game="doushouqi", material="wCvR")
    assert (told["material"], told["pieces"]) == ("CWvR", ["White cat", "White wolf", "Black rat"])
    words = ["--data", three_pieces, "--format", "json"]
    assert told["slices"] == ask("sql", "SELECT * FROM slice_counts WHERE material = 'CWvR'", *words).json
    rows = {(row["outcome"], row["distance"]): row["placements"] for row in told["distances"]}
    (row,) = told["slices"]
    assert sum(count for (outcome, _), count in rows.items() if outcome == "win") == row["wins"]
    assert sum(count for (outcome, _), count in rows.items() if outcome == "loss") == row["losses"]
    assert max(distance for outcome, distance in rows if outcome == "win") == row["longest_win"]
    # Where the rat captures a cat or a wolf in a trap, either is left; the rat alone against it is stored as RvC.
    assert told["stored_as"] == "CWvR"
    assert told["depends_on"] == [{"material": "RvC", "built": True}]
    assert {"material": "RCWvR", "built": False} in told["needed_by"]
    below = got(three, "material", game="doushouqi", material="RvC")
    assert {"material": "CWvR", "built": True} in below["needed_by"]
    assert below["depends_on"] == []


def test_records(three: TestClient, three_pieces: Path, ask: Ask) -> None:
    """The longest of each number of pieces, whose positions have these distances."""
    rows = got(three, "records", game="doushouqi")
    expected = [(2, "win", 33), (2, "loss", 34), (3, "win", 67), (3, "loss", 66)]
    assert [(row["pieces"], row["outcome"], row["distance"]) for row in rows] == expected
    everything = got(three, "records", game="doushouqi", by="material")
    assert everything == sorted(everything, key=lambda row: -row["distance"])
    some = [*rows, *everything[::20]]
    probes = ask("probe", "doushouqi", *(row["position"] for row in some), "--data", three_pieces, "--format", "json").json
    for row, probe in zip(some, probes, strict=True):
        assert {name: row[name] for name in ("outcome", "distance", "side")}.items() <= probe.items()


def test_a_missing_table_says_what_it_takes(three: TestClient, three_pieces: Path, ask: Ask) -> None:
    """Its name, the command without a folder, and what `estimate` predicts of what is missing."""
    answer = three.get("/api/v1/probe", params={"game": "doushouqi", "position": "7/7/7/7/3c3/7/7/RE5/w6 w"})
    command = "tablebase build doushouqi --material REvCW"
    assert sentence_of(answer, 404) == f"the table REvCW of doushouqi has not been built: run '{command}'"
    told = answer.json()
    assert (told["game"], told["material"], told["command"]) == ("doushouqi", "REvCW", command)
    lines = ask("estimate", "doushouqi", "--material", "REvCW", "--data", three_pieces, "--format", "json").json
    (line,) = [line for line in lines if line["pieces"] == 4]
    expected = {"tables": 1, "placements": line["distinct_placements"], "disk": line["disk"], "memory": line["memory"]}
    assert {name: told["estimate"][name] for name in expected} == expected
    assert told["estimate"]["cpu_seconds"] == pytest.approx(line["cpu_seconds"], abs=0.001)


def test_nothing_is_built(three: TestClient, tmp_path: Path) -> None:
    """A game without tables is not found; a folder without a catalog is the server's fault."""
    assert three.get("/api/v1/stats", params={"game": "doushouqi", "pieces": 4}).json()["pieces"] == 4
    with client_of(tmp_path) as client:
        found = client.get("/api/v1/probe", params={"game": "hexapawn", "position": "ppp/3/PPP w"})
        assert found.json()["estimate"]["tables"] == 6
        for path in ("stats", "materials", "records"):
            assert "this tablebase" in sentence_of(client.get(f"/api/v1/{path}", params={"game": "hexapawn"}), 503)
            missing = sentence_of(three.get(f"/api/v1/{path}", params={"game": "hexapawn"}), 404)
            assert missing.startswith("no table of hexapawn is in the catalog of this tablebase")
        state = client.get("/api/v1/probe", params={"game": "pig-die=2-target=3", "position": "0,0 1 0"})
        assert sentence_of(state, 404).startswith(
            "no table of pig-die=2-target=3 is in the catalog of this tablebase: run 'tablebase build"
        )


Change = Callable[[Path, Path, Random], None]


def remove(path: Path, _other: Path, _random: Random) -> None:
    path.unlink(missing_ok=True)


def replace(path: Path, other: Path, _random: Random) -> None:
    """Put another table in its place, as a build does it, but of other pieces."""
    draft = path.with_suffix(".draft")
    shutil.copy(other, draft)
    os.replace(draft, path)


def cut(path: Path, _other: Path, random: Random) -> None:
    if path.exists():
        os.truncate(path, random.randrange(path.stat().st_size + 1))


def scribble(path: Path, _other: Path, random: Random) -> None:
    if path.exists() and path.stat().st_size:
        with path.open("r+b") as file:
            file.seek(random.randrange(path.stat().st_size))
            file.write(random.randbytes(200))


@pytest.mark.parametrize("change", [replace, scribble, *before_release(remove, cut)])
def test_tables_that_change_under_load(two_pieces: Path, copied: Path, change: Change) -> None:
    """Each answer is right, or an error with a sentence; with few chunks in memory, so that files are read all the time."""
    texts = random_texts(GAME, 2, 40, seed=5)
    with tablebase.open(two_pieces) as tables:
        right = {text: tables.probe(GAME, text).to_dict() for text in texts}
    paths = sorted(copied.glob("doushouqi/2/*.h5"))
    source, statuses = Random(6), []

    def ask(text: str) -> None:
        answer = client.get("/api/v1/probe", params={"game": "doushouqi", "position": text, "strict": "true"})
        statuses.append(answer.status_code)
        if answer.status_code == 200:
            assert answer.json() == [right[text]]
        else:
            assert answer.status_code in (404, 503)
            assert answer.json()["detail"]
            assert_no_paths(answer.text)

    with client_of(copied, cache=1) as client, ThreadPoolExecutor(2) as threads:
        for text in texts:
            ask(text)
        assert set(statuses) == {200}
        for path in paths:
            change(path, source.choice([one for one in paths if one != path]), source)
            list(threads.map(ask, source.sample(texts, 6)))
        if change is not remove and change is not replace:
            assert 503 in statuses


def test_a_table_that_is_written_again_is_opened_anew(two_pieces: Path, copied: Path) -> None:
    """After one error the table answers again, if it is a table."""
    path = table_path(copied, GAME, parse_material(GAME, "RvC"))
    store = Store(copied, cache=1)
    table = store.table(GAME, parse_material(GAME, "RvC"))
    expected = store.code(table, 0, 100)
    shutil.copyfile(table_path(two_pieces, GAME, parse_material(GAME, "RvC")), path)
    os.utime(path, ns=(1, 1))
    with pytest.raises(CorruptTableError, match="has changed since it was opened"):
        store.code(table, 0, 100)
    again = store.table(GAME, parse_material(GAME, "RvC"))
    assert again is not table
    assert store.code(again, 0, 100) == expected
    store.close()


def test_the_catalog_is_read_again_when_it_changes(copied: Path) -> None:
    """Answers are kept as long as it is the same, and no longer."""
    from tablebase.commands.program import run

    with client_of(copied) as client:
        given = {"game": "doushouqi"}
        first = client.get("/api/v1/stats", params=given)
        assert client.get("/api/v1/stats", params=given, headers={"if-none-match": first.headers["etag"]}).status_code == 304
        assert run(["build", "doushouqi", "--material", "RCvW", "--data", str(copied)]) == 0
        later = client.get("/api/v1/stats", params=given)
        assert [row["pieces"] for row in first.json()] == [2]
        assert [row["pieces"] for row in later.json()] == [2, 3]
        assert later.headers["etag"] != first.headers["etag"]
        (copied / "catalog.sqlite").write_bytes(b"no catalog")
        assert "catalog.sqlite" in sentence_of(client.get("/api/v1/stats", params=given), 503)
        (copied / "catalog.sqlite").unlink()
        assert "this tablebase" in sentence_of(client.get("/api/v1/stats", params=given), 503)
        assert client.get("/api/v1/probe", params={"game": "doushouqi", "position": LOST}).status_code == 200


def test_a_held_catalog_is_the_error_of_the_server(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request waits for another program no longer than it may take, and is answered with 503."""
    assert RequestLimits().seconds > PATIENCE
    monkeypatch.setattr("tablebase.web.known_catalog.PATIENCE", 0.05)
    with client_of(copied) as client, closing(sqlite3.connect(copied / "catalog.sqlite", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        said = sentence_of(client.get("/api/v1/stats", params={"game": "doushouqi"}), 503)
        assert "is locked by another program" in said
