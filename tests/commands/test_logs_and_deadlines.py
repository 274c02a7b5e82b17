"""What `build` does at a deadline, and what it writes to logs."""

import json
import shlex
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from support.catalogs import registered
from support.checks import at_least_one
from support.program import Ask, assert_refused, contents, drafts, files_of_at_most

from tablebase.building.records import Log, Record
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.compute import machine
from tablebase.executors.scheduler import Deadline

BUILD = ("build", "doushouqi", "--pieces", "2")


@pytest.mark.parametrize("option", ["--log", "--json-log"])
def test_a_full_disk_is_said_of_the_log(option: str, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the log that cannot grow, and not a table."""
    write, log = Log.write, tmp_path / "log"

    def written(self: Log, record: Record, unit: str) -> None:
        with files_of_at_most(20):
            write(self, record, unit)

    monkeypatch.setattr(Log, "write", written)
    answer = ask(*BUILD, "--data", tmp_path / "data", option, log)
    assert_refused(answer, 3, f"no space left for {log}", f"name another file with {option}")


def test_no_table_is_started_that_would_be_late(tmp_path: Path, ask: Ask) -> None:
    """The sentence says how many are left, and which command goes on; that command finishes the work."""
    words = [*BUILD, "--data", str(tmp_path / "my data"), "--for", "0.001s"]
    answer = ask(*words)
    assert (answer.code, contents(tmp_path)) == (4, {})
    *_, sentence = answer.errors
    said, _, command = sentence.partition(" run '")
    assert said == "error: the deadline came first, and 10 tables are left:"
    assert shlex.split(command.removesuffix("'")) == ["tablebase", *words]
    assert "tables left, as the deadline came first: 10" in answer.err


def test_tables_at_work_are_dropped_after_the_grace(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the estimate was wrong; nothing of them is left, and the log names them."""
    monkeypatch.setattr(Deadline, "admits", lambda _self, _material: True)
    log = tmp_path / "log.jsonl"
    answer = ask(*BUILD, "--data", tmp_path / "data", "--for", "0.001s", "--grace", "0s", "--json-log", log)
    assert answer.code == 4
    *_, end = [json.loads(line) for line in log.read_text().splitlines()]
    assert (end["event"], end["reason"], end["done"], end["left"], end["dropped"]) == ("end", "deadline", 0, 10, ["RvR"])
    assert "dropped at work: RvR" in answer.err
    assert not list((tmp_path / "data").rglob("*.h5*"))


def test_a_build_in_time(two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Two workers, which could have been ended, write the same bytes as one without a deadline, and leave no other files.

    The log has a line for the beginning, for each table, and for the end; figures are those of the catalog and of the files.
    """
    log, data = tmp_path / "log.jsonl", tmp_path / "data"
    now = datetime.now().astimezone()
    answer = ask(*BUILD, "--data", data, "--json-log", log, "--workers", "2", "--for", "1h")
    assert (answer.code, answer.out, answer.errors) == (0, "", []), answer.err
    assert contents(data) == contents(two_pieces)
    assert len(registered(data)) == 10
    assert drafts(data) == []
    begin, *records, end = [json.loads(line) for line in log.read_text().splitlines()]
    assert (begin["event"], begin["game"], begin["tables"], begin["placements"]) == ("begin", "doushouqi", 10, 44_820)
    assert (begin["workers"], begin["memory"]) == (2, machine.memory())
    assert timedelta(minutes=59) < datetime.fromisoformat(begin["deadline"]) - now < timedelta(minutes=61)
    with closing(sqlite3.connect(data / FILE_NAME)) as catalog:
        rows = catalog.execute("SELECT material, engine, bytes, round(seconds, 3) FROM tables").fetchall()
    logged = [(record["material"], record["engine"], record["bytes"], record["cpu_seconds"]) for record in records]
    assert sorted(logged) == sorted(rows)
    assert sum(record["placements"] for record in records) == end["placements"] == 44_820
    for record in at_least_one(records):
        assert (record["event"], record["game"], record["verified"]) == ("table", "doushouqi", True)
        assert record["rate"] == pytest.approx(record["placements"] / max(record["seconds"], 0.001), rel=0.5)
        assert 50e6 < record["memory"] < 5e9
    for event in at_least_one([begin, *records, end]):
        assert datetime.fromisoformat(event["time"]).tzinfo is not None
    slowest = max(records, key=lambda record: record["seconds"])
    largest = max(records, key=lambda record: record["bytes"])
    assert (end["slowest"], end["largest"]) == (slowest["material"], largest["material"])
    assert (end["reason"], end["done"], end["left"], end["dropped"]) == ("done", 10, 0, [])
    assert end["cpu_seconds"] == pytest.approx(sum(record["cpu_seconds"] for record in records), abs=0.01)


def test_a_log_for_people_grows(tmp_path: Path, ask: Ask) -> None:
    """One line a table; what another build writes comes behind it; a table that was there is said to be."""
    log, data = tmp_path / "build.log", tmp_path / "data"
    also = tmp_path / "log.jsonl"
    for material in ("RvC", "CvC"):
        words = ["--material", material, "--data", data, "--log", log, "--json-log", also]
        assert ask("build", "doushouqi", *words).code == 0
    assert json.loads(also.read_text().partition("\n")[0])["deadline"] is None
    (data / FILE_NAME).unlink()
    assert ask("build", "doushouqi", "--material", "CvC", "--data", data, "--log", log).code == 0
    begun, first, *_ = lines = log.read_text().splitlines()
    assert len(lines) == 9
    assert "doushouqi  tables to build: 1, distinct placements: " in begun
    assert "  doushouqi RvC  planes  5,880 distinct placements  " in first
    assert first.endswith("  verified")
    assert "  doushouqi CvC  already there  " in lines[7]
    assert all(datetime.fromisoformat(line[:19]) for line in lines)


def test_where_the_system_says_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "PEAK", tmp_path / "no" / "file")
    monkeypatch.setattr(machine, "STATUS", tmp_path / "no" / "file")
    machine.forget_peak()
    assert machine.peak_memory() is None
