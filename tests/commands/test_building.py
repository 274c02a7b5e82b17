"""`tablebase.build`, `estimate` and `verify` as functions; what builds do at a deadline, and what they write to logs."""

import json
import shlex
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.catalogs import registered
from support.checks import at_least_one
from support.program import Ask, ask_fresh, assert_refused, contents, drafts, files_of_at_most, flip

import tablebase
from tablebase.building.records import BuildLog, Record
from tablebase.catalog.sqlite import FILE_NAME
from tablebase.errors import RulesError, TablebaseError
from tablebase.game import load_game
from tablebase.system.compute import machine
from tablebase.system.executors.scheduler import Deadline

GAME = "doushouqi"
PLAIN_SCRIPT = """
import sys, tablebase
result = tablebase.build("doushouqi", pieces=2, data=sys.argv[1], workers=2)
print(result.built, result.left, tablebase.verify("doushouqi", data=sys.argv[1], workers=1).correct)
"""


def test_a_build_is_that_of_the_command(tmp_path: Path, two_pieces: Path, ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    result = tablebase.build(GAME, pieces=2, data=tmp_path / "data", json_log=log, workers=1)
    said = capsys.readouterr()
    assert contents(tmp_path / "data") == contents(two_pieces)
    assert (result.game, result.folder, result.left) == (GAME, tmp_path / "data", 0)
    assert result.built == result.tables == len(result.records) == len(contents(two_pieces))
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [record.material for record in result.records] == [one["material"] for one in events if one["event"] == "table"]
    assert result.placements == sum(one["placements"] for one in events if one["event"] == "table")
    answer = ask("build", GAME, "--pieces", 2, "--data", tmp_path / "again", "--json-log", tmp_path / "other", "--workers", 1)
    assert (said.out, sentences(said.err, "data")) == ("", sentences(answer.err, "again"))
    assert f"{result.built} of {result.tables} tables built" in repr(result)
    assert result._repr_html_().count("<tr>") == 1 + min(10, result.tables)
    again = tablebase.build(GAME, pieces=2, data=tmp_path / "data")
    assert (again.built, again.left, again.records, again.tables) == (0, 0, (), result.tables)


def sentences(text: str, folder: str) -> list[str]:
    """Messages without the name of the folder, and without those about times, which differ."""
    return [line.replace(f"/{folder}", "") for line in text.splitlines() if not line.startswith(("CPU", "slowest", "build "))]


@pytest.mark.full
@pytest.mark.parametrize("alone", [True, False])
def test_a_script_without_a_guard(alone: bool, tmp_path: Path, two_pieces: Path) -> None:
    """Workers do not run the script that has started them, whether Python has been given it or another program runs it."""
    script = tmp_path / "script.py"
    script.write_text(PLAIN_SCRIPT)
    program = "import runpy, sys; sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
    if alone:
        program = f"import os, sys; os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])"
    answer = ask_fresh(script, tmp_path / "a", program=program)
    count = len(contents(two_pieces))
    assert (answer.code, answer.out) == (0, f"{count} 0 {count}\n"), answer
    assert contents(tmp_path / "a") == contents(two_pieces)


def test_a_deadline_is_a_result(tmp_path: Path) -> None:
    result = tablebase.build(GAME, pieces=range(2, 3), data=tmp_path, duration=timedelta(milliseconds=1))
    assert (result.built, result.left) == (0, result.tables)
    assert f"{result.left} left" in repr(result)
    assert (result.placements, "<table>" in result._repr_html_()) == (0, False)


def test_an_estimate_in_a_notebook(two_pieces: Path) -> None:
    found = tablebase.estimate(GAME, material="RCvW", data=two_pieces, workers=1)
    assert [line.pieces for line in found] == [row["pieces"] for row in found.rows]
    assert found[-1].pieces == 3
    assert found._repr_html_().count("<tr>") == 1 + len(found)


@pytest.mark.parametrize("quick", [False, True])
def test_a_check_finds_a_error(quick: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = tablebase.build(GAME, material="CvC", data=tmp_path, solver="reference")
    assert [record.engine for record in built.records] == ["reference"]
    assert tablebase.verify(GAME, material=["CvC"], data=tmp_path, quick=quick).errors == {}
    (path,) = [tmp_path / name for name in contents(tmp_path) if "CvC" in name]
    flip(path, path.stat().st_size // 2)
    capsys.readouterr()
    result = tablebase.verify(None if quick else GAME, data=tmp_path, quick=quick)
    assert (result.correct, len(result.errors)) == (result.tables - 1, 1)
    [(name, error)] = result.errors.items()
    assert ("CvC" in name, "is not the file listed in the catalog" in error) == (True, True)
    assert "error: " in capsys.readouterr().err
    assert result._repr_html_().count("<tr>") == 2


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"game": 5}, "5"),
        ({"size": "3x3"}, "3x3"),
        ({"pieces": 0}, "0"),
        ({"pieces": None}, "pieces"),
        ({"material": 7}, "7"),
        ({"workers": 0}, "workers"),
        ({"workers": "two"}, "workers"),
        ({"memory": "much"}, "much"),
        ({"data": 5}, "data"),
        ({"executor": "cloud"}, "cloud"),
        ({"solver": "steam"}, "steam"),
        ({"deadline": "2001-01-01T07:00"}, "2001"),
        ({"duration": "long"}, "long"),
        ({"grace": []}, "grace"),
        ({"log": 5}, "log"),
        ({"carrots": 60}, "carrots"),
    ],
)
def test_wrong_arguments_are_one_sentence(wrong: dict[str, Any], named: str, tmp_path: Path) -> None:
    with pytest.raises(TablebaseError) as caught:
        tablebase.build(**{"game": GAME, "pieces": 2, "data": tmp_path / "data", **wrong})
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)
    assert contents(tmp_path / "data") == {}


