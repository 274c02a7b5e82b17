"""Statements of users end on time, within memory and on Ctrl-C, whatever code is running."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.program import PROGRAM, Answer, Ask, ask_fresh, start_fresh

Start = Callable[..., Any]

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
ENDLESS = {
    "sql": ["sql", f"{NUMBERS} SELECT count(*) FROM n"],
    "sql, in one call": ["sql", "SELECT instr(zeroblob(100000000), CAST(zeroblob(100000) || x'01' AS BLOB))"],
    "mine, in one call": ["mine", "doushouqi", "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"],
}
"""Statements that run for minutes, in one call of a function of C as well."""
JOIN = ["mine", "doushouqi", "SELECT count(*) FROM range(900000) a JOIN range(900000) b ON a.range < b.range"]
LARGE = {
    "sql, a value": ["sql", "SELECT hex(zeroblob(400000000))"],
    "sql, sorting": ["sql", f"{NUMBERS} SELECT hex(zeroblob(50000)) AS a FROM n ORDER BY a"],
    "mine, a value": ["mine", "doushouqi", "SELECT repeat('x', 400000000) AS a"],
}
"""Statements that need much memory."""
ALLOWED = 500 << 20
LITTLE = f"import tablebase.commands.process as children; children.MEMORY = {ALLOWED}; {PROGRAM}"
"""The program, with less memory for statements."""


def cases(statements: dict[str, list[str]]) -> list[Any]:
    """The first statement, and in full the others."""
    first, *others = statements.values()
    return [first, *(pytest.param(words, marks=pytest.mark.full) for words in others)]


@pytest.fixture
def starting(two_pieces: Path) -> Iterator[Start]:
    """Starts commands on the two-piece tables in processes of their own, and ends what still runs afterwards."""
    started = []

    def start(*arguments: object, program: str = PROGRAM) -> Any:
        process = start_fresh(*arguments, "--data", two_pieces, program=program)
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def at_work(process: Any) -> list[psutil.Process]:
    """The processes of a command, once they have computed for longer than it takes to start."""
    main, seconds = psutil.Process(process.pid), 2.5 if "mine" in process.args else 1
    for _ in range(1200):
        # Any of them may end meanwhile.
        with suppress(psutil.NoSuchProcess):
            family = [main, *main.children(recursive=True)]
            if sum(sum(one.cpu_times()[:2]) for one in family) > seconds:
                return family
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("the command does nothing")


def ended(process: Any) -> tuple[Answer, float]:
    begin = time.monotonic()
    out, err = process.communicate(timeout=60)
    return Answer(process.returncode, out, err), time.monotonic() - begin


def assert_gone(processes: list[psutil.Process]) -> None:
    alive = psutil.wait_procs(processes, timeout=1)[1]
    # Whether the system has taken notice of an orphan's end is another matter.
    assert [one for one in alive if one.status() != psutil.STATUS_ZOMBIE] == []


@pytest.mark.parametrize("words", cases(ENDLESS), ids=ENDLESS)
def test_ctrl_c_ends_a_statement(words: list[str], starting: Start) -> None:
    process = starting(*words)
    family = at_work(process)
    os.killpg(process.pid, signal.SIGINT)
    answer, seconds = ended(process)
    assert seconds < 1
    assert (answer.code, answer.out) == (130, "")
    assert len(answer.errors) == 1
    assert answer.errors[0].startswith("error: interrupted")
    assert_gone(family)


def test_a_statement_ends_with_its_program(starting: Start) -> None:
    """Even if the program could not end it."""
    process = starting(*ENDLESS["sql"])
    family = at_work(process)
    process.kill()
    assert_gone(family)


@pytest.mark.parametrize(
    ("words", "limit"), [(ENDLESS["sql"], 1), pytest.param(JOIN, 3, marks=pytest.mark.full)], ids=["sql", "mine"]
)
def test_time_runs_out(words: list[str], limit: int, starting: Start) -> None:
    answer, seconds = ended(starting(*words, "--timeout", limit))
    assert (answer.code, answer.out) == (3, "")
    assert answer.errors == [f"error: the statement takes longer than {limit} s: select fewer rows, or choose a longer --timeout"]
    assert seconds < limit + 3


def peak_memory(process: Any) -> int:
    """The most bytes that the process or a child of it occupies until it ends."""
    peak, first = 0, psutil.Process(process.pid)
    while process.poll() is None:
        with suppress(psutil.Error):
            peak = max(peak, *(one.memory_info().rss for one in (first, *first.children())))
        time.sleep(0.01)
    return peak


@pytest.mark.parametrize("words", cases(LARGE), ids=LARGE)
def test_memory_runs_out(words: list[str], starting: Start) -> None:
    process = starting(*words, program=LITTLE)
    peak = peak_memory(process)
    answer = Answer(process.returncode, process.stdout.read(), process.stderr.read())
    assert (answer.code, answer.out) == (3, "")
    assert len(answer.errors) == 1
    assert answer.errors[0].startswith("error: the statement needs more than the ")
    # What grows between two looks comes on top.
    assert peak < ALLOWED + (500 << 20)


def test_a_crash_is_a_sentence(starting: Start, tmp_path: Path) -> None:
    """As when C++ gets no memory."""
    file = tmp_path / "mine.py"
    file.write_text("import os\nos.abort()\n")
    answer, _ = ended(starting("mine", "doushouqi", "SELECT 1", "--features", file))
    assert (answer.code, answer.out) == (3, "")
    assert answer.errors == ["error: the statement was killed, most likely because memory ran out: select fewer groups or rows"]


@pytest.mark.full
def test_a_error_of_the_program_shows_where(two_pieces: Path) -> None:
    broken = f"import tablebase.catalog.sqlite as sqlite; sqlite.SqliteDatabase.query = None; {PROGRAM}"
    answer = ask_fresh("sql", "SELECT 1", "--data", two_pieces, program=broken)
    assert (answer.code, answer.out) == (1, "")
    assert "in answer" in answer.err
    assert "in main" in answer.err
    assert "'NoneType' object is not callable" in answer.err


ROWS = ["mine", "doushouqi", "SELECT a.* FROM positions a, positions b", "--format", "csv"]


@pytest.mark.full
@pytest.mark.parametrize("words", [ROWS, ENDLESS["sql"]], ids=["writing", "computing"])
def test_a_closed_pipe_ends_a_statement(words: list[str], starting: Start) -> None:
    process = starting(*words)
    if words is ROWS:
        assert process.stdout.readline().startswith("material,")
        family = psutil.Process(process.pid).children()
        assert len(family) == 1
    else:
        family = at_work(process)[1:]
    process.stdout.close()
    assert_gone(family)
    assert process.wait(timeout=1) == 0
    assert "error" not in process.stderr.read()


@pytest.mark.parametrize("words", [ENDLESS["sql"], JOIN], ids=["sql", "mine"])
def test_time_runs_out_here(words: list[str], two_pieces: Path, ask: Ask) -> None:
    """In a process that must not be forked, a time limit interrupts the database."""
    answer = ask(*words, "--timeout", "0.3", "--data", two_pieces)
    assert (answer.code, answer.out) == (3, "")
    assert "the statement takes longer than 0.3 s" in answer.errors[0]
