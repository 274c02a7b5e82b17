"""What can go wrong with a catalog on a PostgreSQL server: each fault is a sentence."""

import os
import re
import shlex
from importlib import util
from pathlib import Path
from subprocess import run
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy.engine import make_url
from support.catalogs import change, database, forget, snapshot
from support.program import Ask, assert_refused
from support.servers import PASSWORD, ROLE, Server, binaries
from support.tablebases import on_postgresql

from tablebase.catalog import postgresql
from tablebase.catalog.postgresql import parsed_url, without_password
from tablebase.errors import CapacityError, CorruptCatalogError, MissingExtraError, TablebaseError


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:secret@host/db",
        "catalog",
        "postgresql+asyncpg://me:secret@host/db",
        "://secret",
        "postgresql://me:secret@host:port/db",
        "postgresql://me:secret@let@host/db",
        "postgresql://me:secret@let/secret@host/db",
        "postgresql://me:secret@let?secret@host/db",
        "postgresql://me/x:secretlet@host/db",
        "postgresql://me:secret@host/db?user=let@secret",
    ],
)
def test_what_is_no_url_is_said_so(url: str, tmp_path: Path, ask: Ask) -> None:
    """In a sentence that does not repeat it, since it may hold a password, which an @ in it would end."""
    for words in (["stats", "doushouqi"], ["build", "hexapawn", "--pieces", "2"], ["reindex"]):
        answer = ask(*words, "--data", tmp_path, "--catalog", url)
        assert_refused(answer, 2, "--catalog")
        assert "%40" in answer.err or "expected a PostgreSQL URL, such as postgresql+psycopg://USER@HOST" in answer.err
        assert "secret" not in answer.err
        assert "let" not in answer.err.replace("tablebase", "")


def test_a_password_may_have_a_slash() -> None:
    assert parsed_url("postgres://me:a/b@host/db").password == "a/b"


