"""Tablebases on disk, built with the command line once a session and shared by many tests."""

import fcntl
import hashlib
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import tablebase
from support.catalogs import move
from support.program import Answer
from support.servers import Server, binaries
from tablebase.commands.program import run
from tablebase.commands.tablebase import Tablebase

on_both = pytest.mark.parametrize("catalog_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)], indirect=True)
"""A test that runs with the catalog in the folder, and in full also with it in PostgreSQL."""
on_postgresql = pytest.mark.parametrize("catalog_url", ["postgresql"], indirect=True)


def once_on_postgresql(name: str, cases: Mapping[str, object]) -> pytest.MarkDecorator:
    """Run a test for each case with the catalog in the folder, and in full for the first one also with it in PostgreSQL."""
    found = [pytest.param(value, "sqlite", id=case) for case, value in cases.items()]
    case, value = next(iter(cases.items()))
    found.append(pytest.param(value, "postgresql", id=f"{case}-postgresql", marks=pytest.mark.full))
    return pytest.mark.parametrize((name, "catalog_url"), found, indirect=["catalog_url"])


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    """Refuses, at its end, that a file of the folder has been changed, made or deleted: other tests read it, too."""

    def state() -> dict[str, str]:
        # Readers of a catalog make and delete SQLite's own two files.
        files = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm"))]
        return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    before = state()
    yield
    changed = sorted({name for name, _ in state().items() ^ before.items()})
    assert not changed, f"a test has written to {changed}, which it may only read"


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs a command in this process: ``ask("stats", "doushouqi").json``."""

    def asked(*arguments: object) -> Answer:
        capsys.readouterr()
        code = run([str(one) for one in arguments])
        said = capsys.readouterr()
        return Answer(code, said.out, said.err)

    return asked


def built(factory: pytest.TempPathFactory, *commands: str, base: Path | None = None) -> Iterator[Path]:
    """A folder with tables that these commands have made, beside those of another folder; to be read only.

    It is made once for all processes that run tests.
    """
    root = factory.getbasetemp()
    place = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "built" / name_of(*commands, str(base))
    folder = place / "tables"
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            made = factory.mktemp("built") / "tables"
            if base is not None:
                shutil.copytree(base, made)
            for words in commands:
                assert run([*words.split(), "--data", str(made)]) == 0
            made.rename(folder)
    with unchanged(folder):
        yield folder


def name_of(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


@pytest.fixture
def typed(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    def run(lines: Iterable[str], *words: object) -> Answer:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return ask(*words)

    return run


@pytest.fixture
def tell(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Runs a script on the tables of a module's own `folder`, or on others that are named: ``tell(hexapawn, "--size", "3x3")``."""

    def told(script: Any, *arguments: object) -> Answer:
        capsys.readouterr()
        code = script.main(["--data", str(folder), *map(str, arguments)])
        said = capsys.readouterr()
        return Answer(code, said.out, said.err)

    return told


def built_by(*commands: str, base: str | None = None) -> Any:
    """A fixture: the folder of `built`, beside the tables of another such fixture."""

    @pytest.fixture(scope="session")
    def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
        yield from built(tmp_path_factory, *commands, base=None if base is None else request.getfixturevalue(base))

    return folder


two_pieces = built_by("build doushouqi --pieces 2")
"""All two-piece tables of Dou Shou Qi."""
three_pieces = built_by("build doushouqi --pieces 3", base="two_pieces")
"""All tables of two and three pieces."""
shut_in = built_by("build doushouqi --material CvWD", base="two_pieces")
"""The two-piece tables and CvWD, a material with stalemates."""
hexapawns = built_by("build hexapawn --pieces 6")
"""All tables of Hexapawn."""
foxes = built_by("build foxhounds-4x4 --pieces 2-3")
"""All tables of Fox & Hounds on 4x4, which has tiers, escapes, and both sides to move."""
piglet_tables = built_by(*(f"build pig-die=2-target={target}" for target in (2, 3)))
"""The tables of Piglet to two and to three."""
race_tables = built_by("build harehedgehog-cards=none --lettuces 1 --carrots 1 --cap strict")
"""The three layers of Hare & Hedgehog without cards, with up to one lettuce and one carrot."""


def copy_of(name: str) -> Any:
    """A fixture: a copy of the folder of another one, for tests that change it."""

    @pytest.fixture
    def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
        return Path(shutil.copytree(request.getfixturevalue(name), tmp_path / name))

    return folder


def opened(name: str) -> Any:
    @pytest.fixture(scope="session")
    def tables(request: pytest.FixtureRequest) -> Iterator[Tablebase]:
        with tablebase.open(request.getfixturevalue(name)) as found:
            yield found

    return tables


tables, more_tables, pawn_tables = map(opened, ("two_pieces", "three_pieces", "hexapawns"))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    programs = binaries()
    if programs is None:
        assert not os.environ.get("CI"), "PostgreSQL must be installed here"
        pytest.skip("PostgreSQL is not installed")
    with Server(programs) as started:
        yield started


@pytest.fixture(scope="session")
def schemas(server: Server) -> Iterator[str]:
    return (server.new_schema(f"test_{number}") for number in count())


@pytest.fixture
def catalog_url(request: pytest.FixtureRequest) -> str | None:
    """The URL of a new, empty schema if a test is to have its catalog in PostgreSQL; see `on_both`."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return None
    schemas: Iterator[str] = request.getfixturevalue("schemas")
    return next(schemas)


@pytest.fixture
def copied(two_pieces: Path, tmp_path: Path, catalog_url: str | None, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(shutil.copytree(two_pieces, tmp_path / "copied"))
    if catalog_url is not None:
        move(folder, monkeypatch, catalog_url)
    return folder
