"""Builds by workers elsewhere: the same tables and rows, nothing solved twice, and no worker that is not of the same mind."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any
from unittest.mock import Mock

import pytest
from support.builds import build
from support.catalogs import registered, snapshot
from support.dask import DaskCluster, cluster, wait_for_workers
from support.faults import damage_after_look
from support.program import Ask, contents, drafts, flip, middle_of_codes, table_of

import tablebase
from tablebase.building import make_tables, slice_work
from tablebase.building.jobs import Made
from tablebase.building.plan import plan
from tablebase.building.prune import _TABLE_DRAFT
from tablebase.building.shared_folder import site
from tablebase.errors import ClusterError, CorruptTableError
from tablebase.positions.material import Material, parse_material
from tablebase.system.compute.processes import clean_up
from tablebase.system.executors.executor import Limits
from tablebase.system.files.outputs import draft_of
from tablebase.tables.folder import TOKEN, await_file
from tablebase_rules.doushouqi import game as doushouqi

GAME = doushouqi()


@pytest.fixture
def a_worker(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with cluster(tmp_path_factory.mktemp("dask")) as started:
        started.start_worker("--resources", "memory=2000000000")
        wait_for_workers(started, 1)
        yield started


@pytest.mark.full
def test_a_worker_elsewhere_builds_the_same(a_worker: DaskCluster, two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    where = ("--executor", "dask", "--scheduler", a_worker.address, "--data", tmp_path)
    answer = ask("build", "doushouqi", "--pieces", 2, *where)
    assert answer.code == 0, answer.err
    assert f"built and verified in {tmp_path}: 10 of 10 tables, 160,068 positions" in answer.err
    assert contents(tmp_path) == contents(two_pieces)
    assert snapshot(tmp_path) == snapshot(two_pieces)
    assert drafts(tmp_path) == []
    assert ask("build", "doushouqi", "--pieces", 2, *where).err.startswith("nothing to do: ")


def test_what_a_killed_build_has_left_goes_with_the_next_one(tmp_path: Path, ask: Ask) -> None:
    for name in (TOKEN, f"{TOKEN}-host-0a1b2c3d"):
        (tmp_path / name).write_text("token")
    assert ask("build", "doushouqi", "--material", "CvC", "--data", tmp_path).code == 0
    assert list(tmp_path.glob(f"{TOKEN}*")) == []


def build_shared(folder: Path, name: str, old: frozenset[Material] = frozenset()) -> Made:
    return slice_work.make_shared_table("doushouqi", folder, "auto", old, parse_material(GAME, name))


def test_a_table_that_is_there_now_is_not_built_again(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost worker has published it, so its seal is enough; one that was there before is verified: it may be of any origin."""
    monkeypatch.setattr(slice_work, "make_table", Mock(side_effect=AssertionError("built again")))
    built = build_shared(two_pieces, "RvC")
    assert (built.engine, built.bytes) == (None, table_of(two_pieces, "RvC").stat().st_size)
    with pytest.raises(AssertionError, match="built again"):
        build_shared(two_pieces, "RvC", frozenset({parse_material(GAME, "RvC")}))


@pytest.mark.parametrize("workers", [1, *(pytest.param(one, marks=pytest.mark.full) for one in (2, None))])
def test_a_table_damaged_during_a_build(
    workers: int | None, request: pytest.FixtureRequest, copied: Path, two_pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that finds it, here or elsewhere, ends neither the build nor its own table: both are built."""
    path, said = table_of(copied, "CvW"), []
    where: Any = {"limits": Limits(workers)} if workers else {"scheduler": request.getfixturevalue("a_worker").address}
    damage_after_look(monkeypatch, make_tables, "examine", lambda: flip(path, middle_of_codes(path)))
    planned = plan(GAME, None, [parse_material(GAME, name) for name in ("RCvW", "CDvW")])
    built = {one.key for one in build(GAME, planned, copied, **where, say=said.append)}
    assert built >= {parse_material(GAME, name) for name in ("CvW", "RCvW", "CDvW")}
    assert [str(path) in line for line in said] == [True]
    assert {"CvW", "RCvW"} <= registered(copied).keys()
    assert {file: data for file, data in contents(copied).items() if "/2/" in file} == contents(two_pieces)


def test_a_damaged_table_is_named(copied: Path, two_pieces: Path) -> None:
    """Its seal is not that of its bytes. The build renames the file; then a worker builds the table, and publishes it."""
    path = table_of(copied, "RvC")
    flip(path, middle_of_codes(path))
    with pytest.raises(CorruptTableError) as caught:
        build_shared(copied, "RvC")
    assert caught.value.path == path
    path.unlink()
    assert build_shared(copied, "RvC").engine == "planes"
    assert contents(copied) == contents(two_pieces)
    assert drafts(copied) == []


def test_drafts_have_names_of_their_own() -> None:
    """Two processes with the same number, on different machines, never write the same file; `prune` knows the names."""
    path = Path("data/doushouqi/2/RvC.h5")
    names = {draft_of(path).name for _ in range(9)}
    assert len(names) == 9
    assert all(_TABLE_DRAFT.fullmatch(name) for name in names)


def test_a_file_that_comes_late_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablebase.tables.folder.INTERVAL", 0.01)
    late = tmp_path / "late"
    assert not await_file(late, 0.05)
    timer = Timer(0.1, late.touch)
    timer.start()
    assert await_file(late, 60)
    timer.join()


@pytest.mark.parametrize("leave", [lambda: None, clean_up], ids=["the end", "a signal"])
def test_a_worker_with_the_same_folder_and_program_is_fine(leave: Callable[[], None], tmp_path: Path) -> None:
    """After the build, however it ends, the token is gone."""
    with site(tmp_path, GAME) as mine:
        assert mine() is None
        assert [path.name for path in tmp_path.iterdir()] == [TOKEN]
        leave()
        assert leave is not clean_up or not list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"version": "0.1.0"}, rf"has version {tablebase.__version__} of this program instead of 0\.1\.0"),
        ({"format": 0}, "has version "),
        ({"digest": "another"}, "has different rules of doushouqi"),
        ({"game": "checkers"}, r"does not have the rules of checkers \(.*\)"),
        ({"token": "another"}, "has a different folder at "),
        ({"folder": Path("/nowhere")}, r"cannot read the folder of the tables \(No such file or directory\)"),
    ],
)
def test_a_worker_of_another_mind_says_so(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    with site(tmp_path, GAME) as mine:
        error = replace(mine, **change)()
    assert error is not None
    assert re.fullmatch(f"{what}.*", error.what)
    assert error.hint.startswith(("install the same ", "mount "))


def test_a_worker_that_cannot_write_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with site(tmp_path, GAME) as mine:
        monkeypatch.setattr(Path, "touch", Mock(side_effect=PermissionError(13, "Permission denied")))
        error = mine()
    assert error is not None
    assert error.what == "cannot write to the folder of the tables (Permission denied)"


@pytest.mark.full
def test_a_build_refuses_a_worker_of_another_mind(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import tablebase.version\ntablebase.version.VERSION = '0.0.9'\n")
    path = f"{tmp_path}:{':'.join(filter(None, sys.path))}"
    with cluster(tmp_path, PYTHONPATH=path) as started:
        started.start_worker()
        with pytest.raises(
            ClusterError, match=r"^the worker tcp://\S+ has version 0\.0\.9 of this program instead of .*: install the"
        ):
            list(build(GAME, plan(GAME, 2, []), tmp_path / "data", scheduler=started.address))
    assert contents(tmp_path / "data") == {}
    assert drafts(tmp_path / "data") == []
