"""A deadline interrupts what takes too long, and nothing else."""

import threading

import pytest

from tablebase.errors import TimeLimitError
from tablebase.executors.bounds import deadline


def test_a_deadline_interrupts() -> None:
    """What the block raises because of it becomes an error that carries the limit."""
    interrupted = threading.Event()

    def work() -> None:
        with deadline(0.01, interrupted.set):
            assert interrupted.wait(10)
            raise ValueError("interrupted")

    with pytest.raises(TimeLimitError) as passed:
        work()
    assert (passed.value.seconds, passed.value.exit_code) == (0.01, 3)


def test_other_errors_stay() -> None:
    """An error before the deadline is no matter of time."""
    with pytest.raises(ValueError, match="broken"), deadline(60, pytest.fail):
        raise ValueError("broken")


@pytest.mark.parametrize("seconds", [60, None])
def test_a_deadline_is_called_off(seconds: float | None) -> None:
    before = set(threading.enumerate())
    with deadline(seconds, pytest.fail):
        pass
    assert set(threading.enumerate()) <= before


def test_an_interrupt_under_way_is_waited_for() -> None:
    """What it interrupts may be closed after the block, and must not be before."""
    begun, closed, done = threading.Event(), threading.Event(), []

    def interrupt() -> None:
        begun.set()
        done.append(closed.wait(0.2))

    with deadline(0.01, interrupt):
        assert begun.wait(10)
    closed.set()
    assert done == [False]
