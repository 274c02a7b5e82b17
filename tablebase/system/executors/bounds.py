"""Work that ends when it takes too long or needs too much memory."""

from __future__ import annotations

import pickle
import select
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from threading import Event, Timer

from tablebase.errors import CapacityError, TablebaseError, TimeLimitError
from tablebase.system.compute.child_process import ChildProcess, Clock, OutOfMemoryError, OutOfTimeError
from tablebase.system.compute.machine import keep_freed_memory
from tablebase.system.compute.processes import cleanup_on_exit

HINT = "select fewer groups or rows"


@contextmanager
def deadline(seconds: float | None, interrupt: Callable[[], object]) -> Iterator[None]:
    """Interrupt a block that takes longer than these seconds; None for no limit.

    `interrupt` is called from another thread and makes the block raise an exception, which becomes a `TimeLimitError`.
    """
    if seconds is None:
        yield
        return
    passed = Event()

    def end() -> None:
        passed.set()
        interrupt()

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception as error:
        if passed.is_set():
            raise TimeLimitError(seconds) from error
        raise
    finally:
        timer.cancel()
        # What it interrupts must not be closed meanwhile.
        timer.join()


def run_bounded(work: Callable[[], object], seconds: float | None, memory: int) -> int:
    """Do picklable work in a child process that may occupy `memory` bytes, and can be ended whatever code it runs.

    On Linux it is forked, so this process must not have started any threads. It shares standard output and error.
    Return its exit code: 0, or 1 if it has printed a traceback. Raise what the work raised, `TimeLimitError` or `CapacityError`
    if it takes longer or needs more or if its process was killed, and `BrokenPipeError` if nobody reads standard output any more.
    """
    child = ChildProcess(_do, work, fork=True)
    with cleanup_on_exit(child.stop):
        try:
            error = pickle.loads(child.receive(memory, Clock(seconds), _check_reader))
        except OutOfTimeError:
            raise _cut_off(TimeLimitError(seconds or 0)) from None
        except OutOfMemoryError:
            raise _cut_off(CapacityError("the statement", HINT, allowed=memory)) from None
        except EOFError:
            code = child.wait()
            if code < 0:
                raise _cut_off(CapacityError("the statement was killed, most likely because memory ran out", HINT)) from None
            return code
    if error is not None:
        raise error
    return 0


def _do(pipe: Connection, work: Callable[[], object]) -> None:
    # A statement computes the same columns for each block.
    keep_freed_memory()
    error: Exception | None = None
    try:
        work()
        sys.stdout.flush()
    except Exception as raised:
        raised.add_note(traceback.format_exc())
        error = raised
    # Once it has sent, this process may be ended, and a progress bar has still to be cleared.
    sys.stderr.flush()
    pipe.send(error)


def _cut_off(error: TablebaseError) -> TablebaseError:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    return error


def _check_reader() -> None:
    """Raise `BrokenPipeError` if standard output goes to a pipe or terminal that has been closed."""
    poll = select.poll()
    # Closing is always reported.
    poll.register(sys.stdout, 0)
    if poll.poll(0):
        raise BrokenPipeError
