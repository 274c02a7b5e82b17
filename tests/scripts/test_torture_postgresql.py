"""A short run of scripts/torture_postgresql.py, and what it must notice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import torture_postgresql as script
from servers import Server


@pytest.fixture(scope="module")
def torture(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The undisturbed build of two tables, as the reference."""
    return script.Torture(tmp_path_factory.mktemp("torture"), server, "hexapawn", "3", 1)


@pytest.mark.slow
def test_a_short_run(torture: Any) -> None:
    """A try of each disturbance ends as it may."""
    outcomes = script.torture_all(torture, list(script.DISTURBANCES), 1)
    assert {name: counts.total() for name, counts in outcomes.items()} == dict.fromkeys(script.DISTURBANCES, 1)
    assert not [text for counts in outcomes.values() for text in counts if text.startswith("FAULT")]


@pytest.mark.slow
def test_other_tables_and_rows_are_noticed(torture: Any) -> None:
    """A table that is not that of the reference is a fault, and so is a catalog that says something else."""
    place = torture.place()
    torture._repeat(place)
    (table,) = Path(place[1]).glob("hexapawn/3/*.h5")
    whole = table.read_bytes()
    table.write_bytes(whole[:-1])
    with pytest.raises(script.TortureError, match="unfinished table"):
        torture._repeat(place)
    table.write_bytes(whole)
    reference = torture._reference
    torture._reference = reference[0], reference[1][1:]
    with pytest.raises(script.TortureError, match="another catalog"):
        torture._repeat(place)
    torture._reference = reference


def test_a_process_that_has_ended_is_no_obstacle() -> None:
    """Between the look at the server's processes and the one at their names, any of them may end."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        ended = psutil.Process(process.pid)
    torture = SimpleNamespace(random=Random(1), server=SimpleNamespace(processes=lambda: [ended]))
    assert script.kill_backend(torture, process) == "process of the server killed"


def test_a_killed_server_comes_back(server: Server) -> None:
    """What was committed is there after a crash, and its other processes are no obstacle."""
    url = server.new_schema("crash")
    assert url.endswith("crash")
    server.run("CREATE TABLE crash.kept AS SELECT 1 AS one", database="tablebase")
    server.kill()
    server.start()
    server.run("SELECT one FROM crash.kept", database="tablebase")
