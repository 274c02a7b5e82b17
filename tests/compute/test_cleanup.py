"""What must not be left behind, however a process ends."""

from __future__ import annotations

import pytest

from tablebase.compute.processes import clean_up, ensured, undisturbed, when_undisturbed


def test_the_end_of_a_block_cleans_up() -> None:
    """Once, whether it ends well or not."""
    done: list[str] = []
    with ensured(lambda: done.append("well")):
        assert done == []
    with pytest.raises(ZeroDivisionError), ensured(lambda: done.append("badly")):
        raise ZeroDivisionError
    assert done == ["well", "badly"]
    clean_up()
    assert done == ["well", "badly"]


def test_a_process_that_ends_at_once_cleans_up() -> None:
    """Everything that is pending, the newest first; what fails does not keep the rest from being done."""
    done: list[str] = []

    def fail() -> None:
        done.append("failed")
        raise OSError("no such file")

    with pytest.raises(OSError, match="no such file"), ensured(lambda: done.append("first")), ensured(fail):
        clean_up()
    # The process of this test lives on, so that the blocks clean up again.
    assert done == ["failed", "first"] * 2


def test_an_undisturbed_block_comes_first() -> None:
    """Within it, even nested, an action waits until its end; elsewhere it is done at once."""
    done: list[str] = []
    when_undisturbed(lambda: done.append("at once"))
    assert done == ["at once"]
    with undisturbed():
        with undisturbed():
            when_undisturbed(lambda: done.append("later"))
        assert done == ["at once"]
    assert done == ["at once", "later"]
