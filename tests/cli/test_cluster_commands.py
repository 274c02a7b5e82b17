"""Options and keys that choose a cluster: what goes together, and what is refused in a sentence."""

from pathlib import Path

import pytest
from support.program import Ask, assert_one_sentence

from tablebase.building.terms import chosen_limits
from tablebase.cli.options import Where
from tablebase.executors.executor import Limits


@pytest.mark.full
def test_a_batch_on_a_cluster(tmp_path: Path, ask: Ask) -> None:
    """Its tables are built by workers of Dask, in as much memory as each of them has."""
    path = tmp_path / "night.toml"
    path.write_text('executor = "dask"\nworkers = 2\nmemory = "4G"\n[[build]]\ngame = "doushouqi"\nmaterial = "CvC"\n')
    answer = ask("batch", path, "--data", tmp_path / "data")
    assert answer.code == 0, answer.err
    assert f"tables at a time: up to 2, each in {2**31:,} bytes of memory at most" in answer.err
    assert (tmp_path / "data/doushouqi/2/CvC.h5").exists()


def test_a_table_must_fit_into_one_worker(tmp_path: Path, ask: Ask) -> None:
    """What two workers have together is not enough, and no worker is started to find that out."""
    words = ["--executor", "dask", "--workers", 2, "--memory", "500M", "--data", tmp_path]
    answer = ask("build", "doushouqi", "--material", "CvC", *words)
    assert_one_sentence(answer, "at most 262,144,000 can be used: no worker has more", code=3)


def test_memory_is_divided_among_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker of a cluster has its own; those of this machine share it."""
    monkeypatch.setattr("tablebase.compute.machine.cores", lambda: 4)
    assert chosen_limits(4, "8G", Where.DASK) == Limits(4, 2 * 2**30, each=True)
    assert chosen_limits(4, "8G") == Limits(4, 8 * 2**30)
