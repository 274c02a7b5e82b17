"""Tables that are removed, replaced or written over while they are asked: errors, never wrong answers."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from support.checks import before_release
from support.games import random_texts
from support.web import assert_no_paths, client_of, sentence_of

import tablebase
from tablebase.catalog.database import PATIENCE
from tablebase.errors import CorruptTableError
from tablebase.game import load_game
from tablebase.slices.material import parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.store import Store
from tablebase.web.settings import Limits

GAME = load_game("doushouqi")
LOST = "7/7/7/7/3c3/7/7/R6/7 w"
Change = Callable[[Path, Path, Random], None]


def remove(path: Path, _other: Path, _random: Random) -> None:
    """Without a trace."""
    path.unlink(missing_ok=True)


def replace(path: Path, other: Path, _random: Random) -> None:
    """Put another table in its place, as a build does it, but of other pieces."""
    draft = path.with_suffix(".draft")
    shutil.copy(other, draft)
    os.replace(draft, path)


def write_over(path: Path, other: Path, _random: Random) -> None:
    """Copy another table over it."""
    shutil.copyfile(other, path)


def cut(path: Path, _other: Path, random: Random) -> None:
    """Leave the beginning only."""
    if path.exists():
        os.truncate(path, random.randrange(path.stat().st_size + 1))


def scribble(path: Path, _other: Path, random: Random) -> None:
    """Write random bytes into it."""
    if path.exists() and path.stat().st_size:
        with path.open("r+b") as file:
            file.seek(random.randrange(path.stat().st_size))
            file.write(random.randbytes(200))


@pytest.mark.parametrize("change", [replace, scribble, *before_release(remove, write_over, cut)])
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
    with pytest.raises(CorruptTableError, match="has been changed since it was opened"):
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


def test_a_held_catalog_is_the_fault_of_the_server(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request waits for another program no longer than it may take, and is answered with 503."""
    monkeypatch.setattr("tablebase.web.known_catalog.PATIENCE", 0.05)
    with client_of(copied) as client, closing(sqlite3.connect(copied / "catalog.sqlite", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        said = sentence_of(client.get("/api/v1/stats", params={"game": "doushouqi"}), 503)
        assert "is locked by another program" in said


def test_a_request_outlasts_the_patience_of_readers() -> None:
    assert Limits().seconds > PATIENCE