def test_a_game_under_the_name_of_another(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=GAME):
        tablebase.build(replace(load_game("hexapawn"), name=GAME), pieces=2, data=tmp_path)


BUILD = ("build", "doushouqi", "--pieces", "2")


@pytest.mark.parametrize("option", ["--log", "--json-log"])
def test_a_full_disk_is_said_of_the_log(option: str, tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    write, log = BuildLog.write, tmp_path / "log"

    def written(self: BuildLog, record: Record, unit: str) -> None:
        with files_of_at_most(20):
            write(self, record, unit)

    monkeypatch.setattr(BuildLog, "write", written)
    answer = ask(*BUILD, "--data", tmp_path / "data", option, log)
    assert_refused(answer, 3, f"no space is left for {log}", f"choose another file for {option}")


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_no_table_is_started_that_would_be_late(executor: str, tmp_path: Path, ask: Ask) -> None:
    words = [*BUILD, "--executor", executor, "--data", str(tmp_path / "my data"), "--for", "0.001s"]
    answer = ask(*words)
    assert (answer.code, contents(tmp_path)) == (4, {})
    *_, sentence = answer.errors
    said, _, command = sentence.partition(" run '")
    assert said == "error: the deadline has passed, and 10 tables are unfinished:"
    assert shlex.split(command.removesuffix("'")) == ["tablebase", *words]
    assert "tables left at the deadline: 10" in answer.err


def test_tables_at_work_are_dropped_after_the_grace(tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the estimate was wrong; nothing of them is left, and the log names them."""
    monkeypatch.setattr(Deadline, "admits", lambda _self, _material: True)
    log = tmp_path / "log.jsonl"
    answer = ask(*BUILD, "--data", tmp_path / "data", "--for", "0.001s", "--grace", "0s", "--json-log", log)
    assert answer.code == 4
    *_, end = [json.loads(line) for line in log.read_text().splitlines()]
    assert (end["event"], end["reason"], end["done"], end["left"], end["dropped"]) == ("end", "deadline", 0, 10, ["RvR"])
    assert "stopped before completion: RvR" in answer.err
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
    assert "  doushouqi CvC  already built  " in lines[7]
    assert all(datetime.fromisoformat(line[:19]) for line in lines)


def test_where_the_system_says_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine, "PEAK", tmp_path / "no" / "file")
    monkeypatch.setattr(machine, "STATUS", tmp_path / "no" / "file")
    machine.forget_peak()
    assert machine.peak_memory() is None
