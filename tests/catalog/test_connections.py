"""Connections to the file of a catalog: how many there are, and how long each command waits for another program."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.builds import build
from support.catalogs import forget, snapshot
from support.checks import thinned
from support.program import Ask, assert_one_sentence, assert_refused, table_of

from tablebase.building import make_tables
from tablebase.building.plan import plan
from tablebase.catalog import database, sqlite
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.game import load_game

BUILD = ["build", "doushouqi", "--pieces", "2"]
STATS = ["stats", "doushouqi"]


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that SQLite has been connected to, without copies in memory."""
    made: list[str] = []
    connect = sqlite3.connect

    def counted(address: str, *words: Any, **options: Any) -> sqlite3.Connection:
        if address != ":memory:":
            made.append(address)
        return connect(address, *words, **options)

    monkeypatch.setattr(sqlite3, "connect", counted)
    return made


def test_a_build_connects_once(tmp_path: Path, ask: Ask, connections: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A new one at the end, to make and fill the catalog; a finished one to read it. `stats` connects once, `probe` never."""
    monkeypatch.setattr(make_tables, "INTERVAL", 1000.0)
    for words, expected in (
        (["build", "hexapawn"], 1),
        (["build", "hexapawn"], 1),
        (["stats", "hexapawn"], 1),
        (["stats", "hexapawn", "--by", "material"], 1),
        (["sql", "SELECT 1"], 1),
        (["probe", "hexapawn", "p1p/1P1/3 b"], 0),
    ):
        connections.clear()
        assert ask(*words, "--data", tmp_path).code == 0
        assert len(connections) == expected, words


@contextmanager
def held(folder: Path, how: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None, check_same_thread=False)) as holder:
        if how == "EXCLUSIVE":
            holder.execute("BEGIN EXCLUSIVE")
        else:
            holder.execute("BEGIN")
            holder.execute("SELECT count(*) FROM tables").fetchone()
        yield holder


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    real = database.Patience.__init__

    def short(self: database.Patience, place: str, seconds: float | None) -> None:
        real(self, place, seconds and min(seconds, 0.3))

    monkeypatch.setattr(database.Patience, "__init__", short)
    monkeypatch.setattr(database, "SILENCE", 0.1)
    for name in ("BRIEF", "AT_LEAST"):
        monkeypatch.setattr(make_tables, name, 0.02)


@pytest.mark.parametrize(
    "words",
    [
        STATS,
        ["mine", "doushouqi", "SELECT count(*) FROM positions"],
        ["sql", "SELECT 1"],
        [*BUILD, "--for", "10s"],
        ["reindex"],
        ["prune", "--yes"],
    ],
    ids=lambda words: words[0],
)
@pytest.mark.usefixtures("hasty")
def test_patience_with_a_locked_catalog_ends(words: list[str], copied: Path, ask: Ask) -> None:
    """The command says once what it waits for, and ends in one sentence; the catalog is never rebuilt because of that."""
    path = copied / FILE_NAME
    before = path.read_bytes()
    with held(copied, "EXCLUSIVE"):
        answer = ask(*words, "--data", copied)
    assert answer.code == 2
    assert answer.err.count(f"waiting for {path}, locked by another program\n") == 1
    assert f"{path} is locked by another program: try again" in answer.errors[-1]
    assert len(answer.err.splitlines()) == 2
    assert path.read_bytes() == before
    assert ask(*words, "--data", copied).code == 0


@pytest.mark.parametrize("how", ["EXCLUSIVE", "reading"])
@pytest.mark.parametrize("words", thinned([BUILD, STATS, ["reindex"]], 2), ids=lambda words: words[0])
def test_a_command_continues_when_the_catalog_is_free(how: str, words: list[str], copied: Path, ask: Ask) -> None:
    known = snapshot(copied)
    forget(copied, "doushouqi/2/CvW.h5")
    with held(copied, how) as holder:
        timer = threading.Timer(0.3, holder.rollback)
        timer.start()
        answer = ask(*words, "--data", copied)
        timer.join()
    assert answer.code == 0
    assert "waiting" not in answer.err
    if words[0] != "stats":
        assert snapshot(copied) == known


def test_a_reader_does_not_end_a_build(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a deadline it makes its tables, says what it waits for, and enters them when the transaction has ended."""
    known = snapshot(copied)
    forget(copied, "doushouqi/2/CvW.h5")
    table_of(copied, "CvW").unlink()
    monkeypatch.setattr(database, "SILENCE", 0.1)
    monkeypatch.setattr(make_tables, "BRIEF", 0.02)
    published: list[bool] = []
    wait = database.Patience.wait

    with held(copied, "reading") as holder:

        def watched(self: database.Patience) -> None:
            published.append(table_of(copied, "CvW").exists())
            if len(published) == 20:
                holder.rollback()
            wait(self)

        monkeypatch.setattr(database.Patience, "wait", watched)
        answer = ask(*BUILD, "--data", copied)
    assert answer.code == 0
    assert answer.err.count("locked by another program") == 1
    assert all(published[1:])
    assert snapshot(copied) == known


@pytest.mark.usefixtures("hasty")
def test_tables_without_their_catalog_are_entered_by_the_next_build(copied: Path, ask: Ask) -> None:
    """At the deadline a build ends with a sentence, its tables are complete, and none is solved again."""
    known = snapshot(copied)
    forget(copied, "doushouqi/2/CvW.h5")
    path = table_of(copied, "CvW")
    path.unlink()
    with held(copied, "reading"):
        assert_refused(ask(*BUILD, "--for", "60s", "--data", copied), 2, f"{copied / FILE_NAME} is locked by another program")
        made = path.stat()
        assert ask(*STATS, "--data", copied).code == 0
    assert ask(*BUILD, "--data", copied).code == 0
    assert path.stat().st_ino == made.st_ino
    assert snapshot(copied) == known


def test_no_connection_is_open_while_tables_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each transaction of a build ends before the next table, and readers find its tables in the catalog."""
    monkeypatch.setattr(make_tables, "INTERVAL", 0.0)
    opened: list[sqlite3.Connection] = []
    open_file = sqlite._open

    def noted(*words: Any, **options: Any) -> Any:
        opened.append(open_file(*words, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite, "_open", noted)
    game = load_game("doushouqi")
    for _ in build(game, plan(game, 2, []), tmp_path):
        for connection in opened:
            with pytest.raises(sqlite3.ProgrammingError, match="closed"):
                connection.execute("SELECT 1")
    assert len(opened) >= 10


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH])
def test_no_rebuild_for_an_error_of_the_system(code: int, copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (copied / FILE_NAME).read_bytes()
    error = sqlite3.OperationalError("refused")
    error.sqlite_errorcode = code
    with monkeypatch.context() as patch:
        patch.setattr(sqlite, "_copy", Mock(side_effect=error))
        answer = ask(*BUILD, "--data", copied)
    assert_one_sentence(answer, str(copied / FILE_NAME), code=3 if code == sqlite3.SQLITE_FULL else 2)
    assert "rebuilt" not in answer.err
    assert (copied / FILE_NAME).read_bytes() == before


def test_a_file_that_cannot_be_written_is_refused_first(copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a table is solved; a build that has nothing to do only reads."""
    access = os.access

    def refusing(path: Path, mode: int) -> bool:
        return access(path, mode) and not (Path(path).name == FILE_NAME and mode == os.W_OK)

    monkeypatch.setattr(os, "access", refusing)
    monkeypatch.setattr("tablebase.building.slice_work.make_table", None)
    assert ask(*BUILD, "--data", copied).code == 0
    answer = ask("build", "doushouqi", "--material", "RCvW", "--data", copied)
    assert_one_sentence(answer, f"{copied / FILE_NAME} cannot be used (Permission denied)")
    assert not (copied / "doushouqi" / "3").exists()
