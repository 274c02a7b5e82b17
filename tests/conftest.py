"""Fixtures of all tests: tables solved in memory, tablebases on disk, commands run in this process."""

import atexit
import ctypes
import gc
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings
from support.solved import Solved, Tables
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tablebase.game import Game
from tablebase_rules.doushouqi import game as doushouqi

pytest_plugins = ["support.tablebases", "support.installs"]

# Processes of pytest-xdist have one; without it, tables for people are as wide as they need to be.
os.environ.pop("COLUMNS", None)
# The readline library sets it where Python does not see it, but children do.
os.unsetenv("COLUMNS")

# Programs that tests start would ignore the signals that nohup or a shell's & makes this process ignore; not those it handles.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# They have no doctests, and two of them that are looked at for some would be two modules of one name.
collect_ignore_glob = ["*/conftest.py"]

# Kernels load or compile on first use, which no deadline can foresee.
settings.register_profile("default", deadline=None, max_examples=20)
settings.register_profile("release", deadline=None)
settings.load_profile("default")

LONG = (
    "executors/test_dask_cluster.py",
    "web/pages/test_browser.py",
    "catalog/test_postgresql.py",
    "commands/test_batch_command.py",
    "web/test_serving.py",
    "play/test_exploit.py",
    "commands/test_nets.py",
    "play/test_match.py",
    "rules/test_doushouqi.py",
    "commands/test_building.py",
    "catalog/test_seal.py",
    "commands/test_read_only.py",
    "commands/test_loading.py",
    "graph/test_counting.py",
    "docs/test_python_examples.py",
)
"""Files whose tests of the marker `full` take longest, the longest first."""


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples of properties with ``-m release``; order tests with ``-m full`` as below."""
    if config.option.markexpr == "release":
        settings.load_profile("release")
    if config.option.markexpr == "full":
        # A file with one long test would come last, and two processes would wait for it.
        config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the tests of properties again with ``-m release``; with ``-m full`` begin with the files that take longest."""
    if config.option.markexpr == "release":
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):
                item.add_marker("release")
    if config.option.markexpr == "full":
        # In a file that has the marker, some may be only for a release.
        items[:] = [item for item in items if not item.get_closest_marker("release")]
        place = {Path(__file__).parent / name: number for number, name in enumerate(LONG)}
        items.sort(key=lambda item: place.get(item.path, len(LONG)))


class ByRoom(LoadScopeScheduling):
    """Gives all tests of a folder to one process, so that few kernels and tables are in the memory of both."""

    def _split_scope(self, nodeid: str) -> str:
        return "/".join(nodeid.split("::")[0].split("/")[1:2])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """Divide the README's command by folders, all others by files."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and config.option.markexpr not in ("full", "release")
    return ByRoom(config, log) if whole else None


# What is kept from the garbage collector below is freed at the very end, where some libraries count what has leaked.
atexit.register(gc.unfreeze)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: the garbage collector need not look at it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # By default it looks after each 700 objects more, of which most are data of tests.
        gc.set_threshold(10_000)
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def kept() -> Iterator[None]:
    """What a module leaves in caches stays to the end as well; what it has freed is given back to the system."""
    yield
    gc.collect()
    gc.freeze()
    # Builds tell glibc to keep it.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands in this process start no workers that no test has asked for: they would not see what a test has replaced."""
    monkeypatch.setattr("tablebase.system.compute.machine.default_workers", lambda: 1)


@pytest.fixture(scope="session")
def solved() -> Solved:
    """Gives the tables of a game, as ``solved(game)`` or ``solved(game, "groups")``."""

    @cache
    def tables_of(game: Game, engine: str = "reference") -> Tables:
        return Tables(game, engine)

    return tables_of


@pytest.fixture(scope="session")
def jungle() -> Game:
    """Dou Shou Qi."""
    return doushouqi()
