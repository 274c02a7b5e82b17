"""Child processes, however they are started, while threads of their parent are busy."""

import multiprocessing
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from support.program import ask_fresh

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.commands.tablebase import Tablebase
from tablebase.game import load_game
from tablebase.positions.material import parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.reader import Table

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
SECONDS = 30
"""For a child that hangs; far more than one takes to start and to answer."""
FORKS = 6
"""Of a child that can hang, hardly any would not."""
POSITIONS = {
    "7/3C3/7/7/7/7/7/7/c6 w": "win in 1",
    "7/3C3/7/7/7/7/7/7/c6 b": "loss in 2",
    "7/3T3/7/7/7/7/7/7/e6 w": "win in 1",
    "7/3R3/7/7/7/7/7/7/l6 w": "win in 1",
}
PAUSE = 0.001
"""Seconds between two questions of a thread, for the children to get on with theirs."""
WINS = 82_852
"""Of all two-piece slices, by Table 2 of van Rijn and Vis."""
FORK_IN_BETWEEN = """
import os, threading, time
import tablebase.probe.from_bounds
from tablebase.tables import reader, store
taken = threading.Event()
def open_a_table():
    with store.lock:
        taken.set()
        time.sleep(0.2)
        with reader.hdf5:
            pass
threading.Thread(target=open_a_table).start()
taken.wait()
if child := os.fork():
    os.waitpid(child, 0)
"""
"""Forks while a thread has taken one of two locks, after the modules of tables have been loaded in an unusual order."""


def answers(tables: Tablebase) -> dict[str, str]:
    """What the tables say about the positions."""
    values = {text: tables.probe_value("doushouqi", text) for text in POSITIONS}
    return {text: f"{value.outcome} in {value.distance}" for text, value in values.items()}


def wins(folder: Path) -> int:
    """What the catalog says."""
    with closing(Catalog(folder)) as catalog:
        [line] = catalog.counts(load_game("doushouqi"), "pieces")
        [(count,)] = catalog.sql("SELECT count(*) FROM tables")[1]
    assert count == 10
    return line.wins


def ask(tables: Tablebase, folder: Path, pipe: Connection) -> None:
    """What a child does: ask the tables it was given, some of its own, and the catalog."""
    with tablebase.open(folder) as own:
        pipe.send((answers(tables), answers(own), wins(folder)))


@contextmanager
def busy(tables: Tablebase, folder: Path) -> Iterator[None]:
    """Threads that probe, open and close tables, and read the catalog, all the time."""
    ended = threading.Event()

    def probe() -> None:
        while not ended.wait(PAUSE):
            with tablebase.open(folder) as own:
                answers(own)
            answers(tables)

    def open_a_table() -> None:
        game = load_game("doushouqi")
        material = parse_material(game, "CvW")
        while not ended.wait(PAUSE):
            with closing(Table(table_path(folder, game, material), game, material)) as table:
                table.read(0)

    def read() -> None:
        while not ended.wait(PAUSE):
            wins(folder)

    threads = [threading.Thread(target=work) for work in (probe, open_a_table, read)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


@pytest.mark.full
def test_a_fork_waits_for_locks_in_the_order_of_threads() -> None:
    """Otherwise each of the two would wait for the other, forever."""
    assert ask_fresh(program=FORK_IN_BETWEEN, seconds=SECONDS).code == 0


@pytest.mark.full
@pytest.mark.parametrize("method", ["fork", *(pytest.param(name, marks=pytest.mark.full) for name in ("spawn", "forkserver"))])
def test_children_of_a_busy_process(method: str, two_pieces: Path) -> None:
    """Each child answers, and rightly, with the tables it was given and with those it opens."""
    context = multiprocessing.get_context(method)
    with tablebase.open(two_pieces) as tables, busy(tables, two_pieces):
        for _ in range(FORKS if method == "fork" else 1):
            ours, theirs = context.Pipe(duplex=False)
            child = context.Process(target=ask, args=(tables, two_pieces, theirs))
            child.start()
            theirs.close()
            try:
                assert ours.poll(SECONDS), "the child hangs"
                assert ours.recv() == (POSITIONS, POSITIONS, WINS)
            finally:
                child.kill()
                child.join()