def test_without_the_extra(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    find = util.find_spec
    monkeypatch.setattr("tablebase.errors.find_spec", lambda name: None if name == "psycopg" else find(name))
    answer = ask("stats", "doushouqi", "--data", tmp_path, "--catalog", "postgresql://me@host/db")
    assert_refused(answer, 2, str(MissingExtraError("catalogs in PostgreSQL", "postgres")))


@pytest.mark.full
@pytest.mark.parametrize(
    ("change_url", "reason"),
    [
        (lambda url: url.set(password="wrong"), "password authentication failed"),
        (lambda url: url.set(username="nobody"), "password authentication failed"),
        (lambda url: url.set(database="nothing"), 'database "nothing" does not exist'),
        (lambda url: url.update_query_dict({"host": "/nowhere"}), "No such file or directory"),
        (lambda url: url.set(password=None, database="nothing").update_query_dict({"password": PASSWORD}), "does not exist"),
    ],
    ids=["wrong password", "no such role", "no such database", "no server", "password in the query"],
)
@on_postgresql
def test_a_server_that_does_not_answer(change_url: Any, reason: str, catalog_url: str, copied: Path, ask: Ask) -> None:
    url = change_url(make_url(catalog_url))
    there = ("--data", copied, "--catalog", url.render_as_string(hide_password=False))
    for words in (["stats", "doushouqi"], ["build", "doushouqi", "--pieces", "2"], ["reindex"], ["sql", "SELECT 1"]):
        answer = ask(*words, *there)
        assert_refused(answer, 2, f"{without_password(url)} cannot be reached (", reason)
        assert (answer.out, len(answer.err.splitlines())) == ("", 1)
        assert "wrong" not in answer.err
        for secret in (PASSWORD, quote(PASSWORD, safe=""), quote(PASSWORD, safe=":")):
            assert secret not in answer.err


def command_in(sentence: str) -> list[str]:
    (command,) = re.findall(r"run '(.*?)'(?:$|[ ,;:])", sentence)
    return shlex.split(command)


@pytest.mark.full
@on_postgresql
def test_a_schema_that_does_not_exist(server: Server, copied: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLEBASE_CATALOG")
    schema = f"unmade_{uuid4().hex}"
    for words in (["stats", "doushouqi"], ["build", "doushouqi", "--pieces", "2"], ["reindex"], ["sql", "SELECT 1"]):
        answer = ask(*words, "--data", copied, "--catalog", server.url(schema))
        assert_refused(answer, 2, schema)
    words = command_in(answer.errors[0])
    assert words[0] == "psql"
    psql = Path(binaries() or "") / "psql"
    run([psql, *words[1:]], check=True, env={**os.environ, "PGPASSWORD": PASSWORD}, capture_output=True)
    assert ask("reindex", "--data", copied, "--catalog", server.url(schema)).code == 0
    assert ask("stats", "doushouqi", "--data", copied, "--catalog", server.url(schema)).code == 0


@pytest.mark.full
@on_postgresql
def test_hints_can_be_pasted(copied: Path, catalog_url: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that a sentence names works as it stands, once libpq knows the password; no part of it is a secret."""
    change(copied, "UPDATE schema_version SET version = 4")
    monkeypatch.delenv("TABLEBASE_CATALOG")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    answer = ask("stats", "doushouqi", "--data", copied, "--catalog", catalog_url)
    assert_refused(answer, 2)
    assert PASSWORD not in answer.err
    assert "***" not in answer.err
    words = command_in(answer.errors[0])
    assert ask(*words[1:]).code == 0
    # Where the environment names the catalog, the command need not.
    monkeypatch.setenv("TABLEBASE_CATALOG", catalog_url)
    change(copied, "UPDATE schema_version SET version = 4")
    assert "--catalog" not in ask("stats", "doushouqi", "--data", copied).err
    monkeypatch.delenv("TABLEBASE_CATALOG")
    left = ask("build", "hexapawn", "--pieces", "6", "--data", copied, "--catalog", catalog_url, "--for", "0.001s")
    assert left.code == 4
    assert "***" not in left.err
    assert ask(*command_in(left.errors[-1])[1:-2]).code == 0


@on_postgresql
def test_a_role_without_rights(copied: Path, server: Server, catalog_url: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that may only read can ask everything, with the grants of the guide, and is refused before a table is solved."""
    schema = str(make_url(catalog_url).query["options"]).removeprefix("-csearch_path=")
    reading = f"GRANT USAGE ON SCHEMA {schema} TO reader", f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader"
    writing = f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO reader"
    server.run("DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN PASSWORD 'reader'")
    server.run(*reading, database=ROLE)
    try:
        there = ("--data", copied, "--catalog", server.url(schema, "reader", "reader"))
        for words in (["stats", "doushouqi"], ["sql", "SELECT count(*) FROM tables"], ["build", "doushouqi", "--pieces", "2"]):
            assert ask(*words, *there).code == 0
        monkeypatch.setattr("tablebase.building.slice_work.make_table", None)
        for words in (["reindex"], ["build", "doushouqi", "--material", "RCvW"], ["patterns", "doushouqi", "--material", "RvC"]):
            answer = ask(*words, *there)
            assert_refused(answer, 2, "the role reader cannot write to", writing)
        assert not list(copied.rglob("RCvW*"))
        monkeypatch.undo()
        (grants,) = re.findall(r'"(GRANT .*?)"', answer.err)
        server.run(*grants.split("; "), database=ROLE)
        assert ask("build", "doushouqi", "--material", "RCvW", *there).code == 0
    finally:
        server.run("DROP OWNED BY reader", database=ROLE)
        server.run("DROP ROLE reader")


@on_postgresql
@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (psycopg.errors.DiskFull("no room"), CapacityError, "no space is left for {} (no room): "),
        (psycopg.errors.OutOfMemory("no room"), CapacityError, "no space is left for {} (no room): "),
        (psycopg.errors.AdminShutdown("going"), TablebaseError, "{} cannot be reached (going): check the server"),
        (psycopg.errors.TooManyConnections("all taken"), TablebaseError, "{} cannot be reached (all taken): check the server"),
        (psycopg.errors.ReadOnlySqlTransaction("a copy"), TablebaseError, "{} cannot be used (a copy): ask the owner"),
        (psycopg.errors.DataCorrupted("torn"), CorruptCatalogError, "{} is damaged (torn): run 'tablebase reindex"),
        (psycopg.errors.UndefinedTable("no such"), CorruptCatalogError, "{} is damaged (no such): run 'tablebase reindex"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_errors_have_sentences(
    error: psycopg.Error, kind: type[TablebaseError], sentence: str, tmp_path: Path, catalog_url: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("TABLEBASE_CATALOG", catalog_url)
    with pytest.raises(kind) as raised, database(tmp_path).guard():
        raise error
    assert raised.value.exit_code == (3 if kind is CapacityError else 2)
    assert str(raised.value).startswith(sentence.format(database(tmp_path).place))


@pytest.mark.full
@on_postgresql
def test_a_server_that_goes_during_a_build(copied: Path, server: Server, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence; what is built stays, and the next build enters it."""
    before = snapshot(copied)
    forget(copied, "doushouqi/2/CvW.h5", "doushouqi/2/RvC.h5")
    begun, calls = postgresql.PostgresqlDatabase._begun, []

    def end(self: Any, connection: Any) -> Any:
        calls.append(begun(self, connection))
        if len(calls) == 2:
            pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            server.run(f"SELECT pg_terminate_backend({pid})")
        return calls[-1]

    monkeypatch.setattr(postgresql.PostgresqlDatabase, "_begun", end)
    assert_refused(ask("build", "doushouqi", "--pieces", "2", "--data", copied), 2, "cannot be reached (")
    monkeypatch.setattr(postgresql.PostgresqlDatabase, "_begun", begun)
    assert ask("build", "doushouqi", "--pieces", "2", "--data", copied).code == 0
    assert snapshot(copied) == before
