"""Connections to DuckDB for short tasks, which use the same databases again."""

import duckdb
import pyarrow as pa
import pytest

from tablebase.mining import sandbox
from tablebase.mining.sandbox import scratch


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Threads of each database that is opened from now on; none is idle yet."""
    asked: list[int] = []
    honest = sandbox.sandbox
    monkeypatch.setattr(sandbox, "_idle", [])
    monkeypatch.setattr(sandbox, "sandbox", lambda threads: asked.append(threads) or honest(threads))
    return asked


def test_nothing_of_a_task_is_left(opened: list[int]) -> None:
    """The next task uses the same database and sees no table, schema, view or function of the one before."""
    with scratch() as connection:
        connection.execute("CREATE TABLE positions (a INT); CREATE SCHEMA more; CREATE TABLE more.positions (b INT)")
        connection.execute("CREATE MACRO twice(x) AS 2 * x")
        connection.register("rows", pa.table({"a": [1]}))
        assert connection.execute("SELECT twice(a) FROM rows").fetchall() == [(2,)]
    for statement in ("FROM positions", "FROM more.positions", "CREATE TABLE more.x (a INT)", "SELECT twice(1)", "FROM rows"):
        with pytest.raises(duckdb.CatalogException), scratch() as connection:
            connection.execute(statement)
        with scratch() as connection:
            connection.execute("CREATE TABLE positions (c INT)")
    # One for the first task, and one after each of the five that failed.
    assert opened == [1] * 6


def test_a_failure_that_the_task_handles_does_no_harm(opened: list[int]) -> None:
    with scratch() as connection, pytest.raises(duckdb.BinderException):
        connection.execute("SELECT missing FROM (SELECT 1 AS there)")
    with scratch() as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
    assert opened == [1]


def test_tasks_within_tasks_have_their_own(opened: list[int]) -> None:
    with scratch() as outer, scratch() as inner:
        outer.execute("CREATE TABLE positions (a INT)")
        inner.execute("CREATE TABLE positions (b INT)")
    assert opened == [1, 1]


def test_a_task_has_no_access_to_anything_else() -> None:
    """Neither to files nor to variables of the program, also when a database is used again, and its settings are locked."""
    rows = pa.table({"a": [1]})
    for statement in ("FROM read_csv('/etc/passwd')", "FROM rows", "SET threads = 2"):
        with scratch():
            pass
        with pytest.raises(duckdb.Error), scratch() as connection:
            connection.execute(statement)
    assert len(rows) == 1
